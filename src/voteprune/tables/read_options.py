"""How a table is to be read, as the user says it."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..exceptions import FileFormatError, InputError
from ..votes.abstaining import Abstentions, check_abstentions
from ..votes.reading import check_cutoff, holds_probabilities
from .checked_rows import nameless

_ID = re.compile(r"(?i)(|.*[_ .-])(id|ids|idx|uid|uuid|guid|index|fold|folds|rowid|row|key)")
_CAMEL_ID = re.compile(r".*[a-z](Id|ID|Index)|(?i:unnamed: ?\d+)|__index_level_\d+__")
_DOUBTFUL = re.compile(
    r"(?i)(|.*[_ .-])(split|part|group|seed|weight|time|timestamp|date|query|item|task|sample|set)"
)


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How a table is to be read.

    Parameters
    ----------
    target
        The label column.
    k
        Take only so many classifiers, equally many of every model.
    ignore, columns
        Columns that are no classifiers, and columns that are; names or patterns as ``model_*``.
    id
        The column that names the rows, and joins several files.
    positive
        Which of two labels is the positive class, or from where on a grade is, as ``>=2``.
    negative
        The other label, where it is known before a file is read.
    cutoff
        From where on a vote is positive.
    sep
        What stands between cells.
    labels
        A file of labels, joined by the id.
    split
        Test rows, as ``COLUMN=VALUE``.
    long
        Columns of item, judge and vote, where there is a line for each vote.
    vote
        What counts as the vote in an Inspect log: ``value`` or ``answer``.
    abstentions
        What an empty cell counts for, see `Votes`; None where none may be empty.
    abstain
        What else a cell may say that means nothing, as ``-1``.
    otherwise
        The class that wins ties and rows on which nobody votes, where there are several.
    numbers
        Whether to keep what was said beside the votes it is cut to.
    """

    target: str | None = None
    k: int | None = None
    ignore: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    id: str | None = None
    positive: str | None = None
    cutoff: float | None = None
    sep: str | None = None
    labels: Path | None = None
    split: str | None = None
    long: tuple[str, ...] = ()
    vote: str | None = None
    negative: str | None = None
    abstentions: Abstentions | None = None
    abstain: tuple[str, ...] = ()
    otherwise: str | None = None
    numbers: bool = False

    def __post_init__(self) -> None:
        if self.cutoff is not None:
            check_cutoff(self.cutoff)
            if self.word is not None and not holds_probabilities(self.cutoff):
                raise InputError(
                    "cutoff",
                    f"is {self.cutoff:g}, but beside classes by name votes are probabilities. Give "
                    "a number between 0 and 1.",
                )
        if self.sep is not None and (len(self.sep) != 1 or self.sep in '"\r\n'):
            raise InputError("sep", f"is {self.sep!r}; expected one character, as ';' or tab.")
        if self.split is not None and not all(self.split.partition("=")):
            raise InputError("split", f"is {self.split!r}; expected COLUMN=VALUE, as fold=0.")
        if self.long and len(set(self.long)) != 3:
            raise InputError("long", "names three columns: item,judge,vote. Name each once.")
        if self.vote not in (None, "value", "answer"):
            raise InputError("vote", f"is {self.vote!r}; expected value or answer.")
        check_abstentions(self.abstentions)

    @property
    def gaps(self) -> bool:
        """Whether cells may say nothing."""
        return self.abstentions is not None or bool(self.abstain)

    @property
    def cut(self) -> float:
        """From where on a vote is positive."""
        if self.cutoff is not None:
            return self.cutoff
        return 0.5 if self.grade is None else self.grade

    @property
    def grade(self) -> float | None:
        """From where on a grade is positive, where that is what `positive` says."""
        found = re.fullmatch(r"\s*>=\s*([-+]?[0-9.]+)\s*", self.positive or "")
        try:
            return None if found is None else float(found[1])
        except ValueError:
            return None

    @property
    def word(self) -> str | None:
        """The positive class, where `positive` names one."""
        return None if self.positive is None or self.grade is not None else self.positive.strip()

    @property
    def test_column(self) -> str | None:
        """The column that tells test rows from others."""
        return None if self.split is None else self.split.partition("=")[0]

    @property
    def test_value(self) -> str | None:
        """What that column says of test rows."""
        return None if self.split is None else self.split.partition("=")[2].strip()

    def chosen(self, where: str, names: Sequence[str], kind: str = "voter") -> tuple[str, ...]:
        """Return the names that `ignore` and `columns` leave.

        Raises
        ------
        InputError
            If a pattern fits none; it says what `kind` of names they are.
        """
        for option, patterns in (("ignore", self.ignore), ("columns", self.columns)):
            for pattern in patterns:
                if not any(_fits(name, pattern) for name in names):
                    listed = ", ".join(map(repr, names[:8])) + (", ..." * (len(names) > 8))
                    raise InputError(
                        option, f"{pattern!r} fits no {kind} of {where}, only {listed}."
                    )
        left = [name for name in names if not any(_fits(name, p) for p in self.ignore)]
        return tuple(n for n in left if any(_fits(n, p) for p in self.columns or ("*",)))

    def voters(
        self, where: str, columns: Sequence[str], taken: Sequence[str | None]
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the columns that vote, and doubts about some of them.

        Raises
        ------
        InputError
            If a pattern fits no column, or a column that looks like an id would vote.
        """
        chosen = self.chosen(where, columns, "column")
        free = tuple(name for name in chosen if name not in taken)
        if self.columns:
            return free, ()
        for name in free:
            if not name.strip():
                raise FileFormatError(where, nameless(columns, columns.index(name)))
            if _ID.fullmatch(name) or _CAMEL_ID.fullmatch(name):
                raise FileFormatError(
                    where,
                    f"column {name!r} looks like an id or a fold and would vote. Leave it out with "
                    f"--ignore {name}, name the rows by it with --id {name}, or choose the "
                    "classifiers with --columns.",
                )
        doubtful = [name for name in free if _DOUBTFUL.fullmatch(name)]
        notes = [
            f"{where}: column {name!r} votes, though it may be no classifier; if so: --ignore "
            f"{name}"
            for name in doubtful
        ]
        return free, tuple(notes)


def _fits(name: str, pattern: str) -> bool:
    return name == pattern or fnmatch.fnmatchcase(name, pattern)
