"""``compare``: what the library says, in the form that was asked for."""

import csv
import io
import json
import sys

import numpy as np
import polars as pl
import pytest

import voteprune as vp
from voteprune.tables import read_table

SOME = "exact,full,hc-uwa,brute"


def numbers(rows):
    """All but the clock."""
    return [{name: row[name] for name in row if name != "seconds"} for row in rows]


def test_the_table_is_the_librarys(run, votes):
    code, out, err = run("compare", votes, "--methods", SOME, "--seed", 3)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert [line.split()[0] for line in lines] == ["method", *SOME.split(",")]
    for heading in ("size", "threshold", "bound", "accuracy", "balanced", "test acc.", "mean PFC"):
        assert heading in lines[0]
    rows = json.loads(run("compare", votes, "--methods", SOME, "--seed", 3, "--json")[1])["rows"]
    table = read_table(votes)
    test = vp.Votes(table.test.votes, table.test.labels)
    found = vp.compare(table.validation, methods=SOME.split(","), test=test, random_state=3)
    assert numbers(rows) == numbers(json.loads(found.to_json())["rows"])
    written = csv.DictReader(io.StringIO(run("compare", votes, "--methods", SOME, "--csv")[1]))
    assert [row["method"] for row in written] == SOME.split(",")


def test_limits_reach_every_method(run, votes):
    words = ("compare", votes, "--methods", "exact,brute", "--k", 6, "--max-size", 4)
    limits = ("--measure", "kappa", "--gamma", 0.2, "--objective", "balanced_accuracy")
    rows = json.loads(run(*words, *limits, "--at-least", "size=2", "--json")[1])["rows"]
    kappa = vp.diversity_matrix(read_table(votes, k=6).validation, measure="kappa")
    assert rows[0]["value"] == rows[1]["value"]
    assert all(2 <= row["size"] <= 4 for row in rows)
    members = vp.prune(
        read_table(votes, k=6).validation,
        objective="balanced_accuracy",
        diversity=vp.Diversity(gamma=0.2, measure="kappa"),
        constraints=[vp.AtMost("size", 4), vp.AtLeast("size", 2)],
        random_state=0,
    ).committee.members
    pairs = [kappa[a, b] for i, a in enumerate(members) for b in members[i + 1 :]]
    assert sum(pairs) / len(pairs) <= 0.2


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_a_picture_is_drawn(run, votes, tmp_path, suffix):
    path = tmp_path / f"methods.{suffix}"
    code, _, err = run("compare", votes, "--methods", "full,hc-uwa,best,brute", "--plot", path)
    assert (code, err) == (0, "")
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG" if suffix == "png" else b"<?xml")
    assert len(content) > 10_000


def test_who_is_left_out_is_said_below_the_table(run, votes):
    code, out, _ = run("compare", votes, "--max-size", 2, "--time-limit", 5, "--seed", 0)
    assert code == 0
    notes = out.partition("\n\n")[2].splitlines()
    assert notes[-1] == "Left out (cannot honour 'size <= 2'): full, best"
    assert max(map(len, notes)) <= 96


def test_losses_are_not_compared_and_lists_have_commas(run, votes):
    code, _, err = run("compare", votes, "--objective", "log_loss")
    assert code == 2
    assert "--objective: log_loss is a loss of soft committees" in err
    code, _, err = run("compare", votes, "--methods", "full", "--methods", "best")
    assert code == 2
    assert "--methods" in err
    assert "Give it once, several values with commas between." in err


def test_a_picture_without_matplotlib_tells_the_cure(run, votes, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, out, err = run("compare", votes, "--plot", tmp_path / "a.png")
    assert (code, out) == (2, "")
    assert "pip install 'voteprune[plot]'" in err
    assert err.count("\n") == 1


def test_test_rows_of_one_class_are_left_out_and_said_so(run, votes):
    frame = pl.read_csv(votes)
    frame.filter((pl.col("datatype") != "test") | (pl.col("real_class") == 0)).write_csv(votes)
    code, out, err = run("compare", votes, "--methods", "full")
    assert code == 0
    assert "test acc." not in out
    assert "one class only" in err


def test_codes_say_how_the_comparison_went(run, votes, hard):
    words = ("compare", hard, "--methods", "exact,full", "--time-limit", 0)
    assert run(*words)[0] == 0
    assert run(*words, "--strict")[0] == 3
    clash = ("--at-least", "recall=1", "--at-most", "fp=0")
    code, out, err = run("compare", votes, "--methods", "exact,brute", *clash)
    assert code == 2
    assert out.splitlines()[1].startswith("exact")
    assert "no committee meets" in err


def test_classes_are_compared_as_the_library_does(run, tmp_path):
    rng = np.random.default_rng(5)
    words = np.array(["cat", "dog", "owl"])
    y = rng.integers(0, 3, 50)
    said = np.where(rng.random((50, 5)) < 0.6, y[:, None], rng.integers(0, 3, (50, 5)))
    columns = {"y": words[y], **{f"m{k}": words[said[:, k]] for k in range(5)}}
    pl.DataFrame(columns).write_csv(tmp_path / "v.csv")
    asked = ("compare", tmp_path / "v.csv", "--target", "y", "--plurality")
    code, out, err = run(*asked, "--json", "--objective", "f1_macro", "--seed", 0)
    assert (code, err) == (0, "")
    votes = vp.PluralityVotes(words[said], words[y])
    expected = vp.compare(votes, objective="f1_macro", random_state=0)
    assert numbers(json.loads(out)["rows"]) == numbers(json.loads(expected.to_json())["rows"])
    # On its own rows a committee is worth the same twice.
    out = run(*asked, "--json", "--seed", 0, "--test", tmp_path / "v.csv")[1]
    for row in json.loads(out)["rows"]:
        assert row["test_accuracy"] == row["accuracy"] == row["value"]
    for more, told in (
        (("--k", 2), "--k"),
        (("--methods", "kappa"), "kappa"),
        (("--threshold", "majority"), "--threshold"),
        (("--diversity", "F2"), "--diversity"),
    ):
        code, out, err = run(*asked, *more)
        assert (code, out, told in err) == (2, "", True)


@pytest.mark.parametrize("rule", [(), ("--abstentions", "skip")])
def test_classes_that_are_words_are_judged_on_test_rows_too(run, tmp_path, rule):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 60)
    said = np.where(rng.random((60, 4)) < 0.8, y[:, None], 1 - y[:, None])
    columns = {f"m{k}": said[:, k] for k in range(4)}
    part = np.where(np.arange(60) < 40, "train", "test")
    pl.DataFrame({"y": np.array(["ham", "spam"])[y], "part": part, **columns}).write_csv(
        tmp_path / "words.csv"
    )
    words = ("--target", "y", "--positive", "spam", "--split", "part=test", "--methods", "full")
    code, out, err = run("compare", tmp_path / "words.csv", *words, *rule, "--json")
    assert (code, err) == (0, "")
    (row,) = json.loads(out)["rows"]
    right = (said.mean(axis=1) > 0.5) == y
    assert row["test_accuracy"] == pytest.approx(right[40:].mean())
