"""Probabilities as they stand on file, and the log-odds that are made of them."""

from __future__ import annotations

import hashlib
import json
import math
import sys
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..exceptions import FileFormatError
from .fields import plain
from .logarithms import log
from .soft_document import LARGEST, Label, Member, SoftDocument
from .table import HAIR, number_in, records

MOST_CELLS = 2**27
"""Cells up to which a table is read: a gigabyte."""

MISSING = ("", "nan", "na", "null", "none")
"""Cells that say nothing, in any case of letters."""


@dataclass(frozen=True)
class SoftTable:
    """What members say, column by column, missing answers NaN, and the places of the labels."""

    columns: tuple[tuple[array[float], ...], ...]
    labels: array[int]


def carrying(document: SoftDocument, table: SoftTable) -> tuple[array[float], list[int]]:
    """Return the weights of all rows, and which rows carry weight; ValueError if none does."""
    weights = array("d", document.row_weights or [1.0] * len(table.labels))
    rows = [row for row, weight in enumerate(weights) if weight]
    if not rows:
        raise ValueError("no row carries weight")
    return weights, rows


def read_soft_table(
    path: str | Path, document: SoftDocument, target: str | None
) -> SoftTable | None:
    """Read the answers of a certificate's members and the labels; None if there are too many.

    Parameters
    ----------
    path
        CSV file, plain or gzipped.
    document
        Whose columns to read, and which classes there are.
    target
        The label column; None for the paper's ``real_class``.

    Raises
    ------
    FileFormatError
        If a column is missing, or a cell is no answer or no class.
    """
    names = [name for member in document.members for name in member.columns]
    scores = [member.kind == "score" for member in document.members for _ in member.columns]
    columns = [array("d") for _ in names]
    labels, place_of = array("q"), places_of(document.classes)
    known: dict[str, int | None] = {}
    most_rows = MOST_CELLS // len(names)
    for line, cells, label in records(path, names, target):
        if len(labels) >= most_rows:
            return None
        for column, cell, is_score in zip(columns, cells, scores, strict=True):
            column.append(_answer(path, cell, line, is_score=is_score))
        if label not in known:
            known[label] = place_of(label)
        place = known[label]
        if place is None:
            raise FileFormatError(
                path, f"has a label '{plain(label)}', which is none of the classes.", line
            )
        labels.append(place)
    width = document.width
    members = (tuple(columns[k : k + width]) for k in range(0, len(columns), width))
    return SoftTable(tuple(members), labels)


def digest(document: SoftDocument, table: SoftTable) -> str:
    """Return the fingerprint of a table: SHA-256 of a line of JSON, the labels and the columns.

    The line has the names and the classes; then come the places of the labels and the answers,
    column by column, as little-endian doubles; a missing answer is the quiet NaN.
    """
    head = json.dumps([[member.name for member in document.members], list(document.classes)])
    found = hashlib.sha256(head.encode() + b"\n")
    for column in (array("d", table.labels), *(part for said in table.columns for part in said)):
        found.update(_little(column).tobytes())
    return found.hexdigest()


def shares(member: Member, said: Sequence[array[float]], clip: float) -> tuple[array[float], ...]:
    """Return probabilities as linear pools take them, of two classes that of the positive one.

    They are cut to [clip, 1 - (C - 1) clip], the doubles that these are, and the rows of several
    classes divided by their sums; an abstention is the same for every class. Off by at most 16 C u,
    relatively, and so is 1 - p.

    Raises
    ------
    ValueError
        If a member gives scores, or is not of the kind it is said to be.
    """
    if member.kind == "score":
        raise ValueError(f"'{plain(member.name)}' gives scores, and a linear pool has none")
    _check_kind(member, said)
    classes = max(len(said), 2)
    top = 1 - (classes - 1) * clip
    if len(said) == 1:
        cut = (0.5 if math.isnan(one) else min(max(one, clip), top) for one in said[0])
        return (array("d", cut),)
    columns = tuple(array("d") for _ in said)
    for cells in zip(*said, strict=True):
        row = [1.0 if math.isnan(one) else min(max(one, clip), top) for one in cells]
        together = sum(row)
        for column, one in zip(columns, row, strict=True):
            column.append(one / together)
    return columns


