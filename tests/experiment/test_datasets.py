"""Data sets are those of the paper's table, or they are refused."""

import csv
import gzip
import hashlib
import io
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from experiment_plans import write_table
from voteprune import FileFormatError, InputError
from voteprune_bench.experiment.datasets import (
    Dataset,
    catalogue,
    data_folder,
    fingerprint_of,
    load,
    locate,
)
from voteprune_bench.experiment.raw import clean

CHECKOUT = Path(__file__).resolve().parents[2]
DATA = CHECKOUT / "data"
HERE = ("prk", "msk", "bcw", "qsr", "drd", "spa", "def", "bmk")
"""The sets that come with a checkout."""


def copy_of(name):
    return DATA / f"{name}.csv.gz"


def test_the_catalogue_is_the_papers_table():
    table = {
        "prk": (195, 48, 147), "msk": (476, 269, 207), "bcw": (569, 357, 212),
        "qsr": (1055, 356, 699), "drd": (1151, 540, 611), "spa": (4601, 2788, 1813),
        "def": (30000, 23364, 6636), "bmk": (41188, 36548, 4640), "aps": (60000, 59000, 1000),
    }  # fmt: skip
    known = {key: (one.rows, one.negatives, one.positives) for key, one in catalogue().items()}
    assert known.pop("aps_part") == (13274, 13032, 242)
    assert known == table
    assert "part" in catalogue()["aps_part"].name


def test_bcw_needs_no_file():
    table = load(catalogue()["bcw"], locate(catalogue()["bcw"], Path("nowhere")))
    assert table.numbers.shape == (569, 30)
    assert table.y.sum() == 212  # malignant


def test_bcw_of_scikit_learn_is_the_published_one():
    """The folder's copy, had we read it, holds the same numbers in the same order."""
    lines = gzip.decompress(copy_of("bcw").read_bytes()).decode().splitlines()[1:]
    cells = np.array([line.split(",") for line in lines], dtype=float)
    table = load(catalogue()["bcw"], None)
    assert np.array_equal(cells[:, :-1], table.numbers)
    assert np.array_equal(cells[:, -1], table.y)


@pytest.mark.parametrize("name", HERE)
def test_the_copies_of_a_checkout_are_the_known_ones(name):
    assert fingerprint_of(copy_of(name)) == catalogue()[name].sha256


@pytest.mark.parametrize("name", HERE)
def test_a_set_has_the_features_that_the_list_tells(name):
    table = load(catalogue()[name], locate(catalogue()[name], DATA))
    assert table.numbers.shape[1] + table.words.shape[1] == catalogue()[name].features


def test_other_features_are_refused():
    narrow = replace(catalogue()["prk"], features=21)
    with pytest.raises(FileFormatError, match="22 features, prk has 21"):
        load(narrow, locate(narrow, DATA))


def test_every_file_of_the_folder_has_its_source_and_licence():
    told = (DATA / "SOURCES.md").read_text()
    files = sorted(path.name for path in DATA.iterdir() if path.name != "SOURCES.md")
    assert {"llmjudge.csv.gz", "youtube_lf.csv.gz"} < set(files)
    for name in files:
        (line,) = (row for row in told.splitlines() if row.startswith(f"| {name.split('.')[0]} |"))
        assert hashlib.sha256((DATA / name).read_bytes()).hexdigest() in line
        assert any(licence in line for licence in ("CC BY 4.0", "MIT", "Apache-2.0"))
    assert "aps_part.csv.gz" not in files  # GPL


def test_theta_is_the_share_of_positives():
    """The paper's table prints 0.77 for PRK and 0.44 for MSK, which its own N1 / N are not."""
    theta = {name: round(one.theta, 2) for name, one in catalogue().items()}
    assert (theta["prk"], theta["msk"], theta["bcw"], theta["aps"]) == (0.75, 0.43, 0.37, 0.02)


def test_other_counts_are_refused(tmp_path):
    lines = gzip.decompress(copy_of("prk").read_bytes()).decode().splitlines()
    (tmp_path / "prk.csv").write_text("\n".join(lines[:-1]))
    with pytest.raises(FileFormatError, match="N = 194, prk has 195"):
        load(catalogue()["prk"], locate(catalogue()["prk"], tmp_path))


def test_a_missing_set_comes_with_the_cure(tmp_path):
    with pytest.raises(InputError, match="voteprune data download drd"):
        locate(catalogue()["drd"], tmp_path)


def test_the_folder_is_the_one_asked_for_then_the_variables(tmp_path, monkeypatch):
    monkeypatch.setenv("VOTEPRUNE_DATA", str(tmp_path / "a"))
    assert data_folder() == tmp_path / "a"
    assert data_folder(tmp_path / "b") == tmp_path / "b"
    monkeypatch.delenv("VOTEPRUNE_DATA")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert data_folder() == tmp_path / "here" / "data"


def test_a_table_of_ones_own(tmp_path):
    mine = Dataset(
        id="mine", name="mine", file=write_table(tmp_path / "mine.csv"), target="label",
        positive="yes",
    )  # fmt: skip
    table = load(mine, locate(mine, tmp_path))
    assert table.numbers.shape == (120, 2)
    assert set(table.words[:, 0]) == {"red", "blue", None}
    assert set(table.y) == {0, 1}


