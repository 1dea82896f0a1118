"""`PluralitySolution`: a plurality committee that leaves with its proof."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar, Self, get_args

from .. import jsonfile, words
from ..answer import Status, headline, read_answer, read_optional
from ..document import Document
from ..exceptions import InputError
from ..ledger import Progress, relative_gap
from .committee import PluralityCommittee
from .votes import Label

_TEXTS = ("status", "termination", "objective", "method", "explanation")
_WHOLE = ("seed", "n_rows", "n_patterns", "n_classifiers")


@dataclass(frozen=True, slots=True, kw_only=True)
class PluralitySolution(Document):
    """The best committee found, its recounted value, and how far from optimal it can be.

    Parameters
    ----------
    status, termination, bound, gap
        As on `Solution`.
    committee, value
        The best committee and its objective; None where there is none.
    confusion
        Weight of the rows of each true class (outer) that were decided as each class (inner), in
        the order of `classes`.
    classes
        All classes, in the order in which ties are broken.
    objective, constraints
        What was asked for, in words.
    method, solver, seconds, seed, versions
        What made it.
    n_rows, n_patterns, n_classifiers
        Size of the votes.
    explanation, incidents, trace
        As on `Solution`.
    """

    _KIND: ClassVar = "plurality_solution"

    status: Status
    termination: str
    committee: PluralityCommittee | None
    confusion: tuple[tuple[Fraction, ...], ...] | None
    value: float | None
    bound: float | None
    objective: str
    classes: tuple[Label, ...]
    method: str
    solver: str | None
    seconds: float
    seed: int
    n_rows: int
    n_patterns: int
    n_classifiers: int
    constraints: tuple[str, ...] = ()
    explanation: str = ""
    incidents: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict, hash=False)
    trace: tuple[Progress, ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.status not in get_args(Status):
            raise InputError("status", f"is {self.status!r}; expected {get_args(Status)}.")
        found = self.committee is not None
        if found != (self.status in ("optimal", "feasible")):
            raise InputError("status", f"{self.status!r} does not fit the committee.")
        if (self.confusion is None) == found or (self.value is None) == found:
            raise InputError("value", "a committee comes with its confusion and its value.")
        if self.value is not None and self.bound is not None and self.bound < self.value:
            raise InputError("bound", f"{self.bound} is below the value {self.value}.")
        if self.confusion is not None and self.value != self._counted(self.confusion):
            raise InputError("value", f"is {self.value}, which is not what the confusion gives.")

    def _counted(self, confusion: tuple[tuple[Fraction, ...], ...]) -> float | None:
        """Return the value that the confusion gives, where the objective goes by a name."""
        totals = [sum(row, Fraction(0)) for row in confusion]
        right = [row[place] for place, row in enumerate(confusion)]
        if self.objective == "accuracy":
            return float(sum(right, Fraction(0)) / sum(totals, Fraction(0)))
        if self.objective == "balanced_accuracy":
            shares = [r / t for r, t in zip(right, totals, strict=True) if t]
            return float(sum(shares, Fraction(0)) / len(shares))
        return self.value

    @property
    def gap(self) -> float | None:
        """``(bound - value) / |value|``; None without a committee or a bound."""
        return relative_gap(self.value, self.bound)

    def summary(self) -> str:
        """Return the answer and its proof as a few lines of text."""
        lines = [headline(self.status, self.termination, self.value, self.bound)]
        if self.committee is not None and self.confusion is not None:
            gap = "" if self.gap is None else f"   gap {words.percent(self.gap)}"
            lines += [
                f"  value        {self.value:.6g}   {self.objective}",
                f"  bound        {'none' if self.bound is None else f'{self.bound:.6g}'}{gap}",
                f"  committee    {self.committee.size} of {self.n_classifiers} classifiers, most "
                "votes win",
                *words.wrap("  members      ", self.committee.names),
            ]
            for place, row in enumerate(self.confusion):
                label = "  confusion    " if not place else " " * 15
                counts = ", ".join(f"{words.count(_plain(cell))}" for cell in row)
                lines.append(f"{label}{self.classes[place]}: {counts}")
        if self.explanation:
            lines.append(f"  why          {self.explanation}")
        if self.constraints:
            lines.append(f"  subject to   {'; '.join(self.constraints)}")
        lines.append(
            f"  votes        {self.n_rows} rows, {self.n_patterns} distinct patterns, "
            f"{len(self.classes)} classes"
        )
        by = self.method if self.solver is None else f"{self.method} ({self.solver})"
        lines.append(f"  method       {by}, {self.seconds:.2f} s, seed {self.seed}")
        lines += [f"  incident     {incident}" for incident in self.incidents]
        return "\n".join(lines)

    def _fields(self) -> dict[str, Any]:
        # The trace and the votes are left out.
        rows = None
        if self.confusion is not None:
            rows = [[str(cell) for cell in row] for row in self.confusion]
        return {
            **{name: getattr(self, name) for name in (*_TEXTS, *_WHOLE)},
            "value": self.value,
            "bound": self.bound,
            "gap": None if self.gap is None or math.isinf(self.gap) else self.gap,
            "committee": None if self.committee is None else self.committee._fields(),
            "confusion": None if rows is None else [" ".join(row) for row in rows],
            "classes": list(self.classes),
            "constraints": list(self.constraints),
            "incidents": list(self.incidents),
            "solver": self.solver,
            "seconds": self.seconds,
            "versions": self.versions,
        }

    @classmethod
    def _from_fields(cls, fields: jsonfile.Fields) -> Self:
        return fields.build(lambda: cls(**_read(fields)))


def _read(fields: jsonfile.Fields) -> dict[str, Any]:
    optional = partial(read_optional, fields)
    return {
        **read_answer(fields),
        "committee": optional(
            "committee", lambda key: PluralityCommittee._from_fields(fields.object(key))
        ),
        "confusion": optional("confusion", lambda key: _rows(fields.texts(key))),
        "classes": fields.scalars("classes"),
    }


def _rows(texts: tuple[str, ...]) -> tuple[tuple[Fraction, ...], ...]:
    try:
        return tuple(tuple(Fraction(cell) for cell in text.split()) for text in texts)
    except (ValueError, ZeroDivisionError):
        raise InputError("confusion", "must be rows of fractions with blanks between.") from None


def _plain(cell: Fraction) -> int | Fraction:
    return int(cell) if cell.denominator == 1 else cell
