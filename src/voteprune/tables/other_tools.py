"""Files of other tools: WRENCH's labelling functions, TREC's judgements, and Inspect's logs.

All of it is JSON or text; nothing is unpickled. Inspect packs its logs into zip archives, also with
Zstandard, which Python unpacks by itself from 3.14 on; before, the package zstandard does.
"""

from __future__ import annotations

import io
import json
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..exceptions import FileFormatError
from . import file_bytes
from .csvfile import decode
from .read_options import ReadOptions
from .text_sheet import Sheet

TABLES = (".csv", ".tsv", ".parquet", ".pq", ".eval", ".qrel", ".qrels", ".trec")
"""How files are called that can only be votes."""

_ABSTAINED = "-1"
_MARKS = {"C": "1", "I": "0", "P": "0.5", "N": ""}
"""Inspect's marks: correct, incorrect, partly so, and no answer."""

_ZSTANDARD = 93
"""How the zip format calls it."""

_LOCAL_HEADER, _LENGTHS = 30, 26
"""Bytes before a member's name, and where the lengths of its name and its extra field stand."""


def is_qrels(data: bytes) -> bool:
    """Tell TREC's judgements by their first line: query, iteration, document, grade."""
    if b"\0" in data[:4096]:
        return False
    line = data[:4096].decode("utf-8-sig", "replace").lstrip().partition("\n")[0]
    words = line.split()
    if len(words) != 4 or "," in line or ";" in line or words[1].upper() not in ("0", "Q0"):
        return False
    return words[3].lstrip("-").isdigit()


def read_qrels(path: str | Path, data: bytes) -> Sheet:
    """Read TREC's judgements: one judge, items are pairs of query and document."""
    grades: dict[str, str] = {}
    lines = []
    for line, text in enumerate(decode(path, data).splitlines(), start=1):
        words = text.split()
        if not words:
            continue
        if len(words) != 4:
            raise FileFormatError(
                path, f"has {len(words)} words; expected query, 0, document and grade.", line
            )
        item = f"{words[0]} {words[2]}"
        if item in grades:
            raise FileFormatError(path, f"judges {item!r} twice; once is allowed.", line)
        grades[item] = words[3]
        lines.append(line)
    return Sheet(
        str(path), (stem(path),), tuple(grades), (list(grades.values()),), id_name="item",
        lines=lines,
    )  # fmt: skip


def read_json(path: str | Path, data: bytes, options: ReadOptions) -> Sheet:
    """Read a JSON file of WRENCH, or a log of Inspect."""
    document = _json(path, decode(path, data))
    if isinstance(document, dict) and isinstance(document.get("eval"), dict):
        return _inspect(path, document["eval"], document.get("samples") or [], options)
    if not isinstance(document, dict) or not document:
        raise FileFormatError(path, _NEITHER)
    items, width = list(document.items()), None
    for key, item in items:
        weak = item.get("weak_labels") if isinstance(item, dict) else None
        if not isinstance(weak, list) or not weak or "label" not in item:
            raise FileFormatError(path, f"item {key!r:.60}: {_NEITHER}")
        width = len(weak) if width is None else width
        if len(weak) != width:
            raise FileFormatError(
                path, f"item {key!r:.60} has {len(weak)} weak labels, the first one has {width}."
            )
    said = [[_text(path, label) for label in item["weak_labels"]] for _, item in items]
    cells = [["" if cell == _ABSTAINED else cell for cell in column] for column in zip(*said)]  # noqa: B905 - checked above
    return Sheet(
        str(path),
        tuple(f"lf_{place}" for place in range(len(cells))),
        tuple(key for key, _ in items),
        tuple(cells),
        [_text(path, item["label"]) for _, item in items],
    )


_NEITHER = (
    "is neither WRENCH's (items with label and weak_labels) nor a log of Inspect. Give a table, "
    "or one of these."
)


