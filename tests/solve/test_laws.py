"""Metamorphic laws: what must not change the optimum, and what must change it predictably."""

import numpy as np
import pytest

import voteprune as vp
from instances import random_instance

SEEDS = range(500, 512)


def optimum(instance, matrix=None, labels=None, weight=None, **changes):
    votes = vp.Votes(
        instance.matrix if matrix is None else matrix,
        instance.labels if labels is None else labels,
        sample_weight=instance.sample_weight if weight is None else weight,
    )
    request = {**instance.request(), **changes}
    return vp.prune(votes, **request, random_state=0, time_limit=30)


def small(seed):
    return random_instance(seed, most_classifiers=7, most_rows=30)


def same(one, two):
    return one.status == two.status and one.value == two.value


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_rows_does_not_matter(seed):
    instance = small(seed)
    order = np.random.default_rng(seed).permutation(len(instance.labels))
    moved = optimum(
        instance, instance.matrix[order], instance.labels[order], instance.sample_weight[order]
    )
    assert same(optimum(instance), moved)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_classifiers_does_not_matter(seed):
    instance = small(seed)
    k = instance.matrix.shape[1]
    order = np.random.default_rng(seed).permutation(k)
    place = np.argsort(order)
    constraints = tuple(
        type(c)(*(int(place[m]) for m in c.members))
        if isinstance(c, vp.Require | vp.Forbid)
        else vp.Budget([c.costs[i] for i in order], c.limit)
        if isinstance(c, vp.Budget)
        else vp.Group([int(place[m]) for m in c.members], at_most=c.at_most, at_least=c.at_least)
        if isinstance(c, vp.Group)
        else c
        for c in instance.constraints
    )
    moved = optimum(instance, instance.matrix[:, order], constraints=constraints)
    assert same(optimum(instance), moved)


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_twice_at_half_the_weight_are_the_same_rows(seed):
    instance = small(seed)
    doubled = optimum(
        instance,
        np.vstack([instance.matrix, instance.matrix]),
        np.concatenate([instance.labels, instance.labels]),
        np.concatenate([instance.sample_weight, instance.sample_weight]) / 2,
    )
    assert same(optimum(instance), doubled)


@pytest.mark.parametrize("seed", SEEDS)
def test_flipping_the_classes_mirrors_the_committee(seed):
    instance = small(seed)
    plain = vp.prune(instance.matrix, instance.labels, random_state=0)
    flipped = vp.prune(1 - instance.matrix, 1 - instance.labels, random_state=0)
    assert plain.value == flipped.value
    members = plain.committee.members
    mirror = vp.Committee(
        members, len(members) - 1 - plain.committee.threshold, plain.committee.names,
        plain.n_classifiers,
    )  # fmt: skip
    decided = plain.committee.predict(instance.matrix)
    assert (mirror.predict(1 - instance.matrix) == 1 - decided).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_one_more_classifier_never_hurts_and_one_less_never_helps(seed):
    instance = small(seed)
    before = vp.prune(instance.matrix, instance.labels, random_state=0)
    twin = np.column_stack([instance.matrix, instance.matrix[:, 0]])
    assert vp.prune(twin, instance.labels, random_state=0).value >= before.value
    if instance.matrix.shape[1] > 1:
        fewer = vp.prune(instance.matrix[:, 1:], instance.labels, random_state=0)
        assert fewer.value <= before.value


@pytest.mark.parametrize("seed", SEEDS)
def test_scaling_the_weights_scales_the_value(seed):
    instance = small(seed)
    w = (2, -1, 1, -3)
    one = vp.prune(instance.matrix, instance.labels, objective=vp.Weights(*w), random_state=0)
    seven = vp.prune(
        instance.matrix, instance.labels, objective=vp.Weights(*(7 * x for x in w)), random_state=0
    )
    assert seven.value == 7 * one.value


@pytest.mark.parametrize("seed", SEEDS)
def test_a_tighter_limit_never_gives_a_better_committee(seed):
    instance = small(seed)
    k = instance.matrix.shape[1]
    values = [
        vp.prune(
            instance.matrix, instance.labels, constraints=[vp.AtMost("size", size)], random_state=0
        ).value
        for size in range(1, k + 1)
    ]
    assert values == sorted(values)
