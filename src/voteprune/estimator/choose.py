"""From ballots to a committee, through the one door."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..problem.committee import Committee
from ..problem.constraints import Constraint
from ..problem.plurality_committee import PluralityCommittee
from ..prune import prune
from ..solve.base_solution import require_committee
from ..solve.plurality_solution import PluralitySolution
from ..solve.request import Arguments, check_plan, check_plurality_plan
from ..solve.solution import Solution
from ..votes.abstaining import Abstentions
from ..votes.plurality import PluralityVotes
from ..votes.votes import Votes
from .collect import Ballots
from .target import Target
from .voter import ABSTAINS


@dataclass(frozen=True, slots=True)
class Choice:
    """A solution that has a committee, and the committee."""

    solution: Solution | PluralitySolution
    committee: Committee | PluralityCommittee


def check_requests(
    target: Target, arguments: Mapping[str, Any], rule: Abstentions | None = None
) -> tuple[Constraint, ...]:
    """Check what is asked for, by the rules for as many classes as there are.

    Returns
    -------
    tuple of constraints

    Raises
    ------
    InputError
        If an argument is wrong, or makes sense with two classes only.
    """
    if target.positive is None:
        return check_plurality_plan(Arguments(**arguments), target.classes.tolist()).requests
    if rule == "skip":
        return check_plurality_plan(Arguments(**arguments), (0, 1)).requests
    return check_plan(**arguments).requests


def choose(
    ballots: Ballots,
    target: Target,
    sample_weight: Any,
    arguments: Mapping[str, Any],
    rule: Abstentions | None = None,
) -> Choice:
    """Prune a pool by its ballots.

    Raises
    ------
    InfeasibleError
        If no committee meets the constraints.
    InputError
        If the time was too short to find one.
    """
    solution = prune(_votes(ballots, target, sample_weight, rule), **arguments)
    return Choice(solution, require_committee(solution))


def _votes(
    ballots: Ballots, target: Target, sample_weight: Any, rule: Abstentions | None
) -> Votes | PluralityVotes:
    truth, silent = target.codes[ballots.rows], ballots.codes == ABSTAINS
    if target.positive is None:
        named = target.classes[ballots.codes]
        return PluralityVotes(
            named if rule is None else np.ma.masked_array(named, silent),
            target.classes[truth],
            sample_weight=sample_weight,
            names=ballots.names,
            classes=target.classes.tolist(),
            abstentions=rule,
        )
    positive = ballots.codes == target.positive
    return Votes(
        positive if rule is None else np.where(silent, np.nan, positive),
        truth == target.positive,
        sample_weight=sample_weight,
        names=ballots.names,
        abstentions=rule,
    )