def read_archive(path: str | Path, data: bytes, options: ReadOptions) -> Sheet:
    """Read an ``.eval`` log of Inspect, which is a zip archive of JSON files."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            listed = archive.infolist()
            if sum(info.file_size for info in listed) > file_bytes.MOST_BYTES:
                raise file_bytes.too_large(path)
            found = {info.filename: info for info in listed}
            header = next((n for n in ("header.json", "_journal/start.json") if n in found), None)
            if header is None:
                raise FileFormatError(
                    path,
                    "is a zip archive without header.json, so no log of Inspect. Save a workbook "
                    "as CSV, in UTF-8.",
                )
            start = _json(path, decode(path, unpacked(archive, found[header])))
            samples = [
                _json(path, decode(path, unpacked(archive, info)))
                for name, info in found.items()
                if name.startswith("samples/") and name.endswith(".json")
            ]
    except FileFormatError:  # a ValueError
        raise
    except _UNPACKING as error:
        raise FileFormatError(
            path,
            f"cannot be unpacked: {error}. Or write the log anew: inspect log convert --to json.",
        ) from None
    about = start.get("eval") if isinstance(start, dict) else None
    return _inspect(path, about if isinstance(about, dict) else {}, samples, options)


_UNPACKING = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, NotImplementedError, RuntimeError, ValueError,
    EOFError, OSError,
)  # fmt: skip
"""What unpacking raises where bytes are damaged, by whatever they are packed."""


def _inspect(path: str | Path, about: dict[str, Any], samples: Any, options: ReadOptions) -> Sheet:
    """Read samples: every scorer is a voter, what it says is its value or the model's answer."""
    if not isinstance(samples, list) or not samples:
        raise FileFormatError(path, "has no samples. Give the log of a finished evaluation.")
    answers = options.vote == "answer" or (options.vote is None and options.labels is None)
    said: dict[str, dict[str, str]] = {}
    truth: dict[str, str] = {}
    for sample in samples:
        if not isinstance(sample, dict) or "id" not in sample:
            raise FileFormatError(path, "has a sample without id, so it is no log of Inspect.")
        epoch = sample.get("epoch", 1)
        item = str(sample["id"]) if epoch == 1 else f"{sample['id']} (epoch {epoch})"
        if item in truth:
            raise FileFormatError(path, f"has sample {item!r:.60} twice.")
        truth[item] = _text(path, _target(sample, options.target))
        scores = sample.get("scores") or {}
        for scorer, score in scores.items() if isinstance(scores, dict) else ():
            told = score.get("answer" if answers else "value") if isinstance(score, dict) else None
            text = "" if told is None else _text(path, told)
            said.setdefault(scorer, {})[item] = text if answers else _MARKS.get(text, text)
    if not said:
        raise FileFormatError(path, "has no scores. Score the log first: inspect score.")
    model = str(about.get("model") or stem(path))
    names = [model] if len(said) == 1 else [f"{model}:{scorer}" for scorer in said]
    cells = [[column.get(item, "") for item in truth] for column in said.values()]
    known = None if options.labels is not None else list(truth.values())
    return Sheet(
        str(path), tuple(names), tuple(truth), tuple(cells), known, options.target or "target", "id"
    )


def _target(sample: dict[str, Any], name: str | None) -> Any:
    """Return what is true of a sample: its target, or what its metadata call by a name."""
    metadata = sample.get("metadata")
    if name not in (None, "target") and isinstance(metadata, dict):
        return metadata.get(name, "")
    target = sample.get("target", "")
    return target[0] if isinstance(target, list) and len(target) == 1 else target


def _json(path: str | Path, text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise FileFormatError(path, f"is not valid JSON: {error.msg}.", error.lineno) from None
    except (RecursionError, ValueError) as error:
        raise FileFormatError(path, f"is not valid JSON: {error}.") from None


def _text(path: str | Path, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, str | int | float):
        return str(value).strip()
    raise FileFormatError(
        path, f"has {value!r:.60} for a vote or label; expected a number or a word."
    )


def stem(path: str | Path) -> str:
    """Return a file's name without its endings, by which a model goes."""
    name = Path(path).name
    for ending in _endings(name):
        name = name.removesuffix(ending)
    return name or str(path)


def _endings(name: str) -> Iterator[str]:
    for ending in (".gz", ".txt", ".json", *TABLES):
        if name.lower().endswith(ending):
            yield name[-len(ending) :]
            name = name[: -len(ending)]


def unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return a member's bytes, no more than its entry says.

    Raises
    ------
    zipfile.BadZipFile
        If the bytes are not those that were packed.
    NotImplementedError
        If nothing here can unpack them; says what to install.
    """
    try:
        return archive.read(member)
    except NotImplementedError:
        if member.compress_type != _ZSTANDARD:
            raise
    try:
        import zstandard
    except ImportError:
        raise NotImplementedError(
            "it is packed with Zstandard, which a package unpacks: pip install zstandard"
        ) from None
    packed = io.BytesIO(_packed(archive, member))
    try:
        with zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True) as stream:
            data = stream.read(member.file_size + 1)
    except zstandard.ZstdError as error:
        raise zipfile.BadZipFile(str(error)) from None
    if len(data) != member.file_size or zlib.crc32(data) != member.CRC:
        raise zipfile.BadZipFile(f"Bad CRC-32 for file {member.filename!r}")
    return bytes(data)


def _packed(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return a member's bytes as they stand in the archive."""
    file = archive.fp
    assert file is not None
    file.seek(member.header_offset)
    header = file.read(_LOCAL_HEADER)
    if len(header) < _LOCAL_HEADER or not header.startswith(b"PK\x03\x04"):
        raise zipfile.BadZipFile("Bad magic number for file header")
    file.seek(sum(struct.unpack_from("<HH", header, _LENGTHS)), io.SEEK_CUR)
    return file.read(member.compress_size)
