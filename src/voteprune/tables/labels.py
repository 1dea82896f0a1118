"""Tables of class labels: one column per classifier, cells are classes, as text.

What a class is called is what the cell says; ``1`` and ``1.0`` are two classes. Classes that are
all numbers are ordered as numbers, others alphabetically: the order in which ties are broken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exceptions import FileFormatError
from . import file_bytes
from .checked_rows import INDEX, with_point
from .csvfile import decode, reader_of, records_of, with_index
from .file_bytes import import_polars, is_parquet
from .parquet import has_text, read_frame, unreadable


@dataclass(frozen=True, slots=True, eq=False)
class LabelRows:
    """Rows of a table of labels.

    Parameters
    ----------
    columns
        Its columns' names.
    cells
        n rows of text, in the order of `columns`.
    lines
        Where each begins, in a file that has lines.
    commas
        Whether numbers have decimal commas, as in tables with semicolons.
    """

    columns: tuple[str, ...]
    cells: NDArray[Any]
    lines: Sequence[int] | None = None
    commas: bool = False

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

    def said(self, name: str) -> list[str]:
        """Return what one column says, numbers with decimal points."""
        cells: list[str] = self.column(name).tolist()
        return list(map(with_point, cells)) if self.commas else cells


def read_labels(
    path: str | Path,
    needed: Sequence[str] = (),
    *,
    sep: str | None = None,
    data: bytes | None = None,
) -> LabelRows:
    """Read a table of labels, all of it as text; cells may be empty.

    Parameters
    ----------
    path
        CSV, gzipped CSV or Parquet.
    needed
        Columns it must have.
    sep
        What stands between the cells of a CSV file; found out when omitted.
    data
        The file's bytes where they have been read already.

    Raises
    ------
    FileFormatError
        If a row has another length, or a column is missing.
    """
    with file_bytes.enough_memory(path):
        data = file_bytes.load(path) if data is None else data
        if is_parquet(path, data):
            rows = _parquet_rows(path, data)
        else:
            rows = text_rows(path, decode(path, data), sep)
    missing = [name for name in needed if name not in rows.columns]
    if missing:
        raise FileFormatError(path, f"has no column for {missing[0]!r}. Members are found by name.")
    return rows


def text_rows(path: str | Path, text: str, sep: str | None = None) -> LabelRows:
    """Read the text of a CSV file, see `read_labels`."""
    reader = reader_of(text, sep)
    records = records_of(path, reader)
    _, header = next(records, (1, []))
    header = with_index(header)
    if not header or len(set(header)) != len(header):
        raise FileFormatError(path, "needs a header of distinct column names.", 1)
    cells, lines = [], []
    for line, record in records:
        if len(record) != len(header):
            raise FileFormatError(
                path, f"has {len(record)} cells where the header has {len(header)}.", line
            )
        cells.append([cell.strip() for cell in record])
        lines.append(line)
    if not cells:
        raise FileFormatError(path, "has a header but no rows.", 1)
    # As objects: of texts every cell would take as much as the longest.
    table = np.array(cells, dtype=object)
    return LabelRows(tuple(header), table, lines, reader.dialect.delimiter != ",")


def _parquet_rows(path: str | Path, data: bytes) -> LabelRows:
    polars = import_polars()
    frame = read_frame(path, data, polars)
    if not frame.height:
        raise FileFormatError(path, "has columns but no rows.")
    try:
        cells = polars.DataFrame([_as_text(column, polars) for column in frame]).to_numpy()
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException) as error:
        raise unreadable(path, error) from None
    return LabelRows(tuple(frame.columns), cells)


def _as_text(column: Any, pl: Any) -> Any:
    """Return a column as text; what polars cannot turn into text is shown as Python shows it."""
    if has_text(column.dtype, pl):
        return column.cast(pl.String).fill_null("")
    shown = ["" if cell is None else str(cell) for cell in column.to_list()]
    return pl.Series(column.name, shown, dtype=pl.String)
