#!/usr/bin/python3
"""Writes a case of @NAME@: inputs from a seed, expected outputs from reference.py."""
import argparse
import sys

import h5py
import numpy as np

sys.dont_write_bytecode = True  # a task package stays as it was packed
import reference

# Rows and columns. `tiny` has sizes that no block divides, and fewer rows than the machine has PEs.
VARIANTS = {
    "tiny": (5, 13),
    "large": (48, 160),
}


def make(variant, seed):
    """Inputs by name, and the attributes: the whole range of each type."""
    rng = np.random.Generator(np.random.PCG64(seed))
    x = rng.integers(-(2**15), 2**15, VARIANTS[variant], dtype=np.int16)
    return {"x": x}, {"factor": int(rng.integers(-(2**15), 2**15))}


def write(path, inputs, expected, attributes):
    """A case file; the same arguments give the same bytes."""
    with h5py.File(path, "w") as file:
        for group, tensors in (("inputs", inputs), ("expected", expected)):
            for name, tensor in tensors.items():
                file.create_dataset(f"{group}/{name}", data=tensor, track_times=False)
        for name, value in attributes.items():
            file.attrs[name] = value


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variant", choices=VARIANTS, default="tiny")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", required=True)
    arguments = parser.parse_args()
    inputs, attributes = make(arguments.variant, arguments.seed)
    write(arguments.output, inputs, reference.compute(inputs, attributes), attributes)


if __name__ == "__main__":
    main()
