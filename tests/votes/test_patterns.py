"""`Patterns` say all that the rows say, in any order of merging."""

from itertools import pairwise

import numpy as np
import pytest

import voteprune as vp
from voteprune.problem.problem import Problem
from voteprune.votes.patterns import sorted_rows


def random_votes(seed, n=40, k=6, weights=False):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n)
    labels[:2] = (0, 1)
    weight = rng.integers(1, 7, n) / 4 if weights else None
    return vp.Votes(rng.integers(0, 2, (n, k)), labels, sample_weight=weight)


def part(votes, rows):
    weight = votes.weights[rows] / votes.denominator
    return vp.Votes(votes.matrix[rows], votes.labels[rows], sample_weight=weight)


@pytest.mark.parametrize("weights", [False, True])
def test_merging_parts_in_any_order_gives_the_whole(weights):
    votes = random_votes(3, n=90, weights=weights)
    order = np.argsort(~votes.labels, kind="stable")
    order = np.concatenate([order[i::3] for i in range(3)])
    a, b, c = (vp.Patterns.of(part(votes, rows)) for rows in np.split(order, 3))
    whole = vp.Patterns.of(part(votes, np.arange(90)))
    assert a.merge(b).merge(c) == a.merge(b.merge(c)) == c.merge(a).merge(b) == whole


def test_patterns_carry_every_row_once():
    votes = random_votes(5)
    patterns = vp.Patterns.of(votes)
    assert len({tuple(row) for row in patterns.matrix.tolist()}) == patterns.n_patterns
    for row, positive, negative in zip(
        patterns.matrix, patterns.positive, patterns.negative, strict=True
    ):
        same = (votes.matrix == row).all(axis=1)
        assert positive == (same & votes.labels).sum()
        assert negative == (same & ~votes.labels).sum()


def test_rows_without_weight_vanish():
    votes = vp.Votes([[0, 1], [1, 1], [1, 0]], [0, 1, 1], sample_weight=[1, 1, 0])
    assert vp.Patterns.of(votes).matrix.tolist() == [[False, True], [True, True]]


def test_identical_classifiers_are_told_by_their_lowest_index():
    votes = vp.Votes([[0, 1, 0, 1], [1, 1, 1, 1], [1, 0, 1, 0]], [0, 1, 1])
    assert vp.Patterns.of(votes).classifier_groups().tolist() == [0, 1, 0, 1]


def test_counts_do_not_overflow_with_more_than_255_classifiers():
    k = 700
    votes = vp.Votes(np.array([[1] * k, [0] * k]), [1, 0])
    problem = Problem.of(votes)
    assert problem.counts(range(k)).tolist() == [0, k]
    assert vp.Committee(range(k), k - 1, votes.names, k).predict(votes.matrix).tolist() == [1, 0]


def test_weights_beyond_64_bits_stay_exact():
    big = 3.0e18
    votes = vp.Votes([[1], [0], [1], [1]], [1, 0, 1, 0], sample_weight=[big, big, big, 1.0])
    patterns = vp.Patterns.of(votes)
    assert patterns.positive.tolist() == [0, 2 * 3 * 10**18]
    assert patterns.negative.tolist() == [3 * 10**18, 1]
    solution = vp.prune(votes, method="brute", objective=vp.Weights(tp=7, tn=1))
    assert solution.weights.value(solution.confusion) == 14 * 3 * 10**18 + 3 * 10**18


def test_pools_of_different_size_do_not_merge():
    with pytest.raises(vp.InputError, match="other"):
        vp.Patterns.of(random_votes(0, k=3)).merge(vp.Patterns.of(random_votes(0, k=4)))


