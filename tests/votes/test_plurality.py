"""Votes for classes: what is read as one."""

import pytest

import voteprune as vp


def test_probabilities_are_no_classes_unless_they_are_named():
    shares = [[0.2, 0.7], [0.4, 0.9]]
    for y in ([0, 1], ["a", "b"]):
        with pytest.raises(vp.InputError, match=r"0\.2 is no class of y.*vp\.Probabilities"):
            vp.PluralityVotes(shares, y)
    assert vp.PluralityVotes([[0.5, 1.5], [1.5, 0.5]], [0.5, 1.5]).classes == (0.5, 1.5)
    assert len(vp.PluralityVotes(shares, [0.2, 0.9], classes=[0.2, 0.4, 0.7, 0.9]).classes) == 4
    assert vp.PluralityVotes([[0.0, 1.0], [2.0, 1.0]], [0, 1]).classes == (0, 1, 2)
