"""Which kind of file it is; tables with a line for each vote; several files joined by their ids.

A line for each vote says item, judge, vote, and perhaps what it cost.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..exceptions import FileFormatError, InputError
from ..votes.reading import is_hidden
from . import file_bytes
from .checked_rows import (
    INDEX,
    LABEL,
    PART,
    brief,
    is_test_part,
    parse_number,
    same,
    unknown_part,
)
from .csvfile import separator_of
from .joining import File, distinct_ids, join, read_truth, text_table
from .labels import LabelRows
from .layout import guessed_id, index_column, part_column, require_column
from .other_tools import TABLES, is_qrels, read_archive, read_json, read_qrels, stem
from .read_options import ReadOptions
from .text_sheet import Sheet

LONG = (("item", "judge", "vote"), ("task", "worker", "label"))
"""Columns by which a table with a line for each vote is known; the second are crowd-kit's."""

COST = "cost"
"""The column that tells what a vote cost."""


def opened(paths: Sequence[str | Path], options: ReadOptions) -> list[File]:
    """Read files, and all tables of folders but the one of labels."""
    if not paths:
        raise InputError("FILE", "is missing. Name a file of votes, or - for stdin.")
    found: list[str | Path] = []
    for path in paths:
        if not Path(path).is_dir():
            found.append(path)
            continue
        tables = tables_of(Path(path), options.labels)
        if not tables:
            known = ", ".join((*TABLES, ".json"))
            raise FileFormatError(path, f"is a folder without tables ({known}).")
        found += tables
    loaded = []
    for path in found:
        with file_bytes.enough_memory(path):
            loaded.append(File("stdin" if str(path) == "-" else path, file_bytes.load(path)))
    return loaded


def tables_of(folder: Path, labels: Path | None = None) -> list[Path]:
    """Return the files of a folder that are read as votes: all tables but the one of labels."""
    known = None if labels is None else labels.resolve()
    inside = [p for p in sorted(folder.iterdir()) if not is_hidden(p) and p.resolve() != known]
    tables = [path for path in inside if path.name.lower().removesuffix(".gz").endswith(TABLES)]
    # JSON may be anything, so it is taken where there is nothing else: logs of Inspect.
    return tables or [path for path in inside if path.name.lower().endswith(".json")]


def read_sheet(
    loaded: Sequence[File],
    options: ReadOptions,
    names: Sequence[str] | None = None,
    *,
    text: bool = False,
) -> Sheet | None:
    """Read files as text; None where one plain table of numbers can be read faster.

    Parameters
    ----------
    loaded
        The files.
    options
        How to read them.
    names
        Members that are looked for; everything else may be there too.
    text
        Whether a plain table is read as text as well.
    """
    alone = len(loaded) == 1
    # Rows to judge on may be others than those of the file of labels, and have labels themselves.
    judged = alone and names is not None and options.labels is not None
    if judged and options.target in _columns(loaded[0], options):
        options = replace(options, labels=None)
    others = [_one(file, options) for file in loaded]
    if not alone or options.labels is not None:
        id_name = INDEX if others[0] is None else others[0].id_name
        truth = None if options.labels is None else read_truth(options, id_name)
        sheets = [
            sheet or _model(file, options, None if truth is None else truth.name, alone=alone)
            for file, sheet in zip(loaded, others, strict=True)
        ]
        joined = join(loaded, sheets, options, truth)
        # In tables of models the user has chosen columns already, of which voters were made.
        return (_chosen(joined, options, names) if all(others) else joined).silenced(options)
    sheet = others[0]
    if sheet is not None:
        if options.split is not None:
            raise InputError("split", "is for a plain table. Give the test rows with --test.")
        sheet = _chosen(sheet, options, names)
    if sheet is None and options.positive is None and not text and not options.gaps:
        return None
    return (sheet or _wide(loaded[0], options, names)).silenced(options)


def _chosen(sheet: Sheet, options: ReadOptions, names: Sequence[str] | None) -> Sheet:
    """Leave out the voters that the user leaves out; members that are looked for stay."""
    if names is not None:
        return sheet
    chosen = options.chosen(sheet.path, sheet.names)
    if not chosen:
        raise FileFormatError(sheet.path, "no voter is left; see --ignore and --columns.")
    return sheet.of(chosen)


