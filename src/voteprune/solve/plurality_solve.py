"""The front door's room for plurality votes: checks, runs a method, concludes."""

from __future__ import annotations

from dataclasses import dataclass

from ..exceptions import InputError
from ..problem.constraints import Constraint, check_constraints
from ..problem.fscore import is_f_score
from ..problem.infeasible import leaves_nothing
from ..problem.plurality import PluralityCriterion, PluralityProblem, check_criterion
from ..run.incumbent import Incumbent
from ..run.run import Method, Outcome, Run, outcome_of
from ..solvers import Solver
from ..solvers.versions import versions_of
from ..strategies.opinion import whom_to_trust
from ..strategies.registry import METHODS
from ..votes.plurality import PluralityVotes
from .plurality_solution import PluralitySolution
from .request import Circumstances, Wishes, check_callback, check_start
from .status import coverage_of, status_of


def prune_plurality(votes: PluralityVotes, wishes: Wishes, began: float) -> PluralitySolution:
    """Choose the plurality committee that is best for a criterion, with a proof.

    Parameters
    ----------
    votes, wishes
        What to choose from, and what was asked for.
    began
        When `prune` was called, as `time.monotonic` tells it.

    Raises
    ------
    InputError
        If an argument is wrong, or makes sense with two classes only; nothing has been started.
    """
    plan = check_plurality_plan(wishes)
    method, circumstances = plan.method, plan.circumstances
    check_callback(wishes.callback)
    problem = PluralityProblem.of(votes, plan.criterion, plan.requests)
    start = check_start(wishes.start, problem.n_classifiers)
    solver = circumstances.solver
    if solver is not None:
        solver.info.require()
    incumbent = Incumbent(problem, wishes.callback, began, circumstances.gap)
    run = circumstances.begin(incumbent, None, began)

    def work() -> Outcome:
        if start is not None:
            incumbent.offer(start)
        if leaves_nothing(problem):
            return Outcome("proved", infeasible=True)
        return method.others[problem.objective.kind](problem, run)

    return _conclude(problem, run, outcome_of(work), method, solver)


@dataclass(frozen=True, slots=True)
class PluralityPlan:
    """What was asked for apart from the votes, checked."""

    method: Method
    circumstances: Circumstances
    criterion: PluralityCriterion
    requests: tuple[Constraint, ...]


def check_plurality_plan(wishes: Wishes) -> PluralityPlan:
    """Check all wishes that can be judged before there are votes.

    Raises
    ------
    InputError
        If an argument is wrong, or makes sense with two classes only.
    """
    _refuse_binary_options(wishes)
    criterion = check_criterion(wishes.objective)
    kind = "f-score" if is_f_score(criterion) else "plurality"
    method = _check_method(wishes.method, wishes.solver, kind)
    circumstances = wishes.circumstances(method)
    return PluralityPlan(method, circumstances, criterion, check_constraints(wishes.constraints))


def _conclude(
    problem: PluralityProblem,
    run: Run,
    outcome: Outcome,
    method: Method,
    solver: Solver | None,
) -> PluralitySolution:
    """Recount everything once more and write the proof down."""
    incumbent, members = run.incumbent, run.incumbent.members
    closed = method.proves and incumbent.closed
    status = status_of(incumbent, outcome, method)
    trusted = whom_to_trust(incumbent, outcome, status) if method.proves else ()
    words = [str(request) for request in problem.requests]
    return PluralitySolution(
        status=status,
        termination="proved" if closed else outcome.termination,
        committee=None if members is None else problem.committee(members),
        confusion=None if members is None else problem.confusion(members),
        value=None if members is None else problem.objective.read(problem.score(members)),
        coverage=coverage_of(problem, members),
        bound=incumbent.progress().bound if method.proves and status != "infeasible" else None,
        objective=problem.objective.name,
        classes=problem.votes.classes,
        method=method.name,
        solver=None if solver is None else solver.name,
        seconds=incumbent.seconds,
        seed=run.seed,
        n_rows=problem.votes.n_rows,
        n_patterns=problem.n_patterns,
        n_classifiers=problem.n_classifiers,
        constraints=tuple(words),
        explanation=f"no committee meets {' and '.join(words)}." if outcome.infeasible else "",
        incidents=tuple(incumbent.incidents),
        trusted=trusted,
        versions=versions_of(solver),
        trace=tuple(incumbent.trace),
        problem=problem,
    )


def _check_method(method: object, solver: object, kind: str) -> Method:
    name = "brute" if solver == "brute" else method
    able = [method.name for method in METHODS.values() if kind in method.others]
    if not isinstance(name, str) or name not in able:
        what = " by an F-score" * (kind == "f-score")
        raise InputError(
            "method",
            f"{name!r} does not choose plurality committees{what}. There are {', '.join(able)}.",
        )
    return METHODS[name]


def _refuse_binary_options(wishes: Wishes) -> None:
    if wishes.diversity not in (None, "F1"):
        raise InputError(
            "diversity",
            "limits on diversity are for two classes, which these votes are not read as. Leave it "
            "out, or give vp.Votes with abstentions='against' or none.",
        )
    if wishes.threshold is not None:
        raise InputError(
            "threshold",
            "the class with most votes wins, so there is no threshold. Leave it out, or give "
            "vp.Votes with abstentions='against' or none.",
        )
