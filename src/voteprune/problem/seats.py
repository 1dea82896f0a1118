"""`Seats`: who may sit and how many, asked alike of problems with any number of classes.

`Coverage` says on which rows at least one member of a committee votes, and on how many it must.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..numbers.exact import IntArray, ceil_div, sum_by_group, total
from ..votes.patterns import sorted_rows
from ..votes.plurality import PluralityVotes
from ..votes.votes import Votes
from .constraints import AtLeast, Budget, Constraint, Forbid, Require, size_range
from .limits import CostLimit, seats_within


@dataclass(frozen=True, eq=False)
class Coverage:
    """Who votes where, rows on which the same classifiers vote merged.

    Parameters
    ----------
    voted
        Who votes, G x K.
    weight
        Weight of the rows behind each line, in the unit of the votes' weights.
    least
        Weight of the rows on which a member must vote.
    """

    voted: NDArray[np.bool_]
    weight: IntArray
    least: int = 0

    @classmethod
    def of(cls, votes: Votes | PluralityVotes) -> Coverage | None:
        """Return the coverage of votes; None where everybody votes everywhere."""
        kept = votes.weights > 0
        if votes.voted is None or votes.voted[kept].all():
            return None
        order, new = sorted_rows(votes.voted[kept])
        groups = np.cumsum(new) - 1
        weight = sum_by_group(votes.weights[kept][order], groups, int(groups[-1]) + 1)
        return cls(votes.voted[kept][order[new]], weight)

    def under(self, requests: Sequence[Constraint]) -> Coverage:
        """Return it with as much to be covered as constraints ask for."""
        shares = [
            item.limit for item in requests if isinstance(item, AtLeast) and item.what == "coverage"
        ]
        return replace(self, least=ceil_div(max(shares, default=Fraction(0)) * total(self.weight)))

    def covered(self, members: Sequence[int]) -> int:
        """Return the weight of the rows on which at least one of these votes."""
        return total(self.weight[self.voted[:, list(members)].any(axis=1)])

    def share(self, members: Sequence[int]) -> float:
        """Return the share of the rows on which at least one of these votes."""
        return float(Fraction(self.covered(members), total(self.weight)))

    def meets(self, members: Sequence[int]) -> bool:
        """Tell exactly whether these vote on as many rows as they must."""
        return not self.least or self.covered(members) >= self.least


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
    def recount(self) -> float:
        """Seconds that a last pass over the rows will take: none, for they are in memory."""
        return 0.0

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

    @property
    def least_size(self) -> int:
        """The fewest members that limits on size and members allow."""
        return max(self.size_min, len(self.required), 1)

    @property
    def most_size(self) -> int:
        """The most members that limits on size and members allow."""
        return min(self.size_max, len(self.allowed))

    @property
    def sizes(self) -> range:
        """The sizes that limits on size and members allow."""
        return range(self.least_size, self.most_size + 1)

    @property
    def required_places(self) -> NDArray[np.intp]:
        """Places of the classifiers that must sit among those that are allowed."""
        return np.flatnonzero(np.isin(self.allowed, self.required))

    def burden(self, members: Sequence[int]) -> tuple[int, ...]:
        """Return how many different ones sit, and what they cost by each budget."""
        sitting = set(members)
        costs = (
            sum(limit.costs[k] for k in sitting)
            for limit in self.cost_limits
            if isinstance(limit.request, Budget)
        )
        return len(sitting), *costs

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
