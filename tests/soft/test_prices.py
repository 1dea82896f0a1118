"""Prices of several limits: optimality conditions, and what is told where nothing keeps them."""

import numpy as np
import pytest

from voteprune.soft.polytope import _HIGHEST, dual_prices

RIDGE = 0.8


def program(seed, k=8):
    """Rows with room inside, and weights of very different size, none of them 0."""
    random = np.random.default_rng(seed)
    team = np.where(random.random(k) < 0.5, 1.0, 0.0)
    lines = np.array([np.ones(k), random.uniform(0.2, 3, k), team, -np.ones(k)])[: 2 + seed % 3]
    limits = lines @ random.uniform(0.2, 0.7, k) + 0.1
    return lines, limits, random.exponential(size=k) * 10.0 ** (seed % 4 - 2) + 1e-3


def shares(lines, weights, prices):
    """x that costs a member the least at some prices."""
    paid = np.maximum(prices @ lines, 1e-300)
    return np.minimum(1, weights * np.sqrt(RIDGE / (2 * paid)))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("near", [None, 1e9])
def test_the_shares_keep_the_limits_and_no_price_is_paid_for_room(seed, near):
    lines, limits, weights = program(seed)
    start = None if near is None else np.full(len(lines), near)
    prices = dual_prices(lines, limits, weights, RIDGE, start)
    assert (prices >= 0).all()
    over = lines @ shares(lines, weights, prices) - limits
    assert over.max() <= 1e-5
    unit = RIDGE * weights.max() ** 2 / 2
    assert np.abs(over * prices).max() <= 1e-5 * max(unit, prices.max())


def test_prices_are_in_units_of_the_ridge_and_of_squared_weights():
    lines, limits, weights = program(1)
    one = dual_prices(lines, limits, weights, RIDGE)
    assert one.max() > 0
    np.testing.assert_allclose(dual_prices(lines, limits, weights, 5 * RIDGE), 5 * one, rtol=1e-6)
    np.testing.assert_allclose(dual_prices(lines, limits, 3 * weights, RIDGE), 9 * one, rtol=1e-6)


def test_limits_that_nothing_keeps_have_high_prices_and_no_end():
    lines, weights = np.array([np.ones(3), -np.ones(3)]), np.array([1.0, 2.0, 0.5])
    prices = dual_prices(lines, np.array([1.0, -2.0]), weights, RIDGE)
    assert np.isfinite(prices).all()
    assert prices.max() <= _HIGHEST * RIDGE * 2
    assert prices.max() > 100


def test_without_weights_prices_are_numbers():
    prices = dual_prices(np.ones((2, 3)), np.array([1.0, 2.0]), np.zeros(3), RIDGE)
    assert np.isfinite(prices).all()
    assert (prices >= 0).all()
    none = dual_prices(np.ones((2, 0)), np.array([1.0, 2.0]), np.zeros(0), RIDGE)
    assert (none >= 0).all()
