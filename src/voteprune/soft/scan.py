"""Probabilities on more rows than memory holds, for committees by the squared loss.

The squared loss of a linear pool depends on the rows only through sums: the Gram matrix of the
members' answers, and their products with the labels (`Moments`). They are summed in one pass, piece
by piece, and the proof costs the same however many rows there were. Another pass counts what the
chosen committee decides.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from ..numbers.floats import Floats
from ..votes.pieces import Columns, DaskTable, LazyTable, numbers_of, table_of
from ..votes.reading import read_names
from ..votes.scan import checked_facts, voters
from .log_odds import PROBABILITY, VOTE
from .moments import Moments
from .reading import Label

_BINS = 1 << 20
"""Cut-offs that are told apart; a power of two, so that a share times it is exact."""


_CAUTION = 1.5
"""Times as long as a pass over some columns should take by what one over all of them took."""


class Scorer(Protocol):
    """What a committee is to the rows that it is counted on: its members, and what they say."""

    @property
    def names(self) -> tuple[str, ...]:
        """Who sits."""

    def predict_proba(self, predictions: object) -> Floats:
        """Return the probability of every class."""


@dataclass(frozen=True, slots=True, eq=False)
class Scan:
    """A table that stays where it is, and what its rows sum to.

    Parameters
    ----------
    table, columns
        Where the rows are, None in a copy from another process, and which column plays which part.
    n_rows
        How many rows there are, those without weight included.
    classes
        The negative and the positive label.
    kinds
        What each member gives: probabilities, or mere votes.
    moments
        What the rows sum to.
    seconds
        How long it took to sum them.
    """

    table: LazyTable | DaskTable | None
    columns: Columns
    n_rows: int
    classes: tuple[Label, Label]
    kinds: tuple[str, ...]
    moments: Moments
    seconds: float = 0.0

    @property
    def names(self) -> tuple[str, ...]:
        """The members."""
        return read_names(None, self.columns.votes, len(self.columns.votes))

    def __reduce__(self) -> tuple[Any, ...]:
        known = (self.columns, self.n_rows, self.classes, self.kinds, self.moments, self.seconds)
        return Scan, (None, *known)

    def recount(self, seats: int) -> float:
        """Return how many seconds `counts` will take for so many members, at most.

        It reads fewer columns than the pass that summed all of them.
        """
        return _CAUTION * self.seconds * (seats + 2) / (len(self.columns.votes) + 2)

    def counts(self, committee: Scorer) -> tuple[Floats, NDArray[np.intp], Floats]:
        """Go through the rows once more; return shares, classes, and the weight of each pair.

        Only the members' columns are read. Shares are rounded up to the next of a million cut-offs.
        """
        if self.table is None:
            raise InputError(
                "probabilities", "were scanned elsewhere, and their rows are not here. Scan again."
            )
        columns = replace(self.columns, votes=committee.names)
        counts = self.table.reduced(partial(_counted, committee=committee), columns)
        places = np.flatnonzero(counts)
        labels, bins = np.divmod(places, _BINS)
        return (bins + 1) / _BINS, labels, counts[places]


def scan_probabilities(
    source: object,
    target: str,
    *,
    names: Sequence[str] | None,
    ignore: Sequence[str],
    sample_weight: str | None,
    positive: Label,
    clip: float,
) -> Scan:
    """Sum over the rows of a table; see `Probabilities.scan`, whose arguments these are."""
    table = table_of(source)
    found = voters(table.columns, target, names, ignore, sample_weight)
    columns = Columns(found, target, sample_weight, positive, 0.5, gaps=True)
    facts = checked_facts(table, columns)
    for name in found:
        if facts[f"{name} missing"] == facts["rows"]:
            raise InputError("source", f"column {name!r} says nothing on any row. Leave it out.")
    (negative,) = facts["labels"] - {positive}
    table = table.settled(columns)
    began = time.monotonic()
    sums: _Sums = table.reduced(partial(_summed, clip=clip), columns)
    took = time.monotonic() - began
    for words, weight in zip((negative, positive), sums.classes, strict=True):
        if not weight:
            raise InputError("target", f"no row of {words!r} carries weight. Give rows of both.")
    return Scan(
        table,
        columns,
        int(facts["rows"]),
        (negative, positive),
        tuple(PROBABILITY if some else VOTE for some in sums.unsure),
        sums.moments,
        took,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """What the rows of a piece sum to, what its two classes weigh, and who is not always sure."""

    moments: Moments
    classes: Floats
    unsure: NDArray[np.bool_]

    def __add__(self, other: _Sums) -> _Sums:
        return _Sums(
            self.moments + other.moments, self.classes + other.classes, self.unsure | other.unsure
        )


def _summed(frame: Any, columns: Columns, *, clip: float) -> _Sums:
    labels, weights = _truth(frame, columns)
    carrying = weights > 0
    said = np.stack([numbers_of(frame, name) for name in columns.votes])
    unsure = np.asarray(((said > 0) & (said < 1)).any(axis=1))
    said = said[:, carrying]
    np.clip(said, clip, 1 - clip, out=said)
    said[np.isnan(said)] = 0.5
    labels, weights = labels[carrying], weights[carrying]
    classes = np.array([weights[labels == truth].sum() for truth in (0, 1)])
    return _Sums(Moments.of(said, labels, weights), classes, unsure)


def _counted(frame: Any, columns: Columns, *, committee: Scorer) -> Floats:
    """Return the weight of a piece's rows by their class and the bin of their probability."""
    labels, weights = _truth(frame, columns)
    said = {name: numbers_of(frame, name) for name in columns.votes}
    shares = committee.predict_proba(said)[:, 1]
    # Bin j has what is above j / _BINS and at most (j + 1) / _BINS.
    bins = np.maximum(np.ceil(shares * _BINS).astype(np.intp) - 1, 0)
    return np.asarray(np.bincount(labels * _BINS + bins, weights, 2 * _BINS), dtype=np.float64)


def _truth(frame: Any, columns: Columns) -> tuple[NDArray[np.intp], Floats]:
    """Return labels and weights of a piece."""
    labels = np.asarray((frame[columns.target] == columns.positive).to_numpy(), dtype=np.intp)
    if columns.weight is None:
        return labels, np.ones(len(labels))
    return labels, numbers_of(frame, columns.weight)
