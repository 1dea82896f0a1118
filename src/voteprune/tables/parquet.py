"""Parquet tables: columns have types, so most cells are right before they are looked at.

There are no lines in a Parquet file; faults are named by their row, counted from 1. A table may
come in pieces: a folder of files with the same columns, scanned and merged.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..exceptions import FileFormatError, InputError
from ..soft.probabilities import Probabilities, ScannedProbabilities
from ..votes.reading import PARQUET, is_hidden, parquet_files
from ..votes.votes import Votes
from . import file_bytes
from .checked_rows import (
    INDEX,
    Choose,
    Layout,
    Rows,
    VoteTable,
    cell_fault,
    parse_number,
    sound_rows,
    unknown_part,
)
from .csvfile import Gaps, WordLabels
from .file_bytes import import_polars
from .layout import first_of_every_model, index_column
from .read_options import ReadOptions


def read_frame(path: str | Path, data: bytes, pl: Any) -> Any:
    """Return the polars frame in the bytes of a Parquet file."""
    if data[:4] != b"PAR1" or data[-4:] != b"PAR1" or len(data) < 12:
        what = "is cut off" if data[:4] == b"PAR1" else "is not a Parquet file"
        raise FileFormatError(path, f"{what}: a Parquet file begins and ends with PAR1. Copy it "
                              "again, or call it .csv if it is one.")  # fmt: skip
    try:
        with _silent_panics():
            columns = len(pl.read_parquet_schema(io.BytesIO(data)))
            most = file_bytes.MOST_BYTES // (8 * max(1, columns))
            frame = pl.read_parquet(io.BytesIO(data), n_rows=most + 1)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise unreadable(path, error) from None
    if frame.height > most:
        raise file_bytes.too_large(path)
    return frame


@contextlib.contextmanager
def _silent_panics() -> Iterator[None]:
    """Keep from the terminal what polars writes there before it raises for a damaged file."""
    try:
        kept = os.dup(2)
    except OSError:  # there is no stderr
        yield
        return
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 - a device, no path
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def has_text(kind: Any, pl: Any) -> bool:
    """Tell whether polars writes a type as text: it does no lists, records, bytes and spans."""
    return not (kind.is_nested() or kind in (pl.Binary, pl.Duration))


def unreadable(path: str | Path, error: Exception) -> FileFormatError:
    """Return the error for what polars cannot read."""
    reason = str(error).partition("\n")[0]
    return FileFormatError(path, f"cannot be read as Parquet: {reason}")


def read_parquet(path: str | Path, data: bytes, choose: Choose, pl: Any) -> Rows:
    """Read a Parquet table."""
    frame = read_frame(path, data, pl)
    try:
        layout = choose(tuple(frame.columns))
        for name in layout.votes + (() if layout.label is None else (layout.label,)):
            kind = frame.schema[name]
            if not (kind.is_numeric() or kind in (pl.Boolean, pl.Null)):
                fault = WordLabels if name == layout.label else FileFormatError
                raise fault(
                    path,
                    f"column {name!r} holds {kind}, not numbers. If it is no classifier, leave it "
                    f"out: --ignore {name}.",
                )
            frame = frame.with_columns(frame[name].cast(pl.Float64))
        for other in (layout.part, layout.index):
            if other is not None:
                frame = frame.with_columns(frame[other].cast(pl.String).fill_null(""))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise unreadable(path, error) from None
    if not frame.height:
        raise FileFormatError(path, "has columns but no rows.")
    rows = sound_rows(frame, layout)
    if rows is None:
        votes = frame.select(layout.votes)
        kind = Gaps if sum(votes.null_count().row(0)) else FileFormatError
        raise kind(path, _parquet_fault(frame, layout))
    return rows


def _parquet_fault(frame: Any, layout: Layout) -> str:
    """Say what breaks a rule, with its 1-based row."""
    for row, cells in enumerate(frame.iter_rows(named=True), start=1):
        for name in (*layout.votes, layout.label):
            if name is not None:
                value = cells[name]
                shown = "" if value is None else repr(value).removesuffix(".0")
                is_label = name == layout.label
                if fault := cell_fault(name, shown, value, is_label, layout.cutoff):
                    return f"row {row}: {fault}"
        if layout.part is not None and layout.is_test(cells[layout.part]) is None:
            return f"row {row}: {unknown_part(cells[layout.part])}"
    return "cannot be read as a vote table."


def is_in_pieces(paths: Sequence[str | Path], options: ReadOptions) -> bool:
    """Tell whether files are pieces of one table, and not a file per model.

    Parameters
    ----------
    paths
        Files and folders.
    options
        How to read them. Files of models are joined by an id or have labels of their own.
    """
    if (
        options.target is None
        or options.id is not None
        or options.labels is not None
        or options.long
    ):
        return False
    found = [
        inside
        for path in map(Path, paths)
        for inside in (path.iterdir() if path.is_dir() else [path])
        if not is_hidden(inside)
    ]
    several = len(found) > 1 or any(Path(path).is_dir() for path in paths)
    if not several or not all(path.name.lower().endswith(PARQUET) for path in found):
        return False
    return not found or INDEX not in _schema(found[0])  # by which a file per model is joined


def scan_pieces(paths: Sequence[str | Path], options: ReadOptions) -> VoteTable:
    """Read the votes of a table in pieces; equal rows are merged on the way.

    Raises
    ------
    FileFormatError
        If a file cannot be read.
    InputError
        If the columns are not those that `options` names, or it asks for what needs single rows.
    """
    files, source, voters, notes = _pieces(paths, options)
    assert options.target is not None
    votes = Votes.scan(
        source, options.target, names=voters,
        positive=_positive(options, files[0]), cutoff=options.cut, abstentions=options.abstentions,
    )  # fmt: skip
    merged = f"{len(files)} files: {int(votes.weights.sum())} rows, {votes.n_rows} after merging"
    named = votes.classes != (0, 1)
    words = (str(votes.classes[0]), str(votes.classes[1])) if named else None
    return VoteTable(votes, (), None, (merged, *notes), classes=words)


def scan_soft_pieces(
    paths: Sequence[str | Path], options: ReadOptions, clip: float
) -> tuple[ScannedProbabilities, tuple[str, ...]]:
    """Read the probabilities of a table in pieces, and what is to be said of it.

    Raises
    ------
    FileFormatError, InputError
        As `scan_pieces` does.
    """
    files, source, voters, notes = _pieces(paths, options)
    assert options.target is not None
    said = Probabilities.scan(
        source, options.target, names=voters, positive=_positive(options, files[0]), clip=clip
    )
    return said, (f"{len(files)} files: {said.n_rows} rows", *notes)


def _pieces(
    paths: Sequence[str | Path], options: ReadOptions
) -> tuple[list[str], Any, tuple[str, ...], tuple[str, ...]]:
    """Return the files, what to scan, the classifiers' columns, and what is to be said of them."""
    assert options.target is not None
    if options.split is not None:
        raise InputError("split", "is for one table. Give the test rows with --test.")
    if options.grade is not None:
        raise InputError(
            "positive",
            f"is {options.positive!r}; in tables in pieces the positive class is a value.",
        )
    files = parquet_files(paths)
    columns = tuple(_schema(files[0]))
    index = index_column(files[0], columns, options, options.target)
    voters, notes = options.voters(files[0], columns, (options.target, index))
    if options.k is not None:
        voters = tuple(voters[k] for k in first_of_every_model(voters, options.k))
    return files, _silenced(files, voters, options) if options.abstain else files, voters, notes


