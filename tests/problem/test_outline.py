"""The highest point of the lattice in an outline is found, whatever the sizes of the numbers."""

import math
import time
from fractions import Fraction

import numpy as np
import pytest

import voteprune as vp
from voteprune.problem import outline as outline_module
from voteprune.problem.formulas import confusion_at
from voteprune.problem.limits import MetricLimit
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


def lattice(outline):
    """Every point of the lattice that is inside, column by column."""
    columns = {}
    for tp in range(0, outline.positives + 1, outline.steps[0]):
        columns[tp] = [
            fp
            for fp in range(0, outline.negatives + 1, outline.steps[1])
            if all(plane.holds(Fraction(tp), Fraction(fp)) for plane in outline.planes)
        ]
    return columns


def score_at(outline, tp, fp):
    p, n = Fraction(outline.positives), Fraction(outline.negatives)
    return outline.formula.score(confusion_at((Fraction(tp), Fraction(fp)), p, n))


@pytest.mark.parametrize("block", range(3))
def test_columns_end_where_trying_all_says_and_none_is_higher_than_it_is_told(block):
    rng = np.random.default_rng(100 + block)
    told_of, left_out = 0, 0
    for _ in range(80):
        outline = draw_outline(rng)
        planes = [outline_module._in_integers(plane) for plane in outline.planes]
        columns = lattice(outline)
        for tp, inside in columns.items():
            ends = {inside[0], inside[-1]} if inside else set()
            assert outline._column_ends(tp, planes) == ends
        best = {
            tp: max(score_at(outline, tp, fp) for fp in inside)
            for tp, inside in columns.items()
            if inside
        }
        floor = float(np.median([float(score) for score in best.values()])) if best else 0.0
        for limit in (-np.inf, floor):
            told = outline._columns(limit)
            assert [height for height, _ in told] == sorted((h for h, _ in told), reverse=True)
            heights = {tp: height for height, tp in told}
            assert len(heights) == len(told)
            assert all(height > limit for height in heights.values())
            for tp, score in best.items():
                if tp in heights:
                    assert heights[tp] >= float(score) - 1e-9 * max(1.0, abs(float(score)))
                    told_of += 1
                else:
                    assert float(score) <= limit + 1e-9
                    left_out += 1
    assert min(told_of, left_out) > 50


@pytest.mark.parametrize(
    "ratio",
    [
        vp.Ratio(vp.Weights(tp=2, fp=-1), vp.Weights(fp=1, fn=1)),
        vp.Ratio(vp.Weights(tp=1, fp=1), vp.Weights(tn=1)),
        vp.Ratio(vp.Weights(tn=1, fp=3), vp.Weights(tn=1, fn=1)),
        vp.Ratio(vp.Weights(tp=-1, fp=2), vp.Weights(tp=1, fp=1)),
    ],
)
def test_where_0_divides_at_the_end_of_a_column_the_next_point_speaks(ratio):
    rng = np.random.default_rng(7)
    found_some = 0
    for _ in range(60):
        steps = int(rng.integers(1, 4)), int(rng.integers(1, 4))
        positives, negatives = (int(rng.integers(1, 6)) * step for step in steps)
        whole = Outline(ratio, positives, negatives, steps)
        outline = whole.below(ratio.denominator, Fraction(-1), 1, sign=-1)
        for _ in range(int(rng.integers(0, 3))):
            weights = vp.Weights(*(int(part) for part in rng.integers(-3, 4, 4)))
            outline = outline.below(weights, Fraction(int(rng.integers(0, 12))), 1)
        best, found = tried(outline), outline.lattice_summit(None)
        assert (None if found is None else found.score) == best
        columns = {tp: height for height, tp in outline._columns(-np.inf)}
        for tp, inside in lattice(outline).items():
            if inside:
                score = max(score_at(outline, tp, fp) for fp in inside)
                assert columns[tp] >= float(score) - 1e-9 * max(1.0, abs(float(score)))
                found_some += 1
    assert found_some > 50


