"""Limits on criteria and on costs, compiled to integers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from ..numbers.exact import ceil_div, common_denominator
from ..votes.patterns import Patterns
from .constraints import OF_MEMBERS, AtLeast, AtMost, Budget, Constraint, Group
from .formulas import Ratio, Weights
from .gains import Gains
from .metrics import Criterion, formula_of


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
        assert request.of is None, "a limit on another class comes in as one on the positive class"
        found = []
        for weights, least in as_sums(request, *class_totals(patterns)):
            gains = Gains.of(weights, patterns)
            units = 1 if least is None else ceil_div(least / gains.unit)
            found.append(cls(weights, gains, units, request))
        return tuple(found)


_MIRRORED = {
    "recall": "specificity",
    "precision": "npv",
    "false_positive_rate": "false_negative_rate",
    "tp": "tn",
    "fn": "fp",
}
_MIRRORED |= {theirs: ours for ours, theirs in _MIRRORED.items()}
_ALIKE = ("accuracy", "balanced_accuracy", "cohen_kappa")
"""Criteria that mean the same whichever of two classes is called positive."""

_Request = TypeVar("_Request", bound=Constraint)


def about_positive(request: _Request, classes: Sequence[Any]) -> _Request:
    """Return a limit on one of two classes as one on the positive class, which it then leaves out.

    Parameters
    ----------
    request
        Any constraint; one that names no class comes back as it is.
    classes
        What the negative and the positive class are called.

    Raises
    ------
    InputError
        If it names another class.
    """
    if not isinstance(request, AtLeast | AtMost) or request.of is None:
        return request
    place = place_of(request, classes)
    criterion = request.what if place else _mirrored(request.what)
    name = request.name
    if name is None and not isinstance(criterion, str) and isinstance(request.what, str):
        name = f"{request.what} of {request.of}"
    return type(request)(criterion, request.limit, name=name)


def place_of(request: AtLeast | AtMost, classes: Sequence[Any]) -> int:
    """Return the place of the class that a limit names; the command line names it in text."""
    as_text: list[Any] = [str(label) for label in classes]
    for known in (list(classes), as_text):
        if request.of in known:
            return known.index(request.of)
    listed = ", ".join(map(repr, classes[:8])) + (", ..." * (len(classes) > 8))
    raise InputError(
        "constraints",
        f"{request}: {request.of!r} is none of the classes {listed}. Name one of them as `of`.",
    )


def _mirrored(criterion: Criterion) -> Criterion:
    """Return the criterion that is to the positive class what this is to the negative class."""
    if criterion in _ALIKE or criterion in _MIRRORED:
        return _MIRRORED.get(str(criterion), criterion)
    formula = formula_of(criterion, Fraction(1), Fraction(1))  # no other depends on the totals
    if isinstance(formula, Ratio):
        above, below = _turned(formula.numerator), _turned(formula.denominator)
        return Ratio(above, below, formula.zero_division)
    assert isinstance(formula, Weights), "refused when the limit was made"
    return _turned(formula)


def _turned(weights: Weights) -> Weights:
    return Weights(tp=weights.tn, fn=weights.fp, tn=weights.tp, fp=weights.fn)


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
