"""Published files become clean copies: one form for all data sets, the number texts untouched."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from voteprune.exceptions import FileFormatError, InputError
from voteprune.files import outfile
from voteprune.tables import file_bytes

from .datasets import Dataset, check_counts, same_label


@dataclass(frozen=True, slots=True)
class CleanCopy:
    """A data set's clean copy.

    Parameters
    ----------
    dataset
        Which.
    text
        CSV: features as they were written, then ``target``.
    """

    dataset: Dataset
    text: bytes

    @property
    def known(self) -> bool:
        """Whether the text is the very one whose checksum is in the catalogue."""
        return hashlib.sha256(self.text).hexdigest() == self.dataset.sha256

    def save(self, folder: Path) -> Path:
        """Write it into a data folder, whole or not at all."""
        path = folder / f"{self.dataset.id}.csv.gz"
        outfile.make_folder(folder)
        outfile.write_bytes(path, gzip.compress(self.text, mtime=0))
        return path


def clean(dataset: Dataset, data: bytes, source: str) -> CleanCopy:
    """Turn a published file into a clean copy and check it against the paper's table.

    Parameters
    ----------
    dataset
        Which it is.
    data
        The published file: the table, a ZIP archive that has it (or has an archive that has it),
        gzip of either, or a clean copy already.
    source
        Where it comes from, for messages.

    Raises
    ------
    FileFormatError
        If it is not that table.
    """
    data = file_bytes.unpack(source, data)
    if data[:4] == b"PK\x03\x04":
        data = _unzip(dataset, data, source)
    text = data.decode("utf-8-sig", "replace")
    header = text.split("\n", 1)[0].strip().split(",")
    if header[-1] != "target":
        text = _clean(dataset, text, source)
    labels = [line.rpartition(",")[2] for line in text.splitlines()[1:]]
    check_counts(dataset, np.array([int(label == "1") for label in labels]), source)
    return CleanCopy(dataset, text.encode())


def _unzip(dataset: Dataset, data: bytes, source: str) -> bytes:
    wanted = (dataset.raw or {}).get("file", "")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                if archive.getinfo(name).file_size > file_bytes.MOST_BYTES:
                    raise file_bytes.too_large(f"{source}: {name}")
                if Path(name).name == wanted:
                    return archive.read(name)
            for name in archive.namelist():
                if name.lower().endswith(".zip"):
                    return _unzip(dataset, archive.read(name), f"{source}: {name}")
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError) as error:
        raise FileFormatError(source, f"is not a whole ZIP archive: {error}.") from None
    raise FileFormatError(source, f"holds no {wanted!r}. Give the archive that UCI publishes.")


def _clean(dataset: Dataset, text: str, source: str) -> str:
    rules = dataset.raw
    if rules is None:
        raise InputError(dataset.id, "has no published file; only a clean copy can be imported.")
    rows = _rows(text, rules, source)
    columns = _columns(rules["columns"]) if "columns" in rules else next(rows, [])
    target, dropped = rules["target"], set(rules.get("drop", ()))
    if target not in columns:
        raise FileFormatError(
            source, f"has no column {target!r}, only {', '.join(columns[:6])}, ... Is it the file "
            f"{rules['file']} of {dataset.name}?",
        )  # fmt: skip
    place = columns.index(target)
    kept = [i for i, name in enumerate(columns) if i != place and name not in dropped]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*(columns[i] for i in kept), "target"])
    for number, row in enumerate(rows, start=1):
        if len(row) != len(columns):
            raise FileFormatError(
                source, f"row {number} has {len(row)} cells where {len(columns)} are expected."
            )
        cells = ("" if row[i] == rules.get("missing", "") else row[i] for i in kept)
        writer.writerow([*cells, int(same_label(row[place], rules["positive"]))])
    return out.getvalue()


def _rows(text: str, rules: dict[str, Any], source: str) -> Iterator[list[str]]:
    lines = text.splitlines()
    start = 0
    if word := rules.get("skip_past", rules.get("skip_to")):
        found = [i for i, line in enumerate(lines) if line.lower().startswith(word)]
        if not found:
            raise FileFormatError(source, f"has no line that begins with {word!r}.")
        start = found[0] + ("skip_past" in rules)
    for row in csv.reader(lines[start:], delimiter=rules.get("separator", ",")):
        if row:
            yield [cell.strip() for cell in row]


def _columns(listed: list[str]) -> list[str]:
    """Write out ``f1 ... f166``."""
    names: list[str] = []
    for entry in listed:
        match = re.fullmatch(r"(\D+)(\d+) \.\.\. \1(\d+)", entry)
        names += (
            [f"{match[1]}{i}" for i in range(int(match[2]), int(match[3]) + 1)]
            if match
            else [entry]
        )
    return names
