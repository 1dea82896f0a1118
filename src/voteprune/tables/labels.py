"""Tables of class labels: one column per classifier, cells are classes, as text.

What a class is called is what the cell says; ``1`` and ``1.0`` are two classes. Classes that are
all numbers are ordered as numbers, others alphabetically: the order in which ties are broken.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exceptions import FileFormatError, InputError
from ..votes.plurality import PluralityVotes
from . import files
from .csvfile import decode, records_of
from .parquet import read_frame, unreadable
from .read import import_polars, is_parquet
from .rows import INDEX, parse_number


@dataclass(frozen=True, slots=True, eq=False)
class LabelRows:
    """Rows of a table of labels.

    Parameters
    ----------
    columns
        Its columns' names.
    cells
        n rows of text, in the order of `columns`.
    """

    columns: tuple[str, ...]
    cells: NDArray[Any]

    @property
    def ids(self) -> list[str]:
        """What the column ``index`` says, else the row numbers from 0 on."""
        if INDEX in self.columns:
            named: list[str] = self.column(INDEX).tolist()
            return named
        return [str(i) for i in range(len(self.cells))]

    def column(self, name: str) -> NDArray[Any]:
        """Return one column."""
        return np.asarray(self.cells[:, self.columns.index(name)])


def read_plurality(path: str | Path, target: str | None) -> PluralityVotes:
    """Read a table of class labels with the true ones.

    Parameters
    ----------
    path
        CSV, gzipped CSV or Parquet.
    target
        Name of the column of true classes; every other column but ``index`` is a classifier.

    Raises
    ------
    FileFormatError
        If the file is not such a table; a CSV file's line is named.
    InputError
        If `target` is no column.
    """
    if target is None:
        raise InputError("target", "is missing. Name the column of true classes.")
    rows = read_labels(path)
    if target not in rows.columns:
        raise InputError("target", f"{path} has no column {target!r}, only {rows.columns[:8]}.")
    names = [name for name in rows.columns if name not in (target, INDEX)]
    if not names:
        raise FileFormatError(path, "has no classifier: give one column of labels for each.")
    truth = rows.column(target)
    table = np.column_stack([rows.column(name) for name in names])
    return PluralityVotes(table, truth, names=names, classes=_ordered({*table.flat, *truth}))


def read_labels(path: str | Path, needed: Sequence[str] = ()) -> LabelRows:
    """Read a table of labels, all of it as text.

    Parameters
    ----------
    path
        CSV, gzipped CSV or Parquet.
    needed
        Columns it must have.

    Raises
    ------
    FileFormatError
        If a cell is empty, a row has another length, or a column is missing.
    """
    with files.enough_memory(path):
        data = files.load(path)
        if is_parquet(path, data):
            rows = _parquet_rows(path, data)
        else:
            rows = _csv_rows(path, decode(path, data))
    missing = [name for name in needed if name not in rows.columns]
    if missing:
        raise FileFormatError(path, f"has no column for {missing[0]!r}. Members are found by name.")
    return rows


def _csv_rows(path: str | Path, text: str) -> LabelRows:
    records = records_of(path, csv.reader(io.StringIO(text, newline=""), strict=True))
    _, header = next(records, (1, []))
    if not header or len(set(header)) != len(header):
        raise FileFormatError(path, "needs a header of distinct column names.", 1)
    cells = []
    for line, record in records:
        if len(record) != len(header):
            raise FileFormatError(
                path, f"has {len(record)} cells where the header has {len(header)}.", line
            )
        row = [cell.strip() for cell in record]
        if not all(row):
            name = header[row.index("")]
            raise FileFormatError(
                path, f"column {name!r} is empty. Every cell needs a class.", line
            )
        cells.append(row)
    if not cells:
        raise FileFormatError(path, "has a header but no rows.", 1)
    return _rows(path, header, cells)


def _parquet_rows(path: str | Path, data: bytes) -> LabelRows:
    polars = import_polars()
    frame = read_frame(path, data, polars)
    if not frame.height:
        raise FileFormatError(path, "has columns but no rows.")
    if sum(frame.null_count().row(0)):
        raise FileFormatError(path, "has empty cells. Every cell needs a class.")
    try:
        cells = frame.select(polars.all().cast(polars.String)).to_numpy()
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException) as error:
        raise unreadable(path, error) from None
    return _rows(path, frame.columns, cells)


def _rows(path: str | Path, columns: Sequence[str], cells: Any) -> LabelRows:
    # Every cell of the array takes as much as the longest, four bytes for each character.
    longest = max(len(cell) for row in cells for cell in row)
    if 4 * longest * len(cells) * len(columns) > files.MOST_BYTES:
        raise files.too_large(path)
    return LabelRows(tuple(columns), np.array(cells, dtype=str))


def _ordered(labels: set[str]) -> list[str]:
    numbers = {label: parse_number(label) for label in labels}
    if all(number is not None for number in numbers.values()):
        return sorted(labels, key=lambda label: (numbers[label], label))
    return sorted(labels)
