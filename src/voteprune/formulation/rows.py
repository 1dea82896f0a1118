"""What both formulations need to write exact numbers into floating-point rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..exact import IntArray
from ..limits import CostLimit
from .model import ModelBuilder

SLACK = 1e-9
"""Rows with rounded coefficients are relaxed by this much; the recount compares exactly."""

_PLAIN = 2.0**20
"""Gains up to this size go to the solver as they are; larger ones are scaled down to it."""


def objective_scale(gains: IntArray) -> float:
    """Return a power of two that brings the largest gain to a size solvers are happy with."""
    largest = float(np.abs(gains.astype(np.float64)).max(initial=0.0))
    return 2.0 ** max(0, math.ceil(math.log2(largest / _PLAIN))) if largest > _PLAIN else 1.0


def add_cost_rows(
    builder: ModelBuilder,
    limits: Sequence[CostLimit],
    columns: NDArray[np.intp],
    classifiers: Sequence[int] | NDArray[np.intp],
) -> None:
    """Add the budgets; `classifiers` names the classifier each column stands for."""
    for limit in limits:
        costs, most = limit.in_shares([int(k) for k in classifiers])
        builder.row(columns, costs, high=most + SLACK * len(costs))
