"""What a table becomes, and the rules that its cells must keep.

A vote is a number in [0, 1], rounded to positive from 0.5 on. A label is 0 or 1. A part is
validation or test. CSV and Parquet differ in how cells are written, never in these rules, so
every rule stands here once: `sound_rows` asks for all cells at once whether all is well, and
`cell_fault` says of one cell what is not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..votes.votes import Votes

PART, LABEL, INDEX = "datatype", "real_class", "index"
"""The paper's three columns that are not classifiers."""

Bools = NDArray[np.bool_]
"""An array of True and False, of any shape."""


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
class Layout:
    """Which column plays which part.

    Parameters
    ----------
    votes
        The classifiers to read, in the order wanted.
    label
        The column of true classes, None where there is none.
    part
        The column that tells validation from test rows, None where there is none.
    index
        The column that names the rows, None where there is none.
    """

    votes: tuple[str, ...]
    label: str | None = None
    part: str | None = None
    index: str | None = None


Choose = Callable[[tuple[str, ...]], Layout]
"""Given the columns of a file, say which of them play a part; raises where they do not fit."""


def sound_rows(frame: Any, layout: Layout) -> Rows | None:
    """Round the numbers of a polars frame to votes.

    Parameters
    ----------
    frame
        Votes and labels as floats, part and index as strings.
    layout
        Which of its columns to take.

    Returns
    -------
    Rows or None
        None if any cell breaks a rule; `cell_fault` and `unknown_part` find out which.
    """
    numbers = frame.select(layout.votes).to_numpy()
    labels = None if layout.label is None else frame[layout.label].to_numpy()
    words = [] if layout.part is None else frame[layout.part].to_list()
    parts = {word: is_test_part(word) for word in set(words)}
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


def parse_number(cell: str) -> float | None:
    """Read a cell of text as a number; true is 1, false is 0, and None is no number at all."""
    try:
        return float(cell)
    except ValueError:
        return {"true": 1.0, "false": 0.0}.get(cell.strip().lower())


def brief(text: str) -> str:
    """Quote a text, its beginning only where it is long."""
    return repr(text) if len(text) <= 40 else f"{text[:40]!r}… ({len(text)} characters)"


def cell_fault(name: str, cell: str, value: float | None, is_label: bool) -> str:
    """Say what is wrong with a vote or a label.

    Parameters
    ----------
    name
        The cell's column.
    cell
        The cell as it is written.
    value
        The number it stands for, None if it stands for none.
    is_label
        Whether the rule for labels holds, rather than the one for votes.

    Returns
    -------
    str
        The message, empty if the cell is sound.
    """
    if is_label:
        if value in (0, 1):
            return ""
        found = f"is {brief(cell)}" if cell.strip() else "is empty"
        return f"label {name!r} {found}. Labels must be 0 or 1, 1 being the positive class."
    if not cell.strip():
        return f"column {name!r} is empty. Every classifier needs a vote on every row."
    if value is None:
        return f"column {name!r} is {brief(cell)}, not a number. Votes are numbers in [0, 1]."
    if not 0 <= value <= 1:
        return (
            f"column {name!r} is {brief(cell)}. Votes are 0 or 1 and probabilities lie in [0, 1]."
        )
    return ""


def is_test_part(word: str) -> bool | None:
    """Read the paper's datatype, written out or shortened; None if it is neither."""
    word = word.strip().lower()
    if word.startswith("val"):
        return False
    return True if word.startswith(("test", "indep")) else None


def unknown_part(word: str) -> str:
    """Say what is wrong with a cell that `is_test_part` cannot read."""
    return f"column {PART!r} is {brief(word)}. It must be validation or test."
