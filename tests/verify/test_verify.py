"""A certificate of ours holds; one that was touched, or claims too much, does not."""

import copy
import json
from functools import cache

import numpy as np
import pytest

import voteprune as vp
from certified import best_of, certify, document_of, prove, write_votes
from instances import random_instance
from voteprune.problem.problem import Problem
from voteprune.strategies.certificate import Certificate
from voteprune.verify import verify


@cache
def problem_of(seed):
    """A small problem with a gain somewhere and an allowed committee, or None."""
    instance = random_instance(seed, most_classifiers=7, most_rows=30)
    problem = Problem.of(
        instance.votes, instance.objective, instance.constraints, instance.diversity
    )
    return problem if problem.gains.net.any() and best_of(problem) is not None else None


@cache
def document_for(seed):
    return document_of(certify(problem_of(seed), target="label"))


SEEDS = [seed for seed in range(20) if problem_of(seed) is not None]


def hard(seed, n=60, k=9):
    """A problem that takes several linear programs: votes that are little better than noise."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    right = rng.random((n, k)) < 0.62
    return Problem.of(vp.Votes(np.where(right, labels[:, None], 1 - labels[:, None]), labels))


@pytest.fixture(scope="module")
def branched():
    """The first such problem with room for other members, whose proof decides and branches."""
    for seed in range(50):
        problem = hard(seed)
        document = document_of(certify(problem, target="label"))
        steps = document["proof"]["steps"]
        some_stay_out = len(document["committee"]["members"]) < problem.n_classifiers
        decisions = sum(len(step["decided"]) for step in steps)
        if some_stay_out and decisions >= 5 and any(step["heirs"] for step in steps):
            return problem, document
    raise AssertionError("no problem takes branches")


@pytest.fixture
def check(tmp_path):
    """Write a document and its votes, and check them."""

    def run(document, problem):
        (tmp_path / "certificate.json").write_text(json.dumps(document))
        write_votes(tmp_path / "votes.csv", problem)
        return verify(tmp_path / "certificate.json", tmp_path / "votes.csv")

    return run


@pytest.mark.parametrize("seed", SEEDS)
def test_every_certificate_of_ours_holds_by_its_steps(seed, check):
    found = check(document_for(seed), problem_of(seed))
    assert found.failed == ()
    assert found.trusted == ()
    assert not any("tried" in line for line in found.checked), "the steps alone must be enough"


@pytest.mark.parametrize("seed", SEEDS)
def test_no_bound_below_a_committee_is_ever_certified(seed, check, monkeypatch):
    """Whoever hides the committee and claims one step less is found out by the steps alone."""
    monkeypatch.setattr("voteprune.verify.trying.MOST", 1)
    problem = problem_of(seed)
    document = copy.deepcopy(document_for(seed))
    document.update(committee=None, status="unknown", bound=document["bound"] - problem.gains.step)
    assert not check(document, problem).holds


def test_a_proof_with_branches_holds(branched, check):
    problem, document = branched
    assert check(document, problem).proved


def changed(document, change):
    """A copy of a document with one thing changed."""
    copied = copy.deepcopy(document)
    change(copied)
    assert copied != document
    return copied


def priced(document):
    """The steps that alone refute something."""
    steps = document["proof"]["steps"]
    return [step for step in steps if any(by == step["number"] for *_, by in step["closed"])]


def scale_prices(factor):
    def change(document):
        for step in priced(document):
            step["prices"] = [[row, factor * price] for row, price in step["prices"]]

    return change


def steps_of(document):
    return document["proof"]["steps"]


def first_with(document, what):
    return next(step for step in steps_of(document) if step[what])


def swap_member(document):
    members = document["committee"]["members"]
    members[0] = next(k for k in range(9) if k not in members)


def move_pair(document):
    step = first_with(document, "closed")
    step["closed"][0][:2] = [document["limits"]["size_max"] + 1, 0]


def flip_decisions(document):
    for step in steps_of(document):
        step["decided"] = [[place, 1 - value] for place, value in step["decided"]]


def one_heir(document):
    first_with(document, "heirs")["heirs"].pop()


def drop_branch(document):
    steps = steps_of(document)
    steps.remove(first_with(document, "heirs"))


def drop_priced(document):
    steps_of(document).remove(priced(document)[0])


def count_strangers(document):
    """Let a row count one classifier that does not vote the right way."""
    for row in document["proof"]["rows"]:
        row["members"] = f"{2**9 - 1:x}"


def lower_value(document):
    document["committee"]["value"] -= 1


def raise_bound(document):
    document["bound"] += 1


def forget_proof_keep_claim(document):
    steps_of(document).clear()


TAMPERINGS = [
    scale_prices(0.0),
    scale_prices(0.5),
    scale_prices(3.0),
    swap_member,
    move_pair,
    flip_decisions,
    one_heir,
    drop_branch,
    drop_priced,
    count_strangers,
    lower_value,
    raise_bound,
]


@pytest.mark.parametrize("change", TAMPERINGS)
def test_what_was_touched_does_not_hold(change, branched, check):
    problem, document = branched
    assert not check(changed(document, change), problem).holds


def test_without_its_steps_a_claim_is_tried_or_fails(branched, check, monkeypatch):
    problem, document = branched
    bare = changed(document, forget_proof_keep_claim)
    assert "tried" in check(bare, problem).checked[-1]
    monkeypatch.setattr("voteprune.verify.trying.MOST", 1)
    assert check(bare, problem).failed == ("the bound: nothing in the certificate supports it",)


def test_the_claim_of_a_solver_is_taken_on_trust_and_said_so(branched, check, monkeypatch):
    problem, document = branched
    monkeypatch.setattr("voteprune.verify.trying.MOST", 1)
    bare = changed(document, forget_proof_keep_claim)
    bare["trusted"] = [["highs", document["bound"]]]
    found = check(bare, problem)
    assert found.holds
    assert not found.proved
    assert "highs" in found.trusted[0]
    assert "trust" in found.summary().splitlines()[0]


def test_the_cut_holds_only_within_what_there_is_to_lose(check):
    votes = vp.Votes([[1, 0, 0], [1, 1, 0], [0, 0, 0]], [1, 0, 0])
    problem = Problem.of(votes)
    document = document_of(Certificate(problem, "optimal", best_of(problem), 2, target="label"))
    assert check(document, problem).proved
    (first, second, amount), *_ = document["cut"]["flow"]
    for flow in ([[first, second, amount + 1]], [[second, first, amount]], []):
        document["cut"]["flow"] = flow
        assert not check(document, problem).holds


def test_other_votes_are_noticed(branched, tmp_path):
    problem, document = branched
    (tmp_path / "certificate.json").write_text(json.dumps(document))
    matrix = problem.votes.matrix.copy()
    matrix[0, 0] = not matrix[0, 0]
    other = Problem.of(vp.Votes(matrix, problem.votes.labels))
    write_votes(tmp_path / "votes.csv", other)
    found = verify(tmp_path / "certificate.json", tmp_path / "votes.csv")
    assert "not the votes" in found.failed[0]


@pytest.mark.slow
def test_a_proof_that_did_not_finish_proves_the_bound_it_claims(check, monkeypatch):
    """Open nodes count with their bounds, and a bound below the highest of them is refused."""
    monkeypatch.setattr("voteprune.verify.trying.MOST", 0)
    # More than any machine proves in this time, from a committee that is far from the best.
    problem = hard(1, n=160, k=24)
    committee = problem.committee(range(24), 23)
    proof = prove(problem, problem.score(committee), seconds=1.0)
    highest = proof.scale * max(float(node.bounds.max()) for node in proof.nodes)
    bound = problem.gains.floor_to_step(highest + 1e-6)
    certificate = Certificate(problem, "feasible", committee, bound, proof, target="label")
    document = document_of(certificate)
    assert document["proof"]["open"]
    assert check(document, problem).proved
    too_low = problem.gains.floor_to_step(highest - 1e-6) - problem.gains.step
    document["bound"] = too_low
    assert not check(document, problem).holds


def test_gains_beyond_64_bits_are_checked_exactly(check):
    rng = np.random.default_rng(5)
    weights = rng.integers(1, 5, 40) * 10.0**18 + rng.integers(1, 9, 40)
    votes = vp.Votes(
        rng.integers(0, 2, (40, 6)), np.arange(40) % 2, sample_weight=weights.astype(np.int64)
    )
    problem = Problem.of(votes, vp.Weights(tp=10**6, tn=10**6 + 1, fp=-3))
    document = document_of(certify(problem, target="label"))
    assert check(document, problem).holds
    document["committee"]["value"] += 1
    assert not check(document, problem).holds


@pytest.mark.parametrize(
    "constraints",
    [
        (vp.Require(2, 5), vp.Forbid(0)),
        (vp.Budget([1, 2, 3, 4, 5, 6], 6),),
        (vp.Group([0, 1, 2], at_most=1), vp.Group([3, 4], at_least=1)),
        (vp.AtLeast("recall", 0.6), vp.AtMost("size", 2)),
        (vp.AtMost("fp", 3),),
    ],
)
@pytest.mark.parametrize("diversity", [None, "F2", vp.Diversity(tau=0.3, measure="disagreement")])
def test_limits_are_part_of_the_proof(constraints, diversity, check, monkeypatch):
    """Somebody who forgets them gets no proof for it, on votes where they cost something."""
    monkeypatch.setattr("voteprune.verify.trying.MOST", 0)
    for seed in range(40):
        free = hard(seed, n=30, k=6)
        problem = Problem.of(free.votes, "accuracy", constraints, diversity)
        best = best_of(problem)
        if best is not None and problem.score(best) < free.score(best_of(free)):
            break
    document = document_of(certify(problem, target="label"))
    assert check(document, problem).proved
    document["limits"].update(
        size_min=1, size_max=6, required=[], forbidden=[], costs=[], criteria=[], diversity=None
    )
    assert document["bound"] < free.score(best_of(free))
    assert not check(document, free).holds


def test_a_committee_outside_its_limits_is_refused(check):
    problem = hard(3)
    document = document_of(certify(problem, target="label"))
    members = document["committee"]["members"]
    outsider = next(k for k in range(9) if k not in members)
    for limit in (
        {"required": [outsider]},
        {"forbidden": [members[0]]},
        {"size_min": len(members) + 1},
        {"costs": [{"costs": [1] * 9, "most": len(members) - 1}]},
        {"criteria": [{"weights": {"tp": 1, "fn": 0, "tn": 0, "fp": 0}, "least": 1000}]},
        {"diversity": {"measure": "fc", "tau": 1, "gamma": 1}},
    ):
        narrower = copy.deepcopy(document)
        narrower["limits"].update(limit)
        assert any(line.startswith("the committee") for line in check(narrower, problem).failed)


def test_limits_of_many_thousand_digits_are_written_and_judged(check):
    """The paper's limits are means over all pairs, whose denominators all differ here."""
    rng = np.random.default_rng(0)
    labels = np.arange(40) % 2
    matrix = np.where(rng.random((40, 30)) < 0.8, labels[:, None], 1 - labels[:, None])
    votes = vp.Votes(matrix, labels, sample_weight=rng.random(40))
    problem = Problem.of(votes, "accuracy", (), "F2")
    assert problem.diversity.gamma.denominator > 10**5000
    allowed = set()
    for size in (2, 2, 2, 3, 4, 30):
        committee = problem.committee(sorted(rng.choice(30, size, replace=False).tolist()), 1)
        bound = problem.gains.ceiling
        document = document_of(Certificate(problem, "feasible", committee, bound, target="label"))
        assert check(document, problem).proved == problem.allows(committee)
        allowed.add(problem.allows(committee))
    assert allowed == {True, False}
