"""The search alone: walks until nothing better turns up. How walks go is in `walks`."""

from __future__ import annotations

import time
from typing import Protocol

from ..problem.problem import Problem
from ..run.incumbent import Incumbent
from ..run.run import Outcome, Run
from .first import open_run
from .flock import Flock
from .sample import thinned

WALKS = 60
"""Walks per classifier without a better committee after which a search alone ends."""


class Walker(Protocol):
    """Whatever walks through committees."""

    def walk(self, until: float) -> int:
        """Walk, but not beyond a moment; return how many walks have ended."""


def solve_by_search(problem: Problem, run: Run) -> Outcome:
    """Search alone, until nothing better has turned up for a good while."""
    if open_run(problem, run) is None and problem.allowed:
        walked = thinned(problem, run.incumbent, run.seed, run.seconds_left)
        flock = Flock(*walked, run.seed)
        search(flock, run.incumbent, run.deadline, WALKS * problem.n_classifiers)
    return Outcome("finished" if run.seconds_left > 0 else "time limit")


def search(walker: Walker, incumbent: Incumbent, until: float, patience: int) -> None:
    """Walk until a moment, or until so many walks in a row have found nothing better."""
    idle = 0
    while idle < patience and time.monotonic() < until and not incumbent.closed:
        best = incumbent.score
        ended = walker.walk(until)
        idle = idle + ended if incumbent.score == best else 0
