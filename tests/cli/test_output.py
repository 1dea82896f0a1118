"""Output: data on stdout, the rest on stderr, and a stdout that fails is told apart."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import voteprune as vp
from voteprune.cli.output import hand_out
from voteprune.tables import read_table

COMMAND = [sys.executable, "-m", "voteprune.cli"]


def test_prune_prints_the_summary_and_the_test_rows(run, votes):
    code, out, err = run("prune", votes)
    assert code == 0
    assert err == ""
    assert out.startswith("Optimal: no committee is better, and no smaller one is as good.")
    assert "20 rows: accuracy" in out


def test_json_is_a_solution_with_the_test_rows_beside_it(run, votes):
    code, out, err = run("prune", votes, "--objective", "recall", "--at-most", "fp=5", "--json")
    assert (code, err) == (0, "")
    solution = vp.Solution.from_json(out)
    table = read_table(votes)
    assert solution.status == "optimal"
    assert solution.constraints == ("fp <= 5",)
    predicted = solution.committee.predict(table.test.votes) == 1
    labels = table.test.labels
    scores = json.loads(out)["test"]
    assert scores["n_rows"] == 20
    assert scores["accuracy"] == (predicted == labels).mean()
    assert scores["value"] == predicted[labels].mean()
    assert scores["balanced_accuracy"] == pytest.approx(
        (predicted[labels].mean() + (~predicted)[~labels].mean()) / 2
    )
    assert sum(scores["confusion"].values()) == 20


def test_test_rows_of_one_class_leave_shares_of_the_other_undefined(run, votes):
    frame = pl.read_csv(votes)
    frame.filter((pl.col("datatype") != "test") | (pl.col("real_class") == 0)).write_csv(votes)
    words = ("prune", votes, "--objective", "recall", "--at-most", "fp=9")
    scores = json.loads(run(*words, "--json")[1])["test"]
    assert scores["accuracy"] is not None
    assert scores["balanced_accuracy"] is None
    assert scores["value"] is None
    assert "recall undefined (one class only)" in run(*words)[1]


@pytest.mark.parametrize("kind", [vp.Votes, vp.PluralityVotes, vp.Probabilities])
def test_what_could_not_be_written_has_an_exit_code_for_every_kind(kind, capsys):
    solution = vp.prune(kind([[1, 0], [0, 1], [1, 1]], [1, 0, 1]))
    told = "proof.npz: cannot be written."
    code = hand_out(replace(solution, unwritten=(told,)), solution.summary(), None)
    assert (code, capsys.readouterr().err) == (4, f"voteprune: {told}\n")


@pytest.mark.slow
def test_a_reader_that_leaves_is_no_error(votes, tmp_path):
    saved = tmp_path / "committee.json"
    vp.prune(read_table(votes).validation, time_limit=5).save(saved)
    process = subprocess.Popen(
        [*COMMAND, "apply", saved, votes], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.close()
    errors = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait() == 0
    assert all(line.startswith("voteprune: accuracy") for line in errors.splitlines())


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_message():
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, "solvers"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 4
    assert done.stderr.startswith("voteprune: stdout: cannot be written")
    assert done.stderr.count("\n") == 1
