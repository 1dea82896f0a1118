"""Bounds of the checker to the last bit: where nothing needs rounding, they are those of duality.

A bound that is larger than it need be is true, and refuses what is true. These tests take prices
that units of 2^-64 express exactly, so that one unit too many shows.
"""

import json
from fractions import Fraction
from itertools import combinations
from math import lcm

import numpy as np
import pytest

from forging import check, claim, clause, proof, refutation, shut, split, step, write_rows
from voteprune.verify.charges import FINE, Charges, CountRow, Standing, sound_row, up
from voteprune.verify.clauses import Recheck
from voteprune.verify.document import Row, read_document
from voteprune.verify.limits import LimitRow, Limits
from voteprune.verify.pool import Pool, merge
from voteprune.verify.replay import Replay
from voteprune.verify.table import read_table
from voteprune.verify.trying import _all_members

UNIT = 2.0**-64
COSTS = {"costs": [{"costs": [1, 2, 1, 3], "most": 4}]}
RECALL = {"criteria": [{"weights": {"tp": 1, "fn": 0, "tn": 0, "fp": -1}, "least": 1}]}


def setting(document, rows, folder):
    """A certificate as the checker sees it."""
    (folder / "c.json").write_text(json.dumps(document))
    write_rows(folder / "v.csv", document["votes"]["names"], rows)
    read = read_document(folder / "c.json")
    table = read_table(folder / "v.csv", read.names, "label")
    pool = Pool.of(read, merge(table, read.row_weights))
    return read, pool, Limits(read, pool)


def drawn(seed):
    """Votes of four classifiers on a dozen rows."""
    rng = np.random.default_rng(seed)
    return [f"{''.join(map(str, rng.integers(0, 2, 4)))} {rng.integers(2)}" for _ in range(12)]


def priced_rows(rng, pool, limits):
    """Rows of every kind at prices for which nothing is ever rounded."""
    n, everyone, chosen = len(pool.used), (1 << len(pool.seats)) - 1, []
    for i in range(n):
        some = int(rng.integers(everyone + 1))
        chosen += [
            Row((i,), pool.helps[i]),
            Row((i,), pool.helps[i] & some),
            Row((i,), everyone & ~pool.helps[i] & some, away=True),
        ]
        j = int(rng.integers(n))
        if i != j:
            chosen.append(Row((i, j), pool.helps[i] & pool.helps[j]))
    sound = [sound_row(row, pool, limits) for row in chosen if rng.random() < 0.3]
    sound += [limits.row("cost", 0), limits.row("criterion", 0)]
    # Multiples of all that may be divided by: factors up to twice the size, and denominators. Some
    # are so high that patterns are charged more than they are worth.
    return [
        (
            row,
            Fraction(
                int(rng.integers(0, 3)) * _divisor(row) << place % 3 * 5, 2**20 * 3**3 * 5 * 7
            ),
        )
        for place, row in enumerate(sound)
    ]


def _divisor(row):
    """What makes a price of this row, over the number above, a whole number of units."""
    whole = 3**3 * 5 * 7 * lcm(*range(1, 10))
    if isinstance(row, LimitRow):
        numbers = (*row.on_members, *row.on_patterns, row.least)
        whole *= lcm(*(number.denominator for number in numbers))
    return whole


