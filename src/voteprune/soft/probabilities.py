"""`Probabilities`: what every member says about every row, as log-odds, and what was true.

And its fingerprint, which a certificate is known by.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from ..numbers.floats import Floats
from ..votes.frozen import Frozen
from ..votes.picking import read_columns, read_rows
from ..votes.reading import read_names, read_vector
from .log_odds import (
    SCORE,
    are_labels,
    brought_within,
    log_odds_of,
    may_be_labels,
    member_of,
    shares_of,
    tensor_of,
)
from .reading import (
    Label,
    check_classes,
    positive_last,
    read_classes,
    read_clip,
    read_scores,
    read_weights,
)
from .scan import Scan, Scorer, scan_probabilities

CLIP = 0.0001
"""How near to 0 and 1 a probability may come before its logarithm is taken; chosen on unseen rows,
see docs/results/protocol.md."""


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """What a committee says on rows, and what was true.

    Parameters
    ----------
    shares
        Probabilities, n x C.
    labels, weights
        Of the rows: places of the true classes, and weights.
    exact
        Whether these are the rows themselves; if not, every share stands for all that are above the
        next lower one.
    """

    shares: Floats
    labels: NDArray[np.intp]
    weights: Floats
    exact: bool = True


class Probabilities(Frozen):
    """Validated log-odds of K members on n rows with labels, weights and names.

    Immutable: the arrays are copies of the caller's and cannot be written to.

    Parameters
    ----------
    predictions
        Two classes: n rows by K members, probabilities of the positive class. More: n x K x C, the
        last axis in the order of `classes`. An array, nested sequence, data frame (a column per
        member), or a mapping from names to arrays: a vector of probabilities, the n x C matrix of
        `predict_proba`, or a vector of class labels. Numbers are labels where all of them are
        classes, but floating-point numbers from 0 to 1 are probabilities always. NaN is an
        abstention. A member whose answers are all 0 or 1 merely votes. Probabilities may be beyond
        0 or 1 by a millionth, for rounding's sake, and are brought back.
    y
        n labels, numbers or text.
    sample_weight
        n weights, 0 or from 1e-50 to 1e50; every row counts once when omitted.
    names
        K distinct names; the frame's or mapping's own, else ``c0, c1, ...`` when omitted.
    classes
        All classes, in the order of the last axis; the sorted labels when omitted.
    positive
        The positive class of two; the second of `classes` when omitted.
    scores
        Which members give scores that are no probabilities, as `decision_function` or grades do:
        all (True), none (False), or some by name or place. They come in as log-odds as they are.
    clip
        Probabilities are cut to [clip, 1 - (C - 1) clip] before logarithms are taken.

    Attributes
    ----------
    log_odds : array of shape (n, K), or log-probabilities of shape (n, K, C) from three classes on
        A mere vote is +1 or -1 (a unit vector), an abstention 0 (the zero vector).
    labels : places in `classes`, of shape (n,); for two classes 1 is the positive one
    weights : array of shape (n,)
    names : tuple of str
    classes : tuple of labels; for two classes the positive one last
    axis : the classes in the order in which they stood in what was given
    kinds : tuple of str, "probability", "vote" or "score" for each member
    labelled : names of those whose numbers were read as labels; None where that tells nothing,
        because the classes are not two numbers, or are 0 and 1
    clip : float
    digest : str, by which a certificate knows what was said; empty for a part of another
    """

    __slots__ = (
        "axis", "classes", "clip", "digest", "kinds", "labelled", "labels", "log_odds", "names",
        "weights",
    )  # fmt: skip

    log_odds: Floats
    labels: NDArray[np.intp]
    weights: Floats
    names: tuple[str, ...]
    classes: tuple[Label, ...]
    axis: tuple[Label, ...]
    kinds: tuple[str, ...]
    labelled: tuple[str, ...] | None
    clip: float
    digest: str

    def __init__(
        self,
        predictions: object,
        y: object,
        *,
        sample_weight: object = None,
        names: Sequence[str] | None = None,
        classes: Sequence[Label] | None = None,
        positive: Label | None = None,
        scores: bool | Sequence[int | str] = False,
        clip: float = CLIP,
    ) -> None:
        if y is None:
            raise InputError("y", "is missing. Give the true classes, one per row.")
        if isinstance(predictions, Mapping):
            n = _rows_of_first(predictions)
        else:
            predictions, columns = tensor_of(predictions, "predictions")
            n = len(predictions)
        truth = read_vector(y, n, "y")
        axis, labels = read_classes(truth, classes)
        known, labels = positive_last(axis, labels, positive)
        place = axis.index(known[-1])
        clip = read_clip(clip, len(known))
        weights = read_weights(sample_weight, n)
        check_classes(known, labels, weights)
        if isinstance(predictions, Mapping):
            columns, count = tuple(str(name) for name in predictions), len(predictions)
        else:
            count = predictions.shape[1]
        chosen = read_names(names, columns, count)
        scored = read_scores(scores, chosen)
        labelled = set[str]()
        if isinstance(predictions, Mapping):
            members = []
            for k, (name, values) in enumerate(predictions.items()):
                argument = f"predictions[{name!r}]"
                labels_said = k not in scored and are_labels(values, known, argument)
                members.append(
                    member_of(values, n, known, argument, place=place, labels=labels_said)
                )
                labelled |= {chosen[k]} if labels_said else set()
        else:
            members = _columns(predictions, len(known), place)
        members = [said if k in scored else brought_within(said) for k, said in enumerate(members)]
        kinds, stored = log_odds_of(members, chosen, scored, clip, len(known))
        digest = digest_of(chosen, known, labels, members)
        self._fill(
            axis=axis,
            classes=known,
            clip=clip,
            digest=digest,
            kinds=kinds,
            labelled=_noted(labelled, chosen, known),
            labels=labels,
            log_odds=stored,
            names=chosen,
            weights=weights,
        )

    @staticmethod
    def scan(
        source: object,
        target: str,
        *,
        names: Sequence[str] | None = None,
        ignore: Sequence[str] = (),
        sample_weight: str | None = None,
        positive: Label = 1,
        clip: float = CLIP,
    ) -> ScannedProbabilities:
        """Read probabilities of two classes on more rows than memory holds, for "brier" alone.

        The rows are summed in one pass (and counted in another, once a committee is chosen), so
        the proof takes as long for a hundred million rows as for a thousand.

        Parameters
        ----------
        source
            Parquet files (a path, a folder, a pattern such as ``"said/*.parquet"``, or several of
            them), a polars LazyFrame, or a Dask data frame, which is summed on its cluster.
        target
            The column of labels.
        names, ignore
            The columns that are members, all others when omitted; columns that are not.
        sample_weight
            A column of whole numbers that rows count for; every row counts once when omitted.
        positive
            The label of the positive class; all other rows must have one other label.
        clip
            As for `Probabilities`.

        Raises
        ------
        InputError
            If a column is missing or holds no probabilities; a `FileFormatError` if files cannot be
            read.
        """
        clip = read_clip(clip, 2)
        rows = scan_probabilities(
            source, target, names=names, ignore=ignore, sample_weight=sample_weight,
            positive=positive, clip=clip,
        )  # fmt: skip
        return ScannedProbabilities._made(
            axis=rows.classes,
            classes=rows.classes,
            clip=clip,
            digest="",
            kinds=rows.kinds,
            labelled=_noted((), rows.names, rows.classes),
            labels=np.empty(0, dtype=np.intp),
            log_odds=np.empty((0, len(rows.names))),
            names=rows.names,
            rows=rows,
            weights=np.empty(0),
        )

    def odds_of(self, members: Sequence[int]) -> list[Floats]:
        """Return the log-odds of some members, one array each."""
        return [self.log_odds[:, k] for k in members]

    def scored(self, committee: Scorer) -> Scored:
        """Return what a committee says on these rows."""
        return Scored(committee.predict_proba(self), self.labels, self.weights)

    def shares(self) -> Floats:
        """Return the clipped probabilities behind the log-odds, for linear pools.

        A mere vote is as sure as clipping allows, an abstention gives every class the same.

        Raises
        ------
        InputError
            If a member gives scores, which are no probabilities.
        """
        if SCORE in self.kinds:
            name = self.names[self.kinds.index(SCORE)]
            raise InputError(
                "scores",
                f"{name!r} gives scores, and a linear pool needs probabilities. Calibrate it "
                "first, or combine log-odds.",
            )
        stored = np.moveaxis(np.empty_like(self.log_odds), 1, 0)
        for k, kind in enumerate(self.kinds):
            stored[k] = shares_of(self.log_odds[:, k], kind, self.clip, len(self.classes))
        return np.moveaxis(stored, 0, 1)

    def select(self, columns: Sequence[int] | Sequence[str] | NDArray[Any]) -> Probabilities:
        """Return what some of the members say, in the order given.

        Parameters
        ----------
        columns
            Their places or names, or a truth value for each member.
        """
        places = read_columns(columns, self.names)
        names = tuple(self.names[k] for k in places)
        return self._but(
            digest="",
            kinds=tuple(self.kinds[k] for k in places),
            labelled=None if self.labelled is None else _noted(self.labelled, names, self.classes),
            log_odds=_by_member(self.log_odds[:, places]),
            names=names,
        )

    def take(self, rows: Sequence[int] | Sequence[bool] | NDArray[Any]) -> Probabilities:
        """Return what is said on some of the rows, in the order given.

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
        check_classes(self.classes, labels, weights)
        odds = _by_member(self.log_odds[places])
        return self._but(digest="", labels=labels, log_odds=odds, weights=weights)

    @classmethod
    def _made(cls, **values: Any) -> Self:
        # Those that were pickled before it was noted have no `labelled`.
        return super()._made(**{"labelled": None} | values)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.n_rows} rows, {len(self.classes)} classes; "
            f"{self.n_classifiers} classifiers)"
        )


