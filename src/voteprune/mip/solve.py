"""Solve a formulation with a solver, and believe only what recounts.

The solver works in floating point on rows that are slightly relaxed, so that no allowed committee
is cut off. What it finds is recounted in integers. When its optimum does not hold up (a tie that
only exact arithmetic can call), that set of members is cut off and the solver asked again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from ..bounds.levels import Region
from ..mip.formulation import Formulation
from ..numbers.floats import Floats
from ..primal.first_committees import open_run
from ..problem.committee import Committee
from ..problem.infeasible import Found, any_committee, explain
from ..problem.problem import Problem
from ..run.incumbent import OPTIMAL_GAP, Incumbent
from ..run.run import Outcome, Run
from ..solvers import Answer, Options, OutOfTime, Solver, SolverFailure, solve
from ..solvers.model import TimeOver
from .merged import merged_model
from .paper import paper_model

_TOLERANCE = 1e-6
"""Relative error a solver's objective and bound may have; bounds are widened by it."""

_MOST_REPAIRS = 100

_SECOND = "highs"
"""Asked again where another solver says that there is no committee."""

FALSE_INFEASIBLE = "claimed infeasibility, but a committee recounts; not used"
NOT_RECOUNTING = "kept proposing committees that do not recount; its bound is not used"
"""What a solver did, in the words of an incident."""

EXPLAIN_SECONDS = 0.2
"""An infeasible request is explained a little even if its proof took all the time."""


@dataclass(frozen=True, slots=True)
class _Scope:
    """What the solver is asked about: a region, less the members that have been cut off."""

    region: Region | None
    cut: set[tuple[int, ...]] = field(default_factory=set)

    def holds(self, committee: Committee | None) -> bool:
        """Tell whether a committee is one the solver must know of."""
        if committee is None or committee.members in self.cut:
            return False
        return self.region is None or self.region.holds(committee)


def solve_merged(problem: Problem, run: Run) -> Outcome:
    """Solve the merged-pattern model from start to end."""
    return open_run(problem, run) or settle(problem, run)


def solve_paper(problem: Problem, run: Run) -> Outcome:
    """Solve the paper's model, verbatim."""
    over = open_run(problem, run)
    return over or _explained(problem, run, _search(problem, run, paper_model))


def settle(problem: Problem, run: Run, region: Region | None = None) -> Outcome:
    """Solve the merged-pattern model, on a region only where the rest is refuted already."""
    if run.incumbent.closed:
        return Outcome("proved")
    if region is None:
        return _explained(problem, run, _search(problem, run, merged_model))
    inside = replace(problem, size_min=region.size_min, size_max=region.size_max)
    levels = region.level_min, region.level_max
    build = partial(merged_model, levels=levels, conflicts=region.conflicts)
    return _search(inside, run, build, region)


def solve_model(
    problem: Any,
    run: Run,
    build: Callable[..., Formulation],
    refine: Callable[[list[int]], bool] | None = None,
) -> Outcome:
    """Solve a formulation made elsewhere; what it allows, the problem allows, and conversely.

    Parameters
    ----------
    problem, run
        What is solved, and how.
    build
        Makes the formulation.
    refine
        Where it is a relaxation: given members who are worth less than it says, makes the next one
        say the truth of them; tells whether there was anything to do.
    """
    return _search(problem, run, build, refine=refine)


def _search(
    problem: Any,
    run: Run,
    build: Callable[..., Formulation],
    region: Region | None = None,
    refine: Callable[[list[int]], bool] | None = None,
) -> Outcome:
    """Build a formulation and solve it, as far as the time allows."""
    try:
        return _build_and_ask(problem, run, build, region, refine)
    except TimeOver:
        return Outcome("time limit")


def _build_and_ask(
    problem: Any,
    run: Run,
    build: Callable[..., Formulation],
    region: Region | None,
    refine: Callable[[list[int]], bool] | None,
) -> Outcome:
    run.solver.info.require()
    incumbent, who = run.incumbent, (run.solver.name,)
    if not incumbent.caught.isdisjoint(who):
        return Outcome("solver failed")
    if run.seconds_left <= 0:
        return Outcome("time limit")
    formulation = build(problem, deadline=run.deadline)
    scope = _Scope(region)
    repairs = 0
    while repairs < _MOST_REPAIRS:
        if run.seconds_left <= 0:
            return Outcome("time limit")
        try:
            answer = _ask(formulation, run, scope)
        except OutOfTime:
            return Outcome("time limit")
        except SolverFailure as failure:
            incumbent.incidents.append(str(failure))
            return Outcome("solver failed" if time.monotonic() < run.end else "time limit")
        if not incumbent.caught.isdisjoint(who):  # by what it said on the way
            return Outcome("solver failed")
        if answer.status == "infeasible":
            return _nothing_left(run, scope)
        solution = None if answer.status == "stopped" else answer.solution
        if solution is not None:
            incumbent.offer(formulation.members(solution))
        if not _bound_holds(formulation, answer.bound, incumbent, scope):
            incumbent.distrust(
                run.solver.name, "claimed a bound below a committee that recounts; not used"
            )
            return Outcome("solver failed")
        incumbent.tighten(_units(formulation, answer.bound), who)
        if answer.status == "stopped":
            return Outcome("time limit")
        if solution is None:
            incumbent.distrust(run.solver.name, "claimed an optimum without a solution; not used")
            return Outcome("solver failed")
        members = formulation.members(solution)
        claimed = float(formulation.model.objective @ solution)
        if incumbent.score is not None and _reaches(formulation, incumbent.score, claimed):
            if _closes(formulation, incumbent, claimed):
                # Where gains differ by many orders of magnitude, tolerance is not proof.
                gap = incumbent.progress().gap
                fine = incumbent.score == 0 or (gap is not None and gap <= OPTIMAL_GAP)
                return Outcome("proved" if fine else "solver tolerance", trusted=who)
            incumbent.distrust(run.solver.name, "claimed an optimum its own bound does not prove")
            return Outcome("solver failed")
        if refine is not None and refine(members):
            formulation = build(problem, deadline=run.deadline)
            continue
        repairs += 1
        if formulation.binary_members is None:
            formulation = build(problem, merge_classifiers=False, deadline=run.deadline)
        else:
            formulation = formulation.without(members)
            scope.cut.add(tuple(members))
    incumbent.distrust(run.solver.name, NOT_RECOUNTING)
    return Outcome("solver failed")


