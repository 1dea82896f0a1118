"""Several files of votes, joined by the ids of their rows, with labels from a file of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..exceptions import FileFormatError, InputError
from . import file_bytes
from .checked_rows import INDEXES, brief
from .labels import LabelRows, read_labels
from .layout import listed, require_column
from .other_tools import is_qrels, read_qrels, stem
from .read_options import ReadOptions
from .text_sheet import Sheet


@dataclass(frozen=True, slots=True)
class File:
    """A file and its bytes, which are read once: stdin can be read no second time."""

    path: str | Path
    data: bytes


def shown_source(paths: Sequence[File]) -> str:
    """Return how messages call some files."""
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"{paths[0].path}{more}"


def text_table(file: File, options: ReadOptions) -> LabelRows:
    """Read a file as cells of text."""
    return read_labels(file.path, sep=options.sep, data=file.data)


def distinct_ids(path: str | Path, ids: list[str], lines: Sequence[int] | None) -> tuple[str, ...]:
    """Return ids that differ, or say which stands twice."""
    if len(set(ids)) < len(ids):
        first = {item: place for place, item in reversed(list(enumerate(ids)))}
        twice = next(place for place, item in enumerate(ids) if first[item] < place)
        line = None if lines is None else lines[twice]
        raise FileFormatError(path, f"has id {brief(ids[twice])} twice; ids must differ.", line)
    return tuple(ids)


@dataclass(frozen=True, slots=True)
class Truth:
    """Labels from a file of their own.

    Parameters
    ----------
    label_name
        What they are called.
    labels
        The label of each id.
    name
        Their column; None where the file has no columns with names.
    """

    label_name: str
    labels: dict[str, str]
    name: str | None


def read_truth(options: ReadOptions, id_name: str) -> Truth:
    """Read the file of labels, whose ids may be called as those of the votes are."""
    assert options.labels is not None
    path = options.labels
    file = File(path, file_bytes.load(path))
    if is_qrels(file.data):
        sheet = read_qrels(path, file.data)
        return Truth("grade", dict(zip(sheet.ids, sheet.cells[0], strict=True)), None)
    table = text_table(file, options)
    known = [name for name in (id_name, *INDEXES) if name in table.columns]
    if options.id is None and not known:
        raise InputError(
            "id",
            f"is missing. Which column of {path} has the ids: {listed(table.columns)}?",
        )
    index = options.id or known[0]
    require_column(path, table.columns, "id", index)
    require_column(path, table.columns, "target", options.target)
    others = [name for name in table.columns if name != index]
    target = options.target or (others[0] if len(others) == 1 else None)
    if target is None:
        raise InputError("target", f"is missing. Which of {', '.join(map(brief, others[:8]))} of "
                         f"{path} has the labels?")  # fmt: skip
    ids = distinct_ids(path, table.column(index).tolist(), table.lines)
    if "" in ids:
        line = None if table.lines is None else table.lines[ids.index("")]
        raise FileFormatError(path, f"id {index!r} is empty.", line)
    return Truth(target, dict(zip(ids, table.said(target), strict=True)), target)


def join(
    loaded: Sequence[File], sheets: Sequence[Sheet], options: ReadOptions, told: Truth | None
) -> Sheet:
    """Put the votes of several files side by side, on the rows that all of them have."""
    if options.split is not None:
        raise InputError("split", "is for one table. Give the test rows with --test.")
    path, notes = shown_source(loaded), [note for sheet in sheets for note in sheet.notes]
    if told is not None:
        label_name, truth = told.label_name, told.labels
        sources = [(str(options.labels), set(truth))]
    else:
        label_name, truth = _agreed(sheets, options)
        sources = []
    sources += [(sheet.path, set(sheet.ids)) for sheet in sheets]
    everywhere = set.intersection(*(ids for _, ids in sources))
    if not everywhere:
        (one, some), (other, rest) = sources[0], sources[-1]
        raise FileFormatError(
            path,
            f"no id is in all files: {one} has {brief(next(iter(some), ''))}, {other} has "
            f"{brief(next(iter(rest), ''))}. Check --id.",
        )
    anywhere = set.union(*(ids for _, ids in sources))
    lacking = [(name, len(anywhere - ids)) for name, ids in sources if anywhere - ids]
    if lacking:
        gone = ", ".join(f"{count} are not in {name}" for name, count in lacking[:4])
        more = ", ..." if len(lacking) > 4 else ""
        notes.append(
            f"{len(anywhere) - len(everywhere)} of {len(anywhere)} rows are left out: {gone}{more}"
        )
    kept = [item for item in (sheets[0].ids if told is None else truth) if item in everywhere]
    columns: list[list[str]] = []
    names: list[str] = []
    costs: dict[str, float] = {}
    for sheet, shown in zip(sheets, _told_apart(sheets), strict=True):
        place = {item: i for i, item in enumerate(sheet.ids)}
        names += shown
        columns += [[cells[place[item]] for item in kept] for cells in sheet.cells]
        called = dict(zip(sheet.names, shown, strict=True))
        costs |= {called[name]: cost for name, cost in (sheet.costs or {}).items()}
    return Sheet(
        path, tuple(names), tuple(kept), tuple(columns), [truth[item] for item in kept],
        label_name, sheets[0].id_name, notes=tuple(notes), costs=costs or None,
    )  # fmt: skip


def _agreed(sheets: Sequence[Sheet], options: ReadOptions) -> tuple[str, dict[str, str]]:
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
    return options.target or "label", truth


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
