"""Vote tables: what is sound is read as it stands, what is no table is refused."""

import gzip
import sys

import polars as pl
import pytest

import voteprune as vp
from votefiles import NAMES, lines, paper_frame, write
from voteprune.exceptions import FileFormatError, InputError
from voteprune.tables import ReadOptions, read_costs, read_source, read_table
from voteprune.tables.soft import read_probabilities


def assert_is(table, frame):
    """Check that a table holds the frame, validation and test apart."""
    for part, votes, labels, ids in (
        (
            "validation",
            table.validation.matrix,
            table.validation.labels,
            table.validation_ids,
        ),
        ("test", table.test.votes, table.test.labels, table.test.ids),
    ):
        expected = frame.filter(pl.col("datatype") == part)
        assert (votes == (expected.select(NAMES).to_numpy() >= 0.5)).all()
        assert labels.tolist() == expected["real_class"].cast(pl.Boolean).to_list()
        assert list(ids) == expected["index"].cast(pl.String).to_list()
    assert table.validation.names == table.test.names == NAMES


@pytest.mark.parametrize("form", ["csv", "csv.gz", "crlf", "cr", "bom", "quoted", "blank", "pq"])
def test_the_paper_layout_is_the_same_table_in_every_form(tmp_path, form):
    frame = paper_frame()
    text = frame.write_csv()
    if form == "pq":
        path = tmp_path / "votes.pq"
        frame.write_parquet(path)
    elif form == "csv.gz":
        path = write(tmp_path, gzip.compress(text.encode()), "votes.csv.gz")
    else:
        changed = {
            "crlf": text.replace("\n", "\r\n"),
            "cr": text.replace("\n", "\r"),
            "bom": "\ufeff" + text,
            "quoted": frame.write_csv(quote_style="always"),
            "blank": "\n" + text.replace("\n", "\n\n"),
        }
        path = write(tmp_path, changed.get(form, text))
    assert_is(read_table(path), frame)


@pytest.mark.parametrize("form", ["csv", "semicolons", "gaps", "parquet", "soft", "soft.parquet"])
def test_a_hair_beyond_0_or_1_is_rounding_and_no_more_than_that(tmp_path, form):
    path = tmp_path / ("p.parquet" if "parquet" in form else "p.csv")
    soft, said = "soft" in form, [1 + 2.0**-52, 1 + 1e-6, -1e-17, -1e-6]

    def read(beyond):
        frame = pl.DataFrame({"a": [*said, beyond], "b": [0.5] * 5, "y": [1, 1, 0, 0, 1]})
        if form == "gaps":
            frame = frame.with_columns(b=pl.lit(None, dtype=pl.Float64))
        if "parquet" in form:
            frame.write_parquet(path)
        else:
            sep = ";" if form == "semicolons" else ","
            path.write_text(frame.write_csv(separator=sep))
        if soft:
            return read_probabilities([path], ReadOptions(target="y")).validation
        abstentions = "against" if form == "gaps" else None
        return read_source([path], ReadOptions(target="y", abstentions=abstentions)).validation

    read_in = read(0.25)
    if soft:
        within = vp.Probabilities({"a": [1, 1, 0, 0, 0.25], "b": [0.5] * 5}, [1, 1, 0, 0, 1])
        assert (read_in.log_odds == within.log_odds).all()
    else:
        assert read_in.matrix[:, 0].tolist() == [True, True, False, False, False]
    for beyond in (1 + 2e-6, -2e-6):
        with pytest.raises(FileFormatError, match=r"'a' is .*probabilities lie in \[0, 1\]"):
            read(beyond)


def test_halves_are_positive_votes(tmp_path):
    path = write(tmp_path, "y,a,b\n1,0.5,0.499999\n0,0,1\n")
    assert read_table(path, target="y").validation.matrix.tolist() == [[True, False], [False, True]]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_booleans_and_whole_numbers_are_votes(tmp_path, suffix):
    frame = pl.DataFrame({"y": [True, False], "a": [True, False], "b": [0, 1]})
    path = tmp_path / f"votes.{suffix}"
    getattr(frame, f"write_{suffix}")(path)
    votes = read_table(path, target="y").validation
    assert votes.labels.tolist() == [True, False]
    assert votes.matrix.tolist() == [[True, False], [False, True]]


@pytest.mark.parametrize(
    ("words", "n_test"),
    [
        (("Validation", "TEST"), 4),
        (("val", "test"), 4),
        (("valid", "independent"), 4),
        (("VALIDATION", "Independent"), 4),
    ],
)
def test_parts_may_be_abbreviated(tmp_path, words, n_test):
    text = paper_frame().write_csv()
    path = write(tmp_path, text.replace("validation", words[0]).replace("test", words[1]))
    assert len(read_table(path).test.ids) == n_test


def test_test_rows_of_one_class_are_kept_and_absent_ones_are_none(tmp_path):
    frame = paper_frame()
    one_class = frame.filter((pl.col("datatype") == "validation") | (pl.col("real_class") == 1))
    one_class.write_csv(tmp_path / "one.csv")
    assert read_table(tmp_path / "one.csv").test.labels.all()
    frame.filter(pl.col("datatype") == "validation").write_csv(tmp_path / "none.csv")
    assert read_table(tmp_path / "none.csv").test is None


def test_what_is_no_table_is_refused(tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    for path, words in (
        (tmp_path / "nowhere.csv", "No such file"),
        (empty, "folder without tables"),
        (write(tmp_path, gzip.compress(b"a,b\n" * 500)[:-9], "cut.csv.gz"), "gzip"),
        (write(tmp_path, "a,b,c\n1,0,1\n0,1,0\n", "plain.csv"), "columns are 'a', 'b', 'c'"),
        (write(tmp_path, "datatype,real_class,index\nval,1,0\n", "empty.csv"), "no classifier"),
        (write(tmp_path, "datatype,real_class,a\ntest,1,0\n", "test.csv"), "test rows only"),
        (write(tmp_path, "datatype,real_class,a\nval,1,0\n", "one.csv"), "Both classes"),
    ):
        with pytest.raises(FileFormatError, match=words) as caught:
            read_table(path)
        assert caught.value.path == str(path)


def test_costs(tmp_path):
    assert read_costs(write(tmp_path, "name,cost\na,1.5\nb,0\n")) == {"a": 1.5, "b": 0.0}
    assert read_costs(write(tmp_path, "a,1\n")) == {"a": 1.0}
    for text, line in (("a,x\n", 1), ("a,1\na,2\n", 2), ("a,1\nb\n", 2), ("a,inf\n", 1), ("", 1)):
        with pytest.raises(FileFormatError) as caught:
            read_costs(write(tmp_path, text))
        assert caught.value.line == line


def test_polars_missing_tells_the_cure(tmp_path, monkeypatch):
    path = write(tmp_path, "\n".join(lines()))
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(InputError, match=r"pip install 'voteprune\[cli\]'"):
        read_table(path)
