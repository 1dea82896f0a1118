"""Certificates of soft committees: true ones hold, and no bound above a committee's loss does."""

import json
import random
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from softcerts import (
    LIMITS,
    Node,
    bounds_of,
    certificate,
    check,
    document,
    soft,
    tree,
    write_table,
)
from voteprune.verify import soft_table, soft_tree, verify
from voteprune.verify.soft_document import Seats, soft_document_of
from voteprune.verify.soft_limits import Decisions, Reach, SoftLimits
from voteprune.verify.soft_pool import SoftPool
from voteprune.verify.soft_table import read_soft_table

PROBLEMS = [(seed, n_classes, limits) for seed, n_classes in ((1, 2), (0, 3)) for limits in LIMITS]
ROOM = 1e-8
"""How near the independent fit is to the least loss, as a share."""


def setting(problem, folder):
    """The problem as the checker sees it."""
    write_table(folder / "p.csv", problem)
    found = soft_document_of("c.json", document(problem))
    table = read_soft_table(folder / "p.csv", found, "y")
    return found, SoftPool(found, table), SoftLimits(found)


@pytest.mark.parametrize("case", PROBLEMS)
def test_true_certificates_hold_under_every_limit(case, tmp_path):
    problem = soft(*case)
    verification = check(document(problem), problem, tmp_path)
    assert verification.proved, verification.summary()
    assert len(verification.checked) == 3


@pytest.mark.parametrize("case", PROBLEMS)
def test_no_bound_above_a_committees_loss_is_ever_certified(case, tmp_path):
    """Whoever hides the best committee and claims a little more than its loss is found out."""
    problem, found = soft(*case), document(soft(*case))
    least = min(problem.losses.values())
    found.update(status="unknown", committee=None, bound=least * (1 + ROOM))
    (failed,) = check(found, problem, tmp_path).failed
    assert failed.startswith("the tree")


@pytest.mark.parametrize("case", PROBLEMS)
def test_any_point_and_any_prices_bound_every_allowed_committee(case, tmp_path):
    problem = soft(*case)
    _, pool, limits = setting(problem, tmp_path)
    rng = np.random.default_rng(case[0])
    rows = list(limits.rows)
    for scale in (0.0, 0.3, 3.0, 1e3, 1e90):
        weights = tuple((k, float(rng.normal(0, scale))) for k in range(6) if rng.random() < 0.7)
        intercepts = tuple(float(x) for x in rng.normal(0, scale, problem.n_classes))
        dual = pool.dual((intercepts[: pool.width], weights))
        unit = float(max(dual.phi))
        prices = tuple(
            (*row, Fraction(float(rng.random() * unit))) for row in rows if rng.random() < 0.7
        )
        seated, barred = frozenset(limits.root.seated), frozenset(limits.root.barred)
        for _ in range(3):
            extra = {int(k) for k in rng.choice(6, 2) if k not in seated | barred}
            out = frozenset(k for k in extra if rng.random() < 0.5)
            decisions = Decisions(seated | (extra - out), barred | out)
            reach = Reach(limits, dual.phi, prices, decisions)
            for members, loss in problem.losses.items():
                if not decisions.seated <= set(members) or decisions.barred & set(members):
                    continue
                assert not limits.empty(decisions)
                worth = sum(dual.phi[k] for k in members)
                assert dual.base - worth <= loss * (1 + ROOM)
                assert worth <= reach.most
                for member in limits.free(decisions):
                    most = reach.most_with(member, sits=member in members)
                    assert most is not None
                    assert worth <= most <= reach.most


