"""`Objective`: what a problem maximises; how each kind is solved is in `strategies`.

An objective scores a committee exactly and knows what no committee can exceed. Scores are integers
or fractions that compare exactly; `read` turns them into the value that users know. Each kind has
its own strategy for every method (`strategies.registry`), found by its `kind`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..numbers.exact import float_above, total
from ..votes.patterns import Patterns
from .committee import Committee
from .formulas import Curve, Formula, Ratio, Weights, confusion_at
from .gains import Gains
from .metrics import Criterion
from .outline import Outline

if TYPE_CHECKING:
    from .problem import Problem

Score = int | Fraction
"""What a committee is worth, exactly: the more the better."""


class Objective(ABC):
    """What is maximised, whatever is voted on."""

    kind: ClassVar[str]
    """By which every method finds its strategy."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What it is called in words."""

    @property
    @abstractmethod
    def ceiling(self) -> Score:
        """What no committee can exceed."""

    @abstractmethod
    def reachable(self, bound: Fraction | float) -> Score:
        """Round an upper bound down to what a committee can reach."""

    @abstractmethod
    def read(self, score: Score) -> float:
        """Return the value that a score stands for."""

    @abstractmethod
    def read_above(self, score: Score) -> float:
        """Return a float that is not below the value a score stands for."""


@dataclass(frozen=True, eq=False)
class CountedObjective(Objective):
    """An objective that is counted in integer units.

    Parameters
    ----------
    gains
        What a decision on a pattern gains: the unit, the grid of all sums, and the ceiling.
    """

    gains: Gains

    @property
    def ceiling(self) -> Score:
        """What no committee can exceed: every pattern decided at its best."""
        return self.gains.ceiling

    def reachable(self, bound: Fraction | float) -> Score:
        """Round an upper bound down to what a committee can reach."""
        return self.gains.floor_to_step(bound)

    def read(self, score: Score) -> float:
        """Return the value that a score stands for."""
        return float(score * self.gains.unit)

    def read_above(self, score: Score) -> float:
        """Return a float that is not below the value a score stands for."""
        return float_above(score * self.gains.unit)

    def score_of(self, value: float) -> Fraction:
        """Return the score of a value, exactly."""
        return Fraction(value) / self.gains.unit


@dataclass(frozen=True, eq=False)
class BinaryObjective(CountedObjective):
    """An objective of committees that vote on two classes, compiled against the patterns.

    Its `gains` are a weighted sum: of a linear objective the objective itself, of a margin one that
    is never below it, of a curve the tangent to begin with.
    """

    @property
    def formula(self) -> Formula | None:
        """What it is as a formula of the four counts; None where the counts do not tell."""
        return None

    def least_loss(self, size_max: int) -> Fraction:
        """Return what share of its gain a row loses at the least when it is decided wrong."""
        return Fraction(1)

    @abstractmethod
    def score(self, problem: Problem, committee: Committee) -> Score:
        """Recount a committee."""

    @abstractmethod
    def best(self, problem: Problem, members: Sequence[int]) -> tuple[Committee, Score] | None:
        """Return these members with the best threshold that is allowed; None if none is."""

    def allows(self, committee: Committee) -> bool:
        """Tell whether a committee may decide by its threshold."""
        return True

    @abstractmethod
    def on(self, patterns: Patterns) -> BinaryObjective:
        """Return the same objective on other rows of the same pool."""

    @abstractmethod
    def constant(self, patterns: Patterns) -> BinaryObjective:
        """Return an objective that every committee meets alike, to find any committee at all."""


@dataclass(frozen=True, eq=False)
class LinearObjective(BinaryObjective):
    """A weighted sum of the four counts.

    Parameters
    ----------
    criterion, weights
        What was asked for, and the weights that it is.
    """

    kind = "linear"

    criterion: Criterion
    weights: Weights

    @classmethod
    def of(cls, criterion: Criterion, weights: Weights, patterns: Patterns) -> LinearObjective:
        """Compile weights against patterns."""
        return cls(Gains.of(weights, patterns), criterion, weights)

    @property
    def name(self) -> str:
        """What it is called in words."""
        return str(self.criterion)

    @property
    def formula(self) -> Formula:
        """The weights."""
        return self.weights

    def score(self, problem: Problem, committee: Committee) -> int:
        """Recount a committee, in units of ``gains.unit``."""
        positive = problem.counts(committee.ballots) > committee.threshold
        return self.gains.base + total(self.gains.net[positive])

    def best(self, problem: Problem, members: Sequence[int]) -> tuple[Committee, int] | None:
        """Return these members with the best threshold that is allowed; None if none is.

        All thresholds at once: patterns are summed by their vote count, and a threshold takes
        everything above it. Ties go to the lowest threshold.
        """
        counts = problem.counts(members)
        values = problem.above_thresholds(self.gains.net, counts, len(members))
        places = problem.allowed_thresholds(counts, len(members))
        if not len(places):
            return None
        threshold = int(places[np.argmax(values[places])])
        return problem.committee(members, threshold), self.gains.base + int(values[threshold])

    def on(self, patterns: Patterns) -> LinearObjective:
        """Return the objective on other rows; weights are not rescaled: 1/200 a row stays so."""
        return LinearObjective.of(self.weights, self.weights, patterns)

    def constant(self, patterns: Patterns) -> LinearObjective:
        """Return the sum that is always 0."""
        return LinearObjective.of(Weights(), Weights(), patterns)


