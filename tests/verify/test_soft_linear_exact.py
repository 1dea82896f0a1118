"""What the checker computes of linear pools, to the last bit, and where its limits lie.

The probabilities here are halves, quarters and eighths, so that nothing but logarithms and rooms
for rounding is inexact: the formulas of `soft_linear`'s docstring are recounted in fractions.
"""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from voteprune.verify import logarithms
from voteprune.verify.replay import Fault
from voteprune.verify.soft_document import Node, Seats, soft_document_of
from voteprune.verify.soft_limits import Decisions, Reach, SoftLimits
from voteprune.verify.soft_linear import LinearPool, _within
from voteprune.verify.soft_table import read_soft_table
from voteprune.verify.soft_tree import SoftTree

U = Fraction(1, 2**53)
CASES = list(product((2, 3), ("pool_log_loss", "brier")))
SAID = {
    2: [["0.5", "0.25", "0.5", "0.125"], ["0.5", "0.5", "0.5", "0.25"]],
    3: [
        [[".5", ".25", ".25"], [".25", ".5", ".25"], [".25", ".25", ".5"], [".125", ".125", ".75"]],
        [[".25", ".25", ".5"], [".5", ".25", ".25"], [".5", ".25", ".25"], [".25", ".5", ".25"]],
    ],
}
LABELS = {2: [0, 1, 0, 1], 3: [0, 1, 2, 1]}


def pool_of(folder, n_classes, loss, weights=(1, 2, 4, 1), members=2, **limits):
    """The document and the pool of some members whose answers doubles hold exactly."""
    width = 1 if n_classes == 2 else n_classes
    columns = [[f"m{k}:{c}" for c in range(width)] for k in range(members)]
    said = [SAID[n_classes][k % 2] for k in range(members)]
    lines = [",".join([name for own in columns for name in own] + ["y"])]
    for row, label in enumerate(LABELS[n_classes]):
        cells = [c for member in said for c in ([member[row]] if width == 1 else member[row])]
        lines.append(",".join([*cells, str(label)]))
    (folder / "p.csv").write_text("\n".join(lines) + "\n")
    found = {
        "status": "unknown",
        "data": {
            "n_rows": 4, "classes": list(range(n_classes)), "target": "y",
            "members": [
                {"name": f"m{k}", "kind": "probability", "columns": own}
                for k, own in enumerate(columns)
            ],
            "row_weights": None if weights is None else list(weights), "clip": 0.001, "digest": "",
        },
        "objective": {"loss": loss, "penalty": 2, "tolerance": 0},
        "limits": {
            "size_min": 1, "size_max": members, "required": [], "forbidden": [], "costs": [],
            "groups": [],
        } | limits,
        "committee": None, "bound": 0, "nodes": [],
    }  # fmt: skip
    document = soft_document_of("c.json", found)
    return document, LinearPool(document, read_soft_table(folder / "p.csv", document, "y"))


def answers(n_classes, member):
    """What a member says of every class, row by row, as fractions."""
    return [
        [Fraction(1) - Fraction(row), Fraction(row)] if n_classes == 2 else list(map(Fraction, row))
        for row in SAID[n_classes][member % 2]
    ]


def recounted(n_classes, loss, weights, mean):
    """D and g of the docstring with the rooms that it proves, at the mean of the answers."""
    labels, rows = LABELS[n_classes], range(4)
    everybody = [answers(n_classes, member) for member in range(2)]
    if loss == "pool_log_loss":
        pulls = [1 / mean[row][labels[row]] for row in rows]
        log_of = [logarithms.log(float(pull)) for pull in pulls]
        base = Fraction(math.fsum(weights[row] * (1 + log_of[row]) for row in rows))
        size = math.fsum(weights[row] * (3 + 2 * abs(log_of[row])) for row in rows)
        gains = [
            sum(weights[row] * pulls[row] * said[row][labels[row]] for row in rows)
            * (1 + 64 * n_classes * U)
            for said in everybody
        ]
        return base - 32 * U * Fraction(size), gains
    classes = range(1, 2) if n_classes == 2 else range(n_classes)
    base = size = Fraction(0)
    gains = [Fraction(0), Fraction(0)]
    for row, place in product(rows, classes):
        y = Fraction(labels[row] == place)
        r = mean[row][place] - y
        base -= weights[row] * r * (r + 2 * y)
        size += weights[row] * abs(r) * (abs(r) + 2)
        gains = [
            gain - 2 * weights[row] * r * said[row][place]
            for gain, said in zip(gains, everybody, strict=True)
        ]
    room = size * 64 * n_classes * U
    return base - room, [gain + room for gain in gains]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("weights", [(1, 2, 4, 1), None])
