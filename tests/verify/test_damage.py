"""Whatever the files hold: an exit code of 0, 1 or 2, one line for an error, and no end of time."""

import csv
import gzip
import json
import random
import time

import numpy as np
import pytest

import voteprune as vp
from certified import certify, document_of
from damaging import (
    CONTROL,
    codes_of_damage,
    codes_of_odd_fields,
    damaged,
    judged,
)
from forging import check, claim, proof, refutation, seat, write_rows
from voteprune import cli
from voteprune.exceptions import FileFormatError
from voteprune.problem.problem import Problem
from voteprune.verify import trying, verify
from voteprune.verify.table import read_table


@pytest.fixture(scope="module")
def sources():
    """A certificate of every kind with its rows."""
    rng = np.random.default_rng(8)
    labels = np.arange(14) % 2
    matrix = np.where(rng.random((14, 4)) < 0.65, labels[:, None], 1 - labels[:, None])
    votes = vp.Votes(matrix, labels, sample_weight=1 + np.arange(14) % 3 / 2)
    limits = (vp.AtLeast("recall", 0.3), vp.Budget([1, 2, 3, 4], 8), vp.AtMost("size", 3))
    problem = Problem.of(votes, "balanced_accuracy", limits, vp.Diversity(0.1, measure="q"))
    rows = [f"{''.join(map(str, row))} {label}" for row, label in zip(matrix, labels, strict=True)]
    steps = document_of(certify(problem, target="label"))
    bare = {**steps, "proof": None}
    none = {**bare, "status": "infeasible", "committee": None, "limits": {**bare["limits"]}}
    none["limits"]["size_min"] = 9
    cells = {**bare, "refutation": tree(steps)}
    return [(document, rows) for document in (steps, bare, none, cells)]


def tree(document):
    """A refutation that tries all sets of members, for four classifiers."""
    patterns, cells, count = 1 + max(i for row in document["proof"]["rows"]
                                     for i in row.get("patterns", [0])), [], 1  # fmt: skip
    level = [0]
    for place in range(4):
        below = []
        for cell in level:
            cells.append({"cell": cell, "place": patterns + place, "heirs": [count, count + 1]})
            below += [count, count + 1]
            count += 2
        level = below
    return {
        "clauses": [],
        "cells": cells + [{"cell": c, "prices": [], "limits": []} for c in level],
    }


@pytest.mark.slow
def test_a_field_of_any_content_is_no_crash(sources, tmp_path):
    """Fields of every kind of certificate, with odd values; of deep ones some."""
    rng, codes = random.Random(1), set()
    for document, rows in sources:
        write_rows(tmp_path / "v.csv", document["votes"]["names"], rows)
        codes |= codes_of_odd_fields(
            rng, document, tmp_path / "c.json", tmp_path / "v.csv", depth=3, most=40
        )
    assert codes == {0, 1, 2}


@pytest.mark.slow
@pytest.mark.parametrize("which", ["certificate", "votes", "gzip"])
def test_damaged_bytes_are_no_crash(which, sources, tmp_path):
    rng, codes = random.Random(2), set()
    for document, rows in sources:
        paths = {"certificate": tmp_path / "c.json", "votes": tmp_path / "v.csv"}
        paths["certificate"].write_text(json.dumps(document))
        write_rows(paths["votes"], document["votes"]["names"], rows)
        if which == "gzip":
            paths["gzip"] = paths["votes"]
            paths["votes"].write_bytes(gzip.compress(paths["votes"].read_bytes(), mtime=0))
        codes |= codes_of_damage(rng, paths[which], paths["certificate"], paths["votes"], 100)
    assert 2 in codes


def test_the_command_has_one_line_and_an_exit_code_for_each(sources, tmp_path, capsys):
    rng, seen = random.Random(3), set()
    document, rows = sources[0]
    c, v = tmp_path / "c.json", tmp_path / "v.csv"
    write_rows(v, document["votes"]["names"], rows)
    whole = json.dumps(document).encode()
    texts = [whole, json.dumps({**document, "bound": document["bound"] - 1}).encode()]
    texts += [damaged(rng, whole) for _ in range(12)]
    for text in texts:
        c.write_bytes(text)
        code = cli.main(["verify", str(c), str(v)])
        out, err = capsys.readouterr()
        seen.add(code)
        if code == 2:
            assert out == ""
            assert err.startswith("voteprune: ")
            assert err.count("\n") == 1
        else:
            assert err == ""
            assert ("NOT hold" in out) == (code == 1)
    assert seen == {0, 1, 2}


