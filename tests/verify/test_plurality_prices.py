"""Prices for several classes pay what the definition says, for all seats and winners."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from pluralcerts import pool_of, said
from pluralities import known
from pluralparts import random_row, standing
from voteprune.verify.plurality_pool import bits
from voteprune.verify.plurality_prices import Counter, _below, _lost


def priced(rng, case, folder):
    """A pool with rows and prices in quarters, found at some size, and prices on costs."""
    found = said(case, 0)
    found["rows"] = [random_row(rng, case) for _ in range(20)]
    size = int(rng.integers(1, len(found["votes"]["names"]) + 1))
    found["prices"] = [
        {
            "size": size,
            "rows": [[row, int(rng.integers(12)) / 4] for row in range(20)],
            "limits": [[place, 0.75] for place in range(len(found["limits"]["costs"]))],
        }
    ]
    return pool_of(found, case, folder)


def by_definition(pool, counter, prices, part):
    """The best that any seats and any winners reach with what the prices pay; None for nobody."""
    rows = [(pool.document.rows[place], price) for place, price in prices.rows]
    told = Fraction(0)
    for pattern, wins in enumerate(pool.wins):
        fewest = pool.fewest(pattern, part.size)
        there = part.sits | part.free
        left = [
            win.gain
            - sum(
                price * counter._factor(row, *pool.coefficients(row), part.size)
                for row, price in rows
                if (row.pattern, row.label) == (pattern, win.label)
            )
            for win in wins
            if fewest[win.label] <= (win.mine & there).bit_count() and not _lost(win, part)
        ]
        if not left:
            return None
        told += max(left)
    paid = []
    for who in combinations(bits(part.free), part.seats):
        seated = part.sits | sum(1 << k for k in who)
        pay = Fraction(0)
        for row, price in rows:
            parts, _ = pool.coefficients(row)
            counted = sum(v * (w & row.members & seated).bit_count() for v, w in parts)
            pay += price * (counted + _below(row, parts))
        for place, price in prices.limits:
            costs, most = pool.limits[place]
            spare = most - sum(costs[k] for k in bits(seated))
            pay += price * Fraction(spare, max(1, *map(abs, costs)))
        paid.append(pay)
    return told + max(paid)


@pytest.mark.parametrize("seed", range(8))
def test_a_bound_is_what_its_prices_pay(seed, tmp_path):
    rng, case = np.random.default_rng(seed), known(seed, most_classifiers=6)
    pool = priced(rng, case, tmp_path)
    counter, (prices,) = Counter(pool), pool.document.prices
    for chance in (0.0, 0.3, 0.6):
        part = standing(rng, pool, prices.size, chance)
        if not 0 <= part.seats <= part.free.bit_count():
            continue
        found = counter.bound(counter.charges(prices, part.size), part)
        truth = by_definition(pool, counter, prices, part)
        assert (found is None) == (truth is None)
        if found is not None:
            # Prices on costs are rounded, by a unit for each cost at most.
            off = found.most - truth * (1 << counter.shift)
            rounded = sum(abs(most) + sum(map(abs, costs)) for costs, most in pool.limits)
            assert abs(off) <= rounded


def test_a_price_carried_to_another_size_charges_a_class_as_much(tmp_path):
    carried = 0
    for seed in range(16):
        rng, case = np.random.default_rng(seed), known(seed, most_classifiers=6)
        pool = priced(rng, case, tmp_path)
        counter, (prices,) = Counter(pool), pool.document.prices
        price, whole = Fraction(3, 4), 3 * 2 ** (counter.shift - 2)
        for row in pool.document.rows:
            parts = pool.coefficients(row)
            for there in range(1, len(pool.document.names) + 1):
                before, after = (
                    counter._factor(row, *parts, size) for size in (prices.size, there)
                )
                told = counter._carried(row, *parts, price, prices.size, there)
                if there == prices.size:
                    assert told == whole
                elif before <= 0 or after <= 0:
                    assert told == 0
                else:
                    assert 0 <= whole * before - told * after < after
                    carried += before != after
    assert carried > 50
