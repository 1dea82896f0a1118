"""A second opinion, where it is cheap, on what rests on a solver's word alone.

Nobody can check a solver's claim that nothing is better, or that no committee meets the
constraints. But

- where subsets times patterns are at most `exact.ENUMERATE`, all committees are tried: that is a
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
from ..problem.problem import Problem
from ..run.incumbent import Incumbent
from ..run.run import Outcome, Run
from .exact import ENUMERATE
from .exact_curve import solve_any
from .registry import METHODS

_SECONDS, _SHARE = 0.5, 0.05
"""How long the search may take at most, and what share of the time left."""


def second_opinion(problem: Problem, run: Run, outcome: Outcome) -> Outcome:
    """Prove or refute what a run has ended with, if that rests on a solver's word.

    Parameters
    ----------
    problem, run
        What was solved, and how; committees and bounds go into the run's incumbent.
    outcome
        How it ended.

    Returns
    -------
    Outcome
        How it ends now.
    """
    incumbent = run.incumbent
    trusted = whom_to_trust(incumbent, outcome, "infeasible" if outcome.infeasible else "optimal")
    sure = not trusted and (outcome.infeasible or incumbent.closed)
    if outcome.termination != "proved" or sure or run.seconds_left <= 0:
        return outcome
    small = is_small(problem, ENUMERATE)
    if (
        not small
        and problem.objective.kind != "curve"
        and incumbent.proved == problem.gains.ceiling
    ):
        bound_by_closure(problem, run)
        if incumbent.closed and not incumbent.trusted:
            return outcome
    method = METHODS["brute" if small else "search"]
    moment = time.monotonic() + min(_SECONDS, _SHARE * run.seconds_left)
    deadline = run.deadline if small else moment
    look = replace(run.part(deadline, Incumbent(problem)), checkpoint=None, record=None)
    known = incumbent.committee
    if known is not None:
        look.incumbent.offer(known.members, known.threshold)
    opinion = solve_any(problem, method, look)
    if opinion.infeasible:
        return opinion
    found = look.incumbent.committee
    if found is not None:
        if outcome.infeasible:
            for solver in trusted:
                incumbent.distrust(solver, FALSE_INFEASIBLE)
        incumbent.offer(found.members, found.threshold)
    if opinion.termination == "proved":
        incumbent.close()
        return opinion
    return Outcome("solver failed") if incumbent.caught else outcome


def whom_to_trust(incumbent: Incumbent, outcome: Outcome, status: str) -> tuple[str, ...]:
    """Return the solvers whose word an answer with a bound is, none where it is proved."""
    if status == "infeasible":
        return outcome.trusted
    rounded = status == "optimal" and not incumbent.closed
    return incumbent.trusted or (outcome.trusted if rounded else ())
