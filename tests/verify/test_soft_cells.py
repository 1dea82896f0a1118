"""Cells of a table of probabilities, read to the last bit."""

import pytest

from voteprune.verify.soft_table import _answer


@pytest.mark.parametrize("is_score", [False, True])
@pytest.mark.parametrize("cell", ["0", "-0", "-0.0", "-1e-999", " False"])
def test_minus_nothing_is_nothing(cell, is_score):
    """Else the fingerprint of a table would depend on how its zeros are written."""
    assert str(_answer("p.csv", cell, 1, is_score=is_score)) == "0.0"
