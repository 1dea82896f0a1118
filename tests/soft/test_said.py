"""What members say, in all its forms and at the edges of what is taken."""

import hashlib
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import voteprune as vp
from voteprune.soft.committee import SoftCommittee
from voteprune.soft.log_odds import (
    LARGEST,
    PROBABILITY,
    SCORE,
    SMALLEST,
    VOTE,
    log_odds_of,
    member_of,
    numbers_of,
    odds_of_kind,
    shares_of,
    tensor_of,
)
from voteprune.soft.probabilities import Probabilities, digest_of
from voteprune.soft.reading import (
    check_classes,
    positive_last,
    read_classes,
    read_clip,
    read_scores,
    read_weights,
)

NAN = np.nan
REFUSED = vp.InputError


def test_log_odds_of_every_kind():
    clip = 0.01
    said = np.array([0.0, 0.2, 1.0, NAN])
    told = odds_of_kind(said, PROBABILITY, clip, 2)
    np.testing.assert_allclose(told, [np.log(0.01 / 0.99), np.log(0.25), np.log(99), 0])
    assert odds_of_kind(np.array([0.0, 1.0, NAN]), VOTE, clip, 2).tolist() == [-1, 1, 0]
    assert odds_of_kind(np.array([-7.0, 3.0, NAN]), SCORE, clip, 2).tolist() == [-7, 3, 0]
    three = np.array([[1.0, 0.0, 0.0], [0.2, 0.3, 0.5], [NAN] * 3])
    told = odds_of_kind(three, PROBABILITY, clip, 3)
    np.testing.assert_allclose(told[0], np.log([0.98, 0.01, 0.01]))
    np.testing.assert_allclose(told[1], np.log([0.2, 0.3, 0.5]))
    assert told[2].tolist() == [0, 0, 0]
    assert odds_of_kind(three[:1], VOTE, clip, 3).tolist() == [[1, 0, 0]]
    assert np.isnan(said[-1])  # the caller's own stay as they are


def test_shares_of_every_kind():
    clip = 0.01
    odds = np.array([2.0, -2.0, 0.0])
    np.testing.assert_allclose(shares_of(odds, PROBABILITY, clip, 2), 1 / (1 + np.exp(-odds)))
    np.testing.assert_allclose(shares_of(np.array([1.0, -1, 0]), VOTE, clip, 2), [0.99, 0.01, 0.5])
    three = np.array([[1.0, 0, 0], [0, 0, 0]])
    np.testing.assert_allclose(
        shares_of(three, VOTE, clip, 3), [[0.98, 0.01, 0.01], [1 / 3, 1 / 3, 1 / 3]]
    )
    logs = np.log([[0.2, 0.3, 0.5], [0.1, 0.1, 0.9]])
    np.testing.assert_allclose(
        shares_of(logs, PROBABILITY, clip, 3), [[0.2, 0.3, 0.5], np.array([1, 1, 9]) / 11]
    )
    silent = np.vstack([logs, np.zeros((1, 3))])
    np.testing.assert_allclose(shares_of(silent, PROBABILITY, clip, 3)[2], [1 / 3] * 3)
    part = shares_of(np.array([[0.0, 1.0, 0.0]]), VOTE, clip, 3)
    np.testing.assert_allclose(part, [[0.01, 0.98, 0.01]])


@pytest.mark.parametrize(
    ("values", "scores", "kind"),
    [
        ([0.0, 1.0, NAN], False, VOTE),
        ([0.0, 1.0, 0.5], False, PROBABILITY),
        ([0.0, 1.0, 0.5], True, SCORE),
        ([1.0, 1.0, 1.0], False, VOTE),
        ([-LARGEST, LARGEST, 1.0], True, SCORE),
        ([[0.2, 0.8], [1, 0], [NAN, NAN]], False, PROBABILITY),
        ([[0.0, 1.0], [1, 0], [NAN, NAN]], False, VOTE),
        ([[0.2, 0.8009], [0.2, 0.7991], [0.5, 0.5]], False, PROBABILITY),
    ],
)
def test_kinds_are_told_apart(values, scores, kind):
    array = np.array(values, dtype=float)
    kinds, odds = log_odds_of([array], ("a",), {0} if scores else set(), 0.01, 2)
    assert kinds == (kind,)
    assert odds.shape == (3, 1, *array.shape[1:])


