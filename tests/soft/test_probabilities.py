"""`Probabilities`: what comes in is what is meant, and what is wrong is refused by name."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

from voteprune.exceptions import InputError
from voteprune.soft.probabilities import Probabilities

P = np.array([[0.9, 1, 0.2], [0.4, 0, 0.0], [0.99999, 1, np.nan], [0.0, 1, 0.7]])
Y = [1, 0, 1, 0]


def test_probabilities_become_log_odds_votes_one_and_silence_nothing():
    said = Probabilities(P, Y)
    logit = np.log(0.9999 / 0.0001)
    np.testing.assert_allclose(said.log_odds[:, 0], [np.log(9), np.log(2 / 3), logit, -logit])
    np.testing.assert_array_equal(said.log_odds[:, 1], [1, -1, 1, 1])
    np.testing.assert_allclose(said.log_odds[:, 2], [np.log(0.25), -logit, 0, np.log(7 / 3)])
    assert said.kinds == ("probability", "vote", "probability")
    assert (said.n_rows, said.n_classifiers, said.classes) == (4, 3, (0, 1))
    assert said.names == ("c0", "c1", "c2")


def test_frames_mappings_and_nested_lists_say_the_same():
    said = Probabilities(P, Y, names=["a", "b", "c"])
    table = {name: P[:, k] for k, name in enumerate("abc")}
    nullable = pd.DataFrame(table).astype("Float64")
    for other in (
        pd.DataFrame(table),
        nullable,
        pl.DataFrame(table),
        table,
        {name: np.column_stack([1 - column, column]) for name, column in table.items()},
    ):
        made = Probabilities(other, pl.Series(Y))
        np.testing.assert_allclose(made.log_odds, said.log_odds, atol=1e-12)
        assert made.names == said.names
    deep = np.stack([1 - P, P], axis=2)
    np.testing.assert_allclose(Probabilities(deep, Y).log_odds, said.log_odds, atol=1e-12)


def test_the_positive_class_is_the_last_unless_another_is_named():
    words = ["yes", "no", "yes", "no"]
    assert Probabilities(P, words).classes == ("no", "yes")
    np.testing.assert_array_equal(Probabilities(P, words).labels, Y)
    other = Probabilities(P, words, positive="no")
    assert other.classes == ("yes", "no")
    np.testing.assert_array_equal(other.labels, [0, 1, 0, 1])
    deep = np.stack([1 - P, P], axis=2)
    flipped = Probabilities(deep, words, positive="no")
    np.testing.assert_allclose(flipped.log_odds, -Probabilities(deep, words).log_odds, atol=1e-12)
    labels = Probabilities({"a": ["yes", "no", None, "no"], "b": P[:, 0]}, words)
    np.testing.assert_array_equal(labels.log_odds[:, 0], [1, -1, 0, -1])


def test_several_classes_are_log_probabilities_and_unit_vectors():
    three = np.array([[0.7, 0.3, 0.0], [0.2, 0.5, 0.3], [np.nan] * 3])
    said = Probabilities({"p": three, "v": ["b", "c", None]}, ["a", "b", "c"])
    np.testing.assert_allclose(said.log_odds[0, 0], np.log([0.7, 0.3, 0.0001]))
    np.testing.assert_array_equal(said.log_odds[2], np.zeros((2, 3)))
    np.testing.assert_array_equal(said.log_odds[:, 1], [[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    sure = Probabilities(np.array([[[1, 0, 0]], [[0, 0.5, 0.5]], [[0, 0, 1]]]), [0, 1, 2])
    assert sure.log_odds.max() == pytest.approx(np.log(0.9998))
    shares = said.shares()
    np.testing.assert_allclose(shares.sum(axis=2), 1)
    np.testing.assert_allclose(shares[2], 1 / 3)
    np.testing.assert_allclose(shares[0, 1], [0.0001, 0.9998, 0.0001])


def test_scores_come_in_as_they_are():
    grades = np.column_stack([[0, 3, 1, 2], P[:, 0]])
    said = Probabilities(grades, Y, scores=[0])
    np.testing.assert_array_equal(said.log_odds[:, 0], [0, 3, 1, 2])
    assert said.kinds == ("score", "probability")
    assert Probabilities(grades * 9, Y, scores=True).log_odds[1, 0] == 27
    with pytest.raises(InputError, match="scores"):
        said.shares()


def test_shares_undo_the_log_odds():
    shares = Probabilities(P, Y).shares()
    np.testing.assert_allclose(shares[:, 0], [0.9, 0.4, 0.9999, 0.0001])
    np.testing.assert_allclose(shares[:, 1], [0.9999, 0.0001, 0.9999, 0.9999])
    assert shares[2, 2] == pytest.approx(0.5)


def test_parts_and_copies_are_the_same_and_cannot_be_changed():
    said = Probabilities(P, Y, sample_weight=[1, 2, 0.5, 3])
    part = said.take([3, 0]).select([2, 0])
    np.testing.assert_array_equal(part.log_odds, said.log_odds[[3, 0]][:, [2, 0]])
    assert part.names == ("c2", "c0")
    np.testing.assert_array_equal(part.weights, [3, 1])
    copy = pickle.loads(pickle.dumps(said))
    np.testing.assert_array_equal(copy.log_odds, said.log_odds)
    assert copy.classes == said.classes
    with pytest.raises(ValueError):
        said.log_odds[0, 0] = 1
    with pytest.raises(AttributeError):
        said.clip = 0.1
    with pytest.raises(InputError, match="no row of class"):
        said.take([0, 2])


DEEP = np.full((4, 2, 3), 1 / 3)


@pytest.mark.parametrize(
    ("arguments", "argument", "words"),
    [
        ((P + 1, Y), "predictions", r"\[0, 1\]"),
        ((-P, Y), "predictions", r"\[0, 1\]"),
        ((np.where(P > 0.8, np.inf, P), Y), "predictions", "infinite"),
        ((P[:, 0], Y), "predictions", "shape"),
        ((np.empty((0, 2)), []), "predictions", "shape"),
        (([["a", "b"]] * 4, Y), "predictions", "text"),
        (([[0.1], [0.2, 0.3]], [0, 1]), "predictions", "length"),
        ((np.where([True, False, False], np.nan, P), Y), "predictions", "missing on every row"),
        ((P, None), "y", "missing"),
        ((P, [1, 1, 1, 1]), "y", "one class"),
        ((P, [1, 0, 1]), "y", "entries"),
        ((P, [1, 0, None, 0]), "y", "none missing"),
        ((P, [0, 1, 2, 0]), "predictions", "2 dimensions"),
        ((DEEP, Y), "predictions", "knows 3 classes"),
        ((DEEP * 2, [0, 1, 2, 0]), "predictions", "sum to"),
        (({"a": P[:, 0], "b": P[:2, 0]}, Y), "predictions['b']", "shape"),
        (({"a": ["x", 1, 1, 1]}, ["x", "z", "x", "z"]), "predictions['a']", "none of the classes"),
        (({}, Y), "predictions", "no member"),
        (({"a": 0.5}, [1]), "y", "0 rows"),
    ],
)
def test_what_is_wrong_is_refused_by_name(arguments, argument, words):
    with pytest.raises(InputError, match=words) as refused:
        Probabilities(*arguments)
    assert refused.value.argument == argument


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"names": ["a", "b"]}, "names"),
        ({"names": ["a", "a", "b"]}, "names"),
        ({"sample_weight": [1, 1, 1, -1]}, "sample_weight"),
        ({"sample_weight": [1, 1, 1, np.nan]}, "sample_weight"),
        ({"sample_weight": [1, 1, 1, 1e101]}, "sample_weight"),
        ({"predictions": P * 1e101, "scores": True}, "predictions"),
        ({"sample_weight": [1, 0, 1, 0]}, "y"),
        ({"classes": [0, 1, 2]}, "y"),
        ({"classes": [0, 2]}, "y"),
        ({"classes": [0, 0, 1]}, "classes"),
        ({"positive": 3}, "positive"),
        ({"clip": 0}, "clip"),
        ({"clip": 0.5}, "clip"),
        ({"scores": ["nobody"]}, "scores"),
        ({"scores": [3]}, "scores"),
    ],
)
def test_wrong_options_are_refused_by_name(options, argument):
    with pytest.raises(InputError) as refused:
        Probabilities(**{"predictions": P, "y": Y, **options})
    assert refused.value.argument == argument


def members(said, y, **options):
    """What each member says about the positive class, as probabilities, and their kinds."""
    made = Probabilities(said, y, clip=1e-9, **options)
    return np.round(made.shares(), 6).T.tolist(), made.kinds


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        (["no", "yes"], None), (["no", "yes"], "no"), ([0, 1], None), ([0, 1], 0), ([1, 2], None),
        ([1, 2], 1), ([-1, 1], None), ([-1, 1], -1), ([False, True], None), ([False, True], False),
    ],
)  # fmt: skip
def test_class_labels_of_a_mapping_are_votes_whatever_the_classes_are_called(labels, positive):
    names, truth = np.array(labels), np.array([0, 1, 1, 0])
    y = names[truth]
    turned = positive == labels[0]
    said = {"perfect": y, "wrong": names[1 - truth], "sure": np.array([0.25, 0.5, 1.0, 0.0])}
    found, kinds = members(said, y, positive=positive)
    perfect = (1 - truth if turned else truth).tolist()
    assert found == [perfect, [1 - vote for vote in perfect], [0.25, 0.5, 1.0, 0.0]]
    assert kinds == ("vote", "vote", "probability")


def test_numbers_that_may_be_either_are_what_they_were():
    """Floats from 0 to 1 are probabilities, scores are scores, and a data frame has no labels."""
    y = np.array([1, 0, 0, 1])
    assert members({"a": 1.0 - y}, y, positive=0)[0] == [[0, 1, 1, 0]]
    assert members(pd.DataFrame({"a": 1 - y}), y, positive=0)[0] == [[0, 1, 1, 0]]
    grades = np.array([1, 2, 2, 1])
    scored = Probabilities({"a": grades}, grades, scores=True)
    assert scored.log_odds[:, 0].tolist() == [1, 2, 2, 1]
    with_gaps = {"a": [2.0, np.nan, 1.0, 2.0]}
    assert members(with_gaps, grades)[0] == [[1, 0.5, 0, 1]]
    with pytest.raises(InputError, match=r"'a' says 2\.0 on row 0"):
        Probabilities({"a": [2, 1, 1, 3]}, grades)


@pytest.mark.parametrize("words", [["n", "p"], ["n", "o", "p"], [1, 2], [1, 2, 3]])
def test_masked_labels_of_a_mapping_are_abstentions(words):
    y = np.array(words)[np.arange(6) % len(words)]
    mask = np.arange(6) % 4 == 0
    masked = Probabilities({"a": np.ma.masked_array(y, mask), "b": y}, y)
    silent = [None if gone else label for label, gone in zip(y, mask, strict=True)]
    meant = Probabilities({"a": silent, "b": y}, y)
    np.testing.assert_array_equal(masked.log_odds, meant.log_odds)
    assert not masked.log_odds[mask, 0].any()
    assert masked.log_odds[~mask, 0].any()
    unmasked = Probabilities({"a": np.ma.masked_array(y, False)}, y)
    np.testing.assert_array_equal(unmasked.log_odds[:, 0], masked.log_odds[:, 1])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_hair_beyond_0_or_1_is_rounding(n_classes):
    y = np.arange(6) % n_classes
    exact = np.eye(n_classes)[y]
    off = exact + np.where(exact == 1, 2.0**-52, -1e-17)
    given, meant = (
        {"a": said, "b": np.full((6, n_classes), 1 / n_classes)} for said in (off, exact)
    )
    one, other = Probabilities(given, y), Probabilities(meant, y)
    assert one.kinds == other.kinds == ("vote", "probability")
    np.testing.assert_array_equal(one.log_odds, other.log_odds)
    assert one.digest == other.digest


def test_more_than_a_hair_beyond_is_no_probability():
    for wrong in (1 + 2e-6, -2e-6):
        with pytest.raises(InputError, match="Probabilities lie in"):
            Probabilities([[0.1], [wrong]], [0, 1])
    assert Probabilities([[0.1], [1 + 5e-7]], [0, 1]).log_odds[1, 0] == pytest.approx(
        9.21, abs=0.01
    )
    assert Probabilities([[-0.5], [1 + 5e-7]], [0, 1], scores=True).log_odds[1, 0] == 1 + 5e-7
