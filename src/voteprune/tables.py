"""Vote tables in files: CSV (plain or gzipped) and Parquet, read fast and checked cell by cell.

Two layouts are known. The paper's has the columns ``datatype`` (validation or test),
``real_class`` and ``index``, then one column per classifier. Any other table is read with
`target`, the name of its label column; every column but that one, and ``index`` where there is
one, is a classifier.

A sound CSV file is read by polars. Anything that polars refuses, or that breaks a rule, is read
again by the standard library's reader, which is slower but knows its line numbers: it has the
last word.
"""

from __future__ import annotations

import csv
import gzip
import io
import math
import re
import zlib
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .exceptions import FileFormatError, InputError
from .votes import Votes

PART, LABEL, INDEX = "datatype", "real_class", "index"
"""The paper's three columns that are not classifiers."""

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows of a vote table, rounded to votes.

    Parameters
    ----------
    votes
        n x K, True for a positive vote.
    names
        The K classifiers.
    ids
        What the file's ``index`` column says, else the 0-based row number.
    labels
        The n true classes where the file tells them.
    is_test
        Which rows are test rows, where the file tells.
    """

    votes: Bools
    names: tuple[str, ...]
    ids: tuple[str, ...]
    labels: Bools | None = None
    is_test: Bools | None = None

    def where(self, chosen: Bools) -> Rows:
        """Return some of the rows."""
        places = np.flatnonzero(chosen).tolist()
        return Rows(
            self.votes[chosen],
            self.names,
            tuple(self.ids[i] for i in places),
            None if self.labels is None else self.labels[chosen],
            None if self.is_test is None else self.is_test[chosen],
        )


@dataclass(frozen=True, slots=True, eq=False)
class VoteTable:
    """A file's rows to prune on, and those kept for testing.

    Parameters
    ----------
    validation
        What `prune` takes.
    validation_ids
        Where its rows come from, see `Rows`.
    test
        The test rows, None where there are none. Not a `Votes`, because a test part with one
        class only can still be reported on.
    """

    validation: Votes
    validation_ids: tuple[str, ...]
    test: Rows | None


@dataclass(frozen=True, slots=True)
class _Layout:
    """Which column plays which part."""

    votes: tuple[str, ...]
    label: str | None = None
    part: str | None = None
    index: str | None = None


def read_table(path: str | Path, *, target: str | None = None, k: int | None = None) -> VoteTable:
    """Read a table of votes with their labels.

    Parameters
    ----------
    path
        CSV, gzipped CSV or Parquet.
    target
        Name of the label column; not needed for the paper's layout.
    k
        Take only so many classifiers: the first k / (number of models) of every model, as the
        paper does. ``rf_1, rf_2, ...`` are the classifiers of the model ``rf``.

    Raises
    ------
    FileFormatError
        If the file is not such a table; a CSV file's line is named.
    InputError
        If `target` is no column, or `k` does not fit the models.
    """
    rows = _read(path, lambda columns: _table_layout(path, columns, target))
    if k is not None:
        chosen = _first_of_every_model(rows.names, k)
        names = tuple(rows.names[i] for i in chosen)
        rows = Rows(rows.votes[:, chosen], names, rows.ids, rows.labels, rows.is_test)
    none = np.zeros(len(rows.ids), dtype=bool)
    is_test = none if rows.is_test is None else rows.is_test
    validation = rows.where(~is_test)
    if not validation.ids:
        raise FileFormatError(path, f"has test rows only; {PART} must say validation somewhere.")
    try:
        votes = Votes(validation.votes, validation.labels, names=validation.names)
    except InputError as error:
        raise FileFormatError(path, error.message) from None
    return VoteTable(votes, validation.ids, rows.where(is_test) if is_test.any() else None)


def read_votes(path: str | Path, names: Sequence[str]) -> Rows:
    """Read the votes of some classifiers, in the order of `names`; labels may be absent.

    Other columns may hold anything. Labels and parts are read where the file has the paper's
    ``real_class`` and ``datatype``.
    """
    if len(set(names)) != len(names):
        raise InputError("names", "two members have the same name; they are found by name.")

    def choose(columns: tuple[str, ...]) -> _Layout:
        missing = [name for name in names if name not in columns]
        if missing:
            raise FileFormatError(
                path,
                f"has no column for {_listed(missing)}. The committee's members are found by "
                f"name; the columns are {_listed(columns)}.",
            )
        paper = LABEL in columns and PART in columns
        return _Layout(
            tuple(names),
            LABEL if paper else None,
            PART if paper else None,
            INDEX if INDEX in columns else None,
        )

    return _read(path, choose)


def _table_layout(path: str | Path, columns: tuple[str, ...], target: str | None) -> _Layout:
    paper = PART in columns and LABEL in columns
    if target is None and not paper:
        raise FileFormatError(
            path,
            f"does not have the paper's columns {PART} and {LABEL}. For any other table name the "
            f"label column with target (--target NAME). The columns are {_listed(columns)}.",
        )
    if target is not None and target not in columns:
        raise InputError("target", f"{path} has no column {target!r}, only {_listed(columns)}.")
    if target not in (None, LABEL) and paper:
        raise InputError(
            "target", f"{path} has the paper's layout, its labels are in {LABEL}; leave it out."
        )
    label = target or LABEL
    index = INDEX if INDEX in columns and label != INDEX else None
    part = PART if paper else None
    votes = tuple(name for name in columns if name not in (label, index, part))
    if not votes:
        raise FileFormatError(path, "has no classifier: give one column of votes for each.")
    return _Layout(votes, label, part, index)


def _first_of_every_model(names: tuple[str, ...], k: int) -> list[int]:
    models: dict[str, list[tuple[int, int]]] = {}
    for place, name in enumerate(names):
        stem = re.fullmatch(r"(.+)_(\d+)", name)
        model, number = (stem[1], int(stem[2])) if stem else (name, 0)
        models.setdefault(model, []).append((number, place))
    each, rest = divmod(k, len(models))
    if k < 1 or rest:
        raise InputError(
            "k",
            f"is {k}, but the file has {len(models)} models ({_listed(list(models))}) and k takes "
            f"equally many of each. Give a multiple of {len(models)}.",
        )
    for model, found in models.items():
        if len(found) < each:
            raise InputError(
                "k", f"is {k}, {each} of every model, but {model} has only {len(found)}."
            )
    return [place for found in models.values() for _, place in sorted(found)[:each]]


def read_costs(path: str | Path) -> dict[str, float]:
    """Read what classifiers cost: CSV with a name and a cost per line, header optional."""
    costs: dict[str, float] = {}
    text = _decode(path, _load(path))
    for line, record in _records(path, csv.reader(io.StringIO(text, newline=""), strict=True)):
        if not costs and [cell.strip().lower() for cell in record] == ["name", "cost"]:
            continue
        cost = _number(record[-1])
        if len(record) != 2 or cost is None or not math.isfinite(cost):
            raise FileFormatError(path, "expected a classifier's name and its cost.", line)
        if record[0] in costs:
            raise FileFormatError(path, f"{record[0]!r} stands twice; names must differ.", line)
        costs[record[0]] = cost
    if not costs:
        raise FileFormatError(path, "names no cost; expected lines of name,cost.", 1)
    return costs


def _load(path: str | Path) -> bytes:
    try:
        data = Path(path).read_bytes()
        return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FileFormatError(path, f"is not a whole gzip file: {error}.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FileFormatError(path, f"cannot be read: {reason}.") from None


def _read(path: str | Path, choose: Callable[[tuple[str, ...]], _Layout]) -> Rows:
    data = _load(path)
    try:
        import polars
    except ImportError:
        raise InputError(
            "polars", "is needed to read tables. Install it: pip install 'voteprune[cli]'"
        ) from None
    if data[:4] == b"PAR1" or Path(path).suffix.lower() in (".parquet", ".pq"):
        return _read_parquet(path, data, choose, polars)
    return _read_csv(path, data, choose, polars)


def _decode(path: str | Path, data: bytes) -> str:
    if b"\0" in data:
        line = data[: data.index(b"\0")].count(b"\n") + 1
        raise FileFormatError(path, "holds a NUL byte; this is not a CSV text file.", line)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise FileFormatError(path, "is not UTF-8. Save the table as UTF-8.", line) from None


def _read_csv(path: str | Path, data: bytes, choose: Callable[..., _Layout], pl: Any) -> Rows:
    text = _decode(path, data)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    records = _records(path, reader)
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


def _records(path: str | Path, reader: Any) -> Iterator[tuple[int, list[str]]]:
    """Yield every record that is not a blank line, with the line it begins on."""
    line = 1
    try:
        for record in reader:
            if record:
                yield line, record
            line = reader.line_num + 1
    except csv.Error as error:
        raise FileFormatError(path, f"is not valid CSV: {error}.", line) from None


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


def _parse_fast(body: bytes, header: list[str], layout: _Layout, pl: Any) -> Rows | None:
    """Read with polars; None if anything at all is not as it should be."""
    numeric = {*layout.votes, layout.label}
    schema = {name: pl.Float64 if name in numeric else pl.String for name in header}
    try:
        frame = pl.read_csv(body, schema=schema, has_header=False)
    except pl.exceptions.PolarsError:
        return None
    if sum(frame.null_count().row(0)):
        return None
    return _sound_rows(frame, layout)


def _sound_rows(frame: Any, layout: _Layout) -> Rows | None:
    """Round the numbers of a polars frame to votes; None if one breaks a rule."""
    numbers = frame.select(layout.votes).to_numpy()
    labels = None if layout.label is None else frame[layout.label].to_numpy()
    words = [] if layout.part is None else frame[layout.part].to_list()
    parts = {word: _is_test(word) for word in set(words)}
    # Written so that NaN, which compares false with everything, fails.
    sound = ((numbers >= 0) & (numbers <= 1)).all() and None not in parts.values()
    if not sound or (labels is not None and not np.isin(labels, (0, 1)).all()):
        return None
    return Rows(
        numbers >= 0.5,
        layout.votes,
        tuple(map(str, range(frame.height) if layout.index is None else frame[layout.index])),
        None if labels is None else labels == 1,
        None if layout.part is None else np.array([parts[word] for word in words], dtype=bool),
    )


def _scan(
    path: str | Path,
    records: Iterator[tuple[int, list[str]]],
    header: list[str],
    layout: _Layout,
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
            if _is_test(word) is None:
                raise FileFormatError(path, _unknown_part(word), line)
            parts.append(_is_test(word))
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
    path: str | Path, line: int, names: list[str], cells: list[str], layout: _Layout
) -> list[float]:
    try:
        values = list(map(float, cells))
        # The sum is there for NaN, which min and max may step over.
        sound = min(values) >= 0 and max(values) <= 1 and not math.isnan(sum(values))
        if sound and (layout.label is None or values[-1] in (0, 1)):
            return values
    except ValueError:
        pass
    read = [_number(cell) for cell in cells]
    for name, cell, value in zip(names, cells, read, strict=True):
        if fault := _fault(name, cell, value, name == layout.label):
            raise FileFormatError(path, fault, line)
    return [value for value in read if value is not None]


def _read_parquet(path: str | Path, data: bytes, choose: Callable[..., _Layout], pl: Any) -> Rows:
    if data[:4] != b"PAR1" or data[-4:] != b"PAR1" or len(data) < 12:
        what = "is cut off" if data[:4] == b"PAR1" else "is not a Parquet file"
        raise FileFormatError(path, f"{what}: a Parquet file begins and ends with PAR1. Copy it "
                              "again, or call it .csv if it is one.")  # fmt: skip
    try:
        frame = pl.read_parquet(io.BytesIO(data))
        layout = choose(tuple(frame.columns))
        for name in layout.votes + (() if layout.label is None else (layout.label,)):
            kind = frame.schema[name]
            if not (kind.is_numeric() or kind in (pl.Boolean, pl.Null)):
                raise FileFormatError(path, f"column {name!r} holds {kind}, not numbers.")
            frame = frame.with_columns(frame[name].cast(pl.Float64))
        for other in (layout.part, layout.index):
            if other is not None:
                frame = frame.with_columns(frame[other].cast(pl.String).fill_null(""))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = str(error).partition("\n")[0]
        raise FileFormatError(path, f"cannot be read as Parquet: {reason}") from None
    if not frame.height:
        raise FileFormatError(path, "has columns but no rows.")
    rows = _sound_rows(frame, layout)
    if rows is None:
        raise FileFormatError(path, _parquet_fault(frame, layout))
    return rows


def _parquet_fault(frame: Any, layout: _Layout) -> str:
    """Say what breaks a rule, with its 1-based row."""
    for row, cells in enumerate(frame.iter_rows(named=True), start=1):
        for name in (*layout.votes, layout.label):
            if name is not None:
                value = cells[name]
                shown = "" if value is None else f"{value:g}"
                if fault := _fault(name, shown, value, name == layout.label):
                    return f"row {row}: {fault}"
        if layout.part is not None and _is_test(cells[layout.part]) is None:
            return f"row {row}: {_unknown_part(cells[layout.part])}"
    return "cannot be read as a vote table."


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return {"true": 1.0, "false": 0.0}.get(cell.strip().lower())


def _fault(name: str, cell: str, value: float | None, is_label: bool) -> str:
    """Say what is wrong with a cell; nothing if it is sound."""
    if is_label:
        if value in (0, 1):
            return ""
        found = f"is {cell[:40]!r}" if cell.strip() else "is empty"
        return f"label {name!r} {found}. Labels must be 0 or 1, 1 being the positive class."
    if not cell.strip():
        return f"column {name!r} is empty. Every classifier needs a vote on every row."
    if value is None:
        return f"column {name!r} is {cell[:40]!r}, not a number. Votes are numbers in [0, 1]."
    if not 0 <= value <= 1:
        return (
            f"column {name!r} is {cell[:40]!r}. Votes are 0 or 1 and probabilities lie in [0, 1]."
        )
    return ""


def _is_test(word: str) -> bool | None:
    """Read the paper's datatype, written out or shortened; None if it is neither."""
    word = word.strip().lower()
    if word.startswith("val"):
        return False
    return True if word.startswith(("test", "indep")) else None


def _unknown_part(word: str) -> str:
    return f"column {PART!r} is {word[:40]!r}. It must be validation or test."


def _listed(names: Sequence[str]) -> str:
    more = f", ... ({len(names)} in all)" if len(names) > 8 else ""
    return ", ".join(repr(name[:40]) for name in names[:8]) + more
