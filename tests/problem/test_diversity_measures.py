"""Every measure is its definition, pair by pair."""

import math

import numpy as np
import pytest

import voteprune as vp
from heuristics.test_seven import random_votes


def shares(votes, k, other):
    """Weights of the rows: both right, only the first, only the second, neither."""
    right = votes.matrix == votes.labels[:, None]
    one, two = right[:, k], right[:, other]
    w = votes.weights
    return [int(w[rows].sum()) for rows in (one & two, one & ~two, ~one & two, ~one & ~two)]


def expected(measure, votes, k, other):
    a, b, c, d = shares(votes, k, other)
    n = a + b + c + d
    twins = 1.0 if b + c == 0 else 0.0
    if measure == "fc":
        return (b + c) / (b + c + 2 * d) if b + c + d else 0.0
    if measure == "disagreement":
        return (b + c) / n
    if measure == "double_fault":
        return d / n
    if measure == "q":
        return (a * d - b * c) / (a * d + b * c) if a * d + b * c else twins
    spread = math.sqrt((a + b) * (c + d) * (a + c) * (b + d))
    return (a * d - b * c) / spread if spread else twins


@pytest.mark.parametrize("measure", ["fc", "disagreement", "double_fault", "q", "correlation"])
def test_pair_by_pair(measure):
    for seed in range(60):
        votes = random_votes(seed)
        matrix = vp.diversity_matrix(votes, measure=measure)
        assert np.array_equal(matrix, matrix.T)
        for k in range(votes.n_classifiers):
            for other in range(votes.n_classifiers):
                if k != other:
                    wanted = expected(measure, votes, k, other)
                    assert matrix[k, other] == pytest.approx(wanted, abs=1e-12)


def test_correlation_is_numpys():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    matrix = np.where(rng.random((200, 5)) < 0.7, y[:, None], 1 - y[:, None])
    right = (matrix == y[:, None]).astype(float)
    ours = vp.diversity_matrix(matrix, y, measure="correlation")
    assert np.allclose(ours, np.corrcoef(right.T))


def test_a_classifier_is_its_own_twin():
    votes = random_votes(4)
    for measure in ("q", "correlation", "kappa"):
        assert np.array_equal(np.diagonal(vp.diversity_matrix(votes, measure=measure)),
                              np.ones(votes.n_classifiers))  # fmt: skip


def test_an_unknown_measure_is_named():
    with pytest.raises(vp.InputError, match=r"'entropy' is not known. Known are fc, disagreement"):
        vp.diversity_matrix(random_votes(0), measure="entropy")
