"""Criteria mean what scikit-learn means by them, and the paper's theorem holds."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn import metrics

import voteprune as vp
from oracle import Oracle
from voteprune.problem.metrics import METRICS, resolve, theta_weights

SKLEARN = {
    "accuracy": metrics.accuracy_score,
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "recall": metrics.recall_score,
    "specificity": lambda y, p, **kw: metrics.recall_score(y, p, pos_label=0, **kw),
}


@pytest.mark.parametrize("name", SKLEARN)
@pytest.mark.parametrize("weighted", [False, True])
def test_values_are_scikit_learns(name, weighted):
    rng = np.random.default_rng(7)
    y = rng.integers(0, 2, 50)
    matrix = rng.integers(0, 2, (50, 5))
    weight = rng.integers(1, 5, 50) / 2 if weighted else None
    solution = vp.prune(matrix, y, objective=name, method="brute", sample_weight=weight)
    predicted = solution.committee.predict(matrix)
    assert solution.value == pytest.approx(SKLEARN[name](y, predicted, sample_weight=weight))


def test_theorem_1_theta_weights_are_balanced_accuracy_in_another_unit():
    rng = np.random.default_rng(2)
    y = (rng.random(30) < 0.3).astype(int)
    truth = Oracle(rng.integers(0, 2, (30, 5)), y, np.ones(30))
    positives, negatives = Fraction(int(y.sum())), Fraction(int(30 - y.sum()))
    theta = theta_weights(positives, negatives)
    balanced = resolve("balanced_accuracy", positives, negatives)
    factor = 2 * positives * negatives / (positives + negatives)
    for _, _, counts in truth.committees():
        confusion = vp.Confusion(*counts)
        assert theta.value(confusion) == factor * balanced.value(confusion)


def test_every_metric_explains_itself():
    for name, metric in METRICS.items():
        assert metric.name == name
        assert metric.meaning


@pytest.mark.parametrize("bad", ["accurcy", 3, ("accuracy",)])
def test_an_unknown_criterion_is_refused_with_the_known_ones(bad):
    with pytest.raises(vp.InputError, match=r"objective.*balanced_accuracy"):
        vp.prune([[0, 1], [1, 1]], [0, 1], objective=bad)


@pytest.mark.parametrize(
    ("misspelt", "meant"), [("accurcy", "accuracy"), ("jacard", "jaccard"), ("recal", "recall")]
)
def test_a_misspelt_criterion_is_answered_with_the_likely_one(misspelt, meant):
    with pytest.raises(vp.InputError, match=f"Did you mean '{meant}'"):
        vp.prune([[0, 1], [1, 1]], [0, 1], objective=misspelt)


def test_what_is_like_no_criterion_is_not_guessed():
    with pytest.raises(vp.InputError) as caught:
        vp.prune([[0, 1], [1, 1]], [0, 1], objective="zzz")
    assert "Did you mean" not in str(caught.value)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), "many", None, True])
def test_weights_must_be_finite_numbers(bad):
    with pytest.raises(vp.InputError, match="weight tp"):
        vp.Weights(tp=bad)


def test_a_constant_objective_has_nothing_to_prove():
    solution = vp.prune([[0, 1], [1, 1]], [0, 1], objective=vp.Weights(tp=2, fn=2))
    assert (solution.status, solution.value, solution.bound) == ("optimal", 2.0, 2.0)


@pytest.mark.parametrize(
    ("parts", "named"),
    [
        ((vp.Weights(tp=10**400), vp.Weights(tp=1, fp=1)), "Ratio(numerator)"),
        ((vp.Weights(tp=1), vp.Weights(tp=Fraction(1, 10**400), fp=1)), "Ratio(numerator)"),
        ((vp.Weights(tp=1), vp.Weights(tp=10**400, fp=1)), "Ratio(denominator)"),
        ((vp.Weights(tp=1), vp.Weights(tp=1, fp=1), -(10**400)), "Ratio(zero_division)"),
    ],
)
def test_ratios_that_no_float_holds_are_refused(parts, named):
    with pytest.raises(vp.InputError, match="1e250") as error:
        vp.Ratio(*parts)
    assert error.value.argument == named


def test_large_ratios_are_read_as_any():
    votes = vp.Votes([[0, 1, 1], [1, 1, 0], [1, 0, 1], [0, 0, 1]], [0, 1, 1, 0])
    large = vp.Ratio(vp.Weights(tp=10**240), vp.Weights(tp=1, fp=1), zero_division=-(10**240))
    assert vp.prune(votes, objective=large).value == pytest.approx(1e240)