class ScannedProbabilities(Probabilities):
    """What members say on rows that stay where they are; made by `Probabilities.scan`.

    It has names, classes and kinds as other `Probabilities` do, and no rows in memory: `log_odds`,
    `labels` and `weights` are empty. It is for ``objective="brier"`` alone.

    Attributes
    ----------
    rows : where they are, and what they sum to
    """

    __slots__ = ("rows",)

    rows: Scan

    @property
    def n_rows(self) -> int:
        """Number of rows n."""
        return self.rows.n_rows

    def scored(self, committee: Scorer) -> Scored:
        """See `Probabilities`; this goes through all rows."""
        share, labels, weights = self.rows.counts(committee)
        return Scored(np.column_stack([1 - share, share]), labels, weights, exact=False)

    def odds_of(self, members: Sequence[int]) -> NoReturn:
        """Refuse: there are no rows in memory."""
        self._refuse()

    def shares(self) -> NoReturn:
        """Refuse: there are no rows in memory."""
        self._refuse()

    def select(self, columns: Sequence[int] | Sequence[str] | NDArray[Any]) -> NoReturn:
        """Refuse: there are no rows in memory."""
        self._refuse()

    def take(self, rows: Sequence[int] | Sequence[bool] | NDArray[Any]) -> NoReturn:
        """Refuse: there are no rows in memory."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise InputError(
            "probabilities",
            "are scanned, and this needs their rows in memory. Read some of them as "
            "vp.Probabilities.",
        )


def _by_member(odds: Floats) -> Floats:
    """Return a tensor whose memory lies member by member, which is how it is gone through."""
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(odds, 1, 0)), 0, 1)


def _rows_of_first(predictions: Mapping[Any, Any]) -> int:
    if not predictions:
        raise InputError("predictions", "has no member. Give at least one.")
    first = next(iter(predictions.values()))
    return len(first) if hasattr(first, "__len__") else 0


def _noted(
    labelled: Collection[str], names: tuple[str, ...], classes: Sequence[Label]
) -> tuple[str, ...] | None:
    """Return who gave labels, in the members' order, where labels are told from votes by that."""
    return tuple(name for name in names if name in labelled) if may_be_labels(classes) else None