@dataclass(frozen=True, eq=False)
class CurveObjective(BinaryObjective):
    """A formula of the four counts that is no weighted sum: a ratio, or a curve.

    Its `gains` are those of a tangent to begin with.

    Parameters
    ----------
    criterion, curve
        What was asked for, and the formula that it is.
    weights
        The tangent to begin with.
    top
        The highest score of any counts there can be.
    """

    kind = "curve"

    criterion: Criterion
    curve: Curve
    weights: Weights
    top: Fraction

    @classmethod
    def of(cls, criterion: Criterion, curve: Curve, patterns: Patterns) -> CurveObjective:
        """Compile a formula against patterns."""
        positives, negatives = (Fraction(n, patterns.denominator) for n in patterns.totals)
        guess = (positives * 3 / 4, negatives / 4)
        weights = curve.tangent(confusion_at(guess, positives, negatives)).rounded()
        # Nothing is known yet but the counts there can be, and what 0 / 0 is taken for.
        summit = Outline.of(curve, patterns).summit()
        scores = [] if summit is None else [summit.score]
        if isinstance(curve, Ratio):
            scores.append(curve.zero_division)
        return cls(Gains.of(weights, patterns), criterion, curve, weights, max(scores))

    @property
    def name(self) -> str:
        """What it is called in words."""
        return str(self.criterion)

    @property
    def formula(self) -> Formula:
        """The curve."""
        return self.curve

    @property
    def ceiling(self) -> Fraction:
        """The highest score of any counts there can be."""
        return self.top

    def score(self, problem: Problem, committee: Committee) -> Fraction:
        """Recount a committee."""
        return self.curve.score(problem.confusion(committee))

    def best(self, problem: Problem, members: Sequence[int]) -> tuple[Committee, Fraction] | None:
        """Return these members with the best threshold that is allowed; ties go to the lowest."""
        counts, size = problem.counts(members), len(members)
        tps, fps = (
            problem.above_thresholds(part, counts, size)
            for part in (problem.patterns.positive, problem.patterns.negative)
        )
        p, n = map(Fraction, problem.patterns.totals)
        best: tuple[Fraction, int] | None = None
        for level in problem.allowed_thresholds(counts, size).tolist():
            point = (Fraction(int(tps[level])), Fraction(int(fps[level])))
            score = self.curve.score(confusion_at(point, p, n))
            if best is None or score > best[0]:
                best = score, level
        return None if best is None else (problem.committee(members, best[1]), best[0])

    def reachable(self, bound: Fraction | float) -> Fraction:
        """Return the bound itself: no grid is known that all scores lie on."""
        return Fraction(bound)

    def read(self, score: Score) -> float:
        """Return the value that a score stands for."""
        return self.curve.read(Fraction(score))

    def read_above(self, score: Score) -> float:
        """Return a float that is not below the value a score stands for."""
        return self.curve.read_above(Fraction(score))

    def score_of(self, value: float) -> Fraction:
        """Return the score of a value, exactly."""
        exact = Fraction(value)
        return exact if isinstance(self.curve, Ratio) else exact * abs(exact)

    def on(self, patterns: Patterns) -> CurveObjective:
        """Return the same formula on other rows."""
        return CurveObjective.of(self.criterion, self.curve, patterns)

    def constant(self, patterns: Patterns) -> LinearObjective:
        """Return the sum that is always 0."""
        return LinearObjective.of(Weights(), Weights(), patterns)


def curve_of(problem: Problem) -> CurveObjective:
    """Return the objective of a problem whose objective is a curve."""
    if not isinstance(problem.objective, CurveObjective):
        raise AssertionError("only problems with a curve come here")
    return problem.objective
