"""Where limits on the size leave few committees of several classes, each is recounted: a proof."""

import numpy as np
import pytest

import voteprune as vp

LIMITS = {
    "class": [vp.AtLeast("recall", 0.6, of="b")],
    "coverage": [vp.AtLeast("coverage", 0.97)],
    "members": [vp.AtLeast("recall", 0.5, of="a"), vp.Require("c3"), vp.Forbid("c1")],
    "nothing": [vp.AtLeast("recall", 1.0, of="b"), vp.AtLeast("precision", 1.0, of="b")],
}


def labels(seed, k=11, n=120):
    rng = np.random.default_rng(seed)
    words = np.array(["a", "b", "c"])
    y = rng.integers(0, 3, n)
    said = words[np.where(rng.random((n, k)) < 0.55, y[:, None], rng.integers(0, 3, (n, k)))]
    silent = rng.random((n, k)) < 0.3
    return vp.PluralityVotes(np.where(silent, "", said), words[y], abstentions="skip")


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["accuracy", "f1_macro"])
@pytest.mark.parametrize("kind", LIMITS)
def test_few_committees_are_all_recounted(kind, objective):
    votes, few = labels(len(kind)), vp.AtMost("size", 3)
    asked = {"objective": objective, "constraints": [few, *LIMITS[kind]], "random_state": 0}
    found = vp.prune(votes, time_limit=30, **asked)
    oracle = vp.prune(votes, method="brute", time_limit=60, **asked)
    assert (found.status, found.value) == (oracle.status, oracle.value)
    # Nobody's word but voteprune's: no solver was asked.
    assert found.trusted == ()
    assert found.status == ("infeasible" if kind == "nothing" else "optimal")


def test_many_committees_are_left_to_a_solver():
    votes = labels(0, k=60)
    solution = vp.prune(votes, constraints=[vp.AtLeast("coverage", 0.9)], time_limit=1)
    assert solution.status in ("feasible", "optimal")
    assert solution.seconds < 20


def test_trying_ends_with_the_time(monkeypatch):
    monkeypatch.setattr("voteprune.primal.brute._PER_COMMITTEE", 0.0)
    votes = labels(0, k=60)
    limits = [vp.AtMost("size", 5), vp.AtLeast("coverage", 0.5)]
    solution = vp.prune(votes, constraints=limits, time_limit=0.3)
    assert (solution.status, solution.termination) == ("feasible", "time limit")
