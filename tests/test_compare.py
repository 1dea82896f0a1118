"""One table, all methods: the rows are what the methods and the votes say."""

import csv
import io
import json
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

import voteprune as vp
from heuristics.test_laws import pool
from voteprune.strategies.registry import METHODS

SOME = ["full", "best", "hc-uwa", "brute"]


def test_rows_are_what_prune_returns():
    votes, test = pool(), pool(seed=1)
    found = vp.compare(votes, methods=SOME, test=test, random_state=0)
    assert [row.method for row in found.rows] == SOME
    for row, solution in zip(found.rows, found.solutions, strict=True):
        alone = vp.prune(votes, method=row.method, random_state=0)
        assert solution.committee == alone.committee
        assert (row.size, row.threshold) == (alone.committee.size, alone.committee.threshold)
        assert row.value == row.accuracy == alone.value
        assert row.bound == alone.bound
        decided = test.matrix[:, alone.committee.members].sum(axis=1) > alone.committee.threshold
        right = decided == test.labels
        assert row.test_accuracy == pytest.approx(right.mean())
        halves = [right[test.labels == label].mean() for label in (True, False)]
        assert row.test_balanced_accuracy == pytest.approx(np.mean(halves))


def test_diversity_is_the_mean_pfc():
    votes = pool()
    row = vp.compare(votes, methods=["full"]).rows[0]
    credit = vp.FailureCredit.of(vp.Patterns.of(votes))
    assert row.diversity == pytest.approx(float(sum(credit.pfc(range(12))) / 12))
    assert vp.compare(votes, methods=["best"]).rows[0].diversity is None


def test_table_csv_and_json_say_the_same():
    found = vp.compare(pool(), methods=SOME, random_state=0)
    lines = found.table().splitlines()
    assert [line.split()[0] for line in lines] == ["method", *SOME]
    assert "test" not in lines[0]
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    document = json.loads(found.to_json())
    assert document["format"] == "voteprune.comparison"
    for row, written, parsed in zip(found.rows, rows, document["rows"], strict=True):
        assert written["method"] == parsed["method"] == row.method
        assert float(written["accuracy"]) == parsed["accuracy"] == row.accuracy
        assert (written["bound"] or None) == (None if row.bound is None else str(row.bound))


@pytest.mark.slow
def test_all_that_can_are_compared_when_none_is_named():
    votes = pool(n=60, k=6)
    found = vp.compare(votes, time_limit=5, random_state=0)
    assert {"exact", "hc-uwa", "pareto"} <= {row.method for row in found.rows}
    assert {"brute", "merged", "paper"}.isdisjoint(row.method for row in found.rows)
    limited = vp.compare(votes, constraints=vp.Require(1), time_limit=5, random_state=0)
    assert [row.method for row in limited.rows] == ["exact", "search"]
    majority = vp.compare(votes, threshold="majority", time_limit=5, random_state=0)
    assert {"exact", "checklist"}.isdisjoint(row.method for row in majority.rows)


def test_who_is_left_out_is_told_with_the_reason():
    votes = pool(n=60, k=6)
    found = vp.compare(votes, constraints=vp.Require(1), time_limit=5, random_state=0)
    assert {row.method for row in found.rows} == {"exact", "search"}
    known = {method.name for method in vp.methods()}
    assert found.left_out.keys() == known - {"exact", "search"}
    assert found.left_out["brute"] == "only if named, for it may take very long"
    assert found.left_out["hc-acc"] == f"cannot honour '{vp.Require(1)}'"
    table, _, notes = found.table().partition("\n\n")
    assert len(table.splitlines()) == 3
    assert "Left out (only if named, for it may take very long): merged, paper, brute" in notes
    assert all(name in notes for name in found.left_out)
    assert json.loads(found.to_json())["left_out"] == found.left_out
    named = vp.compare(votes, methods=["full"])
    assert named.left_out == {}
    assert "Left out" not in named.table()
    plural = vp.PluralityVotes(votes.matrix.astype(int), votes.labels.astype(int))
    several = vp.compare(plural, objective="f1_macro", time_limit=5, random_state=0)
    assert several.left_out["hc-acc"] == "cannot maximise f-scores"
    assert several.left_out["kappa"] == "not where most votes win"
    kept = import_module("voteprune.compare")._choose(None, [], None, "majority")[1]
    assert kept["checklist"] == "cannot keep to the threshold 'majority'"


