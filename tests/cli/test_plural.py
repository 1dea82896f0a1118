"""``voteprune prune --plurality``: files of class labels, from votes to predictions."""

import json

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    confusion_matrix,
    f1_score,
)


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    classes = np.array(["ham", "spam", "eggs"])
    y = rng.integers(0, 3, 40)
    named = {
        f"m{i}": classes[np.where(rng.random(40) < 0.7, y, rng.integers(0, 3, 40))]
        for i in range(5)
    }
    frame = pl.DataFrame({"y": classes[y], **named})
    frame.write_csv(tmp_path / "labels.csv")
    frame.write_parquet(tmp_path / "labels.parquet")
    return tmp_path / "labels.csv"


def test_from_votes_to_predictions(run, table, tmp_path):
    saved = tmp_path / "committee.json"
    code, out, _ = run("prune", table, "--target", "y", "--plurality", "--output", saved)
    assert code == 0
    assert "Optimal" in out
    solution = json.loads(saved.read_text())
    assert solution["classes"] == ["eggs", "ham", "spam"]
    code, out, _ = run("apply", saved, table)
    rows = [line.split(",") for line in out.splitlines()]
    assert code == 0
    assert rows[0] == ["index", "votes", "prediction"]
    truth = pl.read_csv(table)["y"].to_list()
    right = sum(row[2] == t for row, t in zip(rows[1:], truth, strict=True))
    assert right / len(truth) == pytest.approx(solution["value"])


def test_it_is_explained_in_text_and_json(run, table):
    words = ("prune", table, "--target", "y", "--plurality", "--explain")
    code, out, _ = run(*words)
    assert code == 0
    assert "Explanation: accuracy" in out
    told = json.loads(run(*words, "--json")[1])["explain"]
    assert {role["verdict"] for role in told["members"]} <= {"needed", "replaceable"}


def test_parquet_is_the_same_table(run, table):
    words = ("--target", "y", "--plurality", "--json", "--max-size", "3")
    one = json.loads(run("prune", table, *words)[1])
    two = json.loads(run("prune", table.with_suffix(".parquet"), *words)[1])
    assert one["committee"] == two["committee"]


def test_macro_recall_goes_by_its_name(run, table):
    code, out, _ = run(
        "prune", table, "--target", "y", "--plurality", "--objective", "balanced_accuracy"
    )
    assert code == 0
    assert "balanced_accuracy" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--plurality",), "--target"),
        (("--plurality", "--target", "nobody"), "no column"),
        (("--plurality", "--target", "y", "--objective", "f1"), "--objective"),
        (("--plurality", "--target", "y", "--diversity", "F2"), "--diversity"),
        (("--plurality", "--target", "y", "--threshold", "majority"), "--plurality"),
        (("--plurality", "--target", "y", "--at-least", "recall=0.5"), "recall:"),
        (("--plurality", "--target", "y", "--method", "hc-uwa"), "--method"),
    ],
)
def test_what_is_for_two_classes_is_refused(run, table, words, said):
    code, out, err = run("prune", table, *words)
    assert (code, out) == (2, "")
    assert said in err


def test_faults_name_their_line(run, tmp_path):
    bad = tmp_path / "bad.csv"
    bad.write_text("y,a,b\nx,x,z\nz,,x\n")
    code, _, err = run("prune", bad, "--target", "y", "--plurality")
    assert code == 2
    assert "line 3" in err
    bad.write_text("y,a,b\nx,x\n")
    assert "line 2" in run("prune", bad, "--target", "y", "--plurality")[2]
    bad.write_text("y,a,b\n")
    assert "no rows" in run("prune", bad, "--target", "y", "--plurality")[2]


