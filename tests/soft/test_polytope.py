"""Limits as rows, against every set: what is left of them, what they cost, what sums they allow."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from voteprune.soft.loss_protocol import margin
from voteprune.soft.polytope import Polytope

SEEDS = range(10)


def rows_of(seed, k=6):
    """The size, a cost, and a group's two limits; whole numbers, so that sums are exact."""
    random = np.random.default_rng(seed)
    team = np.where(random.random(k) < 0.6, 1.0, 0.0)
    lines = np.array([np.ones(k), random.integers(0, 5, k), team, -team, -np.ones(k)])
    limits = np.array([random.integers(1, k + 1), random.integers(0, 12), 2, -1, -1], dtype=float)
    return lines[: 1 + seed % 5], limits[: 1 + seed % 5]


def sets(k):
    return np.array(list(product((0.0, 1.0), repeat=k)))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_row_is_left_out_exactly_where_no_set_breaks_it(seed):
    lines, limits = rows_of(seed)
    chosen = np.random.default_rng([seed, 1]).integers(0, 3, 6)
    inside, free = np.flatnonzero(chosen == 1), np.flatnonzero(chosen == 0)
    left = Polytope.at(lines, limits, inside, free)
    rest = limits - lines[:, inside].sum(axis=1)
    broken = (sets(len(free)) @ lines[:, free].T > rest).any(axis=0)
    broken[0] = True
    np.testing.assert_array_equal(left.tight, broken)
    np.testing.assert_array_equal(left.lines, lines[broken][:, free])
    np.testing.assert_array_equal(left.limits, rest[broken])
    every = (sets(len(free)) @ lines[:, free].T <= rest).all(axis=1)
    np.testing.assert_array_equal(
        (sets(len(free)) @ left.lines.T <= left.limits).all(axis=1), every
    )
    # No x at all keeps a row: the least that it can sum to is more than it allows.
    assert left.broken == (np.minimum(left.lines, 0).sum(axis=1) > left.limits).any()


def test_costs_that_meet_a_limit_exactly_are_not_above_it_by_roundings():
    lines, free = np.array([np.ones(4), [0.1, 0.2, 0.5, 0.7]]), np.array([2, 3])
    assert 0.3 - (0.1 + 0.2) < 0
    met = Polytope.at(lines, np.array([4.0, 0.3]), np.array([0, 1]), free)
    assert met.limits.tolist() == [2.0, 0.0]
    assert not met.broken
    for over in (1e-13, 1e-9, 0.2):
        above = Polytope.at(lines, np.array([4.0, 0.3 - over]), np.array([0, 1]), free)
        assert above.limits[1] == pytest.approx(-over, rel=1e-2)
        assert above.broken == (over > 1e-10)
    below = Polytope.at(lines, np.array([4.0, 0.3 + 1e-15]), np.array([0, 1]), free)
    assert 0 < below.limits[1] < 1e-14


@pytest.mark.parametrize("sign", [1, -1])
def test_a_row_is_broken_when_it_is_so_by_more_than_roundings(sign):
    """Of a cost what sits already, of a least number what could still come."""
    lines = np.array([np.ones(3), sign * np.array([0.5, 1.0, 1.5])])
    edge = 0.0 if sign > 0 else -3.0
    for off, broken in ((1.0, False), (0.0, False), (-1e-14, False), (-1e-11, True), (-1, True)):
        assert Polytope(lines, np.array([3.0, edge + off])).broken == broken
    assert Polytope(lines, np.array([-1.0, 9.0])).broken


def test_prices_of_rows_that_are_left_go_to_their_places():
    lines, limits = np.eye(3), np.array([0.0, 5.0, 0.5])
    left = Polytope.at(lines, limits, np.zeros(0, dtype=int), np.arange(3))
    assert left.tight.tolist() == [True, False, True]
    assert left.spread(np.array([2.0, 3.0])).tolist() == [2.0, 0.0, 3.0]
    assert left.spread(np.zeros(0)).tolist() == []
    assert Polytope(lines, limits).spread(np.arange(3.0)).tolist() == [0.0, 1.0, 2.0]