def test_rows_are_merged_once_for_all_methods(monkeypatch):
    merged = []
    whole = vp.Patterns.of.__func__
    monkeypatch.setattr(
        vp.Patterns, "of", classmethod(lambda cls, votes: merged.append(votes) or whole(cls, votes))
    )
    vp.compare(pool(), methods=SOME, test=pool(seed=1), random_state=0)
    assert len(merged) == 2  # the votes, and the test


def test_a_configuration_is_not_refused_for_its_name():
    found = vp.compare(pool(), methods=["full"], diversity="F1-theta", random_state=0)
    assert found.objective == "balanced_accuracy"


def test_ctrl_c_ends_the_comparison_with_the_method_it_stops(monkeypatch):
    def interrupted(problem, run):
        run.incumbent.offer([0])
        raise KeyboardInterrupt

    stopped = replace(METHODS["hc-uwa"], solve=interrupted)
    monkeypatch.setitem(METHODS, "hc-uwa", stopped)
    found = vp.compare(pool(), methods=["full", "hc-uwa", "brute"], random_state=0)
    assert [row.method for row in found.rows] == ["full", "hc-uwa"]
    assert found.rows[-1].termination == "interrupted"


def test_another_objective_has_its_own_column():
    found = vp.compare(pool(), methods=["hc-acc"], objective="recall")
    assert "objective" in found.table().splitlines()[0]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"methods": ["hc-acc", "nope"]}, "methods"),
        ({"methods": "hc-acc"}, "methods"),
        ({"methods": []}, "methods"),
        ({"methods": ["hc-acc"], "constraints": vp.Require(1)}, "constraints"),
        ({"methods": ["hc-acc", "exact"], "threshold": "majority"}, "threshold"),
        ({"threshold": "half"}, "threshold"),
        ({"threshold": "majority", "constraints": vp.Require(1)}, "methods"),
        ({"diversity": vp.Diversity(0, measure="kappa"), "methods": ["hc-acc"]}, "diversity"),
        ({"time_limit": -1}, "time_limit"),
        ({"random_state": -1}, "random_state"),
        ({"test": np.ones((3, 12))}, "test"),
        ({"test": pool(k=3)}, "test"),
        ({"objective": "f-two"}, "objective"),
        ({"objective": "log_loss"}, "objective"),
    ],
)
def test_bad_input_is_named_before_anything_runs(arguments, named):
    with pytest.raises(vp.InputError) as error:
        vp.compare(pool(), **arguments)
    assert error.value.argument == named


def test_the_callback_hears_which_method_runs_and_how_it_goes():
    heard = []
    vp.compare(
        pool(), methods=["full", "exact"], callback=lambda *told: heard.append(told), time_limit=5
    )
    begun = [name for name, progress in heard if progress is None]
    assert begun == ["full", "exact"]
    told = [progress for name, progress in heard if name == "exact" and progress is not None]
    assert told[-1].value == vp.prune(pool()).value
    with pytest.raises(vp.InputError, match="callback"):
        vp.compare(pool(), methods=["full"], callback=3)


