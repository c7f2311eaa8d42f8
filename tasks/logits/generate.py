#!/usr/bin/python3
"""Writes a case of logits: inputs from a seed, expected outputs from reference.py."""
import argparse
import sys

import h5py
import numpy as np

sys.dont_write_bytecode = True  # a task package stays as it was packed
import reference

GROUP = "reference"

# Batch, features, classes.
VARIANTS = {
    "tiny": (5, 24, 3),
    "batch": (64, 64, 12),
}

FINE = 20  # fraction bits of the real numbers
X_BITS, W_BITS, BIAS_BITS = 12, 12, 24  # of those that kernels get


def bell(rng, shape, spread):
    """Real numbers in units of 2^-FINE, about normal: sums of integers, the same on every host."""
    return rng.integers(-spread, spread + 1, (6, *shape), dtype=np.int64).sum(axis=0)


def quantised(value, bits, dtype):
    """To nearest, halves up."""
    shift = FINE - bits
    rounded = (value + (1 << (shift - 1))) >> shift if shift > 0 else value << -shift
    info = np.iinfo(dtype)
    return rounded.clip(info.min, info.max).astype(dtype)


def make(variant, seed):
    batch, features, classes = VARIANTS[variant]
    rng = np.random.Generator(np.random.PCG64(seed))
    real = {
        "x": bell(rng, (batch, features), 1 << 19),
        "w": bell(rng, (classes, features), 1 << 16),
        "bias": bell(rng, (classes,), 1 << 18),
    }
    inputs = {
        "x": quantised(real["x"], X_BITS, np.int16),
        "w": quantised(real["w"], W_BITS, np.int16),
        "bias": quantised(real["bias"], BIAS_BITS, np.int32),
    }
    return inputs, real


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
    inputs, real = make(arguments.variant, arguments.seed)
    write(arguments.output, {"inputs": inputs, GROUP: reference.compute(real, FINE)}, {})


if __name__ == "__main__":
    main()
