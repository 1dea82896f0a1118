"""Sums bit by bit against plain sums: every number of rows, widths, carries and comparisons."""

import numpy as np
import pytest

from voteprune.primal.plurality_sums import add, at_least, at_place, packed, unpacked


def numbers_of(planes):
    return sum(unpacked(row).astype(object) * 2**place for place, row in enumerate(planes))


@pytest.mark.parametrize("count", [*range(12), 30])
@pytest.mark.parametrize("words", [1, 3])
def test_rows_of_every_place_are_added_up(count, words):
    random = np.random.default_rng(count)
    planes, expected = [], np.zeros(64 * words, dtype=object)
    for place in range(4):
        rows = random.random((count if place != 2 else 0, 64 * words)) < 0.6
        expected = expected + rows.sum(axis=0).astype(object) * 2**place
        half = count // 2
        parts = [packed(rows[:half]), packed(rows[half:])] if len(rows) else []
        planes.append(parts)
    np.testing.assert_array_equal(numbers_of(add(planes, words)), expected)


def test_nothing_sums_to_nothing():
    assert add([], 2) == []
    assert [row.tolist() for row in add([[], []], 2)] == [[0, 0], [0, 0]]


def test_bits_become_words_and_bits_again():
    bits = np.random.default_rng(0).random((3, 128)) < 0.5
    words = packed(bits)
    assert words.shape == (3, 2)
    assert int(words[0, 1]) == sum(1 << i for i in range(64) if bits[0, 64 + i])
    np.testing.assert_array_equal(unpacked(words), bits)


def test_places_are_made_as_they_are_asked_for():
    planes = []
    at_place(planes, 2).append("row")
    assert planes == [[], [], ["row"]]
    at_place(planes, 0).append("other")
    assert planes == [["other"], [], ["row"]]
    assert len(planes) == 3


@pytest.mark.parametrize("places", [0, 1, 4])
def test_at_least_is_at_least(places):
    """Below nothing, at every number, and above all that the places can say."""
    random = np.random.default_rng(places)
    numbers = random.integers(0, 2**places, 64)
    for least in range(-2, 2**places + 3):
        both = np.array([least, 2**places + 1 - least], dtype=object)
        planes = [
            np.repeat(packed((numbers >> place & 1 == 1)[None]), 2, axis=0)
            for place in range(places)
        ]
        told = unpacked(at_least(planes, both, (2, 1)))
        for row, number in zip(told, both, strict=True):
            np.testing.assert_array_equal(row, numbers >= number)
