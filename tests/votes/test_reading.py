"""Votes as people have them: mappings, two words, grades and other cut-offs."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import voteprune as vp


def test_a_mapping_of_columns_is_read_with_its_names():
    votes = vp.Votes({"a": [0, 1, 1], "b": np.array([0.2, 0.5, 0.9]), "c": pd.Series([1, 0, 1])},
                     [0, 1, 1])  # fmt: skip
    assert votes.names == ("a", "b", "c")
    assert votes.matrix.tolist() == [[0, 0, 1], [1, 1, 0], [1, 1, 1]]


def test_two_words_are_read_where_one_is_named_positive():
    y = np.array(["good", "bad", "bad"])
    votes = vp.Votes([["good", "bad"], ["bad", "bad"], ["good", "good"]], y, positive="bad")
    assert votes.labels.tolist() == [False, True, True]
    assert votes.matrix.tolist() == [[0, 1], [1, 1], [0, 0]]
    # Probabilities of the positive class may stand beside words.
    mixed = vp.Votes({"a": ["good", "bad", "bad"], "b": [0.1, 0.7, 0.4]}, y, positive="bad")
    assert mixed.matrix.tolist() == [[0, 0], [1, 1], [1, 0]]


def test_two_numbers_are_classes_where_one_is_named_positive():
    votes = vp.Votes([[1], [2], [2]], [1, 2, 1], positive=1)
    assert votes.matrix[:, 0].tolist() == [True, False, False]
    swapped = vp.Votes([[0], [1]], [0, 1], positive=0)
    assert swapped.labels.tolist() == [True, False]
    assert swapped.matrix[:, 0].tolist() == [True, False]
    signs = vp.Votes([[-1, 0.2], [1, 0.8]], [-1, 1], positive=1)
    assert signs.matrix.tolist() == [[False, False], [True, True]]
    # A 1 could be class 1, the negative one, or certainty: numbers between are refused.
    with pytest.raises(vp.InputError, match=r"row 1, column 0 is .*none of the classes 2 and 1"):
        vp.Votes([[1.0], [0.7]], [1, 2], positive=2)


def test_the_cutoff_says_from_where_on_a_vote_is_positive():
    assert vp.Votes([[0.3], [0.29]], [1, 0], cutoff=0.3).matrix[:, 0].tolist() == [True, False]
    assert vp.Votes([[3], [1]], [1, 0], cutoff=2).matrix[:, 0].tolist() == [True, False]
    assert vp.Votes([[-0.1], [7.0]], [1, 0], cutoff=0).matrix[:, 0].tolist() == [False, True]


@pytest.mark.parametrize(
    ("arguments", "options", "argument", "words"),
    [
        (([[0], [1]], ["good", "bad"]), {}, "y", "positive='bad' or positive='good'"),
        (([[0], [1]], ["a", "b"]), {"positive": "c"}, "positive", "'a', 'b'"),
        (([[0], [1], [1]], ["a", "b", "c"]), {"positive": "a"}, "y", "PluralityVotes"),
        (([["x"], ["b"]], ["a", "b"]), {"positive": "a"}, "predictions", "row 0, column 0"),
        (([[0, 1], [1, "no"]], [0, 1]), {}, "predictions", "'0', a str"),
        (({"a": [0, 1], "b": [0]}, [0, 1]), {}, "predictions", "column 'b' has shape (1,)"),
        (({}, [0, 1]), {}, "predictions", "empty mapping"),
        (({1, 2}, [0, 1]), {}, "predictions", "is a set"),
        (([[0.5], [2]], [0, 1]), {"cutoff": 0.4}, "predictions", "cutoff=0"),
        (([[0.5], [1]], [0, 1]), {"cutoff": "half"}, "cutoff", "expected a number"),
        (([[0.5], [1]], [0, 1]), {"cutoff": float("nan")}, "cutoff", "expected a number"),
        (([[0.5], [np.nan]], [0, 1]), {}, "predictions", "1 missing in all"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_cure(arguments, options, argument, words):
    with pytest.raises(vp.InputError) as caught:
        vp.Votes(*arguments, **options)
    assert caught.value.argument == argument
    assert words in str(caught.value)


@pytest.mark.parametrize("slip", [1.0000000000000002, 1 + 9e-7, -1e-17])
def test_probabilities_may_be_off_by_a_rounding_error(slip):
    y = [0, 1, 1]
    said = np.array([[0.2], [slip], [0.8]])
    expected = [[False], [slip > 0.5], [True]]
    assert vp.Votes(said, y).matrix.tolist() == expected
    named = vp.Votes(said, ["ham", "spam", "spam"], positive="spam")
    assert named.matrix.tolist() == expected
    for labels, positive in ((y, 1), (["ham", "spam", "spam"], "spam"), ([-1, 1, 1], 1)):
        frame = pl.DataFrame({"y": labels, "m": said[:, 0]}).lazy()
        scanned = vp.Votes.scan(frame, "y", positive=positive)
        weighed = scanned.weights[scanned.matrix[:, 0]].sum()
        assert weighed == sum(map(sum, expected))
    for wrong in (1 + 2e-6, -2e-6):
        with pytest.raises(vp.InputError, match=r"lie in \[0, 1\]"):
            vp.Votes([[0.2], [wrong], [0.8]], y)
        with pytest.raises(vp.InputError, match=r"lie in \[0, 1\]"):
            vp.Votes.scan(pl.DataFrame({"y": y, "m": [0.2, wrong, 0.8]}).lazy(), "y")
