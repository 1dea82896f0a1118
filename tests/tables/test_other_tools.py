"""Logs of Inspect as Inspect itself writes them, packed with Zstandard."""

import builtins
import contextlib
import json
import zipfile
from pathlib import Path

import pytest

import voteprune as vp
from voteprune.tables import ReadOptions, read_rows, read_source

LOG = Path(__file__).with_name("inspect.eval")
"""Written by inspect_ai 0.3.285: six samples, one scorer, a model that answers as it is told."""


def test_a_log_of_inspect_itself(tmp_path):
    pytest.importorskip("zstandard")
    rows = read_rows([LOG], ReadOptions(positive="yes"))
    assert rows.names == ("mockllm/judge",)
    assert rows.ids == ("q0", "q1", "q2", "q3", "q4", "q5")
    assert rows.labels.tolist() == [True, False, False, True, False, True]
    assert rows.votes[:, 0].tolist() == [True, False, True, True, False, False]
    named = read_rows([LOG], ReadOptions(positive="yes", target="human"))
    assert named.labels.tolist() == rows.labels.tolist()
    labels = tmp_path / "labels.csv"
    labels.write_text("id,right\n" + "".join(f"q{i},1\n" for i in range(5)) + "q5,0\n")
    marks = read_rows([LOG], ReadOptions(labels=labels, id="id"))
    assert marks.votes[:, 0].tolist() == [True, True, False, True, True, False]


def test_a_damaged_log_is_refused(tmp_path):
    pytest.importorskip("zstandard")
    data, bad = bytearray(LOG.read_bytes()), tmp_path / "bad.eval"
    with zipfile.ZipFile(LOG) as archive:
        sample = archive.getinfo("samples/q3_epoch_1.json")
    packed = sample.header_offset + 30 + len(sample.filename)
    for place in (packed + sample.compress_size // 2, packed, sample.header_offset):
        data[place] ^= 0xFF
        bad.write_bytes(data)
        with pytest.raises(vp.FileFormatError, match="cannot be unpacked"):
            read_rows([bad], ReadOptions(positive="yes"))
        data[place] ^= 0xFF


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_log_that_is_damaged_anywhere_is_refused_however_it_is_packed(tmp_path, method):
    bad = tmp_path / "bad.eval"
    with zipfile.ZipFile(bad, "w", method) as archive:
        archive.writestr("header.json", json.dumps({"eval": {"model": "m", "more": "x" * 300}}))
        sample = {"id": 1, "target": "yes", "scores": {"match": {"answer": "yes"}}}
        archive.writestr("samples/1_epoch_1.json", json.dumps(sample))
    data = bytearray(bad.read_bytes())
    for place in range(0, len(data), 3):
        data[place] ^= 0x5A
        bad.write_bytes(data)
        with contextlib.suppress(vp.FileFormatError):  # what nobody reads may be anything
            read_rows([bad], ReadOptions(positive="yes"))
        data[place] ^= 0x5A


def test_what_to_install_is_said_where_nothing_unpacks(monkeypatch):
    def without(name, *rest, **more):
        if name == "zstandard":
            raise ImportError(name)
        return importing(name, *rest, **more)

    def refuse(*_):
        raise NotImplementedError("That compression method is not supported")

    importing = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.setattr(zipfile.ZipFile, "read", refuse)  # as before Python 3.14
    with pytest.raises(vp.FileFormatError, match="pip install zstandard"):
        read_rows([LOG], ReadOptions(positive="yes"))


def test_a_folder_of_logs_in_json(tmp_path):
    for name, said in (("a", "yes no yes"), ("b", "yes yes no")):
        samples = [
            {"id": i, "target": "yes" if i < 2 else "no", "scores": {"match": {"answer": word}}}
            for i, word in enumerate(said.split())
        ]
        document = {"eval": {"model": name}, "samples": samples}
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    assert read_source([tmp_path], ReadOptions(positive="yes")).validation.names == ("a", "b")
    # Beside tables JSON is something else, as a run's settings.
    (tmp_path / "t.csv").write_text("id,vote,y\n1,1,1\n2,0,0\n")
    (tmp_path / "u.csv").write_text("id,vote,y\n1,1,1\n2,1,0\n")
    assert read_source([tmp_path], ReadOptions("y", id="id")).validation.names == ("t", "u")
