"""What logits asks for, in real numbers: kernels come as near as they can.

logits[b, c] = bias[c] + sum over f of x[b, f] * w[c, f]
"""
import numpy as np


def compute(real, fraction_bits):
    """float32 logits from numbers in units of 2^-fraction_bits: exact in int64 up to the last
    rounding, which IEEE says."""
    sums = real["x"] @ real["w"].T + (real["bias"] << fraction_bits)
    assert abs(sums).max() < 2**53
    return {"logits": (sums.astype(np.float64) / 2.0 ** (2 * fraction_bits)).astype(np.float32)}
