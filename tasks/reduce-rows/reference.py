"""What reduce-rows asks for: the judge of every kernel.

sum[r] = x[r, 0] + x[r, 1] + ...
"""
import numpy as np


def compute(inputs, attributes):
    """The expected tensors of a case, by name."""
    sums = inputs["x"].astype(np.int64).sum(axis=1)
    assert abs(sums).max() < 2**31
    return {"sum": sums.astype(np.int32)}
