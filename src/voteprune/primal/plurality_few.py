"""Committees so few that each can be recounted by itself, under any limit."""

from __future__ import annotations

import time
from itertools import combinations
from math import comb

from ..problem.plurality import PluralityProblem
from ..problem.problem import Problem
from ..problem.seats import Seats
from ..run.incumbent import Incumbent
from ..run.run import Outcome, Run
from .brute import all_tried

_PER_COMMITTEE, _PER_CELL = 2.5e-4, 5e-8
"""Seconds for a recount, and for each pattern and class in it."""

_SHARE = 0.5
"""Share of the time left that trying may take."""


def are_few(problem: PluralityProblem, run: Run, most: int) -> bool:
    """Tell whether there is time to recount every committee that limits on members leave.

    Parameters
    ----------
    problem, run
        What is asked, and how much time there is.
    most
        Committees times patterns times classes, at the most.
    """
    sizes = _sizes(problem)
    enough = _count(problem, sizes) * problem.n_patterns * problem.n_classes <= most
    return enough and seconds_to_recount(problem, sizes) <= _SHARE * run.seconds_left


def seconds_to_recount(problem: Problem | PluralityProblem, sizes: range) -> float:
    """Estimate how long it takes to recount every committee of some sizes."""
    if isinstance(problem, PluralityProblem):
        cells = problem.n_patterns * problem.n_classes
    else:
        cells = problem.patterns.n_patterns
    return _count(problem, sizes) * (_PER_COMMITTEE + _PER_CELL * cells)


def try_few(problem: PluralityProblem, run: Run) -> Outcome:
    """Recount every committee; proves what it finds unless the time runs out."""
    if not recount_all(problem, run.incumbent, _sizes(problem), run.deadline):
        return Outcome("time limit")
    return Outcome("proved") if run.incumbent.closed else all_tried(run)


def recount_all(problem: Seats, incumbent: Incumbent, sizes: range, deadline: float) -> bool:
    """Offer every committee of the smallest sizes there are; tell if there was time for all.

    Parameters
    ----------
    problem
        What is asked.
    incumbent
        Where committees go; it notes up to which size all have been compared with it.
    sizes
        From the least on.
    deadline
        When to stop, as `time.monotonic` tells it.
    """
    required = sorted(problem.required)
    free = sorted(set(problem.allowed) - set(required))
    for size in sizes:
        for others in combinations(free, size - len(required)):
            if time.monotonic() >= deadline:
                return False
            if incumbent.closed and len(incumbent.committee.members) <= size:
                return True  # nothing from here on is better or smaller
            incumbent.offer([*required, *others])
        incumbent.compared = max(incumbent.compared, size)
    return True


def _sizes(problem: PluralityProblem) -> range:
    return range(problem.least_size, min(problem.size_max, len(problem.allowed)) + 1)


def _count(problem: Seats, sizes: range) -> int:
    free = len(set(problem.allowed) - set(problem.required))
    return sum(comb(free, size - len(problem.required)) for size in sizes)
