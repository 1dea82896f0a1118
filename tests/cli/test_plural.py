"""``voteprune prune --plurality``: files of class labels, from votes to predictions."""

import json

import numpy as np
import polars as pl
import pytest


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
