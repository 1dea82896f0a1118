"""What the library answers is what it answered: runs of every kind, pinned to the last bound.

A run here depends on no clock (`steady`, where all that is not public is gathered). `runs` says
what is run and what is told of it; `python tests/golden/write.py` writes the answers anew.
"""

import json

import numpy as np
import pytest

import voteprune as vp
from golden.kept import MAKERS, PAIR, branched, copied, small, words
from golden.runs import FILES, HERE, RUNS, ask, versions, warm_up
from golden.steady import proved_alone
from voteprune.verify import verify

FIRM = ("status", "value", "explanation")
"""What is the same with every release of what calculates, on every machine."""

DECIDED = {
    "committee.json": "00010111000010001100101100011101100101001001100001",
    "committee_ballots.json": "00000111000010001100101100011101100111001001101001",
    "solution.json": "10000110100010111100000100010101001101100000000001",
    "solution_ratio.json": "10000111100010011100001100011101101111111101101001",
    "solution_margin.json": "00000010000010001100101100011101110101001001100001",
}
NAMED = "ccccabaabbcaccbbcbaaaaac"
"""What the committees on file make of `votes.csv` and `words.csv`, row by row."""


def read(name):
    return json.loads((HERE / f"{name}.json").read_text())


@pytest.fixture(scope="module", autouse=True)
def _warm():
    warm_up()


def check(family, name):
    """Run, and compare with what is written; with other versions, what is firm alone."""
    answer, written = json.loads(json.dumps(RUNS[family][name]())), read(family)[name]
    if versions() != read("versions")["written with"]:
        answer, written = ({key: facts.get(key) for key in FIRM} for facts in (answer, written))
    assert answer == written


@pytest.mark.parametrize("name", RUNS["sums"])
def test_weighted_sums(name):
    check("sums", name)


@pytest.mark.parametrize("name", RUNS["formulas"])
def test_ratios_and_curves(name):
    check("formulas", name)


@pytest.mark.parametrize("name", RUNS["margins"])
def test_margins(name):
    check("margins", name)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS["plurality"])
def test_plurality(name):
    check("plurality", name)


@pytest.mark.parametrize("name", RUNS["methods"])
def test_methods(name):
    check("methods", name)


@pytest.mark.parametrize("name", RUNS["constraints"])
def test_constraints(name):
    check("constraints", name)


@pytest.mark.parametrize("name", RUNS["answers"])
def test_fronts_comparisons_and_explanations(name):
    check("answers", name)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS["files"])
def test_certificates_and_checkpoints(name):
    check("files", name)


@pytest.mark.parametrize("name", RUNS["commands"])
def test_command_line(name):
    check("commands", name)


def test_every_answer_on_file_has_its_run_and_every_file_its_maker():
    for family, runs in RUNS.items():
        assert list(read(family)) == list(runs)
    assert {path.name for path in FILES.iterdir()} == set(MAKERS)


def test_votes_are_still_drawn_as_they_were():
    """Else nothing else here means anything."""
    for name, given in {"votes.csv": small(), "words.csv": words()}.items():
        rows = [line.split(",") for line in (FILES / name).read_text().splitlines()]
        assert rows[0] == [*given.names, "label"]
        said = np.column_stack([given.matrix, given.labels])
        told = np.array(given.classes)[said] if name == "words.csv" else said.astype(int)
        assert np.array_equal(np.array(rows[1:]), told.astype(str))


@pytest.mark.parametrize("kind", ["tried", "boxes", "clauses", "infeasible", "trusted"])
def test_certificates_on_file_are_read_and_hold(kind):
    table = FILES / ("many.csv" if kind == "trusted" else "votes.csv")
    found = verify(FILES / f"certificate_{kind}.json", table, target="label")
    assert found.holds
    document = json.loads((FILES / f"certificate_{kind}.json").read_text())
    assert bool(document["proof"]) == (kind == "boxes")
    assert bool(document["refutation"]) == (kind == "clauses")
    assert bool(document["trusted"]) == (kind == "trusted")


def test_committees_on_file_are_read_and_decide_as_they_did():
    rows = small().matrix.astype(int)
    for name, decided in DECIDED.items():
        committee = vp.Committee.load(FILES / name)
        assert "".join(map(str, committee.predict(rows))) == decided, name
    named = np.array(words().classes)[words().matrix]
    for name in ("committee_plurality.json", "solution_plurality.json"):
        committee = vp.PluralityCommittee.load(FILES / name)
        assert "".join(word[0] for word in committee.predict(named)) == NAMED


ADDED = {"positive_from", "classes", "rule", "version"}
"""What files of committees tell since these were written, for readers in other languages."""


def as_before(solution, added):
    """What is written now, without what was added to its committee, all of which must be there."""
    told = json.loads(solution.to_json())
    if told["committee"] is not None:
        for name in added:
            del told["committee"][name]
    return told


@pytest.mark.parametrize("kind", ["", "_ratio", "_margin", "_infeasible"])
def test_solutions_on_file_are_read_and_written_as_they_are(kind):
    path = FILES / f"solution{kind}.json"
    solution = vp.Solution.load(path)
    assert as_before(solution, ADDED) == json.loads(path.read_text())
    assert solution.status == ("infeasible" if kind == "_infeasible" else "optimal")


def test_plurality_solutions_on_file_are_read_and_written_as_they_are():
    path = FILES / "solution_plurality.json"
    told = as_before(vp.PluralitySolution.load(path), {"rule", "version"})
    assert told == json.loads(path.read_text())


def test_solutions_on_file_are_explained_as_fresh_ones_are():
    kept, fresh = vp.Solution.load(FILES / "solution.json"), ask(small(), constraints=PAIR)
    assert kept.explain(small(), constraints=PAIR).summary() == fresh.explain().summary()
    kept = vp.PluralitySolution.load(FILES / "solution_plurality.json")
    assert kept.explain(words()).summary() == ask(words()).explain().summary()


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "by"), [("boxes", "boxes"), ("cells", "clauses")])
def test_checkpoints_on_file_are_gone_on_from(kind, by, tmp_path):
    """Without search: only what is on file can spare the proof what it has done before."""
    path = copied(f"checkpoint_{kind}.npz", tmp_path)
    with proved_alone(by):
        anew = ask(branched(), start=[0])
        resumed = ask(branched(), start=[0], checkpoint=path)
    assert resumed.status == anew.status == "optimal"
    assert resumed.value == anew.value
    assert not resumed.incidents
    assert len(resumed.trace) < len(anew.trace)


@pytest.mark.parametrize("kind", ["boxes", "cells"])
def test_checkpoints_on_file_are_refused_for_another_problem(kind, tmp_path):
    path = copied(f"checkpoint_{kind}.npz", tmp_path)
    with pytest.raises(vp.InputError, match="another problem"):
        ask(branched(), constraints=PAIR, checkpoint=path)
