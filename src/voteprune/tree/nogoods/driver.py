"""`NogoodsDriver`: branch and cut over the decisions on patterns, with nogoods.

For problems with few patterns and a closure bound not far above the incumbent. The other tree,
`tree.sizes`, bounds every size and threshold; this one knows neither, see `nogood`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ...bounds.node import FREE
from ...problem.problem import Problem
from ...run.run import Run
from .. import checkpoint
from ..background import SEARCH_SHARE
from ..driver import Driver
from .nogood import Case, Nogood
from .task import WORKER, Node, NogoodsProof, Result, Task

_MOST_PATTERNS = 800
"""Patterns beyond which nogoods are not tried, for the tree branches on patterns."""

CLOSE = 0.10
"""The largest gap, as a share of all weight, at which nogoods are tried."""

_WRITTEN = 0.6
"""Part of it for a proof that is written down, which says nothing until it is whole."""

_HOPELESS = 0.05
"""The largest gap, as a share of all weight, at which they go on after a good part of the time."""

_MOST_LOOKS = 300
"""Committees looked at without success after which this is mere enumeration, and given up."""

_FIRST_ROUND, _LONGEST_ROUND = 0.1, 3.0
"""Seconds of the first and of the longest round: short at first, for the incumbent improves most
then; each is half as long again as the one before."""

_YOUNG = 3.0
"""Seconds after the beginning of a run until which search and proof matter alike."""


class NogoodsDriver(Driver):
    """A proof by nogoods that nothing beats the incumbent.

    Parameters
    ----------
    problem
        What is being solved.
    run
        Its circumstances; the incumbent holds a committee.
    """

    worker = WORKER

    def __init__(self, problem: Problem, run: Run) -> None:
        super().__init__(problem, run, _FIRST_ROUND, _LONGEST_ROUND)
        self._case, self._scale = Case.of(problem)
        undecided = np.full(self._case.n_patterns + self._case.n_classifiers, FREE, dtype=np.int8)
        self._nodes: tuple[Node, ...] = (Node(run.incumbent.proved / self._scale, undecided),)
        self._nogoods: dict[object, Nogood] = {}
        self._number = 0
        # A proof that is written down is handed in whole: until then its bounds are not used.
        self._written = None if run.record is None else NogoodsProof(self._case, self._scale)
        kept = checkpoint.resumed(problem, run)
        if kept is not None and kept.nogood_nodes is not None:
            self._nodes = kept.nogood_nodes
        self._take_stock()

    @staticmethod
    def promises(problem: Problem, run: Run) -> bool:
        """Tell whether nogoods are worth a try."""
        if run.incumbent.score is None or int((problem.gains.net != 0).sum()) > _MOST_PATTERNS:
            return False
        kept = checkpoint.on_file(problem, run)
        if kept is not None and kept.nodes is not None:
            return False  # has been tried
        return _between(problem, run) <= CLOSE * (1.0 if run.record is None else _WRITTEN)

    def hopeless(self, *, late: bool) -> bool:
        """Tell whether time is better spent otherwise.

        Parameters
        ----------
        late
            Whether a good part of the time is over: then the bound must have come near.
        """
        tried = len(self._seen) > _MOST_LOOKS
        return tried or (late and _between(self._problem, self._run) > _HOPELESS)

    @property
    def over(self) -> bool:
        """Whether nothing is open."""
        return not self._nodes

    @property
    def search_share(self) -> float:
        """How long local search has between two rounds, as a share of a round."""
        return 1.0 if self._run.incumbent.seconds < _YOUNG else SEARCH_SHARE

    def _tasks(self, workers: int, deadline: float) -> list[Task]:
        # A single worker remembers what it has found; several tell each other.
        known = tuple(self._nogoods.values()) if workers > 1 else ()
        return [
            Task(
                self._case, self._nodes[worker::workers], known, self._target(), deadline,
                self._run.deadline, frozenset(self._seen), self._token, self._number,
                self._written is not None,
            )
            for worker in range(min(workers, len(self._nodes)))
        ]  # fmt: skip

    def _take(self, results: Sequence[Result]) -> None:
        for result in results:
            for members in result.members:
                self._offer(members)
        self._nodes = tuple(node for result in results for node in result.nodes)
        for result in results:
            self._number = max(self._number, result.next_number)
            if self._written is not None:
                self._written.steps += result.steps
            self._nogoods |= {nogood.key: nogood for nogood in result.nogoods}

    def _save(self, file: Path) -> None:
        kept = checkpoint.Kept(self._run.incumbent.committee, nogood_nodes=self._nodes)
        checkpoint.save_proof(file, self._problem, kept)

    def _report(self, bound: float, open_nodes: int) -> None:
        incumbent = self._run.incumbent
        incumbent.open_boxes = open_nodes
        if open_nodes and self._written is None:
            incumbent.tighten(self._in_units(bound))

    def _take_stock(self) -> None:
        incumbent, target = self._run.incumbent, self._target()
        if self._written is None:
            left = (
                node for node in self._nodes if node.bound >= target - self._case.room(node.bound)
            )
            self._nodes = tuple(sorted(left, key=lambda node: -node.bound))
        incumbent.open_boxes = len(self._nodes)
        if self._nodes:
            if self._written is None:
                incumbent.tighten(self._in_units(self._nodes[0].bound))
        else:
            # The proof first: Ctrl-C may come between, and what is closed has one.
            if self._run.record is not None and self._written is not None:
                self._run.record.append(self._written)
            incumbent.close()

    def _target(self) -> float:
        """Return the least bound that leaves room for something better."""
        units = self._run.incumbent.score
        assert units is not None
        return float((units + self._problem.gains.step) / self._scale)

    def _in_units(self, bound: float) -> float:
        return float(self._scale * (bound + self._case.room(bound)))


def _between(problem: Problem, run: Run) -> float:
    """Return how much is between the best committee and the bound, as a share of all weight."""
    score = run.incumbent.score
    assert score is not None
    between = run.incumbent.proved - score
    return float(between) / float(sum(abs(int(gain)) for gain in problem.gains.net))
