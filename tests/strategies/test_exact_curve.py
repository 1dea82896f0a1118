"""Criteria that are no weighted sums are maximised exactly, and every bound on the way holds."""

from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from sklearn import metrics

import voteprune as vp
from curves import curved_instance, faults
from voteprune.problem.formulas import Matthews, worth
from voteprune.strategies import exact as engine
from voteprune.strategies import exact_curve as parametric


@pytest.mark.parametrize("block", range(4))
def test_exact_finds_and_proves_the_optimum(block):
    for seed in range(20 * block, 20 * block + 20):
        assert list(faults(curved_instance(seed))) == [], seed


@pytest.mark.parametrize("seed", range(1000, 1008))
def test_so_it_does_where_pools_are_too_large_to_enumerate(seed):
    instance = curved_instance(seed, most_classifiers=6, most_rows=30)
    with mock.patch.object(engine, "ENUMERATE", 0), mock.patch.object(parametric, "ENUMERATE", 0):
        assert list(faults(instance)) == []


@pytest.mark.parametrize(("method", "seed"), [("merged", 5), ("merged", 12), ("paper", 3)])
def test_so_do_the_integer_programs(method, seed):
    instance = curved_instance(seed, most_classifiers=5, most_rows=15)
    if instance.diversity is None or method == "paper":
        assert list(faults(instance, method=method)) == []


@pytest.mark.parametrize("seed", range(2000, 2012))
def test_bounds_hold_when_there_is_no_time(seed):
    with mock.patch.object(engine, "ENUMERATE", 0), mock.patch.object(parametric, "ENUMERATE", 0):
        instance = curved_instance(seed, most_classifiers=5, most_rows=20)
        assert list(faults(instance, time_limit=[0, 0.05][seed % 2])) == []


@pytest.mark.parametrize("block", range(3))
def test_weights_finer_than_floats_can_count_hide_nothing(block):
    """One positive row, so a lattice of two columns, and a first committee to be beaten."""
    for seed in range(3000 + 20 * block, 3020 + 20 * block):
        plain = curved_instance(seed, most_classifiers=6, most_rows=12)
        rng = np.random.default_rng(seed)
        labels = np.arange(len(plain.labels)) == rng.integers(len(plain.labels))
        instance = replace(
            plain, labels=labels.astype(int), sample_weight=rng.random(len(labels)),
            constraints=(), diversity=None,
        )  # fmt: skip
        assert list(faults(instance, start=[0])) == [], seed


def plain(seed, n=60, k=6):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return np.where(rng.random((n, k)) < 0.7, y[:, None], 1 - y[:, None]), y


SKLEARN = {
    "f1": metrics.f1_score,
    "f2": lambda y, p, **kw: metrics.fbeta_score(y, p, beta=2, **kw),
    "jaccard": metrics.jaccard_score,
    "precision": lambda y, p, **kw: metrics.precision_score(y, p, zero_division=0, **kw),
    "cohen_kappa": metrics.cohen_kappa_score,
    "mcc": metrics.matthews_corrcoef,
}


@pytest.mark.parametrize("name", SKLEARN)
@pytest.mark.parametrize("weighted", [False, True])
def test_values_are_scikit_learns(name, weighted):
    matrix, y = plain(4)
    weight = np.random.default_rng(1).integers(1, 5, len(y)) / 2 if weighted else None
    solution = vp.prune(matrix, y, objective=name, sample_weight=weight, random_state=0)
    predicted = solution.committee.predict(matrix)
    assert solution.value == pytest.approx(SKLEARN[name](y, predicted, sample_weight=weight))


def test_a_committee_that_calls_nothing_positive_has_precision_zero():
    """Both classifiers together call nothing positive; forced, the value is scikit-learn's 0."""
    votes = vp.Votes([[1, 0], [0, 1], [0, 0]], [0, 0, 1])
    solution = vp.prune(votes, objective="precision", constraints=[vp.AtMost("fp", 0)])
    assert (solution.status, solution.value, solution.bound) == ("optimal", 0.0, 0.0)
    assert solution.confusion.tp + solution.confusion.fp == 0
    one = vp.Ratio(vp.Weights(tp=1), vp.Weights(tp=1, fp=1), zero_division=1)
    assert vp.prune(votes, objective=one).value == 1.0
    none = vp.prune(votes, constraints=[vp.AtLeast("precision", 0.01)])
    assert none.status == "infeasible"


