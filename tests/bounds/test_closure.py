"""The closure bound is never below a committee."""

import pytest

from instances import random_instance
from oracle import Oracle
from voteprune.bounds.closure import closure_bound
from voteprune.problem.problem import Problem

SEEDS = range(40)


def small(seed):
    instance = random_instance(seed, most_classifiers=6, most_rows=20)
    return Problem.of(instance.votes, instance.objective), instance


@pytest.mark.parametrize("seed", SEEDS)
def test_the_closure_bound_holds_for_every_committee(seed):
    problem, instance = small(seed)
    truth = Oracle(instance.matrix, instance.labels, instance.sample_weight)
    assert closure_bound(problem) * problem.gains.unit >= truth.best(instance.objective)
    assert closure_bound(problem) <= problem.gains.ceiling


def test_the_closure_bound_sees_a_conflict():
    import voteprune as vp

    # The positive row's votes are a subset of the negative row's: one of them is lost.
    votes = vp.Votes([[1, 0], [1, 1], [0, 0]], [1, 0, 0])
    problem = Problem.of(votes)
    assert problem.gains.ceiling == 3
    assert closure_bound(problem) == 2


def test_gains_beyond_32_bits_still_give_a_valid_closure_bound():
    import voteprune as vp

    big = 10.0**15
    votes = vp.Votes([[1, 0], [1, 1], [0, 0]], [1, 0, 0], sample_weight=[big, big, 1.0])
    problem = Problem.of(votes, vp.Weights(tp=1, tn=1))
    bound = closure_bound(problem)
    assert 10**15 + 1 <= bound < problem.gains.ceiling


def test_the_closure_bound_gives_up_what_nobody_votes_for_and_what_everybody_does():
    import voteprune as vp

    # Calling every row positive would lose only the second, but no committee calls the first so.
    votes = vp.Votes([[0, 0], [1, 0]], [1, 0], sample_weight=[5, 1])
    problem = Problem.of(votes)
    assert problem.gains.ceiling == 6
    assert closure_bound(problem) == 1
