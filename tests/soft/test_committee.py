"""Soft committees find their members by name or place, and read what they say as was meant."""

import json
import pickle
from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest

import voteprune as vp
from voteprune.soft.committee import SoftCommittee

SAID = np.array([[0.9, 0.2, 0.6, 0.5], [0.3, 0.8, 0.1, 0.5], [0.6, 0.6, 0.7, 0.5]])


@pytest.fixture
def committee():
    return SoftCommittee(
        members=(0, 2), names=("a", "c"), weights=(1.0, 0.5), intercepts=(0.25,),
        classes=("no", "yes"), kinds=("probability", "probability"), clip=1e-3, pool_size=4,
    )  # fmt: skip


def test_members_are_found_by_name_and_by_place(committee):
    odds = np.log(SAID / (1 - SAID))
    right = 1 / (1 + np.exp(-(odds[:, 0] + 0.5 * odds[:, 2] + 0.25)))
    frame = pd.DataFrame(SAID[:, ::-1], columns=list("dcba"))
    for given in (SAID, SAID[:, [0, 2]], frame, {name: frame[name] for name in "cab"}):
        shares = committee.predict_proba(given)
        assert shares[:, 1] == pytest.approx(right)
        assert shares.sum(axis=1) == pytest.approx(1)
        assert list(committee.predict(given)) == ["yes" if p > 0.5 else "no" for p in right]


def test_a_member_who_is_missing_is_named(committee):
    frame = pd.DataFrame(SAID[:, :2], columns=["a", "b"])
    for given in (frame, dict(frame)):
        with pytest.raises(vp.InputError, match="has no column for the member 'c'"):
            committee.predict_proba(given)
    with pytest.raises(vp.InputError, match="has 3 columns, the pool has 4 classifiers"):
        committee.predict_proba(SAID[:, :3])


@pytest.mark.parametrize("positive", [None, "no", "yes"])
@pytest.mark.parametrize("classes", [None, ["yes", "no"]])
def test_matrices_are_read_as_when_the_committee_was_chosen(tmp_path, positive, classes):
    """`predict_proba` has its columns in one order, whichever class is called positive."""
    rng = np.random.default_rng(0)
    y = np.array(["no", "yes"])[rng.integers(0, 2, 80)]
    sure = np.clip(
        0.5 + 0.3 * np.where(y == "yes", 1, -1)[:, None] + rng.normal(0, 0.2, (80, 3)), 0, 1
    )
    columns = [sure, 1 - sure] if classes else [1 - sure, sure]
    tensor = np.stack(columns, axis=2)
    said = {f"c{k}": tensor[:, k] for k in range(3)}
    given = vp.Probabilities(said, y, positive=positive, classes=classes)
    chosen = vp.prune(given, objective="log_loss", constraints=vp.AtMost("size", 2)).committee
    assert chosen.axis == (() if given.axis == given.classes else given.axis)
    right = chosen.predict_proba(given)
    assert (chosen.predict(given) == y).mean() > 0.9
    chosen.save(tmp_path / "soft.json")
    for committee in (chosen, SoftCommittee.load(tmp_path / "soft.json")):
        for shown in (said, tensor):
            assert (committee.predict_proba(shown) == right).all()


def test_an_axis_names_every_class(committee):
    for axis in (("yes",), ("yes", "yes"), ("yes", "maybe")):
        with pytest.raises(vp.InputError, match="axis"):
            replace(committee, axis=axis)
    assert replace(committee, axis=("yes", "no")).to_json() != committee.to_json()


def test_new_rows_are_probabilities_too_and_as_many_for_every_member(committee):
    with pytest.raises(vp.InputError, match=r"'c' says 60\.0 on row 0\. Probabilities lie in"):
        committee.predict_proba({"a": SAID[:, 0], "c": 100 * SAID[:, 2]})
    with pytest.raises(vp.InputError, match=r"has shape \(2,\); expected 3 answers"):
        committee.predict_proba({"a": SAID[:, 0], "c": SAID[:2, 2]})
    scored = replace(committee, kinds=("probability", "score"))
    assert scored.predict_proba({"a": SAID[:, 0], "c": 100 * SAID[:, 2]})[0, 1] > 0.999


