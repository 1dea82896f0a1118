"""A refutation by clauses is believed if it holds, and not a bit further."""

import json
import time
import uuid

import numpy as np
import pytest

import voteprune as vp
from certified import best_of, document_of, write_votes
from instances import random_instance
from voteprune.bounds.box import FREE
from voteprune.certificate import Certificate
from voteprune.clauses import Case, Cell, Refuted, Task
from voteprune.problem import Problem
from voteprune.solvers import call
from voteprune.verify import verify
from voteprune.verify.clauses import Recheck
from voteprune.verify.document import Clause, Refutation, read_document
from voteprune.verify.limits import Limits
from voteprune.verify.pool import Pool, merge
from voteprune.verify.table import read_table

SEEDS = range(40)


def refute(problem, units):
    """Let a worker refute everything above a value, and write down how."""
    case, scale = Case.of(problem)
    refuted = Refuted(case, scale)
    undecided = np.full(case.n_patterns + case.n_classifiers, FREE, dtype=np.int8)
    cells, seen, number = (Cell(problem.gains.ceiling / scale, undecided),), set(), 0
    token = uuid.uuid4().hex
    target, end = (units + problem.gains.step) / scale, time.monotonic() + 30
    while cells:
        task = Task(case, cells, (), target, end, end, frozenset(seen), token, number, True)
        share = call("clauses", "voteprune.clauses.tree", (task,), end, lambda *_: None)
        cells, number = share.cells, share.next_number
        refuted.steps += share.steps
        seen |= set(share.members)
    return refuted


def certified(seed):
    """The certificate of an optimal committee, proved by clauses."""
    instance = random_instance(seed, most_classifiers=6, most_rows=20)
    problem = Problem.of(
        instance.votes, instance.objective, instance.constraints, instance.diversity
    )
    committee = best_of(problem)
    if committee is None or not problem.gains.net.any():
        pytest.skip("no committee is allowed, or none is better than another, in this instance")
    units = problem.units(committee)
    return Certificate(problem, "optimal", committee, units, refute(problem, units))


def checked(document, problem, folder):
    (folder / "c.json").write_text(json.dumps(document))
    write_votes(folder / "v.csv", problem)
    return verify(folder / "c.json", folder / "v.csv", "label")


@pytest.mark.parametrize("seed", SEEDS)
def test_what_the_tree_refutes_the_checker_refutes_too(seed, tmp_path):
    certificate = certified(seed)
    verification = checked(document_of(certificate), certificate.problem, tmp_path)
    assert verification.proved, verification.summary()
    assert any(line.startswith("the refutation") for line in verification.checked)


def leave_one_open(cells, clauses):
    cells.pop()


def split_into_the_same_cell_twice(cells, clauses):
    split = next((cell for cell in cells if "heirs" in cell), None)
    if split is None:
        pytest.skip("nothing was split in this instance")
    split["heirs"] = [split["heirs"][0]] * 2


def price_a_clause_that_is_not_there(cells, clauses):
    closed = next((cell for cell in cells if cell.get("prices")), None)
    if closed is None:
        pytest.skip("no clause was needed in this instance")
    closed["prices"][0][0] = len(clauses)


def close_a_cell_that_is_not_there(cells, clauses):
    cells[0]["cell"] = 10**6


def say_that_two_patterns_exclude_each_other_the_other_way_round(cells, clauses):
    pair = next((c for c in clauses if len(c["yes"]) == len(c["no"]) == 1 and not c["sits"]), None)
    if pair is None:
        pytest.skip("no clause about two patterns in this instance")
    pair["yes"], pair["no"] = pair["no"], pair["yes"]


@pytest.mark.parametrize("seed", range(8))
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
def test_a_refutation_that_was_tampered_with_is_refused(tamper, seed, tmp_path):
    certificate = certified(seed)
    document = document_of(certificate)
    tamper(document["refutation"]["cells"], document["refutation"]["clauses"])
    verification = checked(document, certificate.problem, tmp_path)
    assert any(line.startswith("the refutation") for line in verification.failed)


def test_a_cell_without_the_prices_that_closed_it_is_refused(tmp_path):
    """Two patterns that exclude each other, and a committee that gets one of them."""
    votes = vp.Votes(np.array([[1, 0], [1, 1], [0, 0], [0, 1]] * 3), np.array([1, 0, 0, 1] * 3))
    problem = Problem.of(votes)
    committee = best_of(problem)
    units = problem.units(committee)
    document = document_of(
        Certificate(problem, "optimal", committee, units, refute(problem, units))
    )
    assert checked(document, problem, tmp_path).proved
    for cell in document["refutation"]["cells"]:
        cell["prices"] = []
    assert not checked(document, problem, tmp_path).holds


@pytest.mark.parametrize("seed", SEEDS)
def test_a_clause_that_the_checker_believes_is_broken_by_no_committee(seed, tmp_path):
    """Random shares: nothing about them needs to be clever."""
    instance = random_instance(seed, most_classifiers=6, most_rows=20)
    problem = Problem.of(
        instance.votes, instance.objective, instance.constraints, instance.diversity
    )
    committee = best_of(problem)
    if committee is None or not problem.gains.net.any():
        pytest.skip("no committee is allowed, or none is better than another, in this instance")
    bare = Certificate(problem, "feasible", committee, problem.gains.ceiling)
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
