#!/usr/bin/python3
"""Writes a case of rnnoise: inputs from a seed, or the real network's from --data, and the expected
outputs from reference.py."""
import argparse
import pathlib
import sys

import h5py
import numpy as np

sys.dont_write_bytecode = True  # a task package stays as it was packed
import reference

# Frames, features, then neurons: dense, vad, noise, denoise, bands. `tiny` is for tests; the others
# have RNNoise v0.1's shape.
VARIANTS = {
    "tiny": (5, 10, 6, 5, 9, 13, 4),
    "synthetic": (6, 42, 24, 24, 48, 96, 22),
    "long": (100, 42, 24, 24, 48, 96, 22),
}

# The files of --data: weights.i8 has these arrays back to back, input-major and gates side by side.
NETWORK = (42, 24, 24, 48, 96, 22)


def layers(features, dense, vad, noise, denoise, bands):
    """(name, gates, neurons, inputs) of each layer, in the order of the real weights' file."""
    return [
        ("input_dense", 0, dense, features),
        ("vad_gru", 3, vad, dense),
        ("noise_gru", 3, noise, dense + vad + features),
        ("denoise_gru", 3, denoise, vad + noise + features),
        ("denoise_output", 0, bands, denoise),
        ("vad_output", 0, 1, vad),
    ]


def to_fixed(features):
    """Features as int16 / 2^9; what lies outside +-64 is clipped."""
    return np.clip(np.floor(features * 512 + 0.5), -32768, 32767).astype(np.int16)


def synthetic(variant, seed):
    """Random weights whose states stay far below the limit of 32, and random features."""
    frames, *sizes = VARIANTS[variant]
    rng = np.random.Generator(np.random.PCG64(seed))

    def draw(spread, *shape):
        return np.clip(np.round(rng.normal(0, spread, shape)), -128, 127).astype(np.int8)

    inputs = {"features": to_fixed(rng.normal(0, 1.5, (frames, sizes[0])))}
    for name, gates, neurons, width in layers(*sizes):
        outer = (gates, neurons) if gates else (neurons,)
        spread = 256 / np.sqrt(width)
        inputs[name + "_weights"] = draw(spread, *outer, width)
        if gates:
            # Smaller, lest a layer excite itself.
            inputs[name + "_recurrent_weights"] = draw(100 / np.sqrt(neurons), *outer, neurons)
        inputs[name + "_bias"] = draw(40, *outer)
    return inputs


def real(folder, first, frames):
    """The trained network, on frames first, first + 1, ... of its features, from a state of zero."""
    raw = np.fromfile(folder / "weights.i8", np.int8)
    features = np.fromfile(folder / "features.f32", "<f4").reshape(-1, NETWORK[0])
    at = 0

    def take(*shape):
        nonlocal at
        size = int(np.prod(shape))
        at += size
        return raw[at - size : at].reshape(shape)

    def by_neuron(inputs, gates, neurons):
        rows = take(inputs, max(gates, 1) * neurons).T
        return np.ascontiguousarray(rows.reshape(gates, neurons, inputs) if gates else rows)

    inputs = {"features": to_fixed(features[first : first + frames].astype(np.float64))}
    for name, gates, neurons, width in layers(*NETWORK):
        inputs[name + "_weights"] = by_neuron(width, gates, neurons)
        if gates:
            inputs[name + "_recurrent_weights"] = by_neuron(neurons, gates, neurons)
        inputs[name + "_bias"] = take(gates, neurons) if gates else take(neurons)
    assert at == len(raw), "weights.i8 has another length than the network"
    return inputs


def write(path, inputs, expected):
    """A case file; the same arguments give the same bytes."""
    with h5py.File(path, "w") as file:
        for group, tensors in (("inputs", inputs), ("expected", expected)):
            for name, tensor in tensors.items():
                file.create_dataset(f"{group}/{name}", data=tensor, track_times=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variant", choices=VARIANTS, default="tiny")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", type=pathlib.Path, help="folder of the real network's files")
    parser.add_argument("--first", type=int, default=0, help="first frame, with --data")
    parser.add_argument("--frames", type=int, default=10, help="number of frames, with --data")
    parser.add_argument("--output", required=True)
    arguments = parser.parse_args()
    if arguments.data:
        inputs = real(arguments.data, arguments.first, arguments.frames)
    else:
        inputs = synthetic(arguments.variant, arguments.seed)
    write(arguments.output, inputs, reference.compute(inputs, {}))


if __name__ == "__main__":
    main()
