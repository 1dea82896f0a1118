"""The command line: data on stdout, the rest on stderr, and an exit code that can be trusted."""

import csv
import io
import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import voteprune as vp
from voteprune import cli
from voteprune.tables import read_table

COMMAND = [sys.executable, "-m", "voteprune.cli"]


def write_votes(path, n=60, k=8, *, n_test=20, skill=0.75, seed=0):
    """Write a file in the paper's layout: two models, independent errors."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n + n_test) % 2
    right = rng.random((n + n_test, k)) < skill
    votes = np.where(right, labels[:, None], 1 - labels[:, None])
    names = [f"{'rf' if i < k // 2 else 'lr'}_{i % (k // 2) + 1}" for i in range(k)]
    pl.DataFrame(
        {
            "datatype": ["validation"] * n + ["test"] * n_test,
            "real_class": labels,
            "index": 100 + np.arange(n + n_test),
            **{name: votes[:, i] for i, name in enumerate(names)},
        }
    ).write_csv(path)
    return path


@pytest.fixture
def votes(tmp_path):
    return write_votes(tmp_path / "votes.csv")


@pytest.fixture
def hard(tmp_path):
    """Votes that no solver proves within a test's time."""
    return write_votes(tmp_path / "hard.csv", 400, 60, n_test=0, skill=0.5)


