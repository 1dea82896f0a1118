"""The highest point of the lattice in an outline is found, whatever the sizes of the numbers."""

import math
import time
from fractions import Fraction

import numpy as np
import pytest

from voteprune.problem import outline as outline_module
from voteprune.problem.formulas import confusion_at
from voteprune.problem.metrics import CURVES, formula_of
from voteprune.problem.outline import HalfPlane, Outline

UNITS = (1, 3, 7, 10**6, 10**9, 10**9 + 7)


def draw_outline(rng):
    """A lattice of few points, and half-planes whose edges pass near them."""
    steps = int(rng.choice(UNITS)), int(rng.choice(UNITS))
    columns, rows = int(rng.integers(1, 8)), int(rng.integers(1, 8))
    positives, negatives = columns * steps[0], rows * steps[1]
    formula = formula_of(str(rng.choice(list(CURVES))), Fraction(positives), Fraction(negatives))
    planes = []
    for _ in range(int(rng.integers(0, 5))):
        a, b = (Fraction(int(part), int(rng.choice(UNITS))) for part in rng.integers(-5, 6, 2))
        at = [Fraction(int(rng.integers(0, n + 1)) * step) for n, step in
              zip((columns, rows), steps, strict=True)]  # fmt: skip
        near = Fraction(int(rng.integers(-1, 2)), int(rng.choice(UNITS)))
        planes.append(HalfPlane(a, b, a * at[0] + b * at[1] + near))
    # Where nothing is called positive, 0 divides: as in every problem, that is left out.
    planes.append(HalfPlane(Fraction(-1), Fraction(-1), Fraction(-1)))
    return Outline(formula, positives, negatives, steps, tuple(planes))


def tried(outline):
    """The best score of all points of the lattice that lie inside; None if none does."""
    p, n = Fraction(outline.positives), Fraction(outline.negatives)
    points = (
        (Fraction(tp), Fraction(fp))
        for tp in range(0, outline.positives + 1, outline.steps[0])
        for fp in range(0, outline.negatives + 1, outline.steps[1])
    )
    return max(
        (
            outline.formula.score(confusion_at(point, p, n))
            for point in points
            if all(plane.holds(*point) for plane in outline.planes)
        ),
        default=None,
    )


@pytest.mark.parametrize("block", range(4))
def test_the_highest_point_is_that_of_trying_all(block):
    rng = np.random.default_rng(block)
    empty = 0
    for _ in range(250):
        outline = draw_outline(rng)
        best = tried(outline)
        found = outline.lattice_summit(None)
        assert (None if found is None else found.score) == best
        empty += best is None
        if best is not None:
            assert outline.lattice_summit(best) is None
            below = best - Fraction(1, 10**6)
            assert outline.lattice_summit(below).score == best
    assert 0 < empty < 150


def test_when_time_is_over_the_polygon_speaks(monkeypatch):
    def never(self, tp, planes):
        raise AssertionError("there is no time for a column")

    monkeypatch.setattr(Outline, "_column_ends", never)
    rng = np.random.default_rng(9)
    for _ in range(100):
        outline = draw_outline(rng)
        found, best = outline.lattice_summit(None, deadline=-math.inf), tried(outline)
        assert best is None or found.score >= best


def test_no_column_is_looked_at_twice(monkeypatch):
    """However wide the margin for rounding: an end is computed, not walked to."""
    looked = []
    true_ends = Outline._column_ends

    def ends(self, tp, planes):
        looked.append(tp)
        return true_ends(self, tp, planes)

    monkeypatch.setattr(Outline, "_column_ends", ends)
    monkeypatch.setattr(outline_module, "_ROUNDING", 0.1)
    began = time.monotonic()
    outline = Outline(
        formula_of("jaccard", Fraction(30), Fraction(10**11)), 30, 10**11, (3, 1),
        (HalfPlane(Fraction(-1), Fraction(-1), Fraction(-1)),
         HalfPlane(Fraction(10**9), Fraction(-1, 3), Fraction(7))),
    )  # fmt: skip
    found = outline.lattice_summit(None)
    assert found.point == (30, 3 * (30 * 10**9 - 7))
    assert len(looked) == len(set(looked)) <= 11
    assert time.monotonic() - began < 10
