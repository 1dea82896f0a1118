"""Formulas: what a criterion is in terms of the four confusion counts.

A `Weights` is a weighted sum. A `Ratio` is a quotient of two such sums (F-beta, precision).
`Matthews` and `GeometricMean` are neither, but all four only depend on (tp, fp), because the class
totals are known. What is not a weighted sum knows its tangent: the weighted sum that touches its
level curve at a point, which is how methods made for weighted sums come to maximise it
(`strategies.exact_curve`).

Nothing here is rounded. A value with a square root in it is kept as its `score`, the square with
the sign of the value: a fraction, in the same order as the values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..exceptions import InputError
from ..files.jsonfile import Fields
from ..numbers.exact import exact, float_above, show
from ..numbers.floats import Floats
from .confusion import Confusion

Point = tuple[Fraction, Fraction]
"""True and false positives."""

Height = tuple[Fraction, Point]
"""A score, and a point that has it."""

COUNTS = ("tp", "fn", "tn", "fp")

_HUGE = 10**250
"""How large parts of a ratio may be."""

_DIGITS = 10_000
"""Largest denominator of weights that are rounded."""


@dataclass(frozen=True, slots=True)
class Weights:
    """A weighted sum of confusion counts, ``W_tp tp + W_fn fn + W_tn tn + W_fp fp``.

    Any finite numbers, negative ones too: ``Weights(tp=1, tn=1, fp=-5)`` says that a false
    alarm costs five times what a correct answer earns.
    """

    tp: Fraction = Fraction(0)
    fn: Fraction = Fraction(0)
    tn: Fraction = Fraction(0)
    fp: Fraction = Fraction(0)

    def __init__(self, tp: object = 0, fn: object = 0, tn: object = 0, fp: object = 0) -> None:
        for name, value in (("tp", tp), ("fn", fn), ("tn", tn), ("fp", fp)):
            object.__setattr__(self, name, exact(value, f"weight {name}"))

    def value(self, confusion: Confusion) -> Fraction:
        """Return the weighted sum for these counts, exactly."""
        return (
            self.tp * confusion.tp
            + self.fn * confusion.fn
            + self.tn * confusion.tn
            + self.fp * confusion.fp
        )

    def at_stake(self, confusion: Confusion) -> float:
        """Return all that is added up; gains and losses may all but cancel in the value."""
        positives = (abs(self.tp) + abs(self.fn)) * confusion.positives
        return float(positives + (abs(self.tn) + abs(self.fp)) * confusion.negatives)

    def plus(self, other: Weights, factor: Fraction) -> Weights:
        """Return the sum of these weights and `factor` times the others."""
        pairs = ((getattr(self, name), getattr(other, name)) for name in COUNTS)
        return Weights(*(mine + factor * theirs for mine, theirs in pairs))

    def rounded(self) -> Weights:
        """Return weights of true and false positives in nearly this direction, in short numbers.

        Exact tangents have numbers as long as the square of the rows, which no int64 holds.
        """
        largest = max(abs(self.tp), abs(self.fp))
        if not largest:
            return self
        tp, fp = ((part / largest).limit_denominator(_DIGITS) for part in (self.tp, self.fp))
        return Weights(tp=tp, fp=fp)

    def __str__(self) -> str:
        pairs = ((name, getattr(self, name)) for name in COUNTS)
        return "weights(" + ", ".join(f"{name}={show(w)}" for name, w in pairs if w) + ")"


@dataclass(frozen=True, slots=True)
class Ratio:
    """A quotient of two weighted sums of confusion counts.

    Parameters
    ----------
    numerator
        Any weights.
    denominator
        Weights of which none is negative and one is positive.
    zero_division
        The value where the denominator is 0, as in scikit-learn.
    """

    numerator: Weights
    denominator: Weights
    zero_division: Fraction = Fraction(0)

    def __init__(self, numerator: Weights, denominator: Weights, zero_division: object = 0) -> None:
        for name, part in (("numerator", numerator), ("denominator", denominator)):
            if not isinstance(part, Weights):
                raise InputError(
                    f"Ratio({name})", f"expected vp.Weights(tp=..., ...), got {part!r}."
                )
        below = [getattr(denominator, name) for name in COUNTS]
        if min(below) < 0 or max(below) == 0:
            raise InputError(
                "Ratio(denominator)",
                f"is {denominator}; no weight may be negative and one must be positive, for a "
                "quotient to be large only where it is good. Move signs to the numerator.",
            )
        object.__setattr__(self, "numerator", numerator)
        object.__setattr__(self, "denominator", denominator)
        nothing = exact(zero_division, "Ratio(zero_division)")
        _refuse_huge("Ratio(zero_division)", abs(nothing))
        above = max(abs(getattr(numerator, name)) for name in COUNTS)
        _refuse_huge("Ratio(numerator)", max(above, above / min(filter(None, below))))
        _refuse_huge("Ratio(denominator)", max(below))
        object.__setattr__(self, "zero_division", nothing)

    def score(self, confusion: Confusion) -> Fraction:
        """Return the exact value."""
        below = self.denominator.value(confusion)
        return self.numerator.value(confusion) / below if below else self.zero_division

    def read(self, score: Fraction) -> float:
        """Return the value that a score stands for."""
        return float(score)

    def read_above(self, score: Fraction) -> float:
        """Return a float that is not below the value a score stands for."""
        return float_above(score)

    def tangent(self, confusion: Confusion) -> Weights:
        """Return Dinkelbach's weights: positive exactly where the ratio is above this one."""
        return _on_positives(self.numerator.plus(self.denominator, -self.score(confusion)))

    def scores(self, tp: Floats, fp: Floats, p: float, n: float) -> Floats:
        """Return the scores of many points in floating point; nan where the denominator is 0."""
        four = np.array([tp, p - tp, n - fp, fp])
        above, below = (
            np.array([float(getattr(part, name)) for name in COUNTS]) @ four
            for part in (self.numerator, self.denominator)
        )
        nothing = np.full(len(below), np.nan)
        return np.asarray(np.divide(above, below, out=nothing, where=below > 0))

    def summit(self, corners: Sequence[Point], p: Fraction, n: Fraction) -> Height | None:
        """Return what the score cannot exceed in a polygon, where the denominator is not 0.

        A ratio is monotone along every line, so a corner is highest.
        """
        counts = [(confusion_at(corner, p, n), corner) for corner in corners]
        heights = [(self.score(c), corner) for c, corner in counts if self.denominator.value(c)]
        return max(heights, default=None)

    def vanishes(self, p: Fraction, n: Fraction) -> bool:
        """Tell whether the denominator can be 0 for classes of these sizes."""
        return any(not self.denominator.value(c) for c in _extremes(p, n))

    def wanders(self, p: Fraction, n: Fraction, sign: int) -> bool:
        """Tell whether the numerator can have this sign where the denominator is 0."""
        # The denominator is 0 on a whole side of the rectangle of all counts, or in a corner.
        return any(
            not self.denominator.value(c) and sign * self.numerator.value(c) > 0
            for c in _extremes(p, n)
        )

    def __str__(self) -> str:
        above, below = (str(part)[len("weights") :] for part in (self.numerator, self.denominator))
        return f"ratio{above}/{below}"