def _nothing_left(run: Run, scope: _Scope) -> Outcome:
    """Read "infeasible": of the whole problem, or of what remained after cuts."""
    incumbent, who = run.incumbent, (run.solver.name,)
    if incumbent.score is None:
        return Outcome("proved", infeasible=True, trusted=who)
    if scope.holds(incumbent.committee):
        incumbent.distrust(run.solver.name, FALSE_INFEASIBLE)
        return Outcome("solver failed")
    incumbent.tighten(incumbent.score, who)
    return Outcome("proved", trusted=who)


def _explained(problem: Problem, run: Run, outcome: Outcome) -> Outcome:
    """Say which constraints clash, after another solver's opinion where there is one."""
    if not outcome.infeasible:
        return outcome
    deadline = max(run.deadline, time.monotonic() + EXPLAIN_SECONDS)

    def find(anything: Problem) -> Found:
        look = replace(
            run, incumbent=Incumbent(anything), deadline=deadline, solver=Solver(_SECOND)
        )
        outcome = open_run(anything, look) or _search(anything, look, merged_model)
        return look.incumbent.committee, outcome.infeasible

    trusted = outcome.trusted
    if run.solver.name != _SECOND:
        whole = any_committee(problem, problem.requests, problem.asked_diversity)
        committee, confirmed = find(whole)
        if committee is not None:
            run.incumbent.offer(committee.members)
            run.incumbent.distrust(run.solver.name, FALSE_INFEASIBLE)
            return Outcome("solver failed")
        trusted = (*trusted, _SECOND) if confirmed else trusted
    return replace(outcome, explanation=explain(problem, find), trusted=trusted)


def _ask(formulation: Formulation, run: Run, scope: _Scope) -> Answer:
    """Run the solver on the formulation, entering all it says on the way into the incumbent."""
    incumbent = run.incumbent
    options = Options(
        run.deadline, run.solver.threads or run.threads, run.seed, run.solver.presolve, run.end
    )
    start = None
    if incumbent.committee is not None and scope.holds(incumbent.committee):
        start = formulation.encode(incumbent.committee.members, incumbent.threshold)

    def report(solution: Floats | None, bound: float) -> None:
        if solution is not None and len(solution) == formulation.model.n_variables:
            incumbent.offer(formulation.members(solution))
        if _bound_holds(formulation, bound, incumbent, scope):
            incumbent.tighten(_units(formulation, bound), (run.solver.name,))

    return solve(run.solver.info, formulation.model, options, start, report)


def _slack(formulation: Formulation, value: float) -> float:
    """Return how far off a solver may be about an objective of this size."""
    largest = float(np.abs(formulation.model.objective).max(initial=1.0))
    return _TOLERANCE * max(largest, abs(value))


def _units(formulation: Formulation, bound: float) -> Fraction | float:
    """Return a model bound in units, widened by the solver's tolerance."""
    if not np.isfinite(bound):
        return np.inf
    # Exact from here on: the base may be larger than a float can tell from its neighbours.
    widened = Fraction(bound) + Fraction(_slack(formulation, bound))
    return formulation.base + Fraction(formulation.scale) * widened


def _reaches(formulation: Formulation, units: int, claimed: float) -> bool:
    """Tell whether a recounted value is what the solver claimed, within its tolerance."""
    least = Fraction(claimed) - Fraction(_slack(formulation, claimed))
    return units - formulation.base >= Fraction(formulation.scale) * least


def _closes(formulation: Formulation, incumbent: Incumbent, claimed: float) -> bool:
    """Tell whether the best committee meets the bound, as far as the solver's tolerance goes."""
    room = 4 * Fraction(formulation.scale) * Fraction(_slack(formulation, claimed))
    return incumbent.score is not None and bool(incumbent.bound - incumbent.score <= room)


def _bound_holds(
    formulation: Formulation, bound: float, incumbent: Incumbent, scope: _Scope
) -> bool:
    """Tell whether a bound is not refuted by a committee we have counted ourselves."""
    if np.isnan(bound):
        return False
    if incumbent.score is None or not scope.holds(incumbent.committee):
        return True
    return bool(_units(formulation, bound) >= incumbent.score)
