"""`Sums`, `Pile`: gains as short whole numbers, never too low, to be added up bit by bit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..problem.wins import Places, Wins

_WORTH_BITS = 12
"""What a row of a class is worth is kept to so many bits at the most."""

_FEW_BITS = 4
"""Bits in the weights behind a win, in the mean, beyond which they are rounded up."""


class Sums(NamedTuple):
    """How gains are added up: wins of one class have weights times a worth.

    Parameters
    ----------
    weights
        n: whole numbers.
    group
        n: which worth.
    worths
        One for each group.
    divisor
        Units that make 1; rounding up has happened if weights times worths are above units.
    """

    weights: NDArray[np.int64]
    group: Places
    worths: tuple[int, ...]
    divisor: int

    @classmethod
    def of(cls, wins: Wins) -> Sums:
        """Find short whole numbers that are nowhere below the gains."""
        units = [int(unit) for unit in wins.units]
        of_kind = {
            kind: int(np.gcd.reduce(wins.units[wins.kind == kind]))
            for kind in np.unique(wins.kind).tolist()
        }
        worths = sorted(set(of_kind.values()))
        group = np.array([worths.index(of_kind[k]) for k in wins.kind.tolist()], dtype=np.intp)
        weights = [unit // worths[g] for unit, g in zip(units, group, strict=True)]
        if sum(weight.bit_count() for weight in weights) > _FEW_BITS * len(weights):
            largest = max(units)
            divisor = -(-largest // 2**_WORTH_BITS)
            # All weights above the limit are rounded up to so few bits.
            rounded = [-(-unit // divisor) for unit in units]
            return cls(np.array(rounded), np.zeros(len(units), dtype=np.intp), (1,), divisor)
        common = int(np.gcd.reduce(np.array(worths, dtype=object))) if worths else 1
        divisor = max(common, -(-max(worths, default=1) // 2**_WORTH_BITS))
        return cls(
            np.array(weights, dtype=np.int64),
            group,
            tuple(-(-worth // divisor) for worth in worths),
            divisor,
        )


class Pile(NamedTuple):
    """Rows that are added up together: so many times what a row of the group is worth."""

    group: int
    place: int  # the binary place of the weights
    rows: slice


def piles_of(sums: Sums) -> tuple[list[Pile], Places]:
    """Return the piles, and which win each of their rows is about.

    A win stands in as many piles as there are ones in its weight.
    """
    piles, who = [], list[Places]()
    for group in range(len(sums.worths)):
        mine = np.flatnonzero(sums.group == group)
        for place in range(int(sums.weights[mine].max(initial=0)).bit_length()):
            some = mine[sums.weights[mine] >> place & 1 == 1]
            first = sum(len(part) for part in who)
            piles.append(Pile(group, place, slice(first, first + len(some))))
            who.append(some)
    return piles, np.concatenate([*who, np.zeros(0, dtype=np.intp)]).astype(np.intp)
