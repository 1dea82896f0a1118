"""A run that is asked for a gap ends there, and not before."""

import numpy as np
import pytest

import voteprune as vp


def pool(k=30, n=200, right=0.65):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    return np.where(rng.random((n, k)) < right, y[:, None], 1 - y[:, None]), y


def ends_at(gap, solution):
    """Whether a run has ended where it was asked to, neither earlier nor later."""
    earlier = [told.gap for told in solution.trace[:-1] if told.gap is not None]
    assert solution.termination == "gap reached"
    return solution.gap <= gap and all(one > gap for one in earlier)


@pytest.mark.parametrize(
    ("objective", "gap"),
    [("accuracy", 0.2), ("accuracy", 0.016), ("f1", 0.015), (vp.Ramp(1), 0.12)],
)
def test_a_run_ends_at_the_gap_and_the_trace_was_above_it_until_then(objective, gap):
    solution = vp.prune(*pool(), objective=objective, gap=gap, time_limit=30, random_state=0)
    assert ends_at(gap, solution)


@pytest.mark.slow
def test_several_classes_and_probabilities_end_there_too():
    matrix, y = pool()
    for gap in (0.2, 0.05):
        plural = vp.PluralityVotes(matrix, y)
        assert ends_at(gap, vp.prune(plural, gap=gap, time_limit=30, random_state=0))
    noise = np.random.default_rng(1).normal(0, 1, matrix.shape)
    said = vp.Probabilities(1 / (1 + np.exp(-(2 * matrix - 1 + noise))), y)
    few = {"constraints": [vp.AtMost("size", 5)], "penalty": 0.1}
    for gap in (0.5, 0.4):
        assert ends_at(gap, vp.prune(said, gap=gap, time_limit=30, **few))


@pytest.mark.parametrize(("gap", "method"), [(-0.1, "exact"), ("much", "exact"), (0.1, "hc-acc")])
def test_a_gap_that_makes_no_sense_is_refused(gap, method):
    with pytest.raises(vp.InputError, match="gap"):
        vp.prune(*pool(k=4, n=20), gap=gap, method=method)
