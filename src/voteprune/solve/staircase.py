"""`Staircase`: what is known about the best committee of every budget, found and proved.

The best value is a staircase: it rises where a budget has room for a better committee. Every
committee found is a step below it. Every bound proved for a budget holds for all smaller ones, for
whoever can be paid with less can be paid with more. What lies between the two is open.
"""

from __future__ import annotations

import operator
from bisect import bisect_left, insort
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True, slots=True)
class Step:
    """A committee that nothing found so far beats at the same cost or less."""

    cost: Fraction
    score: Any
    committee: Any


@dataclass(frozen=True, slots=True)
class Ceiling:
    """What no committee of at most this cost exceeds.

    Parameters
    ----------
    budget
        The cost.
    bound
        The score; None where no committee is allowed.
    proved
        What is proved, where the bound is the word of solvers.
    trusted
        These solvers.
    """

    budget: Fraction
    bound: Any
    proved: Any
    trusted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stretch:
    """The budgets from one step to the next, both ends among them.

    Parameters
    ----------
    low, high
        The budgets.
    step
        The best committee found for them; None before the first.
    ceiling
        What bounds them all; None where nothing is known.
    settled_to
        The largest of them up to which nothing is left to do; None if none is.
    """

    low: Fraction
    high: Fraction
    step: Step | None
    ceiling: Ceiling | None
    settled_to: Fraction | None

    @property
    def empty(self) -> bool:
        """Whether it is proved that no committee costs so little."""
        return self.step is None and self.ceiling is not None and self.ceiling.bound is None

    @property
    def settled(self) -> bool:
        """Whether nothing is left to do at any of these budgets."""
        return self.empty or self.settled_to == self.high


class Staircase:
    """Steps and ceilings of budgets between two limits.

    Parameters
    ----------
    floor
        What no committee costs less than.
    top
        The largest budget that is looked at.
    unit
        What divides all costs.
    near
        Tells whether a score is as good as a bound for all that is asked; equal when omitted.
    """

    def __init__(
        self,
        floor: Fraction,
        top: Fraction,
        unit: Fraction,
        near: Callable[[Any, Any], bool] = operator.ge,
    ) -> None:
        self.floor, self.top, self.unit, self._near = floor, top, unit, near
        self._steps: list[Step] = []
        self._ceilings: list[Ceiling] = []

    def offer(self, cost: Fraction, score: Any, committee: Any) -> bool:
        """Take a committee; tell whether nothing that costs as much or less is as good."""
        best = self.best(cost)
        if cost > self.top or (best is not None and best.score >= score):
            return False
        self._steps = [step for step in self._steps if step.cost < cost or step.score > score]
        insort(self._steps, Step(cost, score, committee), key=lambda step: step.cost)
        self._ceilings = [
            ceiling
            for known in self._ceilings
            if (ceiling := self._heeding(known, cost, score)) is not None
        ]
        return True

    def lower(self, ceiling: Ceiling) -> None:
        """Take a bound that holds for a budget, and so for all smaller ones."""
        self._ceilings.append(ceiling)

    def best(self, budget: Fraction) -> Step | None:
        """Return the best committee found for a budget."""
        place = bisect_left(self._steps, budget + self.unit, key=lambda step: step.cost)
        return self._steps[place - 1] if place else None

    def ceiling(self, budget: Fraction) -> Ceiling | None:
        """Return the lowest bound that holds for a budget; what is proved wins ties."""
        known = [ceiling for ceiling in self._ceilings if ceiling.budget >= budget]
        for ceiling in known:
            if ceiling.bound is None:
                return ceiling
        return min(known, key=lambda it: (it.bound, it.proved), default=None)

    def stretches(self) -> Iterator[Stretch]:
        """Yield all budgets, from one step to the next."""
        lows = [step.cost for step in self._steps]
        if not lows or lows[0] > self.floor:
            end = lows[0] - self.unit if lows else self.top
            if end >= self.floor:
                yield self._stretch(self.floor, end, None)
        for place, step in enumerate(self._steps):
            end = self.top if place + 1 == len(lows) else lows[place + 1] - self.unit
            yield self._stretch(step.cost, end, step)

    @staticmethod
    def _heeding(ceiling: Ceiling, cost: Fraction, score: Any) -> Ceiling | None:
        """Return what is left of a bound beside a committee that may refute it."""
        if cost > ceiling.budget or (ceiling.bound is not None and score <= ceiling.bound):
            return ceiling
        if ceiling.proved is None or score > ceiling.proved:
            return None
        return Ceiling(ceiling.budget, ceiling.proved, ceiling.proved)

    def _stretch(self, low: Fraction, high: Fraction, step: Step | None) -> Stretch:
        reached = [
            min(ceiling.budget, high)
            for ceiling in self._ceilings
            if ceiling.budget >= low and self._settles(ceiling, step)
        ]
        return Stretch(low, high, step, self.ceiling(high), max(reached, default=None))

    def _settles(self, ceiling: Ceiling, step: Step | None) -> bool:
        if ceiling.bound is None or step is None:
            return ceiling.bound is None
        return self._near(step.score, ceiling.bound)
