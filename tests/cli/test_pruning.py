"""The commands: every option arrives, and a committee decides alike wherever it is applied."""

import csv
import io
import json

import numpy as np
import polars as pl
import pytest

import voteprune as vp


def test_every_option_reaches_the_solver(run, votes, tmp_path):
    costs = tmp_path / "costs.csv"
    names = [*(f"rf_{i}" for i in range(1, 5)), *(f"lr_{i}" for i in range(1, 5))]
    costs.write_text("name,cost\n" + "".join(f"{name},2\n" for name in names))
    code, out, _ = run(
        *("prune", votes, "--k", 6, "--objective", "tp=1,tn=1,fp=-0.5", "--method", "paper"),
        *("--tau", 0.05, "--gamma", 0.1, "--min-size", 2, "--max-size", 5, "--require", "rf_1"),
        *("--require", "lr_2", "--forbid", "rf_2", "--at-least", "recall=0.5"),
        *("--at-most", "fp=20", "--costs", costs, "--budget", 9, "--solver", "scipy"),
        *("--time-limit", 30, "--seed", 5, "--jobs", 1, "--json"),
    )
    solution = vp.Solution.from_json(out)
    assert code == 0
    assert solution.n_classifiers == 6
    assert {"rf_1", "lr_2"} <= set(solution.committee.names)
    assert "rf_2" not in solution.committee.names
    assert 2 <= solution.committee.size <= 4
    assert (solution.method, solution.solver, solution.seed) == ("paper", "scipy", 5)
    assert solution.objective == "weights(tp=1, tn=1, fp=-0.5)"
    assert len(solution.constraints) == 7
    assert solution.diversity is not None


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_apply_reproduces_the_confusion_of_the_solution(run, votes, tmp_path, suffix):
    saved = tmp_path / "committee.json"
    assert run("prune", votes, "--objective", "balanced_accuracy", "--output", saved)[0] == 0
    frame = pl.read_csv(votes)
    # Members are found by name, wherever their columns stand.
    path = tmp_path / f"turned.{suffix}"
    getattr(frame.select(frame.columns[::-1]), f"write_{suffix}")(path)
    code, out, err = run("apply", saved, path)
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    assert list(rows[0]) == ["index", "votes", "prediction"]
    assert [int(row["index"]) for row in rows] == frame["index"].to_list()
    solution = vp.Solution.load(saved)
    assert all(
        (int(row["votes"]) > solution.committee.threshold) == (row["prediction"] == "1")
        for row in rows
    )
    predicted = np.array([row["prediction"] == "1" for row in rows])[:60]
    labels = frame["real_class"].to_numpy()[:60] == 1
    counts = solution.confusion
    assert (predicted & labels).sum() == counts.tp
    assert (~predicted & ~labels).sum() == counts.tn
    assert f"accuracy {(predicted == labels).mean():.6g} on 60 validation rows" in err
    assert "20 test rows" in err


def test_apply_needs_no_labels_and_writes_files(run, votes, tmp_path):
    saved, target = tmp_path / "committee.json", tmp_path / "out.csv"
    run("prune", votes, "--output", saved)
    bare = tmp_path / "bare.csv"
    pl.read_csv(votes).drop("datatype", "real_class", "index").write_csv(bare)
    assert run("apply", saved, bare, "--output", target) == (0, "", "")
    written = target.read_text()
    assert written.splitlines()[1].startswith("0,")
    assert run("apply", saved, bare) == (0, written, "")


def test_an_infeasible_request_is_explained_and_nothing_is_written(run, votes, tmp_path):
    saved = tmp_path / "committee.json"
    words = ("prune", votes, "--at-least", "recall=1", "--at-most", "fp=0", "--output", saved)
    code, out, err = run(*words)
    assert code == 2
    assert "no committee meets" in out
    assert "was not written" in err
    assert not saved.exists()
    code, out, err = run(*words, "--json")
    assert code == 2
    assert vp.Solution.from_json(out).status == "infeasible"
    assert "no committee meets" in err


def test_an_answer_without_proof_is_code_0_and_3_for_the_strict(run, hard, tmp_path):
    saved = tmp_path / "committee.json"
    words = ("prune", hard, "--time-limit", 0, "--json", "--output", saved)
    assert run(*words)[0] == 0
    code, out, err = run(*words, "--strict")
    assert (code, err) == (3, "")
    assert vp.Solution.from_json(out) == vp.Solution.load(saved)
    assert "test" not in json.loads(out)


@pytest.mark.parametrize("objective", ["accuracy", "log_loss"])
def test_a_promise_that_cannot_be_made_is_code_3_for_the_strict(run, votes, objective):
    words = ("prune", votes, "--objective", objective, "--max-size", 2)
    assert run(*words, "--promise", "accuracy=0.01", "--strict")[0] == 0
    assert run(*words, "--promise", "accuracy=0.999")[0] == 0
    assert run(*words, "--promise", "accuracy=0.999", "--strict")[0] == 3


def test_explain_tells_about_every_member_in_text_and_json(run, votes):
    code, out, _ = run("prune", votes, "--explain", "--json")
    assert code == 0
    names = vp.Solution.from_json(out).committee.names
    told = json.loads(out)["explain"]
    assert tuple(role["name"] for role in told["members"]) == names
    code, out, _ = run("prune", votes, "--explain", "--explain-time", 0)
    assert code == 0
    assert "Explanation: accuracy" in out
    code, _, err = run("prune", votes, "--explain", "--explain-time", -1)
    assert code == 2
    assert "--explain-time" in err


@pytest.mark.parametrize("objective", ["f1", "mcc", "ramp:1"])
def test_any_objective_is_explained(run, votes, objective):
    wanted = ("--explain", "--objective", objective, "--explain-time", 1)
    code, out, _ = run("prune", votes, "--k", 6, *wanted)
    assert code == 0
    assert "Explanation: " in out