@pytest.mark.parametrize("block", range(2))
def test_corners_are_those_of_all_half_planes_together(block):
    """Each is inside and on two edges; nothing inside is beyond them in any direction."""
    rng = np.random.default_rng(200 + block)
    empty = 0
    for _ in range(60):
        outline = draw_outline(rng)
        p, n = outline.positives, outline.negatives
        rectangle = [HalfPlane(Fraction(a), Fraction(b), Fraction(c)) for a, b, c in
                     ((-1, 0, 0), (1, 0, p), (0, -1, 0), (0, 1, n))]  # fmt: skip
        planes = [*rectangle, *outline.planes]
        corners = outline.corners()
        assert len(set(corners)) == len(corners)
        for corner in corners:
            assert all(plane.holds(*corner) for plane in planes)
            edges = [plane for plane in planes if plane.a * corner[0] + plane.b * corner[1]
                     == plane.c and (plane.a or plane.b)]  # fmt: skip
            assert len(edges) >= 2
        points = [(tp, fp) for tp, inside in lattice(outline).items() for fp in inside]
        assert corners or not points
        empty += not corners
        for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-2, 3)):
            if points:
                most = max(a * tp + b * fp for tp, fp in points)
                assert most <= max(a * tp + b * fp for tp, fp in corners)
        if corners:
            step = outline.steps[0]
            least, most = outline.tp_range()
            assert least % step == most % step == 0
            assert least - step < min(tp for tp, _ in corners) <= least
            assert most <= max(tp for tp, _ in corners) < most + step
    assert 0 < empty < 55


def test_a_polygon_is_clipped_corner_by_corner():
    whole = Outline(formula_of("f1", Fraction(4), Fraction(4)), 4, 4, (1, 1))
    assert whole.corners() == [(0, 0), (4, 0), (4, 4), (0, 4)]

    def clipped(a, b, c):
        plane = HalfPlane(Fraction(a), Fraction(b), Fraction(c))
        return set(Outline(whole.formula, 4, 4, (1, 1), (plane,)).corners())

    assert clipped(1, 1, 2) == {(0, 0), (2, 0), (0, 2)}
    assert clipped(-1, -1, -2) == {(2, 0), (4, 0), (4, 4), (0, 4), (0, 2)}
    assert clipped(1, 1, 0) == {(0, 0)}  # a corner, and nothing else
    assert clipped(1, 0, 0) == {(0, 0), (0, 4)}  # an edge
    assert clipped(1, 0, -1) == set()
    assert clipped(0, 0, 0) == {(0, 0), (4, 0), (4, 4), (0, 4)}
    assert clipped(0, 0, -1) == set()
    assert HalfPlane(Fraction(1), Fraction(1), Fraction(2)).holds(Fraction(1), Fraction(1))
    assert not HalfPlane(Fraction(1), Fraction(1), Fraction(2)).holds(Fraction(1), Fraction(2))


def patterns_of(weight):
    labels = np.array([1, 1, 1, 0, 0, 0])
    return vp.Patterns.of(vp.Votes(np.eye(6), labels, sample_weight=weight))


@pytest.mark.parametrize("objective", ["precision", "mcc"])
def test_an_outline_begins_with_limits_and_without_what_0_divides(objective):
    patterns = patterns_of([1, 2, 3, 2, 2, 4])
    formula = formula_of(objective, Fraction(6), Fraction(8))
    limits = [
        limit
        for request in (vp.AtLeast("recall", 0.5), vp.AtMost("fp", 5))
        for limit in MetricLimit.all_of(request, patterns)
    ]
    for some in ((), limits):
        outline = Outline.of(formula, patterns, some)
        assert (outline.positives, outline.negatives, outline.steps) == (6, 8, (1, 2))
        assert len(outline.planes) == len(some) + (objective == "precision")
        for tp in range(7):
            for fp in range(0, 9, 2):
                wanted = not some or (tp >= 3 and fp <= 5)
                if objective == "precision":
                    wanted = wanted and tp + fp > 0
                held = all(plane.holds(Fraction(tp), Fraction(fp)) for plane in outline.planes)
                assert held == wanted


