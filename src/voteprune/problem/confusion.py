"""The four counts every criterion is made of."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Confusion:
    """Binary confusion counts, exact.

    Integers when rows are unweighted or carry integer weights, fractions otherwise.

    Parameters
    ----------
    tp, fn
        Positive rows predicted positive, and negative.
    tn, fp
        Negative rows predicted negative, and positive.
    """

    tp: int | Fraction
    fn: int | Fraction
    tn: int | Fraction
    fp: int | Fraction

    def __post_init__(self) -> None:
        for name in ("tp", "fn", "tn", "fp"):
            count = Fraction(getattr(self, name))
            object.__setattr__(self, name, int(count) if count.denominator == 1 else count)

    @classmethod
    def count(cls, labels: NDArray[np.bool_], predicted: NDArray[np.bool_]) -> Confusion:
        """Count predictions against labels, row by row."""
        return cls(
            tp=int((predicted & labels).sum()),
            fn=int((~predicted & labels).sum()),
            tn=int((~predicted & ~labels).sum()),
            fp=int((predicted & ~labels).sum()),
        )

    @property
    def positives(self) -> Fraction:
        """Weight of the positive class."""
        return Fraction(self.tp) + self.fn

    @property
    def negatives(self) -> Fraction:
        """Weight of the negative class."""
        return Fraction(self.tn) + self.fp
