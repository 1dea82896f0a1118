"""`PluralityCommittee`: which classifiers sit; the class they name most often wins."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, ClassVar, Self

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from ..files import jsonfile
from ..files.document import Document
from ..votes.plurality import Codes, Label, PluralityVotes, encode, read_label_matrix

RULE = "the class with most votes; of several with as many, the one that stands first in classes"
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
    """

    _KIND: ClassVar = "plurality_committee"
    _HOLDERS: ClassVar = {"plurality_solution": "committee"}

    members: tuple[int, ...]
    names: tuple[str, ...]
    classes: tuple[Label, ...]
    pool_size: int

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
        order = sorted(range(len(self.members)), key=lambda i: self.members[i])
        object.__setattr__(self, "members", tuple(int(self.members[i]) for i in order))
        object.__setattr__(self, "names", tuple(str(self.names[i]) for i in order))
        object.__setattr__(self, "classes", tuple(self.classes))

    @property
    def size(self) -> int:
        """Number of members S."""
        return len(self.members)

    def count(self, votes: object) -> NDArray[np.int64]:
        """Count how many members name each class on each row: n rows by as many classes.

        Parameters
        ----------
        votes
            A `PluralityVotes`, an array of labels with the pool's K columns in the pool's order,
            or a data frame in which the members are found by name.
        """
        if isinstance(votes, PluralityVotes):
            if votes.classes != self.classes:
                raise InputError("votes", f"has other classes than {self.classes}.")
            return count_classes(self._seats(votes.matrix), len(self.classes))
        frame = nw.from_native(votes, eager_only=True, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            columns = {str(name): name for name in frame.columns}
            missing = [name for name in self.names if name not in columns]
            if missing:
                raise InputError("votes", f"has no column for the member(s) {missing[:5]}.")
            chosen = frame.select(nw.col(columns[name]) for name in self.names)
            table, _ = read_label_matrix(chosen.to_native(), "votes")
        else:
            table = self._seats(read_label_matrix(votes, "votes")[0])
        return count_classes(encode(table, self.classes, "votes"), len(self.classes))

    def predict(self, votes: object) -> NDArray[Any]:
        """Return the class that wins on each row; see `count` for `votes`."""
        # argmax takes the first of several, which is the rule for ties.
        winners: NDArray[Any] = np.asarray(self.classes)[self.count(votes).argmax(axis=1)]
        return winners

    def _seats(self, matrix: NDArray[Any]) -> NDArray[Any]:
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
            "rule": RULE,
            "pool_size": self.pool_size,
            "version": version("voteprune"),
        }

    @classmethod
    def _from_fields(cls, fields: jsonfile.Fields) -> Self:
        return fields.build(
            lambda: cls(
                members=fields.integers("members"),
                names=fields.texts("names"),
                classes=fields.scalars("classes"),
                pool_size=fields.integer("pool_size"),
            )
        )


def count_classes(codes: Codes, n_classes: int) -> NDArray[np.int64]:
    """Count how often each class stands in each row."""
    # Column by column, in single bytes while they hold the sum: much faster than by rows.
    counts = np.zeros((n_classes, len(codes)), np.uint8 if codes.shape[1] < 256 else np.int64)
    for column in codes.T:
        for c in range(n_classes):
            np.add(counts[c], column == c, out=counts[c])
    return np.ascontiguousarray(counts.T).astype(np.int64)
