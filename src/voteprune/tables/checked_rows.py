"""What a table becomes, and the rules that its cells must keep.

A vote is a number in [0, 1], but for rounding, which is positive from 0.5 on, or any number that is
cut elsewhere.
A label is 0 or 1. A part is validation or test. CSV and Parquet differ in how cells are written,
never in these rules, so every rule stands here once: `sound_rows` asks for all cells at once
whether all is well, and `cell_fault` says of one cell what is not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..numbers.floats import ROUNDING
from ..votes.plurality import PluralityVotes
from ..votes.reading import holds_probabilities
from ..votes.votes import Votes

PART, LABEL, INDEX = "datatype", "real_class", "index"
"""The paper's three columns that are not classifiers."""

INDEXES = (INDEX, "__index_level_0__")
"""Columns that name the rows where nothing is said; pandas writes the second into Parquet."""

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
    numbers
        What was said before it was cut, n x K, with NaN where a classifier has said nothing; None
        where it was not kept, and everybody has voted on every row.
    id_name
        What the column of ids is called.
    notes
        What a person should know about how the file was read.
    costs
        What a vote of each classifier costs, where the file tells.
    classes
        What the negative and the positive class are called, where not 0 and 1.
    """

    votes: Bools
    names: tuple[str, ...]
    ids: tuple[str, ...]
    labels: Bools | None = None
    is_test: Bools | None = None
    numbers: NDArray[np.float64] | None = None
    id_name: str = INDEX
    notes: tuple[str, ...] = ()
    costs: dict[str, float] | None = None
    classes: tuple[str, str] | None = None

    @property
    def said(self) -> NDArray[Any]:
        """The votes; 0 and 1 with NaN between them where some classifier has said nothing."""
        if self.numbers is None or not np.isnan(self.numbers).any():
            return self.votes
        return np.where(np.isnan(self.numbers), np.nan, self.votes)

    def where(self, chosen: Bools) -> Rows:
        """Return some of the rows."""
        places = np.flatnonzero(chosen).tolist()
        return replace(
            self,
            votes=self.votes[chosen],
            ids=tuple(self.ids[i] for i in places),
            labels=None if self.labels is None else self.labels[chosen],
            is_test=None if self.is_test is None else self.is_test[chosen],
            numbers=None if self.numbers is None else self.numbers[chosen],
        )

    def of(self, places: Sequence[int]) -> Rows:
        """Return the votes of some of the classifiers, in the order given."""
        numbers = None if self.numbers is None else self.numbers[:, places]
        names = tuple(self.names[place] for place in places)
        return replace(self, votes=self.votes[:, places], names=names, numbers=numbers)


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
    notes, costs, classes
        As on `Rows`.
    numbers
        What was said on the rows to prune on, as on `Rows`.
    """

    validation: Votes
    validation_ids: tuple[str, ...]
    test: Rows | None
    notes: tuple[str, ...] = ()
    costs: dict[str, float] | None = None
    classes: tuple[str, str] | None = None
    numbers: NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ClassTable:
    """What a table says where its cells are classes.

    Parameters
    ----------
    validation
        What `prune` takes.
    test
        The test rows, with the same classes; None where there are none.
    notes, costs
        As on `Rows`.
    """

    validation: PluralityVotes
    test: PluralityVotes | None
    notes: tuple[str, ...] = ()
    costs: dict[str, float] | None = None


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
    test_value
        What the part says of test rows; None where it says validation or test.
    cutoff
        From where on a number is a positive vote.
    notes
        What a person should know about this choice.
    numbers
        Whether numbers are kept beside the votes they are cut to.
    """

    votes: tuple[str, ...]
    label: str | None = None
    part: str | None = None
    index: str | None = None
    test_value: str | None = None
    cutoff: float = 0.5
    notes: tuple[str, ...] = ()
    numbers: bool = False

    def is_test(self, word: str) -> bool | None:
        """Tell whether a part is that of test rows; None if it is neither that nor the other."""
        if self.test_value is not None:
            return same(word, self.test_value)
        return is_test_part(word)

    def rows(self, numbers: Any, labels: Any, ids: Sequence[str], parts: Any) -> Rows:
        """Cut sound numbers to votes."""
        return Rows(
            numbers >= self.cutoff,
            self.votes,
            tuple(ids),
            None if labels is None else labels == 1,
            None if self.part is None else np.array(parts, dtype=bool),
            numbers if self.numbers else None,
            id_name=self.index or INDEX,
            notes=self.notes,
        )


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
    parts = {word: layout.is_test(word) for word in set(words)}
    # Written so that NaN, which compares false with everything, fails.
    least, most = vote_range(layout.cutoff)
    sound = ((numbers >= least) & (numbers <= most)).all() and None not in parts.values()
    if not sound or (labels is not None and not np.isin(labels, (0, 1)).all()):
        return None
    ids = map(str, range(frame.height) if layout.index is None else frame[layout.index])
    return layout.rows(numbers, labels, tuple(ids), [parts[word] for word in words])


def vote_range(cutoff: float) -> tuple[float, float]:
    """Return the least and the greatest number that is a vote, given where votes are cut.

    Whoever takes probabilities as they are, not as votes, brings back those beyond 0 or 1.
    """
    if holds_probabilities(cutoff):
        return -ROUNDING, 1 + ROUNDING
    most = float(np.finfo(np.float64).max)
    return -most, most


def parse_number(cell: str) -> float | None:
    """Read a cell as a number; true is 1, false is 0, 5% is 0.05, None is no number at all."""
    try:
        share = cell.strip().endswith("%")
        return float(cell.strip()[:-1]) / 100 if share else float(cell)
    except ValueError:
        return {"true": 1.0, "false": 0.0}.get(cell.strip().lower())


def same(cell: str, word: str) -> bool:
    """Tell whether a cell says a word: as text, or as a number or truth value where both are."""
    one, other = parse_number(cell), parse_number(word)
    return cell.strip() == word.strip() or (one is not None and one == other)


def class_names(words: tuple[str, str]) -> tuple[str, str] | tuple[float, float]:
    """Return what two classes are called outside a file of text: numbers, if both are."""
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        return words
    if not all(map(math.isfinite, numbers)):
        return words
    negative, positive = (int(number) if number.is_integer() else number for number in numbers)
    return negative, positive


def is_missing(cell: str) -> bool:
    """Tell whether a cell says nothing: it is empty, or no number by its own word."""
    number = parse_number(cell)
    return not cell.strip() or (number is not None and math.isnan(number))


def brief(text: str) -> str:
    """Quote a text, its beginning only where it is long."""
    return repr(text) if len(text) <= 40 else f"{text[:40]!r}… ({len(text)} characters)"


def cell_fault(
    name: str, cell: str, value: float | None, is_label: bool, cutoff: float = 0.5
) -> str:
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
    cutoff
        From where on a number is a positive vote.

    Returns
    -------
    str
        The message, empty if the cell is sound.
    """
    if is_label:
        if value in (0, 1):
            return ""
        found = f"is {brief(cell)}" if cell.strip() else "is empty"
        cure = "" if value is None else (
            " If there are two others, name the positive one with --positive; grades are cut with "
            "--positive '>=2'."
        )  # fmt: skip
        return f"label {name!r} {found}. Labels must be 0 or 1, 1 being the positive class.{cure}"
    if is_missing(cell):
        return f"column {name!r} is {brief(cell) if cell.strip() else 'empty'}. {NEEDED}"
    least, most = vote_range(cutoff)
    if value is not None and least <= value <= most:
        return ""
    what = "Votes are 0 or 1 and probabilities lie in [0, 1]."
    if not holds_probabilities(cutoff):
        what = "Votes are numbers."
    kind = ", not a number" if value is None else ""
    cure = ""
    if value == -1:
        cure = (
            " If -1 stands for no vote, say --abstain -1 (and --abstentions skip where votes are "
            "counted); if -1 and 1 are the classes, --positive 1."
        )
    elif value is None and is_test_part(cell) is not None:
        cure = f" If it tells test rows from others, say --split {name}=test."
    elif value is None:
        cure = silence(cell) or decimal_comma(cell)
    elif value is not None and value > 1 and holds_probabilities(cutoff):
        cure = " Grades and scores are cut to votes with --cutoff 2, say; percentages end in %."
    return (
        f"column {name!r} is {brief(cell)}{kind}. {what}{cure} If it is no classifier, leave it "
        f"out: --ignore {name}."
    )


