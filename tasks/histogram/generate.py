#!/usr/bin/python3
"""Writes a case of histogram: inputs from a seed, expected outputs from reference.py."""
import argparse
import sys

import h5py
import numpy as np

sys.dont_write_bytecode = True  # a task package stays as it was packed
import reference

GROUP = "expected"

# Pixels.
VARIANTS = {
    "tiny": 100,
    "image": 3061,
}


def make(variant, seed):
    """Some values are frequent: so pictures are."""
    rng = np.random.Generator(np.random.PCG64(seed))
    count = VARIANTS[variant]
    pixels = rng.integers(0, 256, count, dtype=np.uint8)
    bright = rng.integers(200, 256, count, dtype=np.uint8)
    return {"pixels": np.where(rng.integers(0, 3, count) == 0, bright, pixels)}, {}


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