@pytest.fixture
def run(capsys):
    """Run the command line in this process; return exit code, stdout and stderr."""

    def call(*words):
        code = cli.main([str(word) for word in words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture
def no_solving(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("solving was started")

    monkeypatch.setattr(cli, "prune", refuse)


def test_prune_prints_the_summary_and_the_test_rows(run, votes):
    code, out, err = run("prune", votes)
    assert code == 0
    assert err == ""
    assert out.startswith("Optimal: no committee is better.")
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
    assert solution.objective == "weights(tp=1, tn=1, fp=-1/2)"
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


def test_solvers_tells_what_is_installed(run):
    found = json.loads(run("solvers", "--json")[1])
    assert [row["name"] for row in found] == [info.name for info in vp.solvers()]
    code, out, err = run("solvers")
    assert (code, err) == (0, "")
    for row in found:
        line = next(line for line in out.splitlines() if line.startswith(row["name"] + " "))
        assert (row["version"] or "not installed") in line
        assert row["licence"] in line


def test_version_and_help(run):
    assert run("--version")[1].strip() == vp.__version__
    for words in ([], ["prune"], ["apply"], ["solvers"]):
        code, out, err = run(*words, "--help")
        assert (code, err) == (0, "")
        assert "Example" in out
        assert "Usage: voteprune" in out


WRONG = {
    "no file": ["prune"],
    "unknown command": ["prone"],
    "unknown option": ["prune", "FILE", "--kk", "3"],
    "word for a number": ["prune", "FILE", "--k", "many"],
    "two files": ["prune", "FILE", "FILE"],
    "objective": ["prune", "FILE", "--objective", "fun"],
    "weights": ["prune", "FILE", "--objective", "tp=1,xx=2"],
    "weights twice": ["prune", "FILE", "--objective", "tp=1,tp=2"],
    "infinite weight": ["prune", "FILE", "--objective", "tp=inf"],
    "limit without number": ["prune", "FILE", "--at-least", "recall"],
    "limit on nothing": ["prune", "FILE", "--at-least", "fun=1"],
    "infinite limit": ["prune", "FILE", "--at-most", "fp=inf"],
    "size": ["prune", "FILE", "--min-size", "0"],
    "sizes that cross": ["prune", "FILE", "--min-size", "3", "--max-size", "2"],
    "configuration": ["prune", "FILE", "--diversity", "F9"],
    "both diversities": ["prune", "FILE", "--diversity", "F2", "--tau", "0.1"],
    "tau": ["prune", "FILE", "--tau", "1.5"],
    "gamma below tau": ["prune", "FILE", "--tau", "0.5", "--gamma", "0.2"],
    "time limit": ["prune", "FILE", "--time-limit", "-1"],
    "time limit nan": ["prune", "FILE", "--time-limit", "nan"],
    "seed": ["prune", "FILE", "--seed", "-1"],
    "jobs": ["prune", "FILE", "--jobs", "0"],
    "solver": ["prune", "FILE", "--solver", "oracle"],
    "method": ["prune", "FILE", "--method", "magic"],
    "stranger": ["prune", "FILE", "--require", "nobody"],
    "k": ["prune", "FILE", "--k", "3"],
    "target": ["prune", "FILE", "--target", "nothing"],
    "budget alone": ["prune", "FILE", "--budget", "3"],
    "missing file": ["prune", "nowhere.csv"],
    "missing committee": ["apply", "nowhere.json", "FILE"],
    "committee that is none": ["apply", "FILE", "FILE"],
    "output in no directory": ["prune", "FILE", "--output", "nowhere/committee.json"],
    "output is a directory": ["prune", "FILE", "--output", "."],
    "output is the input": ["prune", "FILE", "--output", "FILE"],
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_request_is_one_message_and_code_2(run, votes, tmp_path, monkeypatch, case):
    monkeypatch.chdir(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    words = [votes if word == "FILE" else word for word in WRONG[case]]
    extra = [] if "--output" in words or words[0] != "prune" else ["--output", "new.json"]
    began = time.perf_counter()
    code, out, err = run(*words, *extra)
    assert time.perf_counter() - began < 1
    assert (code, out) == (2, "")
    assert err.startswith("voteprune: ")
    assert err.count("\n") == 1
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_malformed_file_is_named_with_its_line(run, votes, tmp_path, no_solving):
    content = votes.read_text().splitlines()
    content[7] += ",1"
    votes.write_text("\n".join(content))
    code, out, err = run("prune", votes, "--output", tmp_path / "new.json")
    assert (code, out) == (2, "")
    assert f"{votes}, line 8: " in err
    assert not (tmp_path / "new.json").exists()


def test_an_output_that_cannot_be_written_is_refused_before_solving(
    run, votes, tmp_path, no_solving
):
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    places = [tmp_path / "nowhere" / "c.json"]
    if os.geteuid() != 0:  # root may write anywhere
        places.append(locked / "c.json")
    if sys.platform == "linux":
        places.append("/proc/c.json")
    for place in places:
        code, out, err = run("prune", votes, "--output", place)
        assert (code, out) == (2, "")
        assert err.startswith("voteprune: --output: cannot write to the directory")


def test_every_classifier_needs_a_cost(run, votes, tmp_path, no_solving):
    costs = tmp_path / "costs.csv"
    costs.write_text("rf_1,1\n")
    code, _, err = run("prune", votes, "--costs", costs, "--budget", 3)
    assert code == 2
    assert "no cost for 'rf_2'" in err


def test_an_infeasible_request_is_explained_and_nothing_is_written(run, votes, tmp_path):
    saved = tmp_path / "committee.json"
    words = ("prune", votes, "--at-least", "recall=1", "--at-most", "fp=0", "--output", saved)
    code, out, err = run(*words)
    assert code == 2
    assert "no committee has" in out
    assert "was not written" in err
    assert not saved.exists()
    code, out, err = run(*words, "--json")
    assert code == 2
    assert vp.Solution.from_json(out).status == "infeasible"
    assert "no committee has" in err


def test_a_limit_without_proof_is_code_3_and_still_an_answer(run, hard, tmp_path):
    saved = tmp_path / "committee.json"
    code, out, err = run("prune", hard, "--time-limit", 0, "--json", "--output", saved)
    assert (code, err) == (3, "")
    assert vp.Solution.from_json(out) == vp.Solution.load(saved)
    assert "test" not in json.loads(out)


def test_missing_cyclopts_tells_the_cure(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "cyclopts", None)
    code, out, err = run("solvers")
    assert (code, out) == (2, "")
    assert "pip install 'voteprune[cli]'" in err


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


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_message():
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, "solvers"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr.startswith("voteprune: stdout: cannot be written")
    assert done.stderr.count("\n") == 1


def start(*words, stderr):
    # A handler here becomes the default in the child, even where the tests run with SIGINT ignored.
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(
            [*COMMAND, *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=stderr,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
        )
    finally:
        signal.signal(signal.SIGINT, previous)


def read_until(descriptor, word, seconds=30.0):
    """Return what a terminal shows until a word appears."""
    shown, deadline = b"", time.monotonic() + seconds
    while word not in shown:
        ready, _, _ = select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))
        assert ready, f"{word!r} did not appear in {shown!r}"
        shown += os.read(descriptor, 4096)
    return shown.decode()


def test_ctrl_c_on_a_terminal_prints_and_saves_the_incumbent(hard, tmp_path):
    saved = tmp_path / "committee.json"
    ours, theirs = pty.openpty()
    words = ("prune", hard, "--time-limit", 600, "--json", "--output", saved)
    process = start(*words, stderr=theirs)
    os.close(theirs)
    # The live line is there, and by then there is an incumbent.
    shown = read_until(ours, b"gap")
    assert "incumbent" in shown
    assert "bound" in shown
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    os.close(ours)
    assert process.returncode == 130
    solution = vp.Solution.from_json(out.decode())
    assert solution.termination == "interrupted"
    assert solution.status == "feasible"
    assert vp.Solution.load(saved) == solution


def test_a_pipe_gets_no_live_line(hard):
    process = start("prune", hard, "--time-limit", 1, "--json", stderr=subprocess.PIPE)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (3, b"")
    assert vp.Solution.from_json(out.decode()).status == "feasible"
