"""The exact method for plurality committees: openings, search, then one integer program.

Variables: x_k selects classifier k, t_pc = 1 if pattern p is decided as class c and that earns
something. t_pc = 1 asks for more votes for c than for every class before it, and no fewer than for
every class after it; each big-M is its own row's range. A pattern is decided once. All gains are
positive, so nothing need be said about t = 0.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..mip.formulation import Formulation, add_cost_rows
from ..mip.solve import FALSE_INFEASIBLE, NOT_RECOUNTING
from ..numbers.floats import Floats, objective_scale
from ..primal.plurality_brute import MOST_CLASSIFIERS, solve_by_brute_force
from ..primal.plurality_search import PluralityTabuSearch, offer_openings, search, thinned
from ..problem.plurality import PluralityProblem
from ..run.incumbent import Incumbent
from ..run.run import Outcome, Run
from ..solvers import Answer, Options, OutOfTime, SolverFailure, solve
from ..solvers.model import ModelBuilder, TimeOver

ENUMERATE = 2**22
"""Subsets times patterns times classes up to which trying everything is quickest."""

_SEARCH_SECONDS = 2.0
_TOLERANCE = 1e-6
"""Relative error a solver's bound may have; bounds are widened by it."""

_MOST_REPAIRS = 100


def solve_exact(problem: PluralityProblem, run: Run) -> Outcome:
    """Find the best committee and prove it, as far as the time allows."""
    cells = problem.n_patterns * problem.n_classes
    if problem.n_classifiers <= MOST_CLASSIFIERS and 2**problem.n_classifiers * cells <= ENUMERATE:
        return solve_by_brute_force(problem, run)
    offer_openings(problem, run)
    if not run.incumbent.closed and problem.allowed and run.seconds_left > 0:
        until = time.monotonic() + min(_SEARCH_SECONDS, 0.2 * run.seconds_left)
        search(PluralityTabuSearch(*thinned(problem, run)), run, until)
    if run.incumbent.closed:
        return Outcome("proved")
    return _settle(problem, run)


def _settle(problem: PluralityProblem, run: Run) -> Outcome:
    """Hand what is left to a solver, and believe only what recounts."""
    run.solver.info.require()
    incumbent, who = run.incumbent, (run.solver.name,)
    try:
        formulation = plurality_model(problem, run.deadline)
    except TimeOver:
        return Outcome("time limit")
    for _ in range(_MOST_REPAIRS):
        if run.seconds_left <= 0:
            return Outcome("time limit")
        try:
            answer = _ask(formulation, run)
        except OutOfTime:
            return Outcome("time limit")
        except SolverFailure as failure:
            incumbent.incidents.append(str(failure))
            return Outcome("solver failed" if run.seconds_left > 0 else "time limit")
        if not incumbent.caught.isdisjoint(who):  # by what it said on the way
            return Outcome("solver failed")
        if answer.status == "infeasible":
            if incumbent.score is None:
                return Outcome("proved", infeasible=True, trusted=who)
            incumbent.distrust(run.solver.name, FALSE_INFEASIBLE)
            return Outcome("solver failed")
        solution = None if answer.status == "stopped" else answer.solution
        members = [] if solution is None else formulation.members(solution)
        incumbent.offer(members)
        if not _holds(formulation, answer.bound, incumbent):
            incumbent.distrust(
                run.solver.name, "claimed a bound below a committee that recounts; not used"
            )
            return Outcome("solver failed")
        # Only sets that are not allowed have been cut off, so the bound is one of the problem.
        incumbent.tighten(_units(formulation, answer.bound), who)
        if answer.status == "stopped":
            return Outcome("time limit")
        if solution is None:
            incumbent.distrust(run.solver.name, "claimed an optimum without a solution; not used")
            return Outcome("solver failed")
        if members and problem.allows(members):
            closes = _closes(formulation, incumbent)
            return Outcome("proved" if closes else "solver tolerance", trusted=who)
        formulation = formulation.without(members)
    incumbent.distrust(run.solver.name, NOT_RECOUNTING)
    return Outcome("solver failed")


def _ask(formulation: Formulation, run: Run) -> Answer:
    """Run the solver, entering all it says on the way into the incumbent."""
    incumbent = run.incumbent
    options = Options(
        run.deadline, run.solver.threads or run.threads, run.seed, run.solver.presolve
    )
    start = formulation.encode(incumbent.members, 0) if incumbent.members else None

    def report(solution: Floats | None, bound: float) -> None:
        if solution is not None and len(solution) == formulation.model.n_variables:
            incumbent.offer(formulation.members(solution))
        if _holds(formulation, bound, incumbent):
            incumbent.tighten(_units(formulation, bound), (run.solver.name,))

    return solve(run.solver.info, formulation.model, options, start, report)


def plurality_model(problem: PluralityProblem, deadline: float = math.inf) -> Formulation:
    """Build the integer program of a problem.

    Parameters
    ----------
    problem
        What is to be solved.
    deadline
        When to give up, see `ModelBuilder`.
    """
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
    for p in range(problem.n_patterns):
        voters = [np.flatnonzero((problem.codes[p] == label) & allowed) for label in range(c)]
        columns = []
        for label in np.flatnonzero(problem.gain[p] > 0).tolist():
            if not len(voters[label]):
                continue
            t = builder.variable(0, 1, cost=float(problem.gain[p, label]) / scale)
            wins.append((t, p, label))
            columns.append(t)
            for rival in range(c):
                if rival != label:
                    _add_duel(builder, problem, x, t, voters[label], voters[rival], rival < label)
        if len(columns) > 1:
            builder.row(columns, np.ones(len(columns)), high=1.0)
    model = builder.build()

    def members(solution: Floats) -> list[int]:
        return np.flatnonzero(solution[x] > 0.5).tolist()

    def encode(chosen: Sequence[int], _threshold: int) -> Floats:
        solution = np.zeros(model.n_variables)
        solution[x[list(chosen)]] = 1.0
        decided = problem.counts(chosen).argmax(axis=1)
        for t, p, label in wins:
            solution[t] = float(decided[p] == label)
        return solution

    return Formulation(model, scale, 0, members, encode, x)


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


def _impossible(builder: ModelBuilder) -> int:
    """Add a variable that must be both 0 and 1, as a row, for bounds that cross are no model."""
    column = builder.variable(0, 0)
    builder.row([column], [1.0], low=1.0)
    return column


def _slack(formulation: Formulation, bound: float) -> float:
    """Return how far off a solver may be about an objective of this size."""
    largest = float(np.abs(formulation.model.objective).max(initial=1.0))
    return _TOLERANCE * max(largest, abs(bound))


def _units(formulation: Formulation, bound: float) -> Fraction | float:
    """Return a model bound in units, widened by the solver's tolerance."""
    if not np.isfinite(bound):
        return float("inf")
    widened = Fraction(bound) + Fraction(_slack(formulation, bound))
    return Fraction(formulation.scale) * widened


def _closes(formulation: Formulation, incumbent: Incumbent) -> bool:
    """Tell whether the best committee meets the bound, as far as the solver's tolerance goes."""
    if incumbent.score is None:
        return False
    slack = _slack(formulation, incumbent.score / formulation.scale)
    room = 4 * Fraction(formulation.scale) * Fraction(slack)
    return bool(incumbent.bound - incumbent.score <= room)


def _holds(formulation: Formulation, bound: float, incumbent: Incumbent) -> bool:
    """Tell whether a bound is not refuted by a committee we have counted ourselves."""
    if np.isnan(bound):
        return False
    return incumbent.score is None or _units(formulation, bound) >= incumbent.score
