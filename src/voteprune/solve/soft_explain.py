"""`SoftExplanation`: what a soft committee owes to whom, and who comes near it."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

from ..files.jsonfile import Written
from ..numbers.threads import threadpool_limits
from ..soft.committee import SoftCommittee
from ..soft.pruning import SoftPruning
from ..soft.tree import TOLERANCE, SoftTree
from .explanation import Verdict
from .words import html_of_table, lines_of

_MOST_NEAR = 10
"""Other committees that are told."""


@dataclass(frozen=True, slots=True)
class SoftRole:
    """What the committee owes to one member; values are minus the penalised mean loss.

    Parameters
    ----------
    member, name, weight
        Its index in the pool, its name and its weight.
    without
        Value of the others alone, weighted anew; None if they are not allowed.
    best
        Value of the best committee without it that is known; None if none is.
    bound
        What no committee without it can exceed; None if it is proved that there is none.
    verdict
        "needed": no committee without it is as good, by `bound`. "replaceable": one is, within the
        tolerance, by `best`. "open": neither is known; more time may tell.
    """

    member: int
    name: str
    weight: float
    without: float | None
    best: float | None
    bound: float | None
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class NearCommittee:
    """Another committee that comes near: who sits, and minus the penalised mean loss."""

    members: tuple[int, ...]
    names: tuple[str, ...]
    value: float


@dataclass(frozen=True, repr=False)
class SoftExplanation(Written):
    """Which members carry a soft committee, and which others come near it.

    Parameters
    ----------
    value
        Minus the penalised mean loss of the committee.
    members
        Its members, the heaviest first.
    others
        Other committees within `near` of the best, as a share of its loss, the best first. They
        are those that were met on the way: there may be more.
    near
        The share.
    """

    _KIND: ClassVar[str] = "soft_explanation"

    value: float
    members: tuple[SoftRole, ...]
    others: tuple[NearCommittee, ...]
    near: float

    def __repr__(self) -> str:
        return (
            f"<SoftExplanation: penalised loss {-self.value:.6g}, {len(self.members)} members, "
            f"{len(self.others)} other committees near>"
        )

    def summary(self) -> str:
        """Return it as lines of text; losses are penalised means."""
        lines = [
            self._title(),
            "",
            "  member            weight    without it  at least     verdict",
        ]
        lines += [
            f"  {role.name:<16} {role.weight:>7.3g} {_shown(role.best):>13} "
            f"{_shown(role.bound):>9}     {role.verdict}"
            for role in self.members
        ]
        lines += [f"  near         {', '.join(o.names)}: {-o.value:.6g}" for o in self.others]
        return lines_of(lines)

    def _title(self) -> str:
        return f"A committee of {len(self.members)} with a penalised loss of {-self.value:.6g}."

    def _repr_html_(self) -> str:
        rows = [
            [r.name, f"{r.weight:.3g}", _shown(r.best), _shown(r.bound), r.verdict]
            for r in self.members
        ]
        header = ["member", "weight", "best without it", "at least", "verdict"]
        return html_of_table(self._title(), header, rows)

    def _fields(self) -> dict[str, Any]:
        return asdict(self)


def explain_soft(
    problem: SoftPruning, committee: SoftCommittee, value: float, seconds: float, near: float
) -> SoftExplanation:
    """Find out what can be reached without each member.

    Parameters
    ----------
    problem, committee, value
        What was solved, and what was found.
    seconds
        Time for all members together.
    near
        How much more loss other committees may have to be told, as a share.
    """
    deadline = problem.search.deadline = time.monotonic() + seconds
    pairs = sorted(
        zip(committee.members, committee.weights, strict=True), key=lambda pair: -pair[1]
    )
    roles = list[SoftRole]()
    with threadpool_limits(1, "blas"):
        for place, (member, weight) in enumerate(pairs):
            until = time.monotonic() + (deadline - time.monotonic()) / (len(pairs) - place)
            roles.append(_role(problem, committee, member, weight, value, until))
    return SoftExplanation(value, tuple(roles), _others(problem, committee, value, near), near)


def _role(
    problem: SoftPruning,
    committee: SoftCommittee,
    member: int,
    weight: float,
    value: float,
    until: float,
) -> SoftRole:
    numbers, total = problem.numbers, problem.total
    rest = tuple(k for k in committee.members if k != member)
    without = problem.best(rest)
    tree = SoftTree(
        replace(numbers, forbidden=(*numbers.forbidden, member)),
        problem.loss,
        tolerance=0.9 * TOLERANCE,
    )
    # A committee's best weights do not depend on who else is forbidden.
    tree.search.share(problem.search)
    tree.offer(rest)
    tree.round(until)
    best = None if tree.best is None else -tree.best.value / total
    bound = None if tree.finished and best is None else -max(tree.lower_bound, 0.0) / total
    verdict: Verdict = "open"
    if best is not None and best >= value - TOLERANCE * abs(value):
        verdict = "replaceable"
    elif bound is None or bound < value:
        verdict = "needed"
    return SoftRole(
        member,
        problem.said.names[member],
        weight,
        None if without is None else without[1],
        best,
        bound,
        verdict,
    )


def _others(
    problem: SoftPruning, committee: SoftCommittee, value: float, near: float
) -> tuple[NearCommittee, ...]:
    """Return the committees met that are allowed, seat others, and come near."""
    found: dict[tuple[int, ...], float] = {}
    for members, point in problem.search.fitted.items():
        reached = -point.value / problem.total
        if reached < value - near * abs(value) or not problem.numbers.allows(members):
            continue
        seated = problem.numbers.sitting(point.members.tolist(), point.weights)
        if seated != committee.members:
            found[seated] = max(reached, found.get(seated, reached))
    ranked = sorted(found.items(), key=lambda item: (-item[1], item[0]))[:_MOST_NEAR]
    names = problem.said.names
    return tuple(
        NearCommittee(members, tuple(names[k] for k in members), reached)
        for members, reached in ranked
    )


def _shown(value: float | None) -> str:
    """Write a value as the loss it is."""
    return "none" if value is None else f"{-value:.6g}"
