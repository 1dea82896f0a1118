"""A full disk or a read-only folder costs the file, never the answer, and has an exit code."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import voteprune as vp
from fulldisk import full_disk, no_space
from voteprune.cli import comparing, fronts, pruning
from voteprune.exceptions import OutputError
from voteprune.files import outfile

UNWRITTEN = 4


@pytest.fixture(params=[True, False])
def full(request, tmp_path, monkeypatch):
    with full_disk(tmp_path / "full", monkeypatch, request.param) as folder:
        yield folder


def test_a_full_disk_costs_the_files_alone(run, votes, full):
    files = [full / "committee.json", full / "certificate.json"]
    code, out, err = run("prune", votes, "--output", files[0], "--certificate", files[1], "--json")
    assert code == UNWRITTEN
    assert vp.Solution.from_json(out).status == "optimal"
    assert err.splitlines() == [
        f"voteprune: {file}: cannot be written: {os.strerror(28)}." for file in files
    ]
    assert not any(file.exists() for file in files)


@pytest.mark.slow
def test_a_checkpoint_on_a_full_disk_costs_the_checkpoint_alone(run, hard, full, tmp_path):
    file, saved = full / "proof.npz", tmp_path / "committee.json"
    words = ("prune", hard, "--time-limit", 1, "--checkpoint", file, "--output", saved)
    code, out, err = run(*words)
    assert code == UNWRITTEN
    assert err == f"voteprune: {file}: cannot be written: {os.strerror(28)}.\n"
    assert f"incident     {file}: cannot be written" in out
    assert "committee    " in out
    assert vp.Solution.load(saved).committee is not None
    assert not file.exists()


@pytest.mark.slow
def test_a_stdout_that_is_full_does_not_keep_the_files_from_being_written(votes, tmp_path):
    saved, full = tmp_path / "committee.json", Path("/dev/full")
    if not full.exists():
        pytest.skip("needs /dev/full")
    words = [sys.executable, "-m", "voteprune.cli", "prune", votes, "--output", saved]
    with full.open("w") as stdout:
        done = subprocess.run(words, stdout=stdout, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == UNWRITTEN
    assert done.stderr == f"voteprune: stdout: cannot be written: {os.strerror(28)}.\n"
    assert vp.Solution.load(saved).status == "optimal"


def test_a_folder_that_goes_away_during_the_run_costs_the_files_alone(
    run, votes, tmp_path, monkeypatch
):
    folder = tmp_path / "folder"
    folder.mkdir()

    def prune(*arguments, **wishes):
        found = vp.prune(*arguments, **wishes)
        folder.rmdir()
        return found

    monkeypatch.setattr(pruning, "prune", prune)
    code, out, err = run("prune", votes, "--output", folder / "committee.json")
    assert code == UNWRITTEN
    assert out.startswith("Optimal")
    assert err.startswith(f"voteprune: {folder / 'committee.json'}: cannot be written: ")


LABELS = "y,a,b,c\n" + "u,u,v,u\nv,v,v,u\nw,w,u,w\n" * 4


@pytest.mark.parametrize("extra", [[], ["--plurality", "--target", "y"]])
def test_every_command_that_writes_a_file_says_so(run, votes, tmp_path, monkeypatch, extra):
    saved = tmp_path / "committee.json"
    if extra:
        votes.write_text(LABELS)
    assert run("prune", votes, *extra, "--output", saved)[0] == 0
    before = saved.read_bytes()
    monkeypatch.setattr(outfile.os, "fsync", no_space)
    requests = [
        ["prune", votes, *extra, "--output", saved],
        ["apply", saved, votes, "--output", tmp_path / "out.csv"],
        ["compare", votes, "--methods", "full", "--plot", tmp_path / "p.svg"],
    ]
    for words in requests[:2] if extra else requests:
        code, out, err = run(*words)
        assert code == UNWRITTEN
        assert f"{words[-1]}: cannot be written: {os.strerror(28)}." in err
        assert bool(out) == (words[0] != "apply")
    # What was there before is still there, and nothing half-written beside it.
    assert saved.read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {votes.name, saved.name}


@pytest.mark.parametrize("extra", [[], ["--plurality", "--target", "y"]])
def test_ctrl_c_during_an_explanation_costs_the_explanation_alone(
    run, votes, tmp_path, monkeypatch, extra
):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    if extra:
        votes.write_text(LABELS)
    for kind in (vp.Solution, vp.PluralitySolution):
        monkeypatch.setattr(kind, "explain", interrupt)
    saved = tmp_path / "committee.json"
    code, out, err = run("prune", votes, *extra, "--explain", "--output", saved)
    assert code == 130
    assert out.startswith("Optimal")
    assert err == "voteprune: interrupted; the answer is told without its explanation.\n"
    assert saved.exists()


@pytest.mark.parametrize("option", ["--output", "--certificate", "--checkpoint"])
def test_a_read_only_folder_is_refused_before_the_work(run, votes, tmp_path, monkeypatch, option):
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    if os.access(folder, os.W_OK):  # root may write anywhere but there
        folder = Path("/proc/self")
    monkeypatch.setattr(sys.modules["voteprune.prune"], "carry_out", None)  # no solving
    code, out, err = run("prune", votes, option, folder / "file.json")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert str(folder) in err


def test_a_checkpoint_that_is_no_file_is_refused(run, votes, tmp_path):
    """Looking for an earlier proof in a pipe or a device may never end."""
    os.mkfifo(tmp_path / "pipe")
    code, out, err = run("prune", votes, "--checkpoint", tmp_path / "pipe")
    assert (code, out) == (2, "")
    assert str(tmp_path / "pipe") in err


def test_the_library_returns_the_answer_where_a_certificate_cannot_be_saved(full):
    file = full / "certificate.json"
    votes = [[1, 0, 1], [0, 0, 1], [1, 1, 0], [0, 1, 0]] * 3
    solution = vp.prune(votes, [1, 0, 1, 0] * 3, certificate=file)
    assert solution.status == "optimal"
    assert solution.certificate is not None
    assert solution.incidents[-1] == f"{file}: cannot be written: {os.strerror(28)}."
    assert solution.unwritten == solution.incidents[-1:]
    assert solution == vp.Solution.from_json(solution.to_json())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("prune v.csv --test t.csv --output t.csv", "--output: t.csv is an input."),
        ("prune v.csv --test t.csv --certificate t.csv", "--certificate: t.csv is an input."),
        ("prune v.csv --costs c.csv --budget 9 --output c.csv", "--output: c.csv is an input."),
        ("prune oof --labels l.csv --id id --output l.csv", "--output: l.csv is an input."),
        ("prune oof --labels l.csv --id id --output oof/a.csv", "--output: oof/a.csv is an input."),
        ("prune oof --labels l.csv --id id --checkpoint l.csv", "--checkpoint: l.csv is an input."),
        ("prune v.csv --output a.json --checkpoint ./a.json", "--checkpoint: a.json is --output"),
        ("prune v.csv --output a.json --certificate a.json", "--certificate: a.json is --output"),
        ("front v.csv --by c.csv --output c.csv", "--output: c.csv is an input."),
        ("front v.csv --output f.svg --plot f.svg", "--plot: f.svg is --output"),
        ("front v.csv --costs c.svg --budget 9 --plot c.svg", "--plot: c.svg is an input."),
        ("compare v.csv --test t.svg --plot t.svg", "--plot: t.svg is an input."),
        ("apply a.csv v.csv --labels l.csv --output l.csv", "--output: l.csv is an input."),
        ("votes oof --labels l.csv --id id --output oof/b.csv", "--output: oof/b.csv is an input."),
    ],
)
def test_nothing_is_written_over_what_is_read_or_written_too(
    run, votes, tmp_path, monkeypatch, words, message
):
    monkeypatch.chdir(tmp_path)
    votes.rename("v.csv")
    for name in ("t.csv", "t.svg", "a.csv"):
        Path(name).write_bytes(Path("v.csv").read_bytes())
    for name in ("c.csv", "c.svg"):
        Path(name).write_text("".join(f"{kind}_{i},1\n" for kind in ("rf", "lr") for i in range(5)))
    Path("oof").mkdir()
    for name in ("oof/a.csv", "oof/b.csv", "l.csv"):
        Path(name).write_text("id,y\n1,1\n2,0\n3,1\n4,0\n")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.*")}
    code, out, err = run(*words.split())
    assert (code, out) == (2, "")
    assert message in err
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.*")} == before


def test_what_else_is_in_a_folder_of_votes_may_be_written_again(run, tmp_path):
    (tmp_path / "labels.csv").write_text("id,y\n1,1\n2,0\n3,1\n4,0\n")
    (tmp_path / "a.csv").write_text("id,a\n1,1\n2,0\n3,1\n4,0\n")
    labels, saved = tmp_path / "labels.csv", tmp_path / "committee.json"
    for _ in range(2):
        words = ("prune", tmp_path, "--labels", labels, "--id", "id", "--output", saved)
        assert run(*words)[0] == 0
    assert vp.Solution.load(saved).committee.names == ("a",)


@pytest.mark.parametrize(
    ("module", "words"),
    [(comparing, ("compare", "--methods", "full")), (fronts, ("front", "--max-size", 1))],
)
def test_stdout_that_fails_takes_no_picture_with_it(
    run, votes, tmp_path, monkeypatch, module, words
):
    def fail(text):
        raise OutputError("stdout", os.strerror(28))

    monkeypatch.setattr(module, "emit", fail)
    plot = tmp_path / "plot.svg"
    code, out, err = run(*words, "--plot", plot, votes)
    assert (code, out) == (UNWRITTEN, "")
    assert err == f"voteprune: stdout: cannot be written: {os.strerror(28)}.\n"
    assert plot.exists()
