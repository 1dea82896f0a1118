"""Soft committees for the estimator: when to have one, choosing it, and what it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from sklearn.ensemble import VotingClassifier
from sklearn.tree import DecisionTreeClassifier

from ..exceptions import InputError
from ..problem.constraints import Budget, Constraint
from ..prune import prune
from ..soft.committee import SoftCommittee
from ..soft.probabilities import Probabilities
from ..soft.pruning import OBJECTIVES, check_limits
from ..solve.base_solution import require_committee
from ..solve.request import PENALTY, Arguments, check_soft_plan
from ..solve.soft_solution import SoftSolution
from ..strategies.registry import kind_of as kind_of_request
from ..votes.abstaining import Abstentions
from .answers import Answers, Floats, question_for
from .default_objective import AUTO, is_open, limits_criteria, pays
from .ensembles import kind_of
from .pool import Pool, is_fitted
from .target import Target

HARD: Final = "hard"
SOFT: Final = "soft"


@dataclass(frozen=True, slots=True)
class SoftChoice:
    """A solution that has a committee, and the committee."""

    solution: SoftSolution
    committee: SoftCommittee


def read_voting(
    voting: object,
    penalty: object,
    arguments: Mapping[str, Any],
    pool: Pool,
    rule: Abstentions | None = None,
) -> bool:
    """Return whether the committee is to be a soft one.

    Raises
    ------
    InputError
        If `voting` is no known word, or a penalty or rule is given where none is of use.
    """
    if not isinstance(voting, str) or voting not in (HARD, SOFT, AUTO):
        raise InputError("voting", f"is {voting!r}. Give 'hard', 'soft' or 'auto'.")
    losing = isinstance(arguments["objective"], str) and arguments["objective"] in OBJECTIVES
    if rule is not None and (voting == SOFT or (voting == AUTO and losing)):
        raise InputError(
            "abstentions",
            "is for hard votes: in a soft committee whoever says nothing (NaN) adds nothing to the "
            "log-odds. Leave it out, or give voting='hard' and a criterion such as 'accuracy'.",
        )
    soft = voting == SOFT or (voting == AUTO and rule is None and _suits(arguments, pool))
    if penalty is not None and not soft:
        raise InputError(
            "penalty", "is for weights, and hard votes have none. Leave it out, or voting='soft'."
        )
    return soft


def _suits(arguments: Mapping[str, Any], pool: Pool) -> bool:
    """Whether a loss is asked for, or nothing that hard committees are better at."""
    if isinstance(arguments["objective"], str) and arguments["objective"] in OBJECTIVES:
        return True
    if pool.alike or not is_open(arguments):
        return False
    if any(arguments[name] is not None for name in ("diversity", "solver", "threshold")):
        return False
    try:
        plan = check_soft_plan(Arguments(**{**arguments, "objective": "log_loss"}), PENALTY)
    except InputError:
        return False
    for_votes = limits_criteria(plan.requests) or any(map(_counts_votes, plan.requests))
    return not for_votes and all(question_for(member) != "predict" for member in _models(pool))


def _counts_votes(item: Constraint) -> bool:
    """Whether a limit on members is one that only committees that count votes can keep."""
    return kind_of_request(item) == "coverage" or pays(item)


def _models(pool: Pool) -> list[Any]:
    """Return the members, or what they are copies of where only fitting makes them."""
    if pool.ensemble is None:
        return [member for _, member in pool.pairs]
    if is_fitted(pool.ensemble):
        return [voter.model for voter in kind_of(pool.ensemble).members(pool.ensemble)]
    if isinstance(pool.ensemble, VotingClassifier):
        return [member for _, member in pool.ensemble.estimators if member != "drop"]
    return [pool.ensemble.estimator or DecisionTreeClassifier()]


def check_soft_requests(
    target: Target, arguments: Mapping[str, Any], penalty: object
) -> tuple[Constraint, ...]:
    """Check what is asked for, before anything is trained.

    Raises
    ------
    InputError
        If an argument is wrong, or makes no sense for soft committees.
    """
    plan = check_soft_plan(Arguments(**arguments), PENALTY if penalty is None else penalty)
    check_limits(plan.requests, len(target.classes))
    for item in plan.requests:
        if isinstance(item, Budget) and pays(item):
            raise InputError(
                "Budget(costs)",
                f"has costs below 0 ({item.name}), which soft committees cannot have. Give costs "
                "of 0 or above, or voting='hard'.",
            )
    return plan.requests


def takes_scores(objective: str) -> bool:
    """Whether members may give scores: a linear pool needs probabilities."""
    return objective == "log_loss"


def choose_soft(
    answers: Answers, target: Target, sample_weight: Any, arguments: Mapping[str, Any], penalty: Any
) -> SoftChoice:
    """Prune a pool by its answers.

    Raises
    ------
    InfeasibleError
        If no committee meets the constraints.
    InputError
        If the time was too short to find one, or no cut-off of it keeps the limits on criteria.
    """
    classes = target.classes.tolist()
    solution = prune(
        Probabilities(
            answers.said,
            target.classes[target.codes[answers.rows]],
            sample_weight=sample_weight,
            classes=classes,
            positive=None if target.positive is None else classes[target.positive],
            scores=answers.scores,
        ),
        penalty=penalty,
        **{name: arguments[name] for name in _FOR_PRUNE if name in arguments},
    )
    committee = require_committee(solution)
    if not solution.limits_kept:
        raise InputError(
            "constraints",
            f"{solution.explanation} Relax a limit, or allow other members.",
        )
    return SoftChoice(solution, committee)


_FOR_PRUNE = (
    *("objective", "constraints", "method", "time_limit", "random_state", "n_jobs"),
    *("start", "callback"),
)


def shares_of(committee: SoftCommittee, said: Mapping[str, Floats], positive: int | None) -> Floats:
    """Return the committee's probability of every class, in the order of the classes.

    Parameters
    ----------
    committee
        The committee.
    said
        What its members say, of two classes about the positive one.
    positive
        The place of the positive class; None where there are more than two.
    """
    shares = committee.predict_proba(said)
    # The committee has the positive class last.
    return shares[:, ::-1] if positive == 0 else shares


def ahead_of_cutoff(committee: SoftCommittee, shares: Floats, positive: int | None) -> Floats:
    """Return by how much the second class is ahead, above 0 iff it is decided on.

    Parameters
    ----------
    committee
        The committee.
    shares
        Its probabilities, in the order of the classes.
    positive
        The place of the positive class; None where there are more than two, which have their
        probabilities as they are.
    """
    if positive is None:
        return shares
    ahead = shares[:, positive] - committee.cutoff
    if positive == 1:
        return np.asarray(ahead)
    # At the cut-off itself the decision is against the positive class, so for the second one.
    return np.where(ahead == 0, np.finfo(np.float64).tiny, -ahead)
