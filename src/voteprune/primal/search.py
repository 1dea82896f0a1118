"""Local search until nothing better turns up; how it moves is in `tabu`."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from ..problem.problem import Problem
from ..run.incumbent import Incumbent
from ..run.run import Outcome, Run
from .first import open_run
from .sample import thinned
from .tabu import TabuSearch

WALKS = 60
"""Walks per classifier without a better committee after which a search alone ends."""


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


def search(tabu: LocalSearch, incumbent: Incumbent, until: float, patience: int) -> None:
    """Walk until a moment, or until so many walks in a row have found nothing better."""
    idle = 0
    while idle < patience and time.monotonic() < until and not incumbent.closed:
        best = incumbent.score
        ended = tabu.walk(until)
        idle = idle + ended if incumbent.score == best else 0
