"""Exchanges of one member for one outsider that cost nothing.

Let c be the vote counts without the member. With outsider k, a threshold L takes all patterns with
c > L, and of those with c = L the ones k votes for. So what all outsiders reach at all thresholds
are sums over the patterns of each count; only those that come near are recounted one by one.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..numbers.exact import IntArray, total
from ..numbers.tally import tally
from ..problem.committee import Committee
from ..problem.margin import margin_of
from ..problem.objective import Score, curve_of
from ..problem.problem import Problem

Exchange = tuple[int, int, Committee, Score]
"""Who leaves, who joins, the new committee and its score."""

Bools = NDArray[np.bool_]
Counts = NDArray[np.int64]

_ROUNDING = 1e-6
"""Relative room left where floats choose what is then recounted."""


def free_exchanges(problem: Problem, committee: Committee, score: Score) -> Iterator[Exchange]:
    """Yield the exchanges of one member for one outsider that reach `score`, limits kept."""
    outsiders = [k for k in problem.allowed if k not in committee.members]
    matrix = problem.patterns.matrix[:, outsiders]
    for out in committee.members:
        rest = [k for k in committee.ballots if k != out]
        near = _near(problem, matrix, problem.counts(rest), len(rest) + 1, score)
        for place in np.flatnonzero(near):
            found = problem.best([*rest, outsiders[place]])
            if found is not None and found[1] >= score:
                yield out, outsiders[place], *found


def _near(
    problem: Problem, matrix: Bools, counts: Counts, size: int, score: Score
) -> NDArray[np.bool_]:
    """Tell which outsiders may reach a score, limits aside.

    Parameters
    ----------
    problem
        What is being explained.
    matrix
        The outsiders' votes on the patterns.
    counts, size
        Votes without the member, and the size of the committee with an outsider in its place.
    score
        What is to be reached.
    """
    if problem.objective.kind == "margin":
        return np.asarray(_margins(problem, matrix, counts, size) >= score)
    if problem.objective.kind == "curve":
        return _curves(problem, matrix, counts, size, score)
    sums = _by_threshold(problem.gains.net, matrix, counts, size)
    return np.asarray(problem.gains.base + sums.max(axis=0) >= score)


def _by_threshold(weights: IntArray, matrix: Bools, counts: Counts, size: int) -> IntArray:
    """Return the weight of what is called, by threshold and outsider, exactly."""
    above, sums = total(weights), []
    for level in range(size):
        at = np.flatnonzero(counts == level)
        above -= total(weights[at])
        sums.append(above + tally(weights[at], matrix[at]))
    return np.asarray(sums)


def _curves(
    problem: Problem, matrix: Bools, counts: Counts, size: int, score: Score
) -> NDArray[np.bool_]:
    """Compare (tp, fp) at all thresholds in floats, with room for their rounding."""
    patterns = problem.patterns
    tp, fp = (
        _by_threshold(part, matrix, counts, size).astype(float)
        for part in (patterns.positive, patterns.negative)
    )
    p, n = map(float, patterns.totals)
    heights = curve_of(problem).curve.scores(tp.ravel(), fp.ravel(), p, n).reshape(tp.shape)
    floor = float(score) - _ROUNDING * max(1.0, abs(float(score)))
    # Where 0 divides there is no height to compare; those are recounted.
    return np.asarray((np.isnan(heights) | (heights >= floor)).any(axis=0))


def _margins(problem: Problem, matrix: Bools, counts: Counts, size: int) -> IntArray:
    """Return what the committee is worth with each outsider, in units, exactly."""
    objective = margin_of(problem)
    steps = objective.margin.worth(size)
    positive, negative = (steps[:, counts + 1] - steps[:, counts]).astype(object)
    gained = positive * problem.patterns.positive + negative * problem.patterns.negative
    with_nobody = objective.score_counts(problem.patterns, counts, size)
    return np.asarray(with_nobody + objective.factor(size) * tally(gained, matrix).astype(object))
