"""Margin objectives: how clearly a committee decides, not only whether it is right.

A committee of S members decides by majority: positive iff more than L = floor(S / 2) vote so. On a
row, the *margin* is the number of correct votes less the number needed, plus a half: +1/2 is won by
one vote, -1/2 is lost by one. A margin objective rewards a row by its margin up to a *reach* of
about ``theta * S ** growth`` votes. The root of S, a growth of 1/2, is the scale on which the votes
of S independent members scatter; members that err together scatter more, up to a growth of 1.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from ..numbers.exact import combine, exact, show, sum_by_group
from ..votes.patterns import Patterns
from .committee import Committee, majority
from .formulas import Weights
from .gains import Gains
from .limits import class_totals
from .metrics import resolve
from .objective import BinaryObjective

if TYPE_CHECKING:
    from .problem import Problem

AUTOMATIC: Final = "margin"
"""The objective whose kind is `Ramp` and whose scale is chosen by cross-validation."""

_LARGEST = 1000
_WRITTEN = re.compile(r"(ramp|hinge)\(theta=([\d.e-]+)(?:, growth=([\d.]+))?\)")
_POWERS = tuple(Fraction(quarter, 4) for quarter in range(5))


@dataclass(frozen=True, slots=True, init=False)
class Margin(ABC):
    """What rows are worth by their margin; `Ramp` and `Hinge` are the two kinds.

    A row is worth 1 when it is won by the reach or more, 1/2 at a margin of 0, and less on the
    way down; the objective is the mean over the rows, by their weight.

    Parameters
    ----------
    theta
        The reach, in votes, of a committee of one.
    growth
        The power of the size with which it grows: 0, 0.25, 0.5, 0.75 or 1. The larger, the
        smaller the committees.
    """

    theta: Fraction
    growth: Fraction

    def __init__(self, theta: object, growth: object = 0.5) -> None:
        name = type(self).__name__
        value = exact(theta, f"{name}(theta)")
        if not 0 < value <= _LARGEST:
            raise InputError(
                f"{name}(theta)",
                f"is {theta!r}; expected a number above 0 and at most {_LARGEST}. Useful are 0.25 "
                f"to 4; objective={AUTOMATIC!r} chooses one.",
            )
        power = exact(growth, f"{name}(growth)")
        if power not in _POWERS:
            listed = ", ".join(map(show, _POWERS))
            raise InputError(f"{name}(growth)", f"is {growth!r}; expected one of {listed}.")
        object.__setattr__(self, "theta", value)
        object.__setattr__(self, "growth", power)

    def __str__(self) -> str:
        power = "" if self.growth == _POWERS[2] else f", growth={show(self.growth)}"
        return f"{type(self).__name__.lower()}(theta={show(self.theta)}{power})"

    def reach(self, size: int) -> int:
        """Return the reach of a committee of this size, in half votes.

        It is ``2 * theta * size ** growth`` rounded to the next whole number, at least 1. Votes
        are whole, so nothing finer could be seen in them, and the objective stays a fraction:
        with the root itself it would be irrational, and committees of different sizes could only
        be compared as sums of roots.
        """
        fourth_power = (4 * self.theta) ** 4 * size ** int(4 * self.growth)
        doubled = math.isqrt(math.isqrt(math.floor(fourth_power)))
        return max(1, (doubled + 1) // 2)

    def worth(self, size: int) -> NDArray[np.int64]:
        """Return what a row is worth with 0 .. size positive votes.

        Returns
        -------
        worth
            Two rows: of a positive and of a negative row with so many *positive* votes, in units
            of ``1 / (2 * reach)``.
        """
        doubled = 2 * np.arange(size + 1, dtype=np.int64) - 2 * majority(size) - 1
        reach = self.reach(size)
        return np.stack([reach + self._shape(sign * doubled, reach) for sign in (1, -1)])

    @staticmethod
    @abstractmethod
    def _shape(margin: NDArray[np.int64], reach: int) -> NDArray[np.int64]:
        """Cut margins, in half votes, at the reach."""


def read_margin(text: str) -> Margin:
    """Read a margin as `str` writes it.

    Raises
    ------
    InputError
        If the text is no such thing.
    """
    found = _WRITTEN.fullmatch(text)
    if found is None:
        raise InputError("objective", f"{text!r} is no margin such as 'ramp(theta=1)'.")
    kind, theta, growth = found.groups()
    return KINDS[kind](Fraction(theta), _POWERS[2] if growth is None else Fraction(growth))


def check_margin(objective: object) -> Margin | Literal["margin"] | None:
    """Return the margin an objective asks for, None if it is another kind of objective.

    Raises
    ------
    InputError
        If a kind of margin is given without its scale.
    """
    if isinstance(objective, Margin):
        return objective
    if isinstance(objective, type) and issubclass(objective, Margin):
        raise InputError(
            "objective",
            f"{objective.__name__} needs a scale. Give {objective.__name__}(1.0), say, or "
            f"{AUTOMATIC!r} to have one chosen.",
        )
    return AUTOMATIC if objective == AUTOMATIC else None


@dataclass(frozen=True, slots=True, init=False)
class Ramp(Margin):
    """The margin cut at the reach on both sides: a soft accuracy between 0 and 1.

    However badly a row is lost, it costs no more than one lost by the reach, so hopeless rows do
    not draw the committee towards them. With a small theta it is the accuracy by majority.
    """

    @staticmethod
    def _shape(margin: NDArray[np.int64], reach: int) -> NDArray[np.int64]:
        return np.clip(margin, -reach, reach)


@dataclass(frozen=True, slots=True, init=False)
class Hinge(Margin):
    """The margin cut at the reach above only: concave, so that bounds are nearly tight.

    Rows lost by more than the reach count below 0, every vote more.
    """

    @staticmethod
    def _shape(margin: NDArray[np.int64], reach: int) -> NDArray[np.int64]:
        return np.minimum(margin, reach)


KINDS: Final[dict[str, type[Margin]]] = {"ramp": Ramp, "hinge": Hinge}
"""The kinds of margin by name."""


_MOST_DIGITS = 2**800


@dataclass(frozen=True, eq=False)
class MarginObjective(BinaryObjective):
    """A margin, in exact integers; committees decide by majority only.

    Its `gains` are those of accuracy, written in the margin's finer unit. No row is worth more
    than a row won, so their ceiling holds for margins too. So does the closure bound: worth grows
    with the votes, so of two rows that exclude each other one row's worth can be had at most. Only
    a row that nobody gets right is not lost whole, if it is lost by less than the reach.

    Parameters
    ----------
    margin
        What was asked for.
    row_units
        Units that a unit of row weight is worth when fully won: a multiple of twice the reach of
        every size.
    flat
        Whether every committee is worth the same, to find any committee at all.
    """

    kind = "margin"

    margin: Margin
    row_units: int
    flat: bool = False

    @classmethod
    def of(cls, margin: Margin, patterns: Patterns) -> MarginObjective:
        """Compile a margin against patterns.

        Raises
        ------
        InputError
            If the pool is too large for exact margins.
        """
        k = patterns.matrix.shape[1]
        gains = Gains.of(resolve("accuracy", *class_totals(patterns)), patterns)
        scale = 2 * math.lcm(*{margin.reach(size) for size in range(1, k + 1)})
        if scale * max(gains.ceiling, 1) > _MOST_DIGITS:
            raise InputError(
                "objective",
                f"{margin} on {k} classifiers needs larger numbers than floats "
                "can hold. Take a smaller theta, or fewer classifiers.",
            )
        finer = Gains(gains.base * scale, combine([(scale, gains.net)]), gains.unit / scale, 1)
        per_weight = 1 / (sum(patterns.totals) * finer.unit)
        assert per_weight.denominator == 1
        return cls(finer, margin, int(per_weight))

    @property
    def name(self) -> str:
        """What it is called in words."""
        return str(self.margin)

    def least_loss(self, size_max: int) -> Fraction:
        """Return what share of its gain a row loses at the least when it is decided wrong.

        It is lost by half a vote or more, so of its worth at most ``(reach - 1) / (2 * reach)`` is
        left, and the reach grows with the size.
        """
        largest = self.margin.reach(size_max)
        return Fraction(largest + 1, 2 * largest)

    def factor(self, size: int) -> int:
        """Return how many units one step of `Margin.worth` is, per unit of weight."""
        return self.row_units // (2 * self.margin.reach(size))

    def score(self, problem: Problem, committee: Committee) -> int:
        """Recount a committee, in units of ``gains.unit``."""
        if self.flat:
            return 0
        counts = problem.counts(committee.ballots)
        return self.score_counts(problem.patterns, counts, committee.n_votes)

    def score_counts(self, patterns: Patterns, counts: NDArray[np.int64], size: int) -> int:
        """Return what a committee of this size with these vote counts is worth, in units."""
        by_count = (
            sum_by_group(side, counts, size + 1) for side in (patterns.positive, patterns.negative)
        )
        steps = sum(
            int(weight) * int(step)
            for weights, steps in zip(by_count, self.margin.worth(size), strict=True)
            for weight, step in zip(weights, steps, strict=True)
        )
        return steps * self.factor(size)

    def allows(self, committee: Committee) -> bool:
        """Tell whether a committee decides by majority."""
        return committee.threshold == majority(committee.n_votes)

    def best(self, problem: Problem, members: Sequence[int]) -> tuple[Committee, int] | None:
        """Return these members with their majority and its score; None if it is not allowed."""
        committee = problem.committee(members, majority(len(members)))
        return (committee, self.score(problem, committee)) if problem.allows(committee) else None

    def on(self, patterns: Patterns) -> MarginObjective:
        """Return the same margin on other rows."""
        return MarginObjective.of(self.margin, patterns)

    def constant(self, patterns: Patterns) -> MarginObjective:
        """Return what every committee that decides by majority meets alike."""
        return replace(self, gains=Gains.of(Weights(), patterns), flat=True)


def margin_of(problem: Problem) -> MarginObjective:
    """Return the objective of a problem whose objective is a margin."""
    if not isinstance(problem.objective, MarginObjective):
        raise AssertionError("only problems with a margin come here")
    return problem.objective
