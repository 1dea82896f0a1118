"""The four counts every criterion is made of."""

from __future__ import annotations

import math
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

    @property
    def accuracy(self) -> float:
        """Share of the rows that are decided correctly."""
        return float((Fraction(self.tp) + self.tn) / (self.positives + self.negatives))

    @property
    def balanced_accuracy(self) -> float:
        """Mean of recall and specificity; NaN where a class has no rows."""
        if not self.positives or not self.negatives:
            return math.nan
        return float((self.tp / self.positives + self.tn / self.negatives) / 2)

    @property
    def base_rate(self) -> float:
        """Share of the larger class: how often one is right who always says it."""
        larger = max(self.positives, self.negatives)
        return float(larger / (self.positives + self.negatives))
