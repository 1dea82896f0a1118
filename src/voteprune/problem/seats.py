"""`Seats`: who may sit and how many, asked alike of problems with any number of classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

from ..votes.plurality import PluralityVotes
from ..votes.votes import Votes
from .constraints import Budget, Constraint, Forbid, Require, size_range
from .coverage import Coverage
from .limits import CostLimit, seats_within


@dataclass(frozen=True, eq=False, kw_only=True)
class Seats:
    """The limits on members; what decisions are worth, and limits on them, are its subclasses'.

    Parameters
    ----------
    votes
        The rows.
    requests
        The constraints.
    size_min, size_max, required, forbidden, cost_limits
        What they say about members.
    coverage
        Who votes where, and on how many rows members must; None where nobody abstains.
    """

    votes: Votes | PluralityVotes
    requests: tuple[Constraint, ...] = ()
    size_min: int = 1
    size_max: int
    required: tuple[int, ...] = ()
    forbidden: tuple[int, ...] = ()
    cost_limits: tuple[CostLimit, ...] = ()
    coverage: Coverage | None = field(default=None, repr=False)

    def _under(self, requests: Sequence[Constraint], **others: Any) -> Self:
        """Return the same problem under other limits on members, and with other fields."""
        names = self.votes.names
        size_min, size_max = size_range(requests, len(names))
        return replace(
            self,
            requests=tuple(requests),
            size_min=size_min,
            size_max=size_max,
            required=member_indices(requests, Require, names),
            forbidden=member_indices(requests, Forbid, names),
            cost_limits=CostLimit.all_of(requests, names),
            coverage=None if self.coverage is None else self.coverage.under(requests),
            **others,
        )

    def within(self, budget: Budget) -> Self:
        """Return the same problem under one more budget, of costs from 0 on.

        Whoever exceeds it alone is forbidden, and no more may sit than the cheapest that fit.
        """
        limit = CostLimit.of(budget, self.votes.names)
        forbidden, size_max = seats_within(limit, self.forbidden, self.size_max)
        return replace(
            self,
            requests=(*self.requests, budget),
            cost_limits=(*self.cost_limits, limit),
            forbidden=forbidden,
            size_max=size_max,
        )

    @property
    def n_classifiers(self) -> int:
        """Number of classifiers K."""
        return self.votes.n_classifiers

    @cached_property
    def allowed(self) -> tuple[int, ...]:
        """Classifiers that are not forbidden."""
        return tuple(sorted(set(range(self.n_classifiers)) - set(self.forbidden)))

    @property
    def must_cover(self) -> bool:
        """Whether members must vote on so many rows, where they may abstain."""
        return self.coverage is not None and self.coverage.least > 0

    def may_sit(self, members: set[int]) -> bool:
        """Tell exactly whether members meet the limits on size, members, costs and coverage."""
        return (
            self.size_min <= len(members) <= self.size_max
            and members.issuperset(self.required)
            and members.isdisjoint(self.forbidden)
            and all(
                sum(limit.costs[k] for k in members) <= limit.most for limit in self.cost_limits
            )
            and (self.coverage is None or self.coverage.meets(sorted(members)))
        )


def member_indices(
    requests: Sequence[Constraint], kind: type[Require] | type[Forbid], names: Sequence[str]
) -> tuple[int, ...]:
    """Return the places of the classifiers that constraints of this kind name."""
    found = {k for request in requests if isinstance(request, kind) for k in request.indices(names)}
    return tuple(sorted(found))