def test_a_point_has_the_room_that_is_proved_and_no_more(case, weights, tmp_path):
    _, pool = pool_of(tmp_path, *case, weights)
    mean = answers(case[0], 0)
    weights = weights or (1, 1, 1, 1)
    base, gains = recounted(*case, weights, mean)
    assert pool.ridge == 2 * Fraction(sum(weights), 4)
    for mu in (Fraction(0), Fraction(-3, 4)):
        dual = pool.dual(((float(mu),), ((0, 1.0),)))
        assert dual.base == base - mu
        assert dual.phi == tuple(max(gain - mu, 0) ** 2 / (2 * pool.ridge) for gain in gains)


def test_a_mean_of_0_pulls_as_hard_as_is_allowed(tmp_path):
    _, pool = pool_of(tmp_path, 2, "pool_log_loss")
    assert float(pool.dual(((0.0,), ())).base) == pytest.approx(8 * (1 + 100 * math.log(10)))
    assert float(pool.dual(((0.0,), ((0, 1e101), (1, 1e101)))).base) == pytest.approx(
        8 * (1 - 100 * math.log(10))
    )


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("shares", [(1.0,), (0.5, 0.5), (0.5, 0.5 + 2**-31)])
def test_a_loss_has_the_room_that_is_proved_and_no_more(case, shares, tmp_path):
    """The last of the weights is too much by half of what is forgiven."""
    _, pool = pool_of(tmp_path, *case)
    n_classes, loss = case
    together = sum(map(Fraction, shares))
    exact = [Fraction(one) / together for one in shares]
    scores = pool._scores(list(zip(range(2), map(float, exact), strict=False)))
    labels, weights, total = LABELS[n_classes], (1, 2, 4, 1), 8
    off = (16 * n_classes + len(shares) + 4) * U
    if loss == "brier":
        lost = math.fsum(
            math.fsum(
                weight * (z - (label == place)) * (z - (label == place))
                for weight, z, label in zip(weights, column, labels, strict=True)
            )
            for place, column in zip((1,) if n_classes == 2 else (0, 1, 2), scores, strict=True)
        )
        errors = math.fsum(
            weight * abs(z - (label == place))
            for place, column in zip((1,) if n_classes == 2 else (0, 1, 2), scores, strict=True)
            for weight, z, label in zip(weights, column, labels, strict=True)
        )
        room = 4 * off * (Fraction(errors) * (1 + 4 * U) + off * n_classes * total)
    else:
        each = [-logarithms.log(z) for z in scores[0]]
        lost = math.fsum(weight * one for weight, one in zip(weights, each, strict=True))
        reach = Fraction(
            math.fsum(w * (3 + 2 * abs(one)) for w, one in zip(weights, each, strict=True))
        )
        room = 2 * off * total + 4 * U * reach
    ridge = pool.ridge * sum(one**2 for one in exact) / 2
    seats = Seats(tuple(range(len(shares))), shares, (), Fraction(0))
    assert pool.loss_above(seats) == Fraction(lost) * (1 + 16 * U) + room + ridge


@pytest.mark.parametrize(("off", "fine"), [(0.9e-9, True), (1.1e-9, False), (-1.1e-9, False)])
def test_weights_sum_to_1_but_for_a_billionth(off, fine, tmp_path):
    _, pool = pool_of(tmp_path, 2, "brier")
    seats = Seats((0,), (1.0 + off,), (), Fraction(0))
    if fine:
        pool.loss_above(seats)
    else:
        with pytest.raises(ValueError, match="its weights sum to"):
            pool.loss_above(seats)


@pytest.mark.parametrize("case", CASES)
def test_steps_are_counted_by_rows_parts_and_members(case, tmp_path):
    parts = 3 if case == (3, "brier") else 1
    for members in (1, 2, 5):
        _, pool = pool_of(tmp_path, *case, members=members)
        assert pool.work == 4 * parts * (2 * members + 60)
        assert len(pool.dual(((0.0,), ((0, 1.0),))).phi) == members


def test_errors_are_cut_where_nothing_overflows_or_vanishes():
    assert [_within(error) for error in (1e-100, -1e-100, 0.3, -7.0)] == [1e-100, -1e-100, 0.3, -7]
    assert [_within(error) for error in (0.99e-100, -0.99e-100, 0.0, math.nan)] == [0.0] * 4
    assert [_within(error) for error in (1e6, 2e6, -2e6, math.inf)] == [1e6, 1e6, -1e6, 1e6]


# Limits and the tree ---------------------------------------------------------------------------


