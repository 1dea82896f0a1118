"""Which kind of file it is, and several of them joined by their ids."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..exceptions import FileFormatError, InputError
from . import files
from .csvfile import separator_of
from .foreign import is_qrels, read_archive, read_json, read_qrels, stem
from .labels import LabelRows, read_labels
from .layout import index_column, part_column, require_column
from .long import LONG, read_long
from .rows import INDEX, LABEL, PART, brief, is_test_part, unknown_part
from .sheet import Sheet
from .wish import Wish

_FOLDER = (".csv", ".tsv", ".csv.gz", ".parquet", ".pq", ".eval", ".qrel", ".qrels")


@dataclass(frozen=True, slots=True)
class File:
    """A file and its bytes, which are read once: stdin can be read no second time."""

    path: str | Path
    data: bytes


def opened(paths: Sequence[str | Path], wish: Wish) -> list[File]:
    """Read files, and all tables of folders but the one of labels."""
    if not paths:
        raise InputError("FILE", "is missing. Name a file of votes, or - for stdin.")
    found: list[str | Path] = []
    for path in paths:
        if not Path(path).is_dir():
            found.append(path)
            continue
        inside = sorted(p for p in Path(path).iterdir() if p.name.lower().endswith(_FOLDER))
        labels = wish.labels
        inside = [p for p in inside if labels is None or p.resolve() != labels.resolve()]
        if not inside:
            raise FileFormatError(path, f"is a folder without tables ({', '.join(_FOLDER)}).")
        found += inside
    loaded = []
    for path in found:
        with files.enough_memory(path):
            loaded.append(File("stdin" if str(path) == "-" else path, files.load(path)))
    return loaded


def shown_source(paths: Sequence[File]) -> str:
    """Return how messages call some files."""
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"{paths[0].path}{more}"


def read_sheet(
    loaded: Sequence[File], wish: Wish, names: Sequence[str] | None = None, *, text: bool = False
) -> Sheet | None:
    """Read files as text; None where one plain table of numbers can be read faster.

    Parameters
    ----------
    loaded
        The files.
    wish
        How to read them.
    names
        Members that are looked for; everything else may be there too.
    text
        Whether a plain table is read as text as well.
    """
    several = len(loaded) > 1 or wish.labels is not None
    if not several:
        sheet = _one(loaded[0], wish)
        if sheet is not None:
            return sheet
        if wish.positive is None and not text:
            return None
        return _wide(loaded[0], wish, names, gaps=not text)
    sheets = [_one(file, wish) or _model(file, wish) for file in loaded]
    return _join(loaded, sheets, wish)


def _one(file: File, wish: Wish) -> Sheet | None:
    """Read a file of another tool, or a table with a line for each vote; None for a plain one."""
    path, data = file.path, file.data
    if data[:4] == b"PK\x03\x04":
        return read_archive(path, data, wish)
    if data[:64].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        return read_json(path, data, wish)
    if is_qrels(data):
        return read_qrels(path, data)
    long = wish.long or next((known for known in LONG if set(known) <= _header(file, wish)), ())
    return read_long(path, _table(file, wish), wish, long) if long else None


def _header(file: File, wish: Wish) -> set[str]:
    """Return the columns of a text file, as far as they can be told from its beginning."""
    if files.is_parquet(file.path, file.data):
        return set()
    text = file.data[: 2**16].decode("utf-8-sig", "replace")
    sep = separator_of(text) if wish.sep is None else wish.sep
    try:
        return set(next(csv.reader(io.StringIO(text, newline=""), delimiter=sep), ()))
    except csv.Error:
        return set()


def _table(file: File, wish: Wish, *, gaps: bool = True) -> LabelRows:
    return read_labels(file.path, sep=wish.sep, gaps=gaps, data=file.data)


def _wide(file: File, wish: Wish, names: Sequence[str] | None, *, gaps: bool) -> Sheet:
    """Read a plain table as text."""
    path, table = file.path, _table(file, wish, gaps=gaps)
    columns = table.columns
    paper = PART in columns and LABEL in columns
    if names is None and wish.target is None and not paper:
        raise InputError("target", f"is missing. Name the column of true classes of {path}.")
    require_column(path, columns, "target", wish.target)
    label = wish.target or (LABEL if paper else None)
    index = index_column(path, columns, wish, label)
    part = part_column(path, columns, wish, PART if paper else None)
    notes: tuple[str, ...] = ()
    if names is None:
        voters, notes = wish.voters(str(path), columns, (label, index, part))
    else:
        voters = tuple(name for name in names if name in columns)
    if not voters:
        raise FileFormatError(path, "has no classifier: give one column of votes for each.")
    is_test = None
    if part is not None:
        words = table.column(part).tolist()
        told = [
            w == wish.test_value if wish.test_value is not None else is_test_part(w) for w in words
        ]
        if None in told:
            raise FileFormatError(path, unknown_part(words[told.index(None)]))
        is_test = np.array(told, dtype=bool)
    return Sheet(
        str(path),
        voters,
        tuple(table.ids if index is None else table.column(index).tolist()),
        tuple(table.column(name).tolist() for name in voters),
        None if label is None else table.column(label).tolist(),
        label or "label",
        index or INDEX,
        is_test,
        notes,
        lines=table.lines,
    )  # fmt: skip


def _model(file: File, wish: Wish) -> Sheet:
    """Read one model's file: an id, its votes, and its labels where the target is in it."""
    path, table = file.path, _table(file, wish)
    index = _id_of(path, table, wish)
    label = wish.target if wish.target in table.columns else None
    voters, notes = wish.voters(str(path), table.columns, (index, label))
    if not voters:
        raise FileFormatError(path, f"has no votes beside {brief(index)}. Give a column of them.")
    own = stem(path)
    return Sheet(
        str(path),
        (own,) if len(voters) == 1 else tuple(f"{own}:{name}" for name in voters),
        _distinct(path, table.column(index).tolist(), table.lines),
        tuple(table.column(name).tolist() for name in voters),
        None if label is None else table.column(label).tolist(),
        label or "label",
        index,
        notes=notes,
        lines=table.lines,
    )


