"""`Plan`: what `prune` is asked for apart from the votes, checked before any work starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from ..exceptions import InputError
from ..problem.constraints import Constraint, check_constraints
from ..problem.criteria import Criterion, check_criterion
from ..problem.diversity import Diversity, check_diversity
from ..problem.margin import Margin, check_margin
from ..run.run import Method
from ..strategies.margin_methods import for_margins
from ..strategies.registry import METHODS, check_honours
from .circumstances import Circumstances

_Criterion = TypeVar("_Criterion", bound=Criterion | Margin)


@dataclass(frozen=True, slots=True)
class Plan:
    """What `prune` was asked for apart from the votes, checked.

    Parameters
    ----------
    method, circumstances
        By what, and how.
    criterion, requests, diversity
        What to maximise, and what to respect.
    """

    method: Method
    circumstances: Circumstances
    criterion: Criterion | Margin
    requests: tuple[Constraint, ...]
    diversity: str | Diversity | None


def check_plan(
    *,
    objective: object = "accuracy",
    method: object = "exact",
    solver: object = None,
    diversity: object = None,
    constraints: object = (),
    threshold: object = None,
    time_limit: object = 60.0,
    random_state: object = None,
    n_jobs: object = None,
) -> Plan:
    """Check every argument of `prune` that can be judged before there are votes.

    Whoever must train classifiers to have votes can so refuse a wrong argument first.

    Raises
    ------
    InputError
        If an argument is wrong.
    """
    chosen = _check_method(method, solver)
    margin = check_margin(objective)
    if margin is not None:
        chosen = for_margins(chosen, threshold)
    circumstances = Circumstances.of(
        chosen,
        solver=solver,
        threshold=threshold,
        time_limit=time_limit,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    requests = check_constraints(constraints)
    criterion, limits = check_configuration(
        margin or check_criterion(objective, "objective"), check_diversity(diversity)
    )
    check_honours(chosen, requests, limits)
    return Plan(chosen, circumstances, criterion, requests, limits)


def _check_method(method: object, solver: object) -> Method:
    if solver == "brute":
        method = "brute"
    if not isinstance(method, str) or method not in METHODS:
        raise InputError("method", f"{method!r} is not known. Known are {', '.join(METHODS)}.")
    return METHODS[method]


def check_configuration(
    criterion: _Criterion, diversity: str | Diversity | None
) -> tuple[_Criterion | str, str | Diversity | None]:
    """Let F1-theta set the objective, unless another one was asked for."""
    if diversity != "F1-theta":
        return criterion, diversity
    if criterion not in ("accuracy", "balanced_accuracy"):
        raise InputError(
            "diversity", f"F1-theta maximises balanced accuracy, but objective is {criterion}."
        )
    return "balanced_accuracy", None
