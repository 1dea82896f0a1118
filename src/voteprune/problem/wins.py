"""`Wins`: what it takes to decide patterns as the classes that earn something there.

A win is a pattern and a class that earns something on it. It takes a duel with every other class
that is named on the pattern: the votes for the class less those for the rival must be at least the
lead, 1 if the rival comes before the class and would win a tie, 0 if not. Members who vote for no
class need no case of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..numbers.exact import IntArray, total
from ..numbers.floats import Floats, objective_scale
from .plurality import PluralityProblem

Bools = NDArray[np.bool_]
Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Wins:
    """The wins of a problem and their duels, over the classifiers that are allowed.

    Parameters
    ----------
    units
        n: what each win earns, in units.
    weights
        The same as floats of a handy size.
    pattern
        n: the pattern it is on, in ascending order; a pattern is won once.
    kind
        n: the class, for what wins of one class earn has a common divisor.
    mine
        n x A: who votes for the class.
    win
        d: the win a duel belongs to, in ascending order.
    rival
        d: the class it is with.
    theirs
        d x A: who votes for the rival.
    lead
        d: votes by which the class must be ahead.
    required
        Columns that must sit.
    size_min, size_max
        Range of sizes.
    n_classes
        Number of classes.
    limits
        Costs of the columns and their limit, for each budget and group, exactly.
    costs
        The same as floats, in shares of the largest cost.
    """

    units: IntArray
    weights: Floats
    pattern: Places
    kind: Places
    mine: Bools
    win: Places
    rival: Places
    theirs: Bools
    lead: NDArray[np.int64]
    required: Places
    size_min: int
    size_max: int
    n_classes: int
    limits: tuple[tuple[tuple[int, ...], int], ...] = ()
    costs: tuple[tuple[Floats, float], ...] = ()

    @classmethod
    def of(cls, problem: PluralityProblem) -> tuple[Wins, float]:
        """Return the wins of a problem, and how many units make one of their weights."""
        allowed = list(problem.allowed)
        codes, classes = problem.codes[:, allowed], range(problem.n_classes)
        scale = objective_scale(problem.gain.ravel())
        named = np.stack([(codes == c).any(axis=1) for c in classes], axis=1)
        pattern, kind = np.nonzero((problem.gain > 0) & problem.can_win(problem.forbidden))
        rivals = named[pattern]
        # Where nobody names a class the first one wins, so it is a rival even if none names it.
        rivals[:, 0] |= (codes == problem.n_classes).any(axis=1)[pattern]
        rivals[np.arange(len(kind)), kind] = False
        win, rival = np.nonzero(rivals)
        units = problem.gain[pattern, kind]
        wins = cls(
            units=units,
            weights=units.astype(np.float64) / scale,
            pattern=pattern,
            kind=kind,
            mine=codes[pattern] == kind[:, None],
            win=win,
            rival=rival,
            theirs=codes[pattern[win]] == rival[:, None],
            lead=(rival < kind[win]).astype(np.int64),
            required=problem.required_places,
            size_min=problem.least_size,
            size_max=problem.most_size,
            n_classes=problem.n_classes,
            limits=tuple(
                (tuple(limit.costs[k] for k in allowed), limit.most)
                for limit in problem.cost_limits
            ),
            costs=tuple(limit.in_shares(allowed) for limit in problem.cost_limits),
        )
        return wins, scale

    @property
    def n_wins(self) -> int:
        """Number of wins."""
        return len(self.units)

    @property
    def n_classifiers(self) -> int:
        """Number of classifiers that are allowed."""
        return int(self.mine.shape[1])

    @cached_property
    def first(self) -> Places:
        """Where the duels of each win begin, and where the last ones end."""
        return np.searchsorted(self.win, np.arange(self.n_wins + 1))

    def won(self, members: Sequence[int]) -> Bools:
        """Tell which wins a committee of some columns has."""
        mine = self.mine[:, list(members)].sum(axis=1, dtype=np.int64)
        theirs = self.theirs[:, list(members)].sum(axis=1, dtype=np.int64)
        lost = mine[self.win] - theirs < self.lead
        return np.asarray(np.bincount(self.win[lost], minlength=self.n_wins) == 0)

    def score(self, members: Sequence[int]) -> int:
        """Count what a committee of some columns earns beyond the base, exactly."""
        return total(self.units[self.won(members)])

    def affords(self, members: Sequence[int]) -> bool:
        """Tell exactly whether some columns are within budgets and groups."""
        return all(sum(costs[k] for k in members) <= most for costs, most in self.limits)
