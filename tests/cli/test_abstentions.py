"""Cells that say nothing, on the command line: read from every kind of file, counted as asked."""

import gzip
import json

import numpy as np
import polars as pl
import pytest

import voteprune as vp

N, K = 40, 5
NAMES = [f"lf_{k}" for k in range(K)]


@pytest.fixture(scope="module")
def said():
    """Labels, and votes with NaN."""
    rng = np.random.default_rng(4)
    y = np.arange(N) % 2
    votes = np.where(rng.random((N, K)) < 0.8, y[:, None], 1 - y[:, None])
    return y, np.where(rng.random((N, K)) < 0.5, np.nan, votes)


def cells(votes, gap=""):
    return [[gap if np.isnan(v) else f"{v:g}" for v in row] for row in votes]


def write(path, header, rows):
    text = "".join(",".join(map(str, line)) + "\n" for line in [header, *rows])
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)
    return path


def plain(path, said, gap=""):
    y, votes = said
    rows = [[f"r{i}", y[i], *line] for i, line in enumerate(cells(votes, gap))]
    return write(path, ["id", "y", *NAMES], rows)


def sources(tmp_path, said):
    """The same votes in every kind of file, with what is said about it."""
    y, votes = said
    table = ("--target", "y", "--id", "id")
    yield plain(tmp_path / "a.csv", said), table
    yield plain(tmp_path / "b.csv.gz", said), table
    yield plain(tmp_path / "c.csv", said, "-1"), (*table, "--abstain=-1")
    yield plain(tmp_path / "d.csv", said, "nan"), table
    frame = pl.DataFrame({"id": [f"r{i}" for i in range(N)], "y": y})
    columns = [pl.Series(name, votes[:, k]) for k, name in enumerate(NAMES)]
    frame.with_columns(columns).write_parquet(tmp_path / "nan.parquet")
    frame.with_columns(c.fill_nan(None) for c in columns).write_parquet(tmp_path / "null.parquet")
    yield tmp_path / "nan.parquet", table
    yield tmp_path / "null.parquet", table
    wrench = {
        f"r{i}": {"label": int(y[i]), "weak_labels": [int(np.nan_to_num(v, nan=-1)) for v in row]}
        for i, row in enumerate(votes)
    }
    (tmp_path / "wrench.json").write_text(json.dumps(wrench))
    yield tmp_path / "wrench.json", ()
    lines = [
        (f"r{i}", NAMES[k], int(v))
        for i, row in enumerate(votes)
        for k, v in enumerate(row)
        if not np.isnan(v)
    ]
    write(tmp_path / "labels.csv", ["item", "label"], [(f"r{i}", y[i]) for i in range(N)])
    long = write(tmp_path / "long.csv", ["item", "judge", "vote"], lines)
    yield long, ("--labels", tmp_path / "labels.csv", "--id", "item")


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["skip", "against"])
def test_every_kind_of_file_is_read_and_applied_alike(run, tmp_path, said, rule):
    y, votes = said
    expected = vp.prune(
        vp.Votes(votes, y, abstentions=rule), constraints=vp.AtLeast("coverage", 0.9)
    )
    for file, words in sources(tmp_path, said):
        asked = ("--abstentions", rule, "--at-least", "coverage=0.9", "--json", "--output")
        code, out, err = run("prune", file, *words, *asked, tmp_path / "saved.json")
        assert (code, err) == (0, ""), file
        found = json.loads(out)
        assert found["value"] == expected.value, file
        assert found["coverage"] >= 0.9
        assert found["committee"]["abstentions"] == rule
        if len(words) > 5 or not words:
            continue
        code, out, err = run("apply", tmp_path / "saved.json", file, *words[:4])
        assert code == 0
        kind = vp.PluralityCommittee if rule == "skip" else vp.Committee
        committee = kind.load(tmp_path / "saved.json")
        told = [int(line.split(",")[2]) for line in out.splitlines()[1:]]
        by_name = pl.DataFrame({name: votes[:, NAMES.index(name)] for name in NAMES})
        assert told == committee.predict(by_name).tolist()
        assert f"accuracy {expected.value:.6g} on 40 rows" in err


