"""Promises of soft committees: candidates are cut-offs, and what is promised is kept."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import voteprune as vp
from voteprune.solve.promise import errors_of, tail
from voteprune.solve.soft_solution import SoftSolution

LIMITS = vp.AtMost("size", 3)


def pool(seed=0, n=900, k=5):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    raw = rng.normal((2 * y - 1)[:, None] * rng.uniform(0.6, 1.4, k), 1.0)
    return vp.Probabilities(1 / (1 + np.exp(-2 * raw)), y)


@pytest.mark.parametrize("what", ["accuracy", "recall", "specificity", "precision"])
def test_a_soft_committee_promises_and_says_so(what):
    wish = vp.AtLeast(what, 0.8)
    solution = vp.prune(
        pool(), promise=wish, holdout=0.4, constraints=LIMITS, penalty=1.0, random_state=0
    )
    told = solution.promise
    assert told.committee == solution.committee
    assert (told.n_rows, solution.n_rows) == (360, 540)
    assert told.tests[told.chosen].p_value <= 0.05
    assert f"promise      {what} >= 0.8 on new rows, confidence 0.95" in solution.summary()
    # All candidates are the one committee, and the chosen is the most accurate that passed.
    assert {test.committee.members for test in told.tests} == {solution.committee.members}
    said = solution.problem.said
    right = [
        np.subtract(*errors_of(test.committee, said, "accuracy"))
        for test in told.tests
        if test.passed
    ]
    assert right[told.chosen] == max(right)
    assert solution.accuracy == pytest.approx(max(right) / 540)
    # In an order fixed on the rows it was chosen on, the first that fails ends it.
    risks = [tail(*errors_of(t.committee, said, what), Fraction(1, 5)) for t in told.tests]
    assert risks == sorted(risks)
    assert all(test.passed for test in told.tests[:-1])
    back = SoftSolution.from_json(solution.to_json())
    assert back.promise == told


def test_the_rows_held_out_are_nobodys_business_before_the_test():
    """Other labels on them change neither the candidates nor their order."""
    said, wish = pool(), vp.AtLeast("accuracy", 0.8)
    asked = {"promise": wish, "constraints": LIMITS, "penalty": 1.0, "random_state": 3}
    first = vp.prune(said, **asked)
    order = np.random.default_rng(3).permutation(said.n_rows)
    held = order[: round(0.3 * said.n_rows)]
    flipped = said.labels.copy()
    flipped[held] = 1 - flipped[held]
    shares = 1 / (1 + np.exp(-said.log_odds))
    again = vp.prune(vp.Probabilities(shares, said.labels), **asked)
    other = vp.prune(vp.Probabilities(shares, flipped), **asked)
    assert other.promise.chosen is None
    assert again.promise.chosen is not None
    assert other.promise.tests[0].committee.cutoff == again.promise.tests[0].committee.cutoff
    assert "none can be made" in other.summary()
    assert first.seed == 3


def test_promises_hold_as_often_as_they_are_said_to():
    """One committee, fixed; over draws of rows, what is promised is false in 5 % at the most."""
    rng, wish, draws, rows = np.random.default_rng(5), vp.AtLeast("recall", 0.8), 400, 120
    committee = vp.prune(pool(1), constraints=vp.AtMost("size", 1), penalty=1.0).committee
    strong = rng.normal(1.0, 1.0, 200_000)
    odds = 2 * strong[:, None] * np.ones(5)
    shares = 1 / (1 + np.exp(-odds))
    said = committee.predict_proba(vp.Probabilities(shares[:2000], np.arange(2000) % 2))[:, 1]
    # Recall falls along these cut-offs, through the limit.
    cutoffs = np.quantile(said, np.linspace(0.05, 0.35, 20))
    candidates = [replace(committee, cutoff=float(cut)) for cut in cutoffs]
    broken = 0
    for _ in range(draws):
        chosen = rng.integers(0, len(said), rows)
        drawn = vp.Probabilities(
            np.vstack([shares[:2000][chosen], np.zeros((1, 5)) + 0.01]),
            np.append(np.ones(rows, dtype=int), 0),
        )
        told = vp.promise(candidates, drawn, wish, costs=range(0, -20, -1))
        if told.committee is not None:
            broken += (said > told.committee.cutoff).mean() < 0.8
    assert 0 < broken <= 0.05 * draws + 3 * (0.05 * 0.95 * draws) ** 0.5


def test_what_cannot_be_promised_is_refused_first():
    rng = np.random.default_rng(0)
    three = vp.Probabilities(rng.dirichlet(np.ones(3), (30, 2)), np.arange(30) % 3)
    with pytest.raises(vp.InputError, match="two classes"):
        vp.prune(three, promise=vp.AtLeast("recall", 0.9))
    with pytest.raises(vp.InputError, match="certificate"):
        vp.prune(pool(), promise=vp.AtLeast("recall", 0.9), certificate=True)
    weighted = vp.Probabilities(pool().shares(), pool().labels, sample_weight=np.full(900, 2.0))
    with pytest.raises(vp.InputError, match="sample_weight"):
        vp.prune(weighted, promise=vp.AtLeast("recall", 0.9))
    with pytest.raises(vp.InputError, match="holdout"):
        vp.prune(pool(), holdout=0.3)
