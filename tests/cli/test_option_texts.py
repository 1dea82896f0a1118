"""Options: what cannot be done is refused before the solving starts."""

import json
import os
import sys

import pytest

import voteprune as vp
from voteprune.cli.option_texts import read_objective


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


@pytest.mark.parametrize(
    ("text", "margin"),
    [
        ("ramp:1", vp.Ramp(1)),
        ("hinge:0.5", vp.Hinge(0.5)),
        ("ramp:0.6:0.75", vp.Ramp(0.6, growth=0.75)),
    ],
)
def test_a_margin_is_written_with_colons(text, margin):
    assert read_objective(text) == margin


def test_a_margin_is_what_is_maximised(run, votes):
    code, out, _ = run("prune", votes, "--k", 6, "--objective", "ramp:1", "--max-size", 3, "--json")
    assert code == 0
    assert json.loads(out)["objective"] == "ramp(theta=1)"


@pytest.mark.parametrize(
    ("text", "cure"),
    [
        ("ramp", "Write ramp:1"),
        ("ramp:", "Write ramp:1"),
        ("hinge:wide", "Write hinge:1"),
        ("ramp:1:0.5:2", "Write ramp:1"),
        ("ramp:0", "above 0"),
        ("ramp:nan", "finite"),
        ("ramp:1:0.3", "expected one of 0, 0.25"),
        ("slope:1", "Known are"),
    ],
)
def test_a_margin_that_is_none_is_refused_by_the_options_name(run, votes, text, cure):
    code, out, err = run("prune", votes, "--objective", text)
    assert (code, out) == (2, "")
    assert err.startswith("voteprune: ")
    assert "objective" in err.split(":")[1]
    assert cure in err


def test_methods_are_not_compared_by_a_margin(run, votes):
    code, _, err = run("compare", votes, "--objective", "ramp:1", "--methods", "best")
    assert code == 2
    assert "Take 'accuracy'" in err