def test_classes_may_be_missing_and_the_one_nobody_names_is_chosen(run, tmp_path):
    rng = np.random.default_rng(2)
    words = np.array(["cat", "dog", "owl"])
    y = rng.integers(0, 3, 30)
    votes = np.where(rng.random((30, 4)) < 0.7, y[:, None], rng.integers(0, 3, (30, 4)))
    quiet = rng.random((30, 4)) < 0.6
    rows = [
        [words[y[i]], *("-" if q else words[v] for q, v in zip(quiet[i], votes[i], strict=True))]
        for i in range(30)
    ]
    file, saved = write(tmp_path / "v.csv", ["y", *"abcd"], rows), tmp_path / "saved.json"
    options = ("--target", "y", "--plurality", "--abstentions", "skip", "--abstain", "-")
    table = np.where(quiet, None, words[votes])
    for first in ("cat", "owl"):
        classes = [first, *(word for word in words if word != first)]
        library = vp.prune(
            vp.PluralityVotes(table, words[y], classes=classes, abstentions="skip"),
            constraints=vp.AtLeast("recall", 0.2, of="dog"),
        )
        limit = ("--at-least", "recall:dog=0.2")
        code, out, _ = run(
            "prune", file, *options, "--otherwise", first, *limit, "--json", "--output", saved
        )
        assert (code, json.loads(out)["value"]) == (0, library.value)
        code, out, _ = run("apply", saved, file)
        told = [line.split(",")[2] for line in out.splitlines()[1:]]
        everyone = vp.PluralityCommittee.load(saved).predict(table)
        assert told == everyone.tolist()


def test_other_rows_are_judged_with_their_abstentions(run, tmp_path, said):
    y, votes = said
    file = plain(tmp_path / "a.csv", said)
    options = ("--target", "y", "--id", "id", "--test", file)
    for rule in ("skip", "against"):
        code, out, _ = run("prune", file, *options, "--abstentions", rule)
        value = vp.prune(vp.Votes(votes, y, abstentions=rule)).value
        assert code == 0
        assert f"40 rows: accuracy {value:.6g}" in out
        assert "of the rows have a member's vote" in out
        code, out, _ = run("compare", file, *options, "--abstentions", rule, "--methods", "exact")
        assert (code, out.count(f"{value:.4f}") >= 2) == (0, True)


