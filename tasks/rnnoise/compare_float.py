#!/usr/bin/python3
"""How far the fixed-point network is from the float one, band by band, over all frames of --data.
Ends with 1 when a bound is broken."""
import argparse
import pathlib
import sys

import numpy as np

sys.dont_write_bytecode = True
import generate
import reference

# Gains and speech probability lie in 0..1. Measured on 671 frames of noisy speech: largest 0.0026,
# root mean square 0.00046.
LARGEST = 0.005
ROOT_MEAN_SQUARE = 0.001


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    data = parser.parse_args().data
    gains = np.fromfile(data / "gains.f32", "<f4").reshape(-1, generate.NETWORK[-1])
    speech = np.fromfile(data / "vad.f32", "<f4").reshape(-1, 1)
    fixed = reference.compute(generate.real(data, 0, len(gains)), {})
    good = True
    for name, wanted, got in (("gain", gains, fixed["gains"]), ("speech", speech, fixed["speech"])):
        error = got / 32768 - wanted
        for band in range(error.shape[1]):
            largest = np.abs(error[:, band]).max()
            mean = np.sqrt((error[:, band] ** 2).mean())
            good = good and largest <= LARGEST and mean <= ROOT_MEAN_SQUARE
            print(f"{name} {band:2}: largest error {largest:.5f}, root mean square {mean:.5f}")
    print(f"bounds: {LARGEST} and {ROOT_MEAN_SQUARE}: {'held' if good else 'BROKEN'}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
