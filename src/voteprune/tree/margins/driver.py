"""`MarginsDriver`: linear programs at the sizes with the highest bounds, dealt to workers.

The dual prices of each bound all other sizes, too (`bounds.margin_prices`), so what one worker
finds helps the others from the next round on. What the programs leave open goes to a solver, size
by size (`strategies.exact_margin`), and the state of that can be put on file here as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...bounds.margin_prices import Sizes
from ...problem.margin import margin_of
from ...problem.problem import Problem
from ...run.run import Run
from .. import checkpoint
from ..checkpoint import SizeBounds
from ..driver import Driver
from .task import WORKER, Result, Task

_FIRST_ROUND, _LONGEST_ROUND = 1.0, 10.0
"""Seconds of the first and of the longest round; as for the tree by sizes and thresholds."""

_SAFETY = 1e-7
"""Relative room left for rounding when floating-point bounds are read."""


class MarginsDriver(Driver):
    """A proof by dual prices, size by size, that nothing beats the incumbent."""

    worker = WORKER

    def __init__(self, problem: Problem, run: Run, until: float) -> None:
        super().__init__(problem, run, _FIRST_ROUND, _LONGEST_ROUND)
        self._until = until
        self._sizes, self._scale = Sizes.of(problem)
        self._listed = list(self._sizes.all())
        self._largest = float(self._sizes.weights.max(initial=1.0))
        kept = checkpoint.resumed(problem, run)
        self.kept: SizeBounds | None = None if kept is None else kept.sizes
        known = {} if self.kept is None else self.kept.proved
        proved = run.incumbent.proved
        self._known = [min(proved, known.get(size, proved)) for size in self._listed]
        priced = () if self.kept is None else self.kept.priced
        self._bounds = np.array([float(bound / self._scale) for bound in self._known])
        self._open = np.array([size not in priced for size in self._listed], dtype=bool)
        self._dealt, self._bounded = np.zeros(len(self._open), dtype=bool), False
        self._take_stock()

    @property
    def over(self) -> bool:
        """Whether no size is left that needs a program of its own and has had none."""
        return not bool((self._open & (self._bounds >= self._target())).any())

    @property
    def bounds(self) -> dict[int, int]:
        """What no committee of a size exceeds, in units; a size has its own grid of values."""
        proved = self._run.incumbent.proved
        if not self._bounded:
            return dict(
                zip(self._listed, (min(proved, known) for known in self._known), strict=True)
            )
        return {
            size: min(proved, known, at_size(self._problem, size).gains.floor_to_step(above))
            for size, known, above in zip(
                self._listed, self._known, map(self._in_units, self._bounds), strict=True
            )
        }

    def keep(self, state: SizeBounds) -> None:
        """Put on file what a solver has said, too."""
        self.kept = state
        self._keep()

    def _tasks(self, workers: int, deadline: float) -> list[Task]:
        worth = np.flatnonzero(self._open & (self._bounds >= self._target()))
        order = worth[np.argsort(-self._bounds[worth], kind="stable")]
        tasks = []
        self._dealt = np.zeros(len(self._open), dtype=bool)
        self._dealt[worth] = True
        for worker in range(min(workers, len(order))):
            mine = np.zeros(len(self._open), dtype=bool)
            mine[order[worker::workers]] = True
            tasks.append(
                Task(self._sizes, self._bounds, mine, self._target(), deadline, self._until)
            )
        return tasks

    def _take(self, results: Sequence[Result]) -> None:
        self._open &= ~self._dealt
        self._bounded = True
        for result in results:
            self._bounds = np.minimum(self._bounds, result.bounds)
            self._open |= result.open
            for members in result.members:
                self._offer(members)

    def _take_stock(self) -> None:
        if len(self._bounds):
            self._run.incumbent.tighten(self._in_units(float(self._bounds.max())))

    def _report(self, bound: float, members: list[int]) -> None:
        self._run.incumbent.tighten(self._in_units(bound))
        self._offer(tuple(members))

    def _save(self, file: Path) -> None:
        closed = zip(self._listed, self._open, strict=True)
        priced = tuple(size for size, unpriced in closed if not unpriced)
        state = replace(self.kept or SizeBounds(), proved=self.bounds, priced=priced)
        kept = checkpoint.Kept(self._run.incumbent.committee, sizes=state)
        checkpoint.save_proof(file, self._problem, kept)

    def _target(self) -> float:
        """Return the least bound that leaves room for something better."""
        score = self._run.incumbent.score
        return -np.inf if score is None else float((score + 1) / self._scale)

    def _in_units(self, bound: float) -> float:
        return self._scale * (bound + _SAFETY * max(self._largest, abs(bound)))


def at_size(problem: Problem, size: int) -> Problem:
    """Return the problem at one size, where values have a coarser grid than over all sizes."""
    patterns = problem.patterns
    step = int(np.gcd.reduce(np.concatenate([patterns.positive, patterns.negative])))
    objective = margin_of(problem)
    step *= int(np.gcd.reduce(objective.margin.worth(size).ravel()))
    gains = replace(problem.gains, step=max(step * objective.factor(size), 1))
    here = replace(objective, gains=gains)
    return replace(problem, size_min=size, size_max=size, objective=here)
