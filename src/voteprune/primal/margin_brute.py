"""Every committee that decides by majority, for pools of at most twenty classifiers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..numbers.exact import IntArray, magnitude
from ..problem.margin import margin_of
from ..problem.problem import Problem
from ..run.run import Outcome, Run
from .brute import solve_by_brute_force

_INT64_ROOM = 2**62


def enumerate_margins(problem: Problem, run: Run) -> Outcome:
    """Try all sets of members; proves what it finds unless the time runs out."""
    return solve_by_brute_force(problem, run, margin_values)


def margin_values(problem: Problem, counts: NDArray[np.intp], sizes: NDArray[np.intp]) -> IntArray:
    """Return what subsets are worth by majority, in units less the base."""
    objective = margin_of(problem)
    values = np.zeros(len(counts), dtype=object)
    for size in np.unique(sizes).tolist():
        among = np.flatnonzero(sizes == size)
        worth, factor = objective.margin.worth(size), objective.factor(size)
        steps = sum(
            _weighted(weights, each[counts[among]])
            for weights, each in zip(
                (problem.patterns.positive, problem.patterns.negative), worth, strict=True
            )
        )
        values[among] = steps * factor - problem.gains.base
    return values


def _weighted(weights: IntArray, steps: NDArray[np.int64]) -> IntArray:
    """Return the exact sum over patterns, one for every subset, as Python integers."""
    largest = int(np.abs(steps).max(initial=0))
    if weights.dtype == object or magnitude(weights) * largest >= _INT64_ROOM:
        steps = steps.astype(object)
    return np.asarray((steps * weights).sum(axis=1)).astype(object)
