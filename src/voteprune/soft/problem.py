"""`SoftProblem`: what members say, what was true, and which committees are allowed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from ..numbers.floats import Floats
from .log_odds import LARGEST, SMALLEST
from .moments import Moments

Places = NDArray[np.intp]

LOG_LOSS, POOL_LOG_LOSS, POOL_BRIER = "log_loss", "pool_log_loss", "pool_brier"
"""Weighted log-odds by log loss; linear pools, whose weights sum to 1, by log loss or Brier."""

LOSSES = (LOG_LOSS, POOL_LOG_LOSS, POOL_BRIER)


@dataclass(frozen=True, slots=True, eq=False)
class Budget:
    """The members' costs sum to at most a limit, both exact."""

    costs: tuple[Fraction, ...]
    limit: Fraction


@dataclass(frozen=True, slots=True)
class Group:
    """Of some members at least and at most so many sit."""

    members: tuple[int, ...]
    at_least: int = 0
    at_most: int | None = None

    def allows(self, chosen: set[int]) -> bool:
        """Return whether as many of them sit as should."""
        seated = len(chosen.intersection(self.members))
        return self.at_least <= seated and (self.at_most is None or seated <= self.at_most)


@dataclass(frozen=True, eq=False)
class SoftProblem:
    """A pool, a loss and the committees that are allowed, all in numbers.

    Parameters
    ----------
    answers
        What members say, n x K for two classes, n x K x C for more: log-odds
        (`Probabilities.log_odds`) for `log_loss`, probabilities (`Probabilities.shares`) for the
        linear pools.
    labels
        Places of the true classes; 0 and 1 for two.
    weights
        Weights of the rows, zero or above.
    penalty
        Ridge on the members' weights, in units of one row of mean weight.
    loss
        One of `LOSSES`.
    size_min, size_max
        Fewest and most members.
    required, forbidden
        Who must and who must not sit.
    budgets, groups
        Further limits.
    moments
        By the squared loss, what rows that are not in memory sum to; `answers`, `labels` and
        `weights` have no rows then.
    """

    answers: Floats
    labels: Places
    weights: Floats
    penalty: float = 100.0
    loss: str = LOG_LOSS
    size_min: int = 1
    size_max: int | None = None
    required: tuple[int, ...] = ()
    forbidden: tuple[int, ...] = ()
    budgets: tuple[Budget, ...] = ()
    groups: tuple[Group, ...] = ()
    moments: Moments | None = None

    def __post_init__(self) -> None:
        check_penalty(self.penalty)
        if self.loss not in LOSSES:
            raise InputError("loss", f"is {self.loss!r}; choose one of {', '.join(LOSSES)}.")
        k, most = self.n_members, self.most
        if not 1 <= self.size_min <= most:
            raise InputError(
                "size_min", f"is {self.size_min}; it lies between 1 and {most}, the most members."
            )
        for name, members in (("required", self.required), ("forbidden", self.forbidden)):
            if any(not 0 <= member < k for member in members):
                raise InputError(name, f"has a member outside 0 .. {k - 1}.")
        for budget in self.budgets:
            if len(budget.costs) != k or any(cost < 0 for cost in budget.costs):
                raise InputError(
                    "constraints",
                    f"a Budget of soft committees has {k} costs, one per member, all of them zero "
                    "or above. Give such costs, or vp.Votes, whose budgets take negative ones.",
                )
        for group in self.groups:
            if any(not 0 <= member < k for member in group.members):
                raise InputError("groups", f"has a member outside 0 .. {k - 1}.")

    @property
    def n_members(self) -> int:
        """Size of the pool, K."""
        return int(self.answers.shape[1])

    @property
    def most(self) -> int:
        """Most members a committee may have."""
        return min(self.n_members, self.size_max or self.n_members)

    @cached_property
    def ridge(self) -> float:
        """Lambda: the penalty times the mean weight of rows that carry weight."""
        summed = self.moments
        rows = np.count_nonzero(self.weights > 0) if summed is None else summed.rows
        return float(self.penalty * self.total / rows)

    @cached_property
    def total(self) -> float:
        """Weight of all rows; losses divided by it are means."""
        return float(self.weights.sum()) if self.moments is None else self.moments.weight

    @cached_property
    def rows(self) -> tuple[Floats, Floats]:
        """The limits as rows of ``A x <= limits``, the size first, nearly."""
        _, lines, limits = zip(*self._named_rows(), strict=True)
        return np.array(lines), np.array(limits)

    @cached_property
    def row_names(self) -> tuple[tuple[str, int], ...]:
        """What certificates call these rows: a kind, and a place among its kind."""
        return tuple(name for name, _, _ in self._named_rows())

    def _named_rows(self) -> Iterator[tuple[tuple[str, int], Floats, float]]:
        ones = np.ones(self.n_members)
        yield ("size_max", 0), ones, float(self.most)
        if self.size_min > 1:
            yield ("size_min", 0), -ones, -float(self.size_min)
        for place, budget in enumerate(self.budgets):
            yield ("cost", place), np.array(list(map(float, budget.costs))), float(budget.limit)
        for place, group in enumerate(self.groups):
            inside = np.zeros(self.n_members)
            inside[list(group.members)] = 1
            if group.at_most is not None:
                yield ("at_most", place), inside, float(group.at_most)
            if group.at_least > 0:
                yield ("at_least", place), -inside, -float(group.at_least)

    def allows(self, members: Iterable[int]) -> bool:
        """Return whether a committee meets every limit, exactly."""
        chosen = set(members)
        return (
            self.size_min <= len(chosen) <= self.most
            and chosen.issuperset(self.required)
            and chosen.isdisjoint(self.forbidden)
            and all(group.allows(chosen) for group in self.groups)
            and all(
                sum((budget.costs[k] for k in chosen), Fraction(0)) <= budget.limit
                for budget in self.budgets
            )
        )

    def misfits(self, inside: Iterable[int], free: Iterable[int]) -> list[int]:
        """Return the free members that no committee with those inside has room for."""
        if not self.budgets and not self.groups:
            return []
        seated = set(inside)
        rooms = [
            budget.limit - sum((budget.costs[k] for k in seated), Fraction(0))
            for budget in self.budgets
        ]
        full = [
            set(group.members)
            for group in self.groups
            if group.at_most is not None
            and len(seated.intersection(group.members)) >= group.at_most
        ]
        return [
            k
            for k in free
            if any(k in members for members in full)
            or any(budget.costs[k] > room for budget, room in zip(self.budgets, rooms, strict=True))
        ]

    def sitting(self, members: Iterable[int], weights: Floats) -> tuple[int, ...]:
        """Return who sits: members of weight 0 leave, unless a limit needs them or none is left."""
        pairs = sorted((int(k), float(w)) for k, w in zip(members, weights, strict=True))
        chosen = [member for member, _ in pairs]
        for member, weight in pairs:
            if weight <= 0:
                rest = [other for other in chosen if other != member]
                if rest and self.allows(rest):
                    chosen = rest
        return tuple(chosen)


def check_penalty(penalty: float) -> None:
    """Refuse a ridge under which weights would not be bounded, or beyond what floats hold."""
    if not (math.isfinite(penalty) and penalty > 0):
        raise InputError("penalty", f"is {penalty!r}; it must be a number above 0. Try 30.")
    if not SMALLEST <= penalty <= LARGEST:
        raise InputError(
            "penalty", f"is {penalty!r}; expected {SMALLEST:g} to {LARGEST:g}. Try 30."
        )
