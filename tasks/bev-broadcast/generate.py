#!/usr/bin/python3
"""Writes a case of bev-broadcast: inputs from a seed, expected outputs from reference.py."""
import argparse
import sys

import h5py
import numpy as np

sys.dont_write_bytecode = True  # a task package stays as it was packed
import reference

# Queries, heads, samples. `full` is BEVFormer's decoder, whose tensors are (1, 1900, 3) and
# (1900, 8, 1, 4, 2): here without the dimensions of size 1, which change no byte.
VARIANTS = {
    "tiny": (37, 3, 2),
    "full": (1900, 8, 4),
}


def make(variant, seed):
    """Inputs, and what says the output's shape."""
    queries, heads, samples = VARIANTS[variant]
    rng = np.random.Generator(np.random.PCG64(seed))
    points = rng.integers(-(2**31), 2**31, (queries, 3), dtype=np.int32)
    return {"points": points}, {"heads": heads, "samples": samples}


def write(path, inputs, expected):
    """A case file; the same arguments give the same bytes. The output repeats itself 32 times: it is
    compressed."""
    with h5py.File(path, "w") as file:
        for group, tensors in (("inputs", inputs), ("expected", expected)):
            for name, tensor in tensors.items():
                file.create_dataset(
                    f"{group}/{name}", data=tensor, track_times=False, chunks=tensor.shape,
                    compression="gzip", compression_opts=9)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variant", choices=VARIANTS, default="tiny")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", required=True)
    arguments = parser.parse_args()
    inputs, shape = make(arguments.variant, arguments.seed)
    write(arguments.output, inputs, reference.compute(inputs, shape))


if __name__ == "__main__":
    main()
