"""Options: what cannot be done is refused before the solving starts."""

import os
import sys


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
