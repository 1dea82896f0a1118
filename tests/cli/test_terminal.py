"""What files and options hold is shown on a terminal, never sent to it, by every command."""

import csv
import io
import os
import subprocess
import sys

import numpy as np
import pytest

import voteprune as vp
from experiment_plans import write_plan
from experiment_records import failure, record
from oddnames import CLEAR, CONTROLS, harmless, odd_names
from voteprune.cli.output import aligned, emit
from voteprune.exceptions import LONGEST, OutputError, shown
from voteprune.files.outfile import write_text
from voteprune_bench.cli.bench import _Teller
from voteprune_bench.experiment.bench import Event, Work

SIGNS = [sign for sign in CONTROLS if sign != "\0"]


def write_odd(path, seed, k=5, rows=24, sure=1):
    """Write votes whose label, index and classifiers have odd names; return those."""
    rng = np.random.default_rng(seed)
    label, *names = odd_names(k + 1, seed, SIGNS)
    y = np.arange(rows) % 2
    votes = ((rng.random((rows, k)) < 0.3).astype(int) ^ y[:, None]) * sure
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([label, "index", *names])
        writer.writerows([y[i], f"{CLEAR}{i}", *votes[i]] for i in range(rows))
    return label, names


def told(run, *words):
    """Run a command; whatever it tells must be harmless."""
    code, out, err = run(*words)
    assert harmless(out), out
    assert harmless(err), err
    assert all(line.startswith("voteprune: ") for line in err.splitlines())
    return code, out, err


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_no_command_sends_what_a_file_holds(run, tmp_path, seed):
    path, saved = tmp_path / f"votes{CLEAR.replace('/', '')}{seed}.csv", tmp_path / "saved.json"
    label, names = write_odd(path, seed)
    ask = (path, "--target", label)
    code, out, _ = told(run, "prune", *ask, "--require", names[0], "--explain", "--output", saved)
    assert code == 0
    assert shown(names[0]) in out
    code, out, _ = told(run, "prune", *ask, "--require", names[0], "--explain", "--json")
    assert names[0] in vp.Solution.from_json(out).committee.names
    assert told(run, "compare", *ask, "--methods", "full,best")[0] == 0
    # A clash that is named after its members.
    clash = ("--require", names[0], "--require", names[1], "--max-size", 1)
    code, out, _ = told(run, "prune", *ask, *clash)
    assert (code, shown(names[1]) in out) == (2, True)
    assert told(run, "prune", *ask, *clash, "--json")[0] == 2
    # Errors that quote a file, a column, an option.
    for words in (
        ("prune", path),
        ("prune", path, "--target", names[0] + CLEAR),
        ("prune", *ask, "--require", CLEAR),
        ("prune", *ask, "--objective", CLEAR),
        ("prune", *ask, "--objective", f"tp={CLEAR}"),
        ("prune", *ask, f"--{CLEAR}", 1),
        ("prune", *ask, "--output", tmp_path / CLEAR.replace("/", "") / "no" / "where"),
        ("prune", f"{path}{CLEAR}"),
        ("apply", path, path),
        (CLEAR,),
        ("compare", *ask, "--methods", CLEAR),
        ("bench", "run", f"{path}{CLEAR}", tmp_path / "run"),
        ("data", "check", CLEAR),
        ("report", f"{path}{CLEAR}"),
    ):
        code, out, err = told(run, *words)
        assert (code, out, err.count("\n")) == (2, "", 1), words
    lines = path.read_text().split("\n")
    path.write_text("\n".join([*lines[:-3], lines[-3].replace("0", CLEAR.replace("\n", "")), ""]))
    assert told(run, "prune", *ask)[0] == 2


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["votes", "plurality", "soft"])
def test_no_front_page_or_certificate_sends_what_a_file_holds(run, tmp_path, kind):
    path, proof, page = tmp_path / "votes.csv", tmp_path / "proof.json", tmp_path / "page.html"
    label, _ = write_odd(path, 7, sure=0.8 if kind == "soft" else 1)
    how = {"votes": (), "plurality": ("--plurality",), "soft": ("--objective", "log_loss")}[kind]
    ask = (path, "--target", label, "--ignore", "index", *how)
    assert told(run, "front", *ask)[0] == 0
    assert told(run, "prune", *ask, "--explain", "--certificate", proof, "--html", page)[0] == 0
    text = page.read_text()
    assert not any(sign in text for sign in SIGNS if sign not in "\n\t")
    assert told(run, "verify", proof, path)[0] == 0
    if kind != "soft":
        assert told(run, "compare", *ask, "--methods", "full,search")[0] == 0


