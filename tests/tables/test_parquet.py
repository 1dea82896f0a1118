"""Parquet tables: damage and wrong cells are refused, the latter with their row."""

import io
from dataclasses import replace
from datetime import timedelta

import numpy as np
import polars as pl
import pytest

from votefiles import NAMES, paper_frame, write
from voteprune.exceptions import FileFormatError
from voteprune.tables import ReadOptions, read_source, read_table


def test_damaged_parquet_is_refused(tmp_path):
    buffer = io.BytesIO()
    paper_frame(60).write_parquet(buffer)
    whole = buffer.getvalue()
    garbage = np.random.default_rng(0).bytes(400)
    damaged = [whole[:cut] for cut in range(0, len(whole), 97)]
    damaged += [whole[40:], garbage, b"PAR1" + garbage + b"\x40\0\0\0PAR1", b"a,b\n1,2\n", b"PAR1"]
    for data in damaged:
        with pytest.raises(FileFormatError):
            read_table(write(tmp_path, data, "votes.parquet"))


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ([0.5, None] * 6, r"row 2: column 'rf_1' is empty"),
        ([0.5, 0.5, float("nan")] * 4, r"row 3: column 'rf_1' is 'nan'"),
        ([0.5, 2.0] * 6, r"row 2: column 'rf_1' is '2'"),
        ([0.5, 1.00001] * 6, r"row 2: column 'rf_1' is '1.00001'"),
        ([0.5, 1.0000019] * 6, r"row 2: column 'rf_1' is '1.0000019'"),
        ([0.5, 123456789.0] * 6, r"row 2: column 'rf_1' is '123456789'"),
        (["high"] * 12, "'rf_1' holds String"),
        ([None] * 12, "row 1: column 'rf_1' is empty"),
    ],
)
def test_parquet_cells_are_checked_too(tmp_path, column, words):
    paper_frame().with_columns(rf_1=pl.Series(column)).write_parquet(tmp_path / "votes.parquet")
    with pytest.raises(FileFormatError, match=words):
        read_table(tmp_path / "votes.parquet")


def test_columns_that_play_no_part_may_hold_anything(tmp_path):
    """Lists, records and bytes; where they are read, as what ids are called, they are as shown."""
    frame = paper_frame().with_columns(
        path=pl.Series([[1, 2], None] * 6),
        about=pl.Series([{"x": i} for i in range(12)]),
        raw=pl.Series([b"\xff", b"a"] * 6),
        took=pl.Series([timedelta(seconds=i) for i in range(12)]),
    )
    frame.write_parquet(tmp_path / "votes.parquet")
    options = ReadOptions(positive="1", ignore=("path", "about", "raw", "took"))
    read = read_source([tmp_path / "votes.parquet"], options)
    assert read.validation.names == NAMES
    named = replace(options, id="about", ignore=("path", "raw", "took", "index"))
    read = read_source([tmp_path / "votes.parquet"], named)
    assert read.validation_ids[1] == "{'x': 1}"
