"""`PluralityDriver`: branch and bound with more than two classes.

To begin with there is a node for every size. In each round the open nodes are dealt to workers, who
bound, try out and branch (`worker`).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import compress
from pathlib import Path

import numpy as np

from ...bounds.levels import room
from ...problem.plurality import PluralityProblem
from ...problem.wins import Wins
from ...run.run import Run
from ..driver import Driver
from .checkpoint import Kept, resumed, save_proof
from .task import FREE, WORKER, Node, PluralityProof, Result, Step, Task

_FIRST_ROUND, _LONGEST_ROUND = 1.0, 10.0
"""Seconds of the first and of the longest round."""

_SEARCH_SHARE = 0.1
"""How long local search has between rounds, which finds little that trying would not."""


class PluralityDriver(Driver):
    """A proof by sizes that nothing beats the incumbent, or that nothing is allowed.

    Parameters
    ----------
    problem
        What is being solved, without limits on coverage or on classes.
    run
        Its circumstances; the incumbent need not hold a committee.
    """

    worker = WORKER

    def __init__(self, problem: PluralityProblem, run: Run) -> None:
        super().__init__(problem, run, _FIRST_ROUND, _LONGEST_ROUND)
        self._wins, self._scale = Wins.of(problem)
        kept = resumed(problem, run)
        self._nodes = self._everything() if kept is None else kept.nodes
        self._number = len(self._nodes)
        self._proof: PluralityProof | None = None
        if run.record is not None:
            roots = tuple((node.size, node.key) for node in self._nodes)
            self._proof = PluralityProof(self._wins, self._scale, roots, nodes=self._nodes)
            run.record.append(self._proof)
        self._take_stock()

    def _everything(self) -> tuple[Node, ...]:
        """Return a node for every size."""
        decided = np.full(self._wins.n_classifiers, FREE, dtype=np.int8)
        decided[self._wins.required] = 1
        bound = float((self._run.incumbent.proved - self._problem.gains.base) / self._scale)
        bound += float(room(self._wins.weights, bound))
        sizes = range(self._wins.size_min, self._wins.size_max + 1)
        return tuple(Node(size, bound, decided, key=key) for key, size in enumerate(sizes))

    @property
    def over(self) -> bool:
        """Whether nothing is open."""
        return not self._nodes

    @property
    def search_share(self) -> float:
        """How long local search has between two rounds, as a share of a round."""
        return _SEARCH_SHARE

    def _tasks(self, workers: int, deadline: float) -> list[Task]:
        ordered = sorted(self._nodes, key=lambda node: -node.bound)
        latest, target = self._run.deadline, self._target()
        return [
            # Dealt in turn, the highest bounds first.
            Task(self._wins, self._scale, tuple(ordered[worker::workers]), target, deadline, latest,
                 self._token, self._proof is not None, self._number)
            for worker in range(min(workers, len(ordered)))
        ]  # fmt: skip

    def _take(self, results: Sequence[Result]) -> None:
        for result in results:
            for members in result.members:
                self._offer(members)
        self._nodes = tuple(node for result in results for node in result.nodes)
        self._number = max(result.next_number for result in results)
        if self._proof is not None:
            steps = [step for result in results for step in result.steps]
            prices = dict(pair for result in results for pair in result.prices.items())
            self._proof.go_on(steps, prices, self._nodes)

    def _save(self, file: Path) -> None:
        save_proof(file, self._problem, Kept(self._run.incumbent.members, self._nodes))

    def _report(self, bound: float, open_boxes: int, members: list[int]) -> None:
        incumbent = self._run.incumbent
        incumbent.open_boxes = open_boxes
        # The committee first: the bound may already leave out the node that holds it.
        self._offer(tuple(sorted(members)))
        # A bound whose steps are not recorded yet is not taken: if the worker fails, they are lost.
        if open_boxes and self._proof is None:
            incumbent.tighten(self._in_units(bound))

    def _take_stock(self) -> None:
        incumbent, target = self._run.incumbent, self._target() / self._scale
        stays = [node.bound >= target and not node.empty for node in self._nodes]
        gone = [node for node, stay in zip(self._nodes, stays, strict=True) if not stay]
        self._nodes = tuple(compress(self._nodes, stays))
        if self._proof is not None:
            closed = [Step(node.key, node.by) for node in gone]
            self._proof.go_on(closed, {}, self._nodes)
        incumbent.open_boxes = len(self._nodes)
        if self._nodes:
            incumbent.tighten(self._in_units(max(node.bound for node in self._nodes)))
        else:
            incumbent.close()

    def _target(self) -> int:
        """Return what it takes, beyond the base, to be better than the incumbent."""
        score, gains = self._run.incumbent.score, self._problem.gains
        return 0 if score is None else int(score + gains.step - gains.base)

    def _in_units(self, bound: float) -> Fraction:
        # The base may be larger than a float can tell from its neighbours.
        return Fraction(self._problem.gains.base) + Fraction(self._scale) * Fraction(bound)
