"""What gemv asks for: the judge of every kernel.

y[b, i] = sum over j of a[i, j] * x[b, j]
"""
import numpy as np


def compute(inputs, attributes):
    """The expected tensors of a case, by name."""
    y = inputs["x"].astype(np.int64) @ inputs["a"].astype(np.int64).T
    assert abs(y).max() < 2**31
    return {"y": y.astype(np.int32)}
