"""A run that is asked for a gap ends there, and not before."""

import numpy as np
import pytest

import voteprune as vp


def pool(k=30, n=200, right=0.65):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    return np.where(rng.random((n, k)) < right, y[:, None], 1 - y[:, None]), y


@pytest.mark.parametrize("objective", ["accuracy", "f1", vp.Ramp(1)])
def test_a_run_ends_at_the_gap_and_the_trace_was_above_it_until_then(objective):
    solution = vp.prune(*pool(), objective=objective, gap=0.25, time_limit=30, random_state=0)
    assert solution.gap <= 0.25
    assert solution.termination in ("gap reached", "proved")
    earlier = [told.gap for told in solution.trace[:-1] if told.gap is not None]
    assert all(gap > 0.25 for gap in earlier)


def test_several_classes_and_probabilities_end_there_too():
    matrix, y = pool()
    plural = vp.prune(vp.PluralityVotes(matrix, y), gap=0.9, time_limit=30, random_state=0)
    assert plural.gap <= 0.9
    assert plural.termination in ("gap reached", "proved")
    noise = np.random.default_rng(1).normal(0, 1, matrix.shape)
    said = vp.Probabilities(1 / (1 + np.exp(-(2 * matrix - 1 + noise))), y)
    soft = vp.prune(said, gap=0.5, constraints=[vp.AtMost("size", 5)], time_limit=30)
    assert soft.gap <= 0.5
    assert len(soft.trace) < len(vp.prune(said, constraints=[vp.AtMost("size", 5)]).trace) + 1


@pytest.mark.parametrize(("gap", "method"), [(-0.1, "exact"), ("much", "exact"), (0.1, "hc-acc")])
def test_a_gap_that_makes_no_sense_is_refused(gap, method):
    with pytest.raises(vp.InputError, match="gap"):
        vp.prune(*pool(k=4, n=20), gap=gap, method=method)
