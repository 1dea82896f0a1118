"""What is claimed about single rows holds in every committee there is."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import maximum_bipartite_matching

import voteprune as vp
from instances import random_instance
from voteprune.bounds.inevitable_errors import disputed_rows, hopeless_rows, sacrificed_rows
from voteprune.problem.problem import Problem

SEEDS = range(20)


def small(seed):
    """A problem of any criterion, sometimes with a forbidden classifier."""
    instance = random_instance(seed, most_classifiers=6, most_rows=25)
    k = instance.matrix.shape[1]
    forbidden = [vp.Forbid(seed % k)] if k > 1 and seed % 3 == 0 else []
    return Problem.of(instance.votes, instance.objective, forbidden)


def all_committees(problem):
    """Every committee of eligible classifiers: itself, and the rows that count it gets right."""
    votes, counted = problem.votes, problem.votes.weights > 0
    for code in range(1, 2**problem.n_classifiers):
        members = [i for i in range(problem.n_classifiers) if code >> i & 1]
        if set(members) <= set(problem.allowed):
            count = votes.matrix[:, members].sum(axis=1)
            for level in range(len(members)):
                yield (
                    problem.committee(members, level),
                    ((count > level) == votes.labels) | ~counted,
                )


@pytest.mark.parametrize("seed", SEEDS)
def test_hopeless_rows_are_exactly_those_no_committee_gets_right(seed):
    problem = small(seed)
    ever_right = np.any([right for _, right in all_committees(problem)], axis=0)
    assert hopeless_rows(problem).tolist() == np.flatnonzero(~ever_right).tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_no_committee_gets_both_rows_of_a_disputed_pair_right(seed):
    problem = small(seed)
    positive, negative = disputed_rows(problem)
    hopeless = hopeless_rows(problem)
    named = [*positive, *negative, *hopeless]
    assert len(set(named)) == len(named)
    assert problem.votes.labels[positive].all()
    assert not problem.votes.labels[negative].any()
    for _, right in all_committees(problem):
        assert not (right[positive] & right[negative]).any()
        assert (~right).sum() >= len(positive) + len(hopeless)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_more_pairs_can_be_disputed(seed):
    """As many as a matching of single rows finds, which merges nothing."""
    problem = small(seed)
    votes = problem.votes
    left = (votes.weights > 0) & ~np.isin(np.arange(votes.n_rows), hopeless_rows(problem))
    matrix = votes.matrix[:, problem.allowed]
    ones, zeros = np.flatnonzero(left & votes.labels), np.flatnonzero(left & ~votes.labels)
    excluded = np.array([[(matrix[i] <= matrix[j]).all() for j in zeros] for i in ones])
    graph = sparse.csr_array(excluded.reshape(len(ones), len(zeros)))
    expected = (maximum_bipartite_matching(graph) >= 0).sum() if graph.shape[0] else 0
    assert len(disputed_rows(problem)[0]) == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_sacrificed_rows_are_wrong_in_every_committee_as_good(seed):
    problem = small(seed)
    worth = [(problem.score(committee), committee, right) for committee, right in
             all_committees(problem)]  # fmt: skip
    ranked = sorted(worth, key=lambda item: -item[0])
    for units, committee, _ in (ranked[0], ranked[len(ranked) // 2]):
        sacrificed = sacrificed_rows(problem, committee)
        assert set(hopeless_rows(problem)) <= set(sacrificed)
        for other, _, right in worth:
            assert other < units or not right[sacrificed].any()


def test_sacrifices_are_found_where_the_bound_is_tight():
    """Over many optima the conditional bound has something to say beyond the hopeless rows."""
    found = 0
    for seed in SEEDS:
        problem = small(seed)
        best = max(all_committees(problem), key=lambda item: problem.score(item[0]))[0]
        found += len(sacrificed_rows(problem, best)) - len(hopeless_rows(problem))
    assert found > 20


def test_two_rows_with_the_same_votes_and_other_labels_are_disputed():
    votes = vp.Votes([[1, 0], [1, 0], [1, 1], [0, 0]], [1, 0, 1, 0])
    positive, negative = disputed_rows(Problem.of(votes))
    assert (positive.tolist(), negative.tolist()) == ([0], [1])


def test_weights_beyond_32_bits_change_no_claim():
    weights = [10.0**15, 10.0**15, 1.0, 2.0]
    votes = vp.Votes([[1, 0], [1, 1], [0, 0], [0, 0]], [1, 0, 0, 1], sample_weight=weights)
    problem = Problem.of(votes, vp.Weights(tp=1, tn=1))
    assert hopeless_rows(problem).tolist() == [1, 3]
    best = max(all_committees(problem), key=lambda item: problem.score(item[0]))[0]
    assert sacrificed_rows(problem, best).tolist() == [1, 3]
