"""`Voter`: a fitted model, how to read what it says, and how a committee counts its votes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.frozen import FrozenEstimator
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples

from ..exceptions import InputError
from ..problem.committee import Committee
from ..problem.plurality_committee import PluralityCommittee
from ..votes.abstaining import HOW_TO_ABSTAIN, fill_gaps, is_missing, unmasked

T = TypeVar("T")

Codes = NDArray[np.int16]
"""Class numbers, small ones, for there may be a thousand voters."""

ABSTAINS = -1
"""The number of no class: whoever says nothing."""


@dataclass(frozen=True, slots=True)
class Voter:
    """A fitted model that votes for one of the classes.

    Parameters
    ----------
    name
        Its name in the pool.
    model
        Anything with `predict`.
    labels
        What the model calls each class, in the order of the classes. Members of ensembles often
        know only the classes' numbers.
    features
        The columns the model was trained on; None for all.
    sees
        The rows as it is to be shown them: "given", as an "array" without column names, or as an
        array in "single" precision, in which trees compare.
    """

    name: str
    model: Any
    labels: NDArray[Any]
    features: NDArray[np.intp] | None = None
    sees: Literal["given", "array", "single"] = "given"

    def vote(self, X: Any, gaps: bool = False) -> Codes:
        """Return the number of the class it votes for, row by row; where it may, it abstains."""
        codes = to_codes(self.model.predict(self.columns(X)), self.labels, self.name, gaps)
        self.check_rows("predict", len(codes), X)
        return codes

    def check_rows(self, question: str, n_answers: int, X: Any) -> None:
        """Refuse answers that are not one for every row.

        Raises
        ------
        InputError
            Naming the voter.
        """
        if n_answers != _num_samples(X):
            raise InputError(
                "estimators",
                f"{question} of {self.name!r} gives {n_answers} answers for {_num_samples(X)} "
                "rows. Every member must answer once for every row: wrap it so that it does.",
            )

    def columns(self, X: Any) -> Any:
        """Return the columns it was trained on."""
        return X if self.features is None else X[:, self.features]


def ask(voters: Sequence[Voter], X: Any, n_jobs: int | None = None, gaps: bool = False) -> Codes:
    """Return the votes of all voters, one column each; with `gaps` they may abstain."""
    return np.column_stack(each(voters, partial(Voter.vote, gaps=gaps), X, n_jobs))


def each(
    voters: Sequence[Voter], question: Callable[[Voter, Any], T], X: Any, n_jobs: int | None
) -> list[T]:
    """Return every voter's answer to a question about the rows, each shown them in its form."""
    # Shown once in each form, not once to each voter.
    shown = {sees: _show(X, sees) for sees in {voter.sees for voter in voters}}
    return list(
        Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(question)(voter, shown[voter.sees]) for voter in voters
        )
    )


def _show(X: Any, sees: str) -> Any:
    if sees == "given":
        return X
    dtype = np.float32 if sees == "single" else None
    if sparse.issparse(X):
        return X.tocsr().astype(dtype)
    return np.asarray(X, dtype=dtype)


def to_codes(predictions: object, labels: NDArray[Any], name: str, gaps: bool = False) -> Codes:
    """Return the place of every predicted label in `labels`.

    Parameters
    ----------
    predictions, labels
        What was predicted, and what the classes are called.
    name
        Who predicted it.
    gaps
        Whether a prediction may be missing (NaN, None, empty text), which is `ABSTAINS`.

    Raises
    ------
    InputError
        If a prediction is not one of the labels.
    """
    said, voted = np.atleast_1d(np.asarray(unmasked(predictions))), None
    if gaps:
        said, voted = fill_gaps(said, labels[0])
    if said.ndim == 2 and said.shape[1] == 1:
        said = said[:, 0]
    codes: Codes = np.full(len(said), -1, dtype=np.int16)
    if said.ndim == 1:
        for code, label in enumerate(labels):
            codes[said == label] = code
    if (codes < 0).any():
        strange = said[int(np.argmax(codes < 0))]
        if is_missing(strange):
            raise InputError(
                "estimators",
                f"{name!r} predicts {strange!r}, which is no class. Let it predict one on every "
                f"row, {HOW_TO_ABSTAIN}.",
            )
        listed = ", ".join(repr(label) for label in labels.tolist())
        raise InputError(
            "estimators",
            f"{name!r} predicts {strange!r}, which is none of its classes {listed}. Every member "
            "must predict one class label per row: a regressor or a booster that returns scores "
            "needs a wrapper whose predict returns labels.",
        )
    if voted is not None:
        codes[~voted.reshape(codes.shape)] = ABSTAINS
    return codes


def labels_of(model: object, classes: NDArray[Any], name: str) -> NDArray[Any]:
    """Return what a model that was fitted elsewhere calls each of the classes.

    Its own labels if they are labels of `y`; else class numbers, if they can be such. A model
    that does not say which classes it knows is taken to predict the labels of `y`.

    Raises
    ------
    InputError
        If it knows classes that are neither.
    """
    own = getattr(model, "classes_", None)
    if own is None:
        return classes
    known = np.asarray(own).tolist()
    if set(known) <= set(classes.tolist()):
        return classes
    numbers = np.arange(len(classes))
    if set(known) <= set(numbers.tolist()):
        return numbers
    raise InputError(
        "estimators",
        f"{name!r} was fitted on the classes {known}, but y has {classes.tolist()}. Give y in the "
        "labels the members were trained on.",
    )


def labels_here(model: object, classes: NDArray[Any], name: str) -> NDArray[Any]:
    """Return what a model calls each of the classes after `fit` on their numbers.

    Raises
    ------
    InputError
        If it is frozen, and knows classes that are neither labels of `y` nor numbers of them.
    """
    if isinstance(model, FrozenEstimator):
        return labels_of(model, classes, name)
    return np.arange(len(classes))


def votes_ahead(
    committee: Committee | PluralityCommittee, codes: Codes, positive: int | None, n_classes: int
) -> NDArray[np.float64]:
    """Return how far ahead the second of two classes is, or the votes for every class of more.

    Parameters
    ----------
    committee
        Whose rule it is.
    codes
        The number of the class each member votes for, `ABSTAINS` where it says nothing.
    positive
        The number of the positive class; None where there are more than two.
    n_classes
        How many there are.
    """
    if positive is None:
        votes = np.column_stack([(codes == place).sum(axis=1) for place in range(n_classes)])
        if committee.abstentions == "against":
            votes[:, 0] += (codes == ABSTAINS).sum(axis=1)
        return votes * 1.0
    mine = codes == positive
    if isinstance(committee, Committee):
        ahead = mine @ np.array(committee.multiplicities) - (committee.threshold + 0.5)
    else:
        # Those who vote decide, and a tie is negative.
        ahead = mine.sum(axis=1) - (codes == 1 - positive).sum(axis=1) - 0.5
    return np.asarray(ahead if positive == 1 else -ahead)


def votes_told(codes: Codes, positive: int | None, gaps: bool) -> NDArray[np.int64 | np.float64]:
    """Return the members' votes as numbers: 1 for the positive class, or the class's number.

    Parameters
    ----------
    codes, positive
        As for `votes_ahead`.
    gaps
        Whether members may abstain, which is NaN then.
    """
    votes = np.asarray(codes if positive is None else codes == positive, dtype=np.int64)
    return np.where(codes == ABSTAINS, np.nan, votes) if gaps else votes
