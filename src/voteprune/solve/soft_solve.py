"""From a request to the answer for soft committees: check, run, choose the cut-off, conclude."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..exceptions import InputError
from ..problem.constraints import Constraint, check_constraints
from ..run.incumbent import Incumbent
from ..run.run import Method, Outcome, Run, outcome_of
from ..soft.committee import SoftCommittee
from ..soft.probabilities import Probabilities
from ..soft.problem import check_penalty
from ..soft.pruning import OBJECTIVES, SoftPruning
from ..soft.tree import TOLERANCE
from ..solvers.versions import versions_of
from ..strategies.registry import METHODS
from ..tree.soft_checkpoint import check_soft_checkpoint
from .certifying import saved
from .cutoffs import decide, with_cutoff
from .request import Circumstances, Wishes, check_callback, check_start
from .soft_certifying import check_soft_certified, soft_certificate_of
from .soft_solution import SoftSolution
from .status import status_of

PENALTY = 100.0
"""Ridge on the weights, in units of one row: to begin with, not yet chosen on unseen rows."""

NO_PENALTY = "is for vp.Probabilities only. Leave it out."


@dataclass(frozen=True, slots=True)
class SoftWishes:
    """What else `prune` was asked for, of soft committees alone."""

    penalty: object = PENALTY
    certificate: object = False
    checkpoint: object = None


def prune_soft(
    said: Probabilities, wishes: Wishes, others: SoftWishes, began: float
) -> SoftSolution:
    """Choose the soft committee with the least penalised loss, with a proof.

    Parameters
    ----------
    said, wishes, others
        What to choose from, and what was asked for.
    began
        When `prune` was called, as `time.monotonic` tells it.

    Raises
    ------
    InputError
        If an argument is wrong, or makes no sense for soft committees; nothing has been started.
    """
    plan = check_soft_plan(wishes, others.penalty)
    method = plan.method
    problem = SoftPruning.of(said, plan.objective, plan.requests, plan.penalty)
    start = check_start(wishes.start, problem.n_classifiers)
    file = check_soft_checkpoint(others.checkpoint, method.name, problem.numbers)
    certify = check_soft_certified(others.certificate, problem, method, file)
    incumbent = Incumbent(problem, wishes.callback, began, plan.circumstances.gap)
    run = plan.circumstances.begin(incumbent, file, began)
    run = replace(run, record=[] if certify else None)

    def work() -> Outcome:
        if start is not None:
            incumbent.offer(start)
        return method.others["soft"](problem, run)

    return saved(_conclude(problem, run, outcome_of(work), method), others.certificate)


@dataclass(frozen=True, slots=True)
class SoftPlan:
    """The wishes for a soft committee that can be judged before anybody answers, checked."""

    method: Method
    circumstances: Circumstances
    objective: str
    requests: tuple[Constraint, ...]
    penalty: float


def check_soft_plan(wishes: Wishes, penalty: object) -> SoftPlan:
    """Check all wishes that can be judged before there are probabilities.

    Raises
    ------
    InputError
        If an argument is wrong, or makes no sense for soft committees.
    """
    method = _check_method(wishes)
    circumstances = wishes.circumstances(method)
    objective = check_objective(wishes.objective)
    requests = check_constraints(wishes.constraints)
    check_callback(wishes.callback)
    return SoftPlan(method, circumstances, objective, requests, _check_penalty(penalty))


def check_objective(objective: object) -> str:
    """Return what soft committees are to minimise, or say what is known."""
    if isinstance(objective, str) and objective in OBJECTIVES:
        return objective
    raise InputError(
        "objective",
        f"{objective!r} is not for probabilities. Known are {', '.join(OBJECTIVES)}; criteria of "
        "votes need vp.Votes.",
    )


def _check_method(wishes: Wishes) -> Method:
    able = [method.name for method in METHODS.values() if "soft" in method.others]
    if not isinstance(wishes.method, str) or wishes.method not in able:
        raise InputError(
            "method",
            f"{wishes.method!r} does not choose soft committees. {', '.join(able)} do.",
        )
    if wishes.solver is not None:
        raise InputError("solver", "soft committees need no solver. Leave it out.")
    if wishes.diversity not in (None, "F1"):
        raise InputError(
            "diversity",
            "limits on diversity are about votes, and soft committees take probabilities. Leave it "
            "out, or give vp.Votes.",
        )
    if wishes.threshold is not None:
        raise InputError(
            "threshold",
            "soft committees have a cut-off on their probability, which limits on criteria move. "
            "Leave it out, or give vp.Votes.",
        )
    return replace(METHODS[wishes.method], uses_solver=False)


def _check_penalty(penalty: object) -> float:
    if isinstance(penalty, bool) or not isinstance(penalty, int | float | np.number):
        raise InputError("penalty", f"is {penalty!r}; expected a number above 0, such as 100.")
    check_penalty(float(penalty))
    return float(penalty)


def _conclude(problem: SoftPruning, run: Run, outcome: Outcome, method: Method) -> SoftSolution:
    """Fit the best committee once more, choose its cut-off, and write the proof down."""
    incumbent = run.incumbent
    committee: SoftCommittee | None = incumbent.committee
    said, why = problem.said, outcome.explanation
    loss = accuracy = confusion = None
    if committee is not None:
        point = problem.search.fit(_fitted(problem, committee))
        loss = point.loss / problem.total
        shares = committee.predict_proba(said)
        committee, sentence = with_cutoff(problem, committee, shares)
        why = sentence or why
        accuracy, confusion = decide(said, committee, shares)
    value = None if incumbent.score is None else float(incumbent.score)
    bound = incumbent.progress().bound if method.proves and not outcome.infeasible else None
    status = status_of(incumbent, outcome, method)
    return SoftSolution(
        status=status,
        termination=outcome.termination,
        committee=committee,
        value=value,
        bound=bound,
        loss=loss,
        penalised_loss=None if value is None else -value,
        lower_bound=None if bound is None else abs(bound),
        accuracy=accuracy,
        confusion=confusion,
        objective=problem.objective.name,
        penalty=problem.penalty,
        tolerance=TOLERANCE,
        method=method.name,
        seconds=incumbent.seconds,
        seed=run.seed,
        n_rows=said.n_rows,
        n_patterns=said.n_rows,
        n_classifiers=said.n_classifiers,
        constraints=tuple(map(str, problem.requests)),
        explanation=why,
        incidents=(*incumbent.incidents, *incumbent.unwritten),
        unwritten=tuple(incumbent.unwritten),
        versions=versions_of(None),
        trace=tuple(incumbent.trace),
        problem=problem,
        certificate=soft_certificate_of(problem, run, status),
    )


def _fitted(problem: SoftPruning, committee: SoftCommittee) -> list[int]:
    """Return the members whose fit gave the committee: those who sit, and required ones."""
    return sorted({*committee.members, *problem.numbers.required})