def silence(cell: str) -> str:
    """Say how to read a cell by which other tools mean that there is nothing, else nothing."""
    word = cell.strip()
    meant = word.lower() in ("na", "n/a", "#n/a", "null", "none", "missing", "-", "?", ".")
    shell = word if word.isalnum() else f"'{word}'"
    return f" If it stands for no vote, say --abstain {shell}." if meant else ""


def decimal_comma(cell: str) -> str:
    """Say where numbers with a decimal comma are read, if a cell is one, else nothing."""
    read = with_point(cell) != cell
    return " Decimal commas are read in tables with semicolons or tabs." if read else ""


def with_point(cell: str) -> str:
    """Write a number with a decimal comma, as in tables with semicolons, with a point."""
    return cell.replace(",", ".") if _WITH_COMMA.fullmatch(cell) else cell


_WITH_COMMA = re.compile(r"\s*[-+]?(\d+,\d*|,\d+)(e[-+]?\d+)?\s*%?\s*", re.IGNORECASE)

NEEDED = (
    "Every classifier needs a vote on every row: leave such rows or classifiers out (--ignore), "
    "fill in what should count, or say what an abstention counts for: --abstentions skip (nothing, "
    "those who vote decide) or --abstentions against (not positive)."
)
"""What can be done where a vote is missing."""

CLASS_NEEDED = (
    "Every cell needs a class: leave such rows or classifiers out, name one, or take --abstentions "
    "skip, by which those who vote decide."
)
"""The same where votes are classes."""


def nameless(header: Sequence[str], place: int) -> str:
    """Say that a column has no name, where it may come from, and what to do."""
    cure = "If it is the index pandas writes, leave it out: to_csv(index=False)."
    if header[0].lower().startswith("sep="):
        cure = (
            f"The first line, {header[0]!r}, tells Excel what stands between cells: leave it out."
        )
    elif place == len(header) - 1:
        cure = "Lines that end with a separator have such a column: leave the last separators out."
    return f"column {place + 1} has no name. {cure}"


def is_test_part(word: str) -> bool | None:
    """Read the paper's datatype, written out or shortened; None if it is neither."""
    word = word.strip().lower()
    if word.startswith("val"):
        return False
    return True if word.startswith(("test", "indep")) else None


def unknown_part(word: str) -> str:
    """Say what is wrong with a cell that `is_test_part` cannot read."""
    return f"column {PART!r} is {brief(word)}. It must be validation or test."