@pytest.mark.parametrize(
    ("values", "scores", "word"),
    [
        ([NAN, NAN], False, "missing on every row"),
        ([0.5, np.inf], False, "infinite"),
        ([0.5, -np.inf], True, "infinite"),
        ([0.5, 1.1 * LARGEST], True, "beyond"),
        ([0.5, -1.1 * LARGEST], True, "beyond"),
        ([0.5, 1.0000001], False, "on row 1"),
        ([-1e-9, 0.5], False, "on row 0"),
        ([[0.5, 0.5], [0.5, NAN]], False, "row 1 for some of the classes"),
        ([[0.5, 0.5], [0.5, 0.502]], False, "row 1 probabilities that sum to 1.002"),
        ([[0.5, 0.498], [0.5, 0.5]], False, "row 0 probabilities that sum to 0.998"),
    ],
)
def test_what_is_no_answer_is_refused(values, scores, word):
    with pytest.raises(REFUSED, match=word):
        log_odds_of([np.array(values, dtype=float)], ("a",), {0} if scores else set(), 0.01, 2)


def test_numbers_in_every_form():
    frame = pd.DataFrame({"a": [1.0, None], "b": [0.5, 0.25]})
    array, columns = numbers_of(frame, "x")
    assert columns == ("a", "b")
    np.testing.assert_array_equal(array, [[1, 0.5], [NAN, 0.25]])
    series, none = numbers_of(pd.Series([1.0, 2.0], name="s"), "x")
    assert (series.tolist(), none) == ([1, 2], None)
    masked = np.ma.masked_array([[1, 2], [3, 4]], mask=[[False, True], [False, False]])
    np.testing.assert_array_equal(numbers_of(masked, "x")[0], [[1, NAN], [3, 4]])
    mixed, _ = numbers_of(np.array([[1, None], [pd.NA, 2.5]], dtype=object), "x")
    np.testing.assert_array_equal(mixed, [[1, NAN], [NAN, 2.5]])
    labels, _ = numbers_of(["x", None, "y"], "x")
    assert labels[0] == "x"
    assert numbers_of([True, False], "x")[0].tolist() == [True, False]
    for wrong, word in (
        ([[1, 2], [3]], "different length"), (np.array([1 + 2j]), "something else"),
        (np.array([object(), 1], dtype=object), "something else"), ([["a", "b"]], "text"),
        (np.array([["a", None]], dtype=object), "text"),
    ):  # fmt: skip
        with pytest.raises(REFUSED, match=word):
            numbers_of(wrong, "x")
    for shape in ((3,), (1, 1, 1, 1), (0, 3), (3, 0)):
        with pytest.raises(REFUSED, match="one"):
            tensor_of(np.zeros(shape), "x")
    assert tensor_of(np.zeros((1, 1)), "x")[0].shape == (1, 1)
    assert tensor_of(np.zeros((1, 1, 2)), "x")[0].shape == (1, 1, 2)


def test_one_member_of_a_mapping_in_every_form():
    two, three = ("n", "y"), ("a", "b", "c")
    assert member_of([0.1, 0.9], 2, two, "m", place=1).tolist() == [0.1, 0.9]
    assert member_of([[0.1], [0.9]], 2, two, "m", place=1).tolist() == [0.1, 0.9]
    both = [[0.1, 0.9], [0.6, 0.4]]
    assert member_of(both, 2, two, "m", place=1).tolist() == [0.9, 0.4]
    assert member_of(both, 2, two, "m", place=0).tolist() == [0.1, 0.6]
    assert member_of(["y", "n"], 2, two, "m", place=1).tolist() == [1, 0]
    full = [[0.1, 0.2, 0.7], [1, 0, 0]]
    assert member_of(full, 2, three, "m", place=2).tolist() == full
    told = member_of(np.array(["c", None], dtype=object), 2, three, "m", place=2)
    np.testing.assert_array_equal(told, [[0, 0, 1], [NAN] * 3])
    numbers = member_of([5, 7], 2, (5, 6, 7), "m", place=2)
    assert numbers.tolist() == [[1, 0, 0], [0, 0, 1]]
    floats = member_of([5.0, NAN], 2, (5, 6, 7), "m", place=2)
    np.testing.assert_array_equal(floats, [[1, 0, 0], [NAN] * 3])
    for wrong in ([0.1], [[0.1, 0.2, 0.7]] * 2, [[[0.1]]]):
        with pytest.raises(REFUSED, match="expected 2 answers"):
            member_of(wrong, 2, two, "m", place=1)
    with pytest.raises(REFUSED, match="'d' is none"):
        member_of(["a", "d"], 2, three, "m", place=2)


