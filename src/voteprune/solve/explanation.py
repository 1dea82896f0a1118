"""`Explanation`: what a committee owes to whom, and which rows nobody could have saved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

from ..exceptions import shown
from ..files.jsonfile import Written
from ..problem.objective import Score
from ..problem.seats import Seats
from ..solvers import whose_word
from .words import html_of_table, lines_of, wrap

Verdict = Literal["needed", "replaceable", "open"]
"""What is known of a member: no committee without it is as good, one is, or neither is known."""

_SHOWN = 8
"""Swaps and rows that a summary lists before it only counts."""


@dataclass(frozen=True, slots=True)
class MemberRole:
    """What the committee owes to one member.

    Parameters
    ----------
    member, name
        Its index in the pool, and its name.
    without
        Value of the others alone, with the threshold that is best for them; None if nobody is
        left or they break a constraint.
    best
        Value of the best committee without it that is known, which may be any; None if none is.
    bound
        What no committee without it can exceed; None if it is proved that there is none.
    verdict
        "needed": no committee without it is as good as this one, by `bound`. "replaceable": one
        is, by `best`. "open": neither is known; more time for proofs may tell.
    trusted
        Names of the solvers whose word `bound` is; empty where voteprune has proved it.
    """

    member: int
    name: str
    without: float | None
    best: float | None
    bound: float | None
    verdict: Verdict
    trusted: tuple[str, ...] = ()

    @property
    def judgement(self) -> str:
        """The verdict, and whose word it is where it rests on one."""
        word = self.verdict == "needed" and self.trusted
        return f"{self.verdict}, {whose_word(self.trusted)}" if word else self.verdict


@dataclass(frozen=True, slots=True)
class Claim:
    """What a solution claims of all committees.

    Parameters
    ----------
    bound
        What none can exceed, in the criterion's own unit, where that is known.
    proved
        Whether that is the committee's own value, which a float may miss by a hair.
    trusted
        The solvers whose word it is.
    """

    bound: float | None
    proved: bool
    trusted: tuple[str, ...]

    def cap(self, objective: Any, score: Score) -> Score | None:
        """Return the bound as a score, beside the score of the solution's own committee."""
        if self.bound is None or self.proved:
            return None if self.bound is None else score
        cap: Score = objective.score_of(self.bound)
        return cap


Known = tuple[Score | None, Score | None, tuple[str, ...]]
"""Of committees without a member: the best score, its bound (None if there is no committee), and
the solvers whose word that is."""


def role_of(
    problem: Seats, objective: Any, member: int, score: Score, alone: Score | None, known: Known
) -> MemberRole:
    """Judge a member by what is known of committees without it.

    Parameters
    ----------
    problem, objective
        What was solved, and what was maximised.
    member
        Who is left out.
    score, alone
        Score of the committee, and of its other members; None if these are not allowed.
    known
        See there.
    """
    best, bound, trusted = known
    verdict: Verdict = "open"
    if bound is None or bound < score:
        verdict = "needed"
    elif best is not None and best >= score:
        verdict = "replaceable"
    value = None if best is None else objective.read(best)
    limit = None if bound is None else objective.read_above(bound)
    return MemberRole(
        member=member,
        name=problem.votes.names[member],
        without=None if alone is None else objective.read(alone),
        best=value,
        bound=value if best is not None and best == bound else limit,
        verdict=verdict,
        trusted=trusted,
    )


@dataclass(frozen=True, slots=True)
class Swap:
    """One member out, one classifier in, all constraints kept, and nothing lost.

    Parameters
    ----------
    out, join
        Names of who leaves and who joins.
    threshold
        The best for the new committee: positive iff more than this many members vote positive;
        None where the class with most votes wins.
    value
        Its value: the committee's own, or better if that one was not optimal.
    """

    out: str
    join: str
    threshold: int | None
    value: float


