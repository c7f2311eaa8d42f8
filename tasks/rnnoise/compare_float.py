#!/usr/bin/python3
"""How far the fixed-point network is from a float one, band by band: with --data from the float
outputs that lie there, for the trained weights and all its frames; else from the same network in
float64, for synthetic weights. Ends with 1 when a bound is broken."""
import argparse
import pathlib
import sys

import numpy as np

sys.dont_write_bytecode = True
import generate
import reference

# Gains and speech probability lie in 0..1. Measured with the trained weights on 671 frames of noisy
# speech: largest 0.0026, root mean square 0.00046; with synthetic ones on 100 frames, seeds 1 to 5:
# 0.00065 and 0.00018.
BOUNDS = {"trained": (0.005, 0.001), "synthetic": (0.002, 0.0005)}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def float_network(inputs):
    """Gains and speech probabilities of all frames in float64."""
    real = {name: value / 256.0 for name, value in inputs.items()}

    def dense(name, x):
        return real[name + "_weights"] @ x + real[name + "_bias"]

    def gru(name, x, state):
        w, r, b = (real[name + end] for end in ("_weights", "_recurrent_weights", "_bias"))
        update = sigmoid(w[0] @ x + r[0] @ state + b[0])
        reset = sigmoid(w[1] @ x + r[1] @ state + b[1])
        candidate = np.maximum(w[2] @ x + r[2] @ (state * reset) + b[2], 0)
        return update * state + (1 - update) * candidate

    vad, noise, denoise = (np.zeros(inputs[name + "_gru_weights"].shape[1])
                           for name in ("vad", "noise", "denoise"))
    gains, speech = [], []
    for frame in inputs["features"] / 2.0**reference.ACTIVATION_BITS:
        first = np.tanh(dense("input_dense", frame))
        vad = gru("vad_gru", first, vad)
        speech.append(sigmoid(dense("vad_output", vad)))
        noise = gru("noise_gru", np.concatenate([first, vad, frame]), noise)
        denoise = gru("denoise_gru", np.concatenate([vad, noise, frame]), denoise)
        gains.append(sigmoid(dense("denoise_output", denoise)))
    return np.array(gains), np.array(speech)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, help="folder of the trained network's files")
    parser.add_argument("--seed", type=int, default=1, help="of the synthetic weights")
    arguments = parser.parse_args()
    if arguments.data:
        kind = "trained"
        gains = np.fromfile(arguments.data / "gains.f32", "<f4").reshape(-1, generate.NETWORK[-1])
        speech = np.fromfile(arguments.data / "vad.f32", "<f4").reshape(-1, 1)
        inputs = generate.real(arguments.data, 0, len(gains))
    else:
        kind = "synthetic"
        inputs = generate.synthetic("long", arguments.seed)
        gains, speech = float_network(inputs)
    fixed = reference.compute(inputs, {})
    largest_bound, mean_bound = BOUNDS[kind]
    good = True
    for name, wanted, got in (("gain", gains, fixed["gains"]), ("speech", speech, fixed["speech"])):
        error = got / 32768 - wanted
        for band in range(error.shape[1]):
            largest = np.abs(error[:, band]).max()
            mean = np.sqrt((error[:, band] ** 2).mean())
            good = good and largest <= largest_bound and mean <= mean_bound
            print(f"{name} {band:2}: largest error {largest:.5f}, root mean square {mean:.5f}")
    print(f"{kind} weights, bounds {largest_bound} and {mean_bound}: {'held' if good else 'BROKEN'}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
