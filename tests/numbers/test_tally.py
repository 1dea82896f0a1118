"""Products of votes and weights are exact, whatever the size of the weights."""

import numpy as np
import pytest

from voteprune.numbers.tally import tally, tally_pairs


@pytest.mark.parametrize("bits", [3, 14, 22, 24, 30, 52, 61, 200])
@pytest.mark.parametrize("n", [1, 7, 5000])
def test_equal_to_python_integers(bits, n):
    rng = np.random.default_rng(bits)
    digits = rng.integers(-(2**30), 2**30, size=(n, -(-bits // 30)))
    weights = np.array([sum(int(d) << 30 * i for i, d in enumerate(row)) for row in digits])
    weights = np.array([int(w) % 2**bits - 2 ** (bits - 1) for w in weights], dtype=object)
    if bits < 62:
        weights = weights.astype(np.int64)
    weights[rng.random(n) < 0.3] = 0
    left, right = rng.random((n, 4)) < 0.5, rng.random((n, 3)) < 0.5
    plain = [int(w) for w in weights]
    expected = [sum(w for w, v in zip(plain, left[:, k], strict=True) if v) for k in range(4)]
    assert [int(x) for x in tally(weights, left)] == expected
    pairs = tally_pairs(weights, left, right)
    for k in range(4):
        for m in range(3):
            both = left[:, k] & right[:, m]
            assert int(pairs[k, m]) == sum(w for w, v in zip(plain, both, strict=True) if v)


@pytest.mark.parametrize("bits", [24, 53])
@pytest.mark.parametrize("more", [-2, -1, 0, 1])
def test_no_sum_is_rounded_where_a_float_would(bits, more):
    weights = np.array([2**bits + more, 1, 1])
    votes = np.ones((3, 1), dtype=bool)
    assert int(tally(weights, votes)[0]) == 2**bits + more + 2
    assert int(tally_pairs(weights, votes, votes)[0, 0]) == 2**bits + more + 2


@pytest.mark.parametrize("sign", [1, -1])
def test_small_weights_beside_heavy_ones_keep_every_digit(sign):
    """Digit by digit: one that is 1 in its last place, and a heaviest one of either sign."""
    for bits in (51, 52, 60, 110):
        weights = np.array([sign * 2**bits, 1, -1, 3 * 2 ** (bits - 2), -7], dtype=object)
        votes = np.array([[1, 0, 1], [1, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 1]], dtype=bool)
        expected = [
            sum(int(w) for w, v in zip(weights, votes[:, k], strict=True) if v) for k in range(3)
        ]
        assert [int(x) for x in tally(weights, votes)] == expected


def test_every_sum_of_as_many_rows_as_are_exact_is_exact():
    """Many weights just below what doubles hold of so many rows: the last bit shows."""
    for n in (3, 7, 8, 1000, 5000):
        for bits in range(38, 54):
            weights = np.full(n, 2**bits - 1)
            weights[0] = 2
            found = tally(weights, np.ones((n, 1), dtype=bool))[0]
            assert int(found) == (n - 1) * (2**bits - 1) + 2


def test_sums_are_of_the_type_of_their_weights():
    """Python's integers only where they are needed: they cost a hundred times as much."""
    votes = np.ones((3, 2), dtype=bool)
    plain, huge = np.array([1, 2, 0]), np.array([1, 2, 10**40], dtype=object)
    for tallied in (tally(plain, votes), tally_pairs(plain, votes, votes)):
        assert tallied.dtype == np.int64
    for tallied in (tally(huge, votes), tally_pairs(huge, votes, votes)):
        assert tallied.dtype == object
    nothing = np.zeros(3, dtype=object)
    assert tally(nothing, votes).dtype == object
    assert tally(nothing, votes).tolist() == [0, 0]


def test_the_heaviest_weight_may_be_negative():
    votes = np.ones((3, 1), dtype=bool)
    for weights in (np.array([-(2**60) - 1, 1, 3]), np.array([-(2**200) - 1, 1, 3], dtype=object)):
        assert int(tally(weights, votes)[0]) == int(weights[0]) + 4
