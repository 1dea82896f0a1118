"""Tabu search: what it takes a move to gain is what a recount says."""

import time
from fractions import Fraction

import numpy as np
import pytest

import voteprune as vp
from voteprune.primal.starts import Starts
from voteprune.primal.tabu import TabuSearch
from voteprune.problem.problem import Problem
from voteprune.run.incumbent import Incumbent


def tabu_on(seed, **request):
    rng = np.random.default_rng(seed)
    y = np.arange(60) % 2
    matrix = np.where(rng.random((60, 12)) < 0.65, y[:, None], 1 - y[:, None])
    problem = Problem.of(vp.Votes(matrix, y), **request)
    incumbent = Incumbent(problem)
    return problem, incumbent, TabuSearch(problem, incumbent, seed)


def value(problem, members, level):
    positive = problem.counts(members) > level
    return int(problem.gains.net[positive].sum())


@pytest.mark.parametrize("seed", range(5))
def test_gains_of_all_moves_are_what_a_recount_says(seed):
    """At the same threshold or the one that follows the size, whichever is better."""
    problem, _, tabu = tabu_on(seed)
    tabu._noise = tabu._thrift = np.float32(0.0)
    sizes = tabu._chosen.sum(axis=1)
    levels = np.random.default_rng(seed).integers(0, sizes)
    gains = tabu._gains(tabu._guide, levels, sizes)
    for walk, chosen in enumerate(tabu._chosen):
        members, level = np.flatnonzero(chosen).tolist(), int(levels[walk])
        before = value(problem, members, level)
        for k in range(problem.n_classifiers):
            after = sorted({*members} ^ {k})
            follows = level - 1 if chosen[k] else level + 1
            known = [
                value(problem, after, there)
                for there in (level, follows)
                if 0 <= there < len(after)
            ]
            if known:
                assert gains[walk, k] == max(known) - before


@pytest.mark.parametrize("seed", range(5))
def test_counts_and_records_follow_every_step(seed):
    problem, incumbent, tabu = tabu_on(seed)
    for _ in range(40):
        tabu.walk(time.monotonic() + 60)
        for chosen, counts in zip(tabu._chosen, tabu._counts, strict=True):
            used = problem.gains.net != 0
            assert (problem.counts(np.flatnonzero(chosen))[used] == counts).all()
    best = max(tabu._best.max(), tabu._starts._elite[0][0])
    assert incumbent.score - problem.gains.base >= best


@pytest.mark.slow
def test_stale_walks_begin_anew_and_lose_nothing():
    _, incumbent, tabu = tabu_on(1)
    records = []

    def forget():
        records.append(incumbent.score)
        Starts.forget(tabu._starts)

    tabu._starts.forget = forget
    while not records:
        tabu.walk(time.monotonic() + 60)
    assert tabu._starts._elite == []
    assert (tabu._idle == 0).all()
    assert incumbent.score == records[0]


def test_one_size_can_be_searched_by_single_moves():
    """Walks pass through the sizes beside it, but offer none of those."""
    request = {"requests": [vp.AtLeast("size", 4), vp.AtMost("size", 4)]}
    problem, incumbent, tabu = tabu_on(3, **request)
    best = vp.prune(problem.votes, constraints=list(request["requests"]), method="brute")
    until = time.monotonic() + 20
    while incumbent.progress().value != best.value:
        assert time.monotonic() < until
        tabu.walk(until)
        assert set(tabu._chosen.sum(axis=1)) <= {3, 4, 5}
    assert incumbent.committee.size == 4


@pytest.mark.slow
def test_gains_of_any_size_are_searched():
    """Weights are exact fractions: their common unit may be finer than floats are wide."""
    rng = np.random.default_rng(5)
    votes = vp.Votes(rng.integers(0, 2, (40, 9)), np.arange(40) % 2)
    fine = Fraction(1, 3**90)
    weights = vp.Weights(tp=1 + fine, tn=Fraction(1, 7**40))
    found = vp.prune(votes, objective=weights, method="search", random_state=0)
    assert found.value == vp.prune(votes, objective=weights, method="brute").value


@pytest.mark.parametrize("seed", range(3))
def test_the_threshold_is_the_best_where_all_are_worse_than_none(seed):
    """Rows that everybody gets wrong make every threshold a loss."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(80) % 2, np.zeros(150, dtype=int)])
    matrix = np.where(rng.random((230, 12)) < 0.65, y[:, None], 1 - y[:, None])
    matrix[80:] = 1
    problem = Problem.of(vp.Votes(matrix, y))
    tabu = TabuSearch(problem, Incumbent(problem), seed)
    seen = []
    tabu._take_stock = lambda values, sizes, record: seen.append(values)
    for _ in range(10):
        expected = [
            problem.best(np.flatnonzero(chosen).tolist())[1] - problem.gains.base
            for chosen in tabu._chosen
        ]
        tabu._take_step()
        assert seen[-1].tolist() == expected
