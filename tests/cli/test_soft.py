"""``voteprune prune --objective log_loss``: from a table of probabilities to predictions."""

import csv
import gzip
import io
import json

import numpy as np
import polars as pl
import pytest

import voteprune as vp

SOFT = ("--target", "y", "--objective", "log_loss", "--max-size", "3", "--penalty", "5")


def numbers(n=60, k=6, seed=1):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    odds = rng.normal((2 * y - 1)[:, None] * rng.uniform(0.3, 1.5, k), 1.0)
    return np.round(1 / (1 + np.exp(-odds)), 6), y


def frame(shares, y, **more):
    columns = {f"m{k}": shares[:, k] for k in range(shares.shape[1])}
    return pl.DataFrame({"y": y, **columns, **more})


@pytest.fixture
def table(tmp_path):
    frame(*numbers()).write_csv(tmp_path / "probabilities.csv")
    return tmp_path / "probabilities.csv"


def several(seed=0, n=60, k=4):
    rng = np.random.default_rng(seed)
    words = np.array(["ham", "spam", "eggs"])
    y = np.arange(n) % 3
    odds = rng.normal(0, 1, (n, k, 3))
    odds[np.arange(n), :, y] += 1.5
    shares = np.exp(odds) / np.exp(odds).sum(axis=2, keepdims=True)
    columns = {f"m{i}:{word}": shares[:, i, c] for i in range(k) for c, word in enumerate(words)}
    return pl.DataFrame({"y": words[y], **columns}), shares, words, y


def read(out):
    return list(csv.DictReader(io.StringIO(out)))


@pytest.mark.parametrize("objective", ["log_loss", "pool_log_loss", "brier"])
def test_the_table_gives_what_the_library_gives(run, table, objective):
    words = ("--target", "y", "--objective", objective, "--max-size", "3", "--penalty", "5")
    code, out, err = run("prune", table, *words, "--clip", "0.01", "--json")
    assert (code, err) == (0, "")
    shares, y = numbers()
    names = [f"m{k}" for k in range(6)]
    said = vp.Probabilities(shares, y, names=names, clip=0.01)
    limits = [vp.AtMost("size", 3)]
    own = vp.prune(said, objective=objective, constraints=limits, penalty=5, random_state=0)
    told = json.loads(out)
    assert told["status"] == "optimal"
    assert told["committee"]["names"] == list(own.committee.names)
    assert told["penalised_loss"] == pytest.approx(own.penalised_loss)


def test_apply_gives_probability_and_class(run, table, tmp_path):
    saved = tmp_path / "committee.json"
    code, out, _ = run("prune", table, *SOFT, "--output", saved)
    assert code == 0
    assert "Optimal" in out
    committee = vp.SoftCommittee.load(saved)
    code, out, err = run("apply", saved, table, "--target", "y")
    rows = read(out)
    assert code == 0
    assert list(rows[0]) == ["index", "probability", "prediction"]
    expected = committee.predict_proba(numbers()[0])[:, 1]
    assert [float(row["probability"]) for row in rows] == pytest.approx(expected.tolist())
    assert [int(row["prediction"]) for row in rows] == (expected > 0.5).astype(int).tolist()
    right = ((expected > 0.5) == numbers()[1]).mean()
    assert f"accuracy {right:.6g}" in err
    assert "log loss" in err
    # Without labels, with the members in another order, an id, and columns of other things.
    other = frame(*numbers()).drop("y").select(pl.all().reverse()).with_columns(id=pl.lit("x"))
    other.select(sorted(other.columns, reverse=True)).write_csv(tmp_path / "new.csv")
    code, out, err = run("apply", saved, tmp_path / "new.csv", "--output", tmp_path / "told.csv")
    assert (code, out, err) == (0, "", "")
    again = read((tmp_path / "told.csv").read_text())
    assert [row["probability"] for row in again] == [row["probability"] for row in rows][::-1]
    assert {row["id"] for row in again} == {"x"}