def _id_of(path: str | Path, table: LabelRows, wish: Wish) -> str:
    if wish.id is None and INDEX not in table.columns:
        raise InputError(
            "id",
            f"is missing. Several files are joined by a column that names the rows; {path} has "
            f"{', '.join(map(brief, table.columns[:8]))}.",
        )
    require_column(path, table.columns, "id", wish.id)
    return wish.id or INDEX


def _distinct(path: str | Path, ids: list[str], lines: Sequence[int] | None) -> tuple[str, ...]:
    if len(set(ids)) < len(ids):
        first = {item: place for place, item in reversed(list(enumerate(ids)))}
        twice = next(place for place, item in enumerate(ids) if first[item] < place)
        line = None if lines is None else lines[twice]
        raise FileFormatError(path, f"has id {brief(ids[twice])} twice; ids must differ.", line)
    return tuple(ids)


def _read_truth(wish: Wish, id_name: str) -> tuple[str, dict[str, str]]:
    """Read the file of labels: what it calls them, and the label of each id."""
    assert wish.labels is not None
    path = wish.labels
    file = File(path, files.load(path))
    if is_qrels(file.data):
        sheet = read_qrels(path, file.data)
        return "grade", dict(zip(sheet.ids, sheet.cells[0], strict=True))
    table = _table(file, wish, gaps=False)
    index = wish.id or (id_name if id_name in table.columns else INDEX)
    require_column(path, table.columns, "id", index)
    require_column(path, table.columns, "target", wish.target)
    others = [name for name in table.columns if name != index]
    target = wish.target or (others[0] if len(others) == 1 else None)
    if target is None:
        raise InputError("target", f"is missing. Which of {', '.join(map(brief, others[:8]))} of "
                         f"{path} has the labels?")  # fmt: skip
    ids = _distinct(path, table.column(index).tolist(), table.lines)
    return target, dict(zip(ids, table.column(target).tolist(), strict=True))


def _join(loaded: Sequence[File], sheets: Sequence[Sheet], wish: Wish) -> Sheet:
    """Put the votes of several files side by side, on the rows that all of them have."""
    if wish.split is not None:
        raise InputError("split", "is for one table. Give the test rows with --test.")
    path, notes = shown_source(loaded), [note for sheet in sheets for note in sheet.notes]
    if wish.labels is not None:
        label_name, truth = _read_truth(wish, sheets[0].id_name)
        sources = [(str(wish.labels), set(truth))]
    else:
        label_name, truth = _agreed(sheets, wish)
        sources = []
    sources += [(sheet.path, set(sheet.ids)) for sheet in sheets]
    everywhere = set.intersection(*(ids for _, ids in sources))
    if not everywhere:
        (one, some), (other, more) = sources[0], sources[-1]
        raise FileFormatError(
            path,
            f"no id is in all files: {one} has {brief(next(iter(some), ''))}, {other} has "
            f"{brief(next(iter(more), ''))}. Check --id.",
        )
    for name, ids in sources:
        if len(ids) > len(everywhere):
            notes.append(
                f"{name}: {len(ids) - len(everywhere)} of {len(ids)} rows are not in all files and "
                "are left out"
            )
    kept = [
        item for item in (truth if wish.labels is not None else sheets[0].ids) if item in everywhere
    ]
    columns: list[list[str]] = []
    names: list[str] = []
    for sheet, shown in zip(sheets, _told_apart(sheets), strict=True):
        place = {item: i for i, item in enumerate(sheet.ids)}
        names += shown
        columns += [[cells[place[item]] for item in kept] for cells in sheet.cells]
    costs = [sheet.costs for sheet in sheets if sheet.costs]
    return Sheet(
        path, tuple(names), tuple(kept), tuple(columns), [truth[item] for item in kept],
        label_name, sheets[0].id_name, notes=tuple(notes), costs=costs[0] if costs else None,
    )  # fmt: skip


def _agreed(sheets: Sequence[Sheet], wish: Wish) -> tuple[str, dict[str, str]]:
    """Return the labels that stand in the files themselves, which must agree."""
    truth: dict[str, str] = {}
    for sheet in sheets:
        for item, label in zip(sheet.ids, sheet.labels or (), strict=bool(sheet.labels)):
            if truth.setdefault(item, label) != label:
                raise FileFormatError(
                    sheet.path,
                    f"says {brief(label)} is true of {brief(item)}, another file says "
                    f"{brief(truth[item])}.",
                )
    if not truth:
        raise InputError(
            "labels", "is missing. Name a file of ids and labels, or --target in the files."
        )
    return wish.target or "label", truth


def _told_apart(sheets: Sequence[Sheet]) -> list[tuple[str, ...]]:
    """Return the voters' names, with their file's folder or name where two share one."""
    counts = Counter(name for sheet in sheets for name in sheet.names)
    told = []
    for sheet in sheets:
        folder = Path(sheet.path).parent.name
        own = stem(sheet.path)
        alone = [f"{folder}/{n}" if n.split(":")[0] == own else f"{own}:{n}" for n in sheet.names]
        told.append(
            tuple(n if counts[n] == 1 else a for n, a in zip(sheet.names, alone, strict=True))
        )
    everyone = Counter(name for names in told for name in names)
    twice = [name for name, count in everyone.items() if count > 1]
    if twice:
        raise InputError("FILE", f"two files give a model {brief(twice[0])}. Rename one of them.")
    return told
