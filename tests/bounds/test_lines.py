"""A line through the counts has all that is as good as a committee on one side, and is near it."""

import pytest

from voteprune.bounds.inevitable_errors import _line_below
from voteprune.problem.confusion import Confusion
from voteprune.problem.formulas import Matthews
from voteprune.problem.metrics import formula_of


@pytest.mark.parametrize(("p", "n"), [(7, 7), (4, 11), (11, 3), (1, 6)])
@pytest.mark.parametrize("name", ["mcc", "gmean", "f1", "precision"])
def test_everything_as_good_is_on_the_line_or_above(name, p, n):
    formula = formula_of(name, p, n)
    points = [Confusion(tp, p - tp, n - fp, fp) for tp in range(p + 1) for fp in range(n + 1)]
    drawn = 0
    for point in points:
        line = _line_below(formula, point)
        if line is None:
            continue
        weights, least = line
        score = formula.score(point)
        drawn += 1
        assert all(
            weights.value(other) >= least for other in points if formula.score(other) >= score
        )
        assert weights.value(Confusion(p, 0, n, 0)) >= least  # the perfect one
        if not isinstance(formula, Matthews):
            assert weights.value(point) == least
    assert drawn > p * n / 4


@pytest.mark.parametrize(("p", "n"), [(12, 12), (5, 18), (17, 4)])
def test_the_chord_of_matthews_correlation_begins_and_ends_on_its_level_curve(p, n):
    formula = Matthews()
    for tp in range(1, p + 1):
        for fp in range(n):
            point = Confusion(tp, p - tp, n - fp, fp)
            if (line := _line_below(formula, point)) is None:
                continue
            weights, least = line
            # Where the line meets the edges fp = 0 and tp = p, the score is this one again.
            if weights.tp:
                at = least / weights.tp
                assert formula.score(Confusion(at, p - at, n, 0)) == formula.score(point)
            if weights.fp:
                at = (least - weights.tp * p) / weights.fp
                assert formula.score(Confusion(p, 0, n - at, at)) == formula.score(point)
