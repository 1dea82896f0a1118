"""`SizesDriver`: branch and bound over all sizes and thresholds at once.

In each round the open nodes are dealt to workers, who bound, fix variables and branch (`worker`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ...bounds.levels import Levels, Region
from ...bounds.node import Node
from ...bounds.relaxation_rows import Row
from ...numbers.floats import Floats
from ...problem.problem import Problem
from ...run.incumbent import Incumbent
from ...run.run import Run
from .. import checkpoint
from ..driver import Driver
from .task import WORKER, Result, SizesProof, Step, Task

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

    Nodes are branched once `branch` is set; until then `settled` says when there is nothing else to
    do.

    Parameters
    ----------
    problem
        What is being solved.
    run
        Its circumstances; the incumbent holds a committee.
    incumbents
        The sizes that are open and the incumbent of each; the run's own for all when omitted.
    """

    worker = WORKER

    def __init__(
        self, problem: Problem, run: Run, incumbents: Mapping[int, Incumbent] | None = None
    ) -> None:
        super().__init__(problem, run, _FIRST_ROUND, _LONGEST_ROUND)
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
        self._results: list[Result] = []
        self._number = 0
        self._conflicts: set[tuple[int, int]] = set()
        self.settled = self.branch = False
        kept = checkpoint.resumed(problem, run)
        if kept is not None and kept.nodes is not None:
            self._nodes = kept.nodes
            self._number = max((node.key for node in self._nodes), default=0)
        self._proof: SizesProof | None = None
        if run.record is not None:
            self._proof = SizesProof(self._levels, self._scale, nodes=self._nodes)
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

    def _tasks(self, workers: int, deadline: float) -> list[Task]:
        run = self._run
        return [
            Task(
                self._levels, nodes, self._rows(worker), self._targets(), deadline, run.deadline,
                self._number, self.branch, run.record is not None, self._token,
            )
            for worker, nodes in enumerate(_spread(self._nodes, workers))
        ]  # fmt: skip

    def _take(self, results: Sequence[Result]) -> None:
        # The committees first: what is open now leaves out the nodes that held them, and Ctrl-C
        # may come between.
        for result in results:
            for members in result.members:
                self._offer(members)
        self._results = list(results)
        self._nodes = tuple(node for result in results for node in result.nodes)
        self._number = max(result.next_number for result in results)
        self.settled = all(result.settled for result in results)
        for result in results:
            self._conflicts |= result.conflicts
        if self._proof is not None:
            self._proof.go_on([step for result in results for step in result.steps], self._nodes)

    def _save(self, file: Path) -> None:
        kept = checkpoint.Kept(self._run.incumbent.committee, nodes=self._nodes)
        checkpoint.save_proof(file, self._problem, kept)

    def region(self) -> Region | None:
        """Return the sizes and thresholds to ask a MIP solver about; None to ask none."""
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
        # The committee first: the bound may already leave out the node that holds it.
        self._offer(tuple(members))
        # A bound whose steps are not recorded yet is not taken: if the worker fails, they are lost.
        if open_boxes and self._alone and self._proof is None:
            incumbent.tighten(self._in_units(bound))

    def _take_stock(self) -> None:
        targets = self._targets()
        kept, steps = [], []
        for node in self._nodes:
            open_pairs = node.excess(targets) >= -self._levels.room(node.bounds)
            if self._proof is not None and not open_pairs.all():
                self._number += 1
                leaving = node.only(~open_pairs).leaving()
                steps.append(Step(self._number, node.key, closed=leaving))
            if open_pairs.any():
                kept.append(node.only(open_pairs))
        self._nodes = tuple(kept)
        self._run.incumbent.open_boxes = len(kept)
        if self._proof is not None:
            self._proof.go_on(steps, self._nodes)
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
        return self._results[worker % len(self._results)].rows if self._results else ()

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


def _spread(nodes: tuple[Node, ...], workers: int) -> list[tuple[Node, ...]]:
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
