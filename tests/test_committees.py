"""The quick oracle says what the slow ones say, committee by committee."""

import numpy as np
import pytest

import voteprune as vp
from committees import Committees, Pluralities
from curves import curved_instance
from instances import SCALES, random_instance
from margin_oracle import margin_instance
from oracle import FLOORS, Oracle, metric, pfc
from plurality_oracle import all_values, random_case


def compared(instance):
    quick = Committees(instance.matrix, instance.labels, instance.sample_weight)
    slow = Oracle(instance.matrix, instance.labels, instance.sample_weight)
    allowed = quick.allowed(instance.constraints, instance.diversity)
    values = quick.values(instance.objective)
    met = 0
    for members, level, counts in slow.committees():
        code = quick.code(members)
        assert quick.who(code) == tuple(members)
        assert quick.points[quick.place[code, level]] == counts
        assert values[quick.place[code, level]] == metric(instance.objective, *counts)
        asked = (instance.constraints, instance.diversity)
        assert allowed[code, level] == slow.allowed(members, counts, *asked)
        met += 1
    assert met == quick.real.sum() == sum(len(quick.who(code)) for code in range(2**quick.k))
    best = slow.best(instance.objective, instance.constraints, instance.diversity)
    assert quick.best(instance.objective, instance.constraints, instance.diversity) == best


@pytest.mark.parametrize("block", range(4))
def test_every_committee_of_a_weighted_sum(block):
    for seed in range(12 * block, 12 * block + 12):
        compared(random_instance(seed, most_classifiers=6, most_rows=16))


def test_every_committee_of_a_curve():
    for seed in range(100, 112):
        compared(curved_instance(seed, most_classifiers=5, most_rows=14))


@pytest.mark.parametrize("measure", SCALES)
def test_limits_that_some_set_meets_exactly(measure):
    """Ties are where float and fraction part: the limits are those of a set of three."""
    for seed in range(200, 206):
        plain = random_instance(seed, most_classifiers=5, most_rows=12)
        if plain.matrix.shape[1] < 3:
            plain = random_instance(17, most_classifiers=6, most_rows=16)
        slow = Oracle(plain.matrix, plain.labels, plain.sample_weight)
        table = slow.measured(measure)
        worst = min if measure in FLOORS else max
        tau, gamma = worst(pfc(table, [0, 1, 2])), (table[0][1] + table[0][2] + table[1][2]) / 3
        if measure == "correlation":
            tau, gamma = round(tau, 20), round(gamma, 20)
        quick = Committees(plain.matrix, plain.labels, plain.sample_weight)
        for limits in ({"tau": tau}, {"gamma": gamma}, {"tau": tau, "gamma": gamma}):
            diversity = vp.Diversity(**limits, measure=measure)
            met = quick.diverse(diversity)
            for code in range(1, 2**quick.k):
                assert met[code] == slow.allowed(quick.who(code), None, (), diversity)


def test_every_margin():
    for seed in range(300, 310):
        _, request, slow = margin_instance(seed, most_classifiers=5, most_rows=12)
        quick = Committees(slow.matrix, slow.labels, [float(w) for w in slow.weight])
        worth = quick.margins(request["objective"])
        for code in range(1, 2**quick.k):
            assert worth[code] == slow.margin_of(request["objective"], quick.who(code))
        assert (quick.majority.sum(axis=1) == 1).all()


def test_every_plurality_committee():
    for seed in range(400, 420):
        matrix, y, weights, classes, objective, constraints = random_case(seed)
        quick = Pluralities(matrix, y, weights, classes)
        met, values = quick.meet(constraints), quick.values(objective)
        slow = dict(all_values(matrix, y, weights, classes, objective, constraints))
        assert {quick.who(code): values[code] for code in np.flatnonzero(met)} == slow


def test_weights_beyond_floats_are_summed_exactly():
    instance = random_instance(3, most_classifiers=4, most_rows=10)
    rng = np.random.default_rng(0)
    compared(
        type(instance)(
            0, instance.matrix, instance.labels, rng.random(len(instance.labels)) * 10.0**9,
            vp.Weights(1, -1, 2, -3),
        )
    )  # fmt: skip