def test_predictions_are_exact_for_programs_and_shown_on_a_terminal(run, tmp_path, monkeypatch):
    path, saved = tmp_path / "votes.csv", tmp_path / "saved.json"
    label, _ = write_odd(path, 1)
    assert run("prune", path, "--target", label, "--output", saved)[0] == 0
    code, out, _ = run("apply", saved, path)
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(out, newline="")))
    assert [row["index"] for row in rows] == [f"{CLEAR}{i}" for i in range(24)]
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    code, out, _ = told(run, "apply", saved, path)
    assert code == 0
    assert "\\x1b[2J" in out


def test_labels_of_a_run_are_shown(run, tmp_path):
    method, other = odd_names(2, 3)
    (tmp_path / "results.jsonl").write_text(
        "".join(record(method=name).to_json() + "\n" for name in (method, other, "F1"))
    )
    (tmp_path / "failures.jsonl").write_text(failure(method=method, reason=CLEAR).to_json() + "\n")
    for form in ("text", "markdown", "latex", "json"):
        code, out, _ = told(run, "report", tmp_path, "--format", form)
        assert (code, "\\x1b" in out or "x1b" in out or "u001b" in out) == (0, True)


def test_failures_of_a_run_are_shown(run, tmp_path):
    folder = write_plan(tmp_path / "plan").parent
    (folder / "failures.jsonl").write_text(failure(method=CLEAR, reason=CLEAR).to_json() + "\n")
    code, out, _ = told(run, "bench", "status", folder)
    assert code == 3
    assert shown(f"{CLEAR}: {CLEAR}") in out
    assert harmless(aligned([["name", CLEAR], [CLEAR, "1"]]))


def test_the_progress_of_a_run_is_shown(capsys):
    class Bar:
        def update(self, task, *, advance, description, left):
            self.description = description

    bar = Bar()
    tell = _Teller(Work((), (), {}, 0), (bar, None))
    assert tell(Event(failure(method=CLEAR, dataset=CLEAR, reason=CLEAR), 1.0))
    assert bar.description == shown(f"{CLEAR} {CLEAR}")
    assert harmless(capsys.readouterr().err)


@pytest.mark.parametrize("length", [70_000, 130_000])
def test_a_message_is_short_however_long_a_name_is(run, tmp_path, length):
    path, name = tmp_path / "votes.csv", "x" * length
    path.write_text(f"y,{name},b\n1,1,0\n0,maybe,1\n")
    for words in (
        ("prune", path, "--target", "y"),
        ("prune", path, "--target", name),
        ("prune", path, "--target", "y", "--plurality", "--require", name + "y"),
        ("prune", path, "--target", "y", "--objective", name),
        ("prune", path, f"--{name}", "1"),
    ):
        code, out, err = told(run, *words)
        assert (code, out) == (2, "")
        assert len(err) <= LONGEST + len("voteprune: \n")
        assert "characters, cut" in err


def test_names_that_are_no_utf8_are_the_same_bytes_on_stdout_and_in_files(run, tmp_path):
    name = os.fsdecode(b"mod\xe8le")
    (tmp_path / f"{name}.csv").write_text("id,pred\n1,1\n2,0\n")
    (tmp_path / "labels.csv").write_text("id,y\n1,1\n2,0\n")
    words = ["votes", tmp_path, "--labels", tmp_path / "labels.csv", "--id", "id"]
    code, _, err = run(*words, "--output", tmp_path / "votes.txt")
    assert (code, err) == (0, "")
    written = (tmp_path / "votes.txt").read_bytes()
    assert written.startswith(b"index,label,mod\xe8le\n")
    program = [sys.executable, "-m", "voteprune.cli", *map(str, words)]
    assert subprocess.run(program, capture_output=True, check=True).stdout == written


def test_what_no_file_of_text_can_hold_is_said_to_be_unwritten(tmp_path, monkeypatch):
    stdout = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="surrogateescape")
    monkeypatch.setattr(sys, "stdout", stdout)
    with pytest.raises(OutputError, match="stdout: cannot be written"):
        emit("\ud800")
    with pytest.raises(OutputError, match="file: cannot be written"):
        write_text(tmp_path / "file", "\ud800")
    assert list(tmp_path.iterdir()) == []
