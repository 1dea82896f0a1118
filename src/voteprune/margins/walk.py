"""Local search for margins: the walks of `search`, with the worth of all rows in view.

A margin is a sum over patterns of a function of the vote count alone, so the worth of all joins and
departures takes one matrix product each at the neighbouring sizes. In a swap a count moves by one,
and up and down cancel wherever the function is straight: only the patterns at its kinks need the
product over pairs.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..committee import majority
from ..formulation.model import Floats
from ..ledger import Ledger
from ..openings import open_run
from ..run import Outcome, Run
from ..search import search
from ..walking import Walker
from .problem import MarginProblem

_WALKS = 2
"""Walks per classifier without a better committee after which a search alone ends."""


def search_margin(problem: MarginProblem, run: Run) -> Outcome:
    """Search alone, until nothing better has turned up for a good while."""
    if open_run(problem, run) is None and problem.allowed:
        walker = MarginWalker(problem, run.ledger, run.seed)
        search(walker, run.ledger, run.deadline, _WALKS * problem.n_classifiers)
    return Outcome("finished" if run.seconds_left > 0 else "time limit")


class MarginWalker(Walker):
    """Walks through committees that decide by majority, by their margins.

    Parameters
    ----------
    problem, ledger, seed
        As for `Walker`.
    """

    def __init__(self, problem: MarginProblem, ledger: Ledger, seed: int) -> None:
        super().__init__(problem, ledger, seed)
        self._matrix = self._votes.astype(np.float64)
        self._weights = np.stack(
            [problem.patterns.positive.astype(float), problem.patterns.negative.astype(float)]
        )
        self._base = float(problem.gains.base)
        # Differences below the worth of half a vote on one row are not worth telling apart.
        self._noise = 0.1 * float(problem.factor(problem.n_classifiers))

        @cache
        def worth(size: int) -> Floats:
            steps = problem.margin.worth(size).astype(float) * float(problem.factor(size))
            # Two more entries at each end: no pattern goes there, but sums over all look there.
            return np.pad(steps, ((0, 0), (2, 2)), mode="edge")

        self._worth = worth

    def _best_level(self, counts: NDArray[np.int32], size: int) -> tuple[int, float]:
        """Return the majority and the value there, limits on criteria priced in."""
        level = majority(size)
        value = float(self._each(counts, size, ()).sum()) - self._base
        for net, least, price in self._limits:
            value -= price * max(0.0, least - float(net[counts > level].sum()))
        return level, value

    def _level_ahead(self, counts: NDArray[np.int32], size: int, level: int, *, stuck: bool) -> int:
        """Return the majority: margins are fine enough for a walk not to get stuck on."""
        return level

    def _all_moves(
        self, chosen: NDArray[np.bool_], counts: NDArray[np.int32], level: int
    ) -> tuple[Floats, NDArray[np.intp], NDArray[np.intp]]:
        """Return the gain of every move, with who leaves and who joins."""
        size = int(chosen.sum())
        broken = tuple(
            price * net
            for net, least, price in self._limits
            if float(net[counts > level].sum()) < least
        )
        inside, outside = np.flatnonzero(chosen & ~self._fixed), np.flatnonzero(~chosen)
        here = self._each(counts, size, broken)
        rise = self._each(counts + 1, size, broken) - here
        fall = self._each(counts - 1, size, broken) - here
        bend = rise + fall
        kinks = np.flatnonzero(np.abs(bend) > 1e-9 * np.abs(rise))
        at_kinks = self._matrix[kinks]
        both = (at_kinks[:, inside] * bend[kinks, None]).T @ at_kinks[:, outside]
        swap = (rise @ self._matrix)[outside][None, :] + (fall @ self._matrix)[inside][:, None]
        swap -= both
        parts = [(swap.ravel(), np.repeat(inside, len(outside)), np.tile(outside, len(inside)))]
        for change, who in ((1, outside), (-1, inside)):
            if self._problem.size_min <= size + change <= self._problem.size_max:
                as_is = self._each(counts, size + change, broken)
                moved = self._each(counts + change, size + change, broken)
                gains = as_is.sum() - here.sum() + ((moved - as_is) @ self._matrix)[who]
                nobody = np.full(len(who), -1, dtype=np.intp)
                parts.append((gains, nobody, who) if change > 0 else (gains, who, nobody))
        gains, leaves, joins = (np.concatenate(part) for part in zip(*parts, strict=True))
        return gains, leaves, joins

    def _each(self, counts: NDArray[np.int32], size: int, broken: tuple[Floats, ...]) -> Floats:
        """Return what every pattern is worth with these counts, with the broken limits' prices."""
        places = counts + 2
        worth = self._worth(size)
        each = self._weights[0] * worth[0][places] + self._weights[1] * worth[1][places]
        for priced in broken:
            each = each + priced * (counts > majority(size))
        return np.asarray(each)
