"""`Pseudocosts`: which member to split a node on, from what splits on it have brought."""

from __future__ import annotations

import numpy as np

from .problem import Floats, Places

_EAGER = 8
"""Power of the gain, as a share of the largest: those who want a seat most are split on first."""

_LEAST = 1e-6
"""Share of the way to the cut-off that every split counts for."""


class Pseudocosts:
    """How much the bound rose, on average, where a member was decided on.

    Parameters
    ----------
    n_members
        Size of the pool.
    """

    def __init__(self, n_members: int) -> None:
        self._sums, self._counts = np.zeros((2, n_members)), np.zeros((2, n_members))

    def note(self, member: int, sits: bool, rise: float) -> None:
        """Take notice of how far a bound rose when a member was put in, or out."""
        self._sums[int(sits), member] += max(rise, 0.0)
        self._counts[int(sits), member] += 1

    def scores(self, members: Places, gains: Floats, shares: Floats, distance: float) -> Floats:
        """Return how much is to be hoped for from a split on each of some members.

        The product of both rises, none of which counts for more than closes the node; a member that
        nobody has been split on counts as the average does. Whole seats are no choice to make, if
        there are others.

        Parameters
        ----------
        members, gains, shares
            Who is free, what each gains at the dual point, and x of the relaxation.
        distance
            From the bound to the cut-off; infinite where there is no incumbent.
        """
        tried = self._counts.sum(axis=1, keepdims=True)
        average = np.where(tried > 0, self._sums.sum(axis=1, keepdims=True) / tried.clip(1), 1.0)
        rises = np.where(self._counts > 0, self._sums / self._counts.clip(1), average)[:, members]
        if not np.isfinite(distance):
            distance = max(float(rises.max(initial=0.0)), 1e-300)
        down, up = rises.clip(_LEAST * distance, distance) / distance
        eager = gains.clip(0.0) / max(float(gains.max(initial=0.0)), 1e-300)
        split = (shares > 1e-6) & (shares < 1 - 1e-6)
        return np.asarray(np.where(split, 1 + down * up * eager**_EAGER, down * up))