class _Curved:
    """What a formula with a square root shares: its score is a signed square."""

    __slots__ = ()

    def read(self, score: Fraction) -> float:
        """Return the value that a score stands for."""
        return math.copysign(math.sqrt(abs(float(score))), score)

    def read_above(self, score: Fraction) -> float:
        """Return a float that is not below the value a score stands for."""
        if score <= 0:
            return 0.0
        # The root of a float above, rounded to nearest, is one step off at most.
        return math.nextafter(math.sqrt(float_above(score)), math.inf)


@dataclass(frozen=True, slots=True)
class Matthews(_Curved):
    """Matthews' correlation of labels and decisions; 0 where all rows are decided alike."""

    def score(self, confusion: Confusion) -> Fraction:
        """Return the exact square of the value, with its sign."""
        p, n = confusion.positives, confusion.negatives
        called = Fraction(confusion.tp) + confusion.fp
        spread = called * (p + n - called)
        if not spread:
            return Fraction(0)
        lead = confusion.tp * n - confusion.fp * p
        return lead * abs(lead) / (p * n * spread)

    def tangent(self, confusion: Confusion) -> Weights:
        """Return the weighted sum whose level line touches that of the value here."""
        p, n = confusion.positives, confusion.negatives
        called = Fraction(confusion.tp) + confusion.fp
        spread = called * (p + n - called)
        lead = confusion.tp * n - confusion.fp * p
        if not spread or lead <= 0:
            return Weights(tp=n, fp=-p)
        bend = lead * (p + n - 2 * called) / (2 * spread)
        return Weights(tp=n - bend, fp=-p - bend)

    def scores(self, tp: Floats, fp: Floats, p: float, n: float) -> Floats:
        """Return the scores of many points in floating point."""
        spread = (tp + fp) * (p + n - tp - fp)
        lead = tp * n - fp * p
        zero = np.zeros(len(lead))
        square = np.divide(lead * np.abs(lead), p * n * spread, out=zero, where=spread > 0)
        return np.asarray(square)

    def summit(self, corners: Sequence[Point], p: Fraction, n: Fraction) -> Height | None:
        """Return what the score cannot exceed in a polygon.

        Where the value is at most some c >= 0 is convex (tp n - fp p is linear, and the root of
        called times not called is concave), so if it is in all corners it is throughout.
        """
        heights = [(self.score(confusion_at(corner, p, n)), corner) for corner in corners]
        score, corner = max(heights, default=(None, None))
        return None if score is None or corner is None else (max(score, Fraction(0)), corner)

    def __str__(self) -> str:
        return "mcc"


