"""`Votes`: what every classifier of the pool said about every row, and what was true."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from ..numbers.exact import IntArray, combine, compact
from .abstaining import Abstentions, check_abstentions, fill_gaps
from .frozen import HardVotes
from .packed import unpacked
from .picking import read_rows
from .reading import (
    check_cutoff,
    read_binary_labels,
    read_matrix,
    read_names,
    read_weights,
    to_votes,
)
from .scan import scan_votes


class Votes(HardVotes):
    """A validated n x K matrix of 0/1 votes with labels, weights and classifier names.

    Immutable: the arrays are copies of the caller's and cannot be written to.

    Parameters
    ----------
    predictions
        n rows by K classifiers: 0/1 votes or probabilities of the positive class, as an array,
        nested sequence, mapping of names to columns, or data frame (pandas, polars, pyarrow, ...).
        A probability is a positive vote from `cutoff` on.
    y
        n labels, 0 or 1, both present; any two values where `positive` names one of them.
    sample_weight
        n non-negative weights; every row counts once when omitted.
    names
        K distinct names; those of a data frame's or mapping's columns, else ``c0, c1, ...`` when
        omitted.
    positive
        Which of the two values of `y` is the positive class, where they are not 0 and 1. The
        predictions may then be such values too, and committees predict such values.
    cutoff
        From where on a number is a positive vote. Between 0 and 1 the predictions must be
        probabilities; otherwise they may be any numbers, as grades with 2 or a decision function
        with 0.
    abstentions
        What it counts for when a classifier says nothing (NaN, None, an empty or masked cell):
        "skip" for nothing, the majority of those who vote decides and a tie is negative;
        "against" for a vote against. A missing vote is an error when omitted.

    Attributes
    ----------
    matrix : bool array of shape (n, K)
    labels : bool array of shape (n,)
    weights : exact integers of shape (n,), in units of ``1 / denominator``
    denominator : int
    names : tuple of str
    classes : what the negative and the positive class are called, (0, 1) without `positive`
    abstentions : "skip", "against" or None
    voted : bool array of shape (n, K), False where a classifier abstains; None where none does
    """

    __slots__ = ()

    matrix: NDArray[np.bool_]
    labels: NDArray[np.bool_]
    classes: tuple[Any, Any]

    def __init__(
        self,
        predictions: object,
        y: object,
        *,
        sample_weight: object = None,
        names: Sequence[str] | None = None,
        positive: object = None,
        cutoff: float = 0.5,
        abstentions: Abstentions | None = None,
    ) -> None:
        cut, rule = check_cutoff(cutoff), check_abstentions(abstentions)
        table, columns = read_matrix(
            predictions, "predictions", words=positive is not None, gaps=rule is not None
        )
        n, k = table.shape
        labels, classes = read_binary_labels(y, n, positive)
        voted = None
        if rule is not None:
            table, voted = fill_gaps(table, 0 if classes is None else classes.positive)
        matrix = to_votes(table, "predictions", cut, classes)
        if voted is not None:
            matrix &= voted
        weights, denominator = read_weights(sample_weight, n)
        _check_both_classes(labels, weights)
        self._fill(
            abstentions=rule,
            classes=(0, 1) if classes is None else (classes.negative, classes.positive),
            cutoff=cut,
            denominator=denominator,
            labels=labels,
            matrix=matrix,
            names=read_names(names, columns, k),
            voted=voted,
            weights=weights,
        )

    @classmethod
    def scan(
        cls,
        source: object,
        target: str,
        *,
        names: Sequence[str] | None = None,
        ignore: Sequence[str] = (),
        sample_weight: str | None = None,
        positive: object = 1,
        cutoff: float = 0.5,
        abstentions: Abstentions | None = None,
    ) -> Votes:
        """Read votes on more rows than memory holds, merging equal rows on the way.

        Parameters
        ----------
        source
            Parquet files (a path, a folder, a pattern such as ``"votes/*.parquet"``, or several of
            them), a polars LazyFrame, or a Dask data frame, which is merged on its cluster.
        target
            The column of labels.
        names, ignore
            The columns that are classifiers, all others when omitted; columns that are not.
        sample_weight
            A column of whole numbers that rows count for; every row counts once when omitted.
        positive
            The label of the positive class; all other rows must have one other label. Where these
            are not 0 and 1 committees predict such labels, and the votes may be such labels too if
            they are numbers; votes in words are for `Votes`.
        cutoff
            From where on a number is a positive vote.
        abstentions
            What it counts for when a classifier says nothing (null, NaN): "skip" or "against", as
            for `Votes`.

        Returns
        -------
        Votes
            One row for every distinct pattern of votes, abstentions included, and label, in
            canonical order; its weight is the number of rows it stands for. Committees have the
            same values and bounds on it as on all rows.

        Raises
        ------
        InputError
            If a column is missing or holds no votes, or if there are more than 50 million distinct
            patterns; a `FileFormatError` if files cannot be read.
        """
        rule = check_abstentions(abstentions)
        columns, packed, named = scan_votes(
            source, target, names=names, ignore=ignore, sample_weight=sample_weight,
            positive=positive, cutoff=cutoff, gaps=rule is not None,
        )  # fmt: skip
        matrix, voted, labels, weights = unpacked(packed, len(columns), rule is not None)
        _check_both_classes(labels, weights)
        return cls._made(
            abstentions=rule,
            classes=(0, 1) if named is None else (named.negative, named.positive),
            cutoff=float(cutoff),
            denominator=1,
            labels=labels,
            matrix=matrix,
            names=columns,
            voted=voted,
            weights=weights,
        )

    def cut_at(self, cutoff: float) -> Votes:
        """Return the same votes, for committees that are to cut numbers here; nothing is cut anew.

        Parameters
        ----------
        cutoff
            From where on a number was a positive vote.
        """
        return self._but(cutoff=check_cutoff(cutoff))

    def called(self, negative: object, positive: object) -> Votes:
        """Return the same votes, for committees that are to predict these; nothing is read anew.

        Parameters
        ----------
        negative, positive
            What the classes are called.
        """
        return self._but(classes=(negative, positive))

    def take(self, rows: Sequence[int] | Sequence[bool] | NDArray[Any]) -> Votes:
        """Return the votes on some of the rows, in the order given.

        Parameters
        ----------
        rows
            Their places, or a truth value for each row.

        Raises
        ------
        InputError
            If a class is missing among them, or they are neither.
        """
        places = read_rows(rows, self.n_rows)
        labels, weights = self.labels[places], self.weights[places]
        _check_both_classes(labels, weights)
        return self._on(places, self.denominator, labels, weights)

    def thinned(self, most: int, random: np.random.Generator) -> Votes:
        """Return a sample of the rows that carry weight, as many of each class as can be.

        Returns
        -------
        Votes
            Each row weighs as many times more as there are more rows of its class.
        """
        classes = [np.flatnonzero((self.labels == label) & (self.weights > 0)) for label in (0, 1)]
        kept = [min(len(rows), max(1, most // 2)) for rows in classes]
        rows = [
            np.sort(random.choice(every, some, replace=False))
            for every, some in zip(classes, kept, strict=True)
        ]
        scale = math.lcm(*kept)
        weights = [
            combine([(len(every) * (scale // some), self.weights[part])]).astype(object)
            for every, some, part in zip(classes, kept, rows, strict=True)
        ]
        places = np.concatenate(rows)
        shares = compact(np.concatenate(weights))
        return self._on(places, self.denominator * scale, self.labels[places], shares)

    def _on(
        self,
        places: NDArray[np.intp],
        denominator: int,
        labels: NDArray[np.bool_],
        weights: IntArray,
    ) -> Votes:
        """Return the votes on some rows with these labels and weights."""
        return self._but(
            denominator=denominator,
            labels=labels,
            matrix=np.ascontiguousarray(self.matrix[places]),
            voted=None if self.voted is None else self.voted[places],
            weights=weights,
        )

    def __repr__(self) -> str:
        positives = int(self.labels.sum())
        return f"Votes({self.n_rows} rows, {positives} positive; {self.n_classifiers} classifiers)"


def as_votes(votes: object, y: object = None, sample_weight: object = None) -> Votes:
    """Return `votes` if it is a `Votes` already, else make one of predictions and labels.

    Raises
    ------
    InputError
        If labels or weights are given a second time, or the predictions are wrong.
    """
    if not isinstance(votes, Votes):
        return Votes(votes, y, sample_weight=sample_weight)
    refuse_twice(y, sample_weight)
    return votes


def refuse_twice(y: object, sample_weight: object) -> None:
    """Refuse labels and weights beside votes that have them."""
    for name, value in (("y", y), ("sample_weight", sample_weight)):
        if value is not None:
            hint = f" An objective is given by name: objective={value!r}." * isinstance(value, str)
            raise InputError(name, f"is already inside what is pruned; give it once.{hint}")


def on_classes(votes: Votes, classes: tuple[Any, Any], argument: str = "votes") -> Votes:
    """Return votes with these as the negative and the positive class, turned round if need be.

    Raises
    ------
    InputError
        If they are on other classes.
    """
    if votes.classes == classes:
        return votes
    if votes.classes != (classes[1], classes[0]):
        negative, positive = classes
        raise InputError(
            argument,
            f"is about the classes {votes.classes[0]!r:.60} and {votes.classes[1]!r:.60}, the "
            f"committee decides between {negative!r:.60} and {positive!r:.60}. Read votes on "
            f"these two, or say that they are: votes.called({negative!r:.60}, {positive!r:.60}).",
        )
    matrix = ~votes.matrix if votes.voted is None else ~votes.matrix & votes.voted
    return votes._but(classes=classes, labels=~votes.labels, matrix=matrix)


def _check_both_classes(labels: NDArray[np.bool_], weights: IntArray) -> None:
    for label in (1, 0):
        if not (weights[labels == label] > 0).any():
            raise InputError(
                "y",
                f"no row of class {label} carries weight, so there is nothing to choose between. "
                "Both classes must be present.",
            )