@dataclass(frozen=True, slots=True)
class Explanation(Written):
    """Why a committee is as good as it is, and not better.

    Rows are counted from 0 in the order of the votes; rows of weight zero are never named.

    Parameters
    ----------
    objective, value, bound, trusted
        As on the solution.
    n_rows
        Number of rows that count.
    members
        What the committee owes to each member.
    swaps
        Every exchange of one member that costs nothing.
    hopeless
        Rows that every classifier gets wrong (forbidden ones aside): wrong in every committee.
    disputed
        Pairs of a positive and a negative row: whoever votes for the first votes for the second,
        so no committee gets both right. With more classes, pairs of rows of different classes on
        which everybody votes alike. No row stands in two pairs.
    sacrificed
        Rows proved wrong in every committee that is as good as this one; the hopeless among them.
    """

    _KIND: ClassVar = "explanation"

    objective: str
    value: float
    bound: float | None
    n_rows: int
    members: tuple[MemberRole, ...]
    swaps: tuple[Swap, ...]
    hopeless: tuple[int, ...]
    disputed: tuple[tuple[int, int], ...]
    sacrificed: tuple[int, ...]
    trusted: tuple[str, ...] = ()

    @property
    def least_wrong(self) -> int:
        """Rows that every committee gets wrong at the least: all hopeless, one of each pair."""
        return len(self.hopeless) + len(self.disputed)

    def __repr__(self) -> str:
        return (
            f"<Explanation: {shown(self.objective)} {self.value:.6g}, {len(self.members)} members, "
            f"{len(self.swaps)} free swaps, {self.least_wrong} of {self.n_rows} rows wrong in "
            "every committee>"
        )

    def _repr_html_(self) -> str:
        header, *rows = self._members_in_words()
        title = self.summary().partition("\n")[0]
        return html_of_table(title, header, rows, [*self._swaps_in_words(), *self._rows_in_words()])

    def _members_in_words(self) -> list[tuple[str, ...]]:
        """Return what is known of each member, below a header."""
        return [
            ("member", "the others alone", "best without it", "at most", ""),
            *(
                (
                    shown(role.name),
                    _number(role.without, "not allowed"),
                    _number(role.best, "none known"),
                    _number(role.bound, "no committee"),
                    role.judgement,
                )
                for role in self.members
            ),
        ]

    def summary(self) -> str:
        """Return the explanation as a few lines of text."""
        word = f", {whose_word(self.trusted)}" if self.trusted else ""
        limit = "" if self.bound is None else f", no committee exceeds {self.bound:.6g}{word}"
        lines = [f"Explanation: {self.objective} {self.value:.6g}{limit}"]
        table = self._members_in_words()
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines += [
            "  " + "  ".join(cell.ljust(n) for cell, n in zip(row, widths, strict=True)).rstrip()
            for row in table
        ]
        return lines_of([*lines, *self._swaps_in_words(), *self._rows_in_words()])

    def _swaps_in_words(self) -> list[str]:
        if not self.swaps:
            return ["  swaps        every exchange of one member costs something"]
        better = sum(swap.value > self.value for swap in self.swaps)
        head = f"  swaps        {len(self.swaps)} that cost nothing"
        head += f", {better} of them gain something" if better else ""
        listed = [
            f"{swap.join} for {swap.out}" + (f" ({swap.value:.6g})" if better else "")
            for swap in self.swaps
        ]
        return [head, *_under(listed)]

    def _rows_in_words(self) -> list[str]:
        least = f"{self.least_wrong} of {self.n_rows}"
        lines = [f"  rows         {least} or more are wrong in every committee"]
        if not self.least_wrong:
            lines = [f"  rows         each of the {self.n_rows} is right in some committee"]
        if self.hopeless or self.disputed or self.sacrificed:
            lines += ["               numbered from 0 among the rows pruned on"]
        for rows, one, rest in (
            (self.hopeless, "row", "that nobody gets right"),
            (self.disputed, "pair", "of which no committee gets both rows right"),
            (self.sacrificed, "row", "wrong in every committee as good as this one"),
        ):
            if rows:
                words = [str(row) if isinstance(row, int) else f"{row[0]}|{row[1]}" for row in rows]
                number = f"{len(rows)} {one}{'s' if len(rows) > 1 else ''}"
                lines += [f"               {number} {rest}", *_under(words)]
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values: what `to_json` writes."""
        return {**asdict(self), "least_wrong": self.least_wrong}

    def _fields(self) -> dict[str, Any]:
        return self.to_dict()


def _number(value: float | None, missing: str) -> str:
    return missing if value is None else f"{value:.6g}"


def _under(listed: Sequence[str]) -> list[str]:
    """Lay out the first few of a list below their headline, and count the rest."""
    more = len(listed) - _SHOWN
    return wrap(" " * 17, (*listed[:_SHOWN], *([f"{more} more"] if more > 0 else [])))
