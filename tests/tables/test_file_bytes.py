"""Files that are too large, have no end or are damaged end in one typed line, whatever they are."""

import gzip
import io
import os
import tracemalloc
import zipfile
from functools import partial
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from votefiles import paper_frame, write
from voteprune.exceptions import FileFormatError, InputError
from voteprune.files.jsonfile import load_file
from voteprune.tables import ReadOptions, file_bytes, read_costs, read_plurality, read_table
from voteprune.tables.parquet import read_frame
from voteprune.tables.readers import read_classes
from voteprune_bench.experiment.datasets import catalogue
from voteprune_bench.experiment.raw import clean

MOST = 10_000


@pytest.fixture
def small(monkeypatch):
    """Let very little be read, so that not much is needed to be too large."""
    monkeypatch.setattr(file_bytes, "MOST_BYTES", MOST)
    monkeypatch.setattr(file_bytes, "_PIECE", 256)


def packed(frame):
    content = io.BytesIO()
    frame.write_parquet(content)
    return content.getvalue()


def zipped(name, data):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return content.getvalue()


def test_the_most_that_is_read_is_stated_and_generous():
    assert file_bytes.MOST_BYTES == 2**30
    assert "larger than 1 GiB" in str(file_bytes.too_large("votes.csv"))


@pytest.mark.parametrize("more", [0, 1, 1000])
def test_a_file_is_read_up_to_the_cap_and_not_a_byte_beyond(tmp_path, small, more):
    data = b"a,b\n" + bytes(ord("x") for _ in range(MOST - 4 + more))
    for content in (data, gzip.compress(data), gzip.compress(data[:99]) + gzip.compress(data[99:])):
        path = write(tmp_path, content)
        if not more:
            assert file_bytes.load(path) == data
            continue
        with pytest.raises(FileFormatError, match="once unpacked"):
            file_bytes.load(path)


def test_what_unpacks_a_thousandfold_is_refused_before_it_is_in_memory(tmp_path, small):
    path = write(tmp_path, gzip.compress(bytes(8 * 2**20)))
    assert path.stat().st_size < MOST
    tracemalloc.start()
    try:
        with pytest.raises(FileFormatError, match="once unpacked"):
            read_table(path)
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


def test_every_reader_of_files_has_the_cap(tmp_path, small, monkeypatch):
    monkeypatch.chdir(tmp_path)
    large = write(tmp_path, gzip.compress(b"name,cost\n" + b"a,1\n" * MOST))
    rows = write(
        tmp_path, packed(pl.DataFrame({"y": [0, 1] * MOST, "a": [1, 1] * MOST})), "a.parquet"
    )
    wide = write(tmp_path, "y,a\n" + "u,u\n" * 200 + f"u,{'w' * 50}\n", "wide.csv")
    beside = "y,a,text\n" + "u,u,\n" * 200 + f"v,v,{'w' * 50}\n"
    assert read_classes([write(tmp_path, beside, "b.csv")], ReadOptions("y", ignore=("text",)))
    known = catalogue()["prk"]
    for read in (
        lambda: read_costs(large),
        lambda: read_table(large, target="name"),
        lambda: read_plurality(large, "name"),
        lambda: read_table(rows, target="y"),
        lambda: read_plurality(rows, "y"),
        lambda: read_plurality(wide, "y"),
        lambda: read_table("/dev/zero"),
        lambda: clean(known, large.read_bytes(), "large"),
        lambda: clean(known, zipped(known.raw["file"], bytes(2 * MOST)), "archive"),
    ):
        with pytest.raises(FileFormatError, match="once unpacked"):
            read()


def test_a_document_without_end_is_refused(monkeypatch):
    with pytest.raises(FileFormatError, match="more than any document"):
        load_file("/dev/zero")


def test_memory_that_does_not_suffice_is_told(run_out_of_memory, tmp_path):
    path = write(tmp_path, "y,a\n1,0\n0,1\n")
    for read in (lambda: read_table(path, target="y"), lambda: read_plurality(path, "y")):
        with pytest.raises(FileFormatError, match="more memory than there is"):
            read()


@pytest.fixture
def run_out_of_memory(monkeypatch):
    def fail(*_):
        raise MemoryError

    monkeypatch.setattr("voteprune.tables.readers.read_csv", fail)
    monkeypatch.setattr("voteprune.tables.labels.decode", fail)


def test_what_polars_says_before_it_gives_up_is_kept_from_the_terminal(tmp_path, capfd):
    def panic(_):
        os.write(2, b"thread panicked, stack backtrace:\n")
        raise pl.exceptions.PanicException("index out of bounds")

    stub = SimpleNamespace(exceptions=pl.exceptions, read_parquet_schema=panic)
    with pytest.raises(FileFormatError, match="cannot be read as Parquet: index out of bounds"):
        read_frame("votes.parquet", packed(paper_frame()), stub)
    os.write(2, b"heard again")
    assert capfd.readouterr().err == "heard again"


def _error(read, path):
    try:
        read(path)
    except InputError as error:
        return [str(error)]
    return []


@pytest.mark.parametrize("seed", range(4))
def test_damage_is_one_typed_line_or_none_at_all(tmp_path, capfd, seed):
    rng = np.random.default_rng(seed)
    frame, errors = paper_frame(24), []
    sound = [frame.write_csv().encode(), packed(frame)]
    sound.append(gzip.compress(sound[0]))
    for data in sound:
        for _ in range(25):
            damaged = bytearray(data)
            for place in rng.integers(0, len(data), 3):
                damaged[place] = rng.integers(256)
            path = write(tmp_path, bytes(damaged[: rng.integers(1, 2 * len(data))]), "votes")
            for read in (read_table, partial(read_plurality, target="real_class")):
                errors += _error(read, path)
    assert all(error.isprintable() and str(path) in error for error in errors)
    assert len(errors) > 20
    assert capfd.readouterr().err == ""
