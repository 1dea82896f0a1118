"""Searching for margins, and trying them all: against the definition, with every kind of limit."""

from fractions import Fraction

import numpy as np
import pytest

import voteprune as vp
from margin_oracle import best_of, margin_instance
from voteprune.primal.margin_tabu import MarginTabuSearch
from voteprune.problem.problem import Problem
from voteprune.run.incumbent import Incumbent


@pytest.mark.parametrize("seed", range(20))
def test_trying_all_committees_finds_the_best(seed):
    votes, request, truth = margin_instance(seed)
    best = best_of(truth, request)
    solution = vp.prune(votes, method="brute", **request)
    if best is None:
        assert solution.status == "infeasible"
        assert solution.explanation
        return
    assert solution.status == "optimal"
    assert solution.value == solution.bound == float(best)
    assert solution.committee.threshold == solution.committee.size // 2
    assert truth.margin_of(request["objective"], solution.committee.members) == best


@pytest.mark.parametrize("seed", range(60, 76))
def test_small_pools_are_searched_through(seed):
    """Never a committee that breaks a limit, and without limits the best."""
    votes, request, truth = margin_instance(seed)
    best = best_of(truth, request)
    solution = vp.prune(votes, method="search", **request, random_state=seed, time_limit=10)
    assert solution.bound is None
    if solution.committee is None:
        assert best is None or request["constraints"] or request["diversity"]
        return
    value = truth.margin_of(request["objective"], solution.committee.members)
    assert float(value) == solution.value
    assert value <= best
    if not request["constraints"] and request["diversity"] is None:
        assert value == best


@pytest.mark.parametrize("kind", [vp.Ramp, vp.Hinge])
def test_gains_of_all_moves_are_what_a_recount_says(kind):
    rng = np.random.default_rng(3)
    votes = vp.Votes(rng.integers(0, 2, (50, 9)), np.arange(50) % 2)
    problem = Problem.of(votes, kind(0.6))
    tabu = MarginTabuSearch(problem, Incumbent(problem), 0)
    for size in (1, 2, 5, 8, 9):
        chosen = np.zeros(9, dtype=bool)
        chosen[rng.choice(9, size, replace=False)] = True
        before = problem.best(np.flatnonzero(chosen).tolist())[1]
        counts = problem.counts(np.flatnonzero(chosen)).astype(np.int32)
        gains, leaves, joins = tabu._all_moves(chosen, counts)
        assert len(gains) == size * (9 - size) + (9 - size) + (size if size > 1 else 0)
        for gain, leave, join in zip(gains, leaves, joins, strict=True):
            after = chosen.copy()
            if leave >= 0:
                after[leave] = False
            if join >= 0:
                after[join] = True
            units = problem.best(np.flatnonzero(after).tolist())[1]
            assert round(gain) == units - before


def test_weights_too_fine_for_machine_integers_are_counted_exactly():
    rng = np.random.default_rng(4)
    matrix, labels = rng.integers(0, 2, (20, 5)), np.arange(20) % 2
    weight = rng.random(20) * 10.0 ** rng.integers(-9, 9, 20)
    votes = vp.Votes(matrix, labels, sample_weight=weight)
    solution = vp.prune(votes, objective=vp.Hinge(0.8), method="brute")
    problem = Problem.of(votes, vp.Hinge(0.8))
    exact = Fraction(problem.score(solution.committee)) * problem.gains.unit
    assert solution.value == float(exact)


def test_a_solution_by_margin_survives_json():
    votes, request, _ = margin_instance(3)
    solution = vp.prune(votes, method="brute", objective=request["objective"])
    assert vp.Solution.from_json(solution.to_json()) == solution
    assert solution.weights is None
    assert solution.objective in solution.summary()
