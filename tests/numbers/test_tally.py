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
