#!/usr/bin/python3
"""Writes a case of depthwise-conv: inputs from a seed, expected outputs from reference.py."""
import argparse
import sys

import h5py
import numpy as np

sys.dont_write_bytecode = True  # a task package stays as it was packed
import reference

GROUP = "expected"

# Channels, height, width of the input.
VARIANTS = {
    "tiny": (3, 5, 7),
    "image": (24, 18, 34),
}


def make(variant, seed):
    shape = VARIANTS[variant]
    rng = np.random.Generator(np.random.PCG64(seed))
    return {
        "x": rng.integers(-128, 128, shape, dtype=np.int8),
        "w": rng.integers(-128, 128, (shape[0], 3, 3), dtype=np.int8),
    }, {}


def write(path, groups, attributes):
    """A case file; the same arguments give the same bytes."""
    with h5py.File(path, "w") as file:
        for group, tensors in groups.items():
            for name, tensor in tensors.items():
                file.create_dataset(f"{group}/{name}", data=tensor, track_times=False)
        for name, value in attributes.items():
            file.attrs[name] = np.int32(value)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variant", choices=VARIANTS, default="tiny")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", required=True)
    arguments = parser.parse_args()
    inputs, attributes = make(arguments.variant, arguments.seed)
    groups = {"inputs": inputs, GROUP: reference.compute(inputs, attributes)}
    write(arguments.output, groups, attributes)


if __name__ == "__main__":
    main()
