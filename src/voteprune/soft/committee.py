"""`SoftCommittee`: a few weighted members that give probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib.metadata import version
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from ..files import jsonfile
from ..files.jsonfile import Document
from ..numbers.floats import Floats
from ..votes.reading import places_by_name
from .log_odds import (
    AS_THEN,
    PROBABILITY,
    SCORE,
    VOTE,
    are_labels,
    brought_within,
    check_finite,
    check_range,
    check_scores,
    member_of,
    odds_of_kind,
    read_again,
    recoded,
    shares_of,
    tensor_of,
)
from .probabilities import Probabilities
from .reading import Label

Rule = Literal["log_odds", "linear_pool"]
"""How answers are combined: weighted log-odds, or a weighted mean of the probabilities."""

KINDS = (PROBABILITY, VOTE, SCORE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftCommittee(Document):
    """Members with weights; together they give every class a probability.

    By "log_odds" the committee's log-odds are ``intercept + sum of weight x log-odds`` over the
    members (from three classes on: log-probabilities and a softmax). By "linear_pool" its
    probability is the weighted mean of theirs.

    Parameters
    ----------
    members, names, weights
        Who sits, as indices into the pool and by name, and with which weight, zero or above.
    intercepts
        One for two classes, one for each class for more; none for a linear pool.
    classes
        All classes; of two the positive one last.
    axis
        The classes in the order in which they stand in n x C arrays of probabilities, where that is
        another than that of `classes`.
    kinds
        What each member gives: "probability", "vote" or "score".
    clip
        Probabilities are cut to [clip, 1 - (C - 1) clip] before logarithms are taken.
    rule
        How answers are combined.
    cutoff
        Of two classes: positive iff its probability is above this.
    pool_size
        Number K of classifiers in the pool the members were chosen from.
    labelled
        Members whose numbers are class labels, as in `Probabilities`. None in files of before this
        was noted: numbers of a mapping are labels then where all of them are classes.
    """

    _KIND: ClassVar = "soft_committee"
    _HOLDERS: ClassVar = {"soft_solution": "committee"}

    members: tuple[int, ...]
    names: tuple[str, ...]
    weights: tuple[float, ...]
    intercepts: tuple[float, ...]
    classes: tuple[Label, ...]
    kinds: tuple[str, ...]
    clip: float
    rule: Rule = "log_odds"
    cutoff: float = 0.5
    axis: tuple[Label, ...] = ()
    pool_size: int
    labelled: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        size, n_classes = len(self.members), len(self.classes)
        if not size or list(self.members) != sorted(set(self.members)):
            raise InputError("members", "a committee has distinct members in rising order.")
        if self.members[0] < 0 or self.members[-1] >= self.pool_size:
            raise InputError(
                "members", f"indices lie between 0 and {self.pool_size - 1}, the pool's last."
            )
        if {len(self.names), len(self.weights), len(self.kinds)} != {size}:
            raise InputError("names", "there must be a name, a weight and a kind for each member.")
        if len(set(self.names)) != size:
            raise InputError("names", "members have distinct names.")
        if not all(np.isfinite(self.weights)) or min(self.weights) < 0:
            raise InputError("weights", "must be finite numbers, zero or above.")
        if n_classes < 2 or len(set(self.classes)) != n_classes:
            raise InputError("classes", "must be distinct, and at least two.")
        if self.axis and (len(self.axis) != n_classes or set(self.axis) != set(self.classes)):
            raise InputError("axis", "has every class once, in the order of columns.")
        if self.rule not in get_args(Rule):
            raise InputError("rule", f"is {self.rule!r}; expected one of {get_args(Rule)}.")
        expected = 0 if self.rule == "linear_pool" else 1 if n_classes == 2 else n_classes
        if len(self.intercepts) != expected or not all(np.isfinite(self.intercepts)):
            raise InputError("intercepts", f"expected {expected} finite numbers.")
        if unknown := set(self.kinds) - set(KINDS):
            raise InputError("kinds", f"{unknown} are not known; expected {KINDS}.")
        if not set(self.labelled or ()) <= set(self.names):
            raise InputError("labelled", f"is {self.labelled}; they are members, {self.names}.")
        if not 0 < self.clip < 0.5 or not 0 <= self.cutoff <= 1:
            raise InputError("cutoff", "lies in [0, 1], and clip between 0 and a half.")

    def __setstate__(self, state: list[object]) -> None:
        # Pickles of before `labelled`, the last field, lack it.
        for field, value in zip(fields(self), [*state, None], strict=False):
            object.__setattr__(self, field.name, value)

    @property
    def size(self) -> int:
        """Number of members S."""
        return len(self.members)

    def predict_proba(self, predictions: object) -> Floats:
        """Return the probability of every class, n rows by C classes.

        Parameters
        ----------
        predictions
            `Probabilities`, or what they are made of: a data frame or mapping, in which as there
            the members are found by name, or an array with the pool's K columns in the pool's
            order (or the members' alone). Kinds and clip are the committee's, whatever those of
            new `Probabilities` are: a member that happens to say only 0 and 1 on new rows gives
            probabilities all the same, and one that did so when it was chosen may be unsure now
            (in new `Probabilities` it is off by their clip at most). Who gave class labels as
            numbers gives labels on all new rows, also in a frame or an array.

        Raises
        ------
        InputError
            If members are not found, say what they cannot have said, or if new `Probabilities` were
            cut so that what the committee takes cannot be told any more.
        """
        odds = self._odds(predictions)
        return self._combined(odds)

    def predict(self, predictions: object) -> NDArray[Any]:
        """Return the class decided on each row; see `predict_proba` for `predictions`."""
        shares = self.predict_proba(predictions)
        places = shares[:, 1] > self.cutoff if shares.shape[1] == 2 else shares.argmax(axis=1)
        return np.asarray(self.classes)[places.astype(np.intp)]

    def _combined(self, odds: list[Floats]) -> Floats:
        weights, n_classes = np.array(self.weights), len(self.classes)
        if self.rule == "linear_pool":
            pairs = zip(odds, self.kinds, strict=True)
            each = [shares_of(said, kind, self.clip, n_classes) for said, kind in pairs]
            mean = np.tensordot(weights / weights.sum(), np.stack(each), axes=1)
            return mean if n_classes > 2 else np.column_stack([1 - mean, mean])
        total = np.tensordot(weights, np.stack(odds), axes=1) + (
            self.intercepts[0] if n_classes == 2 else np.array(self.intercepts)
        )
        if n_classes == 2:
            total = np.column_stack([np.zeros(len(total)), total])
        total = np.exp(total - total.max(axis=1, keepdims=True))
        return np.asarray(total / total.sum(axis=1, keepdims=True))

    def _odds(self, predictions: object) -> list[Floats]:
        """Return the members' log-odds."""
        if isinstance(predictions, Probabilities):
            if predictions.classes != self.classes:
                raise InputError("predictions", f"has other classes than {self.classes}.")
            found = places_by_name(predictions.names, self.names)
            places = found or self._places(predictions.n_classifiers)
            told = zip(predictions.odds_of(places), places, strict=True)
            return [
                self._recoded(predictions, place, odds, seat)
                for seat, (odds, place) in enumerate(told)
            ]
        # A matrix has the classes as those had that the committee was chosen on.
        positive = (self.axis or self.classes).index(self.classes[-1])
        said: list[Any]
        if isinstance(predictions, Mapping):
            # As they are: an array made of them would lose what is masked.
            said = [predictions[self._named(predictions, name)] for name in self.names]
        else:
            tensor, columns = tensor_of(predictions, "predictions")
            if columns is not None:
                places = [columns.index(self._named(columns, name)) for name in self.names]
            else:
                places = self._places(tensor.shape[1])
            said = [tensor[:, place] for place in places]
        odds, n = [], len(np.atleast_1d(said[0]))
        for name, kind, values in zip(self.names, self.kinds, said, strict=True):
            argument = f"predictions[{name!r}]"
            if self.labelled is not None:
                labels = name in self.labelled
            else:
                # Who gave probabilities may say only 0 and 1 here: only votes can be labels.
                guessed = kind == VOTE and isinstance(predictions, Mapping)
                labels = guessed and are_labels(values, self.classes, argument)
            answers = member_of(
                values, n, self.classes, argument, place=positive, labels=labels
            ).astype(np.float64)
            check_finite(answers, name)
            if kind == SCORE:
                check_scores(answers, name)
            else:
                answers = brought_within(answers)
                check_range(answers, name, AS_THEN)
            odds.append(odds_of_kind(answers, kind, self.clip, len(self.classes)))
        return odds

    def _recoded(self, given: Probabilities, place: int, odds: Floats, seat: int) -> Floats:
        """Return log-odds of new `Probabilities` as they are for the member of a seat."""
        name, kind = self.names[seat], given.kinds[place]
        if self.labelled is not None and given.labelled is not None:
            labels = name in self.labelled
            if labels and kind == PROBABILITY:
                raise InputError(
                    "predictions",
                    f"{name!r} gives probabilities there, and gave labels when it was chosen. Give "
                    "labels.",
                )
            if kind == VOTE and labels != (given.names[place] in given.labelled):
                odds = read_again(odds, self.classes, name, labels=labels)
        wanted = (self.kinds[seat], self.clip)
        return recoded(odds, (kind, given.clip), wanted, len(self.classes), name)

    def _named(self, columns: Any, name: str) -> Any:
        found = {str(column): column for column in columns}
        if name not in found:
            raise InputError("predictions", f"has no column for the member {name!r}.")
        return found[name]

    def _places(self, width: int) -> list[int]:
        if width == self.pool_size:
            return list(self.members)
        if width == self.size:
            return list(range(self.size))
        raise InputError(
            "predictions",
            f"has {width} columns, the pool has {self.pool_size} classifiers and the committee "
            f"{self.size} members. Give either in its order, or a data frame with names.",
        )

    def _fields(self) -> dict[str, object]:
        return {
            "members": list(self.members),
            "names": list(self.names),
            "weights": list(self.weights),
            "intercepts": list(self.intercepts),
            "classes": list(self.classes),
            **({"axis": list(self.axis)} if self.axis else {}),
            "kinds": list(self.kinds),
            "clip": self.clip,
            "rule": self.rule,
            "cutoff": self.cutoff,
            "pool_size": self.pool_size,
            **({} if self.labelled is None else {"labelled": list(self.labelled)}),
            "version": version("voteprune"),
        }

    @classmethod
    def _from_fields(cls, fields: jsonfile.Fields) -> Self:
        return fields.build(
            lambda: cls(
                members=fields.integers("members"),
                names=fields.texts("names"),
                weights=_numbers(fields, "weights"),
                intercepts=_numbers(fields, "intercepts"),
                classes=fields.scalars("classes"),
                axis=() if fields.missing("axis") else fields.scalars("axis"),
                kinds=fields.texts("kinds"),
                clip=fields.number("clip"),
                rule=fields.text("rule"),  # type: ignore[arg-type] # checked above
                cutoff=fields.number("cutoff"),
                pool_size=fields.integer("pool_size"),
                labelled=None if fields.missing("labelled") else fields.texts("labelled"),
            )
        )


def _numbers(fields: jsonfile.Fields, key: str) -> tuple[float, ...]:
    found = fields.scalars(key)
    if any(isinstance(value, bool | str) for value in found):
        raise InputError(key, "must be numbers.")
    return tuple(map(float, found))