def test_classes_and_their_places():
    known, labels = read_classes(np.array(["b", "a", "b"]), None)
    assert (known, labels.tolist()) == (("a", "b"), [1, 0, 1])
    known, labels = read_classes(np.array([3, 1]), [3, 2, 1])
    assert (known, labels.tolist()) == ((3, 2, 1), [0, 2])
    mixed = np.array([1, 2.5, True], dtype=object)
    assert read_classes(mixed, None)[1].tolist() == [0, 1, 0]
    for truth, classes, word in (
        (np.array(["a", 1], dtype=object), None, "all text or all numbers"),
        (np.array([1.0, NAN]), None, "none missing"), (np.array([1j, 2]), None, "text or numbers"),
        (np.array([1, 1]), None, "one class only"), (np.array([1, 2]), [1, 2, 2], "distinct"),
        (np.array([1, 2]), [1, 3], "2 is none of the classes"),
        (np.array([1, 1]), [1], "one class"),
    ):  # fmt: skip
        with pytest.raises(REFUSED, match=word):
            read_classes(truth, classes)


def test_the_positive_class_comes_last():
    labels = np.array([0, 1, 1])
    assert positive_last(("a", "b"), labels, None) == (("a", "b"), labels)
    assert positive_last(("a", "b"), labels, "b") == (("a", "b"), labels)
    axis, turned = positive_last(("a", "b"), labels, "a")
    assert (axis, turned.tolist()) == (("b", "a"), [1, 0, 0])
    for axis, positive in ((("a", "b"), "c"), (("a", "b", "c"), "a")):
        with pytest.raises(REFUSED, match="one of two classes"):
            positive_last(axis, labels, positive)


def test_weights_at_the_edges():
    assert read_weights(None, 3).tolist() == [1, 1, 1]
    fine = [0.0, SMALLEST, LARGEST]
    assert read_weights(fine, 3).tolist() == fine
    assert read_weights([True, 2], 2).dtype == np.float64
    for wrong in (
        [1, -1e-60], [1, NAN], [1, np.inf], [1, LARGEST * 1.1], [1, SMALLEST / 1.1], ["1", "2"],
    ):  # fmt: skip
        with pytest.raises(REFUSED, match="weights must be"):
            read_weights(wrong, 2)
    check_classes(("a", "b"), np.array([0, 1]), np.array([1.0, 0.5]))
    with pytest.raises(REFUSED, match="class 'b' carries weight"):
        check_classes(("a", "b"), np.array([0, 1]), np.array([1.0, 0.0]))
    with pytest.raises(REFUSED, match="class 'c'"):
        check_classes(("a", "b", "c"), np.array([0, 1]), np.array([1.0, 1.0]))


def test_clips_and_scores_at_the_edges():
    assert read_clip(1e-12, 2) == 1e-12
    assert read_clip(np.float32(0.25), 3) == 0.25
    for wrong, classes in ((0, 2), (0.5, 2), (1 / 3, 3), (-0.1, 2), ("0.1", 2), (NAN, 2)):
        with pytest.raises(REFUSED, match="clip"):
            read_clip(wrong, classes)
    names = ("a", "b", "c")
    assert read_scores(True, names) == {0, 1, 2}
    assert read_scores(False, names) == set()
    assert read_scores(["c", 0], names) == {2, 0}
    assert read_scores([2], names) == {2}
    for wrong in (["d"], [3], [-1], [True]):
        with pytest.raises(REFUSED, match="is no member"):
            read_scores(wrong, names)


def test_a_tensor_of_two_classes_is_read_at_the_positive_one():
    tensor = np.array([[[0.2, 0.8]], [[0.7, 0.3]]])
    said = Probabilities(tensor, ["n", "y"])
    np.testing.assert_allclose(1 / (1 + np.exp(-said.log_odds[:, 0])), [0.8, 0.3])
    turned = Probabilities(tensor, ["n", "y"], positive="n")
    np.testing.assert_allclose(1 / (1 + np.exp(-turned.log_odds[:, 0])), [0.2, 0.7])
    assert turned.classes == ("y", "n")
    assert turned.labels.tolist() == [1, 0]
    assert Probabilities({"a": [0.1, 0.9]}, [0, 1]).names == ("a",)
    for wrong, y, word in (
        (np.full((3, 2), 0.3), [0, 1, 2], "2 dimensions"), (tensor, None, "is missing"),
        (np.full((3, 1, 2), 0.5), [0, 1, 2], "knows 2 classes and y 3"), ({}, [0, 1], "no member"),
    ):  # fmt: skip
        with pytest.raises(REFUSED, match=word):
            Probabilities(wrong, y)


