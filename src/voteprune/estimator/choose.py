"""From ballots to a committee, through the one door."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..committee import Committee
from ..exceptions import InfeasibleError, InputError
from ..prune import prune
from ..solution import Solution
from ..votes import Votes
from .collect import Ballots
from .target import Target


@dataclass(frozen=True, slots=True)
class Choice:
    """A solution that has a committee, and the committee."""

    solution: Solution
    committee: Committee


def choose(
    ballots: Ballots, target: Target, sample_weight: Any, wishes: Mapping[str, Any]
) -> Choice:
    """Prune a pool by its ballots.

    Raises
    ------
    InfeasibleError
        If no committee meets the constraints.
    InputError
        If the time was too short to find one.
    """
    truth = target.codes[ballots.rows] == target.positive
    votes = Votes(
        ballots.codes == target.positive,
        truth,
        sample_weight=sample_weight,
        names=ballots.names,
    )
    solution = prune(votes, **wishes)
    if solution.status == "infeasible":
        raise InfeasibleError(
            "constraints",
            f"{solution.explanation} Relax what cannot be met, or add better members to the pool.",
        )
    if solution.committee is None:
        raise InputError(
            "time_limit",
            f"no committee that meets the constraints was found in {solution.seconds:.1f} s "
            f"({solution.termination}), and none was ruled out. Give more time, or relax a "
            "constraint.",
        )
    return Choice(solution, solution.committee)
