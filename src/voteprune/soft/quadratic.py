"""A small convex quadratic program with signs, by block principal pivoting."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .problem import Floats

_PIVOTS = 200
"""Exchanges before the best point so far is good enough; a line search follows in any case."""


def signed_minimum(
    hessian: Floats,
    linear: Floats,
    signed: NDArray[np.bool_],
    guess: NDArray[np.bool_],
    total: float | None = None,
) -> Floats:
    """Return y that minimises ``y H y / 2 + linear y`` with y >= 0 where it is signed.

    Júdice and Pires' rule: exchange all infeasible variables at once while that lowers their
    number, a single one, the last, when it has not for three times.

    Parameters
    ----------
    hessian
        Positive definite.
    linear
        The linear part.
    signed
        Which variables must not be negative.
    guess
        Which signed variables are thought to be positive.
    total
        What the signed variables sum to, if they must.
    """
    n = len(linear)
    passive = ~signed | guess
    if total is not None and not (passive & signed).any():
        passive[np.argmin(np.where(signed, linear, np.inf))] = True
    slack = 1e-12 * (np.abs(linear).max(initial=0.0) + 1e-300)
    fewest, patience = n + 1, 3
    point = np.zeros(n)
    for _ in range(_PIVOTS):
        point, price = _solve(hessian, linear, signed, passive, total)
        slope = hessian @ point + linear - price * signed
        wrong = signed & np.where(passive, point < 0, slope < -slack)
        count = int(np.count_nonzero(wrong))
        if not count:
            break
        if count < fewest:
            fewest, patience = count, 3
        elif patience:
            patience -= 1
        else:
            wrong = np.arange(n) == np.flatnonzero(wrong)[-1]
        passive = passive ^ wrong
        if total is not None and not (passive & signed).any():
            passive[np.argmin(np.where(signed, slope, np.inf))] = True
    return np.where(signed, np.maximum(point, 0.0), point)


def _solve(
    hessian: Floats,
    linear: Floats,
    signed: NDArray[np.bool_],
    passive: NDArray[np.bool_],
    total: float | None,
) -> tuple[Floats, float]:
    """Return the minimum when only the passive variables move, and the price of the total."""
    point = np.zeros(len(linear))
    inside = np.flatnonzero(passive)
    if not len(inside):
        return point, 0.0
    block = hessian[np.ix_(inside, inside)]
    if total is None:
        point[inside] = np.linalg.solve(block, -linear[inside])
        return point, 0.0
    ones = signed[inside].astype(np.float64)
    both = np.linalg.solve(block, np.column_stack([-linear[inside], ones]))
    price = (total - ones @ both[:, 0]) / (ones @ both[:, 1])
    point[inside] = both[:, 0] + price * both[:, 1]
    return point, float(price)
