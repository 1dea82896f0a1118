"""`FScoreObjective`: the F-score of one class against the rest, or the mean over all classes.

With tp_c the weight of the rows of class c that are decided as c, d_c that of all rows decided so,
and n_c that of all its rows, its F-beta is (1 + beta^2) tp_c / (beta^2 n_c + d_c): no weighted sum
of the decisions, but a sum of ratios, each of which knows its tangent.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from ..numbers.exact import IntArray, float_above, sum_by_group, total
from .objective import Objective

MACRO = "f1_macro"
"""The mean of the classes' F1, over the classes that are true somewhere."""

_BETA = re.compile(r"f(\d+(?:\.\d+)?)")

_FINE = 2**40
"""Steps of the largest gain that a tangent's gains are rounded to."""


def is_f_score(criterion: object) -> bool:
    """Tell whether a criterion is an F-score by name."""
    if not isinstance(criterion, str):
        return False
    beta = _BETA.fullmatch(criterion)
    return criterion == MACRO or (beta is not None and Fraction(beta[1]) > 0)


@dataclass(frozen=True, eq=False)
class FScoreObjective(Objective):
    """F-scores of some classes, averaged.

    Parameters
    ----------
    criterion
        What was asked for, in words.
    square
        beta squared.
    shares
        What each class's F-score counts for; they add up to 1.
    weight
        Weight of the rows of each class behind each pattern, P x C.
    winnable
        Which class can win on which pattern, P x C.
    """

    kind = "f-score"

    criterion: str
    square: Fraction
    shares: tuple[Fraction, ...]
    weight: IntArray
    winnable: NDArray[np.bool_]

    @classmethod
    def of(cls, criterion: str, weight: IntArray, winnable: NDArray[np.bool_]) -> FScoreObjective:
        """Compile a criterion for which `is_f_score` holds.

        Raises
        ------
        InputError
            If it is of one class, and there are not two, both present.
        """
        totals = [total(part) for part in weight.T]
        if criterion == MACRO:
            present = sum(1 for part in totals if part)
            shares = tuple(Fraction(int(part > 0), present) for part in totals)
            return cls(criterion, Fraction(1), shares, weight, winnable)
        if len(totals) != 2 or not all(totals):
            raise InputError(
                "objective",
                f"{criterion} is of two classes, both present; {MACRO} is the mean of all classes' "
                "F1. Take it, or another objective.",
            )
        shares = (Fraction(0), Fraction(1))
        return cls(criterion, Fraction(criterion[1:]) ** 2, shares, weight, winnable)

    @property
    def name(self) -> str:
        """What it is called in words."""
        return self.criterion

    @property
    def ceiling(self) -> Fraction:
        """What no committee can exceed: each class decided where it can be and is true."""
        right = [total(part[can]) for part, can in zip(self.weight.T, self.winnable.T, strict=True)]
        return self._mean(right, right)

    def score(self, decided: NDArray[np.intp]) -> Fraction:
        """Recount decisions on the patterns."""
        return self._mean(*self.counted(decided))

    def counted(self, decided: NDArray[np.intp]) -> tuple[list[int], list[int]]:
        """Return the weight that is decided correctly as each class, and that decided so at all."""
        c = self.weight.shape[1]
        cells = [sum_by_group(part, decided, c) for part in self.weight.T]
        right = [int(cells[label][label]) for label in range(c)]
        return right, [sum(int(cell[label]) for cell in cells) for label in range(c)]

    def _mean(self, right: Sequence[int], called: Sequence[int]) -> Fraction:
        found = Fraction(0)
        for share, tp, d, part in zip(self.shares, right, called, self.weight.T, strict=True):
            if share:
                found += share * (1 + self.square) * tp / (self.square * total(part) + d)
        return found

    def tangent(self, decided: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return what deciding each pattern as each class gains near some decisions, P x C.

        In whole numbers of some unit, the least of every pattern being 0.
        """
        gain = np.zeros(self.weight.shape)
        square, rows = float(self.square), self.weight.sum(axis=1).astype(np.float64)
        for c, (tp, d) in enumerate(zip(*self.counted(decided), strict=True)):
            if self.shares[c]:
                own = self.weight[:, c].astype(np.float64)
                below = square * own.sum() + d
                gain[:, c] = float(self.shares[c]) * (own / below - tp * rows / below**2)
        gain -= gain.min(axis=1, keepdims=True)
        largest = max(float(gain.max()), np.finfo(np.float64).tiny)
        return np.asarray(np.rint(gain / largest * _FINE), dtype=np.int64)

    def values(self, decided: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return about what many decisions are worth, sets x P."""
        worth = np.zeros(len(decided))
        weight: NDArray[Any] = self.weight.astype(np.float64)
        rows, square = weight.sum(axis=1), float(self.square)
        for c, share in enumerate(self.shares):
            if share:
                called = decided == c
                below = square * weight[:, c].sum() + called @ rows
                worth += float(share * (1 + self.square)) * (called @ weight[:, c]) / below
        return worth

    def reachable(self, bound: Fraction | float) -> Fraction:
        """Return the bound itself: no grid is known that all scores lie on."""
        return Fraction(bound)

    def score_of(self, value: float) -> Fraction:
        """Return the score of a value, exactly."""
        return Fraction(value)

    def read(self, score: int | Fraction) -> float:
        """Return the value that a score stands for."""
        return float(score)

    def read_above(self, score: int | Fraction) -> float:
        """Return a float that is not below the value a score stands for."""
        return float_above(Fraction(score))