@pytest.mark.parametrize("case", PROBLEMS)
def test_what_is_plainly_empty_holds_no_allowed_committee_and_faults_are_all_found(case, tmp_path):
    problem = soft(*case)
    _, _, limits = setting(problem, tmp_path)
    for size in range(7):
        for members in combinations(range(6), size):
            allowed = problem.allows(members)
            assert allowed == (not any(limits.faults(members)))
            one = Decisions(frozenset(members), frozenset(set(range(6)) - set(members)))
            kept = set(problem.required) <= set(members)
            kept &= not set(problem.forbidden) & set(members)
            if kept:
                assert allowed == (not limits.empty(one))
            if kept and size == problem.most:  # nobody else can sit, decided or not
                full = Decisions(frozenset(members), frozenset(problem.forbidden))
                assert allowed == (not limits.empty(full))


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_best_point_bounds_a_committee_by_its_own_loss(n_classes, tmp_path):
    problem = soft(1, n_classes)
    _, pool, _ = setting(problem, tmp_path)
    members = problem.best
    _, weights, intercepts = problem.fit(members)
    pairs = tuple((k, float(w)) for k, w in zip(members, weights, strict=True))
    dual = pool.dual((tuple(map(float, problem.written(intercepts))), pairs))
    bound = float(dual.base - sum(dual.phi[k] for k in members))
    assert bound == pytest.approx(problem.losses[members], rel=1e-9)


def exactly_repaired(pool, shares):
    """Shares brought to sum c (e_y - a) = 0 in fractions, as the design has it, row by row."""
    weights, classes = [Fraction(c) for c in pool.weights], range(pool.n_classes)
    rows = [[Fraction(share) for share in row] for row in zip(*shares, strict=True)]
    aims = [sum(c for c, y in zip(weights, pool.labels, strict=True) if y == k) for k in classes]
    mass = [sum(c * row[k] for c, row in zip(weights, rows, strict=True)) for k in classes]
    keep = [min(Fraction(1), aims[k] / mass[k]) for k in classes]
    lack = [max(Fraction(0), aims[k] - mass[k]) for k in classes]
    freed = [sum(row[k] * (1 - keep[k]) for k in classes) for row in rows]
    return [
        [row[k] * keep[k] + more * lack[k] / (sum(lack) or 1) for k in classes]
        for row, more in zip(rows, freed, strict=True)
    ]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("nearly", [False, True])
def test_what_is_said_of_a_point_is_true_of_the_exact_repair(
    n_classes, nearly, tmp_path, monkeypatch
):
    """With the repair in doubles, and without it, where the exact one has all the work."""
    problem = soft(1, n_classes)
    _, pool, _ = setting(problem, tmp_path)
    if not nearly:
        monkeypatch.setattr(SoftPool, "_nearly_repaired", lambda _, shares: shares)
    rng, moved = np.random.default_rng(6), 0
    weights = [Fraction(c) for c in pool.weights]
    for scale in (0.0, 0.1, 1.0):
        point = (
            tuple(map(float, rng.normal(0, scale, pool.width))),
            tuple((k, float(w)) for k, w in enumerate(rng.random(6) * scale)),
        )
        shares, loose = pool._shares(pool._scores(*point))
        assert loose < 1e-13 if nearly else scale == 0 or loose > 1e-3
        repaired, dual = exactly_repaired(pool, shares), pool.dual(point)
        for row in repaired:
            assert sum(row) == 1
            assert min(row) >= 0
        truth = [[Fraction(k == y) for k in range(n_classes)] for y in pool.labels]
        pulls = [
            [c * (e - a) for e, a in zip(*pair, strict=True)]
            for c, *pair in zip(weights, truth, repaired, strict=True)
        ]
        assert [sum(pull) for pull in zip(*pulls, strict=True)] == [0] * n_classes
        entropy = -sum(
            float(c * a) * np.log(float(a))
            for c, row in zip(weights, repaired, strict=True)
            for a in row
            if a
        )
        assert dual.base <= entropy * (1 + 1e-14)
        assert not nearly or dual.base >= entropy * (1 - 1e-11)
        for k, phi in enumerate(dual.phi):
            odds = zip(*pool.columns[k], strict=True)
            answered = [pull[-pool.width :] for pull in pulls]
            gain = sum(
                p * Fraction(one)
                for pull, row in zip(answered, odds, strict=True)
                for p, one in zip(pull, row, strict=True)
            )
            assert phi >= max(gain, 0) ** 2 / (2 * pool.ridge)
            moved += gain > 0
    assert moved


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_committees_loss_is_rounded_up_and_hardly(n_classes, tmp_path):
    problem = soft(1, n_classes)
    _, pool, _ = setting(problem, tmp_path)
    rng = np.random.default_rng(4)
    for scale in (0.1, 1, 30):
        weights, intercepts = rng.random(2) * scale, rng.normal(0, scale, n_classes)
        if n_classes == 2:
            intercepts[0] = 0
        true = problem.penalised((0, 2), weights, intercepts)
        written = tuple(map(float, problem.written(intercepts)))
        found = float(pool.loss_above(Seats((0, 2), tuple(weights.tolist()), written, Fraction(0))))
        assert true * (1 - 1e-14) <= found <= true * (1 + 1e-11)


