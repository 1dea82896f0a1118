"""Tables of probabilities: a column per member, or ``name:class`` for each class of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exceptions import FileFormatError, InputError
from ..soft.log_odds import may_be_labels
from ..soft.probabilities import CLIP, Probabilities
from ..soft.reading import Label
from .checked_rows import Bools, brief
from .format_detection import opened, read_sheet
from .joining import shown_source
from .layout import has_test_rows
from .parquet import is_in_pieces, scan_soft_pieces
from .read_options import ReadOptions
from .text_sheet import Sheet


@dataclass(frozen=True, slots=True, eq=False)
class SoftRows:
    """What members say about rows.

    Parameters
    ----------
    said
        By name: n probabilities of the positive class, or n x C for several classes; NaN where
        nothing is said.
    ids, id_name
        What the rows are called, and the column that says so.
    labels
        The true classes, where the file tells.
    classes
        All classes; of two the positive one last.
    """

    said: dict[str, NDArray[np.float64]]
    ids: tuple[str, ...]
    id_name: str
    labels: NDArray[Any] | None
    classes: tuple[Label, ...]

    def where(self, chosen: Bools) -> SoftRows:
        """Return some of the rows."""
        places = np.flatnonzero(chosen)
        return replace(
            self,
            said={name: values[places] for name, values in self.said.items()},
            ids=tuple(self.ids[i] for i in places),
            labels=None if self.labels is None else self.labels[places],
        )


@dataclass(frozen=True, slots=True, eq=False)
class SoftSource:
    """A file's rows to prune on, and those kept for testing.

    Parameters
    ----------
    validation
        What `prune` takes.
    test
        The test rows, None where there are none.
    voters
        Of several classes the members that have one column, which names a class.
    notes, costs
        As on `Rows`.
    """

    validation: Probabilities
    test: SoftRows | None
    voters: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    costs: dict[str, float] | None = None


def read_probabilities(
    paths: Sequence[str | Path], options: ReadOptions, clip: float = CLIP, test: Path | None = None
) -> SoftSource:
    """Read probabilities with their labels from whatever files hold them.

    Two classes have a column for each member, with probabilities of the positive class, or votes.
    More have columns ``name:class``, all classes for every member, or one column of classes for a
    member that merely votes. Empty cells are abstentions.

    Parameters
    ----------
    paths, options
        As for `read_source`; numbers are not cut.
    clip
        As for `Probabilities`.
    test
        A file of other rows.

    Raises
    ------
    FileFormatError
        If a file cannot be read so; a CSV file's line is named.
    InputError
        If the files do not have what `options` names.
    """
    if options.cutoff is not None:
        raise InputError(
            "cutoff",
            "is for votes; a soft committee's cut-off is moved by limits. Leave it out, and give "
            "--at-least recall=0.95, say.",
        )
    if options.abstentions is not None:
        raise InputError(
            "abstentions",
            "is for committees that count votes; in a soft one an empty cell says nothing at all. "
            "Leave it out.",
        )
    if options.k is not None:
        raise InputError("k", "is for votes. Choose columns with --columns instead.")
    if is_in_pieces(paths, options):
        validation, notes = scan_soft_pieces(paths, options, clip)
        others = None if test is None else _test_rows(test, validation, options)
        return SoftSource(validation, others, notes=notes)
    loaded = opened(paths, options)
    sheet, path = _sheet_of(loaded, options), shown_source(loaded)
    rows = _rows(sheet, options)
    if rows.labels is None:
        raise InputError("target", "is missing. Name the column of true classes.")
    others = None
    if sheet.is_test is not None and has_test_rows(path, sheet.is_test, options):
        if test is not None:
            raise InputError("--test", "is one set of test rows, the table has another. Give one.")
        rows, others = rows.where(~sheet.is_test), rows.where(sheet.is_test)
    try:
        made = Probabilities(rows.said, rows.labels, classes=list(rows.classes), clip=clip)
    except InputError as error:
        if error.argument == "clip":
            raise
        raise FileFormatError(path, error.message) from None
    if test is not None:
        others = _test_rows(test, made, options)
    several = len(made.classes) > 2
    voters = tuple(name for name in made.names if several and name in sheet.names)
    return SoftSource(made, others, voters, sheet.notes, sheet.costs)


def _test_rows(test: Path, said: Probabilities, options: ReadOptions) -> SoftRows:
    rows = read_members(test, said.names, said.classes, options)
    if rows.labels is None:
        raise InputError("--test", f"{test} has no labels. Name their column with --target.")
    return rows


def read_members(
    path: str | Path,
    names: Sequence[str],
    classes: Sequence[Label],
    options: ReadOptions,
    labelled: Sequence[str] = (),
    scored: Sequence[str] = (),
) -> SoftRows:
    """Read what some members say; labels may be absent.

    Parameters
    ----------
    path
        CSV, gzipped CSV or Parquet, or any other file that `read_source` reads.
    names
        Whose answers to read.
    classes
        All classes; of two the positive one last.
    options
        How to read them.
    labelled
        Members whose numbers are class labels, see `SoftCommittee`.
    scored
        Members that give scores.

    Raises
    ------
    FileFormatError
        If a member has no column, or the file is no table; a CSV file's line is named.
    """
    words = [str(label) for label in classes]
    columns = list(names)
    if len(words) > 2:
        columns += [f"{name}:{word}" for name in names for word in words]
    elif isinstance(classes[0], str):
        options = replace(options, positive=words[1], negative=words[0])
    sheet = _sheet_of(opened([path], options), options, columns)
    wanted = {name: _columns_of(name, words, sheet.names) for name in names}
    missing = [name for name, found in wanted.items() if not found]
    if missing:
        lacking = f"{missing[0]}:{words[0]}" if len(words) > 2 else missing[0]
        raise FileFormatError(
            path, f"has no column {brief(lacking)}. The committee's members are found by name."
        )
    kept = [column for found in wanted.values() for column in found]
    places = [sheet.names.index(column) for column in kept]
    sheet = replace(sheet, names=tuple(kept), cells=tuple(sheet.cells[p] for p in places))
    scores = {name: [sheet.score(column) for column in wanted[name]] for name in scored}
    # They may be any numbers, so that as probabilities they say nothing here.
    silent = {column for name in scored for column in wanted[name]}
    heard = [
        [""] * len(cells) if column in silent else cells
        for column, cells in zip(sheet.names, sheet.cells, strict=True)
    ]
    sheet = replace(sheet, cells=tuple(heard))
    if options.grade is None and may_be_labels(classes):
        rows = _of_numbers(sheet, classes, labelled)
    else:
        rows = _of_words(_rows(sheet, options, words if len(words) > 2 else None), classes)
    each = {name: c[0] if len(c) == 1 else np.column_stack(c) for name, c in scores.items()}
    return replace(rows, said={**rows.said, **each})


def _of_words(rows: SoftRows, classes: Sequence[Label]) -> SoftRows:
    """Return rows with labels that were read as text as those of a committee, which may be numbers.

    A class that it does not know stays.
    """
    if rows.labels is None:
        return rows
    called = dict(zip(map(str, rows.classes), classes, strict=False))
    labels = [called.get(str(label), label) for label in rows.labels.tolist()]
    return replace(rows, labels=np.array(labels, dtype=object), classes=tuple(classes))


def _sheet_of(loaded: Any, options: ReadOptions, names: Sequence[str] | None = None) -> Sheet:
    sheet = read_sheet(loaded, options, names, text=True)
    assert sheet is not None
    return sheet


def _columns_of(name: str, words: Sequence[str], there: Sequence[str]) -> list[str]:
    """Return a member's columns: one for each class of several, or one; empty if it has none."""
    each = [f"{name}:{word}" for word in words]
    if len(words) > 2 and all(column in there for column in each):
        return each
    return [name] if name in there else []


