"""``voteprune prune --html``: the page is written last, and takes nothing else with it."""

import sys

import pytest

from fulldisk import no_space
from voteprune.files import outfile
from voteprune.solve.base_solution import BaseSolution

QUICK = ("--html-time", "0.5", "--max-size", "2")


@pytest.mark.parametrize("more", [(), ("--plurality", "--target", "real_class")])
def test_the_page_knows_its_command(run, votes, tmp_path, more):
    if more:
        votes.write_text("a,b,real_class\nx,y,x\ny,y,y\nx,x,x\nx,y,y\n")
    page = tmp_path / "page.html"
    code, out, err = run("prune", votes, "--html", page, *QUICK, *more)
    assert (code, err) == (0, "")
    assert out.startswith(("Optimal", "Feasible"))
    text = page.read_text("utf-8")
    assert f"voteprune prune {votes} --html {page}" in text
    assert ("test rows" in text) == (not more)


def test_a_soft_answer_has_a_page_too(run, votes, tmp_path):
    page, options = tmp_path / "page.html", ("--objective", "log_loss")
    votes.write_text("a,b,y\n0.9,0.2,1\n0.3,0.4,0\n0.6,0.7,1\n0.1,0.6,0\n")
    code, _, err = run("prune", votes, "--html", page, *options, *QUICK, "--target", "y")
    assert (code, err) == (0, "")
    assert "How far its probabilities can be believed" in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--html", "VOTES"], "--html: "),
        (["--html", "c.json", "--output", "c.json"], "--html: c.json is --output too"),
        (["--html", "nowhere/page.html"], "--html: cannot write to"),
        (["--html", "."], "is not a regular file"),
        (["--html", "page.html", "--html-time", "-1"], "--html-time: is -1.0"),
        (["--html", "page.html", "--html-time", "nan"], "--html-time: is nan"),
    ],
)
def test_what_cannot_be_written_is_refused_before_the_work(
    run, votes, tmp_path, monkeypatch, no_solving, words, told
):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    code, out, err = run("prune", votes, *(str(votes) if w == "VOTES" else w for w in words))
    assert (code, out) == (2, "")
    assert told in err
    assert err.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("missing", ["jinja2", "matplotlib"])
def test_what_is_not_installed_is_named_before_the_work(
    run, votes, tmp_path, monkeypatch, no_solving, missing
):
    monkeypatch.setitem(sys.modules, missing, None)
    code, out, err = run("prune", votes, "--html", tmp_path / "page.html")
    assert (code, out) == (2, "")
    assert missing in err
    assert "pip install 'voteprune[" in err
    assert not (tmp_path / "page.html").exists()


def test_without_a_committee_there_is_no_page(run, votes, tmp_path):
    page = tmp_path / "page.html"
    code, _, err = run("prune", votes, "--html", page, "--at-least", "tp=100000")
    assert code == 2
    assert f"there is no committee, so {page} was not written." in err
    assert not page.exists()


def test_ctrl_c_in_the_page_loses_the_page_alone(run, votes, tmp_path, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(BaseSolution, "to_html", stop)
    page, output = tmp_path / "page.html", tmp_path / "committee.json"
    code, out, err = run("prune", votes, "--html", page, "--output", output, *QUICK)
    assert code == 130
    assert "members" in out
    assert f"interrupted; {page} was not written." in err
    assert output.exists()
    assert not page.exists()


def test_a_full_disk_costs_the_page_and_not_the_answer(run, votes, tmp_path, monkeypatch):
    monkeypatch.setattr(BaseSolution, "to_html", lambda *_, **__: "page")
    monkeypatch.setattr(outfile.os, "fsync", no_space)
    code, out, err = run("prune", votes, "--html", tmp_path / "page.html", *QUICK)
    assert code == 4
    assert "members" in out
    assert "No space left" in err
