"""The votes as they stand on file, read with nothing but the standard library."""

from __future__ import annotations

import csv
import gzip
import io
import math
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ..exceptions import FileFormatError
from .fields import plain

MOST_BYTES = 2**31
"""Bytes of votes up to which a file is read, unpacked if it is gzipped."""

HAIR = 1e-6
"""How far beyond 0 or 1 a probability may be, which weighted means are by rounding: it counts as 0
or 1."""

_PART, _LABEL = "datatype", "real_class"


class _Reader(Iterator[list[str]], Protocol):
    line_num: int


@dataclass(frozen=True)
class Table:
    """Votes on the rows that count, test rows left out.

    Parameters
    ----------
    votes
        For each row its votes as text, such as "0110", in the order of the names asked for.
    labels
        For each row whether it is positive.
    """

    votes: tuple[str, ...]
    labels: tuple[bool, ...]


def read_table(path: str | Path, names: Sequence[str], target: str | None) -> Table:
    """Read the votes of the named classifiers and the labels from a CSV file, plain or gzipped.

    Parameters
    ----------
    path
        The file.
    names
        Columns of the classifiers.
    target
        The label column; None for the paper's ``real_class``.

    Raises
    ------
    FileFormatError
        If a column is missing, or a cell is no vote or no label.
    """
    votes, labels = [], []
    for line, cells, label in records(path, names, target):
        numbers = [_number(path, cell, line) for cell in cells]
        votes.append("".join("1" if number >= 0.5 else "0" for number in numbers))
        truth = _number(path, label, line)
        if truth not in (0, 1):
            raise FileFormatError(path, f"has a label '{plain(label)}', neither 0 nor 1.", line)
        labels.append(truth == 1)
    return Table(tuple(votes), tuple(labels))


def records(
    path: str | Path, columns: Sequence[str], target: str | None
) -> Iterator[tuple[int, list[str], str]]:
    """Yield line, cells of the named columns and label of every row that counts.

    Parameters
    ----------
    path
        CSV file, plain or gzipped.
    columns
        Whose cells are asked for.
    target
        The label column; None for the paper's ``real_class``.

    Raises
    ------
    FileFormatError
        If a column is missing, or the file is not valid.
    """
    stream = io.TextIOWrapper(io.BytesIO(_bytes(path)), encoding="utf-8-sig", newline="")
    csv.field_size_limit(max(csv.field_size_limit(), MOST_BYTES - 1))  # what a C long holds
    reader = csv.reader(stream, strict=True)
    try:
        header = next(reader, [])
        yield from _records(path, reader, header, columns, target or _LABEL)
    except csv.Error as error:
        raise FileFormatError(path, f"is not valid CSV: {error}.", reader.line_num) from None
    except UnicodeDecodeError:
        raise FileFormatError(path, "is not UTF-8 text.") from None


def _records(
    path: str | Path, reader: _Reader, header: list[str], names: Sequence[str], label: str
) -> Iterator[tuple[int, list[str], str]]:
    counts, place_of = Counter(header), {name: place for place, name in enumerate(header)}
    for name in (*names, label):
        if counts[name] != 1:
            raise FileFormatError(
                path,
                f"has {counts[name]} columns '{plain(name)}'; the certificate needs it once. Give "
                "the votes it was made for, and the label column with --target NAME.",
            )
    part = place_of[_PART] if {_PART, _LABEL} <= counts.keys() else None
    places, place = [place_of[name] for name in names], place_of[label]
    for record in reader:
        if not record:
            continue
        if len(record) != len(header):
            raise FileFormatError(
                path, f"has {len(record)} cells, not {len(header)}.", reader.line_num
            )
        if part is not None and not record[part].strip().lower().startswith("val"):
            continue
        yield reader.line_num, [record[column] for column in places], record[place]


def _bytes(path: str | Path) -> bytes:
    try:
        data = Path(path).read_bytes()
        if data[:2] == b"\x1f\x8b":
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
                data = file.read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise FileFormatError(path, f"cannot be read: {error}.") from None
    except MemoryError:
        raise FileFormatError(path, "does not fit into memory.") from None
    if len(data) > MOST_BYTES:
        raise FileFormatError(path, f"has more than {MOST_BYTES} bytes of votes.")
    if data[:4] == b"PAR1":
        raise FileFormatError(
            path, "is Parquet; the checker reads CSV, plain or gzipped. Convert it first."
        )
    return data


def number_in(cell: str) -> float:
    """Return the number that a cell stands for: true is 1, false is 0, 5% is 0.05.

    Raises
    ------
    ValueError
        If it stands for none.
    """
    word = cell.strip().lower()
    if word.endswith("%"):
        return float(word[:-1]) / 100
    return float({"true": "1", "false": "0"}.get(word, word))


def _number(path: str | Path, cell: str, line: int) -> float:
    try:
        value = number_in(cell)
    except ValueError:
        value = math.nan
    if not -HAIR <= value <= 1 + HAIR:
        raise FileFormatError(path, f"'{plain(cell)}' is not a number from 0 to 1.", line)
    return value