def _rows(sheet: Sheet, options: ReadOptions, words: Sequence[str] | None = None) -> SoftRows:
    """Read cells as probabilities; `words` are the classes where there are known to be several."""
    several = words is not None
    if not several and sheet.labels is not None and options.positive is None:
        distinct = sheet.distinct_labels()
        several, words = len(distinct) > 2, distinct
    if several and words is not None:
        labels = None if sheet.labels is None else np.array(sheet.labels, dtype=str)
        return SoftRows(
            _several(sheet, words), sheet.ids, sheet.id_name, labels, tuple(map(str, words))
        )
    # Numbers are probabilities, also where labels are grades that are cut elsewhere.
    rows = sheet.rows(replace(options, cutoff=0.5))
    assert rows.numbers is not None
    classes: tuple[Label, ...] = (0, 1) if rows.classes is None else rows.classes
    truth = None if rows.labels is None else np.array(classes)[rows.labels.astype(np.intp)]
    columns = {name: rows.numbers[:, k] for k, name in enumerate(rows.names)}
    return SoftRows(columns, rows.ids, rows.id_name, truth, classes)


def _of_numbers(sheet: Sheet, classes: Sequence[Any], labelled: Sequence[str]) -> SoftRows:
    """Read cells as probabilities or labels, where two classes are other numbers than 0 and 1."""
    sheet.distinct_labels()
    said = {
        name: sheet.classes_among(classes, name) if name in labelled else sheet.probability(name)
        for name in sheet.names
    }
    labels = None if sheet.labels is None else sheet.classes_among(classes)
    return SoftRows(said, sheet.ids, sheet.id_name, labels, tuple(classes))


def _several(sheet: Sheet, words: Sequence[str]) -> dict[str, NDArray[np.float64]]:
    """Read columns ``name:class``, and columns of classes."""
    said: dict[str, NDArray[np.float64]] = {}
    for column in sheet.names:
        # A class may have a colon in its name, so the longest that fits is meant.
        word = max((word for word in words if column.endswith(f":{word}")), key=len, default=None)
        if word is None:
            said[column] = sheet.one_hot(column, words)
        elif (name := column[: -len(word) - 1]) not in said:
            each = [f"{name}:{other}" for other in words]
            lacking = [other for other in each if other not in sheet.names]
            if lacking:
                raise FileFormatError(
                    sheet.path,
                    f"has {brief(column)} and no column {brief(lacking[0])}. Give each member a "
                    "column for every class.",
                )
            said[name] = np.column_stack([sheet.probability(other) for other in each])
    return said
