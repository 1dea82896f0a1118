"""Limits on criteria and on costs, compiled to integers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from ..numbers.exact import ceil_div, common_denominator
from ..votes.patterns import Patterns
from .constraints import OF_MEMBERS, AtLeast, AtMost, Budget, Constraint, Group
from .formulas import Ratio, Weights
from .gains import Gains
from .metrics import formula_of


@dataclass(frozen=True, eq=False)
class MetricLimit:
    """``gains >= least`` in units, for a constraint on a criterion; AtMost comes in negated."""

    weights: Weights
    gains: Gains
    least: int
    request: Constraint

    @classmethod
    def all_of(cls, request: AtLeast | AtMost, patterns: Patterns) -> tuple[MetricLimit, ...]:
        """Compile a floor or a ceiling on a criterion; a ratio may take two."""
        if request.of not in (None, 1):
            raise InputError(
                "constraints",
                f"{request}: of two classes the positive one is meant, 1. Leave `of` out; the "
                "negative class has specificity for its recall, and npv for its precision.",
            )
        found = []
        for weights, least in as_sums(request, *class_totals(patterns)):
            gains = Gains.of(weights, patterns)
            units = 1 if least is None else ceil_div(least / gains.unit)
            found.append(cls(weights, gains, units, request))
        return tuple(found)


def as_sums(
    request: AtLeast | AtMost, positives: Fraction, negatives: Fraction
) -> tuple[tuple[Weights, Fraction | None], ...]:
    """Return a limit on a criterion as weighted sums of the counts, and what each must reach.

    Parameters
    ----------
    request
        A floor or a ceiling, which comes in negated.
    positives, negatives
        Weight of the two classes.

    Returns
    -------
    pairs
        None in the place of a number: the sum must be above 0.
    """
    if request.what in OF_MEMBERS:
        raise AssertionError("a size is not a criterion")
    formula, limit = formula_of(request.what, positives, negatives), request.limit
    sign = 1 if isinstance(request, AtLeast) else -1
    more: tuple[tuple[Weights, None], ...] = ()
    if isinstance(formula, Ratio):
        # n / d >= r says n - r d >= 0 wherever d is not 0.
        if formula.vanishes(positives, negatives):
            more = _at_zero(request, formula, positives, negatives, sign)
        formula, limit = formula.numerator.plus(formula.denominator, -limit), Fraction(0)
    if not isinstance(formula, Weights):
        raise AssertionError("refused when the limit was made")
    return (Weights().plus(formula, Fraction(sign)), sign * limit), *more


def _at_zero(
    request: AtLeast | AtMost, ratio: Ratio, positives: Fraction, negatives: Fraction, sign: int
) -> tuple[tuple[Weights, None], ...]:
    """Return what a limit on a ratio takes so that it means what it says at 0 / 0."""
    if sign * ratio.zero_division < sign * request.limit:
        return ((ratio.denominator, None),)
    if ratio.wanders(positives, negatives, -sign):
        raise InputError(
            "constraints",
            f"{request} holds by convention where the denominator is 0, which no weighted sum can "
            "say. Give the ratio another zero_division.",
        )
    return ()


@dataclass(frozen=True)
class CostLimit:
    """Members' costs, as integers, must not add up to more than `most`.

    In a group each costs 1 where so many may sit, and -1 where so many must.
    """

    costs: tuple[int, ...]
    most: int
    request: Constraint

    @classmethod
    def all_of(cls, requests: Sequence[Constraint], names: Sequence[str]) -> tuple[CostLimit, ...]:
        """Compile all budgets and groups for the pool called `names`."""
        found: list[CostLimit] = []
        for request in requests:
            if isinstance(request, Budget):
                found.append(cls.of(request, names))
            elif isinstance(request, Group):
                found.extend(cls._of_group(request, names))
        return tuple(found)

    @classmethod
    def _of_group(cls, request: Group, names: Sequence[str]) -> Iterator[CostLimit]:
        """Compile what a group asks for; nothing where it allows anything."""
        members, least, most = request.range(names)
        costs = tuple(int(k in set(members)) for k in range(len(names)))
        if most < len(members):
            yield cls(costs, most, request)
        if least > 0:
            yield cls(tuple(-cost for cost in costs), -least, request)

    @classmethod
    def of(cls, request: Budget, names: Sequence[str]) -> CostLimit:
        """Compile a budget for the pool called `names`.

        No cost is larger than it takes to be unaffordable, so that beside one that is out of all
        proportion the others still count for something.
        """
        given = request.for_pool(names)
        scale = common_denominator((*given, request.limit))
        costs, most = [int(cost * scale) for cost in given], math.floor(request.limit * scale)
        # A negative cost is income, which the other members may spend as well.
        funds = max(most, 0) - sum(min(cost, 0) for cost in costs)
        return cls(tuple(min(cost, 2 * funds + 1) for cost in costs), most, request)

    def in_shares(self, members: Sequence[int]) -> tuple[NDArray[np.float64], float]:
        """Return the costs of some members and the limit, in shares of their largest cost.

        Whatever the numbers are, these are floats of a handy size: a limit that no committee can
        reach, or none can meet, is cut off where that is still so.
        """
        largest = max((abs(self.costs[k]) for k in members), default=0) or 1
        shares = np.array([float(Fraction(self.costs[k], largest)) for k in members])
        beyond = Fraction(len(self.costs) + 1)
        return shares, float(min(max(Fraction(self.most, largest), -beyond), beyond))


def seats_within(
    limit: CostLimit, forbidden: Sequence[int], size_max: int
) -> tuple[tuple[int, ...], int]:
    """Return who cannot sit, and how many can at the most, under a limit on costs from 0 on."""
    shut = {*forbidden, *(k for k, cost in enumerate(limit.costs) if cost > limit.most)}
    cheapest = sorted(cost for k, cost in enumerate(limit.costs) if k not in shut)
    seats = sum(spent <= limit.most for spent in itertools.accumulate(cheapest))
    return tuple(sorted(shut)), min(size_max, seats)


def class_totals(patterns: Patterns) -> tuple[Fraction, Fraction]:
    """Return the weight of the positive and of the negative class."""
    positives, negatives = patterns.totals
    return Fraction(positives, patterns.denominator), Fraction(negatives, patterns.denominator)
