#!/usr/bin/python3
"""Writes a case of systolic-gemm: inputs from a seed, expected outputs from reference.py."""
import argparse
import sys

import h5py
import numpy as np

sys.dont_write_bytecode = True  # a task package stays as it was packed
import reference

# m, n, k: m and n are multiples of 16, k of 8. `tiny` is for tests; `square` is scored.
VARIANTS = {
    "tiny": (16, 32, 24),
    "square": (64, 64, 64),
    "deep": (32, 32, 256),
    "full": (256, 256, 256),
}


def make(variant, seed):
    """Inputs; full range, so that an operand taken for unsigned shows."""
    m, n, k = VARIANTS[variant]
    rng = np.random.Generator(np.random.PCG64(seed))
    return {
        "a": rng.integers(-128, 128, (m, k), dtype=np.int8),
        "b": rng.integers(-128, 128, (n, k), dtype=np.int8),
    }


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
    parser.add_argument("--output", required=True)
    arguments = parser.parse_args()
    inputs = make(arguments.variant, arguments.seed)
    write(arguments.output, inputs, reference.compute(inputs, {}))


if __name__ == "__main__":
    main()