def test_a_limit_on_recall_moves_the_cut_off_and_apply_keeps_it(run, table, tmp_path):
    saved = tmp_path / "committee.json"
    code, out, _ = run("prune", table, *SOFT, "--at-least", "recall=1", "--output", saved)
    assert code == 0
    assert "positive above" in out
    assert vp.SoftCommittee.load(saved).cutoff < 0.5
    rows = read(run("apply", saved, table)[1])
    y = numbers()[1]
    assert all(row["prediction"] == "1" for row, true in zip(rows, y, strict=True) if true)


def test_groups_budgets_and_names_are_kept(run, table, tmp_path):
    costs = tmp_path / "costs.csv"
    costs.write_text("name,cost\n" + "".join(f"m{k},{k + 1}\n" for k in range(6)))
    words = (*SOFT, "--group", "half=m0,m1,m2:1", "--forbid", "m5", "--costs", costs)
    code, out, _ = run("prune", table, *words, "--budget", "8", "--require", "m3", "--json")
    told = json.loads(out)["committee"]
    assert code == 0
    assert "m3" in told["names"]
    assert "m5" not in told["names"]
    assert len({"m0", "m1", "m2"} & set(told["names"])) <= 1
    assert sum(k + 1 for k in told["members"]) <= 8


def test_test_rows_are_reported_on_and_not_pruned_on(run, tmp_path):
    shares, y = numbers(90)
    whole = frame(shares, y).with_columns(fold=pl.Series([0] * 60 + [1] * 30))
    whole.write_csv(tmp_path / "all.csv")
    whole.head(60).drop("fold").write_csv(tmp_path / "first.csv")
    whole.tail(30).drop("fold").write_csv(tmp_path / "rest.csv")
    one = json.loads(run("prune", tmp_path / "all.csv", *SOFT, "--split", "fold=1", "--json")[1])
    words = (*SOFT, "--test", tmp_path / "rest.csv")
    two = json.loads(run("prune", tmp_path / "first.csv", *words, "--json")[1])
    assert one["n_rows"] == 60
    assert one["committee"] == two["committee"]
    assert one["test"] == two["test"]
    committee = vp.SoftCommittee.from_json(json.dumps(two))
    given = committee.predict_proba(shares[60:])[np.arange(30), y[60:]]
    assert one["test"]["log_loss"] == pytest.approx(-np.log(given).mean())
    assert "test rows    30 rows" in run("prune", tmp_path / "first.csv", *words)[1]


def test_words_votes_and_gaps_are_read(run, tmp_path):
    """A member that votes in words, one that abstains, and labels in words; gzipped."""
    shares, y = numbers()
    words = np.array(["no", "yes"])
    votes = words[(shares[:, 0] > 0.5).astype(int)]
    gaps = [None if i % 7 == 0 else value for i, value in enumerate(shares[:, 1])]
    told = frame(shares, words[y], v=votes, g=gaps)
    path = tmp_path / "words.csv.gz"
    path.write_bytes(gzip.compress(told.write_csv().encode()))
    saved = tmp_path / "committee.json"
    asked = ("prune", path, *SOFT, "--positive", "yes", "--output", saved)
    code, _, err = run(*asked, "--require", "v", "--require", "g")
    assert (code, err) == (0, "")
    committee = vp.SoftCommittee.load(saved)
    assert committee.classes == ("no", "yes")
    assert dict(zip(committee.names, committee.kinds, strict=True))["v"] == "vote"
    code, out, _ = run("apply", saved, path, "--target", "y")
    assert code == 0
    assert {row["prediction"] for row in read(out)} == {"no", "yes"}


def test_several_classes_have_a_column_each(run, tmp_path):
    told, shares, words, y = several()
    told = told.with_columns(voter=pl.Series(words[shares[:, 0].argmax(axis=1)]))
    told.write_csv(tmp_path / "several.csv")
    saved = tmp_path / "committee.json"
    code, out, _ = run(
        "prune", tmp_path / "several.csv", *SOFT, "--require", "voter", "--output", saved
    )
    assert code == 0
    assert "Optimal" in out
    committee = vp.SoftCommittee.load(saved)
    assert committee.classes == ("eggs", "ham", "spam")
    told.drop("y").write_csv(tmp_path / "new.csv")
    code, out, _ = run("apply", saved, tmp_path / "new.csv")
    rows = read(out)
    assert code == 0
    assert list(rows[0])[1:-1] == ["probability:eggs", "probability:ham", "probability:spam"]
    given = [sum(float(row[f"probability:{word}"]) for word in words) for row in rows]
    assert given == pytest.approx([1.0] * len(y))
    right = np.mean([row["prediction"] == words[c] for row, c in zip(rows, y, strict=True)])
    assert right == pytest.approx(json.loads(saved.read_text())["accuracy"])


