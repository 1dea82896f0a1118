"""`Starts`: where walks begin.

Between two of the best committees so far, near one of them, or at random. Good ones have much in
common: what two of them share is kept, and where they differ chance takes from both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..numbers.floats import Floats
from ..problem.problem import Problem
from ..run.incumbent import Incumbent
from .guards import Flags, Groups

_LARGEST = 40
"""Size of the largest committee that is drawn at random."""

_TRIES = 40
"""How many committees are drawn where limits on members forbid some."""


@dataclass(frozen=True)
class Habits:
    """How starts are drawn.

    Parameters
    ----------
    kept
        How many of the best committees are kept.
    near, between
        Share of the walks that begin near one of them, and between two of them.
    distinct
        Whether no committee is kept twice.
    """

    kept: int
    near: float
    between: float
    distinct: bool


class Starts:
    """Draws committees to walk from, and learns from those that walks have come to.

    Parameters
    ----------
    problem
        What is being solved.
    incumbent
        Where the best committee is.
    own
        What each classifier that is not forbidden gains alone.
    habits
        How to draw them.
    random
        Source of all choices.
    """

    def __init__(
        self,
        problem: Problem,
        incumbent: Incumbent,
        own: Floats,
        habits: Habits,
        random: np.random.Generator,
    ) -> None:
        self._problem, self._incumbent, self._random = problem, incumbent, random
        self._habits = habits
        self._columns = np.array(problem.allowed, dtype=np.intp)
        self._fixed = np.isin(self._columns, problem.required)
        self._groups = Groups(problem)
        weight = own - own.min()
        weight = weight + 0.1 * weight.max() + 1e-9
        self._chances = weight / weight.sum()
        self._elite: list[tuple[float, Flags]] = []
        self.guarded = (
            bool(problem.cost_limits) or problem.diversity is not None or problem.must_cover
        )
        """Whether there are limits that need the exact check of a set of members."""
        self.stale = 0
        """Walks that have ended since the last that came to something better than all kept."""

    def remember(self, value: float, chosen: Flags) -> None:
        """Learn what a walk has come to."""
        best = max((known for known, _ in self._elite), default=-np.inf)
        self.stale = 0 if value > best else self.stale + 1
        if self._habits.distinct and any(
            value == known and (chosen == there).all() for known, there in self._elite
        ):
            return
        self._elite.append((value, chosen.copy()))
        if len(self._elite) > self._habits.kept:
            self._elite.remove(min(self._elite, key=lambda kept: kept[0]))

    def forget(self) -> None:
        """Begin anew: what was learnt leads to one place only."""
        self._elite.clear()
        self.stale = 0

    def draw(self) -> Flags:
        """Return a committee to walk from, one that limits on members allow if one is found."""
        for _ in range(_TRIES):
            chosen = self._fit_size(self._any() | self._fixed)
            if self._groups:
                chosen = self._groups.fit(chosen, self._random.random(len(chosen)))
            if not self.guarded or self.allowed(chosen):
                return chosen
        known = self._incumbent.committee
        return chosen if known is None else np.isin(self._columns, known.members)

    def allowed(self, chosen: Flags) -> bool:
        """Tell exactly whether limits on members allow a committee."""
        return self._problem.allows_members(self._columns[chosen].tolist())

    def _any(self) -> Flags:
        """Return a committee of any size."""
        random, k = self._random, len(self._columns)
        if self._elite:
            choice = random.random()
            if choice < self._habits.near:
                return self._disturbed(self._some(1)[0], int(random.integers(2, 7)))
            if choice < self._habits.near + self._habits.between and len(self._elite) > 1:
                one, other = self._some(2)
                crossed = np.where(random.random(k) < 0.5, one, other)
                return self._disturbed(crossed, int(random.integers(1, 3)))
        # Skewed towards small committees of classifiers that are good alone.
        size = int(random.integers(1, min(k, _LARGEST) + 1))
        chosen = np.zeros(k, dtype=bool)
        chosen[random.choice(k, size, replace=False, p=self._chances)] = True
        return chosen

    def _some(self, count: int) -> list[Flags]:
        """Return some of the best committees."""
        if count == 1:
            return [self._elite[int(self._random.integers(len(self._elite)))][1]]
        places = self._random.choice(len(self._elite), count, replace=False)
        return [self._elite[place][1] for place in places]

    def _disturbed(self, chosen: Flags, changes: int) -> Flags:
        """Return a committee with some classifiers sitting that did not, or the other way round."""
        chosen = chosen.copy()
        for place in self._random.integers(0, len(chosen), changes):
            chosen[place] = not chosen[place]
        return chosen

    def _fit_size(self, chosen: Flags) -> Flags:
        low, high = self._problem.size_min, self._problem.size_max
        size = int(chosen.sum())
        if size > high:
            removable = np.flatnonzero(chosen & ~self._fixed)
            count = min(size - high, len(removable))
            chosen[self._random.choice(removable, count, replace=False)] = False
        elif size < low:
            addable = np.flatnonzero(~chosen)
            count = min(low - size, len(addable))
            chosen[self._random.choice(addable, count, replace=False)] = True
        return chosen
