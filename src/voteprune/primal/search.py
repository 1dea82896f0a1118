"""Local search until nothing better turns up; how it moves is in `tabu`.

Where rows are too many to walk through, it searches on some of them. Floats guide walks, and every
committee is recounted on all rows, so what walks see may be a sample: as many rows of each class as
can be, each weighing as much as those it stands for.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

import numpy as np

from ..problem.problem import Problem
from ..problem.seats import Seats
from ..run.incumbent import Incumbent, Progress
from ..run.run import Outcome, Run
from .first_committees import open_run
from .tabu import TabuSearch

_MOST_ENTRIES, _MOST_IN_HASTE = 4_000_000, 1_000_000
"""Patterns times classifiers that walks go through; and if there is little time."""

_HASTE = 10.0
"""Seconds that are little time."""

WALKS = 60
"""Walks per classifier without a better committee after which a search alone ends."""


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


class LocalSearch(Protocol):
    """What both tabu searches for two classes can do."""

    def walk(self, until: float) -> int:
        """Walk, but not beyond a moment; return how many walks have ended."""


def solve_by_search(problem: Problem, run: Run) -> Outcome:
    """Search alone, until nothing better has turned up for a good while."""
    return search_alone(problem, run, TabuSearch, WALKS)


def search_alone(
    problem: Problem, run: Run, kind: Callable[[Problem, Incumbent, int], LocalSearch], walks: int
) -> Outcome:
    """Search alone; `walks` per classifier without a better committee end it."""
    if open_run(problem, run) is None and problem.allowed:
        walked = thinned(problem, run.incumbent, run.seed, run.seconds_left)
        search(kind(*walked, run.seed), run.incumbent, run.deadline, walks * problem.n_classifiers)
    return Outcome("finished" if run.seconds_left > 0 else "time limit")


def search(tabu: LocalSearch, incumbent: Incumbent, until: float, patience: int) -> int:
    """Walk until a moment, or until so many walks in a row have found nothing better.

    Returns
    -------
    idle
        How many walks have ended since the last one that found something better, or all.
    """
    idle = 0
    while idle < patience and time.monotonic() < until and not incumbent.closed:
        best = incumbent.score
        ended = tabu.walk(until)
        idle = idle + ended if incumbent.score == best else 0
    return idle