def test_empty_cells_of_several_classes_are_abstentions(run, tmp_path):
    """A committee of one member that says nothing gives every row the same answer."""
    told, shares, words, _ = several(k=2)
    told = told.with_columns(voter=pl.Series(words[shares[:, 0].argmax(axis=1)]))
    told.write_csv(tmp_path / "several.csv")
    for name in ("m0", "voter"):
        saved = tmp_path / f"{name}.json"
        alone = ("--target", "y", "--objective", "log_loss", "--max-size", "1", "--require", name)
        assert run("prune", tmp_path / "several.csv", *alone, "--output", saved)[0] == 0
        silent = [pl.lit(None).alias(c) for c in told.columns if c.startswith(name)]
        told.with_columns(silent).write_csv(tmp_path / "silent.csv")
        code, out, _ = run("apply", saved, tmp_path / "silent.csv")
        assert code == 0
        assert len({tuple(row.values())[1:] for row in read(out)}) == 1
        committee = vp.SoftCommittee.load(saved)
        expected = np.exp(committee.intercepts) / np.exp(committee.intercepts).sum()
        given = [float(value) for value in list(read(out)[0].values())[1:-1]]
        assert given == pytest.approx(expected.tolist())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--penalty", "0"), "--penalty"),
        (("--clip", "0.7"), "--clip"),
        (("--cutoff", "0.3"), "--cutoff"),
        (("--k", "2"), "--k"),
        (("--method", "hc-acc"), "--method"),
        (("--solver", "highs"), "--solver"),
        (("--diversity", "F2"), "--diversity"),
        (("--threshold", "majority"), "--threshold"),
        (("--plurality",), "--plurality"),
        (("--columns", "nobody"), "--columns"),
        (("--require", "nobody"), "--require"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_line(run, table, words, said):
    code, out, err = run("prune", table, *SOFT[:4], *words)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("y,a,b\n0,0.1,0.2\n1,1.4,0.9\n", "line 3"),
        ("y,a,b\n0,0.1,0.2\n0,0.4,0.9\n", "class"),
        ("y,a,b\n0,,0.2\n1,,0.9\n", "'a'"),
        ("y,a,b\n0,0.1,maybe\n1,0.4,0.9\n", "maybe"),
        ("y,a,b\nno,0.1,0.2\nyes,0.4,0.9\n", "--positive"),
        ("y,a,b\n,0.1,0.2\n1,0.4,0.9\n", "line 2"),
        ("y,a,b\nu,0.1,0.2\nv,0.4,0.9\nw,0.4,0.9\n", "a:u"),
        ("y,a:u,a:v\nu,0.1,0.2\nv,0.4,0.9\nw,0.4,0.9\n", "a:w"),
        ("y,a:u,a:v,a:w\nu,1,0,0\nv,0,1,0.9\nw,0,0,1\n", "sum"),
        ("y,a:u,a:v,a:w\nu,1,0,0\nv,0,1,2\nw,0,0,1\n", "line 3"),
        ("y,a:u,a:v,a:w\nu,1,0,0\nv,0,maybe,0\nw,0,0,1\n", "maybe"),
    ],
)
def test_bad_tables_are_refused_in_a_line(run, tmp_path, text, said):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    code, out, err = run("prune", path, *SOFT)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_a_member_that_is_missing_is_named(run, table, tmp_path):
    saved = tmp_path / "committee.json"
    run("prune", table, *SOFT, "--require", "m2", "--output", saved)
    pl.read_csv(table).drop("m2").write_csv(tmp_path / "new.csv")
    code, out, err = run("apply", saved, tmp_path / "new.csv")
    assert (code, out) == (2, "")
    assert "'m2'" in err


@pytest.mark.parametrize("option", ["--penalty", "--clip"])
def test_what_is_soft_is_refused_with_votes(run, table, option):
    code, out, err = run("prune", table, "--target", "y", option, "0.1")
    assert (code, out) == (2, "")
    assert option in err


