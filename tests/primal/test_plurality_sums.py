"""Gains as short numbers: exact where they are short, never too low where they are not."""

from types import SimpleNamespace

import numpy as np
import pytest

from voteprune.primal.plurality_sums import _WORTH_BITS, Sums, piles_of


def wins_of(units, kind):
    array = np.array(units, dtype=object if max(units, default=0) > 2**60 else np.int64)
    return SimpleNamespace(units=array, kind=np.array(kind, dtype=np.intp))


@pytest.mark.parametrize(
    ("units", "kind", "exact"),
    [
        ([6, 12, 18, 35, 70], [0, 0, 0, 1, 1], True),
        ([6, 6, 6], [0, 1, 2], True),
        ([1], [0], True),
        ([4, 8, 16], [0, 0, 1], True),
        ([10**9, 3 * 10**9, 7 * 10**5], [0, 0, 1], False),
        ([10**30, 10**30 * 3, 5 * 10**29], [0, 0, 1], None),
        ([2**20 - 1, 2**19 - 1, 2**18 - 1, 1], [0, 0, 0, 0], None),
        ([4095, 2731, 1], [0, 0, 0], None),
        ([4096 * 4097, 4097], [0, 1], None),
    ],
)
def test_no_sum_is_too_low(units, kind, exact):
    sums = Sums.of(wins_of(units, kind))
    told = [int(w) * sums.worths[g] for w, g in zip(sums.weights, sums.group, strict=True)]
    for unit, short in zip(units, told, strict=True):
        assert short * sums.divisor >= unit
        if exact:
            assert short * sums.divisor == unit
        # Rounded up by less than one in the largest's twelfth binary place for each row.
        assert short * sums.divisor <= unit + max(int(w) for w in sums.weights) * sums.divisor
    assert max(sums.worths) <= 2**_WORTH_BITS
    if len(sums.worths) == 1 and sums.worths == (1,):
        assert (short - 1) * sums.divisor < unit or exact


def test_nothing_earns_nothing():
    sums = Sums.of(wins_of([], []))
    assert (len(sums.weights), sums.worths, sums.divisor) == (0, (), 1)
    piles, who = piles_of(sums)
    assert piles == []
    assert not len(who)


def test_divisors_are_as_large_as_they_can_be():
    sums = Sums.of(wins_of([6, 12, 10, 20], [0, 0, 1, 1]))
    assert (sums.worths, sums.divisor) == ((3, 5), 2)
    assert sums.weights.tolist() == [1, 2, 1, 2]
    assert sums.group.tolist() == [0, 0, 1, 1]
    # Two classes of equal worth are one group.
    same = Sums.of(wins_of([6, 12, 6, 24], [0, 0, 1, 1]))
    assert (same.worths, same.divisor, same.weights.tolist()) == ((1,), 6, [1, 2, 1, 4])
    # Many bits: rounded up to so few.
    long = Sums.of(wins_of([2**20 - 1, 2**20 - 3, 7], [0, 0, 0]))
    assert long.worths == (1,)
    assert long.divisor == 2**8
    assert long.weights.tolist() == [4096, 4096, 1]
    # Exactly four bits in the mean are kept.
    kept = Sums.of(wins_of([15, 15, 1 + 2 + 4 + 16], [0, 0, 0]))
    assert kept.weights.tolist() == [15, 15, 23]
    more = Sums.of(wins_of([31, 15, 1 + 2 + 4 + 16], [0, 0, 0]))
    assert (more.weights.tolist(), more.divisor) == ([31, 15, 23], 1)


def test_a_win_stands_in_a_pile_for_each_bit_of_its_weight():
    sums = Sums(np.array([5, 2, 3]), np.array([0, 1, 0]), (1, 7), 1)
    piles, who = piles_of(sums)
    found = {(p.group, p.place): who[p.rows].tolist() for p in piles}
    assert found == {(0, 0): [0, 2], (0, 1): [2], (0, 2): [0], (1, 0): [], (1, 1): [1]}
    assert len(who) == 5
