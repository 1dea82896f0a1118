"""Vote tables: what is sound is read as it stands, what is not is refused where it stands."""

import gzip
import io
import sys
import time

import numpy as np
import polars as pl
import pytest

from voteprune import tables
from voteprune.exceptions import FileFormatError, InputError
from voteprune.tables import read_costs, read_table, read_votes

NAMES = ("rf_1", "rf_2", "svm_1", "svm_2")


def paper_frame(n=12, names=NAMES, seed=0):
    """Return a table in the paper's layout, the last third of it test rows."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "datatype": ["validation"] * (n - n // 3) + ["test"] * (n // 3),
            "real_class": [0, 1] * (n // 2),
            "index": [7 * i for i in range(n)],
            **{name: rng.random(n).round(3) for name in names},
        }
    )


def lines(n=12):
    return paper_frame(n).write_csv().splitlines()


def write(tmp_path, text, name="votes.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


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


def test_halves_are_positive_votes(tmp_path):
    path = write(tmp_path, "y,a,b\n1,0.5,0.499999\n0,0,1\n")
    assert read_table(path, target="y").validation.matrix.tolist() == [[True, False], [False, True]]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_plain_table_has_a_target_and_no_test_rows(tmp_path, suffix):
    frame = paper_frame().drop("datatype").rename({"real_class": "truth"})
    path = tmp_path / f"votes.{suffix}"
    getattr(frame, f"write_{suffix}")(path)
    table = read_table(path, target="truth")
    assert table.test is None
    assert table.validation.names == NAMES
    assert table.validation_ids[:3] == ("0", "7", "14")
    frame.drop("index").write_csv(tmp_path / "plain.csv")
    assert read_table(tmp_path / "plain.csv", target="truth").validation_ids[:3] == ("0", "1", "2")


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


def test_k_takes_the_first_of_every_model_by_number(tmp_path):
    names = [f"{model}_{i}" for model in ("xgboost", "lr", "svm") for i in (10, 2, 1, 3)]
    paper_frame(names=names).write_csv(tmp_path / "votes.csv")
    table = read_table(tmp_path / "votes.csv", k=6)
    assert table.validation.names == ("xgboost_1", "xgboost_2", "lr_1", "lr_2", "svm_1", "svm_2")
    assert table.test.names == table.validation.names
    full = read_table(tmp_path / "votes.csv").validation
    for place, name in enumerate(table.validation.names):
        column = full.matrix[:, full.names.index(name)]
        assert (table.validation.matrix[:, place] == column).all()


@pytest.mark.parametrize(("k", "word"), [(3, "multiple of 2"), (0, "multiple"), (6, "rf has only")])
def test_k_that_does_not_fit_is_refused(tmp_path, k, word):
    path = write(tmp_path, "\n".join(lines()))
    with pytest.raises(InputError, match=word) as caught:
        read_table(path, k=k)
    assert caught.value.argument == "k"


def _with(line, text):
    changed = lines()
    changed[line - 1] = text
    return "\n".join(changed) + "\n"


GOOD = "validation,1,7,0.1,0.2,0.3,0.4"
MALFORMED = {
    "short row": (_with(4, "validation,1,7,0.1,0.2,0.3"), 4, "6 cells"),
    "long row": (_with(5, GOOD + ",0.5"), 5, "8 cells"),
    "long first row": (_with(2, GOOD + ",0.5"), 2, "8 cells"),
    "trailing comma": (_with(5, GOOD + ","), 5, "8 cells"),
    "not a number": (_with(6, GOOD.replace("0.3", "high")), 6, "'svm_1' is 'high'"),
    "empty cell": (_with(7, GOOD.replace("0.3", "")), 7, "'svm_1' is empty"),
    "nan": (_with(3, GOOD.replace("0.3", "nan")), 3, "'svm_1' is 'nan'"),
    "inf": (_with(3, GOOD.replace("0.3", "inf")), 3, "'svm_1' is 'inf'"),
    "below": (_with(13, GOOD.replace("0.4", "-0.1")), 13, "'svm_2' is '-0.1'"),
    "above": (_with(13, GOOD.replace("0.4", "1.01")), 13, "'svm_2' is '1.01'"),
    "label": (_with(8, GOOD.replace(",1,", ",2,")), 8, "'real_class' is '2'"),
    "label between": (_with(8, GOOD.replace(",1,", ",0.5,")), 8, "'real_class' is '0.5'"),
    "label empty": (_with(8, GOOD.replace(",1,", ",,")), 8, "'real_class' is empty"),
    "part": (_with(9, GOOD.replace("validation", "train")), 9, "'datatype' is 'train'"),
    "open quote": (_with(9, '"' + GOOD), 9, "not valid CSV"),
    "duplicate header": (_with(1, "datatype,real_class,index,a,b,c,a"), 1, "'a' stands twice"),
    "nameless column": (_with(1, "datatype,real_class,index,a,b,,c"), 1, "column 6 has no name"),
    "empty file": ("", 1, "empty"),
    "blank file": ("\n\n", 1, "empty"),
    "header only": (lines()[0] + "\n", 1, "no rows"),
    "not UTF-8": (_with(4, GOOD).encode().replace(b"0.3", b"\xff\xfe", 1), None, "not UTF-8"),
    "NUL": (_with(4, GOOD.replace("0.3", "0\0")), 4, "NUL"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_csv_is_refused_with_its_line(tmp_path, case):
    text, line, words = MALFORMED[case]
    path = write(tmp_path, text)
    began = time.perf_counter()
    with pytest.raises(FileFormatError) as caught:
        read_table(path)
    assert time.perf_counter() - began < 1
    if line is None:
        line = path.read_bytes().split(b"\xff")[0].count(b"\n") + 1
    assert caught.value.line == line
    assert f"votes.csv, line {line}: " in str(caught.value)
    assert words in str(caught.value)


def test_line_numbers_count_lines_not_records(tmp_path):
    text = 'y,note,a\n1,"two\nlines",0.5\n\n0,x,\n'
    with pytest.raises(FileFormatError) as caught:
        read_votes(write(tmp_path, text), ["a"])
    assert caught.value.line == 5


def test_both_readers_agree(tmp_path):
    frame = paper_frame(60, seed=3)
    frame.write_csv(tmp_path / "fast.csv")
    frame.write_csv(tmp_path / "slow.csv", quote_style="non_numeric")
    fast, slow = read_table(tmp_path / "fast.csv"), read_table(tmp_path / "slow.csv")
    assert (fast.validation.matrix == slow.validation.matrix).all()
    assert (fast.test.votes == slow.test.votes).all()
    assert fast.validation_ids == slow.validation_ids


def test_damage_is_refused_or_read_alike_by_both_readers(tmp_path, monkeypatch):
    rng = np.random.default_rng(5)
    text = ("\n".join(lines()) + "\n").encode()
    for _ in range(300):
        damaged = bytearray(text)
        for place in rng.integers(len(text), size=rng.integers(1, 4)):
            damaged[place] = rng.choice(list(b'01.,"\n\r\0-ex\xff '))
        path = write(tmp_path, bytes(damaged[: rng.integers(len(text) // 2, len(text))]))
        outcomes = [_outcome(path)]
        with monkeypatch.context() as patch:
            patch.setattr(tables, "_plain_body", lambda *_: None)
            outcomes.append(_outcome(path))
        assert outcomes[0] == outcomes[1]


def _outcome(path):
    """Return the table's content, or the error; any other exception is a failure."""
    try:
        table = read_table(path)
    except InputError as error:
        return str(error)
    votes = table.validation
    test = None if table.test is None else (table.test.votes.tolist(), table.test.ids)
    return votes.matrix.tolist(), votes.labels.tolist(), table.validation_ids, test