def test_exit_codes_are_those_of_votes(run, table):
    assert (
        run(
            "prune",
            table,
            *SOFT,
            "--min-size",
            "3",
            "--forbid",
            "m0",
            "--group",
            "g=m1,m2,m3,m4,m5:1",
        )[0]
        == 2
    )
    assert run("prune", table, *SOFT, "--strict")[0] == 0


def test_a_proof_on_file_is_checked_and_other_probabilities_are_refused(run, table, tmp_path):
    proof, kept = tmp_path / "proof.json", tmp_path / "kept.npz"
    assert run("prune", table, *SOFT, "--certificate", proof)[0] == 0
    code, out, _ = run("verify", proof, table)
    assert (code, "holds" in out) == (0, True)
    shares, y = numbers(seed=2)
    frame(shares, y).write_csv(tmp_path / "other.csv")
    assert run("verify", proof, tmp_path / "other.csv")[0] == 1
    assert run("prune", table, *SOFT, "--checkpoint", kept)[0] == 0
    assert kept.exists()
    assert run("prune", tmp_path / "other.csv", *SOFT, "--checkpoint", kept)[0] == 2


def test_limits_that_no_cutoff_keeps_are_unfinished_work_where_that_is_strict(run, tmp_path):
    table = tmp_path / "p.csv"
    table.write_text("a,y\n0.2,0\n0.9,0\n0.7,1\n0.1,1\n")
    asked = ("prune", table, "--target", "y", "--objective", "log_loss", "--at-least", "recall=1")
    both = (*asked, "--at-least", "precision=1")
    assert run(*asked, "--strict")[0] == 0
    code, out, _ = run(*both)
    assert code == 0
    assert out.startswith("Limits on criteria are not kept.")
    assert run(*both, "--strict")[0] == 3
    assert json.loads(run(*both, "--json")[1])["limits_kept"] is False


@pytest.mark.parametrize("objective", ["log_loss", "brier"])
@pytest.mark.parametrize(
    ("classes", "positive"),
    [((1, 2), None), ((1, 2), 1), ((-1, 1), None), ((0, 1), 0), ((0, 1), None)],
)
def test_apply_reads_classes_that_are_other_numbers(run, tmp_path, classes, positive, objective):
    """A committee that Python has saved knows its classes, so that no option is needed."""
    shares, truth = numbers(k=2)
    y = np.array(classes)[truth]
    votes = np.array(classes)[np.where(np.arange(60) % 5, truth, 1 - truth)]
    sure = 1 - shares if positive == classes[0] else shares
    said = {"a": sure[:, 0], "b": sure[:, 1], "v": votes}
    given = vp.Probabilities(said, y, positive=positive)
    both = vp.Require("a", "v")
    own = vp.prune(given, objective=objective, penalty=0.5, constraints=both).committee
    saved, new = tmp_path / "own.json", tmp_path / "new.csv"
    own.save(saved)
    # As pandas writes them where one is missing.
    table = pl.DataFrame({"y": y, **{name: each.astype(float) for name, each in said.items()}})
    table.write_csv(new)
    decided = own.predict(said)
    for options in ([], ["--positive", own.classes[1]]):
        code, out, err = run("apply", saved, new, "--target", "y", *options)
        assert code == 0
        rows = read(out)
        assert [int(row["prediction"]) for row in rows] == decided.tolist()
        shown = [float(row["probability"]) for row in rows]
        assert shown == pytest.approx(own.predict_proba(said)[:, 1].tolist())
        assert f"accuracy {(decided == y).mean():.6g}, log loss 0." in err
    of_one = table.filter(pl.col("y") == int(own.classes[0]))
    of_one.write_csv(new)
    code, _, err = run("apply", saved, new, "--target", "y")
    assert code == 0
    assert f"accuracy {(decided == y)[y == own.classes[0]].mean():.6g}, log loss 0." in err
    for column, what in (("v", "column 'v' is '7.0'"), ("y", "label 'y' is '7.0'")):
        table.with_columns(pl.lit(7.0).alias(column)).write_csv(new)
        code, _, err = run("apply", saved, new, "--target", "y")
        assert code == 2
        assert what in err