def pool(classes=2, n=12, k=4):
    rng = np.random.default_rng(classes)
    y = np.arange(n) % classes
    said = rng.dirichlet(np.ones(classes), (n, k))
    said[0] = NAN
    weights = 1.0 + np.arange(n)
    given = said[:, :, 1] if classes == 2 else said
    return Probabilities(given, y, sample_weight=weights, names=list("abcd")[:k], clip=0.01)


@pytest.mark.parametrize("classes", [2, 3])
def test_a_part_of_what_was_said_is_that_part(classes):
    said = pool(classes)
    some = said.select([2, 0])
    assert some.names == ("c", "a")
    assert some.kinds == (said.kinds[2], said.kinds[0])
    np.testing.assert_array_equal(some.log_odds, said.log_odds[:, [2, 0]])
    assert some.digest == "" != said.digest
    np.testing.assert_array_equal(some.labels, said.labels)
    rows = [7, 2, 3, 1]
    few = said.take(rows)
    np.testing.assert_array_equal(few.log_odds, said.log_odds[rows])
    np.testing.assert_array_equal(few.labels, said.labels[rows])
    np.testing.assert_array_equal(few.weights, said.weights[rows])
    assert few.digest == ""
    assert few.names == said.names
    with pytest.raises(REFUSED, match="carries weight"):
        said.take([0, classes])
    shares = said.shares()
    np.testing.assert_allclose(shares[0], 0.5 if classes == 2 else 1 / 3)
    for one in (some, few, said):
        assert np.moveaxis(one.log_odds, 1, 0).flags.c_contiguous
    mixed = Probabilities({"v": [0, 1, 1, 0], "p": [0.2, 0.7, 0.9, 0.4]}, [0, 1, 0, 1], clip=0.01)
    assert mixed.kinds == (VOTE, PROBABILITY)
    assert mixed.select([1]).kinds == (PROBABILITY,)
    np.testing.assert_allclose(mixed.shares()[:, 0], [0.01, 0.99, 0.99, 0.01])
    scores = Probabilities([[3.0], [-2.0]], [0, 1], scores=True)
    with pytest.raises(REFUSED, match="'c0' gives scores"):
        scores.shares()


def test_a_fingerprint_is_of_all_that_was_said_and_of_nothing_else():
    names, classes, labels = ("a", "b"), (0, 1), np.array([0, 1, 1])
    members = [np.array([0.5, -0.0, NAN]), np.array([1.0, 0.0, 0.25])]
    told = digest_of(names, classes, labels, members)
    by_hand = hashlib.sha256(json.dumps([["a", "b"], [0, 1]]).encode() + b"\n")
    for column in (labels, [0.5, 0.0, NAN], members[1]):
        by_hand.update(np.asarray(column, dtype="<f8").tobytes())
    assert told == by_hand.hexdigest()
    other = -np.array([NAN, NAN, NAN])
    same = [np.where(np.isnan(members[0]), other, members[0]), members[1]]
    assert digest_of(names, classes, labels, same) == told
    wide = [np.arange(6.0).reshape(3, 2)]
    flat = digest_of(("a",), classes, labels, wide)
    by_hand = hashlib.sha256(json.dumps([["a"], [0, 1]]).encode() + b"\n")
    for column in (labels, [0, 2, 4], [1, 3, 5]):
        by_hand.update(np.asarray(column, dtype="<f8").tobytes())
    assert flat == by_hand.hexdigest()
    for changed in (
        (("a", "c"), classes, labels, members), (names, (1, 0), labels, members),
        (names, classes, 1 - labels, members), (names, classes, labels, members[::-1]),
    ):  # fmt: skip
        assert digest_of(*changed) != told


def committee(**other):
    given = {
        "members": (1, 3), "names": ("b", "d"), "weights": (0.5, 2.0), "intercepts": (0.25,),
        "classes": ("n", "y"), "kinds": (PROBABILITY, VOTE), "clip": 0.01, "pool_size": 4,
    }  # fmt: skip
    return SoftCommittee(**{**given, **other})


