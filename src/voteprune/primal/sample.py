"""A search on some of the rows, where they are too many to walk through.

Floats guide walks and every committee is recounted on all rows, so what walks see may be a sample:
as many rows of each class as can be, each weighing as much as those it stands for.
"""

from __future__ import annotations

import numpy as np

from ..problem.problem import Problem
from ..problem.seats import Seats
from ..run.incumbent import Incumbent, Progress

_MOST_ENTRIES, _MOST_IN_HASTE = 4_000_000, 1_000_000
"""Patterns times classifiers that walks go through; and if there is little time."""

_HASTE = 10.0
"""Seconds that are little time."""


def thinned(
    problem: Problem, incumbent: Incumbent, seed: int, seconds: float
) -> tuple[Problem, Incumbent]:
    """Return what to walk on: the problem and its incumbent, or a sample that reports to it.

    Parameters
    ----------
    problem, incumbent
        What is being solved, and where good committees go.
    seed
        Seed of the sample.
    seconds
        How much time there is.
    """
    most = _MOST_ENTRIES if seconds > _HASTE else _MOST_IN_HASTE
    if problem.n_classifiers * problem.patterns.n_patterns <= most:
        return problem, incumbent
    votes = problem.votes.thinned(most // problem.n_classifiers, np.random.default_rng(seed))
    own = reporting(problem.on_rows(votes), incumbent)
    return own.problem, own


def reporting(problem: Seats, incumbent: Incumbent) -> Incumbent:
    """Return the incumbent of another problem of the same pool, which tells this one."""

    def hear(_: Progress) -> None:
        if own.members is not None:
            incumbent.offer(own.members)

    own = Incumbent(problem, hear)
    if incumbent.members is not None:
        own.offer(incumbent.members)
    return own
