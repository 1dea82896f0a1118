"""The checker reads votes as the command line does, and refuses what is none by its line."""

import csv

import numpy as np
import pytest

import voteprune as vp
from voteprune.exceptions import FileFormatError
from voteprune.tables import read_table as read_with_polars
from voteprune.verify import verify
from voteprune.verify.table import read_table


def test_both_readers_see_the_same_votes(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text(
        "datatype,real_class,index,a_1,b_1\n"
        "validation,1,0,0.5,0.49\nval,0,1,1,0\ntest,0,2,1,1\n\nvalidation,1,3,true,FALSE\n"
    )
    seen = read_table(path, ["a_1", "b_1"], None)
    votes = read_with_polars(path).validation
    assert seen.labels == tuple(votes.labels.tolist())
    assert [[v == "1" for v in row] for row in seen.votes] == votes.matrix.tolist()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a,label\n0.3,1\n2,0\n", "line 3.*not a number from 0 to 1"),
        ("a,label\n1,0.5\n", "line 2.*neither 0 nor 1"),
        ("a,label\nnan,1\n", "not a number"),
        ("a,label\n1\n", "cells"),
        ("b,label\n1,0\n", "0 columns 'a'"),
        ("a,a,label\n1,0,0\n", "2 columns 'a'"),
        ('a,label\n"1,0\n', "not valid CSV"),
        ("PAR1", "Parquet"),
    ],
)
def test_what_is_no_vote_is_refused_with_its_place(text, complaint, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=complaint):
        read_table(path, ["a"], "label")


def test_a_hair_beyond_0_or_1_is_rounding_and_no_more_than_that(tmp_path):
    path = tmp_path / "votes.csv"
    for cell, vote in (
        ("1.0000000000000002", "1"), ("1.000001", "1"), ("-1e-17", "0"), ("-0.000001", "0")
    ):  # fmt: skip
        path.write_text(f"a,label\n{cell},1\n0,0\n")
        assert read_table(path, ["a"], "label").votes == (vote, "0")
    for cell in ("1.000002", "-0.000002", "inf"):
        path.write_text(f"a,label\n{cell},1\n")
        with pytest.raises(FileFormatError, match="not a number from 0 to 1"):
            read_table(path, ["a"], "label")
    path.write_text("a,label\n1,1.0000000000000002\n")
    with pytest.raises(FileFormatError, match="neither 0 nor 1"):
        read_table(path, ["a"], "label")


def test_a_table_with_rounded_means_is_certified_and_checked(tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    said = np.clip(0.5 + 0.4 * (y[:, None] - 0.5) + rng.normal(0, 0.3, (40, 4)), -1e-17, None)
    said = np.minimum(said, 1 + 2.0**-52)
    assert (said.min(), said.max()) == (-1e-17, 1 + 2.0**-52)
    vp.prune(vp.Votes(said, y, names=list("abcd")), certificate=tmp_path / "c.json")
    rows = [",".join(map(repr, row)) for row in np.column_stack([said, y]).tolist()]
    (tmp_path / "p.csv").write_text("\n".join(["a,b,c,d,y", *rows]) + "\n")
    assert verify(tmp_path / "c.json", tmp_path / "p.csv", target="y").proved


def test_text_that_is_not_utf8_and_a_broken_gzip_are_refused(tmp_path):
    path = tmp_path / "votes.csv"
    for data, complaint in ((b"\xff\xfe", "UTF-8"), (b"\x1f\x8b\x08", "cannot be read")):
        path.write_bytes(data)
        with pytest.raises(FileFormatError, match=complaint):
            read_table(path, ["a"], "label")


def test_a_long_text_that_plays_no_part_is_read(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text(f"text,y,a\n{'word ' * 40_000},1,1\nno,0,0\n")
    before = csv.field_size_limit(131_072)  # Python's own
    try:
        assert read_table(path, ["a"], "y").labels == (True, False)
    finally:
        csv.field_size_limit(before)


def test_a_mark_of_the_encoding_is_no_part_of_the_first_name(tmp_path):
    (tmp_path / "v.csv").write_bytes("\ufeffé,b,y\n1,0,1\n0,0,0\n".encode())
    table = read_table(tmp_path / "v.csv", ("é", "b"), "y")
    assert table == read_table_of(tmp_path, "é,b,y\n1,0,1\n0,0,0\n")


def read_table_of(folder, text):
    (folder / "w.csv").write_text(text, encoding="utf-8")
    return read_table(folder / "w.csv", ("é", "b"), "y")
