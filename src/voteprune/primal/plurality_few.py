"""Committees so few that each can be recounted by itself: several classes under any limit."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import combinations
from math import comb

from ..problem.plurality import PluralityProblem
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
    free = len(set(problem.allowed) - set(problem.required))
    count = sum(comb(free, size - len(problem.required)) for size in _sizes(problem))
    cells = problem.n_patterns * problem.n_classes
    seconds = count * (_PER_COMMITTEE + _PER_CELL * cells)
    return count * cells <= most and seconds <= _SHARE * run.seconds_left


def try_few(problem: PluralityProblem, run: Run) -> Outcome:
    """Recount every committee; proves what it finds unless the time runs out."""
    for members in _committees(problem):
        if time.monotonic() >= run.deadline:
            return Outcome("time limit")
        run.incumbent.offer(members)
        if run.incumbent.closed:
            break
    return all_tried(run)


def _sizes(problem: PluralityProblem) -> range:
    least = max(problem.size_min, len(problem.required), 1)
    return range(least, min(problem.size_max, len(problem.allowed)) + 1)


def _committees(problem: PluralityProblem) -> Iterator[list[int]]:
    required = sorted(problem.required)
    free = sorted(set(problem.allowed) - set(required))
    for size in _sizes(problem):
        for others in combinations(free, size - len(required)):
            yield [*required, *others]