def is_plain(path: str | Path) -> bool:
    """Tell whether a file is a plain table, with commas if it is text, as the checker reads it."""
    data = file_bytes.load(path)
    if file_bytes.is_parquet(path, data):
        return True
    text = data[: 2**16].decode("utf-8-sig", "replace")
    file = File(path, data[: 2**16])
    other = _by_another_tool(file) or any(
        set(known) <= _header(file, ReadOptions()) for known in LONG
    )
    return not other and separator_of(text) == ","


def _by_another_tool(file: File) -> bool:
    """Tell whether a file is another tool's."""
    return file.data[:4] == _ZIP or _is_json(file.data) or is_qrels(file.data)


def _is_json(data: bytes) -> bool:
    return data[:64].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")


_ZIP = b"PK\x03\x04"


def _one(file: File, options: ReadOptions) -> Sheet | None:
    """Read a file of another tool, or a table with a line for each vote; None for a plain one."""
    path, data = file.path, file.data
    if data[:4] == _ZIP:
        return read_archive(path, data, options)
    if _is_json(data):
        return read_json(path, data, options)
    if is_qrels(data):
        return read_qrels(path, data)
    long = options.long or next(
        (known for known in LONG if set(known) <= _header(file, options)), ()
    )
    return read_long(path, text_table(file, options), options, long) if long else None


def _header(file: File, options: ReadOptions) -> set[str]:
    """Return the columns of a text file, as far as they can be told from its beginning."""
    if file_bytes.is_parquet(file.path, file.data):
        return set()
    text = file.data[: 2**16].decode("utf-8-sig", "replace")
    sep = separator_of(text) if options.sep is None else options.sep
    try:
        return set(next(csv.reader(io.StringIO(text, newline=""), delimiter=sep), ()))
    except csv.Error:
        return set()


def _columns(file: File, options: ReadOptions) -> Collection[str]:
    """Return the columns of a plain table."""
    if file_bytes.is_parquet(file.path, file.data):
        return text_table(file, options).columns
    return _header(file, options)


def _wide(file: File, options: ReadOptions, names: Sequence[str] | None) -> Sheet:
    """Read a plain table as text."""
    path, table = file.path, text_table(file, options)
    columns = table.columns
    paper = PART in columns and LABEL in columns
    if names is None and options.target is None and not paper:
        raise InputError("target", f"is missing. Name the column of true classes of {path}.")
    require_column(path, columns, "target", options.target)
    label = options.target or (LABEL if paper else None)
    index = index_column(path, columns, options, label)
    if index is None and names is not None:
        index = guessed_id(columns, (*names, label))
    part = part_column(path, columns, options, PART if paper else None)
    notes: tuple[str, ...] = ()
    if names is None:
        voters, notes = options.voters(
            str(path), columns, (label, index, part, PART if paper else None)
        )
    else:
        voters = tuple(name for name in names if name in columns)
    if not voters:
        raise FileFormatError(path, "has no classifier: give one column of votes for each.")
    is_test = None
    if part is not None:
        words = table.column(part).tolist()
        told = [
            is_test_part(w) if options.test_value is None else same(w, options.test_value)
            for w in words
        ]
        if None in told:
            raise FileFormatError(path, unknown_part(words[told.index(None)]))
        is_test = np.array(told, dtype=bool)
    return Sheet(
        str(path),
        voters,
        tuple(table.ids if index is None else table.column(index).tolist()),
        tuple(table.said(name) for name in voters),
        None if label is None else table.said(label),
        label or "label",
        index or INDEX,
        is_test,
        notes,
        lines=table.lines,
    )  # fmt: skip