def by_duality(pool, priced, size, level, members, patterns, also=None):
    """The largest sum of value and priced rows over what is in a box; None if nothing is.

    Who sits is tried out, with what is asked of one more if anything is. Each pattern is right or
    wrong as it likes, if it can be right.
    """
    k, n = len(pool.seats), len(pool.used)
    here = [place for place in range(k) if members.get(place) != 0]
    free = []
    for i in range(n):
        needed = pool.needed(i, size, level)
        reach = [pool.helps[i].bit_count(), sum(pool.helps[i] >> place & 1 for place in here)]
        if patterns.get(i) == 1 and reach[1] < needed <= reach[0]:
            return None
        at_all = reach[0] if patterns.get(i) == 1 else reach[1]
        free.append((0,) if at_all < needed or patterns.get(i) == 0 else (0, 1))
        if patterns.get(i) == 1 and at_all >= needed:
            free[-1] = (1,)
    best = None
    for places in combinations(range(k), size):
        asked = {**members, **(also or {})}
        if any((place in places) != bool(value) for place, value in asked.items()):
            continue
        total, on_patterns = Fraction(pool.floor), [Fraction(weight) for weight in pool.weights]
        for row, price in priced:
            if isinstance(row, LimitRow):
                total += price * (sum(row.on_members[place] for place in places) - row.least)
                for i in range(n):
                    on_patterns[i] += price * row.on_patterns[i]
                continue
            counted = [place for place in range(k) if row.members >> place & 1]
            sits = sum(place in places for place in counted)
            needed = row.sides[0] * (level + 1) + row.sides[1] * (size - level)
            factor = needed - (sum(row.sides) - 1 + row.away) * size + row.shift
            for i in row.patterns:
                on_patterns[i] -= price
            total += price * (len(row.patterns) - 1)
            if factor <= 0:
                total += price
            else:
                total += price * (len(counted) - sits if row.away else sits) / factor
        for i, choices in enumerate(free):
            total += max(choice * on_patterns[i] for choice in choices)
        best = total if best is None else max(best, total)
    return best


@pytest.mark.parametrize("seed", range(8))
def test_prices_that_need_no_rounding_give_the_bound_of_duality(seed, tmp_path):
    rows = drawn(seed)
    _, pool, limits = setting(claim(rows, 12, limits={**COSTS, **RECALL}), rows, tmp_path)
    rng = np.random.default_rng(seed)
    k, n, empty, over = len(pool.seats), len(pool.used), 0, 0
    for _ in range(6):
        priced = priced_rows(rng, pool, limits)
        charges = Charges(pool, priced)
        members = {place: int(rng.integers(2)) for place in range(k) if rng.random() < 0.25}
        patterns = {i: int(rng.integers(2)) for i in range(n) if rng.random() < 0.2}
        standing = Standing(pool, charges, members, patterns)
        for size in range(1, k + 1):
            for level in range(size):
                true = by_duality(pool, priced, size, level, members, patterns)
                look = standing.look(size, level)
                empty += look is None
                assert (look is None) == (true is None)
                if look is None:
                    continue
                assert look.bound == true * FINE
                for place in set(range(k)) - members.keys():
                    for value in (0, 1):
                        told = look.with_member(place, value)
                        one = {place: value}
                        true = by_duality(pool, priced, size, level, members, patterns, one)
                        assert told == (None if true is None else true * FINE)
        over += any(left < 0 for left in charges.left)
    assert any(isinstance(row, CountRow) for row, _ in priced)
    assert empty
    assert over


def test_a_bound_one_unit_below_the_next_value_is_enough(tmp_path):
    """Two rows that cannot both be right, refuted by clauses of the smallest price there is."""
    rows = ["10 1", "11 0"]
    never_both = {**clause(yes=[0], no=[1]), "yes": [[0, UNIT]], "no": [[1, UNIT]]}
    closed = refutation(shut(0, prices=[[0, UNIT]]), clauses=[never_both])
    assert check(claim(rows, 1, refutation=closed), rows, tmp_path).proved
    for share in (0, UNIT / 2):  # which is no share, and no price
        less = {**never_both, "yes": [[0, share]], "no": [[1, share]]}
        told = check(
            claim(rows, 1, refutation=refutation(*closed["cells"], clauses=[less])), rows, tmp_path
        )
        assert "clause 0 is not proved" in told.failed[0]
    closed = refutation(shut(0, prices=[[0, UNIT / 2]]), clauses=[never_both])
    told = check(claim(rows, 1, refutation=closed), rows, tmp_path)
    assert "its bound is too high" in told.failed[0]


def test_what_everybody_votes_for_is_never_negative_however_small_the_share(tmp_path):
    rows = ["11 0", "10 0"]
    order = setting(claim(rows, 2), rows, tmp_path)[1]
    everybody = next(i for i, helps in enumerate(order.helps) if not helps)
    never = {**clause(no=[everybody]), "no": [[everybody, UNIT]]}
    closed = refutation(shut(0, prices=[[0, UNIT]]), clauses=[never])
    assert check(claim(rows, 1, refutation=closed), rows, tmp_path).proved


