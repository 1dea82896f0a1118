"""`Votes` takes what people have, refuses what it cannot mean, and never touches the original."""

import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import voteprune as vp

PREDICTIONS = [[0.5, 0.49, 1], [0, 1, 0.2], [0.7, 0.7, 0.5]]
LABELS = [1, 0, 1]
EXPECTED = [[True, False, True], [False, True, False], [True, True, True]]


def test_a_half_is_a_positive_vote():
    assert vp.Votes(PREDICTIONS, LABELS).matrix.tolist() == EXPECTED


@pytest.mark.parametrize(
    "make",
    [
        np.array,
        lambda rows: pd.DataFrame(rows, columns=["a", "b", "c"]),
        lambda rows: pl.DataFrame(rows, schema=["a", "b", "c"], orient="row", strict=False),
        lambda rows: pa.table(dict(zip("abc", map(list, zip(*rows, strict=True)), strict=True))),
    ],
    ids=["numpy", "pandas", "polars", "pyarrow"],
)
def test_arrays_and_frames_of_any_kind_give_the_same_votes(make):
    votes = vp.Votes(make(PREDICTIONS), LABELS)
    assert votes.matrix.tolist() == EXPECTED
    assert votes.names in (("a", "b", "c"), ("c0", "c1", "c2"))


@pytest.mark.parametrize(
    "make", [np.array, pd.Series, pl.Series, list, lambda y: np.array(y)[:, None]]
)
def test_labels_of_any_vector_kind_are_read(make):
    assert vp.Votes(PREDICTIONS, make(LABELS)).labels.tolist() == [True, False, True]
    assert vp.Votes(PREDICTIONS, make([True, False, True])).labels.tolist() == [True, False, True]


def test_the_callers_arrays_are_neither_kept_nor_changed():
    predictions, labels = np.array(EXPECTED), np.array(LABELS)
    votes = vp.Votes(predictions, labels)
    predictions[:] = False
    labels[:] = 0
    assert votes.matrix.tolist() == EXPECTED
    assert votes.labels.tolist() == [True, False, True]


def test_votes_cannot_be_changed():
    votes = vp.Votes(PREDICTIONS, LABELS)
    with pytest.raises(ValueError, match="read-only"):
        votes.matrix[0, 0] = False
    with pytest.raises(AttributeError, match="immutable"):
        votes.names = ("x", "y", "z")


def test_votes_survive_pickling_for_parallel_runs():
    votes = pickle.loads(pickle.dumps(vp.Votes(PREDICTIONS, LABELS, sample_weight=[0.5, 1, 2])))
    assert votes.matrix.tolist() == EXPECTED
    assert votes.weights.tolist() == [1, 2, 4]
    assert votes.denominator == 2


def test_select_keeps_names_with_their_columns():
    votes = vp.Votes(PREDICTIONS, LABELS, names=["a", "b", "c"]).select([2, 0])
    assert votes.names == ("c", "a")
    assert votes.matrix.tolist() == [[True, True], [False, False], [True, True]]


def test_weights_are_read_as_the_decimals_they_print_as():
    votes = vp.Votes(PREDICTIONS, LABELS, sample_weight=[0.1, 0.2, 0.3])
    assert (votes.weights.tolist(), votes.denominator) == ([1, 2, 3], 10)


def test_single_precision_is_read_as_it_prints():
    weights = np.array([0.1, 0.2, 0.3], dtype=np.float32)
    votes = vp.Votes(PREDICTIONS, LABELS, sample_weight=weights)
    assert (votes.weights.tolist(), votes.denominator) == ([1, 2, 3], 10)


