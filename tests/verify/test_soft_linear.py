"""Certificates of linear pools: true ones hold, forged ones do not, and nothing is above a loss."""

import copy
import csv
import json
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import voteprune as vp
from soft_oracle import committees, fitted
from voteprune.exceptions import FileFormatError
from voteprune.soft.pruning import SoftPruning
from voteprune.verify import soft_tree, verify
from voteprune.verify.soft_document import Seats, soft_document_of
from voteprune.verify.soft_linear import LinearPool
from voteprune.verify.soft_table import read_soft_table

CASES = [(classes, loss) for classes in (2, 3) for loss in ("pool_log_loss", "brier")]
ROOM = 1e-6
"""How near the independent fit is to the least loss, as a share."""
LIMITS = (vp.AtMost("size", 3), vp.Budget([1, 2, 3, 1, 2, 3], limit=5), vp.Forbid("m5"))


@cache
def table(n_classes, seed=1, n=30, k=6):
    """Probabilities, one member that merely votes, missing answers, rows of several weights."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % n_classes)
    logits = rng.normal(0, 1.5, (n, k, n_classes))
    logits[np.arange(n), :, y] += rng.uniform(0.5, 2, k)
    said = np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)
    said[rng.random((n, k)) < 0.03] = np.eye(n_classes)[0]
    said[:, 1] = np.eye(n_classes)[said[:, 1].argmax(axis=1)]
    said[rng.random((n, k)) < 0.05] = np.nan
    weights = rng.choice([0.5, 1.0, 1.7], n)
    weights[3] = 0.0
    return (said[:, :, 1] if n_classes == 2 else said), y, weights


@cache
def proved(n_classes, loss):
    said, y, weights = table(n_classes)
    names = [f"m{k}" for k in range(said.shape[1])]
    given = vp.Probabilities(said, y, sample_weight=weights, names=names)
    solution = vp.prune(given, objective=loss, penalty=3, constraints=LIMITS, certificate=True)
    return solution, json.loads(solution.certificate.to_json())


def document(n_classes, loss):
    return copy.deepcopy(proved(n_classes, loss)[1])


def put(folder, found, n_classes):
    said, y, _ = table(n_classes)
    names = [f"m{k}" for k in range(said.shape[1])]
    if n_classes > 2:
        names = [f"{name}:{label}" for name in names for label in range(n_classes)]
    with (folder / "p.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*names, "y"])
        for row, label in zip(said.reshape(len(y), -1), y, strict=True):
            writer.writerow([*("" if np.isnan(one) else repr(float(one)) for one in row), label])
    (folder / "c.json").write_text(json.dumps(found))


def check(folder, found, n_classes):
    put(folder, found, n_classes)
    return verify(folder / "c.json", folder / "p.csv", target="y")


def refused(folder, found, n_classes=2):
    (failed,) = check(folder, found, n_classes).failed
    return failed


def setting(folder, n_classes, loss):
    put(folder, document(n_classes, loss), n_classes)
    found = soft_document_of("c.json", document(n_classes, loss))
    return LinearPool(found, read_soft_table(folder / "p.csv", found, "y"))


@pytest.mark.parametrize("case", CASES)
def test_true_certificates_hold(case, tmp_path):
    verification = check(tmp_path, document(*case), case[0])
    assert proved(*case)[0].status == "optimal"
    assert verification.proved, verification.summary()
    assert len(verification.checked) == 3
    assert "weighted mean of probabilities" in verification.summary()


@pytest.mark.parametrize("case", CASES)
def test_no_bound_above_the_least_loss_is_certified(case, tmp_path):
    problem = proved(*case)[0].problem.numbers
    least = min(fitted(problem, members) for members in committees(problem))
    found = document(*case)
    found.update(status="unknown", committee=None, bound=least * (1 + ROOM))
    assert refused(tmp_path, found, case[0]).startswith("the tree")


@pytest.mark.parametrize("case", CASES)
def test_any_point_and_any_mu_bound_every_committee(case, tmp_path):
    pool, problem = setting(tmp_path, *case), proved(*case)[0].problem.numbers
    rng = np.random.default_rng(0)
    losses = {members: fitted(problem, members) for members in committees(problem)}
    near = 0.0
    for scale in (0.0, 0.2, 1.0, 30.0, 1e90):
        for mu in (-1e3, 0.0, 10.0, 25.0, 1e90):
            weights = tuple((k, float(one)) for k, one in enumerate(rng.normal(0.2, scale, 6)))
            dual = pool.dual(((mu,), weights))
            for members, loss in losses.items():
                bound = dual.base - sum(dual.phi[k] for k in members)
                assert bound <= loss * (1 + ROOM)
                near = max(near, float(bound) / loss)
    assert near > 0.3


@pytest.mark.parametrize("case", CASES)
def test_the_best_point_bounds_a_committee_by_its_own_loss(case, tmp_path):
    """With mu as it should be: that which the weights' sum of 1 costs."""
    pool, solution = setting(tmp_path, *case), proved(*case)[0]
    seats = solution.committee
    pairs = tuple(zip(seats.members, seats.weights, strict=True))
    ridge = float(pool.ridge)
    gains = {k: pool.dual(((-1e6,), pairs)).phi[k] for k in seats.members}
    mu = np.mean([float(gains[k] * 2 * pool.ridge) ** 0.5 - 1e6 - ridge * w for k, w in pairs])
    dual = pool.dual(((float(mu),), pairs))
    bound = dual.base - sum(dual.phi[k] for k in seats.members)
    loss = solution.penalised_loss * float(pool.total)
    assert float(bound) == pytest.approx(loss, rel=1e-6)
    assert bound <= pool.loss_above(Seats(seats.members, seats.weights, (), Fraction(0)))


