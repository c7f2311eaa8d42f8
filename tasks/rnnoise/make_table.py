#!/usr/bin/python3
"""Writes include/rnnoise_table.h from the reference's table."""
import pathlib
import sys

sys.dont_write_bytecode = True
import reference

TEXT = """// tanh at multiples of 1/32 from 0 to 8, in units of 2^-15; written by make_table.py.
#ifndef RNNOISE_TABLE_H
#define RNNOISE_TABLE_H
#include <stdint.h>

static const int16_t rnnoise_tanh[257] = {
%s};

#endif
"""


def main():
    rows = [reference.TABLE[k : k + 12] for k in range(0, 257, 12)]
    text = "".join("    " + " ".join(f"{entry}," for entry in row) + "\n" for row in rows)
    path = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(
        __file__).parent / "include" / "rnnoise_table.h"
    path.write_text(TEXT % text)


if __name__ == "__main__":
    main()
