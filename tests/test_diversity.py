"""Failure credit as the paper defines it, compared exactly."""

from fractions import Fraction

import numpy as np
import pytest

import voteprune as vp
from oracle import Oracle
from voteprune.pairwise import configure


def credit_of(matrix, labels, weights=None):
    return vp.FailureCredit.of(vp.Patterns.of(vp.Votes(matrix, labels, sample_weight=weights)))


def test_the_papers_example_gives_five_ninths():
    first, second = "0011011101", "0110001110"
    labels = np.array([0, 1, 0, 1, 1, 0, 1, 0, 1, 1])
    correct = np.array([[int(c) for c in first], [int(c) for c in second]]).T
    matrix = np.where(correct == 1, labels[:, None], 1 - labels[:, None])
    credit = credit_of(matrix, labels)
    assert credit.hamming[0, 1] == 5
    assert credit.failures.sum() == 9
    assert credit.credit(0, 1) == Fraction(5, 9)
    assert credit.matrix()[0, 1] == pytest.approx(5 / 9)


@pytest.mark.parametrize("weighted", [False, True])
def test_credits_equal_the_definition(weighted):
    rng = np.random.default_rng(4)
    matrix, labels = rng.integers(0, 2, (25, 6)), rng.integers(0, 2, 25)
    weights = rng.integers(1, 5, 25) / 2 if weighted else np.ones(25)
    truth = Oracle(matrix, labels, weights)
    credit = credit_of(matrix, labels, weights)
    for a in range(6):
        for b in range(6):
            if a != b:
                assert credit.credit(a, b) == truth.table[a][b]


def test_mean_pfc_of_members_is_mean_fc_of_pairs():
    rng = np.random.default_rng(5)
    credit = credit_of(rng.integers(0, 2, (30, 7)), np.arange(30) % 2)
    for members in ([0, 1], [1, 3, 5], list(range(7))):
        pairs = [(a, b) for i, a in enumerate(members) for b in members[i + 1 :]]
        assert sum(credit.pfc(members)) / len(members) == credit.credit_sum(pairs) / len(pairs)


def test_classifiers_that_never_fail_are_twins():
    labels = np.array([0, 1, 1, 0])
    credit = credit_of(np.column_stack([labels, labels, 1 - labels]), labels)
    assert credit.credit(0, 1) == 0
    assert credit.credit(0, 2) == 1


@pytest.mark.parametrize("seed", range(20))
def test_the_full_ensemble_meets_its_own_f2_and_f3_exactly(seed):
    rng = np.random.default_rng(seed)
    credit = credit_of(rng.integers(0, 2, (40, 7)), np.arange(40) % 2)
    for name in ("F2", "F3"):
        limits = configure(name, credit)
        assert limits is not None
        assert credit.meets(limits, range(7))
    above = vp.Diversity(tau=min(credit.pfc(range(7))) + Fraction(1, 10**30))
    assert not credit.meets(above, range(7))


def test_configurations_ask_for_what_the_paper_says():
    rng = np.random.default_rng(1)
    credit = credit_of(rng.integers(0, 2, (40, 5)), np.arange(40) % 2)
    everyone = credit.pfc(range(5))
    least, mean = min(everyone), sum(everyone) / 5
    assert configure("F1", credit) is None
    assert configure("F2", credit) == vp.Diversity(0, (least + mean) / 2)
    assert configure("F3", credit) == vp.Diversity(least, (least + mean) / 2)


def test_f1_theta_is_f1_on_balanced_accuracy():
    rng = np.random.default_rng(3)
    matrix, y = rng.integers(0, 2, (40, 6)), (rng.random(40) < 0.25).astype(int)
    theta = vp.prune(matrix, y, diversity="F1-theta", method="paper", random_state=0)
    plain = vp.prune(matrix, y, objective="balanced_accuracy", random_state=0)
    assert theta.objective == "balanced_accuracy"
    assert theta.value == plain.value
    with pytest.raises(vp.InputError, match="F1-theta"):
        vp.prune(matrix, y, diversity="F1-theta", objective="recall")


def test_a_committee_of_one_meets_every_limit():
    labels = np.array([0, 1, 1, 0])
    solution = vp.prune(
        np.column_stack([labels, labels]), labels, diversity=vp.Diversity(tau=1), random_state=0
    )
    assert (solution.status, solution.committee.size) == ("optimal", 1)


@pytest.mark.parametrize(
    ("tau", "gamma", "argument"),
    [(-0.1, None, "tau"), (1.1, None, "tau"), (0, 1.5, "gamma"), (0.5, 0.4, "gamma"),
     (float("nan"), None, "tau"), ("much", None, "tau"), (0, float("inf"), "gamma")],
)  # fmt: skip
def test_limits_outside_their_range_are_refused(tau, gamma, argument):
    with pytest.raises(vp.InputError) as caught:
        vp.Diversity(tau, gamma)
    assert caught.value.argument == argument


@pytest.mark.parametrize("bad", ["F4", 0.5, ("F2",)])
def test_an_unknown_configuration_is_refused(bad):
    with pytest.raises(vp.InputError, match="diversity"):
        vp.prune([[0, 1], [1, 1]], [0, 1], diversity=bad)
