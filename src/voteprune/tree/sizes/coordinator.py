"""`SizesDriver`: the rounds of branch and bound over all sizes and thresholds at once.

In each round the open nodes are dealt to the workers, who bound, fix variables and branch until the
round is over (`worker`). What they hand back is the whole state of the tree, so between rounds a
better incumbent can raise the target, and the proof can be put on file: a run that is killed loses
no more than the round it was in.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy as np

from ...bounds.cuts import Row
from ...bounds.levels import Levels, Region
from ...bounds.node import Node
from ...numbers.floats import Floats
from ...problem.problem import Problem
from ...run.incumbent import Incumbent
from ...run.run import Run
from ...solvers import OutOfTime, SolverFailure
from ..driver import Driver
from ..workers import share_out
from .proof import SizesProof, Step
from .task import Share, Task

WORKER = f"{__package__}.worker"
"""The module that worker processes run. By name, for only they may import it: it loads HiGHS, which
does not live with every other solver in one process."""

MOST_CLASSIFIERS = 300
"""Beyond this there are too many sizes and thresholds to bound one by one."""

_FIRST_ROUND, _LONGEST_ROUND = 1.0, 10.0
"""Seconds of the first and of the longest round; each is half as long again as the one before. What
nodes share (targets, useful rows) travels between rounds only."""

_CLOSE = 0.015
"""The largest distance of a bound from its target, as a share of all weight, at which a MIP solver
is asked about what is left. Only speed depends on it."""

_FEW_PATTERNS = 800
"""Patterns beyond which no MIP solver is asked about what is left. Only speed depends on it."""


_ANYTHING = -1e300
"""Target of a size of which no committee is known; finite, so that it can be subtracted."""


class SizesDriver(Driver):
    """A proof by sizes and thresholds that nothing beats the incumbent, or that of each size.

    Parameters
    ----------
    problem
        What is being solved.
    run
        Its circumstances; the incumbent holds a committee.
    incumbents
        The sizes that are open and the incumbent of each; the run's own for all when omitted.
    """

    def __init__(
        self, problem: Problem, run: Run, incumbents: Mapping[int, Incumbent] | None = None
    ) -> None:
        super().__init__(problem, run)
        self._levels, self._scale = Levels.of(problem)
        everything = Node.everything(self._levels, self._in_levels(run.incumbent.proved))
        self._alone = incumbents is None
        if incumbents is None:
            sizes = range(self._levels.size_min, self._levels.size_max + 1)
            incumbents = dict.fromkeys(sizes, run.incumbent)
        else:
            everything = everything.only(np.isin(everything.pairs[:, 0], list(incumbents)))
        self._incumbents = incumbents
        self._nodes: tuple[Node, ...] = (everything,)
        self._shares: list[Share] = []
        self._number, self._seconds = 0, _FIRST_ROUND
        self._conflicts: set[tuple[int, int]] = set()
        self.settled = False
        kept = self._on_file()
        if kept is not None and kept.nodes is not None:
            self._nodes = kept.nodes
            self._number = max((node.key for node in self._nodes), default=0)
        self._proof = None if run.record is None else SizesProof(self._levels, self._scale)
        if run.record is not None and self._proof is not None:
            run.record.append(self._proof)
        self._take_stock()

    @property
    def over(self) -> bool:
        """Whether nothing is open."""
        return not self._nodes

    @property
    def open_sizes(self) -> set[int]:
        """The sizes of which something is open."""
        return {int(size) for node in self._nodes for size in np.unique(node.pairs[:, 0])}

    def round(
        self, workers: int = 1, *, branch: bool, meanwhile: Callable[[], bool] | None = None
    ) -> bool:
        """Work for one round; tell if the workers can go on.

        Parameters
        ----------
        workers
            How many share the work; a proof that is written down has but one.
        branch
            Whether nodes may be branched; if not, `settled` says when there is nothing else to do.
        meanwhile
            Something to do here while they are busy, see `workers.share_out`.
        """
        run = self._run
        until = min(run.deadline, time.monotonic() + self._seconds)
        self._seconds = min(1.5 * self._seconds, _LONGEST_ROUND)
        tasks = [
            Task(
                self._levels, nodes, self._rows(worker), self._targets(), until, run.deadline,
                self._number, branch, run.record is not None, self._token,
            )
            for worker, nodes in enumerate(_deal(self._nodes, workers))
        ]  # fmt: skip
        try:
            self._shares = share_out(WORKER, tasks, self._report, meanwhile, run.end)
        except OutOfTime:
            return True  # nothing was lost
        except SolverFailure as failure:
            run.incumbent.incidents.append(str(failure))
            return False
        self._nodes = tuple(node for share in self._shares for node in share.nodes)
        self._number = max(share.next_number for share in self._shares)
        self.settled = all(share.settled for share in self._shares)
        for share in self._shares:
            self._conflicts |= share.conflicts
            if self._proof is not None:
                self._proof.steps += share.steps
            for members in share.members:
                self._offer(members)
        self._take_stock()
        self._keep(nodes=self._nodes)
        return True

    def region(self) -> Region | None:
        """Return the sizes and thresholds a solver had best be asked about, None if none."""
        if not self._nodes or self._levels.n_patterns > _FEW_PATTERNS:
            return None
        above = max(float(node.excess(self._targets()).max()) for node in self._nodes)
        if above > _CLOSE * float(self._levels.weights.sum()):
            return None
        pairs = np.concatenate([node.pairs for node in self._nodes])
        (size_min, level_min), (size_max, level_max) = pairs.min(axis=0), pairs.max(axis=0)
        used = np.flatnonzero(self._problem.gains.net != 0)
        conflicts = tuple(
            (int(used[i]), int(used[j]))
            for i, j in (
                pair if self._levels.positive[pair[0]] else pair[::-1]
                for pair in sorted(self._conflicts)
            )
        )
        return Region(int(size_min), int(size_max), int(level_min), int(level_max), conflicts)

    def _judge_of(self, size: int) -> Incumbent | None:
        return self._incumbents.get(size)

    def _report(self, bound: float, open_boxes: int, members: list[int]) -> None:
        incumbent = self._run.incumbent
        incumbent.open_boxes = open_boxes
        # First the committee: it may be the one of a node that the bound has left behind.
        self._offer(tuple(members))
        if open_boxes and self._alone:
            incumbent.tighten(self._in_units(bound))

    def _take_stock(self) -> None:
        """Prune what cannot beat the incumbent, and tell it the bound of the rest."""
        targets = self._targets()
        kept = []
        for node in self._nodes:
            open_pairs = node.excess(targets) >= -self._levels.room(node.bounds)
            if self._proof is not None and not open_pairs.all():
                self._number += 1
                leaving = node.only(~open_pairs).leaving()
                self._proof.steps.append(Step(self._number, node.key, closed=leaving))
            if open_pairs.any():
                kept.append(node.only(open_pairs))
        self._nodes = tuple(kept)
        self._run.incumbent.open_boxes = len(kept)
        if self._proof is not None:
            self._proof.nodes = self._nodes
        by_size = np.full(self._levels.size_max + 1, -np.inf)
        for node in kept:
            np.maximum.at(by_size, node.pairs[:, 0], node.bounds)
        highest: dict[Incumbent, float] = {}
        for size, incumbent in self._incumbents.items():
            highest[incumbent] = max(highest.get(incumbent, -np.inf), float(by_size[size]))
        for incumbent, bound in highest.items():
            if bound > -np.inf:
                incumbent.tighten(self._in_units(bound))
            else:
                incumbent.close()

    def _rows(self, worker: int) -> tuple[Row, ...]:
        return self._shares[worker % len(self._shares)].rows if self._shares else ()

    def _targets(self) -> Floats:
        """Return, by size, the least bound that leaves room for something better."""
        targets = np.full(self._levels.size_max + 1, _ANYTHING)
        for size, incumbent in self._incumbents.items():
            if incumbent.score is not None:
                targets[size] = self._in_levels(incumbent.score + self._problem.gains.step)
        return targets

    def _in_levels(self, units: int) -> float:
        return float(units / self._scale)

    def _in_units(self, bound: float) -> float:
        return float(self._scale * (bound + self._levels.room(bound)))


def _deal(nodes: tuple[Node, ...], workers: int) -> list[tuple[Node, ...]]:
    """Deal nodes out, the highest bounds to everybody in turn; split them where they are few."""
    if workers == 1:
        return [nodes]
    while len(nodes) < workers and max(len(node) for node in nodes) > 1:
        widest = max(nodes, key=len)
        # Prices mean most where L / S is the same, so those stay together.
        order = np.argsort((widest.pairs[:, 1] + 1) / widest.pairs[:, 0], kind="stable")
        low = np.zeros(len(widest), dtype=bool)
        low[order[: len(widest) // 2]] = True
        nodes = (
            *(node for node in nodes if node is not widest),
            widest.only(low),
            widest.only(~low),
        )
    ordered = sorted(nodes, key=lambda node: -float(node.bounds.max()))
    return [tuple(ordered[worker::workers]) for worker in range(min(workers, len(ordered)))]
