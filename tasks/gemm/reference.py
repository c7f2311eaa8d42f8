"""What gemm asks for, in integers: the judge of every kernel.

c[i, j] = clip(shift_right(high_product(bias[j] + sum_k a[i, k] b[j, k], multiplier[j]), shift[j])
               + zero_point)
"""
import numpy as np


def high_product(a, b):
    """The upper half of 2ab, rounded to nearest, ties away from zero; gp.rqmul. (Saturation cannot
    happen: multipliers are not negative.)"""
    product = a.astype(np.int64) * b.astype(np.int64)
    nudged = product + np.where(product >= 0, 1 << 30, 1 - (1 << 30))
    return np.where(nudged >= 0, nudged >> 31, -(-nudged >> 31))


def shift_right(value, amount):
    """value / 2^amount, rounded to nearest, ties away from zero; gp.rshr."""
    half = (1 << amount.astype(np.int64)) >> 1
    return np.where(value >= 0, (value + half) >> amount, -((half - value) >> amount))


def compute(inputs, attributes):
    """The expected tensors of a case, by name."""
    a = inputs["a"].astype(np.int64)
    b = inputs["b"].astype(np.int64)
    total = a @ b.T + inputs["bias"]
    scaled = shift_right(high_product(total, inputs["multiplier"]), inputs["shift"])
    return {"c": np.clip(scaled + attributes["zero_point"], -128, 127).astype(np.int8)}
