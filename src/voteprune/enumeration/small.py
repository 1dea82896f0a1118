"""Problems whose limits leave few committees are solved by trying them all."""

from __future__ import annotations

from dataclasses import replace

from ..infeasible import Found, explain
from ..ledger import Ledger
from ..openings import open_run
from ..problem import Problem
from ..run import Outcome, Run
from .estimate import affordable, sizes_of
from .trial import try_all


def solve_small(problem: Problem, run: Run, seconds: float) -> Outcome | None:
    """Try every committee there is, if so many seconds will do; None if they will not.

    Parameters
    ----------
    problem, run
        As for every method.
    seconds
        How long it should take at most. Where the estimate was wrong it goes on until the run's
        deadline, for what was tried so far would be lost.
    """
    sizes = sizes_of(problem)
    if not affordable(problem, sizes, seconds):
        return None
    ledger = run.ledger
    tried = try_all(problem, ledger, sizes, run.deadline)
    if ledger.closed:
        return Outcome("proved")
    if tried != sizes:
        return Outcome("time limit")
    if ledger.units is not None:
        ledger.close()
        return Outcome("proved")
    return Outcome("proved", infeasible=True, explanation=_clash(problem, run, seconds))


def _clash(problem: Problem, run: Run, seconds: float) -> str:
    """Say which constraints clash; where fewer of them allow too many committees to try, less."""

    def find(anything: Problem) -> Found:
        look = replace(run, ledger=Ledger(anything))
        sizes = sizes_of(anything)
        if open_run(anything, look) is None and affordable(
            anything, sizes, min(seconds, look.seconds_left)
        ):
            tried = try_all(anything, look.ledger, sizes, look.deadline)
            return look.ledger.committee, look.ledger.committee is None and tried == sizes
        return look.ledger.committee, False

    return explain(problem, find)
