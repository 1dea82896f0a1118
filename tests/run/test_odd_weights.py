"""Weights of very different sizes, sizes and limits that leave nothing: an answer or one error."""

import math
import time

import numpy as np
import pytest

import voteprune as vp
from voteprune.problem.plurality import PluralityProblem
from voteprune.problem.problem import Problem

SIZES = (3.0, 1e9, 1e-9, 7 / 3, 1e15, 12345.678, 0.1, 0.0)
HARD = ("accuracy", "balanced_accuracy", "f1", "jaccard", "mcc", "gmean", vp.Ramp(1))
PLURAL = ("accuracy", "balanced_accuracy", "f1_macro")
SOFT = ("log_loss", "brier", "pool_log_loss")


def drawn(seed, kind):
    """A pool of few rows with odd weights, an objective and constraints that may leave nothing."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(3, 9)), int(rng.choice([2, 5, 12]))
    y = np.r_[0, 1, rng.integers(0, 2, n - 2)]
    weights = rng.choice(SIZES, n) if rng.random() < 0.6 else 10.0 ** rng.uniform(-12, 12, n)
    weights[:2] = np.maximum(weights[:2], 1e-12)
    right = rng.random((n, k)) < 0.6
    matrix = np.where(right, y[:, None], 1 - y[:, None]).astype(float)
    if kind == "hard":
        return vp.Votes(matrix, y, sample_weight=weights), HARD, requests(rng, k)
    if kind == "plural":
        y = np.r_[0, 1, rng.integers(0, 3, n - 2)]
        return (
            vp.PluralityVotes(rng.integers(0, 3, (n, k)), y, sample_weight=weights),
            PLURAL,
            (requests(rng, k)),
        )
    if kind == "soft":
        return (
            vp.Probabilities(rng.random((n, k)), y, sample_weight=weights),
            SOFT,
            (requests(rng, k)),
        )
    matrix[rng.random((n, k)) < 0.2] = np.nan
    matrix[0] = y[0]
    votes = vp.Votes(matrix, y, sample_weight=weights, abstentions=kind)
    return votes, ("accuracy", "f1") if kind == "skip" else HARD, requests(rng, k)


def requests(rng, k):
    some = [
        vp.Budget([float(c) for c in rng.choice([1, 2, 1e9, 1e-9, 0.1], k)],
                  float(rng.choice([0, 1, 3, 1e9]))),
        vp.AtLeast("size", int(rng.integers(1, k + 1))),
        vp.Group([int(m) for m in rng.choice(k, min(k, 3), replace=False)], at_most=1),
    ]  # fmt: skip
    return [one for one in some if rng.random() < 0.4]


@pytest.mark.parametrize("kind", ["hard", "plural", "soft", "skip", "against"])
def test_any_weights_and_any_limits_have_an_answer(kind):
    """Whatever is infeasible says what clashes, and what is not agrees with trying everything."""
    seen = set()
    for seed in range(6):
        votes, objectives, asked = drawn(seed, kind)
        objective = objectives[seed % len(objectives)]
        solution = vp.prune(
            votes, objective=objective, constraints=asked, time_limit=20, random_state=0
        )
        brute = vp.prune(votes, objective=objective, constraints=asked, method="brute")
        seen.add(solution.status)
        assert (solution.status == "infeasible") == (brute.status == "infeasible")
        if solution.status == "infeasible":
            assert solution.explanation
            continue
        assert solution.value == pytest.approx(brute.value, rel=3e-6, abs=1e-12)
        assert solution.bound >= brute.value - 1e-12 * abs(brute.value)
    assert "infeasible" in seen


@pytest.mark.parametrize("objective", PLURAL)
@pytest.mark.parametrize("method", ["exact", "search", "brute"])
def test_weights_beyond_all_numbers_are_refused(objective, method):
    """They ended in an OverflowError."""
    rng = np.random.default_rng(0)
    votes = vp.PluralityVotes(
        rng.integers(0, 3, (6, 5)), np.arange(6) % 3, sample_weight=[1e300, 1e-300, 3, 1, 1, 0.1]
    )
    with pytest.raises(vp.InputError, match="more orders of magnitude"):
        vp.prune(votes, objective=objective, method=method)


@pytest.mark.parametrize("kind", ["hard", "skip", "plural"])
def test_trying_all_looks_at_the_clock_between_recounts(kind, monkeypatch):
    """Where limits forbid every committee, thousands of them are looked at one by one."""
    rng = np.random.default_rng(1)
    y = np.array([0, 1, 0, 1, 0, 1])
    matrix = np.where(rng.random((6, 10)) < 0.6, y[:, None], 1 - y[:, None])
    votes = {
        "hard": lambda: vp.Votes(matrix, y),
        "skip": lambda: vp.Votes(matrix.astype(float), y, abstentions="skip"),
        "plural": lambda: vp.PluralityVotes(matrix, y),
    }[kind]()
    problem = Problem if kind == "hard" else PluralityProblem
    looked: list[object] = []
    monkeypatch.setattr(problem, "best", lambda self, members, *_: looked.append(members))
    clock = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: clock() if len(looked) < 50 else math.inf)
    objective = "accuracy" if kind == "hard" else "f1"
    solution = vp.prune(votes, objective=objective, method="brute", time_limit=1000)
    monkeypatch.undo()
    assert solution.termination == "time limit"
    assert len(looked) < 80  # with the few that are tried by hand at last
