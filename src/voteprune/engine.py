"""The exact method: search, bound every size and threshold, and settle what is left.

0. Pools so small that all committees can be tried in a moment are.
1. First committees and the closure bound, in milliseconds.
2. Local search, for a second or so.
3. Linear programs at the sizes and thresholds with the highest bounds; the prices of each bound
   all the others (`bounds.levels`). What falls below the incumbent is refuted.
4. Search once more, for every better committee refutes more.
5. The sizes and thresholds that survive go to the merged-pattern model on a MIP solver.

It is anytime: the ledger holds the best committee and a valid bound at every moment.
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from .bounds import Levels, closure_bound
from .brute import solve_by_brute_force
from .formulation.model import Floats
from .mip import Region, settle
from .openings import open_run
from .problem import Problem
from .run import Outcome, Run
from .search import Walker, search
from .solvers import SolverFailure, call

ENUMERATE = 2**21
"""Subsets times patterns up to which trying everything is quickest."""

_SEARCH_SECONDS = 1.0
_MOST_CLASSIFIERS = 300
"""Beyond this there are too many sizes and thresholds to bound one by one."""

_SAFETY = 1e-7
"""Relative room left for rounding when floating-point bounds are read."""


def solve_exact(problem: Problem, run: Run) -> Outcome:
    """Find the best committee and prove it, as far as the time allows."""
    if 2**problem.n_classifiers * problem.patterns.n_patterns <= ENUMERATE:
        return solve_by_brute_force(problem, run)
    over = open_run(problem, run)
    if over is not None:
        return over
    run.ledger.tighten(closure_bound(problem))
    walker = Walker(problem, run.ledger, run.seed) if problem.allowed else None
    _search(run, walker)
    settled = _bound_levels(problem, run)
    if settled is None:
        return settle(problem, run)
    _search(run, walker)
    return settle(problem, run, _survivors(problem, run, *settled))


def _search(run: Run, walker: Walker | None) -> None:
    if walker is not None:
        until = time.time() + min(_SEARCH_SECONDS, 0.2 * run.seconds_left)
        # Small pools are searched through long before.
        search(walker, run.ledger, until, patience=2 * run.ledger.problem.n_classifiers)


def _bound_levels(problem: Problem, run: Run) -> tuple[NDArray[np.intp], Floats] | None:
    """Return all sizes and thresholds with a bound for each, in units; None if that is no use."""
    ledger = run.ledger
    if ledger.units is None or ledger.closed or len(problem.allowed) > _MOST_CLASSIFIERS:
        return None
    levels, scale = Levels.of(problem)
    largest = float(levels.weights.max(initial=1.0))

    def in_units(bounds: Floats) -> Floats:
        return np.asarray(scale * (bounds + _SAFETY * np.maximum(largest, np.abs(bounds))))

    def report(bound: float, places: list[int]) -> None:
        ledger.tighten(float(in_units(np.asarray(bound))))
        ledger.offer([problem.allowed[place] for place in places])

    target = (ledger.units + problem.gains.step) / scale
    request = (levels, target, ledger.bound / scale, run.deadline)
    try:
        pairs, bounds = call("bounds", "voteprune.bounds.relaxation", request, run.deadline, report)
    except SolverFailure as failure:
        ledger.incidents.append(str(failure))
        return None
    return pairs, in_units(bounds)


def _survivors(
    problem: Problem, run: Run, pairs: NDArray[np.intp], bounds: Floats
) -> Region | None:
    """Return the range of the sizes and thresholds where something better may be."""
    ledger = run.ledger
    if ledger.units is None:
        return None
    ledger.tighten(float(bounds.max()))
    alive = pairs[bounds >= ledger.units + problem.gains.step]
    if not len(alive):
        ledger.tighten(ledger.units)
        return None
    (size_min, level_min), (size_max, level_max) = alive.min(axis=0), alive.max(axis=0)
    return Region(int(size_min), int(size_max), int(level_min), int(level_max))
