"""Certificates for several classes: what was proved is confirmed, what is false is refused."""

import json
from dataclasses import replace
from unittest import mock

import pytest

import voteprune as vp
from pluralcerts import check, proved
from pluralities import known
from voteprune.bounds.plurality_rows import DUEL, NEED, TOTAL
from voteprune.strategies import exact_plurality, plurality_certificate
from voteprune.verify import plurality_document


@pytest.mark.slow
@pytest.mark.parametrize("leaf", [0.0, 600.0])
def test_what_was_proved_is_confirmed_and_less_is_not(leaf, tmp_path):
    priced = decided = 0
    for seed in range(25):
        case = known(seed, 10, 60)
        found = proved(case, leaf)
        told = check(found, case, tmp_path)
        assert told.proved, told.summary()
        priced += len(found["prices"])
        decided += sum(len(node["decided"]) for node in found["nodes"])
        # A lower bound is false, for the committee reaches more.
        found["committee"], found["status"] = None, "unknown"
        found["bound"] -= case.problem.gains.step
        assert not check(found, case, tmp_path).holds
    assert leaf or (priced > 25 and decided > 5)


def test_who_writes_rows_calls_them_what_the_checker_does():
    kinds = [plurality_certificate._KINDS[kind] for kind in (NEED, DUEL, TOTAL)]
    read = plurality_document
    assert kinds == [read.NEED, read.DUEL, read.TOTAL]


@pytest.mark.parametrize("forged", ["value", "digest", "rows", "members", "heir", "roots"])
def test_forgeries(forged, tmp_path):
    case = known(3)
    found = proved(case, 0.0)
    if forged == "value":
        found["committee"]["value"] += 1
    elif forged == "digest":
        found["votes"]["digest"] = "0" * 64
    elif forged == "rows":
        found["votes"]["n_rows"] += 1
        found["votes"]["row_weights"] = None
    elif forged == "members":
        found["committee"]["members"] = []
    elif forged == "heir":
        found["nodes"] = [
            {"prices": None, "decided": [], "branch": None, "heirs": [], "tried": False}
        ] * len(found["nodes"])
        found["bound"] = found["committee"]["value"] = 0
    else:
        found["roots"], found["bound"], found["committee"] = [], 0, None
        found["status"] = "unknown"
    assert not check(found, case, tmp_path).holds


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_of_the_driver_is_confirmed(jobs, tmp_path):
    """Nothing was tried out beforehand, so the tree on file is the one that the driver made."""
    case = known(7, 10, 60)
    with mock.patch.object(exact_plurality, "ENUMERATE", 0):
        solution = vp.prune(
            case.problem.votes, certificate=True, n_jobs=jobs, time_limit=60, random_state=0
        )
    found = json.loads(replace(solution.certificate, target="y").to_json())
    assert solution.status == "optimal"
    assert found["nodes"]
    assert check(found, case, tmp_path).proved


def test_an_infeasible_request_is_confirmed(tmp_path):
    case = known(7, 10, 60)
    budget = vp.Budget([1.0] * case.problem.n_classifiers, 0.5)
    with mock.patch.object(exact_plurality, "ENUMERATE", 0):
        solution = vp.prune(case.problem.votes, constraints=[budget], certificate=True)
    found = json.loads(replace(solution.certificate, target="y").to_json())
    assert solution.status == "infeasible"
    assert check(found, case, tmp_path).proved
    limit = found["limits"]["costs"][0]  # in whole numbers
    limit["most"] = limit["costs"][0]
    assert not check(found, case, tmp_path).holds