@pytest.mark.parametrize(
    "rule", [("skip", "--plurality"), ("against", "--plurality"), ("skip",)], ids="-".join
)
def test_a_proof_with_abstentions_is_checked_and_other_silence_refused(run, tmp_path, said, rule):
    file = plain(tmp_path / "a.csv", said)
    proof, other = tmp_path / "proof.json", tmp_path / "other.csv"
    words = ("--target", "y", "--id", "id", "--abstentions", *rule)
    assert run("prune", file, *words, "--certificate", proof)[0] == 0
    code, out, _ = run("verify", proof, file)
    assert (code, "every part of it was checked" in out) == (0, True)
    header, *rows = file.read_text().splitlines()
    silenced = [",".join([*row.split(",")[:-1], ""]) for row in rows]
    other.write_text("\n".join([header, *silenced, ""]))
    assert run("verify", proof, other)[0] == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "--abstentions skip"),
        (("--abstain", "1"), "--abstentions skip"),
        (("--abstentions", "maybe"), "expected 'skip'"),
        (("--abstentions", "skip", "--objective", "mcc"), "balanced_accuracy"),
        (("--abstentions", "skip", "--threshold", "majority"), "most votes win"),
        (("--abstentions", "skip", "--at-least", "coverage=0.5", "--checkpoint", "x"), "coverage"),
        (("--abstentions", "skip", "--objective", "f1", "--checkpoint", "x"), "F-score"),
        (("--abstentions", "against", "--certificate", "proof.json"), "Take --abstentions skip"),
        (("--abstentions", "against", "--otherwise", "1"), "--plurality"),
        (("--abstentions", "skip", "--plurality", "--otherwise", "2"), "classes are '0' or '1'"),
        (("--abstentions", "skip", "--plurality", "--at-least", "recall:2=1"), "none of the class"),
        (("--plurality",), "--abstentions skip"),
        (("--objective", "log_loss", "--abstentions", "skip"), "an empty cell says nothing"),
        (("--abstentions", "skip", "--method", "hc-uwa"), "hc-uwa"),
        (("--abstentions", "against", "--at-least", "coverage=0.5", "--method", "hc-uwa"),
         "hc-uwa cannot honour"),
        (("--abstentions", "against", "--at-most", "coverage=0.5"), "AtLeast"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_one_line_and_nothing_written(run, tmp_path, said, words, told):
    file = plain(tmp_path / "a.csv", said)
    saved = tmp_path / "saved.json"
    words = [tmp_path / word if word.endswith(".json") else word for word in words]
    code, out, err = run("prune", file, "--target", "y", "--id", "id", *words, "--output", saved)
    assert (code, out) == (2, "")
    assert told in err
    assert err.count("\n") == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.csv"]


def test_a_proof_of_skipped_abstentions_is_about_votes_that_are_not_cut(run, tmp_path, said):
    file, proof = plain(tmp_path / "a.csv", said), tmp_path / "proof.json"
    words = ("--target", "y", "--id", "id", "--abstentions", "skip")
    file.write_text(file.read_text().replace(",1,", ",0.9,", 1))
    code, out, err = run("prune", file, *words, "--certificate", proof)
    assert (code, out, err.count("\n"), proof.exists()) == (2, "", 1, False)
    assert "voteprune votes" in err
    table = tmp_path / "votes.csv"
    assert run("votes", file, *words, "--output", table)[0] == 0
    words = ("--target", "label", "--abstentions", "skip")
    assert run("prune", table, *words, "--certificate", proof)[0] == 0
    assert run("verify", proof, table)[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["skip", "against"])
def test_grades_with_gaps_are_cut_once_and_the_committee_remembers_where(run, tmp_path, said, rule):
    """The library's committee takes grades; `apply` and --test have them cut already."""
    y, votes = said
    grades = np.where(np.isnan(votes), np.nan, np.where(votes == 1, 3, 1))
    rows = [[f"r{i}", y[i], *line] for i, line in enumerate(cells(grades))]
    file = write(tmp_path / "grades.csv", ["id", "y", *NAMES], rows)
    options = ("--target", "y", "--id", "id", "--cutoff", 2, "--abstentions", rule)
    saved = tmp_path / "saved.json"
    code, out, err = run("prune", file, *options, "--test", file, "--output", saved)
    expected = vp.prune(vp.Votes(grades, y, cutoff=2, abstentions=rule))
    assert (code, err) == (0, "")
    assert f"40 rows: accuracy {expected.value:.6g}" in out
    kind = vp.PluralityCommittee if rule == "skip" else vp.Committee
    committee = kind.load(saved)
    assert committee.cutoff == 2
    decided = committee.predict(pl.DataFrame(dict(zip(NAMES, grades.T, strict=True))))
    assert np.array_equal(decided, kind.predict(expected.committee, grades))
    code, out, err = run("apply", saved, file, "--target", "y", "--id", "id")
    assert [int(line.split(",")[2]) for line in out.splitlines()[1:]] == decided.tolist()
    assert f"accuracy {expected.value:.6g} on 40 rows" in err


def test_a_committee_chosen_on_full_votes_takes_a_rule_for_new_rows(run, tmp_path, said):
    y, votes = said
    full = plain(tmp_path / "full.csv", (y, np.nan_to_num(votes)))
    gaps = plain(tmp_path / "gaps.csv", said)
    hard, plural = tmp_path / "hard.json", tmp_path / "plural.json"
    words = ("--target", "y", "--id", "id", "--max-size", "3")
    assert run("prune", full, *words, "--output", hard)[0] == 0
    assert run("prune", full, *words, "--plurality", "--output", plural)[0] == 0
    code, out, err = run("apply", hard, gaps, "--abstentions", "skip")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "--abstentions against" in err
    # Counted against, silence is a vote for 0.
    assert run("apply", hard, gaps, "--abstentions", "against")[1] == run("apply", hard, full)[1]
    code, out, _ = run("apply", plural, gaps, "--abstentions", "skip")
    kept = votes[:, list(vp.PluralityCommittee.load(plural).members)]
    most = np.maximum((kept == 0).sum(axis=1), (kept == 1).sum(axis=1))
    assert code == 0
    assert [int(line.split(",")[1]) for line in out.splitlines()[1:]] == most.tolist()


def test_nan_in_a_table_is_an_abstention_of_a_soft_committee_and_a_question_of_a_hard_one(
    run, tmp_path
):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    shares = np.round(np.clip(0.3 + 0.4 * y[:, None] + rng.normal(0, 0.2, (40, 3)), 0, 1), 3)
    lines = [",".join([*map(str, row), str(label)]) for row, label in zip(shares, y, strict=True)]
    tables = []
    for silence in ("NaN", ""):
        lines[0] = f"{silence},0.4,0.2,0"
        tables.append(tmp_path / f"said{silence}.csv")
        tables[-1].write_text("\n".join(["a,b,c,y", *lines, ""]))
    soft = ("--target", "y", "--objective", "log_loss", "--max-size", "2", "--json")
    losses = [json.loads(run("prune", table, *soft)[1])["loss"] for table in tables]
    assert losses[0] == losses[1]
    code, _, err = run("prune", tables[0], "--target", "y")
    assert code == 2
    assert "--abstentions skip" in err