@pytest.mark.parametrize("case", CASES)
def test_a_committees_loss_is_rounded_up_and_hardly(case, tmp_path):
    pool, said = setting(tmp_path, *case), proved(*case)[0].problem.said
    rng = np.random.default_rng(4)
    truth = np.eye(case[0])[said.labels]
    for _ in range(5):
        weights = rng.dirichlet(np.ones(3))
        shares = said.shares()[:, [0, 1, 4]]
        z = np.einsum("ik...,k->i...", shares, weights)
        z = np.column_stack([1 - z, z]) if case[0] == 2 else z
        each = ((z - truth) ** 2).sum(axis=1) / (2 if case[0] == 2 else 1)
        if case[1] == "pool_log_loss":
            each = -np.log((z * truth).sum(axis=1))
        true = said.weights @ each + float(pool.ridge) * (weights @ weights) / 2
        seats = Seats((0, 1, 4), tuple(weights.tolist()), (), Fraction(0))
        assert true * (1 - 1e-13) <= float(pool.loss_above(seats)) <= true * (1 + 1e-11)


def test_infeasibility_is_certified(tmp_path):
    said, y, weights = table(2)
    names = [f"m{k}" for k in range(6)]
    given = vp.Probabilities(said, y, sample_weight=weights, names=names)
    limits = [vp.AtLeast("size", 4), vp.Budget([2] * 6, limit=5)]
    solution = vp.prune(given, objective="brier", constraints=limits, certificate=True)
    assert solution.status == "infeasible"
    assert check(tmp_path, json.loads(solution.certificate.to_json()), 2).proved


def test_weights_that_do_not_sum_to_1(tmp_path):
    found = document(2, "brier")
    found["committee"]["weights"][0] += 1e-6
    assert "the committee: its weights sum to 1.000001" in refused(tmp_path, found)


@pytest.mark.parametrize("factor", [1 - 1e-8, 1 + 1e-8])
@pytest.mark.parametrize("loss", ["pool_log_loss", "brier"])
def test_a_loss_misreported(factor, loss, tmp_path):
    found = document(2, loss)
    found["committee"]["loss"] *= factor
    assert refused(tmp_path, found).startswith("the committee: its penalised loss is ")


def test_one_loss_told_as_the_other(tmp_path):
    found = document(2, "pool_log_loss")
    found["objective"]["loss"] = "brier"
    failed = check(tmp_path, found, 2).failed
    assert any("its penalised loss is" in one for one in failed)


def test_a_member_that_gives_scores(tmp_path):
    found = document(2, "brier")
    found["data"]["members"][0]["kind"] = "score"
    assert refused(tmp_path, found) == "'m0' gives scores, and a linear pool has none"


def test_a_member_said_to_merely_vote(tmp_path):
    found = document(2, "brier")
    found["data"]["members"][0]["kind"] = "vote"
    assert "'m0' does not merely vote" in refused(tmp_path, found)


def test_rows_of_no_weight(tmp_path):
    found = document(2, "pool_log_loss")
    found["data"]["row_weights"] = [0] * 30
    assert refused(tmp_path, found) == "no row carries weight"


@pytest.mark.parametrize("case", CASES)
def test_a_bound_without_its_price(case, tmp_path):
    """A mu that is not the tree's own makes bounds that are true, and too low."""
    found = document(*case)
    for node in found["nodes"]:
        if node["point"] is not None:
            node["point"][0] = [node["point"][0][0] - 5.0]
    assert refused(tmp_path, found, case[0]).startswith("the tree")


@pytest.mark.parametrize("wrong", [[], [0.0, 0.0], [None]])
def test_a_point_with_intercepts(wrong, tmp_path):
    found = document(2, "brier")
    found["nodes"][0]["point"][0] = wrong
    with pytest.raises(FileFormatError):
        check(tmp_path, found, 2)


def test_a_committee_with_an_intercept(tmp_path):
    found = document(2, "brier")
    found["committee"]["intercepts"] = [0.1]
    with pytest.raises(FileFormatError):
        check(tmp_path, found, 2)


def test_a_clip_that_vanishes(tmp_path):
    found = document(2, "pool_log_loss")
    found["data"]["clip"] = 1e-200
    with pytest.raises(FileFormatError, match="clip"):
        check(tmp_path, found, 2)


def test_what_is_too_large_is_trusted(tmp_path, monkeypatch):
    monkeypatch.setattr(soft_tree, "MOST", 0)
    verification = check(tmp_path, document(2, "brier"), 2)
    assert verification.holds
    assert not verification.proved


def test_the_checker_reads_probabilities_as_the_solver_does(tmp_path):
    for case in CASES:
        pool, said = setting(tmp_path, *case), proved(*case)[0].problem.said
        problem = SoftPruning.of(said, case[1], (), 3.0)
        given = np.array([np.stack(parts, axis=-1) for parts in pool.columns])
        own = np.moveaxis(problem.numbers.answers, 1, 0)[:, said.weights > 0]
        labels = said.labels[said.weights > 0]
        if case == (2, "pool_log_loss"):
            own = np.where(labels == 1, own, 1 - own)
        elif case[1] == "pool_log_loss":
            own = own[:, np.arange(len(labels)), labels]
        np.testing.assert_allclose(given.reshape(own.shape), own, rtol=1e-12)
