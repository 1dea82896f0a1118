"""Columns of a table: each plays its part, found by name."""

import pytest

from votefiles import NAMES, lines, paper_frame, write
from voteprune.exceptions import FileFormatError, InputError
from voteprune.tables import read_table, read_votes


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
