"""What soft committees have of their own on the way from request to answer: penalty and cut-off."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..exceptions import InputError
from ..problem.constraints import check_constraints
from ..run.run import Method, Run
from ..soft.committee import SoftCommittee
from ..soft.problem import check_penalty
from ..soft.pruning import OBJECTIVES, SoftPruning
from ..soft.tree import TOLERANCE
from ..strategies.registry import METHODS
from .cutoffs import decide, with_cutoff
from .request import Plan, Wishes, check_callback
from .soft_certifying import soft_certificate_of
from .soft_solution import SoftSolution
from .status import Found

PENALTY = 30.0
"""Ridge on the weights, in units of one row: what was chosen for "log_loss" on unseen rows, see
docs/results/protocol.md."""

NO_PENALTY = "is for vp.Probabilities only. Leave it out."


def check_soft_plan(wishes: Wishes, penalty: object) -> Plan:
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
    return Plan(method, circumstances, objective, requests, penalty=_check_penalty(penalty))


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


def soft_answer(problem: SoftPruning, run: Run, found: Found) -> SoftSolution:
    """Return the answer for probabilities: fit the committee once more, and choose its cut-off."""
    incumbent, said = run.incumbent, problem.said
    committee: SoftCommittee | None = incumbent.committee
    loss = accuracy = confusion = None
    if committee is not None:
        point = problem.search.fit(_fitted(problem, committee))
        loss = point.loss / problem.total
        shares = committee.predict_proba(said)
        committee, sentence = with_cutoff(problem, committee, shares)
        found["explanation"] = sentence or found["explanation"]
        accuracy, confusion = decide(said, committee, shares)
    value = None if incumbent.score is None else problem.objective.read(incumbent.score)
    bound = found["bound"]
    return SoftSolution(
        **found,
        committee=committee,
        value=value,
        loss=loss,
        penalised_loss=None if value is None else -value,
        lower_bound=None if bound is None else abs(bound),
        accuracy=accuracy,
        confusion=confusion,
        penalty=problem.penalty,
        tolerance=TOLERANCE,
        n_rows=said.n_rows,
        n_patterns=said.n_rows,
        problem=problem,
        certificate=soft_certificate_of(problem, run, found["status"]),
    )


def _fitted(problem: SoftPruning, committee: SoftCommittee) -> list[int]:
    """Return the members whose fit gave the committee: those who sit, and required ones."""
    return sorted({*committee.members, *problem.numbers.required})