def classes_and_gaps(seed=0, n=60, k=6):
    """Votes for three classes, and votes on two with gaps."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    said = np.where(rng.random((n, k)) < 0.6, y[:, None], rng.integers(0, 3, (n, k)))
    gaps = np.where(rng.random((n, k)) < 0.4, np.nan, said > 0)
    return vp.PluralityVotes(said, y), vp.Votes(gaps, y > 0, abstentions="skip")


@pytest.mark.parametrize("which", ["several classes", "skipped abstentions"])
def test_most_votes_win_in_several_classes_and_where_abstentions_are_skipped(which):
    place = int(which == "skipped abstentions")
    votes, test = classes_and_gaps()[place], classes_and_gaps(seed=1)[place]
    found = vp.compare(votes, test=test, random_state=0)
    assert [row.method for row in found.rows] == ["exact", "search", "full", "best", "hc-acc"]
    assert "threshold" not in found.table()
    labels = np.asarray(test.labels)
    for row, solution in zip(found.rows, found.solutions, strict=True):
        alone = vp.prune(votes, method=row.method, random_state=0)
        assert (row.value, row.bound, row.status) == (alone.value, alone.bound, alone.status)
        assert solution.committee == alone.committee
        assert row.value == row.accuracy
        # Counted by hand: the class with most votes, the first of several.
        said = test.matrix.astype(float)
        if place:
            said[~test.voted] = np.nan
        chosen = said[:, alone.committee.members]
        counts = np.stack([(chosen == label).sum(axis=1) for label in range(3 - place)])
        right = counts.argmax(axis=0) == labels
        assert row.test_accuracy == pytest.approx(right.mean())
        shares = [right[labels == label].mean() for label in np.unique(labels)]
        assert row.test_balanced_accuracy == pytest.approx(np.mean(shares))
    best = max(row.value for row in found.rows)
    assert found.rows[0].value == best


def test_a_limit_leaves_out_who_cannot_keep_it_where_most_votes_win():
    skipping = classes_and_gaps()[1]
    limits = [vp.AtMost("size", 3), vp.AtLeast("coverage", 0.8)]
    found = vp.compare(skipping, constraints=limits, time_limit=5, random_state=0)
    assert [row.method for row in found.rows] == ["exact", "search"]
    assert found.solutions[0].coverage >= 0.8
    by_f1 = vp.compare(skipping, objective="f1", methods=["full", "brute"], random_state=0)
    assert by_f1.objective == "f1"
    assert "objective" in by_f1.table().splitlines()[0]
    # Test rows on which everybody votes are judged all the same.
    everybody = vp.Votes(skipping.matrix, skipping.labels)
    judged = vp.compare(skipping, methods=["full"], test=everybody).rows[0]
    assert judged.test_accuracy == vp.prune(everybody, method="full", threshold="majority").value


@pytest.mark.parametrize(
    ("place", "arguments", "named"),
    [
        (0, {"methods": ["exact", "hc-uwa"]}, "methods"),
        (1, {"methods": ["kappa"]}, "methods"),
        (1, {"methods": ["nope"]}, "methods"),
        (1, {"methods": ["hc-acc"], "objective": "f1"}, "methods"),
        (1, {"threshold": "majority"}, "threshold"),
        (1, {"diversity": "F2"}, "diversity"),
        (1, {"objective": "mcc"}, "objective"),
        (0, {"objective": "recall"}, "objective"),
        (1, {"test": np.ones((3, 6))}, "test"),
        (1, {"test": classes_and_gaps(k=4)[1]}, "test"),
        (1, {"test": vp.Votes([[None] * 6] * 2, [0, 1], abstentions="against")}, "test"),
        (0, {"test": classes_and_gaps()[1]}, "test"),
        (0, {"test": vp.PluralityVotes([[0] * 6] * 2, [0, 1])}, "test"),
        (0, {"y": [1]}, "y"),
    ],
)
def test_what_does_not_go_with_most_votes_is_named_before_anything_runs(place, arguments, named):
    with pytest.raises(vp.InputError) as error:
        vp.compare(classes_and_gaps()[place], **arguments)
    assert error.value.argument == named


def test_test_votes_that_skip_are_refused_where_the_votes_do_not():
    with pytest.raises(vp.InputError, match="skips abstentions") as error:
        vp.compare(pool(k=6), test=classes_and_gaps()[1])
    assert error.value.argument == "test"


@pytest.mark.parametrize("which", ["two classes", "several classes", "skipped abstentions"])
def test_classifiers_of_test_votes_are_found_by_name(which):
    several, skipping = classes_and_gaps()
    votes = {"two classes": pool(), "several classes": several}.get(which, skipping)
    other = votes.select(range(votes.n_classifiers)[::-1])
    assert other.names == votes.names[::-1]
    for row in vp.compare(votes, methods=["full", "best"], test=other).rows:
        assert row.test_accuracy == row.accuracy
    named = votes._but(names=tuple(f"m{k}" for k in range(votes.n_classifiers)))
    strange = named._but(names=("x", *named.names[1:]))
    with pytest.raises(vp.InputError, match="no classifier called 'm0'") as error:
        vp.compare(named, methods=["full"], test=strange)
    assert error.value.argument == "test"
    # The names that all get whom nobody has named are names, wherever they are found.
    for row in vp.compare(other, methods=["full", "best"], test=votes).rows:
        assert row.test_accuracy == row.accuracy
    # Votes that nobody has named are in the order of the others.
    for chosen_on, judged_by in ((named, votes), (votes, named)):
        for row in vp.compare(chosen_on, methods=["full", "best"], test=judged_by).rows:
            assert row.test_accuracy == row.accuracy


@pytest.mark.parametrize("rule", [None, "skip"])
def test_test_votes_have_the_classes_of_the_votes(rule):
    given = pool()
    words, said = (np.where(part, "spam", "ham") for part in (given.labels, given.matrix))
    spam, ham = (vp.Votes(said, words, positive=p, abstentions=rule) for p in ("spam", "ham"))
    for row in vp.compare(spam, methods=["full", "best"], test=ham).rows:
        assert row.test_accuracy == row.accuracy
    with pytest.raises(vp.InputError, match="'no' and 'yes'") as error:
        vp.compare(spam, methods=["full"], test=spam.called("no", "yes"))
    assert error.value.argument == "test"
