"""`PluralitySolution`: a plurality committee that leaves with its proof."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar, Self

from ..exceptions import InputError
from ..files import jsonfile
from ..problem.constraints import Constraint, check_constraints
from ..problem.fscore import MACRO
from ..problem.plurality import CRITERIA, PluralityCriterion, PluralityProblem
from ..problem.plurality_committee import PluralityCommittee
from ..strategies.plurality_certificate import PluralityCertificate
from ..votes.plurality import Label, PluralityVotes
from ..votes.votes import Votes, on_classes
from . import words
from .base_solution import BaseSolution, read_answer, read_optional
from .explain import check_same
from .explanation import Explanation
from .plurality_explain import explain

_CONFUSED = 12
"""Classes up to which the confusion is told in full."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PluralitySolution(BaseSolution):
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
    coverage
        As on `Solution`. Rows on which no member votes are decided as the first of `classes`.
    explanation, incidents, trusted, trace, problem
        As on `Solution`.
    certificate
        The proof as `prune` was asked to write it down; None where it was not, and for solutions
        read from a file.
    """

    _KIND: ClassVar = "plurality_solution"

    committee: PluralityCommittee | None
    confusion: tuple[tuple[Fraction, ...], ...] | None
    classes: tuple[Label, ...]
    problem: PluralityProblem | None = field(default=None, repr=False, compare=False)
    certificate: PluralityCertificate | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._check(self.committee, self.confusion)
        if self.confusion is not None:
            cells = [cell for row in self.confusion for cell in row]
            square = {len(self.confusion), *map(len, self.confusion)} == {len(self.classes)}
            if not square or min(cells) < 0 or not any(cells):
                raise InputError("confusion", "must have a row and a column for every class.")
        if self.confusion is not None and self.value != self._counted(self.confusion):
            raise InputError("value", f"is {self.value}, which is not what the confusion gives.")

    def _counted(self, confusion: tuple[tuple[Fraction, ...], ...]) -> float | None:
        """Return the value that the confusion gives, where the objective goes by a name."""
        accuracy, balanced = shares_right(confusion)
        if self.objective == "accuracy":
            return float(accuracy)
        if self.objective == "balanced_accuracy":
            return float(balanced)
        if self.objective == MACRO:
            totals = [sum(row, Fraction(0)) for row in confusion]
            right = [row[place] for place, row in enumerate(confusion)]
            called = [sum(column, Fraction(0)) for column in zip(*confusion, strict=True)]
            scores = [2 * r / (t + d) for r, t, d in zip(right, totals, called, strict=True) if t]
            return float(sum(scores, Fraction(0)) / len(scores))
        return self.value

    @property
    def class_names(self) -> tuple[Any, ...]:
        """What the classes are called: as on the `Votes` it was chosen on, if these had names."""
        labels = () if self.committee is None else self.committee.labels
        return labels or self.classes

    def _shares(self, confusion: tuple[tuple[Fraction, ...], ...]) -> list[str]:
        """Say how often the committee is right, beside how often the commonest class is."""
        accuracy, balanced = shares_right(confusion)
        totals = [sum(row, Fraction(0)) for row in confusion]
        everything = sum(totals, Fraction(0))
        rates = [float(total / everything) for total in totals if total]
        rarest = min(range(len(totals)), key=lambda place: totals[place] or everything)
        return [
            f"  right        accuracy {float(accuracy):.6g}, balanced accuracy "
            f"{float(balanced):.6g}; base rate {max(rates):.6g}",
            *words.rare(min(rates), str(self.class_names[rarest]), self.objective),
        ]

    def summary(self) -> str:
        """Return the answer and its proof as a few lines of text."""
        lines = [self._headline()]
        if self.committee is not None and self.confusion is not None:
            lines += [
                *self._value_lines(),
                f"  committee    {self.committee.size} of {self.n_classifiers} classifiers, most "
                f"votes {'cast ' * (self.committee.abstentions == 'skip')}win",
                *words.wrap("  members      ", self.committee.names),
                *self._shares(self.confusion),
                *self._coverage_lines(self.class_names[0]),
            ]
            called = ", ".join(map(str, self.class_names[:_CONFUSED]))
            dots = ", ..." if len(self.classes) > _CONFUSED else ""
            lines.append(f"  confusion    rows of each class that are decided as {called}{dots}")
            for place, row in enumerate(self.confusion[:_CONFUSED]):
                counts = ", ".join(f"{words.count(_plain(cell))}" for cell in row[:_CONFUSED])
                lines.append(" " * 15 + f"{self.class_names[place]}: {counts}{dots}")
            if len(self.classes) > _CONFUSED:
                left = len(self.classes) - _CONFUSED
                lines.append(" " * 15 + f"... and {left} more classes, all of them in .confusion")
        lines += self._asked_lines()
        lines.append(
            f"  votes        {self.n_rows} rows{words.weighing(self.n_rows, self.confusion)}, "
            f"{self.n_patterns} distinct patterns, "
            f"{len(self.classes)} classes"
        )
        return words.lines_of([*lines, *self._method_lines()])

    def explain(
        self,
        votes: PluralityVotes | Votes | None = None,
        *,
        objective: PluralityCriterion | None = None,
        constraints: Constraint | Sequence[Constraint] | None = (),
        time_limit: float = 10.0,
    ) -> Explanation:
        """Tell which members carry the committee, what could replace them, and what is lost.

        A solution as `prune` returns it knows its votes. One that was read from a file needs them
        again, with the constraints it was found under; they are checked against what is on file.

        Parameters
        ----------
        votes, constraints
            As they were given to `prune`; only for a solution from a file.
        objective
            What it was, where it has no name.
        time_limit
            Seconds for the exact method to find out what is possible without each member, all
            members together; small pools take a moment.

        Raises
        ------
        InputError
            If there is no committee to explain, or the votes are not those it was chosen on.
        """
        committee, problem = self._check_explained(self.committee, time_limit), self.problem
        if problem is None or votes is not None:
            problem = self._reopen(votes, objective, check_constraints(constraints))
        return explain(problem, committee.members, self._claim(), time_limit)

    def _reopen(
        self,
        votes: PluralityVotes | Votes | None,
        objective: PluralityCriterion | None,
        requests: tuple[Constraint, ...],
    ) -> PluralityProblem:
        """Put the problem together again, and refuse another one."""
        if isinstance(votes, Votes) and votes.abstentions == "skip" and len(self.classes) == 2:
            negative, positive = self.class_names
            votes = PluralityVotes.of_two(on_classes(votes, (negative, positive)))
        if not isinstance(votes, PluralityVotes):
            raise InputError(
                "votes",
                "are not saved with a solution. Give the PluralityVotes, or the Votes that skip "
                "abstentions, on which it was chosen.",
            )
        if objective is None and self.objective not in (*CRITERIA, MACRO):
            raise InputError("objective", f"was {self.objective}. Give what it was again.")
        problem = PluralityProblem.of(votes, objective or self.objective, requests)
        found = self.committee
        same = (
            found is not None
            and found.pool_size == problem.n_classifiers
            and votes.classes == self.classes
            and problem.confusion(found.members) == self.confusion
            and problem.objective.read(problem.score(found.members)) == self.value
        )
        check_same(same, tuple(map(str, requests)), self.constraints)
        return problem

    def _fields(self) -> dict[str, Any]:
        rows = None
        if self.confusion is not None:
            rows = [" ".join(map(str, row)) for row in self.confusion]
        return {
            **self._common_fields(),
            "committee": None if self.committee is None else self.committee._fields(),
            "confusion": rows,
            "classes": list(self.classes),
        }

    @classmethod
    def _from_fields(cls, fields: jsonfile.Fields) -> Self:
        return fields.build(lambda: cls(**_read(fields)))


def shares_right(confusion: Sequence[Sequence[Fraction]]) -> tuple[Fraction, Fraction]:
    """Return accuracy and balanced accuracy of a confusion, true classes outside.

    Parameters
    ----------
    confusion
        As on `PluralitySolution`; some row of it carries weight.
    """
    totals = [sum(row, Fraction(0)) for row in confusion]
    right = [row[place] for place, row in enumerate(confusion)]
    shares = [r / t for r, t in zip(right, totals, strict=True) if t]
    accuracy = sum(right, Fraction(0)) / sum(totals, Fraction(0))
    return accuracy, sum(shares, Fraction(0)) / len(shares)


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