def test_damaged_parquet_is_refused(tmp_path):
    buffer = io.BytesIO()
    paper_frame(60).write_parquet(buffer)
    whole = buffer.getvalue()
    garbage = np.random.default_rng(0).bytes(400)
    damaged = [whole[:cut] for cut in range(0, len(whole), 97)]
    damaged += [whole[40:], garbage, b"PAR1" + garbage + b"\x40\0\0\0PAR1", b"a,b\n1,2\n", b"PAR1"]
    for data in damaged:
        began = time.perf_counter()
        with pytest.raises(FileFormatError):
            read_table(write(tmp_path, data, "votes.parquet"))
        assert time.perf_counter() - began < 1


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ([0.5, None] * 6, r"row 2: column 'rf_1' is empty"),
        ([0.5, 0.5, float("nan")] * 4, r"row 3: column 'rf_1' is 'nan'"),
        ([0.5, 2.0] * 6, r"row 2: column 'rf_1' is '2'"),
        (["high"] * 12, "'rf_1' holds String"),
        ([None] * 12, "row 1: column 'rf_1' is empty"),
    ],
)
def test_parquet_cells_are_checked_too(tmp_path, column, words):
    paper_frame().with_columns(rf_1=pl.Series(column)).write_parquet(tmp_path / "votes.parquet")
    with pytest.raises(FileFormatError, match=words):
        read_table(tmp_path / "votes.parquet")


def test_what_is_no_table_is_refused(tmp_path):
    for path, words in (
        (tmp_path / "nowhere.csv", "No such file"),
        (tmp_path, "directory"),
        (write(tmp_path, gzip.compress(b"a,b\n" * 500)[:-9], "cut.csv.gz"), "gzip"),
        (write(tmp_path, "a,b,c\n1,0,1\n0,1,0\n", "plain.csv"), "columns are 'a', 'b', 'c'"),
        (write(tmp_path, "datatype,real_class,index\nval,1,0\n", "empty.csv"), "no classifier"),
        (write(tmp_path, "datatype,real_class,a\ntest,1,0\n", "test.csv"), "test rows only"),
        (write(tmp_path, "datatype,real_class,a\nval,1,0\n", "one.csv"), "Both classes"),
    ):
        with pytest.raises(FileFormatError, match=words) as caught:
            read_table(path)
        assert caught.value.path == str(path)


def test_a_wrong_target_is_refused(tmp_path):
    path = write(tmp_path, "\n".join(lines()))
    for target in ("truth", "rf_1"):
        with pytest.raises(InputError) as caught:
            read_table(path, target=target)
        assert caught.value.argument == "target"
    assert read_table(path, target="real_class").test is not None


def test_votes_are_found_by_name_beside_anything_else(tmp_path):
    path = write(tmp_path, "note,b,extra,a\nhello,0.9,,0\nworld,0.1,x,1\n")
    rows = read_votes(path, ["a", "b"])
    assert rows.votes.tolist() == [[False, True], [True, False]]
    assert rows.labels is None
    assert rows.ids == ("0", "1")
    with pytest.raises(FileFormatError, match="no column for 'c'"):
        read_votes(path, ["a", "c"])
    with pytest.raises(InputError, match="same name"):
        read_votes(path, ["a", "a"])


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
