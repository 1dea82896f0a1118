"""CSV tables: polars for speed, the standard library's reader for the last word.

A sound file is read by polars. Anything that polars refuses, or that breaks a rule, is read again
by the standard library's reader, which is slower but knows its line numbers. Where the two could
disagree on what a text means (quotes, bare carriage returns), polars is not asked at all.
"""

from __future__ import annotations

import csv
import io
import math
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..exceptions import FileFormatError
from .rows import (
    Choose,
    Layout,
    Rows,
    cell_fault,
    is_test_part,
    parse_number,
    sound_rows,
    unknown_part,
)


def decode(path: str | Path, data: bytes) -> str:
    """Return the text of a file that must be UTF-8, with or without a byte order mark.

    Parameters
    ----------
    path
        The file, for messages.
    data
        Its bytes.
    """
    if b"\0" in data:
        line = data[: data.index(b"\0")].count(b"\n") + 1
        raise FileFormatError(path, "holds a NUL byte; this is not a CSV text file.", line)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise FileFormatError(path, "is not UTF-8. Save the table as UTF-8.", line) from None


def records_of(path: str | Path, reader: Any) -> Iterator[tuple[int, list[str]]]:
    """Yield every record that is not a blank line, with the line it begins on.

    Parameters
    ----------
    path
        The file, for messages.
    reader
        A reader of the standard library's csv module that has read nothing yet.
    """
    line = 1
    try:
        for record in reader:
            if record:
                yield line, record
            line = reader.line_num + 1
    except csv.Error as error:
        raise FileFormatError(path, f"is not valid CSV: {error}.", line) from None


def read_csv(path: str | Path, data: bytes, choose: Choose, pl: Any) -> Rows:
    """Read a CSV table.

    Parameters
    ----------
    path
        The file, for messages.
    data
        Its bytes, no longer compressed.
    choose
        Says which columns play a part.
    pl
        The module polars, which the caller imports as late as can be.
    """
    text = decode(path, data)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    records = records_of(path, reader)
    line, header = next(records, (1, []))
    if not header:
        raise FileFormatError(path, "is empty; expected a header and rows.", 1)
    for place, name in enumerate(header):
        if not name.strip():
            raise FileFormatError(
                path,
                f"column {place + 1} has no name. If it is the index pandas writes, leave it out: "
                "to_csv(index=False).",
                line,
            )
        if name in header[:place]:
            raise FileFormatError(path, f"column {name!r} stands twice; names must differ.", line)
    layout = choose(tuple(header))
    body = _plain_body(data, reader.line_num)
    rows = None if body is None else _parse_fast(body, header, layout, pl)
    return _scan(path, records, header, layout) if rows is None else rows


def _plain_body(data: bytes, header_lines: int) -> bytes | None:
    """Return what follows the header, None where readers could disagree on what it means."""
    start = 0
    for _ in range(header_lines):
        start = data.find(b"\n", start) + 1
        if not start:
            return None
    body = data[start:].rstrip(b"\r\n")
    bare_returns = data.count(b"\r") != data.count(b"\r\n")
    return None if not body or bare_returns or b'"' in body else body


def _parse_fast(body: bytes, header: list[str], layout: Layout, pl: Any) -> Rows | None:
    """Read with polars; None if anything at all is not as it should be."""
    numeric = {*layout.votes, layout.label}
    schema = {name: pl.Float64 if name in numeric else pl.String for name in header}
    try:
        frame = pl.read_csv(body, schema=schema, has_header=False)
    except pl.exceptions.PolarsError:
        return None
    if sum(frame.null_count().row(0)):
        return None
    return sound_rows(frame, layout)


def _scan(
    path: str | Path,
    records: Iterator[tuple[int, list[str]]],
    header: list[str],
    layout: Layout,
) -> Rows:
    """Read record by record and name the line of the first that breaks a rule."""
    names = [*layout.votes, *([] if layout.label is None else [layout.label])]
    places = [header.index(name) for name in names]
    numbers = array("d")
    ids: list[str] = []
    parts: list[bool | None] = []
    for line, record in records:
        if len(record) != len(header):
            raise FileFormatError(
                path,
                f"has {len(record)} cells where the header has {len(header)}. Every row needs one "
                "cell per column.",
                line,
            )
        values = _numbers(path, line, names, [record[place] for place in places], layout)
        numbers.extend(values)
        ids.append(str(len(ids)) if layout.index is None else record[header.index(layout.index)])
        if layout.part is not None:
            word = record[header.index(layout.part)]
            if is_test_part(word) is None:
                raise FileFormatError(path, unknown_part(word), line)
            parts.append(is_test_part(word))
    if not ids:
        raise FileFormatError(path, "has a header but no rows.", 1)
    matrix = np.frombuffer(numbers).reshape(len(ids), len(names))
    return Rows(
        matrix[:, : len(layout.votes)] >= 0.5,
        layout.votes,
        tuple(ids),
        None if layout.label is None else matrix[:, -1] == 1,
        None if layout.part is None else np.array(parts, dtype=bool),
    )


def _numbers(
    path: str | Path, line: int, names: list[str], cells: list[str], layout: Layout
) -> list[float]:
    try:
        values = list(map(float, cells))
        # The sum is there for NaN, which min and max may step over.
        sound = min(values) >= 0 and max(values) <= 1 and not math.isnan(sum(values))
        if sound and (layout.label is None or values[-1] in (0, 1)):
            return values
    except ValueError:
        pass
    read = [parse_number(cell) for cell in cells]
    for name, cell, value in zip(names, cells, read, strict=True):
        if fault := cell_fault(name, cell, value, name == layout.label):
            raise FileFormatError(path, fault, line)
    return [value for value in read if value is not None]
