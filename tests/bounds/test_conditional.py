"""Bounds under a condition hold, are no weaker than without it, and mostly as sharp as can be."""

from itertools import product

import numpy as np
import pytest

import voteprune as vp
from instances import drawn
from voteprune.bounds.closure import closure_bound
from voteprune.bounds.inevitable_errors import (
    _conditional_bounds,
    _line_below,
    hopeless_rows,
    rows_given_up,
    sacrificed_rows,
)
from voteprune.problem.confusion import Confusion
from voteprune.problem.formulas import Matthews
from voteprune.problem.problem import Problem


def draw(seed):
    rng = np.random.default_rng(seed)
    k, n = int(rng.integers(3, 5)), int(rng.integers(6, 10))
    weights = rng.integers(1, 4, n) if seed % 2 else np.ones(n)
    votes = vp.Votes(rng.integers(0, 2, (n, k)), np.arange(n) % 2, sample_weight=weights)
    objective = ("accuracy", vp.Weights(tp=2, tn=3), "recall")[seed % 3]
    return Problem.of(votes, objective, (vp.Forbid(0),) if seed % 5 == 0 else ())


def small(seed):
    return drawn(seed, draw, lambda one: np.count_nonzero(one.gains.net) > 2)


def every_decision(problem):
    """All ways to call patterns that no vote count forbids, and what each is worth."""
    net, matrix = problem.gains.net, problem.patterns.matrix[:, list(problem.allowed)]
    n = len(net)
    inside = [(p, q) for p in range(n) for q in range(n) if (matrix[p] <= matrix[q]).all()]
    sure = np.where(matrix.all(axis=1), 1, np.where(matrix.any(axis=1), -1, 0))
    for called in product((0, 1), repeat=n):
        if all(s in (-1, c) for s, c in zip(sure, called, strict=True)) and all(
            called[p] <= called[q] for p, q in inside
        ):
            yield called, problem.gains.base + int(net @ np.array(called))


def test_they_hold_and_most_of_them_are_as_sharp_as_can_be():
    sharp = asked = 0
    for seed in range(30):
        problem = small(seed)
        every = list(every_decision(problem))
        patterns = np.arange(len(problem.gains.net))
        told = _conditional_bounds(problem, patterns, patterns)
        for value, bounds in zip((0, 1), told, strict=True):
            assert len(bounds) == len(patterns)
            for pattern, bound in zip(patterns, bounds, strict=True):
                best = max((worth for called, worth in every if called[pattern] == value),
                           default=None)  # fmt: skip
                assert problem.gains.floor_to_step(bound) <= closure_bound(problem)
                if best is not None:
                    assert bound >= best
                    asked, sharp = asked + 1, sharp + (bound == best)
    assert sharp > 0.7 * asked


@pytest.mark.parametrize("seed", range(12))
def test_what_is_given_up_is_what_the_bounds_leave_no_way_to_have(seed):
    """Row by row: decided wrong by the committee, and the other way is bounded below it."""
    problem = small(seed)
    sets = [[k for k in problem.allowed if code >> k & 1] for code in range(1, 16)]
    sets = [members for members in sets if members]
    committees = sorted((problem.best(members) for members in sets), key=lambda one: -one[1])
    for committee, units in (committees[0], committees[len(committees) // 3]):
        positive = problem.counts(committee.ballots) > committee.threshold
        patterns = np.arange(len(positive))
        if_passed, if_called = _conditional_bounds(problem, patterns, patterns)
        votes, expected = problem.votes, set(hopeless_rows(problem).tolist())
        places = problem.patterns.places(votes.matrix)
        for row, place in enumerate(places.tolist()):
            other = if_passed[place] if positive[place] else if_called[place]
            wrong = votes.labels[row] != positive[place]
            if wrong and problem.gains.floor_to_step(other) < units:
                expected.add(row)
        assert sacrificed_rows(problem, committee).tolist() == sorted(expected)
        assert rows_given_up(problem, committee).tolist() == sorted(expected)
        # What counts as being as good may be less.
        lower = sacrificed_rows(problem, committee, units - 2)
        assert set(lower.tolist()) <= expected


def test_what_is_given_up_for_another_formula_is_wrong_in_all_that_is_as_good():
    found = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = np.arange(14) % 2
        matrix = np.where(rng.random((14, 4)) < 0.75, y[:, None], 1 - y[:, None])
        problem = Problem.of(vp.Votes(matrix, y), ("f1", "mcc", "gmean", "precision")[seed % 4])
        committees = [problem.committee(members, level)
                      for code in range(1, 16)
                      for members in [[k for k in range(4) if code >> k & 1]]
                      for level in range(len(members))]  # fmt: skip
        scored = sorted(committees, key=problem.score)
        for committee in (scored[-1], scored[len(scored) // 2]):
            rows = rows_given_up(problem, committee)
            assert set(hopeless_rows(problem).tolist()) <= set(rows.tolist())
            found += len(rows) - len(hopeless_rows(problem))
            for other in committees:
                if problem.score(other) >= problem.score(committee):
                    counts = matrix[:, list(other.members)].sum(axis=1)
                    right = (counts > other.threshold) == (y == 1)
                    assert not right[rows].any()
    assert found > 10


def test_the_chord_of_matthews_correlation_goes_through_both_edges():
    formula, p, n = Matthews(), 9, 7
    for tp in range(1, p + 1):
        for fp in range(n):
            point = Confusion(tp, p - tp, n - fp, fp)
            if (line := _line_below(formula, point)) is None:
                continue
            weights, least = line
            score = formula.score(point)
            for edge in (
                Confusion(score * p * (p + n) / (n + score * p), 0, n, 0),
                Confusion(p, 0, n, p * n * (1 - score) / (p + score * n)),
            ):
                assert weights.tp * edge.tp + weights.fp * edge.fp == least
