"""`PluralityCommittee`: which classifiers sit; the class they name most often wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from ..files import jsonfile
from ..files.jsonfile import Document
from ..votes.abstaining import (
    Abstentions,
    check_abstentions,
    check_same_rule,
    fill_gaps,
    read_abstentions,
)
from ..votes.plurality import Codes, Label, PluralityVotes, encode, read_label_matrix
from ..votes.reading import (
    TwoClasses,
    columns_by_name,
    places_by_name,
    read_matrix,
    to_votes,
    truth_names,
)
from ..votes.votes import Votes, on_classes
from .committee import check_told, cut_fields, read_cut

RULE = "the class with most votes; of several with as many, the one that stands first in classes"
AGAINST = "; a member that says nothing votes for that one"
"""What a file says to whoever reads it without this package."""


@dataclass(frozen=True, slots=True)
class PluralityCommittee(Document):
    """Members with one vote each; ties go to the first class in the order of `classes`.

    Parameters
    ----------
    members
        Distinct column indices into the pool; kept sorted.
    names
        Names of the members, in the order of `members`.
    classes
        All classes, in the order in which ties are broken.
    pool_size
        Number K of classifiers in the pool the members were chosen from.
    abstentions
        What it counts for when a member says nothing, see `PluralityVotes`; None where every
        member votes on every row. Where no member votes, the first of `classes` wins.
    cutoff
        From where on a number is a vote for class 1, where members were chosen on such votes.
    labels
        What the classes are called, where members were chosen on `Votes` of other classes than 0
        and 1, the positive one last. Members may then vote by these names, and the committee
        predicts them.
    """

    _KIND: ClassVar = "plurality_committee"
    _HOLDERS: ClassVar = {"plurality_solution": "committee"}

    members: tuple[int, ...]
    names: tuple[str, ...]
    classes: tuple[Label, ...]
    pool_size: int
    abstentions: Abstentions | None = None
    cutoff: float = 0.5
    labels: tuple[Label, ...] = ()

    def __post_init__(self) -> None:
        if not self.members or len(set(self.members)) != len(self.members):
            raise InputError("members", "a committee has distinct members, at least one.")
        if min(self.members) < 0 or max(self.members) >= self.pool_size:
            raise InputError(
                "members", f"indices lie between 0 and {self.pool_size - 1}, the pool's last."
            )
        if len(self.names) != len(self.members) or len(set(self.names)) != len(self.names):
            raise InputError("names", "there must be one distinct name per member.")
        if not self.classes or len(set(self.classes)) != len(self.classes):
            raise InputError("classes", "must be distinct, and at least one.")
        labels = tuple(
            label.item() if isinstance(label, np.generic) else label for label in self.labels
        )
        if labels and (len(labels), len(set(labels))) != (len(self.classes),) * 2:
            raise InputError("labels", "there must be one distinct name per class, or none.")
        check_abstentions(self.abstentions)
        order = sorted(range(len(self.members)), key=lambda i: self.members[i])
        object.__setattr__(self, "members", tuple(int(self.members[i]) for i in order))
        object.__setattr__(self, "names", tuple(str(self.names[i]) for i in order))
        object.__setattr__(self, "classes", tuple(self.classes))
        object.__setattr__(self, "labels", () if labels == self.classes else labels)

    @property
    def size(self) -> int:
        """Number of members S."""
        return len(self.members)

    def count(self, votes: object) -> NDArray[np.int64]:
        """Count how many members name each class on each row: n rows by as many classes.

        Parameters
        ----------
        votes
            A `PluralityVotes`, `Votes`, data frame or mapping in which the members are found by
            name, or an array of labels with the pool's K columns in the pool's order. A
            member that says nothing (NaN, None, an empty cell) abstains, if `abstentions` says what
            that counts for. Where it was chosen on `Votes`, probabilities are cut at `cutoff`.
        """
        return count_classes(self._codes(votes), len(self.classes))

    def voted(self, votes: object) -> NDArray[np.bool_]:
        """Tell on which rows at least one member votes; see `count` for `votes`."""
        if isinstance(votes, PluralityVotes | Votes):
            if votes.voted is None:
                return np.ones(votes.n_rows, dtype=bool)
            return np.asarray(self._seats(votes.voted, votes.names).any(axis=1))
        return np.asarray((self._read(votes)[1]).any(axis=1))

    def _codes(self, votes: object) -> Codes:
        """Return what the members name on each row, as places in `classes`."""
        called = self.labels or self.classes
        if isinstance(votes, Votes):
            turned = on_classes(votes, (called[0], called[1])) if len(called) == 2 else votes
            votes = PluralityVotes.of_two(turned)
        if not isinstance(votes, PluralityVotes):
            table, voted = self._read(votes)
            return encode(table, self.classes, "votes", voted, self.abstentions)
        if votes.class_names != called:
            raise InputError("votes", f"has other classes than {called}.")
        if votes.voted is not None:
            check_same_rule(votes.abstentions, self.abstentions)
        return self._seats(votes.matrix, votes.names)

    def _read(self, votes: object) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return what the members say, and where they say something."""
        seats = columns_by_name(votes, self.names)
        votes = votes if seats is None else seats
        gaps = self.abstentions is not None
        if gaps and self.classes == (0, 1):
            # Chosen on votes of two classes, which may be probabilities.
            named = TwoClasses(self.labels[1], self.labels[0]) if self.labels else None
            table, _ = read_matrix(votes, "votes", words=named is not None, gaps=True)
            table, voted = fill_gaps(table, self.labels[0] if self.labels else 0)
            if table.dtype == bool and not truth_names(self.labels):
                named = None
            table = to_votes(table, "votes", self.cutoff, named).astype(np.int64)
        else:
            table, _, voted = read_label_matrix(votes, "votes", gaps=gaps)
        said = np.ones(table.shape, dtype=bool) if voted is None else voted
        return (table, said) if seats is not None else (self._seats(table), self._seats(said))

    def predict(self, votes: object) -> NDArray[Any]:
        """Return the class that wins on each row; see `count` for `votes`."""
        # argmax takes the first of several, which is the rule for ties.
        called = np.asarray(self.labels or self.classes)
        winners: NDArray[Any] = called[self.count(votes).argmax(axis=1)]
        return winners

    def _seats(self, matrix: NDArray[Any], names: Sequence[str] = ()) -> NDArray[Any]:
        if places := places_by_name(names, self.names):
            return matrix[:, places]
        if matrix.shape[1] != self.pool_size:
            raise InputError(
                "votes",
                f"has {matrix.shape[1]} columns, the pool has {self.pool_size} classifiers. Give "
                "every classifier's column in the pool's order, or a data frame with names.",
            )
        return matrix[:, list(self.members)]

    def _fields(self) -> dict[str, object]:
        return {
            "members": list(self.members),
            "names": list(self.names),
            "classes": list(self.classes),
            "rule": RULE + (AGAINST if self.abstentions == "against" else ""),
            "pool_size": self.pool_size,
            **(
                {}
                if self.abstentions is None
                else {"abstentions": self.abstentions, "when_nobody_votes": self.classes[0]}
            ),
            **cut_fields(self.cutoff),
            **({"labels": list(self.labels)} if self.labels else {}),
            "version": version("voteprune"),
        }

    @classmethod
    def _from_fields(cls, fields: jsonfile.Fields) -> Self:
        check_told(fields)
        return fields.build(
            lambda: cls(
                members=fields.integers("members"),
                names=fields.texts("names"),
                classes=fields.scalars("classes"),
                pool_size=fields.integer("pool_size"),
                abstentions=read_abstentions(fields),
                cutoff=read_cut(fields),
                labels=() if fields.missing("labels") else fields.scalars("labels"),
            )
        )


def count_classes(codes: Codes, n_classes: int) -> NDArray[np.int64]:
    """Count how often each class stands in each row; whoever names none adds to none."""
    # Column by column, in single bytes while they hold the sum: much faster than by rows.
    counts = np.zeros((n_classes, len(codes)), np.uint8 if codes.shape[1] < 256 else np.int64)
    for column in codes.T:
        for c in range(n_classes):
            np.add(counts[c], column == c, out=counts[c])
    return np.ascontiguousarray(counts.T).astype(np.int64)