def test_a_precision_floor_means_what_it_says():
    matrix, y = plain(9)
    limited = vp.prune(matrix, y, objective="recall", constraints=[vp.AtLeast("precision", 0.9)])
    counts = limited.confusion
    assert counts.tp >= 0.9 * (counts.tp + counts.fp) > 0
    assert limited.value <= vp.prune(matrix, y, objective="recall").value


def test_fbeta_by_name_and_by_value_are_one():
    matrix, y = plain(3)
    assert (
        vp.prune(matrix, y, objective="f3").value
        == vp.prune(matrix, y, objective=vp.FBeta(3)).value
    )


def test_a_ratio_with_a_constant_denominator_is_its_weighted_sum():
    matrix, y = plain(5)
    everyone = vp.Weights(tp=1, fn=1, tn=1, fp=1)
    share = vp.Ratio(vp.Weights(tp=1, tn=1), everyone)
    accuracy = vp.prune(matrix, y)
    assert vp.prune(matrix, y, objective=share).value == accuracy.value


@pytest.mark.parametrize("method", ["search", "hc-uwa", "hc-acc", "caruana", "backfitting", "full"])
@pytest.mark.parametrize("objective", ["f1", "mcc"])
def test_heuristics_maximise_any_criterion_and_claim_no_bound(method, objective):
    matrix, y = plain(11)
    optimum = vp.prune(matrix, y, objective=objective, random_state=0)
    found = vp.prune(matrix, y, objective=objective, method=method, random_state=0)
    assert (found.status, found.bound) == ("feasible", None)
    if method != "caruana":  # whose members vote more than once
        assert found.value <= optimum.value
    assert found.value == worth(found.weights, found.confusion)


def test_the_search_meets_the_optimum_of_a_small_pool():
    matrix, y = plain(12)
    optimum = vp.prune(matrix, y, objective="f1", random_state=0)
    assert vp.prune(matrix, y, objective="f1", method="search", random_state=0).value == (
        optimum.value
    )


@pytest.mark.parametrize("objective", ["f1", "gmean", vp.FBeta(2)])
def test_a_solution_survives_its_json(objective):
    matrix, y = plain(13)
    solution = vp.prune(matrix, y, objective=objective)
    again = vp.Solution.from_json(solution.to_json())
    assert again.weights == solution.weights
    assert again.value == solution.value


def test_a_callback_stops_it():
    matrix, y = plain(14, n=200, k=25)
    solution = vp.prune(matrix, y, objective="f1", callback=lambda _: True)
    assert solution.termination == "callback"
    assert solution.committee is not None


def test_what_is_no_criterion_is_refused():
    matrix, y = plain(1)
    for bad in ("f-1", "f0", "fbeta"):
        with pytest.raises(vp.InputError, match="unknown criterion"):
            vp.prune(matrix, y, objective=bad)
    with pytest.raises(vp.InputError, match="beta"):
        vp.FBeta(0)
    with pytest.raises(vp.InputError, match="negative"):
        vp.Ratio(vp.Weights(tp=1), vp.Weights(tp=1, fp=-1))
    with pytest.raises(vp.InputError, match="numerator"):
        vp.Ratio("tp", vp.Weights(tp=1))
    with pytest.raises(vp.InputError, match="no weighted sum"):
        vp.AtLeast("mcc", 0.5)


def test_the_matthews_correlation_has_no_hill_inside_a_polygon():
    """The law its bound rests on: between two points it is not above both, nor above 0."""
    rng = np.random.default_rng(0)
    p, n = 13.0, 29.0
    ends = rng.random((2, 4000, 2)) * (p, n)
    share = rng.random((4000, 1))
    between = share * ends[0] + (1 - share) * ends[1]
    scores = [Matthews().scores(*points.T, p, n) for points in (*ends, between)]
    assert (scores[2] <= np.maximum(np.maximum(scores[0], scores[1]), 0) + 1e-12).all()


def test_true_positives_help_and_false_ones_hurt_the_matthews_correlation():
    """The law its lattice rests on, signs and all."""
    tp, fp = (grid.ravel() for grid in np.meshgrid(np.arange(1, 12.0), np.arange(1, 28.0)))
    here = Matthews().scores(tp, fp, 13.0, 29.0)
    assert (Matthews().scores(tp + 1, fp, 13.0, 29.0) > here).all()
    assert (Matthews().scores(tp, fp - 1, 13.0, 29.0) > here).all()