@pytest.mark.parametrize("price", [Fraction(1, 3), Fraction(5), Fraction(2, 7)])
def test_a_limit_adds_what_it_says_rounded_upwards(price, tmp_path):
    rows = drawn(3)
    read, pool, limits = setting(
        claim(rows, 12, limits=RECALL, refutation=refutation(shut(0))), rows, tmp_path
    )
    recheck, row = Recheck(read, read.refutation, pool, limits), limits.row("criterion", 0)
    left = [5] * len(pool.used)
    constant = recheck._add_limit(left, row, price)
    signs = [1 if positive else -1 for positive in pool.positive]
    assert {1, -1} == set(signs)
    assert left == [
        5 + up(sign * price * on) for sign, on in zip(signs, row.on_patterns, strict=True)
    ]
    assert constant == up(-price * row.least) + sum(
        up(price * on) for sign, on in zip(signs, row.on_patterns, strict=True) if sign < 0
    )


def test_a_pattern_that_is_wrong_takes_its_worth_and_nothing_else(tmp_path):
    rows = drawn(1)
    read, pool, limits = setting(claim(rows, 12, proof=proof(step(1, 0))), rows, tmp_path)
    replay = Replay(read, read.proof, pool, limits, 12)
    (box,) = replay._boxes.values()
    standing = replay._standing(box, 1)
    for i, weight in enumerate(pool.weights):
        place = len(pool.seats) + i
        for pair in ((1, 0), (2, 1), (3, 1)):
            told = [
                replay._with_pattern(read.proof.steps[0], standing, 99 * FINE, pair, place, value)
                for value in (0, 1)
            ]
            if standing.reach[i] >= pool.needed(i, *pair):
                assert told == [(99 - weight) * FINE, 99 * FINE]
            else:
                assert told == [None, None]


def test_cells_are_split_by_patterns_and_members(tmp_path):
    """The same claim, by trying who sits instead of a clause."""
    rows = ["10 1", "11 0"]
    order = setting(claim(rows, 1), rows, tmp_path)[1]
    n = len(order.used)
    cells = [split(0, n, 1, 2), split(1, n + 1, 3, 4), split(2, n + 1, 5, 6)]
    closed = refutation(*cells, *(shut(cell) for cell in (3, 4, 5, 6)))
    assert check(claim(rows, 1, refutation=closed), rows, tmp_path).proved


def groups_of(costs, most, folder):
    rows = [f"{'10' * 7} 1"]
    told = check(claim(rows, 1, limits={"costs": [{"costs": costs, "most": most}]}), rows, folder)
    (line,) = [line for line in told.statement if line.startswith(("with at", "costing"))]
    return line


def test_a_claim_names_the_groups_and_the_column_of_the_truth(tmp_path):
    def ones(count, cost=1):
        return [cost] * count + [0] * (14 - count)

    def named(count):
        return ", ".join(f"c{place}" for place in range(count))

    assert groups_of(ones(3), 2, tmp_path) == "with at most 2 of c0, c1, c2"
    assert groups_of(ones(12), 2, tmp_path) == f"with at most 2 of {named(12)}"
    assert groups_of(ones(13), 2, tmp_path) == f"with at most 2 of {named(12)}, 1 more"
    assert groups_of(ones(14, -1), -3, tmp_path) == f"with at least 3 of {named(12)}, 2 more"
    costing = "costing at most 5/2 (2.5), as the certificate lists the costs"
    assert groups_of(ones(3), "5/2", tmp_path) == costing
    assert groups_of([2, *ones(3)[1:]], 2, tmp_path).startswith("costing at most 2,")
    assert groups_of([-1, *ones(3)[1:]], 2, tmp_path).startswith("costing at most 2,")
    rows = ["10 1", "01 0"]
    assert "where column 'label' is the truth" in check(claim(rows, 2), rows, tmp_path).statement


def test_all_that_is_tried_is_every_allowed_set_of_members_once(tmp_path):
    rows = drawn(2)
    limits = {"required": [1], "forbidden": [3], "size_max": 3}
    read, pool, _ = setting(claim(rows, 12, limits=limits), rows, tmp_path)
    every = (set(those) for size in range(1, 4) for those in combinations(range(4), size))
    allowed = [tuple(sorted(those)) for those in every if 1 in those and 3 not in those]
    assert list(_all_members(read, pool)) == allowed
