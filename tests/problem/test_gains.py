"""Weighted sums of the four counts as integers: exact, and rounded to what can be reached."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import voteprune as vp
from voteprune.problem.gains import MOST_UNITS, Gains, check_reach


def patterns_of(matrix, labels, weights=None):
    return vp.Patterns.of(vp.Votes(matrix, labels, sample_weight=weights))


@pytest.mark.parametrize("seed", range(8))
def test_sums_of_all_decisions_are_the_weighted_counts(seed):
    random = np.random.default_rng(seed)
    matrix, labels = random.integers(0, 2, (9, 3)), np.arange(9) % 2
    rows = random.integers(1, 5, 9) / 2 if seed % 2 else np.ones(9)
    weights = vp.Weights(*(Fraction(int(w), 3) for w in random.integers(-4, 9, 4)))
    patterns = patterns_of(matrix, labels, rows)
    gains = Gains.of(weights, patterns)
    reached = []
    for decided in product((False, True), repeat=patterns.n_patterns):
        z = np.array(decided)
        tp, fp = patterns.positive[z].sum(), patterns.negative[z].sum()
        positives, negatives = patterns.totals
        unit = Fraction(1, patterns.denominator)
        expected = unit * (
            weights.tp * int(tp) + weights.fn * (positives - int(tp))
            + weights.tn * (negatives - int(fp)) + weights.fp * int(fp)
        )  # fmt: skip
        sums = gains.base + int(gains.net[z].sum())
        assert sums * gains.unit == expected
        reached.append(sums)
    assert gains.ceiling == max(reached)
    steps = {one - gains.base for one in reached if one != gains.base}
    assert gains.step == (np.gcd.reduce(sorted(steps)) if steps else 1)
    # Whoever is asked for the largest sum that is not above says it of every sum on the grid.
    grid = range(min(reached), max(reached) + gains.step + 1, gains.step)
    for here in grid:
        assert gains.floor_to_step(here) == here
        assert gains.floor_to_step(Fraction(2 * here - 1, 2)) == here - gains.step
        assert gains.floor_to_step(here + gains.step - Fraction(1, 10**30)) == here
        assert gains.floor_to_step(float(here) + gains.step / 2) == here


def test_where_every_decision_is_worth_the_same_steps_are_of_one():
    gains = Gains.of(vp.Weights(tp=3, fn=3), patterns_of([[0], [1]], [0, 1]))
    assert gains.step == 1
    assert gains.base == gains.ceiling == gains.floor_to_step(gains.base) == 3


@pytest.mark.parametrize(
    ("units", "unit", "most", "refused"),
    [
        (MOST_UNITS - 1, Fraction(1, 2**900), MOST_UNITS, False),
        (MOST_UNITS, Fraction(1, 2**900), MOST_UNITS, True),
        (99, Fraction(1), 100, False),
        (100, Fraction(1), 100, True),
        (10, Fraction(10**299) - 1, MOST_UNITS, False),
        (10, Fraction(10**299), MOST_UNITS, True),
    ],
)
def test_sums_that_no_float_holds_are_refused(units, unit, most, refused):
    if not refused:
        check_reach(units, unit, most)
        return
    with pytest.raises(vp.InputError, match="orders of magnitude") as caught:
        check_reach(units, unit, most)
    assert caught.value.argument == "objective"


@pytest.mark.parametrize(
    "weights",
    [
        vp.Weights(tp=Fraction(1, 2**600), tn=2**400),
        vp.Weights(fn=-(2**901)),  # all of it in the base
        vp.Weights(tp=Fraction(1, 2**450), tn=Fraction(2**449), fp=-Fraction(2**449)),
    ],
)
def test_weights_that_span_too_much_are_refused(weights):
    with pytest.raises(vp.InputError, match="orders of magnitude"):
        Gains.of(weights, patterns_of([[0], [1], [0]], [0, 1, 1]))


def test_as_many_units_as_floats_hold():
    assert MOST_UNITS == 2**900
    patterns = patterns_of([[0], [1]], [0, 1])
    assert Gains.of(vp.Weights(tp=2**899), patterns).ceiling == 2**899
    check_reach(2**800, Fraction(1))  # 7e240 is a number
