"""The cut-off of a soft committee: only those count that can be, and limits may be huge."""

from dataclasses import replace

import numpy as np
import pytest

import voteprune as vp
from soft_oracle import pool
from voteprune.solve.cutoffs import with_cutoff

HUGE = 10**400


def test_no_cutoff_is_below_a_probability_of_zero():
    """A row that the committee is so sure of is never positive."""
    scores = np.array([[-2000.0], [3.0], [2.0], [-3.0], [-2.0], [1.0], [-1.0]])
    y, weights = [1, 1, 1, 0, 0, 1, 0], [1e-6, 1, 1, 1, 1, 1, 1]
    said = vp.Probabilities(scores, y, sample_weight=weights, scores=True)
    solution = vp.prune(said, penalty=0.1, constraints=[vp.AtLeast("recall", 1)])
    assert solution.committee.predict_proba(said)[0, 1] == 0.0
    assert solution.confusion.fn > 0
    assert not solution.limits_kept
    assert "no cut-off of this committee keeps recall >= 1" in solution.explanation


@pytest.mark.parametrize("seed", range(5))
def test_a_limit_is_kept_iff_some_cutoff_decides_so(seed):
    """Every cut-off is tried, among them 0 and 1, on probabilities of which some are 0 and 1."""
    rng = np.random.default_rng(seed)
    y = np.r_[0, 1, rng.integers(0, 2, 10)]
    scores = rng.choice([-3000.0, -1.0, 0.0, 1.0, 3000.0], (12, 1))
    said = vp.Probabilities(scores + (y[:, None] - 0.5), y, scores=True)
    found = vp.prune(said, penalty=0.1)
    sure = replace(found.committee, weights=(1.0,), intercepts=(0.0,))
    given = sure.predict_proba(said)[:, 1]
    for least in (0.5, 0.8, 1.0):
        cuts = [c for c in np.r_[0, given] if np.mean(given[y == 1] > c) >= least]
        problem = found.problem.with_requests((vp.AtLeast("recall", least),))
        committee, told = with_cutoff(problem, sure, said.scored(sure))
        assert (told == "") == bool(cuts)
        if cuts:
            best = max(np.mean((given > c) == y) for c in cuts)
            assert np.mean((given > committee.cutoff) == y) == pytest.approx(best)


@pytest.mark.parametrize(
    ("limit", "kept"),
    [
        (vp.AtLeast("tp", HUGE), False),
        (vp.AtMost("tp", HUGE), True),
        (vp.AtLeast("fp", -HUGE), True),
        (vp.AtMost("fp", -HUGE), False),
    ],
)
def test_limits_beyond_what_floats_hold_are_limits_all_the_same(limit, kept):
    predictions, y = pool(5)
    assert vp.prune(vp.Probabilities(predictions, y), constraints=[limit]).limits_kept == kept


@pytest.mark.parametrize(
    "what",
    [
        vp.Weights(tp=HUGE),
        vp.Ratio(vp.Weights(tp=1), vp.Weights(tp=1, fp=10**240)),
        vp.Ratio(vp.Weights(fn=-(10**240)), vp.Weights(tp=1)),
    ],
)
def test_limits_on_weights_beyond_what_floats_hold_are_refused(what):
    predictions, y = pool(5)
    with pytest.raises(vp.InputError, match=r"beyond 1e\+200.*Divide its weights") as refused:
        vp.prune(vp.Probabilities(predictions, y), constraints=[vp.AtLeast(what, 1)])
    assert refused.value.argument == "constraints"
