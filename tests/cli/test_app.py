"""The app: help, and one message with code 2 for every request that is wrong."""

import re
import sys

import pytest

import voteprune as vp
from voteprune.cli.app import make_app


def test_version_and_help(run):
    assert run("--version")[1].strip() == vp.__version__
    for words in ([], ["prune"], ["apply"], ["compare"], ["methods"], ["solvers"]):
        code, out, err = run(*words, "--help")
        assert (code, err) == (0, "")
        assert "Example" in out
        assert "Usage: voteprune" in out


def test_the_list_of_commands_says_what_each_says_of_itself():
    """Commands that are not asked for are known by a sentence, which is written down twice."""
    listed, whole = make_app([]), make_app()
    paths = [(name,) for name in ("apply", "compare", "methods", "prune", "report", "solvers")]
    paths += [("verify",), ("votes",), ("bench", "run"), ("bench", "status")]
    paths += [("data", name) for name in ("check", "download", "import", "list")]
    for path in paths:
        short, full = listed, whole
        for name in path:
            short, full = short[name], full[name]
        assert short.help == full.help.splitlines()[0], path


@pytest.mark.parametrize("command", ["prune", "front", "compare", "apply", "votes"])
def test_the_help_has_a_panel_for_each_purpose(run, command):
    """Fifty options in one list are not found again."""
    shown = run(command, "--help")[1]
    panels = re.findall("^[^A-Za-z]*─ ([A-Z][a-z ]*) ─", shown, flags=re.M)
    assert panels[:2] == ["Arguments", "Reading files"]
    assert panels[-1] == "What to tell and to write"
    assert "Parameters" not in panels
    assert "ARGS" not in shown
    if command in ("prune", "front"):
        assert "--max-size" in shown.partition("Limits on the committee")[2].partition("╰")[0]


def test_the_list_of_commands_begins_with_what_most_people_need(run):
    shown = run("--help")[1]
    names = re.findall("^[^A-Za-z]* ([a-z]+)  ", shown, flags=re.M)
    assert names[:4] == ["prune", "front", "compare", "apply"]


def test_the_help_lists_every_method(run):
    shown = run("prune", "--help")[1]
    described = shown.partition("--method")[2].partition("--threshold")[0]
    named = {word.strip(",;") for word in described.split()}
    assert [method.name for method in vp.methods() if method.name not in named] == []


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
    "measure": ["prune", "FILE", "--tau", "0.5", "--measure", "entropy"],
    "measure alone": ["prune", "FILE", "--measure", "kappa"],
    "measure beside a configuration": ["prune", "FILE", "--diversity", "F2", "--measure", "q"],
    "tau of kappa": ["prune", "FILE", "--tau", "-1.5", "--measure", "kappa"],
    "gamma above a ceiling": ["prune", "FILE", "--tau", "0", "--gamma", "1", "--measure", "q"],
    "compare nothing": ["compare"],
    "unknown method": ["compare", "FILE", "--methods", "exact,magic"],
    "no method": ["compare", "FILE", "--methods", ","],
    "a method that cannot": ["compare", "FILE", "--methods", "exact,full", "--max-size", "3"],
    "threshold": ["compare", "FILE", "--threshold", "half"],
    "csv and json": ["compare", "FILE", "--csv", "--json"],
    "picture of no kind": ["compare", "FILE", "--plot", "picture.txt"],
    "picture in no directory": ["compare", "FILE", "--plot", "nowhere/picture.png"],
    "time limit of a comparison": ["compare", "FILE", "--time-limit", "-1"],
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
    code, out, err = run(*words, *extra)
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


def test_missing_cyclopts_tells_the_cure(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "cyclopts", None)
    code, out, err = run("solvers")
    assert (code, out) == (2, "")
    assert "pip install 'voteprune[cli]'" in err