def test_control_characters_are_shown_and_never_sent(tmp_path):
    """In names, the objective, the label column, a solver's name, and what is refused."""
    rows = ["10 1", "01 0"]
    document = claim(
        rows, 2, limits={"required": [0], "forbidden": [1]}, status="feasible",
        committee=seat([0], 0, 2), trusted=[[CONTROL, 1]],
    )  # fmt: skip
    document["objective"]["name"] = CONTROL
    names = [f"a{CONTROL}", f"b{CONTROL}"]
    document["votes"].update(names=names, target=f"l{CONTROL}")
    document["votes"]["digest"] = "x"
    write_certificate = tmp_path / "c.json"
    write_certificate.write_text(json.dumps(document))
    with (tmp_path / "v.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([[*names, f"l{CONTROL}"], [1, 0, 1], [0, 1, 0]])
    assert judged(write_certificate, tmp_path / "v.csv") == 1
    assert "\\x1b[2J" in verify(write_certificate, tmp_path / "v.csv").summary()
    for change in (
        {"status": CONTROL},
        {"schema": CONTROL},
        {"format": CONTROL},
        {"bound": CONTROL},
        {CONTROL: 1},
        {"proof": proof(rows=[{"limit": [CONTROL, 0]}])},
        {"refutation": refutation({"cell": 0, "prices": [], "limits": [[CONTROL, 0, 1]]})},
    ):
        write_certificate.write_text(json.dumps({**document, **change}))
        assert judged(write_certificate, tmp_path / "v.csv") in (1, 2)
    write_certificate.write_text('{"\\u001b[2J": 1, "\\u001b[2J": 1}')
    assert judged(write_certificate, tmp_path / "v.csv") == 2
    for header, cell, label in ((CONTROL, "1", "1"), ("a", CONTROL, "1"), ("a", "1", "0.5")):
        with (tmp_path / "v.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([[header, "label"], [cell, label]])
        with pytest.raises(FileFormatError) as caught:
            read_table(tmp_path / "v.csv", ["a"], "label")
        assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "header",
    ['"a', "x" * 200_000 + ",a", "a\x00,label", '"a"b,label', "\ufeff\ufeffa,label", "", ","],
)
def test_an_odd_header_is_refused(header, tmp_path):
    (tmp_path / "v.csv").write_text(f"{header}\n1,1\n", encoding="utf-8")
    with pytest.raises(FileFormatError) as caught:
        read_table(tmp_path / "v.csv", ["a"], "label")
    assert len(str(caught.value)) < 500


def test_a_column_of_a_long_name_is_named_in_part(tmp_path):
    (tmp_path / "v.csv").write_text("a,label\n1,1\n")
    with pytest.raises(FileFormatError) as caught:
        read_table(tmp_path / "v.csv", ["x" * 70_000], "label")
    assert len(str(caught.value)) < 500


def test_a_small_file_that_unpacks_to_a_large_one_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("voteprune.verify.table.MOST_BYTES", 10**6)
    (tmp_path / "v.csv").write_bytes(gzip.compress(b"a,label\n" + b"1,1\n" * 10**6))
    with pytest.raises(FileFormatError, match="more than 1000000 bytes"):
        read_table(tmp_path / "v.csv", ["a"], "label")
    (tmp_path / "v.csv").write_bytes(gzip.compress(b"a,label\n" + b"1,1\n" * 10**5))
    assert len(read_table(tmp_path / "v.csv", ["a"], "label").votes) == 10**5


@pytest.mark.parametrize("rows", [["0" * 60 + " 1"], ["1" * 60 + " 1"]])
def test_many_classifiers_and_few_patterns_are_too_large_to_try(rows, tmp_path):
    """With rows of weight 0 there are no patterns at all."""
    document = claim(rows, 0, status="infeasible")
    found = check(document, rows, tmp_path)
    assert found.trusted == ("that no committee meets the limits: too large to try",)
    document["votes"]["row_weights"] = [0]
    assert check(document, rows, tmp_path).trusted == found.trusted


def test_what_is_tried_is_bounded_by_the_sets_there_are(tmp_path, monkeypatch):
    """Sizes and required members leave few, and the limit counts what each of them takes."""
    rows = ["0" * 60 + " 1"]
    for limits in ({"size_max": 2, "size_min": 2}, {"required": list(range(58))}):
        document = claim(rows, 0, limits={**limits, "costs": [{"costs": [1] * 60, "most": 1}]},
                         status="infeasible")  # fmt: skip
        assert check(document, rows, tmp_path).proved
    # Pairs of 60 classifiers, each 40 steps, 1 for the pattern, 60 for the members, 60 for costs.
    document = claim(rows, 0, limits={"size_max": 2, "size_min": 2, "costs": [
        {"costs": [1] * 60, "most": 1}]}, status="infeasible")  # fmt: skip
    steps = 60 * 59 // 2 * (40 + 1 + 60 + 60)
    for most, proved in ((steps, True), (steps - 1, False)):
        monkeypatch.setattr(trying, "MOST", most)
        assert check(document, rows, tmp_path).proved == proved
    # A criterion takes the pattern once more, and diversity a quarter of the pairs.
    document["limits"].update(
        criteria=[{"weights": document["objective"]["weights"], "least": 0}],
        diversity={"measure": "fc", "tau": 0, "gamma": 0},
    )
    steps = 60 * 59 // 2 * (40 + 2 + 60 + 60 + 900)
    for most, proved in ((steps, True), (steps - 1, False)):
        monkeypatch.setattr(trying, "MOST", most)
        assert check(document, rows, tmp_path).proved == proved


def test_diversity_is_judged_once_per_set(tmp_path, monkeypatch):
    """Infeasible by a limit on disagreement: with 13 classifiers there are 53 248 thresholds."""
    rng = np.random.default_rng(0)
    labels = np.arange(16) % 2
    matrix = np.where(rng.random((16, 13)) < 0.8, labels[:, None], 1 - labels[:, None])
    rows = [f"{''.join(map(str, row))} {label}" for row, label in zip(matrix, labels, strict=True)]
    diversity = {"measure": "disagreement", "tau": "9/10", "gamma": "9/10"}
    document = claim(rows, 16, limits={"size_min": 2, "diversity": diversity}, status="infeasible")
    calls = []
    judge = trying.Limits.member_faults
    monkeypatch.setattr(
        trying.Limits, "member_faults", lambda self, m: calls.append(m) or judge(self, m)
    )
    start = time.process_time()
    assert check(document, rows, tmp_path).proved
    assert time.process_time() - start < 20
    assert len(calls) == len(set(calls)) == 2**13 - 13 - 1
