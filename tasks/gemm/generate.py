#!/usr/bin/python3
"""Writes a case of gemm: inputs from a seed, expected outputs from reference.py."""
import argparse
import sys

import h5py
import numpy as np

sys.dont_write_bytecode = True  # a task package stays as it was packed
import reference

# m, n, k. `tiny` is for tests; `slice` is scored; the others are the published shapes.
VARIANTS = {
    "tiny": (9, 12, 24),
    "slice": (128, 132, 64),
    "full": (256, 256, 256),
    "wide": (1024, 1024, 64),
}


def make(variant, seed):
    """Inputs and attributes. Multipliers and shifts are such that results use the int8 range."""
    m, n, k = VARIANTS[variant]
    rng = np.random.Generator(np.random.PCG64(seed))
    spread = 74 * 74 * np.sqrt(k)  # standard deviation of a sum of k products of uniform int8
    shift = rng.integers(4, 9, n, dtype=np.int32)
    gain = 48 / spread * rng.uniform(0.5, 1.5, n)
    inputs = {
        "a": rng.integers(-128, 128, (m, k), dtype=np.int8),
        "b": rng.integers(-128, 128, (n, k), dtype=np.int8),
        "bias": rng.integers(-20000, 20001, n, dtype=np.int32),
        "multiplier": np.round(gain * 2.0 ** (31 + shift)).astype(np.int64).clip(0, 2**31 - 1),
        "shift": shift,
    }
    inputs["multiplier"] = inputs["multiplier"].astype(np.int32)
    return inputs, {"zero_point": int(rng.integers(-20, 21))}


def write(path, inputs, expected, attributes):
    """A case file; the same arguments give the same bytes."""
    with h5py.File(path, "w") as file:
        for group, tensors in (("inputs", inputs), ("expected", expected)):
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
    write(arguments.output, inputs, reference.compute(inputs, attributes), attributes)


if __name__ == "__main__":
    main()