@dataclass(frozen=True, slots=True)
class GeometricMean(_Curved):
    """The geometric mean of recall and specificity."""

    def score(self, confusion: Confusion) -> Fraction:
        """Return the exact square of the value."""
        whole = confusion.positives * confusion.negatives
        return Fraction(confusion.tp) * confusion.tn / whole

    def tangent(self, confusion: Confusion) -> Weights:
        """Return the weighted sum whose level line touches that of the value here."""
        if not confusion.tp or not confusion.tn:
            return Weights(tp=confusion.negatives, fp=-confusion.positives)
        return Weights(tp=confusion.tn, fp=-confusion.tp)

    def scores(self, tp: Floats, fp: Floats, p: float, n: float) -> Floats:
        """Return the scores of many points in floating point."""
        return np.asarray(tp * (n - fp) / (p * n))

    def summit(self, corners: Sequence[Point], p: Fraction, n: Fraction) -> Height | None:
        """Return what the score cannot exceed in a polygon: along an edge it is a parabola."""
        places = list(corners)
        for (tp, fp), (tp_next, fp_next) in zip(corners, [*corners[1:], *corners[:1]], strict=True):
            up, along = tp_next - tp, fp_next - fp
            # (tp + s up)(n - fp - s along) has its peak where its slope is 0, if it bends down.
            if up * along > 0:
                s = (up * (n - fp) - along * tp) / (2 * up * along)
                if 0 < s < 1:
                    places.append((tp + s * up, fp + s * along))
        heights = [(tp * (n - fp) / (p * n), (tp, fp)) for tp, fp in places]
        return max(heights, default=None)

    def __str__(self) -> str:
        return "gmean"


Curve = Ratio | Matthews | GeometricMean
"""A formula that is not a weighted sum."""

Formula = Weights | Curve
"""What a criterion is on votes whose class totals are known."""


def worth(formula: Formula, confusion: Confusion) -> float:
    """Return the value of a formula for these counts."""
    if isinstance(formula, Weights):
        return float(formula.value(confusion))
    return formula.read(formula.score(confusion))


def confusion_at(point: Point, p: Fraction, n: Fraction) -> Confusion:
    """Return the counts with these true and false positives."""
    tp, fp = point
    return Confusion(tp, p - tp, n - fp, fp)


def _refuse_huge(argument: str, size: Fraction) -> None:
    """Refuse what no float holds, also beside counts: values are told, and sketched, in floats."""
    if size > _HUGE:
        raise InputError(
            argument,
            "is, or makes the quotient, larger than 1e250, which is more than numbers can hold. "
            "Scale numerator and denominator.",
        )


def _on_positives(weights: Weights) -> Weights:
    """Return the same sum up to a constant, with weights on tp and fp alone."""
    return Weights(tp=weights.tp - weights.fn, fp=weights.fp - weights.tn)


def _extremes(p: Fraction, n: Fraction) -> list[Confusion]:
    zero = Fraction(0)
    return [confusion_at((tp, fp), p, n) for tp in (zero, p) for fp in (zero, n)]


_NAMED: dict[str, Formula] = {str(formula): formula for formula in (Matthews(), GeometricMean())}


def write_four(holder: Confusion | Weights) -> dict[str, object]:
    """Write four exact numbers."""
    return {name: _number(Fraction(getattr(holder, name))) for name in COUNTS}


def read_four(fields: Fields) -> dict[str, Fraction]:
    """Read four exact numbers."""
    return {name: fields.fraction(name) for name in COUNTS}


def write_formula(formula: Formula) -> dict[str, object]:
    """Write a formula: weights as four numbers, a ratio as two such objects, others by name."""
    if isinstance(formula, Weights):
        return write_four(formula)
    if isinstance(formula, Ratio):
        return {
            "numerator": write_four(formula.numerator),
            "denominator": write_four(formula.denominator),
            "zero_division": _number(formula.zero_division),
        }
    return {"formula": str(formula)}


def read_formula(fields: Fields) -> Formula:
    """Read a formula back."""
    if not fields.missing("formula"):
        name = fields.text("formula")
        if name not in _NAMED:
            raise InputError("formula", f"is {name!r}; known are {', '.join(_NAMED)}.")
        return _NAMED[name]
    if fields.missing("numerator"):
        return Weights(**read_four(fields))
    above, below = (
        Weights(**read_four(fields.object(part))) for part in ("numerator", "denominator")
    )
    return Ratio(above, below, fields.fraction("zero_division"))


def _number(number: Fraction) -> int | str:
    return int(number) if number.denominator == 1 else str(number)