@pytest.mark.slow
def test_a_node_worked_on_twice_is_bounded_by_both_its_points(tmp_path):
    """A run that was interrupted at the root goes on with a worse point, and ends there."""
    problem = soft(0, 2, "required")
    _, weights, intercepts = problem.fit(problem.best)
    spread = np.zeros(6)
    spread[list(problem.best)] = weights
    root, none = tree(problem, -np.inf)[0].decisions, np.zeros(6, dtype=np.int8)
    good = Node(root, problem.written(intercepts), spread, none, -1)
    bad = Node(root, np.ones(1), 0 * spread, none, -1)
    bound = bounds_of(problem, root, spread, intercepts)[0]
    for steps, holds in (([good, bad], True), ([good], True), ([bad], False), ([], False)):
        written = certificate(problem, steps=steps, status="feasible", bound=bound).to_json()
        assert check(json.loads(written), problem, tmp_path).proved == holds


@pytest.mark.slow
def test_infeasibility_is_certified_and_only_where_it_is_true(tmp_path):
    problem, found = soft(1, 2, "budget"), document(soft(1, 2, "budget"))
    shut = {"point": None, "prices": [], "in": [], "out": [], "branch": None, "heirs": []}
    found.update(status="infeasible", committee=None, bound=None, nodes=[shut])
    found["limits"]["required"] = [1, 2]
    assert check(found, problem, tmp_path).proved
    found["limits"]["required"] = [1]
    (failed,) = check(found, problem, tmp_path).failed
    assert "not shown to hold no allowed committee" in failed


def test_what_is_too_large_is_trusted_and_not_called_proved(tmp_path, monkeypatch):
    problem, found = soft(0, 2, "required"), document(soft(0, 2, "required"))
    monkeypatch.setattr(soft_tree, "MOST", 0)
    verification = check(found, problem, tmp_path)
    assert verification.holds
    assert not verification.proved
    assert "too large to check here" in verification.trusted[0]
    # A point is cheap here; to go back to it over and over is not.
    points = len(found["nodes"]) * 24 * (2 * 6 + 60 * 2)
    monkeypatch.setattr(soft_tree, "MOST", points + 599)
    assert "too large" in check(found, problem, tmp_path).trusted[0]
    monkeypatch.setattr(soft_table, "MOST_CELLS", 24 * 6 - 1)
    assert check(found, problem, tmp_path).trusted == (
        "everything: the table is too large to check here",
    )
    monkeypatch.undo()
    monkeypatch.setattr(soft_table, "MOST_CELLS", 24 * 6)
    assert check(found, problem, tmp_path).proved


@pytest.mark.slow
def test_whatever_nodes_are_edited_no_bound_above_the_least_loss_is_certified(tmp_path):
    problem, rng = soft(3, 2, "all"), random.Random(5)
    least = min(problem.losses.values())
    write_table(tmp_path / "p.csv", problem)
    for _ in range(100):
        found = document(problem)
        found.update(status="unknown", committee=None, bound=least * (1 + ROOM))
        for _ in range(rng.randint(1, 4)):
            node = rng.choice(found["nodes"])
            match rng.randrange(6):
                case 0 if node["point"]:
                    node["point"][0] = [rng.gauss(0, 3)]
                case 1 if node["point"] and node["point"][1]:
                    rng.choice(node["point"][1])[1] *= rng.gauss(1, 0.1)
                case 2:
                    node["prices"] = [["cost", 0, rng.random()], ["size_max", 0, rng.random()]]
                case 3:
                    node[rng.choice(["in", "out"])] = rng.sample(range(6), rng.randint(0, 2))
                case 4:
                    node.update(branch=None, heirs=[])
                case 5:
                    found["nodes"].remove(node)
                    if not found["nodes"]:
                        break
        (tmp_path / "c.json").write_text(json.dumps(found))
        assert not verify(tmp_path / "c.json", tmp_path / "p.csv").holds