def _said(kinds, n, n_classes, rng):
    """Draw answers of members of some kinds, some of them missing."""
    shape = (n,) if n_classes == 2 else (n, n_classes)
    said = {}
    for k, kind in enumerate(kinds):
        if kind == "score":
            values = rng.normal(0, 3, shape)
        else:
            values = rng.dirichlet(np.full(n_classes, 0.3), n)
            if kind == "vote":
                values = np.eye(n_classes)[values.argmax(axis=1)]
            values = values if n_classes > 2 else values[:, 1]
        values[rng.random(n) < 0.1] = np.nan
        said[f"c{k}"] = values
    return said


@pytest.mark.parametrize("rule", ["log_odds", "linear_pool"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("clip", [1e-6, 1e-3, 1e-2])
def test_new_probabilities_are_coded_as_the_committee_has_it(rule, n_classes, clip):
    """Whatever the kinds and the clip of the new rows: as if the answers were given themselves."""
    rng = np.random.default_rng(0)
    kinds = ("probability", "probability", "vote", *(["score"] if rule == "log_odds" else []))
    n_intercepts = 0 if rule == "linear_pool" else 1 if n_classes == 2 else n_classes
    committee = SoftCommittee(
        members=tuple(range(len(kinds))), names=tuple(f"c{k}" for k in range(len(kinds))),
        weights=tuple(rng.random(len(kinds))), intercepts=tuple(rng.normal(size=n_intercepts)),
        classes=tuple(range(n_classes)), kinds=kinds, clip=1e-3, rule=rule, pool_size=len(kinds),
    )  # fmt: skip
    # On these rows the first member happens to say 0 and 1 alone.
    drawn = _said(["vote", *kinds[1:]], 40, n_classes, rng)
    inner = np.clip(drawn["c1"], 0.02, 1)
    drawn["c1"] = inner / inner.sum(axis=1, keepdims=True) if n_classes > 2 else inner * 0.97
    y = np.arange(40) % n_classes
    given = vp.Probabilities(drawn, y, scores=[3] if rule == "log_odds" else False, clip=clip)
    assert given.kinds[0] == "vote"
    assert committee.predict_proba(given) == pytest.approx(
        committee.predict_proba(drawn), abs=1e-12
    )


def test_new_probabilities_that_cannot_be_coded_so_are_refused(committee):
    y = [0, 1, 1]
    words = {"classes": ["no", "yes"]}
    labels = np.array(["no", "yes"])[y]
    said = {"a": [0.001, 0.5, 0.9], "c": [0.2, 0.7, 0.4]}
    for clip in (0.001, 1e-5):
        given = vp.Probabilities(said, labels, clip=clip, **words)
        assert committee.predict_proba(given) == pytest.approx(committee.predict_proba(said))
    with pytest.raises(
        vp.InputError, match=r"'a' has probabilities cut at clip=0\.01.*clip=0\.001"
    ):
        committee.predict_proba(vp.Probabilities(said, labels, clip=0.01, **words))
    with pytest.raises(vp.InputError, match="'c' is a score member there, and was a probability"):
        committee.predict_proba(vp.Probabilities(said, labels, scores=["c"], **words))
    scored = replace(committee, kinds=("probability", "score"))
    with pytest.raises(vp.InputError, match="'c' is a probability member there, and was a score"):
        scored.predict_proba(vp.Probabilities(said, labels, clip=0.001, **words))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_who_was_always_sure_may_be_unsure_on_new_rows(n_classes):
    """A tree says 0 and 1 where it was chosen and 0.5 later: given as numbers or as new rows."""
    rng = np.random.default_rng(0)
    committee = SoftCommittee(
        members=(0,), names=("a",), weights=(1.5,), classes=tuple(range(n_classes)),
        intercepts=(0.25,) if n_classes == 2 else (0.25, 0.5, 0.0), kinds=("vote",), clip=1e-3,
        pool_size=1,
    )  # fmt: skip
    said = rng.dirichlet(np.ones(n_classes), 40)
    said[:n_classes] = np.eye(n_classes)
    said[3], said[4] = 1 / n_classes, np.nan
    said = said if n_classes > 2 else said[:, 1]
    given = vp.Probabilities({"a": said}, np.arange(40) % n_classes, clip=1e-5)
    assert given.kinds == ("probability",)
    found = committee.predict_proba(given)
    assert found == pytest.approx(committee.predict_proba({"a": said}), abs=1e-4)
    assert (found[:2] == committee.predict_proba({"a": said})[:2]).all()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_in_a_linear_pool_who_was_always_sure_counts_with_its_probability(n_classes):
    said = np.array([[0.75, 0.25, 0], [0.25, 0.75, 0], [1, 0, 0], [0.5, 0.5, 0]])[:, :n_classes]
    said = said if n_classes == 2 else said[:, [1, 2, 0]]
    committee = SoftCommittee(
        members=(0,), names=("a",), weights=(2.0,), classes=tuple(range(n_classes)),
        intercepts=(), kinds=("vote",), clip=1e-3, rule="linear_pool", pool_size=1,
    )  # fmt: skip
    found = committee.predict_proba({"a": said})
    assert found == pytest.approx(said, abs=3e-3)
    assert found[2].max() == pytest.approx(1 - (n_classes - 1) * 1e-3)


def test_scores_that_are_infinite_or_too_large_are_refused(committee):
    """Else the answer were neither a probability nor an error."""
    scored = replace(committee, kinds=("probability", "score"))
    for wrong, words in ((np.inf, "infinite"), (-np.inf, "infinite"), (1e300, "scores beyond")):
        with pytest.raises(vp.InputError, match=f"'c' .*{words}"):
            scored.predict({"a": SAID[:, 0], "c": [1.0, wrong, np.nan]})
    assert np.isfinite(scored.predict_proba({"a": SAID[:, 0], "c": [1.0, 1e50, np.nan]})).all()


def test_new_rows_may_be_beyond_0_or_1_by_rounding(committee):
    for kinds in (committee.kinds, ("probability", "vote")):
        judge = replace(committee, kinds=kinds)
        near = judge.predict_proba({"a": [1 + 2.0**-52, -1e-17], "c": [1.0, 1 + 1e-7]})
        assert (near == judge.predict_proba({"a": [1.0, 0.0], "c": [1.0, 1.0]})).all()
    with pytest.raises(vp.InputError, match="Probabilities lie in"):
        committee.predict_proba({"a": [1 + 2e-6, 0.0], "c": [1.0, 1.0]})


def test_labels_of_new_rows_are_votes_and_sure_probabilities_are_not_labels():
    y = np.array([1, 0, 0, 1, 1, 0] * 10)
    sure = np.where(y == 0, 0.9, 0.2) + np.linspace(0, 0.05, 60)
    given = vp.Probabilities({"v": y, "p": sure}, y, positive=0)
    assert given.kinds == ("vote", "probability")
    found = vp.prune(given, penalty=1.0).committee
    assert found.size == 2
    assert found.labelled == ("v",)
    rows = {"v": np.array([0, 1, 1]), "p": np.array([1, 0, 1])}
    shares = found.predict_proba(rows)
    # A matrix has its columns in the order of the classes, 0 and 1.
    sides = {name: np.column_stack([said, 1 - said]) for name, said in rows.items()}
    sides["v"] = sides["v"][:, ::-1]
    assert (found.predict_proba(sides) == shares).all()
    assert (found.predict_proba(pd.DataFrame(rows)) == shares).all()
    assert found.predict_proba(vp.Probabilities(rows, y[:3], positive=0)) == pytest.approx(shares)
    assert found.predict(rows)[:2].tolist() == [0, 1]


def _votes(classes):
    """Draw labels, and what a member says, which is wrong on a quarter of the rows."""
    truth = np.arange(40) % 2
    places = truth ^ (np.arange(40) % 8 < 2)
    return np.array(classes)[truth], np.array(classes)[places], places


@pytest.mark.parametrize("dtype", [int, float])
@pytest.mark.parametrize(
    ("classes", "positive"),
    [((1, 2), None), ((1, 2), 1), ((-1, 0), None), ((-1, 0), -1), ((-1, 1), None), ((0, 1), 0)],
)
def test_who_gave_labels_gives_them_on_new_rows(classes, positive, dtype):
    """Also where all of them could be probabilities, as those of a single row."""
    y, labels, _ = _votes(classes)
    # Floats from 0 to 1 on all rows are probabilities when a committee is chosen.
    trained = labels if classes == (0, 1) else labels.astype(dtype)
    given = vp.Probabilities({"a": trained, "b": np.linspace(0.4, 0.6, 40)}, y, positive=positive)
    assert given.labelled == given.select(["a"]).take(range(9)).labelled == ("a",)
    assert given.select(["b"]).labelled == ()
    chosen = vp.prune(given, penalty=1.0, constraints=vp.Require("a")).committee
    chosen = replace(
        chosen, members=(0,), names=("a",), weights=(3.0,), intercepts=(0.0,), kinds=("vote",),
        pool_size=1,
    )  # fmt: skip
    for committee in (chosen, SoftCommittee.from_json(chosen.to_json())):
        for said in (labels, labels.astype(float)):
            for shown in ({"a": said}, pd.DataFrame({"a": said}), said[:, None]):
                assert (committee.predict(shown) == labels).all()
            for row in (slice(0, 1), slice(1, 2), labels == 1, labels == 0):
                assert (committee.predict({"a": said[row]}) == labels[row]).all()
            for rows in (slice(None), labels == classes[0], labels == classes[1]):
                again = vp.Probabilities({"a": said[rows]}, y[rows], positive=positive)
                assert (committee.predict(again) == labels[rows]).all()
        gaps = np.where(np.arange(40) < 5, np.nan, labels)
        assert (committee.predict_proba({"a": gaps})[:5] == 0.5).all()
        with pytest.raises(vp.InputError, match=r"0\.25 is none of the classes"):
            committee.predict({"a": [0.25]})
        unsure = vp.Probabilities({"a": np.linspace(0.1, 0.9, 40)}, y, positive=positive)
        with pytest.raises(vp.InputError, match="'a' gives probabilities there, and gave labels"):
            committee.predict(unsure)


@pytest.mark.parametrize("classes", [(0, 1), (1, 2)])
def test_who_gave_votes_for_the_positive_class_gives_them_on_new_rows(classes):
    y, labels, places = _votes(classes)
    votes = 1 - places
    given = vp.Probabilities(pd.DataFrame({"a": votes}), y, positive=classes[0])
    assert (given.kinds, given.labelled) == (("vote",), ())
    committee = vp.prune(given, penalty=1.0).committee
    committee = SoftCommittee.from_json(committee.to_json())
    for said in (votes, votes.astype(float)):
        for shown in ({"a": said}, pd.DataFrame({"a": said}), said[:, None]):
            assert (committee.predict(shown) == labels).all()
        assert (committee.predict({"a": said[:1]}) == labels[:1]).all()
    if classes == (0, 1):
        again = vp.Probabilities({"a": votes}, y, positive=0)
        assert again.labelled == ("a",)
        assert (committee.predict(again) == labels).all()
    else:
        for shown in ({"a": labels}, vp.Probabilities({"a": labels}, y, positive=1)):
            with pytest.raises(vp.InputError, match=r"'a' says 2\.0 on row"):
                committee.predict(shown)


def test_committees_of_before_labels_were_noted_guess_as_they_did():
    y, labels, _ = _votes((1, 2))
    committee = vp.prune(vp.Probabilities({"a": labels}, y), penalty=1.0).committee
    document = json.loads(committee.to_json())
    assert document.pop("labelled") == ["a"]
    older = SoftCommittee.from_json(json.dumps(document))
    assert older.labelled is None
    assert (older.predict({"a": labels}) == labels).all()
    assert "labelled" not in json.loads(older.to_json())
    values = [getattr(committee, field.name) for field in fields(committee)]
    unpickled = SoftCommittee.__new__(SoftCommittee)
    unpickled.__setstate__(values[:-1])
    assert unpickled == older
    assert pickle.loads(pickle.dumps(committee)) == committee
    given = vp.Probabilities({"a": labels}, y)
    restore, (kind, slots) = given.__reduce__()
    assert slots.pop("labelled") == ("a",)
    assert restore(kind, slots).labelled is None
    words = vp.Probabilities({"a": np.where(y == 1, "n", "p")}, np.where(y == 1, "n", "p"))
    assert words.labelled is None
    with pytest.raises(vp.InputError, match="labelled"):
        replace(committee, labelled=("z",))


def test_masked_answers_of_new_rows_are_abstentions(committee):
    silent = {"a": np.array([np.nan, 0.9]), "c": np.array([0.7, 0.2])}
    masked = silent | {"a": np.ma.masked_array([0.9, 0.9], [True, False])}
    assert (committee.predict_proba(masked) == committee.predict_proba(silent)).all()
    voting = replace(committee, kinds=("vote", "probability"))
    masked["a"] = np.ma.masked_array(["no", "yes"], [True, False])
    silent["a"] = np.array([np.nan, 1.0])
    assert (voting.predict_proba(masked) == voting.predict_proba(silent)).all()
