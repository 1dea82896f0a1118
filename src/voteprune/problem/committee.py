"""`Committee`: which classifiers sit, and how many of their votes make a positive."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from ..files import jsonfile
from ..files.jsonfile import Document
from ..votes.abstaining import Abstentions, check_same_rule, fill_gaps, read_abstentions
from ..votes.reading import (
    TwoClasses,
    columns_by_name,
    places_by_name,
    read_matrix,
    to_votes,
    truth_names,
)
from ..votes.votes import Votes, on_classes

USUAL_CUT = 0.5
"""Where probabilities are cut when nothing else is said."""

NUMBERED: Final = (0, 1)
"""What the classes are called when nothing else is said."""

RULE = (
    "1 if at least positive_from of the members' votes are 1, each vote counted as often as "
    "multiplicities says, else 0"
)
"""What a file says to whoever reads it without this package."""


@dataclass(frozen=True, slots=True)
class Committee(Document):
    """Members and a threshold: positive iff more than `threshold` members vote positive.

    Parameters
    ----------
    members
        Distinct column indices into the pool; kept sorted.
    threshold
        L, between 0 and the number of votes minus one, so no committee is a constant by
        construction.
    names
        Names of the members, in the order of `members`.
    pool_size
        Number K of classifiers in the pool the members were chosen from.
    multiplicities
        How many votes each member has, in the order of `members`; one each when omitted.
    abstentions
        "against" where a member that says nothing has not voted positive; None where every member
        votes on every row.
    cutoff
        From where on a number is a positive vote, as on the `Votes` it was chosen on.
    classes
        What the negative and the positive class are called, as on the `Votes`.
    """

    _KIND: ClassVar = "committee"
    _HOLDERS: ClassVar = {"solution": "committee"}

    members: tuple[int, ...]
    threshold: int
    names: tuple[str, ...]
    pool_size: int
    multiplicities: tuple[int, ...] = ()
    abstentions: Abstentions | None = None
    cutoff: float = 0.5
    classes: tuple[Any, Any] = NUMBERED

    def __post_init__(self) -> None:
        if not self.members:
            raise InputError("members", "a committee has at least one member.")
        if len(set(self.members)) != len(self.members):
            raise InputError("members", "a classifier sits at most once.")
        if min(self.members) < 0 or max(self.members) >= self.pool_size:
            raise InputError(
                "members", f"indices lie between 0 and {self.pool_size - 1}, the pool's last."
            )
        votes = self.multiplicities or (1,) * len(self.members)
        if len(votes) != len(self.members) or min(votes) < 1:
            raise InputError("multiplicities", "every member has one vote or more.")
        if not 0 <= self.threshold < sum(votes):
            raise InputError(
                "threshold",
                f"is {self.threshold}; with {sum(votes)} votes it lies between 0 and "
                f"{sum(votes) - 1}.",
            )
        if len(self.names) != len(self.members):
            raise InputError("names", "there must be one name per member.")
        if len(set(self.names)) != len(self.names):
            raise InputError("names", "two members have the same name; names must differ.")
        if len(self.classes) != 2 or self.classes[0] == self.classes[1]:
            raise InputError("classes", "are two that differ, the positive one last.")
        if self.abstentions not in (None, "against"):
            raise InputError(
                "abstentions",
                f"is {self.abstentions!r}; with a threshold they count 'against', or there are "
                "none (None). Those who vote decide in a PluralityCommittee.",
            )
        order = sorted(range(len(self.members)), key=lambda i: self.members[i])
        object.__setattr__(self, "members", tuple(int(self.members[i]) for i in order))
        object.__setattr__(self, "names", tuple(str(self.names[i]) for i in order))
        object.__setattr__(self, "threshold", int(self.threshold))
        object.__setattr__(self, "multiplicities", tuple(int(votes[i]) for i in order))
        plain = (name.item() if isinstance(name, np.generic) else name for name in self.classes)
        object.__setattr__(self, "classes", tuple(plain))

    @property
    def size(self) -> int:
        """Number of members S."""
        return len(self.members)

    @property
    def n_votes(self) -> int:
        """Number of votes, which is that of the members unless some have several."""
        return sum(self.multiplicities)

    @property
    def ballots(self) -> tuple[int, ...]:
        """The members, each as often as it votes."""
        pairs = zip(self.members, self.multiplicities, strict=True)
        return tuple(member for member, votes in pairs for _ in range(votes))

    def count(self, votes: object) -> NDArray[np.int64]:
        """Count the members' positive votes on each row.

        Parameters
        ----------
        votes
            A `Votes`, data frame or mapping in which the members are found by name, or an array
            with the pool's K columns in the pool's order. Votes, probabilities or `classes`, as
            for `Votes`; where the committee knows what abstentions count for, a missing vote is
            one.
        """
        if isinstance(votes, Votes):
            votes = on_classes(votes, self.classes)
            if votes.voted is not None:
                check_same_rule(votes.abstentions, self.abstentions)
            if places := places_by_name(votes.names, self.names):
                return self._count_members(votes.matrix[:, places])
            return self._count_pool(votes.matrix)
        seats = columns_by_name(votes, self.names)
        if seats is None:
            return self._count_pool(self._read(votes))
        return self._count_members(self._read(seats))

    def _read(self, votes: object) -> NDArray[np.bool_]:
        """Return which votes are positive."""
        gaps, named = self.abstentions is not None, self.classes != NUMBERED
        table, _ = read_matrix(votes, "votes", words=named, gaps=gaps)
        if gaps:
            # An abstention is no vote for the positive class.
            table, _ = fill_gaps(table, self.classes[0])
        named &= table.dtype != bool or truth_names(self.classes)
        classes = TwoClasses(self.classes[1], self.classes[0]) if named else None
        return to_votes(table, "votes", self.cutoff, classes)

    def _count_pool(self, matrix: NDArray[np.bool_]) -> NDArray[np.int64]:
        if matrix.shape[1] != self.pool_size:
            raise InputError(
                "votes",
                f"has {matrix.shape[1]} columns, the pool has {self.pool_size} classifiers. Give "
                "every classifier's column in the pool's order, or a data frame with names.",
            )
        return self._count_members(matrix[:, list(self.members)])

    def _count_members(self, matrix: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.asarray(matrix @ np.array(self.multiplicities, dtype=np.int64))

    def predict(self, votes: object) -> NDArray[Any]:
        """Return the class that the committee decides for on each row; see `count` for `votes`.

        Classes are called as the labels of the `Votes` were, 0 and 1 unless `positive` was given.
        """
        return np.asarray(np.array(self.classes)[self._positive(votes).astype(np.intp)])

    def _positive(self, votes: object) -> NDArray[np.bool_]:
        """Tell on which rows it decides for the positive class."""
        return np.asarray(self.count(votes) > self.threshold)

    def _fields(self) -> dict[str, object]:
        return {
            "members": list(self.members),
            "names": list(self.names),
            "threshold": self.threshold,
            "positive_from": self.threshold + 1,
            "classes": [0, 1],
            "rule": RULE,
            "pool_size": self.pool_size,
            "multiplicities": list(self.multiplicities),
            **({} if self.abstentions is None else {"abstentions": self.abstentions}),
            **cut_fields(self.cutoff),
            **({} if self.classes == NUMBERED else {"labels": list(self.classes)}),
            "version": version("voteprune"),
        }

    @classmethod
    def _from_fields(cls, fields: jsonfile.Fields) -> Self:
        return fields.build(
            lambda: cls(
                members=fields.integers("members"),
                threshold=_read_threshold(fields),
                names=fields.texts("names"),
                pool_size=fields.integer("pool_size"),
                multiplicities=fields.integers("multiplicities"),
                abstentions=read_abstentions(fields),
                cutoff=read_cut(fields),
                classes=NUMBERED if fields.missing("labels") else _read_two(fields),
            )
        )


def _read_threshold(fields: jsonfile.Fields) -> int:
    """Read the threshold, which is told twice; older files tell it once.

    What else stands there for readers in other languages must be what we write.
    """
    threshold = fields.integer("threshold")
    check_told(fields)
    if not fields.missing("classes") and fields.integers("classes") != (0, 1):
        raise InputError("classes", "must be [0, 1], the positive one last.")
    if not fields.missing("positive_from") and fields.integer("positive_from") != threshold + 1:
        raise InputError("positive_from", f"must be {threshold + 1}, one above the threshold.")
    return threshold


def _read_two(fields: jsonfile.Fields) -> tuple[Any, Any]:
    """Read what 0 and 1 stand for."""
    names = fields.scalars("labels")
    if len(names) != 2:
        raise InputError("labels", "must be two, the positive one last.")
    return names[0], names[1]


def cut_fields(cutoff: float) -> dict[str, object]:
    """Return where numbers are cut, which a file says where it is not at one half."""
    return {} if cutoff == USUAL_CUT else {"cutoff": cutoff}


def read_cut(fields: jsonfile.Fields) -> float:
    """Read where numbers are cut, see `cut_fields`."""
    return USUAL_CUT if fields.missing("cutoff") else fields.number("cutoff")


def check_told(fields: jsonfile.Fields) -> None:
    """Refuse a rule or a version that is no text; older files have neither."""
    for key in ("rule", "version"):
        if not fields.missing(key):
            fields.text(key)


def majority(size: int) -> int:
    """Return the threshold of a majority: positive iff more votes than this; ties are negative."""
    return size // 2