def test_units_of_halves_are_whole_points():
    patterns = patterns_of([0.5, 1, 1.5, 1, 1, 2])
    assert patterns.denominator == 2
    outline = Outline.of(formula_of("mcc", Fraction(3), Fraction(4)), patterns)
    assert (outline.positives, outline.negatives, outline.steps) == (6, 8, (1, 2))
    rng = np.random.default_rng(0)
    for _ in range(30):
        weights = vp.Weights(*(Fraction(int(part), 3) for part in rng.integers(-4, 5, 4)))
        bound, sign = Fraction(int(rng.integers(-20, 20)), 2), int(rng.choice([-1, 1]))
        cut = outline.below(weights, bound, 2, sign)
        assert cut.planes[:-1] == outline.planes
        default = outline.below(weights, bound, 2)
        assert default == outline.below(weights, bound, 2, 1)
        for tp in range(7):
            for fp in range(0, 9, 2):
                counts = vp.Confusion(*(Fraction(part, 2) for part in (tp, 6 - tp, 8 - fp, fp)))
                wanted = sign * weights.value(counts) <= bound
                assert cut.planes[-1].holds(Fraction(tp), Fraction(fp)) == wanted


@pytest.mark.parametrize(
    ("positives", "negatives", "steps", "fine"),
    [
        (99_999, 5, (1, 1), False),
        (100_000, 5, (1, 1), True),
        (100_001, 5, (2, 1), False),
        (200_000, 5, (2, 1), True),
        (10**12 - 6, 5, (10**11, 1), False),
        (10**12 - 5, 5, (10**11, 1), True),
        (5, 10**12 - 5, (1, 1), True),
    ],
)
def test_a_lattice_too_fine_to_be_looked_at_is_known(
    positives, negatives, steps, fine, monkeypatch
):
    formula = formula_of("f1", Fraction(positives), Fraction(negatives))
    outline = Outline(formula, positives, negatives, steps)
    assert outline.fine == fine
    if fine:  # the polygon alone must do
        monkeypatch.setattr(Outline, "_columns", None)
        assert outline.lattice_summit(None) == outline.summit()


def test_a_polygon_without_corners_has_no_summit():
    nothing = HalfPlane(Fraction(0), Fraction(0), Fraction(-1))
    outline = Outline(formula_of("f1", Fraction(4), Fraction(4)), 4, 4, (1, 1), (nothing,))
    assert outline.summit() is None
    assert outline.lattice_summit(None) is None
    whole = Outline(outline.formula, 4, 4, (1, 1))
    assert (whole.summit().score, whole.summit().point) == (1, (4, 0))
    found = whole.lattice_summit(None)
    assert (found.score, found.point) == (1, (4, 0))


def test_floats_are_lowered_by_more_than_they_round():
    for score in (
        Fraction(0),
        Fraction(1, 3),
        Fraction(-5),
        Fraction(10**9, 7),
        Fraction(-(10**9)),
    ):
        lowered = outline_module._lowered(score)
        size = max(1.0, abs(float(score)))
        assert float(score) - 2e-9 * size < lowered < float(score) - 0.5e-9 * size


def test_time_is_looked_at_before_every_column(monkeypatch):
    """As many columns as there is time for, then the polygon speaks."""
    moments = iter([0.0, 1.0, 2.0])
    monkeypatch.setattr(outline_module.time, "monotonic", lambda: next(moments))
    outline = Outline(formula_of("f1", Fraction(4), Fraction(4)), 4, 4, (1, 1))
    monkeypatch.setattr(Outline, "_column_ends", lambda self, tp, planes: set())
    found = outline.lattice_summit(None, deadline=2.0)
    assert found == outline.summit()
    assert next(moments, None) is None