def test_apply_reads_several_classes_that_are_numbers(run, tmp_path):
    table, shares, words, y = several()
    own = vp.prune(vp.Probabilities({f"m{k}": shares[:, k] for k in range(4)}, y), penalty=5)
    own.committee.save(tmp_path / "own.json")
    for place, word in enumerate(words):
        table = table.rename({f"m{k}:{word}": f"m{k}:{place}" for k in range(4)})
    table.with_columns(y=y).write_csv(tmp_path / "new.csv")
    code, _, err = run("apply", tmp_path / "own.json", tmp_path / "new.csv", "--target", "y")
    assert code == 0
    assert f"accuracy {own.accuracy:.6g}, log loss 0." in err


def test_apply_reads_abstentions_and_grades_as_prune_has_read_them(run, tmp_path):
    shares, y = numbers()
    grades = 1 + y + 2 * (np.arange(len(y)) % 4 == 1)  # 1, 2 or 4; positive from 2 on
    shares[::7, 1] = -1
    table, saved = tmp_path / "silent.csv", tmp_path / "committee.json"
    frame(shares, grades).write_csv(table)
    assert "--abstain -1 (and" in run("prune", table, *SOFT, "--positive", ">=2")[2]
    told = ("--abstain", "-1", "--positive", ">=2", "--require", "m1")
    code, out, err = run("prune", table, *SOFT, *told, "--output", saved, "--json")
    assert (code, err) == (0, "")
    code, rows, err = run("apply", saved, table, "--target", "y")
    assert code == 0
    assert f"{len(y)} rows: accuracy {json.loads(out)['accuracy']:.6g}" in err
    assert len(read(rows)) == len(y)
    assert vp.SoftSolution.load(saved).committee == vp.SoftCommittee.load(saved)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_apply_reads_scores(run, tmp_path, n_classes):
    """Those of a committee that Python has saved: decision functions are any numbers."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, 60)
    far = 3.0 * np.eye(n_classes)[y] + rng.normal(size=(60, n_classes))
    near = np.abs(far) / np.abs(far).sum(axis=1, keepdims=True)
    far[3], saved, new = np.nan, tmp_path / "own.json", tmp_path / "new.csv"
    said = {"s": far[:, 1], "p": near[:, 1]} if n_classes == 2 else {"s": far, "p": near}
    given = vp.Probabilities(said, y, scores=["s"])
    own = vp.prune(given, constraints=vp.Require("s", "p"), penalty=1).committee
    assert set(own.kinds) == {"score", "probability"}
    own.save(saved)
    names = {name: [name] if each.ndim == 1 else [f"{name}:{c}" for c in range(n_classes)]
             for name, each in said.items()}  # fmt: skip
    columns = {c: each.reshape(60, -1)[:, k] for name, each in said.items()
               for k, c in enumerate(names[name])}  # fmt: skip
    table = pl.DataFrame({"y": y, **columns}).fill_nan(None)
    table.write_csv(new)
    code, out, err = run("apply", saved, new, "--target", "y")
    assert code == 0
    assert [int(row["prediction"]) for row in read(out)] == own.predict(said).tolist()
    assert f"accuracy {(own.predict(said) == y).mean():.6g}, log loss 0." in err
    table.with_columns(pl.lit("far").alias(names["s"][0])).write_csv(new)
    code, _, err = run("apply", saved, new)
    assert code == 2
    assert "is 'far'; scores are numbers" in err


def test_names_of_classes_may_have_a_colon(run, tmp_path):
    told, _, words, y = several()
    names = {"ham": "GO:1", "spam": "GO:2", "eggs": "1"}
    columns = {f"m{i}:{word}": f"m{i}:{names[word]}" for i in range(4) for word in words}
    table, saved = tmp_path / "terms.csv", tmp_path / "committee.json"
    told = told.rename(columns).with_columns(y=pl.Series([names[words[c]] for c in y]))
    told.write_csv(table)
    code, _, err = run("prune", table, *SOFT, "--output", saved)
    assert (code, err) == (0, "")
    committee = vp.SoftCommittee.load(saved)
    assert set(committee.classes) == set(names.values())
    assert set(committee.names) <= {f"m{i}" for i in range(4)}
    assert run("apply", saved, table)[0] == 0
