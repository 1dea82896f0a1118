"""Floating-point arrays, and the scale on which exact numbers are handed to solvers."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .exact import IntArray

Floats = NDArray[np.float64]

SLACK = 1e-9
"""Rows with rounded coefficients are relaxed by this much; the recount compares exactly."""

ROUNDING = 1e-6
"""How far a probability may lie outside [0, 1], as means and products of floats do. The checker of
certificates has the number on its own."""

_PLAIN = 2.0**20
"""Gains up to this size go to the solver as they are; larger ones are scaled down to it."""


def objective_scale(gains: IntArray) -> float:
    """Return a power of two that brings the largest gain to a size solvers are happy with."""
    largest = float(np.abs(gains.astype(np.float64)).max(initial=0.0))
    return 2.0 ** max(0, math.ceil(math.log2(largest / _PLAIN))) if largest > _PLAIN else 1.0