def _positive(options: ReadOptions, file: str) -> float | str:
    """Return the positive class as it stands among the labels: a number where they are numbers."""
    if options.word is None:
        return 1
    kind = _schema(file)[options.target]
    numbers = kind.is_numeric() or kind == import_polars().Boolean
    number = parse_number(options.word) if numbers else None
    if number is None:
        return options.word
    return int(number) if number.is_integer() else number


def _silenced(files: Sequence[str], voters: Sequence[str], options: ReadOptions) -> Any:
    """Return the rows of all pieces, with nothing where a vote is a number that abstains."""
    pl = import_polars()
    try:
        numbers = [float(word) for word in options.abstain]
    except ValueError:
        raise InputError(
            "abstain",
            f"is {', '.join(options.abstain)}; in tables in pieces votes are numbers, and so is "
            "what abstains: --abstain -1, say.",
        ) from None
    votes = [pl.col(name) for name in voters]
    return pl.scan_parquet(files, glob=False).with_columns(
        pl.when(vote.cast(pl.Float64).is_in(numbers)).then(None).otherwise(vote).alias(name)
        for vote, name in zip(votes, voters, strict=True)
    )


def _schema(file: str | Path) -> dict[Any, Any]:
    pl = import_polars()
    try:
        return dict(pl.scan_parquet(file, glob=False).collect_schema())
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise unreadable(file, error) from None
