"""`Splits`: where to split, by what splitting has brought so far."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...numbers.floats import Floats
from .relaxation import fractions

_CANDIDATES = 6
_RELIABLE = 4
"""How many places are compared, and how often one must have been tried to go by experience."""

_WHOLE = 1e-6
_LEAST = 1e-3


class Splits:
    """How far the bound has come down at each place and on each side, by how much was decided.

    Parameters
    ----------
    n
        Number of places.
    """

    def __init__(self, n: int) -> None:
        self._fall, self._times = np.full((2, n), 0.3), np.ones((2, n))

    def learn(self, place: int, value: int, at: float, fall: float, enough: float) -> None:
        """Note what one side of a split has brought.

        Parameters
        ----------
        place, value
            What was decided.
        at
            Where the variable was before.
        fall
            How far the bound has come down.
        enough
            How far it needed to come down; more is worth no more.
        """
        way = max(at if value == 0 else 1.0 - at, _WHOLE)
        self._fall[value, place] += min(max(fall, 0.0), enough + 1.0) / way
        self._times[value, place] += 1

    def choose(
        self,
        solution: Floats,
        bound: float,
        target: float,
        look: Callable[[int, int], float],
    ) -> int:
        """Return the place at which both halves are likely to come down most.

        Parameters
        ----------
        solution
            Where the variables are; only those between 0 and 1 are candidates.
        bound, target
            The bound now, and below which nothing needs to be known.
        look
            Tells the bound with a place decided one way, at a price.
        """
        n = len(solution)
        per = (self._fall / self._times)[:, :n]
        falls = np.maximum(per[0] * solution, _LEAST) * np.maximum(per[1] * (1 - solution), _LEAST)
        falls[fractions(solution) <= _WHOLE] = -1.0
        candidates = np.argsort(-falls, kind="stable")[:_CANDIDATES]
        best, best_score = int(candidates[0]), -1.0
        for place in candidates[falls[candidates] > 0].tolist():
            score = float(falls[place])
            if self._times[:, place].min() <= _RELIABLE:
                seen = []
                for value in (0, 1):
                    fall = min(bound - look(place, value), bound - target + 1.0)
                    seen.append(max(fall, _LEAST))
                    self.learn(place, value, float(solution[place]), fall, bound - target)
                score = seen[0] * seen[1]
            if score > best_score:
                best, best_score = place, score
        return best