BAD = {
    "nan": ([[np.nan, 1]], [1], {}, "predictions"),
    "inf": ([[np.inf, 1], [0, 1]], [1, 0], {}, "predictions"),
    "missing": ([[None, 1], [0, 1]], [1, 0], {}, "predictions"),
    "masked": (np.ma.masked_array([[0, 1], [1, 0]], [[1, 0], [0, 0]]), [1, 0], {}, "predictions"),
    "pandas' NA": (
        pd.DataFrame({"a": pd.array([True, None], dtype="boolean")}), [1, 0], {}, "predictions",
    ),
    "a column twice": (
        pd.DataFrame([[0, 1], [1, 0]], columns=["a", "a"]), [1, 0], {}, "predictions",
    ),
    "numbers as text": (np.array([["0"], ["1"]], dtype=object), [1, 0], {}, "predictions"),
    "ragged labels": (PREDICTIONS, [[0], [1, 0], [1]], {}, "y"),
    "above one": ([[1.2, 1], [0, 1]], [1, 0], {}, "predictions"),
    "below zero": ([[-0.1, 1], [0, 1]], [1, 0], {}, "predictions"),
    "text": ([["a", "b"], ["c", "d"]], [1, 0], {}, "predictions"),
    "ragged": ([[1, 0], [1]], [1, 0], {}, "predictions"),
    "a vector": ([0, 1, 1], [1, 0, 1], {}, "predictions"),
    "no classifiers": (np.empty((2, 0)), [1, 0], {}, "predictions"),
    "no rows": (np.empty((0, 3)), [], {}, "predictions"),
    "three classes": (PREDICTIONS, [0, 1, 2], {}, "y"),
    "minus one": (PREDICTIONS, [-1, 1, 1], {}, "y"),
    "text labels": (PREDICTIONS, ["no", "yes", "no"], {}, "y"),
    "missing label": (PREDICTIONS, [0, 1, None], {}, "y"),
    "nan label": (PREDICTIONS, [0, 1, np.nan], {}, "y"),
    "only positives": (PREDICTIONS, [1, 1, 1], {}, "y"),
    "only negatives": (PREDICTIONS, [0, 0, 0], {}, "y"),
    "no labels": (PREDICTIONS, None, {}, "y"),
    "too few labels": (PREDICTIONS, [0, 1], {}, "y"),
    "label matrix": (PREDICTIONS, [[0, 1], [1, 0], [1, 1]], {}, "y"),
    "negative weight": (PREDICTIONS, LABELS, {"sample_weight": [1, -1, 1]}, "sample_weight"),
    "nan weight": (PREDICTIONS, LABELS, {"sample_weight": [1, np.nan, 1]}, "sample_weight"),
    "text weight": (PREDICTIONS, LABELS, {"sample_weight": ["a", "b", "c"]}, "sample_weight"),
    "too many weights": (PREDICTIONS, LABELS, {"sample_weight": [1] * 4}, "sample_weight"),
    "a class of no weight": (PREDICTIONS, LABELS, {"sample_weight": [1, 0, 1]}, "y"),
    "too few names": (PREDICTIONS, LABELS, {"names": ["a"]}, "names"),
    "a name twice": (PREDICTIONS, LABELS, {"names": ["a", "a", "b"]}, "names"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_votes_are_refused_by_the_name_of_the_argument(case):
    predictions, labels, options, argument = BAD[case]
    with pytest.raises(vp.InputError) as caught:
        vp.Votes(predictions, labels, **options)
    assert caught.value.argument == argument


def test_taking_rows_keeps_their_labels_and_weights():
    votes = vp.Votes([[0, 1], [1, 1], [1, 0]], [0, 1, 1], sample_weight=[0.5, 1, 2])
    taken = votes.take([2, 0])
    assert taken.matrix.tolist() == [[True, False], [False, True]]
    assert taken.labels.tolist() == [True, False]
    assert (taken.weights / taken.denominator).tolist() == [2, 0.5]
    with pytest.raises(vp.InputError, match="class 0"):
        votes.take([1, 2])


@pytest.mark.parametrize("kind", [vp.Votes, vp.PluralityVotes, vp.Probabilities])
def test_every_table_crosses_the_borders_of_processes_and_stays_as_it_is(kind):
    table = kind([[1, 0, 1], [0, 1, 0], [1, 1, 0]], LABELS)
    copy = pickle.loads(pickle.dumps(table))
    assert type(copy) is kind
    for slot in kind.__slots__:
        there, back = getattr(table, slot), getattr(copy, slot)
        assert np.array_equal(there, back)
        assert not isinstance(back, np.ndarray) or not back.flags.writeable
    with pytest.raises(AttributeError, match=f"{kind.__name__} is immutable"):
        copy.names = ()


def kinds():
    """Votes and probabilities, whose rows and classifiers are taken alike."""
    rng = np.random.default_rng(3)
    y = np.arange(6) % 2
    said = np.clip(y[:, None] * 0.6 + 0.4 * rng.random((6, 3)), 0, 1)
    return [vp.Votes(said, y, names=list("abc")), vp.Probabilities(said, y, names=list("abc"))]


@pytest.mark.parametrize("votes", kinds())
def test_rows_are_taken_by_a_mask_or_by_places(votes):
    mask = np.array([True, False, True, True, True, False])
    for meant in (mask, mask.tolist(), np.flatnonzero(mask), [0, 2, 3, -2]):
        taken = votes.take(meant)
        assert taken.n_rows == 4
        assert (taken.labels == votes.labels[mask]).all()
    for wrong in (mask[:5], [0.9, 1.7], ["a"], 3, [[0, 1]], [0, 6], [-7, 1], slice(3), None):
        with pytest.raises(vp.InputError) as error:
            votes.take(wrong)
        assert error.value.argument == "rows"


@pytest.mark.parametrize("votes", kinds())
def test_classifiers_are_selected_by_places_names_or_a_mask(votes):
    for meant in ([2, 0], ["c", "a"], np.array(["c", "a"]), np.array([2, 0]), (2, -3)):
        assert votes.select(meant).names == ("c", "a")
    assert votes.select([True, False, True]).names == ("a", "c")
    for wrong in ([True, False], ["d"], "a", [0.5], [3], ["a", 0], None, [], [False] * 3):
        with pytest.raises(vp.InputError) as error:
            votes.select(wrong)
        assert error.value.argument == "columns"


@pytest.mark.parametrize(
    "weights",
    [
        [Fraction(1, 3), Fraction(1, 6), Fraction(1, 2)],
        [Fraction(1, 3), Decimal("0.5"), 2],
        [2**70, 1, 0],
        np.array([3, 1, 2], dtype=object),
    ],
)
def test_weights_may_be_exact_numbers_of_any_kind(weights):
    votes = vp.Votes([[0], [1], [1]], [0, 1, 0], sample_weight=weights)
    told = [Fraction(int(w), votes.denominator) for w in votes.weights]
    assert told == [Fraction(w) for w in weights]
    several = vp.PluralityVotes([[0], [1], [1]], [0, 1, 0], sample_weight=weights)
    assert several.weights.tolist() == votes.weights.tolist()


@pytest.mark.parametrize(
    "odd", [Fraction(-1), Decimal("NaN"), Decimal("Infinity"), "1", None, True, 1j]
)
def test_other_objects_are_no_weights(odd):
    with pytest.raises(vp.InputError, match="finite numbers, zero or above") as error:
        vp.Votes([[0], [1], [1]], [0, 1, 0], sample_weight=np.array([1, odd, 1], dtype=object))
    assert error.value.argument == "sample_weight"
