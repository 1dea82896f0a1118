"""The methods for soft committees: what each tries, how each ends, and what is there at once."""

import numpy as np
import pytest

import voteprune as vp
from soft_oracle import pool
from voteprune.soft.tree import SoftTree
from voteprune.strategies import exact_soft
from voteprune.tree.soft.checkpoint import SoftCheckpoint


def said(seed=8, **shape):
    return vp.Probabilities(*pool(seed, **shape))


@pytest.mark.parametrize("size", range(1, 7))
def test_brute_force_tries_committees_of_every_size(size):
    limits = [vp.AtLeast("size", size), vp.AtMost("size", size)]
    brute, exact = (
        vp.prune(said(), constraints=limits, penalty=0.5, method=method)
        for method in ("brute", "exact")
    )
    assert (brute.status, brute.committee.size) == ("optimal", size)
    assert exact.penalised_loss == pytest.approx(brute.penalised_loss, rel=2e-6)


@pytest.mark.parametrize("method", ["brute", "exact"])
def test_who_cannot_be_had_is_said_by_every_method_with_proof(method):
    limits = [vp.Require("c1"), vp.Budget([0, 1, 0, 0, 0, 0], limit=0)]
    solution = vp.prune(said(), constraints=limits, method=method)
    assert (solution.status, solution.termination) == ("infeasible", "proved")
    assert "cost <= 0" in solution.explanation


def test_search_says_how_it_ended_and_finds_more_than_its_first_committee():
    limits = [vp.AtMost("size", 3)]
    found = vp.prune(said(), constraints=limits, penalty=0.5, method="search")
    assert (found.status, found.termination, found.bound) == ("feasible", "finished", None)
    best = vp.prune(said(), constraints=limits, penalty=0.5, method="brute")
    assert found.penalised_loss == pytest.approx(best.penalised_loss, rel=1e-3)
    first = vp.prune(said(), constraints=limits, penalty=0.5, method="search", time_limit=0)
    assert first.termination == "time limit"
    assert first.penalised_loss > found.penalised_loss


@pytest.mark.parametrize("method", ["exact", "search"])
@pytest.mark.parametrize(
    "limits",
    [
        [vp.Forbid("c0")],
        [vp.Require("c0"), vp.AtLeast("size", 2)],
        [vp.Require("c2"), vp.Forbid("c0", "c1"), vp.AtLeast("size", 3)],
        [vp.AtLeast("size", 6)],
    ],
)
def test_with_no_time_at_all_there_is_a_committee_within_the_limits(limits, method):
    solution = vp.prune(said(), constraints=limits, method=method, time_limit=0)
    assert (solution.status, solution.termination) == ("feasible", "time limit")
    assert solution.problem.numbers.allows(solution.committee.members)


@pytest.mark.slow
def test_a_run_tells_how_many_nodes_are_open(monkeypatch):
    told, whole = [], SoftTree.round
    monkeypatch.setattr(SoftTree, "round", lambda tree, deadline: whole(tree, most_nodes=1))
    vp.prune(
        said(n=60, k=30),
        constraints=vp.AtMost("size", 8),
        penalty=0.02,
        callback=lambda progress: told.append(progress.open_boxes),
    )
    assert max(filter(None, told)) > 1
    assert told[-1] == 0


def test_a_file_that_is_spoilt_after_it_was_checked_is_an_incident(tmp_path, monkeypatch):
    """The proof begins anew then, and says so."""
    request = {"constraints": [vp.AtMost("size", 3)], "checkpoint": tmp_path / "c.npz"}
    vp.prune(said(), **request)
    load, times = SoftCheckpoint.load, []

    def spoilt(self):
        times.append(self)
        if len(times) > 1:
            raise vp.FileFormatError("c.npz", "is damaged.")
        return load(self)

    monkeypatch.setattr(SoftCheckpoint, "load", spoilt)
    solution = vp.prune(said(), **request)
    assert solution.status == "optimal"
    assert any("is damaged" in incident for incident in solution.incidents)


def test_minus_nothing_is_nothing_to_the_digest():
    """A score of -0 is written as 0 by some programs and as -0 by others."""
    predictions, y = pool(8)
    scores = np.round(np.log(predictions / (1 - predictions)))
    assert (scores == 0).any()
    plus, minus = np.where(scores == 0, 0.0, scores), np.where(scores == 0, -0.0, scores)
    digests = {vp.Probabilities(one, y, scores=True).digest for one in (plus, minus)}
    assert len(digests) == 1


@pytest.mark.parametrize(("many", "known"), [(40, True), (41, False)])
def test_with_many_rows_no_committee_is_fitted_twice(many, known, monkeypatch):
    """With fewer rows weights are the same to the last digit whoever has fitted them before."""
    seen, drive = [], exact_soft.SoftDriver

    def driver(problem, run, tree):
        seen.append(tree.search.fitted is problem.search.fitted)
        return drive(problem, run, tree)

    monkeypatch.setattr(exact_soft, "MANY_ROWS", many)
    monkeypatch.setattr(exact_soft, "SoftDriver", driver)
    said = vp.Probabilities(*pool(3, n=40, k=4))
    assert vp.prune(said, penalty=1.0).status == "optimal"
    assert seen == [known]
