"""A second opinion, where it is cheap, on what rests on a solver's word alone.

Nobody can check a solver's claim that nothing is better, or that no committee meets the
constraints. But

- where subsets times patterns are at most `engine.ENUMERATE`, all committees are tried: that is a
  proof, and the solver's word is no longer needed;
- elsewhere the closure bound may be proof enough, and a moment of local search may find a committee
  that refutes the claim.

What neither proves nor refutes stays a solver's word, and the answer says so.
"""

from __future__ import annotations

import time
from dataclasses import replace

from ..bounds.closure import bound_by_closure
from ..mip.solve import FALSE_INFEASIBLE
from ..primal.brute import is_small
from ..problem.margin import MarginProblem
from ..problem.problem import Problem
from ..run.incumbent import Book, open_ledger
from ..run.run import Outcome, Run
from .exact import ENUMERATE
from .exact_curve import solve_any
from .margin_methods import for_margins
from .registry import METHODS

_SECONDS, _SHARE = 0.5, 0.05
"""How long the search may take at most, and what share of the time left."""


def second_opinion(problem: Problem, run: Run, outcome: Outcome) -> Outcome:
    """Prove or refute what a run has ended with, if that rests on a solver's word.

    Parameters
    ----------
    problem, run
        What was solved, and how; committees and bounds go into the run's ledger.
    outcome
        How it ended.

    Returns
    -------
    Outcome
        How it ends now.
    """
    ledger = run.ledger
    trusted = whom_to_trust(ledger, outcome, "infeasible" if outcome.infeasible else "optimal")
    sure = not trusted and (outcome.infeasible or ledger.closed)
    if outcome.termination != "proved" or sure or run.seconds_left <= 0:
        return outcome
    small = is_small(problem, ENUMERATE)
    if not small and problem.formula is None and ledger.proved == problem.gains.ceiling:
        bound_by_closure(problem, run)
        if ledger.closed and not ledger.trusted:
            return outcome
    method = METHODS["brute" if small else "search"]
    if isinstance(problem, MarginProblem):
        method = for_margins(method)
    moment = time.monotonic() + min(_SECONDS, _SHARE * run.seconds_left)
    deadline = run.deadline if small else moment
    look = replace(run.part(deadline, open_ledger(problem)), checkpoint=None, record=None)
    known = ledger.committee
    if known is not None:
        look.ledger.offer(known.members, known.threshold)
    opinion = solve_any(problem, method, look)
    if opinion.infeasible:
        return opinion
    found = look.ledger.committee
    if found is not None:
        if outcome.infeasible:
            for solver in trusted:
                ledger.distrust(solver, FALSE_INFEASIBLE)
        ledger.offer(found.members, found.threshold)
    if opinion.termination == "proved":
        ledger.close()
        return opinion
    return Outcome("solver failed") if ledger.caught else outcome


def whom_to_trust(ledger: Book, outcome: Outcome, status: str) -> tuple[str, ...]:
    """Return the solvers whose word an answer with a bound is, none where it is proved."""
    if status == "infeasible":
        return outcome.trusted
    rounded = status == "optimal" and not ledger.closed
    return ledger.trusted or (outcome.trusted if rounded else ())
