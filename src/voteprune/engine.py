"""The exact method: search, bound every size and threshold, and settle what is left.

1. First committees and the closure bound, in milliseconds.
2. Local search, for a second or so.
3. Linear programs at the sizes and thresholds with the highest bounds; the prices of each bound
   all the others (`bounds.levels`). What falls below the incumbent is refuted.
4. The sizes and thresholds that survive go to the merged-pattern model on a MIP solver.

It is anytime: the ledger holds the best committee and a valid bound at every moment.
"""

from __future__ import annotations

import time

from .bounds import Levels, closure_bound
from .mip import Region, solve_merged
from .openings import open_run
from .problem import Problem
from .run import Outcome, Run
from .search import search
from .solvers import SolverFailure, call

_SEARCH_SECONDS = 1.0
_MOST_CLASSIFIERS = 300
"""Beyond this there are too many sizes and thresholds to bound one by one."""

_SAFETY = 1e-7
"""Relative room left for rounding when floating-point bounds are read."""


def solve_exact(problem: Problem, run: Run) -> Outcome:
    """Find the best committee and prove it, as far as the time allows."""
    ledger = run.ledger
    open_run(problem, ledger)
    if ledger.closed:
        return Outcome("proved")
    if run.seconds_left <= 0:
        return Outcome("time limit")
    ledger.tighten(closure_bound(problem))
    # Small pools are searched through before the second is over.
    until = time.time() + min(_SEARCH_SECONDS, 0.2 * run.seconds_left)
    search(problem, run, until, patience=2 * problem.n_classifiers)
    region = _bound_levels(problem, run)
    return solve_merged(problem, run, region)


def _bound_levels(problem: Problem, run: Run) -> Region | None:
    """Bound all sizes and thresholds, and return the range of those that survive."""
    ledger = run.ledger
    if ledger.units is None or ledger.closed or len(problem.allowed) > _MOST_CLASSIFIERS:
        return None
    levels, scale = Levels.of(problem)
    largest = float(levels.weights.max(initial=1.0))

    def in_units(bound: float) -> float:
        return scale * (bound + _SAFETY * max(largest, abs(bound)))

    def report(bound: float, alive: int) -> None:
        ledger.tighten(in_units(bound))

    target = (ledger.units + problem.gains.step) / scale
    target -= _SAFETY * max(largest, abs(target))
    try:
        pairs, bounds = call(
            "bounds",
            "voteprune.bounds.relaxation",
            (levels, target, ledger.bound / scale, run.deadline),
            run.deadline,
            report,
        )
    except SolverFailure as failure:
        ledger.incidents.append(str(failure))
        return None
    ledger.tighten(in_units(float(bounds.max())))
    alive = pairs[bounds >= target]
    if not len(alive):
        ledger.tighten(ledger.units)
        return None
    sizes, thresholds = alive[:, 0], alive[:, 1]
    return Region(int(sizes.min()), int(sizes.max()), int(thresholds.min()), int(thresholds.max()))
