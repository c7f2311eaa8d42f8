"""What systolic-gemm asks for: the judge of every kernel.

c[i, j] = sum_k a[i, k] b[j, k]
"""
import numpy as np


def compute(inputs, attributes):
    """The expected tensors of a case, by name."""
    product = inputs["a"].astype(np.int64) @ inputs["b"].astype(np.int64).T
    return {"c": product.astype(np.int32)}
