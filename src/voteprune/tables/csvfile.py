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
from . import file_bytes
from .checked_rows import (
    INDEX,
    Choose,
    Layout,
    Rows,
    cell_fault,
    nameless,
    parse_number,
    sound_rows,
    unknown_part,
    vote_range,
    with_point,
)


class WordLabels(FileFormatError):  # noqa: N818 - reads as what is found
    """Labels are words, so somebody must say which is positive."""


class Gaps(FileFormatError):  # noqa: N818 - reads as what is found
    """Votes are missing."""


# A text may be as long as its file; where nothing is said, cells end at 128 KiB.
csv.field_size_limit(max(csv.field_size_limit(), file_bytes.MOST_BYTES))


def others_too(names: list[str], voters: int) -> str:
    """Say that several columns hold no votes, and what leaves all of them out.

    Parameters
    ----------
    names, voters
        Those columns, and how many there are in all: where none would be left, nothing is said.
    """
    some = 1 < len(names) < voters
    return f" All that hold no votes: --ignore {','.join(names)}." if some else ""


def decode(path: str | Path, data: bytes) -> str:
    """Return the text of a file that must be UTF-8, with or without a byte order mark."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise FileFormatError(path, 'is UTF-16, as "Unicode text". Save the table as UTF-8.', 1)
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


SEPARATORS = (",", "\t", ";")
"""What may stand between cells, the usual one first."""


def separator_of(text: str) -> str:
    """Tell what stands between the cells of a table, by its header and its first row."""
    first: dict[str, list[list[str]]] = {}
    for sep in SEPARATORS:
        reader = csv.reader(io.StringIO(text[:_SNIFFED], newline=""), delimiter=sep)
        try:
            first[sep] = [record for _, record in zip(range(2), filter(None, reader))]  # noqa: B905 - the shorter ends it
        except csv.Error:
            first[sep] = []
    counts = {sep: list(map(len, records)) for sep, records in first.items()}
    fitting = [sep for sep, found in counts.items() if found and min(found) == max(found) > 1]
    # Files of costs need no header; then commas may be those of the numbers.
    decimal = [sep for sep in fitting if any(with_point(c) != c for c in first[sep][0])]
    if fitting:
        return (decimal or fitting)[0]
    return max(SEPARATORS, key=lambda sep: counts[sep][:1])


_SNIFFED = 2**20
"""Characters in which header and first row are looked for."""


def reader_of(text: str, sep: str | None) -> Any:
    """Return the standard library's reader of a table, whose separator is found where not given."""
    sep = separator_of(text) if sep is None else sep
    return csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=sep)


def read_csv(
    path: str | Path, data: bytes, choose: Choose, pl: Any, sep: str | None = None
) -> Rows:
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
    sep
        What stands between cells; found out when omitted.
    """
    text = decode(path, data)
    reader = reader_of(text, sep)
    records = records_of(path, reader)
    line, header = next(records, (1, []))
    if not header:
        raise FileFormatError(path, "is empty; expected a header and rows.", 1)
    header = with_index(header)
    for place, name in enumerate(header):
        if not name.strip():
            raise FileFormatError(path, nameless(header, place), line)
        if name in header[:place]:
            raise FileFormatError(path, f"column {name!r} stands twice; names must differ.", line)
    layout = choose(tuple(header))
    body, found = _plain_body(data, reader.line_num), reader.dialect.delimiter
    rows = None
    if body is not None and found.isascii():  # polars wants a single byte between cells
        rows = _parse_fast(body, header, layout, pl, found)
    return _scan(path, records, header, layout, found) if rows is None else rows


def with_index(header: list[str]) -> list[str]:
    """Name the first column ``index`` where it has no name: so pandas writes a frame's index."""
    if len(header) > 1 and not header[0].strip() and INDEX not in header:
        return [INDEX, *header[1:]]
    return header


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


def _parse_fast(body: bytes, header: list[str], layout: Layout, pl: Any, sep: str) -> Rows | None:
    """Read with polars; None if anything at all is not as it should be."""
    numeric = {*layout.votes, layout.label}
    schema = {name: pl.Float64 if name in numeric else pl.String for name in header}
    try:
        frame = pl.read_csv(body, schema=schema, has_header=False, separator=sep)
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
    sep: str,
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
        cells = [record[place] for place in places]
        if sep != ",":
            cells = [with_point(cell) for cell in cells]
        values = _numbers(path, line, names, cells, layout)
        numbers.extend(values)
        ids.append(str(len(ids)) if layout.index is None else record[header.index(layout.index)])
        if layout.part is not None:
            word = record[header.index(layout.part)]
            if layout.is_test(word) is None:
                raise FileFormatError(path, unknown_part(word), line)
            parts.append(layout.is_test(word))
    if not ids:
        raise FileFormatError(path, "has a header but no rows.", 1)
    matrix = np.frombuffer(numbers).reshape(len(ids), len(names))
    labels = None if layout.label is None else matrix[:, -1]
    return layout.rows(matrix[:, : len(layout.votes)], labels, ids, parts)


def _numbers(
    path: str | Path, line: int, names: list[str], cells: list[str], layout: Layout
) -> list[float]:
    least, most = vote_range(layout.cutoff)
    try:
        values = list(map(float, cells))
        # The sum is there for NaN, which min and max may step over.
        sound = min(values) >= least and max(values) <= most and not math.isnan(sum(values))
        if sound and (layout.label is None or values[-1] in (0, 1)):
            return values
    except ValueError:
        pass
    read = [parse_number(cell) for cell in cells]
    faults = {
        name: fault
        for name, cell, value in zip(names, cells, read, strict=True)
        if (fault := cell_fault(name, cell, value, name == layout.label, layout.cutoff))
    }
    if layout.label in faults:
        kind = WordLabels if read[-1] is None and cells[-1].strip() else FileFormatError
        raise kind(path, faults[layout.label], line)
    if faults:
        said = dict(zip(names, cells, strict=True))
        words = [n for n in faults if said[n].strip() and parse_number(said[n]) is None]
        first = next(iter(faults))
        if not said[first].strip() and not words:
            raise Gaps(path, faults[first], line)
        raise FileFormatError(path, faults[first] + others_too(words, len(layout.votes)), line)
    return [value for value in read if value is not None]
