"""What bev-broadcast asks for: the judge of every kernel.

broadcast[q, h, s, :] = points[q, :2], for every head h and sample s
"""
import numpy as np


def compute(inputs, attributes):
    """The expected tensors of a case, by name. The shape comes from the case's own attributes, since
    no input has it."""
    shape = (len(inputs["points"]), attributes["heads"], attributes["samples"], 2)
    return {"broadcast": np.broadcast_to(inputs["points"][:, None, None, :2], shape)}
