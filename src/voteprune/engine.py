"""The exact method: search, bound every size and threshold, and settle what is left.

0. Pools so small that all committees can be tried in a moment are.
1. First committees and the closure bound, in milliseconds.
2. Local search, for a second or so.
3. Linear programs at the sizes and thresholds with the highest bounds; the prices of each bound
   all the others (`bounds.prices`). What falls below the incumbent is refuted. Search goes on
   between the rounds, for every better committee refutes more.
4. Where little is missing, a MIP solver is asked about the sizes and thresholds that survive.
5. What is still open is branched, box by box, until nothing is left (`proving`, `bounds.tree`).

It is anytime: the ledger holds the best committee and a valid bound at every moment.
"""

from __future__ import annotations

import time
from dataclasses import replace

from .bounds import closure_bound
from .brute import solve_by_brute_force
from .mip import settle
from .openings import open_run
from .problem import Problem
from .proving import MOST_CLASSIFIERS, Campaign
from .run import Outcome, Run
from .search import Walker, search, solve_by_search

ENUMERATE = 2**21
"""Subsets times patterns up to which trying everything is quickest."""

_FIRST_SEARCH = 1.5
_SEARCH_SHARE = 0.25
"""Seconds of the first search, and how much of its time a run then spends on searching."""

_SOLVER_SHARE = 0.5
"""How much of the time left a MIP solver gets for what the bounds leave open."""

_MOST_ENTRIES = 4_000_000
"""Size of a model, patterns times classifiers, beyond which no solver is asked."""


def solve_exact(problem: Problem, run: Run) -> Outcome:
    """Find the best committee and prove it, as far as the time allows."""
    if 2**problem.n_classifiers * problem.patterns.n_patterns <= ENUMERATE:
        return solve_by_brute_force(problem, run)
    over = open_run(problem, run)
    if over is not None:
        return over
    ledger = run.ledger
    ledger.tighten(closure_bound(problem))
    walker = Walker(problem, ledger, run.seed) if problem.allowed else None
    _search(run, walker, _FIRST_SEARCH)
    if ledger.closed:
        return Outcome("proved")
    if ledger.units is None or len(problem.allowed) > MOST_CLASSIFIERS:
        if problem.n_classifiers * problem.patterns.n_patterns <= _MOST_ENTRIES:
            return settle(problem, run)
        return solve_by_search(problem, run)
    return _refute(problem, run, walker)


def _refute(problem: Problem, run: Run, walker: Walker | None) -> Outcome:
    """Refute everything better than the best committee, or find it."""
    campaign, asked = Campaign(problem, run), False
    while not campaign.over and run.seconds_left > 0:
        began = time.time()
        if not campaign.round(branch=asked):
            return settle(problem, run)
        if campaign.over or not walker:
            continue
        _search(run, walker, _SEARCH_SHARE * (time.time() - began))
        if campaign.settled and not asked:
            asked = True
            region = campaign.region()
            if region is not None:
                until = time.time() + _SOLVER_SHARE * run.seconds_left
                outcome = settle(problem, replace(run, deadline=until), region)
                if outcome.termination in ("proved", "solver tolerance"):
                    campaign.trust(run.solver.name)
                    return outcome
    return Outcome("proved" if run.ledger.closed else "time limit")


def _search(run: Run, walker: Walker | None, seconds: float) -> None:
    if walker is not None:
        until = time.time() + min(seconds, 0.2 * run.seconds_left)
        # Small pools are searched through long before.
        search(walker, run.ledger, until, patience=2 * run.ledger.problem.n_classifiers)
