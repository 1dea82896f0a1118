"""`Outline`: where the true and false positives of all allowed committees must lie.

A bound on a weighted sum, ``a tp + b fp <= c`` for every committee, is a half-plane. Many of them
cut a polygon out of the rectangle of all counts, and the formula's maximum over the polygon bounds
every committee. As rows are counted whole, committees lie on a lattice: the best lattice point
inside is a better bound, and the one that closes a proof.

Points are in units of ``1 / denominator`` of the patterns' weights, so they are integers.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ..numbers.exact import common_denominator
from ..numbers.floats import Floats
from ..votes.patterns import Patterns
from .formulas import Curve, Point, Ratio, Weights, confusion_at
from .gains import Gains
from .limits import MetricLimit

_MOST_COLUMNS, _MOST_UNITS = 100_000, 10**12
"""Of the lattice, and of all rows; where there are more the polygon alone must do.

Units must be exact as floats, and what floats round must not be many units."""

_ROUNDING = 1e-9
"""Relative room left where floats choose what is then looked at exactly."""


@dataclass(frozen=True, slots=True)
class HalfPlane:
    """``a tp + b fp <= c``."""

    a: Fraction
    b: Fraction
    c: Fraction

    def holds(self, tp: Fraction, fp: Fraction) -> bool:
        """Tell whether a point lies inside."""
        return self.a * tp + self.b * fp <= self.c


@dataclass(frozen=True, slots=True)
class Summit:
    """What a formula cannot exceed in an outline, and where it would be so high."""

    score: Fraction
    point: Point


@dataclass(frozen=True, slots=True)
class Outline:
    """A polygon that holds all allowed committees' true and false positives.

    Parameters
    ----------
    formula
        What is maximised.
    positives, negatives
        Weight of the classes, in units.
    steps
        Greatest common divisor of the patterns' weights in each class, in units.
    planes
        Half-planes that hold every allowed committee.
    """

    formula: Curve
    positives: int
    negatives: int
    steps: tuple[int, int]
    planes: tuple[HalfPlane, ...] = ()

    @classmethod
    def of(cls, formula: Curve, patterns: Patterns, limits: Sequence[MetricLimit] = ()) -> Outline:
        """Start with what limits on criteria say, and without points where 0 divides.

        Parameters
        ----------
        formula
            What is maximised.
        patterns
            The rows.
        limits
            Limits on criteria that every committee must meet.
        """
        steps = int(np.gcd.reduce(patterns.positive)), int(np.gcd.reduce(patterns.negative))
        whole = cls(formula, *patterns.totals, steps)
        if isinstance(formula, Ratio):
            smallest = Gains.of(formula.denominator, patterns).unit
            whole = whole.below(formula.denominator, -smallest, patterns.denominator, sign=-1)
        for limit in limits:
            least = limit.least * limit.gains.unit
            whole = whole.below(limit.weights, -least, patterns.denominator, sign=-1)
        return whole

    def below(self, weights: Weights, bound: Fraction, denominator: int, sign: int = 1) -> Outline:
        """Return the part where ``sign * weights <= bound``.

        Parameters
        ----------
        weights
            Of the confusion counts.
        bound
            In the counts' own unit.
        denominator
            How many units make a count of one.
        sign
            -1 for a floor.
        """
        fixed = weights.fn * self.positives + weights.tn * self.negatives
        a, b = sign * (weights.tp - weights.fn), sign * (weights.fp - weights.tn)
        plane = HalfPlane(a, b, bound * denominator - sign * fixed)
        return replace(self, planes=(*self.planes, plane))

    @property
    def fine(self) -> bool:
        """Whether the lattice is too fine to be looked at."""
        columns, whole = self.positives // self.steps[0], self.positives + self.negatives
        return columns >= _MOST_COLUMNS or whole >= _MOST_UNITS

    def corners(self) -> list[Point]:
        """Return the corners of the polygon in order; none if it is empty."""
        zero, p, n = Fraction(0), Fraction(self.positives), Fraction(self.negatives)
        corners: list[Point] = [(zero, zero), (p, zero), (p, n), (zero, n)]
        for plane in self.planes:
            corners = _clip(corners, plane)
        return corners

    def summit(self) -> Summit | None:
        """Return the highest the formula can be in the polygon; None if it is empty."""
        p, n = Fraction(self.positives), Fraction(self.negatives)
        found = self.formula.summit(self.corners(), p, n)
        return None if found is None else Summit(*found)

    def lattice_summit(self, floor: Fraction | None, deadline: float = math.inf) -> Summit | None:
        """Return the highest point of the lattice in the polygon, None if none is above `floor`.

        Along a column of equal tp every formula is highest at one of the ends. Floats say which
        columns come first, and each is then looked at exactly, once. When that takes longer than
        until `deadline`, the highest of the polygon is as good a bound.
        """
        if self.fine:
            return self.summit()
        waiting = self._columns(-np.inf if floor is None else _lowered(floor))
        planes = [_in_integers(plane) for plane in self.planes]
        best: Summit | None = None
        for height, tp in waiting:
            highest = floor if best is None else best.score
            if highest is not None and height < _lowered(highest):
                break
            if time.monotonic() >= deadline:
                return self.summit()
            for fp in self._column_ends(tp, planes):
                point = (Fraction(tp), Fraction(fp))
                score = self._score(point)
                if highest is None or score > highest:
                    best, highest = Summit(score, point), score
        return best

    def tp_range(self) -> tuple[int, int]:
        """Return the least and the largest tp of the lattice in the polygon, which is not empty."""
        values = [tp for tp, _ in self.corners()]
        step = self.steps[0]
        return math.ceil(min(values) / step) * step, math.floor(max(values) / step) * step

    def _score(self, point: Point) -> Fraction:
        p, n = Fraction(self.positives), Fraction(self.negatives)
        return self.formula.score(confusion_at(point, p, n))

    def _heights(self, tp: Floats, fp: Floats) -> Floats:
        heights = self.formula.scores(tp, fp, float(self.positives), float(self.negatives))
        return np.nan_to_num(heights, nan=-np.inf)

    def _columns(self, floor: float) -> list[tuple[float, int]]:
        """Return how high each column may be, by floats rounded outwards, and its tp.

        The highest first; columns that are not above `floor` are left out.
        """
        step = self.steps[1]
        tp = np.arange(0, self.positives + 1, self.steps[0], dtype=np.float64)
        low, high = np.zeros(len(tp)), np.full(len(tp), float(self.negatives))
        room = _ROUNDING * (self.positives + self.negatives)
        for plane in self.planes:
            scale = max(abs(plane.a), abs(plane.b))
            if not scale:
                continue
            a, b, c = (float(part / scale) for part in (plane.a, plane.b, plane.c))
            if abs(b) < _ROUNDING:
                high[a * tp > c + room] = -1.0
            elif b < 0:
                low = np.maximum(low, (a * tp - c) / -b - room / -b)
            else:
                high = np.minimum(high, (c - a * tp) / b + room / b)
        low, high = np.ceil(low / step) * step, np.floor(high / step) * step
        highest = np.full(len(tp), -np.inf)
        for fp, inwards in ((low, step), (high, -step)):
            heights = self._heights(tp, fp)
            # Where a denominator is 0 the next one in the column speaks for it.
            lost = np.isneginf(heights)
            fp = np.where(lost, fp + inwards, fp)
            heights = np.where(lost, self._heights(tp, fp), heights)
            inside = (low <= fp) & (fp <= high)
            highest = np.where(inside, np.maximum(highest, heights), highest)
        order = np.argsort(-highest, kind="stable")
        order = order[highest[order] > floor]
        return list(zip(highest[order].tolist(), tp[order].astype(np.int64).tolist(), strict=True))

    def _column_ends(self, tp: int, planes: list[tuple[int, int, int]]) -> set[int]:
        """Return the least and the largest fp of a column in the polygon, none if it is empty."""
        step = self.steps[1]
        least, most = 0, self.negatives // step
        for a, b, c in planes:
            left = c - a * tp
            if b > 0:
                most = min(most, left // (b * step))
            elif b < 0:
                least = max(least, -(left // (-b * step)))
            elif left < 0:
                return set()
        return {least * step, most * step} if least <= most else set()


def _in_integers(plane: HalfPlane) -> tuple[int, int, int]:
    """Return the same half-plane with integer coefficients."""
    scale = common_denominator((plane.a, plane.b, plane.c))
    return int(plane.a * scale), int(plane.b * scale), int(plane.c * scale)


def _clip(corners: list[Point], plane: HalfPlane) -> list[Point]:
    """Return the corners of the part of a convex polygon inside a half-plane."""
    kept: list[Point] = []
    for i, (tp, fp) in enumerate(corners):
        before = corners[i - 1]
        here, there = (plane.a * x + plane.b * y - plane.c for x, y in ((tp, fp), before))
        if (here > 0) != (there > 0) and here != there:
            s = there / (there - here)
            kept.append((before[0] + s * (tp - before[0]), before[1] + s * (fp - before[1])))
        if here <= 0:
            kept.append((tp, fp))
    return list(dict.fromkeys(kept))


def _lowered(score: Fraction) -> float:
    nearest = float(score)
    return nearest - _ROUNDING * max(1.0, abs(nearest))
