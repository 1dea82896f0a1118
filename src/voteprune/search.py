"""The search alone: walks until nothing better turns up. How a walk goes is in `walking`."""

from __future__ import annotations

import time

from .ledger import Ledger
from .openings import open_run
from .problem import Problem
from .run import Outcome, Run
from .walking import Walker

_WALKS = 6
"""Walks per classifier without a better committee after which a search alone ends."""


def solve_by_search(problem: Problem, run: Run) -> Outcome:
    """Search alone, until nothing better has turned up for a good while."""
    if open_run(problem, run) is None and problem.allowed:
        walker = Walker(problem, run.ledger, run.seed)
        search(walker, run.ledger, run.deadline, _WALKS * problem.n_classifiers)
    return Outcome("finished" if run.seconds_left > 0 else "time limit")


def search(walker: Walker, ledger: Ledger, until: float, patience: int) -> None:
    """Walk until a moment, or until so many walks in a row have found nothing better."""
    idle = 0
    while idle < patience and time.time() < until and not ledger.closed:
        best = ledger.units
        walker.walk(until)
        idle = idle + 1 if ledger.units == best else 0
