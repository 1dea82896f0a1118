"""How long it takes to try all committees of a size."""

from __future__ import annotations

from math import comb

from ..exact import magnitude
from ..problem import Problem
from .sums import SINGLE

_CELLS = 2**19
"""Patterns times vote counts times sets of fixed members that are worked on together."""

_MOST_ENTRIES = 2**25
"""Patterns times classifiers beyond which the votes take too much memory as floats."""

_PER_PATTERN, _PER_SUM, _PER_STEP, _PER_ENTRY = 2.5e-11, 3e-9, 3e-5, 2e-8
"""Seconds, in single precision: for each pattern in a sum, for each sum, for each threshold of a
product, and for each vote that becomes a float. Half as much again as one core of a small server
takes (docs/benchmarks/small.md)."""


def sizes_of(problem: Problem) -> range:
    """Return the sizes that a problem's limits on members allow."""
    least = max(problem.size_min, len(problem.required), 1)
    return range(least, min(problem.size_max, len(problem.allowed)) + 1)


def seconds_for(problem: Problem, size: int) -> float:
    """Estimate how long it takes to try all committees of a size.

    Infinite where the votes are too many for memory.
    """
    free = len(set(problem.allowed) - set(problem.required))
    open_seats = size - len(problem.required)
    entries = problem.patterns.n_patterns * problem.n_classifiers
    if entries > _MOST_ENTRIES:
        return float("inf")
    if open_seats < 2:
        return _PER_ENTRY * entries * max(free, 1)
    slow = 1 if magnitude(problem.gains.net) // problem.gains.step < SINGLE else 2
    # A sum for each threshold; the patterns of one vote count are not separated from the others.
    each = (size - 1) * problem.patterns.n_patterns * _PER_PATTERN + size * _PER_SUM
    sums = 1 + len(problem.metric_limits)
    fixed = comb(max(free - 2, 0), open_seats - 2)
    # Whoever comes after the fixed members may be the first of the pair.
    steps = free * (1 + fixed / rows_together(problem.patterns.n_patterns, size)) / (open_seats - 1)
    products = comb(free, open_seats) * each * slow * sums
    return products + steps * size * _PER_STEP + _PER_ENTRY * entries * sums


def affordable(problem: Problem, sizes: range, seconds: float) -> bool:
    """Tell whether all committees of these sizes can be tried in so many seconds."""
    spent = 0.0
    for size in sizes:
        spent += seconds_for(problem, size)
        if spent > seconds:
            return False
    return True


def rows_together(patterns: int, size: int) -> int:
    """Return how many sets of fixed members are worked on together."""
    return max(1, _CELLS // (max(patterns, 1) * (size - 1)))