def limited(folder, members=5):
    costs = [{"costs": ["1", "2", "1/2", "3", "1"], "most": "7/2"}]
    groups = [{"members": [0, 2, 4], "at_least": 1, "at_most": 2}]
    return pool_of(
        folder, 2, "brier", members=members, size_max=3, costs=costs, groups=groups
    )  # fmt: skip


PRICES = (
    ("cost", 0, Fraction(1, 3)), ("at_most", 0, Fraction(1, 5)), ("at_least", 0, Fraction(2, 7)),
    ("size_max", 0, Fraction(1, 9)), ("size_min", 0, Fraction(1, 8)),
)  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("prices", [(), PRICES, PRICES[:1]])
def test_the_reach_of_a_node_is_what_duality_says(seed, prices, tmp_path):
    document, _ = limited(tmp_path)
    limits, rng = SoftLimits(document), np.random.default_rng(seed)
    phi = [Fraction(int(one), 16) for one in rng.integers(0, 40, 5)]
    who = rng.permutation(5)
    for seated, barred in (((), ()), (who[:1], ()), ((), who[1:3]), (who[:2], who[2:3])):
        decisions = Decisions(frozenset(map(int, seated)), frozenset(map(int, barred)))
        free = [k for k in range(5) if not decisions.decides(k)]
        seats = 3 - len(seated)
        few = sum(phi[k] for k in decisions.seated)
        few += sum(sorted((phi[k] for k in free), reverse=True)[:seats])
        over = [
            phi[k] - sum(price * limits.rows[kind, place][0][k] for kind, place, price in prices)
            for k in range(5)
        ]
        priced = sum(price * limits.rows[kind, place][1] for kind, place, price in prices)
        priced += sum(over[k] for k in decisions.seated) + sum(max(over[k], 0) for k in free)
        reach = Reach(limits, phi, prices, decisions)
        assert reach.most == (min(few, priced) if prices else few)
        for k in range(5):
            for sits in (True, False):
                told = reach.most_with(k, sits=sits)
                if k not in free:
                    assert told == (None if sits else reach.most)
                elif not sits or seats > 1:
                    there = Reach(limits, phi, prices, decisions.having(k, sits=sits))
                    assert told == there.most


def leaf(point=None, **other):
    return Node(point, (), **{"seated": (), "barred": (), "branch": None, "heirs": (), **other})


def test_parts_are_counted_and_closed_by_a_bound_that_is_just_enough(tmp_path):
    document, pool = limited(tmp_path)
    limits, point = SoftLimits(document), ((-8.0,), ((0, 1.0),))
    dual = pool.dual(point)
    just = dual.base - Reach(limits, dual.phi, (), limits.root).most
    more = just + Fraction(1, 10**30)
    assert SoftTree((leaf(point),), pool, limits, just).run() == 1
    with pytest.raises(Fault, match="node 0 is bounded by"):
        SoftTree((leaf(point),), pool, limits, more).run()
    split = leaf(point, branch=1, heirs=(None, 1))
    deeper = leaf(branch=2, heirs=(None, 2))
    assert SoftTree((split, deeper, leaf()), pool, limits, just).run() == 3


def test_a_decision_needs_a_bound_that_is_just_enough(tmp_path):
    document, pool = limited(tmp_path)
    limits, point = SoftLimits(document), ((-8.0,), ((0, 1.0),))
    dual = pool.dual(point)
    reach = Reach(limits, dual.phi, (), limits.root)
    first = max(range(5), key=dual.phi.__getitem__)
    just = dual.base - reach.most_with(first, sits=False)
    assert just > dual.base - reach.most  # so that the rest of the node stays open
    for target, fault in ((just, "is bounded"), (just + Fraction(1, 10**30), "without reason")):
        with pytest.raises(Fault, match=fault):
            SoftTree((leaf(point, seated=(first,)),), pool, limits, target).run()


def test_a_fault_tells_the_best_of_all_points(tmp_path):
    document, pool = limited(tmp_path)
    limits, points = SoftLimits(document), [((-8.0,), ((0, 1.0),)), ((50.0,), ((1, 9.0),))]
    duals = [pool.dual(point) for point in points]
    bounds = [dual.base - Reach(limits, dual.phi, (), limits.root).most for dual in duals]
    assert bounds[0] != bounds[1]
    for first, second in (points, points[::-1]):
        nodes = (leaf(first, heirs=(1,)), leaf(second))
        with pytest.raises(Fault) as told:
            SoftTree(nodes, pool, limits, Fraction(10**9)).run()
        assert f"by {float(max(bounds)):.10g} only" in str(told.value)