def test_only_rows_that_leaving_members_out_can_help_are_packing_rows():
    lines = np.array([[1.0, 1, 1], [0, 2, 0], [-1, -1, -1], [1, -1, 0], [0, 0, -1]])
    part = Polytope(lines, np.arange(5.0)).packing(np.array([0, 2]))
    assert part.lines.tolist() == [[1.0, 1.0], [0.0, 0.0]]
    assert part.limits.tolist() == [0.0, 1.0]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_member_enters_where_its_gain_is_worth_more_than_its_seat(seed):
    lines, limits = rows_of(seed)
    random = np.random.default_rng([seed, 2])
    prices, ridge = random.exponential(size=len(lines)), 0.7
    entry = Polytope(lines, limits).entry(prices, ridge)
    cost = prices @ lines
    np.testing.assert_allclose(entry**2 / (2 * ridge), np.maximum(cost, 0), rtol=1e-12, atol=1e-300)
    assert (entry >= 0).all()


def feasible_inside(seed, k=6):
    """Rows with an inner point, and weights; some of them 0 under a size limit alone."""
    random = np.random.default_rng([seed, 3])
    lines, limits = rows_of(seed, k)
    inner = random.uniform(0.2, 0.8, k)
    limits = np.maximum(limits, lines @ inner + 0.05)
    limits[0] = max(1, np.floor(limits[0])) if len(lines) == 1 else limits[0]
    weights = random.exponential(size=k) * (random.random(k) < 0.85) + 0.1 * (len(lines) > 1)
    return Polytope(lines, limits), weights, random


