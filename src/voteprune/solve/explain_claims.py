"""Rows that are wrong in every committee as good as a given one, whatever the criterion.

The closure speaks of weighted sums (`bounds.rows`), and of margins. For another formula take a
line in the plane of (tp, fp) that has all points as high as the committee's on one side: every
committee as good is on that side, and the line is a weighted sum.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..bounds.rows import hopeless_rows, sacrificed_rows
from ..problem.committee import Committee
from ..problem.confusion import Confusion
from ..problem.formulas import Curve, Matthews, Ratio, Weights
from ..problem.objective import curve_of
from ..problem.problem import Problem

Places = NDArray[np.intp]
Line = tuple[Weights, Fraction]
"""A weighted sum of the counts, and what it is at least."""


def rows_given_up(problem: Problem, committee: Committee) -> Places:
    """Return rows proved wrong in every committee that is as good as this one.

    Where no line holds all committees that are as good, only the hopeless rows are left to claim.
    """
    if problem.objective.kind != "curve":
        return sacrificed_rows(problem, committee)
    line = line_below(curve_of(problem).curve, problem.confusion(committee))
    if line is None:
        return hopeless_rows(problem)
    weights, least = line
    inner = problem.weighing(weights)
    return sacrificed_rows(inner, committee, least / inner.gains.unit)


def line_below(formula: Curve, confusion: Confusion) -> Line | None:
    """Return a line that every point as high as this one is on or above; None if there is none.

    - A ratio n / d is r or more exactly where n - r d is 0 or more. Only where d is 0 it is what
      it is taken for; if that is as high, such points may be anywhere.
    - Where the geometric mean is as high or higher is convex, so the tangent will do.
    - Where Matthews' correlation is *lower* is convex. What is as high lies between its level
      curve and the corner (p, 0), hence above the chord from where the curve leaves one edge of
      the rectangle of all counts to where it meets the other.
    """
    score, p, n = formula.score(confusion), confusion.positives, confusion.negatives
    if isinstance(formula, Ratio):
        if formula.vanishes(p, n) and formula.zero_division >= score:
            return None
    elif score <= 0:
        return None
    if not isinstance(formula, Matthews):
        tangent = formula.tangent(confusion)
        return tangent, tangent.value(confusion)
    tp = score * p * (p + n) / (n + score * p)  # where the curve leaves the edge fp = 0
    fp = p * n * (1 - score) / (p + score * n)  # where it meets the edge tp = p
    return Weights(tp=fp, fp=tp - p), fp * tp
