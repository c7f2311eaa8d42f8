"""What @NAME@ asks for: the judge of every kernel."""
import numpy as np


def compute(inputs, attributes):
    """The expected tensors of a case, by name. In int64, with a proof that nothing leaves 32 bits."""
    y = inputs["x"].astype(np.int64) * attributes["factor"]
    assert np.all(np.abs(y) < 2**31)
    return {"y": y.astype(np.int32)}