@pytest.mark.parametrize("missing", ["NA", "nan", "NaN", "?", ""])
def test_a_number_that_is_missing_makes_no_words_of_the_others(tmp_path, missing):
    path = tmp_path / "mine.csv"
    path.write_text(f"a,b,label\n1.5,red,yes\n{missing},blue,no\n2,red,yes\n")
    mine = Dataset(id="mine", name="mine", file=path, target="label", positive="yes")
    table = load(mine, path)
    assert np.array_equal(table.numbers, [[1.5], [np.nan], [2]], equal_nan=True)
    assert table.words.tolist() == [["red"], ["blue"], ["red"]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "no column 'label'"),
        ("a,label\n1,x\n2,y\n3,z\n", "two classes"),
        ("a,label\n1,no\n2,no\n", "both classes"),
        ("a,label\n1,yes\n2,\n", "two classes"),
        ("a,label\n1,true\n2,false\n", "holds 'false' and 'true', and positive is 'yes'"),
        ("a,label\n", "has no rows"),
        ("label\nyes\nno\n", "has no features"),
        ("a,label\ninf,yes\n2,no\n", "infinite"),
    ],
)
def test_a_table_without_two_classes_is_refused(tmp_path, text, message):
    (tmp_path / "mine.csv").write_text(text)
    mine = Dataset(id="m", name="m", file=tmp_path / "mine.csv", target="label", positive="yes")
    with pytest.raises(FileFormatError, match=message):
        load(mine, mine.file)


def test_labels_that_are_numbers_are_compared_as_numbers(tmp_path):
    (tmp_path / "mine.csv").write_text("a,label\n1,0.0\n2,1.0\n")
    mine = Dataset(id="m", name="m", file=tmp_path / "mine.csv", target="label", positive="1")
    assert load(mine, mine.file).y.tolist() == [0, 1]


def test_a_set_that_nobody_publishes_is_not_to_be_downloaded(tmp_path):
    with pytest.raises(InputError, match="data folder") as caught:
        locate(catalogue()["aps_part"], tmp_path)
    assert "download" not in str(caught.value)


def published(name):
    """Write the clean copy back into the form in which UCI publishes it."""
    rows = list(csv.reader(io.StringIO(gzip.decompress(copy_of(name).read_bytes()).decode())))
    header, body = rows[0], rows[1:]
    if name == "prk":  # identifier first, the label in the middle
        lines = [["name", *header[:16], "status", *header[16:-1]]]
        lines += [[f"S{i}", *r[:16], r[-1], *r[16:-1]] for i, r in enumerate(body)]
        return "\n".join(map(",".join, lines))
    if name == "msk":  # no header, two identifiers, labels like "1."
        return "\n".join(",".join(["MUSK-1", "1+1", *r[:-1], f"{r[-1]}."]) for r in body)
    if name == "qsr":  # semicolons, words for classes
        words = {"1": "NRB", "0": "RB"}
        return "\n".join(";".join([*r[:-1], words[r[-1]]]) for r in body)
    if name == "drd":
        text = "@relation d\n@attribute '0' {0,1}\n@data\n"
        return text + "\n".join(map(",".join, body))
    if name == "bmk":  # quoted words
        out = io.StringIO()
        writer = csv.writer(out, delimiter=";", quoting=csv.QUOTE_NONNUMERIC)
        writer.writerow([*header[:-1], "y"])
        writer.writerows([[*r[:-1], "yes" if r[-1] == "1" else "no"] for r in body])
        return out.getvalue()
    assert name == "spa"
    return "\n".join(map(",".join, body)) + "\n"


@pytest.mark.parametrize("name", ["prk", "msk", "qsr", "drd", "spa", "bmk"])
def test_the_published_form_becomes_the_very_clean_copy(name):
    copy = clean(catalogue()[name], published(name).encode(), "published")
    assert copy.known


def test_an_archive_in_an_archive_is_opened():
    inner, outer = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("data/parkinsons.data", published("prk"))
    with zipfile.ZipFile(outer, "w") as archive:
        archive.writestr("parkinsons.names", "words")
        archive.writestr("more.zip", inner.getvalue())
    assert clean(catalogue()["prk"], outer.getvalue(), "archive").known


def test_a_file_of_another_set_is_refused():
    with pytest.raises(FileFormatError, match="cells where"):
        clean(catalogue()["spa"], published("qsr").replace(";", ",").encode(), "published")
    with pytest.raises(FileFormatError, match="no column 'status'"):
        clean(catalogue()["prk"], b"a,b\n1,2\n", "published")


def test_the_licence_above_the_table_of_aps_is_stepped_over():
    """APS is read in the form that UCI describes: a notice, then na for missing."""
    aps = catalogue()["aps"]
    small = Dataset(**{field: getattr(aps, field) for field in ("id", "name", "raw")})
    text = "This file is part of APS\nLicence, see file\n\nclass,aa,ab\nneg,1,na\npos,2,3\n"
    assert clean(small, text.encode(), "aps").text == b"aa,ab,target\n1,,0\n2,3,1\n"
