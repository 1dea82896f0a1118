"""`Sheet`: who said what about which item, as text, whatever kind of file it comes from.

Cells are as they were written, and empty where nothing was said. What they mean is decided here:
two words, grades that are cut, probabilities, or classes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..exceptions import FileFormatError, InputError
from ..votes.plurality import PluralityVotes
from ..votes.reading import TwoClasses
from . import file_bytes
from .checked_rows import (
    CLASS_NEEDED,
    INDEX,
    Bools,
    Rows,
    brief,
    cell_fault,
    is_missing,
    parse_number,
    same,
    silence,
)
from .csvfile import others_too
from .layout import listed
from .read_options import ReadOptions

_SURELY_IDS = 20
"""Rows from which on a column that says something else on each of them must be an id."""


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Votes as text.

    Parameters
    ----------
    path
        Where they come from, for messages.
    names
        The voters.
    ids
        The items, one per row.
    cells
        For each voter what it says of each item; empty where it says nothing.
    labels
        What is true of each item, where that is known.
    label_name, id_name
        What these columns are called.
    is_test
        Which rows are test rows, where that is told.
    notes, costs
        As on `Rows`.
    lines
        Where each row begins, in a file that has lines.
    """

    path: str
    names: tuple[str, ...]
    ids: tuple[str, ...]
    cells: tuple[Sequence[str], ...]
    labels: Sequence[str] | None = None
    label_name: str = "label"
    id_name: str = INDEX
    is_test: Bools | None = None
    notes: tuple[str, ...] = ()
    costs: dict[str, float] | None = None
    lines: Sequence[int] | None = None

    def rows(self, options: ReadOptions) -> Rows:
        """Read the cells as votes of two classes, with NaN where nothing was said."""
        labels, classes = self._labels(options)

        def read(name: str, cell: str) -> float | str:
            if not cell.strip():
                return float("nan")
            if classes is not None:
                for word, vote in ((classes.positive, 1.0), (classes.negative, 0.0)):
                    if word is not None and same(cell, word):
                        return vote
                if not _numeric(classes).beside_probabilities:
                    return (
                        f"column {name!r} is {brief(cell)}, none of the classes {classes}."
                        f"{silence(cell)}"
                    )
            if is_missing(cell):
                return float("nan")
            number = parse_number(cell)
            fault = cell_fault(name, cell, number, False, options.cut)
            if fault and classes is not None:
                return (
                    f"column {name!r} is {brief(cell)}, none of the classes {classes}, and no "
                    f"probability.{silence(cell)} If it is no classifier, leave it out: --ignore "
                    f"{name}."
                )
            return fault or (float("nan") if number is None else float(number))

        columns, faults = [], {}
        for name, cells in zip(self.names, self.cells, strict=True):
            try:
                columns.append(self._column(name, cells, read))
            except FileFormatError as error:
                faults[name] = error
        if faults:
            first = next(iter(faults.values()))
            message = first.message + others_too(list(faults), len(self.names))
            raise FileFormatError(first.path, message, first.line)
        numbers = np.column_stack(columns)
        # Words were read as 0 and 1, which every cut-off of probabilities tells apart.
        votes = np.where(np.isnan(numbers), False, numbers >= options.cut)
        return Rows(
            votes,
            self.names,
            self.ids,
            labels,
            self.is_test,
            numbers,
            self.id_name,
            self.notes,
            self.costs,
            None if classes is None else (str(classes.negative), str(classes.positive)),
        )

    def distinct_labels(self) -> list[str]:
        """Return the classes that are true somewhere, numbers in their order, others sorted."""
        labels = self.labels or ()
        if "" in labels:
            raise self._error(labels.index(""), f"label {self.label_name!r} is empty.")
        return _ordered(set(labels))

    def probability(self, name: str) -> NDArray[np.float64]:
        """Read a column of probabilities, with NaN where nothing was said."""

        def read(name: str, cell: str) -> float | str:
            if is_missing(cell):
                return float("nan")
            number = parse_number(cell)
            fault = cell_fault(name, cell, number, False)
            return fault or (float("nan") if number is None else number)

        return self._column(name, self.cells[self.names.index(name)], read)

    def score(self, name: str) -> NDArray[np.float64]:
        """Read a column of any numbers, with NaN where nothing was said."""

        def read(name: str, cell: str) -> float | str:
            if is_missing(cell):
                return float("nan")
            fault = f"column {name!r} is {brief(cell)}; scores are numbers."
            number = parse_number(cell)
            return fault if number is None else number

        return self._column(name, self.cells[self.names.index(name)], read)

    def one_hot(self, name: str, words: Sequence[str]) -> NDArray[np.float64]:
        """Read a column of classes as n x C, 1 for the class named, NaN where there is none."""

        def read(name: str, cell: str) -> float | str:
            if cell in words:
                return float(words.index(cell))
            if is_missing(cell):
                return float("nan")
            return (
                f"column {name!r} is {brief(cell)}, none of the {len(words)} classes. "
                f"Probabilities of several classes stand in columns such as {name}:{words[0]}; if "
                f"it is no classifier, leave it out: --ignore {name}."
            )

        places = self._column(name, self.cells[self.names.index(name)], read)[:, None]
        named = (places == np.arange(len(words))).astype(np.float64)
        return np.where(np.isnan(places), np.nan, named)

    def classes_among(
        self, numbers: Sequence[float], name: str | None = None
    ) -> NDArray[np.float64]:
        """Read classes that are numbers: a column, NaN where nothing was said, or the labels."""

        def read(_: str, cell: str) -> float | str:
            if name is not None and is_missing(cell):
                return float("nan")
            number = parse_number(cell)
            if number is not None and number in numbers:
                return number
            what = f"label {self.label_name!r}" if name is None else f"column {name!r}"
            return f"{what} is {brief(cell)}, none of the classes {list(numbers)}.{silence(cell)}"

        if name is None:
            return self._column(self.label_name, self.labels or (), read)
        return self._column(name, self.cells[self.names.index(name)], read)

    def silenced(self, options: ReadOptions) -> Sheet:
        """Return it with nothing in the cells that mean nothing, where cells may."""
        if not options.gaps:
            return self

        def says(cell: str) -> bool:
            return not (is_missing(cell) or any(same(cell, word) for word in options.abstain))

        known = {cell: cell if says(cell) else "" for cells in self.cells for cell in set(cells)}
        return replace(self, cells=tuple([known[cell] for cell in cells] for cells in self.cells))

    def where(self, mask: Bools) -> Sheet:
        """Return some of the rows, no longer told apart."""

        def kept(cells: Sequence[str]) -> list[str]:
            return [cell for cell, keep in zip(cells, mask, strict=True) if keep]

        return replace(
            self,
            ids=tuple(kept(self.ids)),
            cells=tuple(map(kept, self.cells)),
            labels=None if self.labels is None else kept(self.labels),
            is_test=None,
            lines=None if self.lines is None else np.asarray(self.lines)[mask].tolist(),
        )

    def of(self, names: Sequence[str]) -> Sheet:
        """Return the votes of some voters, in this order; they are found by name."""
        missing = [name for name in names if name not in self.names]
        if missing:
            raise FileFormatError(
                self.path,
                f"has no votes of {brief(missing[0])}. The committee's members are found by name; "
                f"the classifiers are {listed(self.names)}.",
            )
        places = [self.names.index(name) for name in names]
        return replace(self, names=tuple(names), cells=tuple(self.cells[place] for place in places))

    def doubts(self) -> tuple[str, ...]:
        """Say which voters may be none, where cells are classes; refuse those that are ids."""
        if self.labels is None:
            return ()
        truth, n, notes = set(self.labels), len(self.ids), []
        if truth.isdisjoint(set[str]().union(*self.cells)):
            first = next((cell for cells in self.cells for cell in cells if cell), "")
            raise FileFormatError(
                self.path,
                f"nobody ever names a class of {self.label_name!r}, which is "
                f"{_either(_ordered(truth))}; {brief(self.names[0])} says {brief(first)}. Where "
                "cells are probabilities leave --plurality out.",
            )
        for name, cells in zip(self.names, self.cells, strict=True):
            said = Counter(cell for cell in cells if cell)
            strange = [word for word in said if word not in truth]
            if len(said) == n >= _SURELY_IDS and len(truth) < n:
                raise FileFormatError(
                    self.path,
                    f"column {name!r} says something else on every row, so it is an id and would "
                    f"vote. Leave it out with --ignore {name}, or name the rows by it with --id "
                    f"{name}.",
                )
            if len(strange) > max(2, len(truth)):
                notes.append(
                    f"{self.path}: column {name!r} says {len(strange)} classes that are no label; "
                    f"if it is no classifier: --ignore {name}"
                )
        return tuple(notes)

    def classes(self) -> set[str]:
        """Return all that is true or said somewhere, where cells are classes."""
        return set(self.labels or ()).union(*map(set, self.cells)) - {""}

    def refuse_gaps(self, options: ReadOptions) -> None:
        """Refuse empty cells, where nothing says what they count for, and empty labels."""
        labels = [] if self.labels is None else [(self.label_name, self.labels)]
        for name, cells in [*zip(self.names, self.cells, strict=True), *labels]:
            if "" in cells and (options.abstentions is None or name == self.label_name):
                raise self._error(cells.index(""), f"column {name!r} is empty. {CLASS_NEEDED}")

    def plurality(self, options: ReadOptions, classes: set[str]) -> PluralityVotes:
        """Read the cells as classes.

        Parameters
        ----------
        options
            What empty cells count for, and which class wins ties.
        classes
            All there are.
        """
        if self.labels is None:
            raise InputError("target", "is missing. Name the column of true classes.")
        self.refuse_gaps(options)
        if (
            4 * max(map(len, classes)) * len(self.ids) * (len(self.names) + 1)
            > file_bytes.MOST_BYTES
        ):
            raise file_bytes.too_large(self.path)
        order = _ordered(classes)
        if options.otherwise is not None:
            if options.otherwise not in order:
                raise InputError(
                    "otherwise", f"is {brief(options.otherwise)}; the classes are {_either(order)}."
                )
            order = [options.otherwise, *(word for word in order if word != options.otherwise)]
        return PluralityVotes(
            np.column_stack([np.array(cells, dtype=str) for cells in self.cells]),
            np.array(self.labels, dtype=str), names=self.names, classes=order,
            abstentions=options.abstentions,
        )  # fmt: skip

    def _labels(self, options: ReadOptions) -> tuple[Bools | None, TwoClasses | None]:
        if self.labels is None:
            return None, None if options.word is None else TwoClasses(
                options.word, options.negative
            )
        if "" in self.labels:
            raise self._error(self.labels.index(""), f"label {self.label_name!r} is empty.")
        distinct = sorted(set(self.labels))
        if options.grade is not None:
            return self._column(self.label_name, self.labels, _graded) >= options.grade, None
        if options.word is None:
            for word in distinct:
                if parse_number(word) not in (0, 1):
                    raise self._unnamed(distinct)
            return self._column(self.label_name, self.labels, _zero_or_one) == 1, None
        positive = [word for word in distinct if same(word, options.word)]
        others = [word for word in distinct if word not in positive]
        # Rows to judge on may be of one class alone, where both are known.
        known = options.negative is not None and all(same(w, options.negative) for w in others)
        if len(others) > 1 or not (positive or known):
            raise InputError(
                "positive",
                f"is {brief(options.word)}, but label {self.label_name!r} of {self.path} is "
                f"{_either(distinct)}. It names one of two classes; several are for --plurality.",
            )
        return np.array([label in positive for label in self.labels]), TwoClasses(
            options.word, others[0] if others else options.negative
        )

    def _unnamed(self, distinct: Sequence[str]) -> FileFormatError:
        """Return the error for labels of which nobody has said which is positive."""
        what = f"label {self.label_name!r} is {_either(distinct)}."
        if len(distinct) == 2:
            cure = " or ".join(f"--positive {_quoted(word)}" for word in distinct)
            return FileFormatError(self.path, f"{what} Say which is the positive class: {cure}.")
        odd = next(word for word in distinct if parse_number(word) not in (0, 1))
        numbers = all(parse_number(word) is not None for word in distinct)
        cure = "cut grades with --positive '>=2', or " if numbers else ""
        return self._error(
            self.labels.index(odd) if self.labels is not None else 0,
            f"{what} Two classes are wanted: {cure}take prune --plurality for more.",
        )

    def _column(
        self, name: str, cells: Sequence[str], read: Callable[[str, str], float | str]
    ) -> NDArray[np.float64]:
        """Read a column, every distinct cell once; text for what is wrong with a cell."""
        known = {cell: read(name, cell) for cell in dict.fromkeys(cells)}
        for cell, value in known.items():
            if isinstance(value, str):
                raise self._error(list(cells).index(cell), value)
        return np.array([known[cell] for cell in cells], dtype=np.float64)

    def _error(self, row: int, message: str) -> FileFormatError:
        if self.lines is not None:
            return FileFormatError(self.path, message, self.lines[row])
        return FileFormatError(self.path, f"row {brief(self.ids[row])}: {message}")


def _graded(name: str, cell: str) -> float | str:
    number = parse_number(cell)
    return f"label {name!r} is {brief(cell)}, no grade." if number is None else number


def _zero_or_one(_: str, cell: str) -> float:
    return float(parse_number(cell) or 0)


def _numeric(classes: TwoClasses) -> TwoClasses:
    """Return classes with numbers where their names are numbers."""

    def plain(word: str | None) -> float | str | None:
        number = None if word is None else parse_number(word)
        return word if number is None else number

    return TwoClasses(plain(classes.positive), plain(classes.negative))


def _either(distinct: Sequence[str]) -> str:
    more = f", ... ({len(distinct)} in all)" if len(distinct) > 5 else ""
    return " or ".join(brief(word) for word in distinct[:5]) + more


def _quoted(word: str) -> str:
    return word if word.isalnum() else f"'{word}'"


def _ordered(labels: set[str]) -> list[str]:
    numbers = {label: parse_number(label) for label in labels}
    if all(number is not None for number in numbers.values()):
        return sorted(labels, key=lambda label: (numbers[label], label))
    return sorted(labels)
