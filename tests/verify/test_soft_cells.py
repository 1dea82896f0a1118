"""Cells of a table of probabilities, read to the last bit."""

import numpy as np
import pytest

import voteprune as vp
from voteprune.exceptions import FileFormatError
from voteprune.verify import verify
from voteprune.verify.soft_table import _answer


@pytest.mark.parametrize("is_score", [False, True])
@pytest.mark.parametrize("cell", ["0", "-0", "-0.0", "-1e-999", " False"])
def test_minus_nothing_is_nothing(cell, is_score):
    """Else the fingerprint of a table would depend on how its zeros are written."""
    assert str(_answer("p.csv", cell, 1, is_score=is_score)) == "0.0"


@pytest.mark.parametrize(
    ("cell", "meant"),
    [("1.0000000000000002", 1.0), ("1.000001", 1.0), ("-1e-17", 0.0), ("-0.000001", 0.0)],
)
def test_a_hair_beyond_0_or_1_is_rounding_and_no_more_than_that(cell, meant):
    assert _answer("p.csv", cell, 1, is_score=False) == meant
    assert _answer("p.csv", cell, 1, is_score=True) == float(cell)
    beyond = cell.replace("000001", "000002") if "000001" in cell else f"{3 * meant - 1}"
    with pytest.raises(FileFormatError, match="is not a number from 0 to 1"):
        _answer("p.csv", beyond, 1, is_score=False)


def test_a_table_with_rounded_means_is_certified_and_checked(tmp_path):
    y = np.array([0, 1, 1, 0, 1, 0, 1, 1] * 5)
    said = {"a": np.where(y == 1, 1 + 2.0**-52, -1e-17), "b": np.linspace(0.2, 0.8, 40)}
    said["a"][:9] = 0.5
    vp.prune(vp.Probabilities(said, y), certificate=tmp_path / "c.json")
    cells = [said["a"].tolist(), said["b"].tolist(), y.tolist()]
    rows = [",".join(map(repr, row)) for row in zip(*cells, strict=True)]
    table = tmp_path / "p.csv"
    table.write_text("\n".join(["a,b,y", *rows]) + "\n")
    assert "1.0000000000000002" in table.read_text()
    assert verify(tmp_path / "c.json", table, target="y").proved
