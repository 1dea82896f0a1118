"""The exact method for plurality committees: openings, search, then branch and bound by sizes.

0. In a small pool all committees are tried.
1. First committees and a moment of tabu search, which goes on in the background of the proof, or in
   turns with it on a single core.
2. Branch and bound with a root node for every size (`tree.plurality`): linear programs, and
   enumeration where few committees are left in a node.
3. The tree cannot handle limits on coverage or on classes. There every committee is recounted if
   they are few; else, and if the tree's workers fail, a solver gets one integer program.

It is anytime: the incumbent holds the best committee and a valid bound at every moment.

In the integer program x_k selects classifier k, and t_pc = 1 if pattern p is decided as class c and
that earns something. t_pc = 1 asks for more votes for c than for every class before it, and no
fewer than for every class after it; each big-M is its own row's range. A pattern is decided once.
All gains are positive, so nothing need be said about t = 0, but for limits on classes: under these
every class that can win has its variable, and one of them must be 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..mip.formulation import Formulation, add_cost_rows, add_coverage, selected
from ..mip.fscore import Pieces
from ..mip.solve import solve_model
from ..numbers.floats import SLACK, Floats, objective_scale
from ..primal.brute import MOST_CLASSIFIERS, are_few, try_all_pluralities, try_few
from ..primal.plurality_tabu import PluralityTabuSearch, offer_openings, thinned
from ..problem.class_limits import ClassLimit
from ..problem.plurality import PluralityProblem
from ..run.run import Outcome, Run
from ..solvers import prepare
from ..solvers.model import ModelBuilder
from ..tree.background import Searching
from ..tree.plurality.driver import PluralityDriver

ENUMERATE = 2**22
"""Subsets times patterns times classes up to which trying everything is quickest."""

FEW = 64
"""Times as much that is tried, committee by committee, where else a solver would be asked."""

_FIRST_SEARCH, _LONG_SEARCH = 0.5, 2.0
"""Seconds of searching before the proof begins, and where no more will be searched after."""


def solve_exact(problem: PluralityProblem, run: Run) -> Outcome:
    """Find the best committee and prove it, as far as the time allows."""
    cells = problem.n_patterns * problem.n_classes
    if problem.n_classifiers <= MOST_CLASSIFIERS and 2**problem.n_classifiers * cells <= ENUMERATE:
        return try_all_pluralities(problem, run)
    by_sizes = not (problem.class_limits or problem.must_cover)
    if by_sizes:
        prepare(PluralityDriver.worker)
    offer_openings(problem, run)
    if run.incumbent.closed:
        return Outcome("proved")
    if not by_sizes and are_few(problem, run, FEW * ENUMERATE):
        return try_few(problem, run)
    tabu = PluralityTabuSearch(*thinned(problem, run)) if problem.allowed else None
    searching = Searching(run, tabu)
    searching.search(_FIRST_SEARCH if by_sizes else _LONG_SEARCH)
    if not by_sizes:
        return solve_model(problem, run, plurality_model)
    driver = PluralityDriver(problem, run)
    for went_on in driver.rounds(run.deadline, searching):
        if not went_on:
            return solve_model(problem, run, plurality_model)
    if driver.over:
        return Outcome("proved", infeasible=run.incumbent.score is None)
    return Outcome("proved" if run.incumbent.closed else "time limit")


def plurality_model(
    problem: PluralityProblem, deadline: float = math.inf, pieces: Pieces | None = None
) -> Formulation:
    """Build the integer program of a problem."""
    builder = ModelBuilder(deadline)
    k, c = problem.n_classifiers, problem.n_classes
    x = np.array(
        [
            builder.variable(int(i in problem.required), int(i not in problem.forbidden))
            if not (i in problem.required and i in problem.forbidden)
            else _impossible(builder)
            for i in range(k)
        ],
        dtype=np.intp,
    )
    builder.row(x, np.ones(k), low=problem.size_min, high=problem.size_max)
    add_cost_rows(builder, problem.cost_limits, x, range(k))
    scale = objective_scale(problem.gain.ravel())
    allowed = np.zeros(k, dtype=bool)
    allowed[list(problem.allowed)] = True
    wins: list[tuple[int, int, int]] = []
    limited = bool(problem.class_limits) or pieces is not None
    wanted = problem.can_win(problem.forbidden) & (limited | (problem.gain > 0))
    for p in range(problem.n_patterns):
        voters = [np.flatnonzero((problem.codes[p] == label) & allowed) for label in range(c)]
        columns = []
        for label in np.flatnonzero(wanted[p]).tolist():
            t = builder.variable(0, 1, cost=float(problem.gain[p, label]) / scale)
            wins.append((t, p, label))
            columns.append(t)
            for rival in range(c):
                if rival != label:
                    _add_duel(builder, problem, x, t, voters[label], voters[rival], rival < label)
        if len(columns) > 1 or (columns and limited):
            builder.row(columns, np.ones(len(columns)), low=float(limited), high=1.0)
    for limit in problem.class_limits:
        _add_class_limit(builder, limit, wins)
    covers = add_coverage(builder, problem.coverage, x, range(k))
    complete = None if pieces is None else pieces.add(builder, wins)
    model = builder.build()

    def encode(chosen: Sequence[int], _threshold: int) -> Floats:
        solution = np.zeros(model.n_variables)
        solution[x[list(chosen)]] = 1.0
        decided = problem.decided(chosen)
        for t, p, label in wins:
            solution[t] = float(decided[p] == label)
        for u, voters in covers:
            solution[u] = float(solution[voters].any())
        if complete is not None:
            complete(solution)
        return solution

    base = 0 if pieces is not None else problem.gains.base
    return Formulation(model, scale, base, partial(selected, x), encode, x)


def _add_duel(
    builder: ModelBuilder,
    problem: PluralityProblem,
    x: NDArray[np.intp],
    t: int,
    mine: NDArray[np.intp],
    theirs: NDArray[np.intp],
    they_win_ties: bool,
) -> None:
    """Add the row that t = 1 needs one class to beat another on one pattern."""
    lead = int(they_win_ties)
    # mine - theirs >= lead - M (1 - t), and the left side is never below minus all of theirs.
    most = float(min(len(theirs), problem.size_max) + lead)
    if most:
        ones = [*np.ones(len(mine)), *-np.ones(len(theirs))]
        builder.row([*x[mine], *x[theirs], t], [*ones, -most], low=lead - most)


def _add_class_limit(
    builder: ModelBuilder, limit: ClassLimit, wins: Sequence[tuple[int, int, int]]
) -> None:
    """Add the row that decisions are worth as much as they must be."""
    scale = objective_scale(limit.worth.ravel())
    used = [(t, float(limit.worth[p, label]) / scale) for t, p, label in wins]
    columns, worths = zip(*used, strict=True)
    builder.row(columns, worths, low=float(limit.least) / scale - SLACK * len(worths))


def _impossible(builder: ModelBuilder) -> int:
    """Add a variable that must be both 0 and 1, by a row: crossing bounds are refused."""
    column = builder.variable(0, 0)
    builder.row([column], [1.0], low=1.0)
    return column