@pytest.mark.parametrize("k", [1, 7, 22, 63, 64, 65, 128, 131])
@pytest.mark.parametrize("weighty", ["equal", "mixed", "huge"])
def test_patterns_are_those_of_counting_row_by_row(k, weighty):
    """Votes that fit into a word and votes that do not, rows that differ early, late or not."""
    rng = np.random.default_rng(k)
    kinds = rng.integers(0, 2, (12, k))
    kinds[6:] = kinds[:6]
    kinds[6:, -1] ^= 1  # differ in the last vote alone
    matrix = kinds[rng.integers(0, 12, 200)]
    labels = np.r_[0, 1, rng.integers(0, 2, 198)]
    weights = {"equal": np.full(200, 3), "mixed": rng.integers(0, 4, 200),
               "huge": rng.integers(1, 4, 200) * 10.0**30}[weighty]  # fmt: skip
    weights[:2] = 1 if weighty == "mixed" else weights[0]
    votes = vp.Votes(matrix, labels, sample_weight=weights)
    counted = {}
    for row, label, weight in zip(matrix.tolist(), labels, votes.weights, strict=True):
        cell = counted.setdefault(tuple(map(bool, row)), [0, 0])
        cell[label] += int(weight)
    counted = {row: cell for row, cell in counted.items() if any(cell)}
    patterns = vp.Patterns.of(votes)
    assert [tuple(row) for row in patterns.matrix.tolist()] == sorted(counted)
    sides = zip(patterns.negative.tolist(), patterns.positive.tolist(), strict=True)
    assert [list(cell) for cell in sides] == [counted[row] for row in sorted(counted)]
    places = patterns.places(votes.matrix[votes.weights > 0])
    assert (patterns.matrix[places] == votes.matrix[votes.weights > 0]).all()


@pytest.mark.parametrize("k", [1, 64, 65, 150, 200])
def test_rows_are_sorted_as_lists_are_and_known_where_they_are_new(k):
    """Few rows of few kinds, which differ in a vote anywhere: in the first word, the last, both."""
    rng = np.random.default_rng(k)
    for _ in range(60):
        kinds = np.zeros((4, k), dtype=bool)
        for kind in kinds[1:]:
            kind[rng.integers(0, k, rng.integers(1, 3))] = True
        kinds[3] = kinds[2]
        kinds[3, -1] ^= True
        matrix = kinds[rng.integers(0, 4, rng.integers(2, 7))]
        order, new = sorted_rows(matrix)
        assert sorted(order.tolist()) == list(range(len(matrix)))
        rows = matrix[order].tolist()
        assert rows == sorted(matrix.tolist())
        fresh = [True, *(one != other for one, other in pairwise(rows))]
        assert new.tolist() == fresh


def test_patterns_are_equal_where_all_of_them_is():
    matrix, positive, negative = np.array([[False], [True]]), np.array([1, 2]), np.array([3, 4])
    plain = vp.Patterns(matrix, positive, negative, 2)
    assert plain == vp.Patterns(matrix.copy(), positive.copy(), negative.copy(), 2)
    for other in (
        vp.Patterns(~matrix, positive, negative, 2),
        vp.Patterns(matrix, positive + 1, negative, 2),
        vp.Patterns(matrix, positive, negative + 1, 2),
        vp.Patterns(matrix, positive, negative, 3),
        "patterns",
    ):
        assert plain != other
    assert plain.denominator == 2
    assert vp.Patterns(matrix, positive, negative).denominator == 1


def test_nobody_writes_on_patterns():
    patterns = vp.Patterns.of(random_votes(2))
    for array in (patterns.matrix, patterns.positive, patterns.negative):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_weights_that_no_float_holds_are_merged_exactly():
    matrix, nothing = np.array([[True]]), np.array([0])
    thirds = vp.Patterns(matrix, np.array([10**30 + 1], dtype=object), nothing, 3)
    halves = vp.Patterns(matrix, np.array([1]), np.array([5]), 2)
    both = thirds.merge(halves)
    assert both.denominator == 6
    assert both.positive.tolist() == [2 * (10**30 + 1) + 3]
    assert both.negative.tolist() == [15]
    assert (both.n_patterns, both.n_classifiers, both.totals) == (1, 1, (2 * 10**30 + 5, 15))
