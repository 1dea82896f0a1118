"""`Moments`: all that the squared loss of a linear pool has to know of any number of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ..numbers.floats import Floats

_BLOCK = 8192
"""Cells that are multiplied at once: what they take stays in the processor's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Sums over rows, which can be made piece by piece and added.

    With p_ik what member k gives a class on row i, y_i 1 where that class is true and c_i the
    row's weight, the loss of weights w is ``w gram w - 2 pull w + constant``.

    Parameters
    ----------
    gram
        K x K, ``sum c p_k p_l``.
    pull
        K, ``sum c p_k y``.
    constant
        ``sum c y^2``.
    terms
        How many additions a cell goes through at most, in each of these sums; their rounding
        depends on this, and not on the number of rows.
    rows
        How many rows carry weight.
    weight
        What they weigh.
    """

    gram: Floats
    pull: Floats
    constant: float
    terms: int
    rows: int
    weight: float

    @classmethod
    def of(cls, answers: Floats, labels: NDArray[np.intp], weights: Floats) -> Self:
        """Sum over rows in memory, all of which carry weight.

        Parameters
        ----------
        answers
            K x n probabilities of the positive class, or K x n x C.
        labels, weights
            Places of the true classes, and weights of the rows.
        """
        k, n = answers.shape[:2]
        truth = np.eye(answers.shape[2])[labels] if answers.ndim == 3 else 1.0 * (labels == 1)
        flat = answers.reshape(k, -1)
        each = np.repeat(weights, flat.shape[1] // max(n, 1))
        aims = each * truth.ravel()
        gram, pull, constant = np.zeros((k, k)), np.zeros(k), 0.0
        blocks = range(0, flat.shape[1], _BLOCK)
        for first in blocks:
            cells = slice(first, first + _BLOCK)
            own = flat[:, cells]
            gram += (own * each[cells]) @ own.T
            pull += own @ aims[cells]
            constant += float(aims[cells] @ truth.ravel()[cells])
        terms = min(flat.shape[1], _BLOCK) + len(blocks)
        return cls(gram, pull, constant, terms, n, float(weights.sum()))

    def __add__(self, other: Self) -> Self:
        return type(self)(
            self.gram + other.gram,
            self.pull + other.pull,
            self.constant + other.constant,
            max(self.terms, other.terms) + 1,
            self.rows + other.rows,
            self.weight + other.weight,
        )