def _columns(tensor: NDArray[Any], n_classes: int, place: int) -> list[NDArray[Any]]:
    """Return the members of a tensor, two classes as the probability of the positive one."""
    if tensor.ndim == 2 and n_classes == 2:
        return list(tensor.T)
    if tensor.ndim == 2:
        raise InputError(
            "predictions",
            f"has 2 dimensions, and y has {n_classes} classes. Give n x K x {n_classes}, or a "
            "mapping from names to n x C probabilities or vectors of labels.",
        )
    if tensor.shape[2] != n_classes:
        raise InputError(
            "predictions",
            f"knows {tensor.shape[2]} classes and y {n_classes}; they must match. Name all of "
            "them in classes=, and have rows of each.",
        )
    return list(np.moveaxis(tensor[:, :, place] if n_classes == 2 else tensor, 1, 0))


def digest_of(
    names: Sequence[str],
    classes: Sequence[Any],
    labels: NDArray[Any],
    members: Sequence[NDArray[Any]],
) -> str:
    """Return the fingerprint of what members said, before clipping and logarithms.

    `verify.soft_table.digest` computes the same of a file, and docs/certificate.md defines it.

    Parameters
    ----------
    names, classes
        Of the members, and in the order of the last axis.
    labels
        Places of the true classes.
    members
        What each said: n answers for two classes, n x C for more; NaN where one is missing.
    """
    found = hashlib.sha256(json.dumps([list(names), list(classes)]).encode() + b"\n")
    found.update(np.asarray(labels).astype("<f8").tobytes())
    for member in members:
        said = np.asarray(member, dtype=np.float64).reshape(len(labels), -1) + 0.0
        said[np.isnan(said)] = np.nan
        for column in said.T:
            found.update(column.astype("<f8").tobytes())
    return found.hexdigest()
