"""A refutation by clauses is believed if it holds, and not a bit further."""

import copy
import json
from functools import cache, partial

import numpy as np
import pytest

import voteprune as vp
from certified import best_of, document_of, gainful_problem, refute, write_votes
from voteprune.problem.problem import Problem
from voteprune.strategies.certificate import Certificate
from voteprune.verify import verify
from voteprune.verify.clauses import Recheck
from voteprune.verify.document import Clause, Refutation, read_document
from voteprune.verify.limits import Limits
from voteprune.verify.pool import Pool, merge
from voteprune.verify.table import read_table

problem_of = partial(gainful_problem, most_classifiers=6, most_rows=20)

SEEDS = [seed for seed in range(48) if problem_of(seed) is not None]
FEWER = SEEDS[:14]


@cache
def certified(seed):
    """The certificate of an optimal committee, proved by clauses."""
    problem = problem_of(seed)
    committee = best_of(problem)
    units = problem.score(committee)
    return Certificate(problem, "optimal", committee, units, refute(problem, units))


@cache
def document_for(seed):
    return document_of(certified(seed))


def checked(document, problem, folder):
    (folder / "c.json").write_text(json.dumps(document))
    write_votes(folder / "v.csv", problem)
    return verify(folder / "c.json", folder / "v.csv", "label")


@pytest.mark.parametrize("seed", FEWER)
def test_what_the_tree_refutes_the_checker_refutes_too(seed, tmp_path):
    verification = checked(document_for(seed), problem_of(seed), tmp_path)
    assert verification.proved, verification.summary()
    assert any(line.startswith("the refutation") for line in verification.checked)


@pytest.mark.parametrize("seed", FEWER)
def test_no_bound_below_a_committee_is_ever_certified(seed, tmp_path, monkeypatch):
    """Whoever hides the committee and claims one step less is found out by the clauses alone."""
    monkeypatch.setattr("voteprune.verify.trying.MOST", 0)
    problem, document = problem_of(seed), copy.deepcopy(document_for(seed))
    document.update(committee=None, status="unknown", bound=document["bound"] - problem.gains.step)
    (failed,) = checked(document, problem, tmp_path).failed
    assert failed.startswith("the refutation: cell")


def leave_one_open(cells, clauses):
    cells.pop()
    return True


def split_into_the_same_cell_twice(cells, clauses):
    split = next((cell for cell in cells if "heirs" in cell), None)
    if split is not None:
        split["heirs"] = [split["heirs"][0]] * 2
    return split is not None


def price_a_clause_that_is_not_there(cells, clauses):
    closed = next((cell for cell in cells if cell.get("prices")), None)
    if closed is not None:
        closed["prices"][0][0] = len(clauses)
    return closed is not None


def close_a_cell_that_is_not_there(cells, clauses):
    cells[0]["cell"] = 10**6
    return True


def say_that_two_patterns_exclude_each_other_the_other_way_round(cells, clauses):
    pair = next((c for c in clauses if len(c["yes"]) == len(c["no"]) == 1 and not c["sits"]), None)
    if pair is not None:
        pair["yes"], pair["no"] = pair["no"], pair["yes"]
    return pair is not None


@pytest.mark.parametrize(
    "tamper",
    [
        leave_one_open,
        split_into_the_same_cell_twice,
        price_a_clause_that_is_not_there,
        close_a_cell_that_is_not_there,
        say_that_two_patterns_exclude_each_other_the_other_way_round,
    ],
)
def test_a_refutation_that_was_tampered_with_is_refused(tamper, tmp_path):
    applied = 0
    for seed in SEEDS:
        document = copy.deepcopy(document_for(seed))
        if tamper(document["refutation"]["cells"], document["refutation"]["clauses"]):
            applied += 1
            verification = checked(document, problem_of(seed), tmp_path)
            assert any(line.startswith("the refutation") for line in verification.failed)
    assert applied >= 5


def test_a_cell_without_the_prices_that_closed_it_is_refused(tmp_path):
    """Two patterns that exclude each other, and a committee that gets one of them."""
    votes = vp.Votes(np.array([[1, 0], [1, 1], [0, 0], [0, 1]] * 3), np.array([1, 0, 0, 1] * 3))
    problem = Problem.of(votes)
    committee = best_of(problem)
    units = problem.score(committee)
    document = document_of(
        Certificate(problem, "optimal", committee, units, refute(problem, units))
    )
    assert checked(document, problem, tmp_path).proved
    for cell in document["refutation"]["cells"]:
        cell["prices"] = []
    assert not checked(document, problem, tmp_path).holds


@pytest.mark.parametrize("seed", FEWER)
def test_a_clause_that_the_checker_believes_is_broken_by_no_committee(seed, tmp_path):
    """Random shares: nothing about them needs to be clever."""
    problem = problem_of(seed)
    bare = Certificate(problem, "feasible", best_of(problem), problem.gains.ceiling)
    (tmp_path / "c.json").write_text(json.dumps(document_of(bare)))
    write_votes(tmp_path / "v.csv", problem)
    document = read_document(tmp_path / "c.json")
    table = read_table(tmp_path / "v.csv", document.names, "label")
    pool = Pool.of(document, merge(table, document.row_weights))
    recheck = Recheck(document, Refutation((), ()), pool, Limits(document, pool))
    rng, believed = np.random.default_rng(seed), []
    for _ in range(150):
        some = rng.permutation(len(pool.used))[: int(rng.integers(1, 5))]
        sides = rng.integers(0, 2, len(some))
        shares = [(int(i), document.unit * 0 + int(share)) for i, share in
                  zip(some, rng.integers(1, 9, len(some)), strict=True)]  # fmt: skip
        seats = rng.permutation(len(pool.seats))[: int(rng.integers(0, 3))].tolist()
        clause = Clause(
            tuple(share for share, side in zip(shares, sides, strict=True) if side),
            tuple(share for share, side in zip(shares, sides, strict=True) if not side),
            tuple(seats[:1]), tuple(seats[1:]), (),
        )  # fmt: skip
        believed += [clause] if recheck._sound(clause) else []
    used = np.flatnonzero(problem.gains.net != 0)
    for code in range(1, 2**problem.n_classifiers):
        members = [k for k in range(problem.n_classifiers) if code >> k & 1]
        sits = np.isin(problem.allowed, members)
        for level in range(len(members)):
            if not problem.allows(problem.committee(members, level)):
                continue
            positive = (problem.counts(members) > level)[used]
            for clause in believed:
                assert not (
                    all(positive[i] for i, _ in clause.yes)
                    and not any(positive[i] for i, _ in clause.no)
                    and all(sits[k] for k in clause.sits)
                    and not any(sits[k] for k in clause.out)
                )
