"""A certificate comes with the answer when asked for, and `verify` has the last word on it."""

import json

import numpy as np
import pytest

import voteprune as vp
from certified import write_votes
from voteprune.problem.problem import Problem
from voteprune.strategies.certificate import Certificate
from voteprune.verify import verify


def votes_of(n, k, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    right = rng.random((n, k)) < rng.uniform(0.6, 0.8, k)
    return vp.Votes(np.where(right, labels[:, None], 1 - labels[:, None]), labels)


def checked(solution, tmp_path):
    solution.certificate.save(tmp_path / "c.json")
    write_votes(tmp_path / "v.csv", solution.problem)
    return verify(tmp_path / "c.json", tmp_path / "v.csv", target="label")


def test_there_is_no_certificate_unless_it_is_asked_for():
    assert vp.prune(votes_of(20, 4)).certificate is None


def test_a_path_gets_the_certificate_and_the_solution_has_it_too(tmp_path):
    path = tmp_path / "certificate.json"
    solution = vp.prune(votes_of(20, 4), certificate=path)
    assert path.read_text() == solution.certificate.to_json()


def test_a_small_pool_is_tried_again(tmp_path):
    found = checked(vp.prune(votes_of(30, 6), certificate=True), tmp_path)
    assert found.proved


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"objective": "balanced_accuracy", "diversity": "F3"},
        {"constraints": [vp.AtLeast("recall", 0.7), vp.AtMost("size", 7), vp.Forbid(3)]},
        {"constraints": vp.Budget([1 + i % 5 for i in range(17)] + [100], 8)},
    ],
)
def test_what_the_engine_proves_in_a_run_holds_step_by_step(asked, tmp_path):
    """Proved or not when the time is over: the bound the solution reports is the one certified."""
    solution = vp.prune(votes_of(90, 18), certificate=True, time_limit=3, random_state=0, **asked)
    found = checked(solution, tmp_path)
    assert found.failed == ()
    certified = solution.certificate.bound * solution.problem.gains.unit
    assert float(certified) == pytest.approx(solution.bound)
    assert solution.certificate.proof is not None or solution.bound == solution.value


def test_a_solver_is_named_for_what_must_be_believed(tmp_path):
    pair = vp.AtMost("size", 2)
    solution = vp.prune(votes_of(40, 20), method="merged", constraints=pair, certificate=True)
    assert solution.certificate.trusted == (("highs", solution.certificate.bound),)
    assert checked(solution, tmp_path).holds


def test_a_request_nobody_can_meet_is_confirmed_by_trying(tmp_path):
    asked = [vp.AtMost("size", 1), vp.AtLeast("accuracy", 1)]
    solution = vp.prune(votes_of(30, 5), constraints=asked, certificate=True)
    assert solution.status == "infeasible"
    assert checked(solution, tmp_path).proved


def test_row_weights_go_with_the_certificate(tmp_path):
    rng = np.random.default_rng(1)
    plain = votes_of(30, 5)
    weighted = vp.Votes(plain.matrix, plain.labels, sample_weight=rng.integers(1, 9, 30) / 4)
    assert checked(vp.prune(weighted, certificate=True), tmp_path).proved


def test_rows_in_another_order_are_the_same_votes(tmp_path):
    solution = vp.prune(votes_of(30, 5), certificate=True)
    solution.certificate.save(tmp_path / "c.json")
    order = np.random.default_rng(2).permutation(30)
    votes = solution.problem.votes
    write_votes(tmp_path / "v.csv", Problem.of(vp.Votes(votes.matrix[order], votes.labels[order])))
    assert verify(tmp_path / "c.json", tmp_path / "v.csv", target="label").proved


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        ({"certificate": 3}, "expected True, False or a path"),
        ({"certificate": "no/such/folder/c.json"}, "folder that exists"),
        ({"certificate": True, "method": "full"}, "proves nothing"),
        ({"certificate": True, "objective": "f1"}, "no weighted sum"),
        ({"certificate": True, "checkpoint": "proof.zip"}, "one of the two"),
    ],
)
def test_what_cannot_be_certified_is_refused_before_any_work(asked, complaint):
    with pytest.raises(vp.InputError, match=complaint) as caught:
        vp.prune(votes_of(20, 4), **asked)
    assert caught.value.argument == "certificate"


def test_a_certificate_is_strict_json():
    problem = Problem.of(votes_of(20, 4))
    text = Certificate(problem, "unknown", None, problem.gains.ceiling).to_json()
    assert json.loads(text)["format"] == "voteprune.certificate"
    assert text.count("\n") == 1


@pytest.mark.slow
def test_what_is_optimal_up_to_rounding_is_feasible_on_file(tmp_path):
    """Weights too fine for a solver's floats leave a gap that nothing on file can close."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 150)
    said = np.where(rng.random((150, 14)) < 0.7, y[:, None], 1 - y[:, None])
    votes = vp.Votes(said, y, sample_weight=10.0 ** rng.integers(-6, 6, 150))
    solution = vp.prune(votes, objective="balanced_accuracy", certificate=True, random_state=0)
    assert (solution.status, solution.trusted) == ("optimal", ("highs",))
    assert solution.gap > 0
    found = checked(solution, tmp_path)
    assert found.holds
    document = json.loads((tmp_path / "c.json").read_text())
    assert document["status"] == "feasible"
    # Whoever forges the claim is found out as ever.
    (tmp_path / "c.json").write_text(json.dumps(document | {"status": "optimal"}))
    forged = verify(tmp_path / "c.json", tmp_path / "v.csv", target="label")
    assert forged.failed == ("the committee: it is called optimal, but the bound is higher",)