def _model(file: File, options: ReadOptions, truth: str | None, *, alone: bool) -> Sheet:
    """Read one model's file: an id, its votes, and its labels where the target is in it.

    What is true does not vote, unless the user chooses it or there is nothing else: it is known by
    the name it has in the file of labels, or in the paper's layout. Several columns of a file that
    is `alone` keep their names, by which new rows have them too.
    """
    path, table = file.path, text_table(file, options)
    index = _id_of(path, table, options)
    label = options.target if options.target in table.columns else None
    left = () if options.columns else options.chosen(str(path), table.columns, "column")
    known = [n for n in left if n in (PART, LABEL, truth) and n not in (index, label)]
    voters, notes = options.voters(str(path), table.columns, (index, label, *known))
    if known and voters:
        told = ", ".join(map(brief, known))
        notes += (f"{path}: no votes: {told}; if they are, choose with --columns",)
    elif known:
        voters, notes = options.voters(str(path), table.columns, (index, label))
    if not voters:
        raise FileFormatError(path, f"has no votes beside {brief(index)}. Give a column of them.")
    own = stem(path)
    return Sheet(
        str(path),
        (own,) if len(voters) == 1 else voters if alone else tuple(f"{own}:{n}" for n in voters),
        distinct_ids(path, table.column(index).tolist(), table.lines),
        tuple(table.said(name) for name in voters),
        None if label is None else table.said(label),
        label or "label",
        index,
        notes=notes,
        lines=table.lines,
    )


def _id_of(path: str | Path, table: LabelRows, options: ReadOptions) -> str:
    index = index_column(path, table.columns, options, options.target)
    if index is None:
        raise InputError(
            "id",
            f"is missing. Several files are joined by a column that names the rows; {path} has "
            f"{', '.join(map(brief, table.columns[:8]))}.",
        )
    return index


def read_long(
    path: str | Path, table: LabelRows, options: ReadOptions, columns: tuple[str, ...]
) -> Sheet:
    """Put a table with a line for each vote into columns, one per judge.

    Parameters
    ----------
    path
        The file, for messages.
    table
        Its cells.
    options
        How to read it; the target is a column that says the same on all lines of an item.
    columns
        Those of item, judge and vote.
    """
    for name in columns:
        require_column(path, table.columns, "long", name)
    require_column(path, table.columns, "target", None if options.labels else options.target)
    items, judges = (table.column(name).tolist() for name in columns[:2])
    votes = table.said(columns[2])
    lines = table.lines or range(1, len(items) + 1)
    said: dict[str, dict[str, str]] = {}
    for line, item, judge, vote in zip(lines, items, judges, votes, strict=True):
        if not item or not judge:
            raise FileFormatError(path, f"{columns[0]} and {columns[1]} must be named.", line)
        if item in said.setdefault(judge, {}):
            raise FileFormatError(
                path, f"{brief(judge)} votes twice on {brief(item)}; once is allowed.", line
            )
        said[judge][item] = vote
    rows = tuple(dict.fromkeys(items))
    truth: dict[str, str] | None = None
    if options.labels is None:
        if options.target is None:
            raise InputError(
                "labels",
                f"is missing. {path} has votes; name a file of labels ({columns[0]} and label), or "
                "its own column of them with --target.",
            )
        truth = {}
        for line, item, label in zip(lines, items, table.said(options.target), strict=True):
            if truth.setdefault(item, label) != label:
                raise FileFormatError(
                    path, f"{options.target!r} of {brief(item)} is not the same everywhere.", line
                )
    return Sheet(
        str(path),
        tuple(said),
        rows,
        tuple([column.get(item, "") for item in rows] for column in said.values()),
        None if truth is None else [truth[item] for item in rows],
        options.target or "label",
        columns[0],
        costs=_costs(path, table, judges),
    )


def _costs(path: str | Path, table: LabelRows, judges: list[str]) -> dict[str, float] | None:
    """Return what a vote of each judge costs on average, where the table tells."""
    if COST not in table.columns:
        return None
    spent: dict[str, list[float]] = {}
    lines = table.lines or range(1, len(judges) + 1)
    for line, judge, cell in zip(lines, judges, table.said(COST), strict=True):
        cost = parse_number(cell)
        if cost is None or not 0 <= cost < float("inf"):
            raise FileFormatError(path, f"{COST!r} is {brief(cell)}; expected 0 or more.", line)
        spent.setdefault(judge, []).append(cost)
    return {
        judge: costs[0] if len(set(costs)) == 1 else sum(costs) / len(costs)
        for judge, costs in spent.items()
    }