def test_a_committee_says_what_its_members_do_together():
    rows = np.array([[0.0, 0.2, 0.0, 1.0], [0.0, 0.9, 0.0, 0.0], [0.5, NAN, 0.5, NAN]])
    odds = 0.25 + 0.5 * np.log([0.25, 9.0, 1.0]) + 2 * np.array([1.0, -1.0, 0.0])
    made = committee()
    share = made.predict_proba(rows)
    np.testing.assert_allclose(share[:, 1], 1 / (1 + np.exp(-odds)))
    np.testing.assert_allclose(share.sum(axis=1), 1)
    np.testing.assert_allclose(made.predict_proba(rows[:, [1, 3]]), share)
    np.testing.assert_allclose(made.predict_proba({"d": rows[:, 3], "b": rows[:, 1]}), share)
    frame = pd.DataFrame(rows, columns=list("abcd"))
    np.testing.assert_allclose(made.predict_proba(frame[["d", "b", "a"]]), share)
    assert made.predict(rows).tolist() == ["y" if one > 0 else "n" for one in odds]
    linear = committee(rule="linear_pool", intercepts=(), weights=(1.0, 3.0))
    mean = 0.25 * np.array([0.2, 0.9, 0.5]) + 0.75 * np.array([0.99, 0.01, 0.5])
    np.testing.assert_allclose(linear.predict_proba(rows)[:, 1], mean)
    np.testing.assert_allclose(linear.predict_proba(rows).sum(axis=1), 1)
    assert replace(linear, cutoff=float(mean[0])).predict(rows)[0] == "n"  # at the cut-off: no
    assert replace(linear, cutoff=float(mean[0]) - 1e-9).predict(rows)[0] == "y"
    with pytest.raises(REFUSED, match="has 3 columns"):
        made.predict(rows[:, :3])
    said = Probabilities(rows[:2], ["n", "y"], names=list("abcd"), clip=0.01)
    np.testing.assert_allclose(made.predict_proba(said), share[:2])
    with pytest.raises(REFUSED, match="other classes"):
        committee(classes=("y", "n")).predict(said)


def test_a_committee_of_several_classes_takes_a_softmax():
    rng = np.random.default_rng(0)
    rows = rng.dirichlet(np.ones(3), (5, 4))
    made = committee(
        classes=("a", "b", "c"), intercepts=(0.5, -0.25, 0.0), kinds=(PROBABILITY,) * 2
    )
    z = 0.5 * np.log(rows[:, 1].clip(0.01, 0.98)) + 2 * np.log(rows[:, 3].clip(0.01, 0.98))
    z = np.exp(z + np.array([0.5, -0.25, 0.0]))
    np.testing.assert_allclose(made.predict_proba(rows), z / z.sum(axis=1, keepdims=True))
    assert made.predict(rows).tolist() == [("a", "b", "c")[i] for i in z.argmax(axis=1)]
    pooled = replace(made, rule="linear_pool", intercepts=())
    each = np.stack([rows[:, 1], rows[:, 3]]).clip(0.01, 0.98)
    each = each / each.sum(axis=2, keepdims=True)
    np.testing.assert_allclose(pooled.predict_proba(rows), 0.2 * each[0] + 0.8 * each[1])


@pytest.mark.parametrize(
    "wrong",
    [
        {"members": ()}, {"members": (3, 1)}, {"members": (1, 1)}, {"members": (-1, 3)},
        {"members": (1, 4)}, {"names": ("b",)}, {"names": ("b", "b")}, {"weights": (0.5,)},
        {"weights": (0.5, -1e-9)}, {"weights": (0.5, NAN)}, {"kinds": (VOTE,)},
        {"kinds": (VOTE, "guess")}, {"classes": ("n",)}, {"classes": ("n", "n")},
        {"rule": "mean"}, {"intercepts": ()}, {"intercepts": (1.0, 2.0)}, {"intercepts": (NAN,)},
        {"rule": "linear_pool"}, {"classes": ("a", "b", "c")}, {"clip": 0.0}, {"clip": 0.5},
        {"cutoff": -0.01}, {"cutoff": 1.01},
    ],
)  # fmt: skip
def test_what_is_no_committee_is_refused(wrong):
    with pytest.raises(REFUSED):
        committee(**wrong)


def test_the_edges_of_a_committee_are_taken():
    for fine in (
        {"members": (0, 3)}, {"weights": (0.0, 0.0)}, {"cutoff": 0.0}, {"cutoff": 1.0},
        {"clip": 0.499}, {"kinds": (SCORE, VOTE)},
    ):  # fmt: skip
        assert committee(**fine).size == 2


def test_a_committee_on_file_is_the_same(tmp_path):
    for made in (
        committee(cutoff=0.3), committee(rule="linear_pool", intercepts=(), cutoff=0.0),
        committee(classes=(1, 2, 3), intercepts=(0.5, 1.0, 0.0)),
    ):  # fmt: skip
        file = tmp_path / "c.json"
        made.save(file)
        assert SoftCommittee.load(file) == made
        text = json.loads(file.read_text())
        for key, value in (("weights", ["1", 2]), ("weights", [True, 2]), ("pool_size", 2)):
            file.write_text(json.dumps({**text, key: value}))
            with pytest.raises(vp.VotepruneError):
                SoftCommittee.load(file)
