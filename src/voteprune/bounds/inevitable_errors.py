"""Rows of the votes that are wrong in every committee, or in every one as good as a given one.

Three claims, each weaker in its premise and stronger in its reach than the one before:

1. A row that every eligible classifier gets wrong is wrong in **every** committee.
2. If every classifier that votes for a positive row also votes for a negative one, **no** committee
   gets both right. Pairing off as many such rows as possible (a maximum flow) leaves disjoint
   pairs, and every committee gets at least one row of each wrong.
3. Where the closure bound under the condition "this pattern is decided the other way" falls below
   a committee's value, every committee **as good as that one** decides the pattern as it does.
   The rows behind it with the other label are the price of being that good.

The closure of the third claim speaks of weighted sums, and of margins. For another formula take a
line in the plane of (tp, fp) that has all points as high as the committee's on one side: every
committee as good is on that side, and the line is a weighted sum (`rows_given_up`).

Only `Forbid` narrows down who is eligible; all other constraints could only add to these rows.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..numbers.exact import IntArray, sum_by_group
from ..problem.committee import Committee
from ..problem.confusion import Confusion
from ..problem.formulas import Curve, Matthews, Ratio, Weights
from ..problem.objective import curve_of
from ..problem.problem import Problem
from .closure import capacities, conflicts, pair_off, sides_wanted

Places = NDArray[np.intp]
"""Indices of rows or patterns."""


def hopeless_rows(problem: Problem) -> Places:
    """Return the rows that every eligible classifier gets wrong: no committee gets them right.

    A positive without a single positive vote never exceeds a threshold, which is 0 or more; a
    negative that everybody votes for always does, for a threshold is below the number of votes.
    With one eligible classifier that is right, the committee of that one alone is right.
    """
    votes = problem.votes
    right = votes.matrix[:, list(problem.allowed)] == votes.labels[:, None]
    return np.flatnonzero(~right.any(axis=1) & (votes.weights > 0))


def disputed_rows(problem: Problem) -> tuple[Places, Places]:
    """Return positive and negative rows, pair by pair, of which no committee gets both right.

    No row stands in two pairs and none is hopeless, so every committee is wrong on at least as
    many rows as there are pairs, on top of the hopeless ones. The pairs are as many as possible.
    """
    votes = problem.votes
    open_rows = votes.weights > 0
    open_rows[hopeless_rows(problem)] = False
    rows = np.flatnonzero(open_rows)
    matrix, labels = votes.matrix[rows][:, list(problem.allowed)], votes.labels[rows]
    _, examples, kinds = np.unique(
        np.packbits(matrix, axis=1), axis=0, return_index=True, return_inverse=True
    )
    n_kinds = len(examples)
    positive = _by_kind(rows[labels], kinds[labels], n_kinds)
    negative = _by_kind(rows[~labels], kinds[~labels], n_kinds)
    numbers = [np.array([len(part) for part in side], np.int32) for side in (positive, negative)]
    low, high = (np.flatnonzero(number) for number in numbers)
    first, second = conflicts(matrix[examples], low, high)
    flow = pair_off(numbers[0][low], numbers[1][high], first, second).tocoo()
    ones, zeros = [iter(part) for part in positive], [iter(part) for part in negative]
    pairs = [
        (next(ones[low[i]]), next(zeros[high[j]]))
        for i, j, count in zip(flow.row, flow.col, flow.data, strict=True)
        for _ in range(count)
    ]
    ordered = np.array(sorted(pairs), dtype=np.intp).reshape(-1, 2)
    return ordered[:, 0], ordered[:, 1]


def _by_kind(rows: Places, kinds: Places, n_kinds: int) -> list[Places]:
    """Return the rows of each kind, in their order."""
    order = np.argsort(kinds, kind="stable")
    return np.split(rows[order], np.searchsorted(kinds[order], np.arange(1, n_kinds)))


def sacrificed_rows(
    problem: Problem, committee: Committee, least: Fraction | None = None
) -> Places:
    """Return rows proved wrong in every committee that is as good as this one.

    The hopeless rows are among them. There may be more than are found: the conditional bounds come
    from one flow for all patterns, not from one each.

    Parameters
    ----------
    problem
        What the committee is judged by.
    committee
        Where it is right, none of them can be.
    least
        What counts as being as good, in units; the committee's own value when omitted.
    """
    units = problem.score(committee) if least is None else least
    positive = problem.counts(committee.ballots) > committee.threshold
    patterns = problem.patterns
    # What this committee decides right is not wrong in all committees as good as it.
    called = np.flatnonzero(positive & (patterns.negative > 0))
    passed = np.flatnonzero(~positive & (patterns.positive > 0))
    if_passed, if_called = _conditional_bounds(problem, called, passed)
    fixed = np.zeros(patterns.n_patterns, dtype=bool)
    fixed[called] = [problem.gains.floor_to_step(bound) < units for bound in if_passed]
    fixed[passed] = [problem.gains.floor_to_step(bound) < units for bound in if_called]
    votes = problem.votes
    counted = np.flatnonzero(votes.weights > 0)
    places = patterns.places(votes.matrix[counted])
    wrong = votes.labels[counted] != positive[places]
    return np.union1d(counted[wrong & fixed[places]], hopeless_rows(problem))


def _conditional_bounds(
    problem: Problem, called: Places, passed: Places
) -> tuple[list[int], list[int]]:
    """Bound all committees that pass over a pattern, and all that call one, in units.

    If p is called positive, so is every q with votes(p) inside votes(q). Those of them that want to
    be negative lose their whole capacity, and the flow that does not end in them is lost as before:
    the least loss grows by their residual capacity. Passing over is the same with the sides
    changed. This holds for any flow, and is sharpest for a maximum one. Where a row decided wrong
    is not lost whole (`Problem.least_loss`), what is left of the capacity is not either.
    """
    net = problem.gains.net
    matrix, wants_one, wants_zero, lost = sides_wanted(problem)
    capacity, unit = capacities(net)
    first, second = conflicts(matrix, wants_one, wants_zero)
    flow = pair_off(capacity[wants_one], capacity[wants_zero], first, second)
    bound = problem.gains.ceiling - lost - int(flow.sum()) * unit

    def after(side: Places, axis: int, at: Places, of: Places, places: Places) -> list[int]:
        used = np.asarray(flow.sum(axis=axis)).ravel()
        left = np.array(
            [abs(int(net[k])) - int(n) * unit for k, n in zip(side, used, strict=True)],
            dtype=object,
        )
        more: IntArray = sum_by_group(left[of], at, len(places))
        return [bound - math.floor(problem.least_loss * int(extra)) for extra in more]

    low, at = conflicts(matrix, wants_one, called)
    if_passed = after(wants_one, 1, at, low, called)
    at, high = conflicts(matrix, passed, wants_zero)
    return if_passed, after(wants_zero, 0, at, high, passed)


Line = tuple[Weights, Fraction]
"""A weighted sum of the counts, and what it is at least."""


def rows_given_up(problem: Problem, committee: Committee) -> Places:
    """Return rows proved wrong in every committee that is as good as this one.

    Where no line holds all committees that are as good, only the hopeless rows are left to claim.
    """
    if problem.objective.kind != "curve":
        return sacrificed_rows(problem, committee)
    line = _line_below(curve_of(problem).curve, problem.confusion(committee))
    if line is None:
        return hopeless_rows(problem)
    weights, least = line
    inner = problem.weighing(weights)
    return sacrificed_rows(inner, committee, least / inner.gains.unit)


def _line_below(formula: Curve, confusion: Confusion) -> Line | None:
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