def test_classes_that_are_numbers_are_in_the_order_of_numbers(run, tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_text("y,a\n10,10\n9,9\n2,2\n")
    out = run("prune", path, "--target", "y", "--plurality", "--json")[1]
    assert json.loads(out)["classes"] == ["2", "9", "10"]


def test_a_proof_on_file_is_checked_and_other_votes_are_refused(run, table, tmp_path):
    proof, other = tmp_path / "proof.json", tmp_path / "other.csv"
    words = ("--target", "y", "--plurality", "--certificate", proof)
    assert run("prune", table, *words)[0] == 0
    code, out, _ = run("verify", proof, table)
    assert (code, "proved" in out or "holds" in out) == (0, True)
    other.write_text(table.read_text().replace("ham", "eggs", 1))
    assert run("verify", proof, other)[0] == 1


def test_a_proof_of_what_is_not_written_down_is_refused(run, table, tmp_path):
    words = ("prune", table, "--target", "y", "--plurality", "--objective", "f1_macro")
    code, _, err = run(*words, "--certificate", tmp_path / "file")
    assert code == 2
    assert "--certificate" in err
    assert not (tmp_path / "file").exists()


def test_other_rows_judge(run, table, tmp_path):
    frame, words = pl.read_csv(table), ("--target", "y", "--plurality", "--json", "--max-size", "3")
    parts = {"train": frame[:25], "later": frame[25:]}
    for name, part in parts.items():
        part.write_csv(tmp_path / f"{name}.csv")
    marked = frame.with_columns(pl.Series("part", ["train"] * 25 + ["later"] * 15))
    marked.write_csv(tmp_path / "marked.csv")
    alone = json.loads(run("prune", tmp_path / "train.csv", *words)[1])
    for objective, score in (("accuracy", accuracy_score), ("f1_macro", macro)):
        asked = (*words, "--objective", objective)
        told = run("prune", tmp_path / "train.csv", *asked, "--test", tmp_path / "later.csv")[1]
        found = json.loads(told)
        split = json.loads(
            run("prune", tmp_path / "marked.csv", *asked, "--split", "part=later")[1]
        )
        assert found["test"] == split["test"]
        assert found["n_rows"] == split["n_rows"] == 25
        saved = tmp_path / "c.json"
        saved.write_text(told)
        _, out, err = run("apply", saved, tmp_path / "later.csv", "--target", "y")
        said = [line.split(",")[2] for line in out.splitlines()[1:]]
        truth = parts["later"]["y"].to_list()
        assert found["test"]["value"] == pytest.approx(score(truth, said))
        assert found["test"]["accuracy"] == pytest.approx(accuracy_score(truth, said))
        balanced = found["test"]["balanced_accuracy"]
        assert balanced == pytest.approx(balanced_accuracy_score(truth, said))
        assert f"balanced accuracy {balanced:.6g}" in err
        counts = confusion_matrix(truth, said, labels=["eggs", "ham", "spam"])
        assert found["test"]["confusion"] == counts.tolist()
        if objective == "accuracy":
            assert found["committee"] == alone["committee"]


def macro(truth, said):
    return f1_score(truth, said, average="macro")


def test_test_rows_are_told_in_words_and_on_the_page(run, table, tmp_path):
    page = tmp_path / "page.html"
    words = ("--target", "y", "--plurality", "--max-size", "2", "--test", table)
    code, out, err = run("prune", table, *words, "--html", page, "--html-time", "0.2")
    assert (code, err) == (0, "")
    line = out.splitlines()[-1]
    assert line.startswith("  test rows    40 rows: accuracy 0.")
    assert ", balanced accuracy 0." in line
    assert line.split(None, 2)[2] in page.read_text("utf-8")


def test_a_class_of_the_test_rows_alone_is_a_class(run, table, tmp_path):
    other = tmp_path / "other.csv"
    text = table.read_text().splitlines()
    other.write_text("\n".join([text[0], "toast,toast,ham,ham,toast,toast"]) + "\n")
    words = ("--target", "y", "--plurality", "--json", "--test", other)
    found = json.loads(run("prune", table, *words)[1])
    assert found["classes"] == ["eggs", "ham", "spam", "toast"]
    assert found["test"]["n_rows"] == 1


def test_test_rows_of_the_papers_layout_are_not_pruned_on(run, table, tmp_path):
    frame = pl.read_csv(table).rename({"y": "real_class"})
    parts = ["validation"] * 30 + ["test"] * 10
    columns = {"datatype": parts, **frame.to_dict(as_series=False)}
    pl.DataFrame(columns).write_csv(tmp_path / "paper.csv")
    found = json.loads(run("prune", tmp_path / "paper.csv", "--plurality", "--json")[1])
    assert (found["n_rows"], found["test"]["n_rows"]) == (30, 10)
    proof = tmp_path / "proof.json"
    assert run("prune", tmp_path / "paper.csv", "--plurality", "--certificate", proof)[0] == 0
    assert run("verify", proof, tmp_path / "paper.csv")[0] == 0


@pytest.mark.parametrize(
    ("header", "more", "told"),
    [
        ("y,m0,m1,m2,m3", ("--test", "other.csv"), "'m4'"),
        ("z,m0,m1,m2,m3,m4", ("--test", "other.csv"), "no column 'y'"),
        ("y,m0,m1,m2,m3,m4", ("--test", "nowhere.csv"), "nowhere.csv"),
        ("y,m0,m1,m2,m3,m4", ("--split", "m0=nothing"), "no row"),
        ("y,m0,m1,m2,m3,m4", ("--split", "m0=ham", "--test", "other.csv"), "--test"),
        ("y,m0,m1,m2,m3,m4", ("--split", "part=1"), "'part'"),
    ],
)
def test_bad_test_rows_are_one_line(run, table, tmp_path, monkeypatch, header, more, told):
    monkeypatch.chdir(tmp_path)
    line = ",".join(["ham"] * len(header.split(",")))
    (tmp_path / "other.csv").write_text(f"{header}\n{line}\n")
    before = sorted(tmp_path.iterdir())
    words = ("--target", "y", "--plurality", "--output", "new.json")
    code, out, err = run("prune", table, *words, *more)
    assert (code, out, err.count("\n"), told in err) == (2, "", 1, True)
    assert sorted(tmp_path.iterdir()) == before


def test_costs_of_a_table_with_a_line_for_each_vote(run, tmp_path):
    lines = ["item,judge,vote,truth,cost"]
    for item, truth in (("a", "x"), ("b", "y"), ("c", "z")):
        lines += [f"{item},good,{truth},{truth},5", f"{item},bad,x,{truth},1"]
    (tmp_path / "long.csv").write_text("\n".join(lines) + "\n")
    words = ("--target", "truth", "--plurality", "--json", "--budget")
    for budget, members in ((5, ["good"]), (4, ["bad"])):
        out = run("prune", tmp_path / "long.csv", *words, budget)[1]
        assert json.loads(out)["committee"]["names"] == members


def test_probabilities_are_no_classes(run, tmp_path):
    """Whoever never names a class that there is has named none."""
    path = tmp_path / "p.csv"
    path.write_text("y,a,b\nham,0.3,0.2\nspam,0.9,0.8\nham,0.3,0.8\n")
    code, out, err = run("prune", path, "--target", "y", "--plurality")
    assert (code, out) == (2, "")
    assert "nobody ever names a class of 'y', which is 'ham' or 'spam'; 'a' says '0.3'." in err
    assert "leave --plurality out" in err
    path.write_text("y,a,b\nham,0.3,0.2\nspam,0.9,spam\nham,0.3,0.8\n")
    assert run("prune", path, "--target", "y", "--plurality")[0] == 0
