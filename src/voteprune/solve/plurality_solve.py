"""What plurality votes have of their own on the way from request to answer."""

from __future__ import annotations

from collections.abc import Sequence

from ..exceptions import InputError
from ..problem.class_limits import check_class_limits
from ..problem.constraints import check_constraints
from ..problem.plurality import PluralityProblem, check_criterion, kind_of_criterion
from ..run.run import Method, Run
from ..strategies.registry import METHODS
from ..votes.plurality import Label
from .plurality_certifying import plurality_certificate_of
from .plurality_solution import PluralitySolution
from .request import Plan, Wishes
from .status import Found, coverage_of


def check_plurality_plan(wishes: Wishes, classes: Sequence[Label] | None = None) -> Plan:
    """Check all wishes that can be judged before there are votes.

    Parameters
    ----------
    wishes
        What was asked for.
    classes
        The classes, where they are known already.

    Raises
    ------
    InputError
        If an argument is wrong, or makes sense with two classes only.
    """
    _refuse_binary_options(wishes)
    criterion = check_criterion(wishes.objective, 2 if classes is None else len(classes))
    method = _check_method(wishes.method, wishes.solver, kind_of_criterion(criterion))
    circumstances = wishes.circumstances(method)
    requests = check_constraints(wishes.constraints)
    if classes is not None:
        check_class_limits(requests, classes)
    return Plan(method, circumstances, criterion, requests)


def plurality_answer(problem: PluralityProblem, run: Run, found: Found) -> PluralitySolution:
    """Return the answer for plurality votes."""
    members = run.incumbent.members
    return PluralitySolution(
        **found,
        committee=None if members is None else problem.committee(members),
        confusion=None if members is None else problem.confusion(members),
        value=None if members is None else problem.objective.read(problem.score(members)),
        coverage=coverage_of(problem, members),
        classes=problem.votes.classes,
        n_rows=problem.votes.n_rows,
        n_patterns=problem.n_patterns,
        problem=problem,
        certificate=plurality_certificate_of(problem, run, found["status"], found["trusted"]),
    )


def check_able(names: Sequence[object], kind: str, argument: str) -> None:
    """Refuse methods that cannot maximise an objective of some kind for several classes.

    Parameters
    ----------
    names
        The methods.
    kind
        Of the objective, see `kind_of_criterion`.
    argument
        What named them.
    """
    able = [method.name for method in METHODS.values() if kind in method.others]
    for name in names:
        if name not in able:
            what = " by an F-score" * (kind == "f-score")
            raise InputError(
                argument,
                f"{name!r} does not choose plurality committees{what}. There are "
                f"{', '.join(able)}.",
            )


def _check_method(method: object, solver: object, kind: str) -> Method:
    name = "brute" if solver == "brute" else method
    check_able([name], kind, "method")
    return METHODS[str(name)]


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