@pytest.mark.parametrize("seed", SEEDS)
def test_the_penalty_is_the_least_over_the_polytope(seed):
    """Its shares keep the rows and cost as much, and no others cost less."""
    polytope, weights, random = feasible_inside(seed)
    ridge = 1.7
    found = polytope.ridge(weights, ridge)
    x, heavy = found.shares, weights > 0
    assert (x >= 0).all()
    assert (x <= 1).all()
    assert (polytope.lines @ x <= polytope.limits + 1e-4).all()
    assert (found.prices >= 0).all()
    cost = ridge / 2 * (weights[heavy] ** 2 / x[heavy]).sum()
    assert found.value == pytest.approx(cost, rel=2e-4)
    for _ in range(50):
        other = random.random(6)
        if (polytope.lines @ other <= polytope.limits).all():
            assert found.value <= ridge / 2 * (weights**2 / other).sum() * (1 + 1e-9)
    again = polytope.ridge(weights, ridge, found.prices)
    assert again.value == pytest.approx(found.value, rel=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_penalty_s_derivatives_are_those_of_its_values(seed):
    polytope, weights, _ = feasible_inside(seed)
    weights = weights + 0.05
    found = polytope.ridge(weights, 1.7)
    step = 1e-6
    for k in range(6):
        there = polytope.ridge(weights + step * (np.arange(6) == k), 1.7, found.prices)
        back = polytope.ridge(weights - step * (np.arange(6) == k), 1.7, found.prices)
        assert (there.value - back.value) / (2 * step) == pytest.approx(found.gradient[k], rel=1e-4)
        bend = (there.gradient - back.gradient) / (2 * step)
        np.testing.assert_allclose(bend, found.hessian[k], rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("seats", range(1, 8))
def test_with_a_size_alone_the_penalty_is_the_k_support_norm(seats):
    """By its closed form: whole seats for the heaviest, what is left shared by weight."""
    random = np.random.default_rng(seats)
    for _ in range(10):
        weights = np.round(random.exponential(size=7), 1)
        best = np.inf
        for whole in range(min(seats, 7)):
            heavy = np.sort(weights)[::-1]
            x = np.ones(7)
            rest = heavy[whole:]
            if rest.sum() > 0:
                x[whole:] = np.minimum(1, rest / rest.sum() * (seats - whole))
            own = x > 0
            best = min(best, (heavy[own] ** 2 / x[own]).sum())
        found = Polytope(np.ones((1, 7)), np.array([float(seats)])).ridge(weights, 2.0)
        assert found.value == pytest.approx(best, rel=1e-9, abs=1e-12)
        assert found.shares.sum() <= seats + 1e-9


@pytest.mark.parametrize("seed", SEEDS)
def test_no_set_has_a_larger_sum_than_is_told_with_anybody_in_or_out(seed):
    lines, limits = rows_of(seed)
    random = np.random.default_rng([seed, 4])
    polytope = Polytope(lines, limits)
    for turn in range(5):
        values = random.exponential(size=6) * (random.random(6) < 0.8) * 10.0 ** (3 - turn)
        told = polytope.selection(values)
        every = sets(6)
        keeping = every[(every @ lines.T <= limits).all(axis=1)]
        room = 1 + 1e-12
        for x in keeping:
            sum_of = x @ values
            assert sum_of <= told.value
            assert sum_of <= (told.value - told.cost_in[x == 1].max(initial=0)) * room + 1e-300
            assert sum_of <= (told.value - told.cost_out[x == 0].max(initial=0)) * room + 1e-300
        best = linprog(-values, A_ub=lines, b_ub=limits, bounds=(0, 1))
        if best.status == 2:
            # Nothing keeps all rows: whatever is claimed of their sums is true.
            assert told.value < -values.sum() - 1e3
            continue
        assert told.value <= -best.fun * (1 + 1e-9) + 1e-9 * values.sum()
        if len(lines) > 1:
            cost = told.prices @ lines
            np.testing.assert_allclose(told.cost_in, np.maximum(cost - values, 0))
            np.testing.assert_allclose(told.cost_out, np.maximum(values - cost, 0))
            continue
        for k in range(6):
            for side, cost in ((1, told.cost_in), (0, told.cost_out)):
                own = max((x @ values for x in keeping if x[k] == side), default=-np.inf)
                assert (
                    told.value - cost[k] == pytest.approx(own, rel=1e-12, abs=1e-12 * values.sum())
                    or own == -np.inf
                )


def test_with_no_seat_left_the_sum_is_nothing_and_nobody_comes_in():
    told = Polytope(np.ones((1, 3)), np.zeros(1)).selection(np.array([1.0, 2.0, 0.0]))
    assert told.value == 0
    assert (told.cost_in == np.inf).all()
    assert (told.cost_out <= 0).all()


@pytest.mark.parametrize("seats", [2, 30, 31, 40])
def test_sums_are_rounded_up(seats):
    """One large value and many that are lost beside it."""
    values = np.array([1.0, *[2.0**-54] * 30])
    told = Polytope(np.ones((1, 31)), np.array([float(seats)])).selection(values)
    exact = 1 + min(seats - 1, 30) * Fraction(2) ** -54
    # By four margins of so many terms, less what was lost.
    margins = Fraction(told.value) / exact - 1
    assert 3 <= margins / Fraction(margin(31)) <= 5


def test_sums_by_prices_are_rounded_up():
    random = np.random.default_rng(0)
    for _ in range(30):
        lines = np.array([np.ones(20), random.random(20), -random.random(20)])
        limits = np.array([5.0, 2.0, -0.5])
        values = random.exponential(size=20)
        told = Polytope(lines, limits).selection(values)
        u = [Fraction(price) for price in told.prices]
        exact = sum(price * Fraction(limit) for price, limit in zip(u, limits, strict=True))
        size = sum(price * abs(Fraction(limit)) for price, limit in zip(u, limits, strict=True))
        for k, value in enumerate(values):
            paid = sum(price * Fraction(row[k]) for price, row in zip(u, lines, strict=True))
            size += sum(price * abs(Fraction(row[k])) for price, row in zip(u, lines, strict=True))
            size += Fraction(value)
            exact += max(0, Fraction(value) - paid)
        margins = (Fraction(told.value) - exact) / size
        assert 3 <= margins / Fraction(margin(20)) <= 5


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_prices_are_never_negative_also_where_no_x_keeps_all_rows(scale):
    """Anything may be told of the sum over no sets; prices below zero would bound none."""
    # At least two seats of the first three, who have three quarters at most by the other rows.
    lines = np.array([np.ones(4), [-1, -1, -1, 0], [2, 2, 0, 0], [0, 2, 2, 1], [2, 0, 2, 0]])
    for limits, possible in (([3, -2, 1, 1, 1], False), ([3, -0.5, 1, 1, 1], True)):
        values = scale * np.array([1.0, 2.0, 0.5, 1.5])
        told = Polytope(lines, np.array(limits, dtype=float)).selection(values)
        assert (told.prices >= 0).all()
        assert (told.prices > 0).any()
        best = linprog(-values / scale, A_ub=lines, b_ub=limits, bounds=(0, 1))
        assert (best.status == 0) == possible
        if possible:
            assert told.value >= -best.fun * scale * (1 - 1e-9)
        else:
            assert told.value < 0
