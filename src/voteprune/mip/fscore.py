"""F-scores as an integer program: ratios bounded from above, piece by piece of their denominators.

With g(d) = 1 / (beta^2 n + d), the F-score of a class is (1 + beta^2) tp g(d). Between two
breakpoints l <= d <= u it is at most (1 + beta^2) times tp g(l), and times
tp g(u) + T (chord(d) - g(u)), where T bounds tp and the chord of the convex g lies above it
(McCormick). Both are exact at their breakpoint. So the optimum of the program is a bound, and where
what it finds is worth less, a breakpoint is put there, and the program is solved again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..numbers.floats import Floats
from ..problem.fscore import FScoreObjective
from ..solvers.model import ModelBuilder

Wins = Sequence[tuple[int, int, int]]
"""Variables that say that a pattern is decided as a class: column, pattern, class."""

Complete = Callable[[Floats], None]
"""Fills in the variables of a solution that follow from the decisions."""


class Pieces:
    """The breakpoints of every class's denominator, in shares of the weight of its own rows."""

    def __init__(self, objective: FScoreObjective) -> None:
        self._objective, self._square = objective, float(objective.square)
        weight, can = objective.weight.astype(np.float64), objective.winnable
        own = weight.sum(axis=0)
        self._own = np.where(own > 0, own, 1.0)
        rows, alone = weight.sum(axis=1), can & (can.sum(axis=1) == 1)[:, None]
        # All in shares of a class's rows, so that a rare class is told as finely as the others.
        self._right = weight / self._own
        self._called = rows[:, None] / self._own
        self._most_right = np.where(can, self._right, 0).sum(axis=0).tolist()
        least = np.where(alone, self._called, 0).sum(axis=0).tolist()
        most = np.where(can, self._called, 0).sum(axis=0).tolist()
        self._breaks = [sorted({low, high}) for low, high in zip(least, most, strict=True)]

    def refine(self, decided: NDArray[np.intp]) -> bool:
        """Put breakpoints where these decisions are; tell whether there were none."""
        new = False
        for c, d in enumerate(self._objective.counted(decided)[1]):
            there, place = self._breaks[c], d / self._own[c]
            if self._objective.shares[c] and min(abs(place - known) for known in there) > _SAME:
                there.append(place)
                there.sort()
                new = True
        return new

    def add(self, builder: ModelBuilder, wins: Wins) -> Complete:
        """Add the F-scores to a model in which every pattern is decided once."""
        made = [
            self._add_class(builder, c, [(t, p) for t, p, label in wins if label == c])
            for c, share in enumerate(self._objective.shares)
            if share
        ]

        def complete(solution: Floats) -> None:
            for fill in made:
                fill(solution)

        return complete

    def _add_class(
        self, builder: ModelBuilder, c: int, columns: Sequence[tuple[int, int]]
    ) -> Complete:
        """Add the F-score of one class, given the variables that decide patterns as it."""
        share = float(self._objective.shares[c])
        right = builder.variable(0, self._most_right[c] + _SAME, integer=False)
        called = builder.variable(0, self._breaks[c][-1] + _SAME, integer=False)
        score = builder.variable(0, 1, integer=False, cost=share)
        for sum_of, each in ((right, self._right[:, c]), (called, self._called[:, c])):
            builder.row(
                [sum_of, *(t for t, _ in columns)],
                [1.0, *(-each[p] for _, p in columns)],
                low=-_SAME,
                high=_SAME,
            )
        pieces = self._add_pieces(builder, c, right, called, score)

        def fill(solution: Floats) -> None:
            chosen = [p for t, p in columns if solution[t] > 0.5]
            tp, d = self._right[chosen, c].sum(), self._called[chosen, c].sum()
            solution[right], solution[called] = tp, d
            solution[score] = min(1.0, (1 + self._square) * tp / (self._square + d))
            solution[next(z for z, _, high in pieces if d <= high + 2 * _SAME)] = 1.0

        return fill

    def _add_pieces(
        self, builder: ModelBuilder, c: int, right: int, called: int, score: int
    ) -> list[tuple[int, float, float]]:
        """Add one variable for every piece, and what the F-score is at most on it."""
        factor, there = 1 + self._square, self._breaks[c]
        ends = list(pairwise(there)) or [(there[0], there[0])]
        pieces = [(builder.variable(0, 1), low, high) for low, high in ends]
        ones = [z for z, _, _ in pieces]
        builder.row(ones, np.ones(len(ones)), low=1.0, high=1.0)
        builder.row([called, *ones], [1.0, *(-low for _, low, _ in pieces)], low=-_SAME)
        builder.row([called, *ones], [1.0, *(-high for _, _, high in pieces)], high=_SAME)
        for z, low, high in pieces:
            at_low, at_high = 1 / (self._square + low), 1 / (self._square + high)
            # Where the piece is not meant, the score is at most 1 all the same.
            builder.row([score, right, z], [1.0, -factor * at_low, 1.0], high=1.0 + _SAME)
            if high > low:
                most = min(self._most_right[c], high)
                fall = factor * most * (at_low - at_high) / (high - low)
                # score <= factor at_high right + fall (high - called), by the chord
                beyond = fall * (there[-1] + _SAME - high)
                builder.row(
                    [score, right, called, z],
                    [1.0, -factor * at_high, fall, 1.0 + beyond],
                    high=fall * high + 1.0 + beyond + _SAME,
                )
        return pieces


_SAME = 1e-9
"""Shares that differ by less are rounded alike; rows are relaxed by as much."""
