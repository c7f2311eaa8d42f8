"""What depthwise-conv asks for: the judge of every kernel.

y[c, i, j] = sum over u, v in 0..2 of x[c, i + u, j + v] * w[c, u, v]
"""
import numpy as np


def compute(inputs, attributes):
    """The expected tensors of a case, by name."""
    x, w = inputs["x"].astype(np.int32), inputs["w"].astype(np.int32)
    rows, columns = x.shape[1] - 2, x.shape[2] - 2
    y = np.zeros((x.shape[0], rows, columns), dtype=np.int32)
    for u in range(3):
        for v in range(3):
            y += x[:, u : u + rows, v : v + columns] * w[:, u, v, None, None]
    return {"y": y}
