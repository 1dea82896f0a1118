"""`Pseudocosts`: which variable to branch on, by what branching on it has brought so far."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...numbers.floats import Floats
from .relaxation import fractions

_CANDIDATES = 6
"""Variables that are compared at a node. Only speed depends on it."""

_RELIABLE = 4
"""Times each side of a variable must have been seen before its pseudocosts are trusted without a
look ahead. Small, as usual in reliability branching: looking ahead costs two linear programs."""

_WHOLE = 1e-6
"""A variable nearer to 0 or 1 than this is integral: above the 1e-7 that HiGHS works to."""

_LEAST = 1e-3
"""The least fall a side counts with, so that a product of two falls is never 0."""

_FIRST_FALL = 0.3
"""The fall per unit that every variable starts with, as if it had been seen once: a guess, which
experience soon outweighs."""


class Pseudocosts:
    """The mean fall of the bound by variable and side, per unit that the variable was moved.

    Reliability branching: variables with little experience are tried out (strong branching).

    Parameters
    ----------
    n
        Number of variables.
    """

    def __init__(self, n: int) -> None:
        self._fall, self._times = np.full((2, n), _FIRST_FALL), np.ones((2, n))

    def learn(self, variable: int, value: int, at: float, fall: float, enough: float) -> None:
        """Note how far the bound fell on one side of a branching.

        Parameters
        ----------
        variable, value
            The variable that was branched on, and the side: 0 or 1.
        at
            Its value in the relaxation before.
        fall
            How far the bound has come down.
        enough
            How far it needed to come down; more is worth no more.
        """
        way = max(at if value == 0 else 1.0 - at, _WHOLE)
        self._fall[value, variable] += min(max(fall, 0.0), enough + 1.0) / way
        self._times[value, variable] += 1

    def choose(
        self,
        solution: Floats,
        bound: float,
        target: float,
        look: Callable[[int, int], float],
    ) -> int:
        """Return the variable with the largest product of the falls on both sides.

        Parameters
        ----------
        solution
            Values of the variables in the relaxation; only fractional ones are candidates.
        bound, target
            The bound now, and below which nothing needs to be known.
        look
            Returns the bound with a variable fixed at 0 or 1; costs a linear program.
        """
        n = len(solution)
        per = (self._fall / self._times)[:, :n]
        falls = np.maximum(per[0] * solution, _LEAST) * np.maximum(per[1] * (1 - solution), _LEAST)
        falls[fractions(solution) <= _WHOLE] = -1.0
        candidates = np.argsort(-falls, kind="stable")[:_CANDIDATES]
        best, best_score = int(candidates[0]), -1.0
        for variable in candidates[falls[candidates] > 0].tolist():
            score = float(falls[variable])
            if self._times[:, variable].min() <= _RELIABLE:
                seen = []
                for value in (0, 1):
                    fall = min(bound - look(variable, value), bound - target + 1.0)
                    seen.append(max(fall, _LEAST))
                    self.learn(variable, value, float(solution[variable]), fall, bound - target)
                score = seen[0] * seen[1]
            if score > best_score:
                best, best_score = variable, score
        return best