def log_odds(member: Member, said: Sequence[array[float]], clip: float) -> tuple[array[float], ...]:
    """Return log-odds of the positive class of two, or log-probabilities of every class.

    They are off by at most 64 C u (1 + |l|), with C classes and u as in `logarithms`: at most two
    logarithms, each off by 4 u (2 + |log_2|), and one or two roundings before them.

    Raises
    ------
    ValueError
        If a member that merely votes does something else, or answers some classes only.
    """
    _check_kind(member, said)
    return tuple(array("d", map(_maker(member.kind, len(said), clip), part)) for part in said)


def _check_kind(member: Member, said: Sequence[array[float]]) -> None:
    for row, cells in enumerate(zip(*said, strict=True)):
        silent = sum(map(math.isnan, cells))
        if silent not in (0, len(cells)):
            raise ValueError(f"'{plain(member.name)}' answers row {row} for some classes only")
        if member.kind == "vote" and not silent and not _is_vote(cells):
            raise ValueError(f"'{plain(member.name)}' does not merely vote on row {row}")


def _maker(kind: str, width: int, clip: float) -> Callable[[float], float]:
    if kind == "score":
        return lambda value: 0.0 if math.isnan(value) else value
    if kind == "vote":
        double = 2 if width == 1 else 1
        return lambda value: 0.0 if math.isnan(value) else double * value + 1 - double
    known: dict[float, float] = {}
    make = _odds if width == 1 else _log_probability

    def remembered(value: float) -> float:
        if math.isnan(value):
            return 0.0
        if value not in known:
            known[value] = make(value, clip, width)
        return known[value]

    return remembered


def _odds(value: float, clip: float, width: int) -> float:
    """Return log(p / (1 - p)); 1 - p is exact from 1/2 on, so that clipping is exact as well."""
    small, large = (value, 1 - value) if value < 0.5 else (1 - value, value)
    if small < clip:
        small, large = clip, 1 - clip
    size = log(large) - log(small)
    return -size if value < 0.5 else size


def _log_probability(value: float, clip: float, width: int) -> float:
    return log(min(max(value, clip), 1 - (width - 1) * clip))


def _is_vote(cells: Sequence[float]) -> bool:
    return all(cell in (0, 1) for cell in cells) and (len(cells) == 1 or sum(cells) == 1)


def _answer(path: str | Path, cell: str, line: int, *, is_score: bool) -> float:
    if cell.strip().lower() in MISSING:
        return math.nan
    try:
        value = number_in(cell) + 0.0  # no minus 0
    except ValueError:
        value = math.nan
    low, high = (-LARGEST, LARGEST) if is_score else (0.0, 1.0)
    if not is_score and -HAIR <= value <= 1 + HAIR:
        value = min(max(value, low), high)
    if not low <= value <= high:
        raise FileFormatError(
            path, f"'{plain(cell)}' is not a number from {low:g} to {high:g}.", line
        )
    return value


def places_of(classes: Sequence[Label]) -> Callable[[str], int | None]:
    """Return what finds the place of a label as it stands in a file."""
    words = {label: place for place, label in enumerate(classes) if isinstance(label, str)}
    numbers = {
        float(label): place for place, label in enumerate(classes) if not isinstance(label, str)
    }

    def place_of(cell: str) -> int | None:
        if cell in words:
            return words[cell]
        try:
            return numbers.get(number_in(cell))
        except ValueError:
            return None

    return place_of


def _little(column: array[float]) -> array[float]:
    if sys.byteorder == "big":
        column = column[:]
        column.byteswap()
    return column
