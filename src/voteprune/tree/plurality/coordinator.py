"""`PluralityDriver`: the rounds of branch and bound with more than two classes.

To begin with there is a node for every size. In each round the open nodes are dealt to the workers,
who bound, try out and branch until the round is over (`worker`). What they hand back is the whole
state of the tree: a run that is killed loses no more than the round it was in.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable

import numpy as np

from ...bounds.levels import room
from ...problem.plurality import PluralityProblem
from ...problem.wins import Wins
from ...run.run import Run
from ...solvers import OutOfTime, SolverFailure
from ..workers import share_out
from .checkpoint import PluralityCheckpoint
from .task import FREE, Node, Share, Task

WORKER = f"{__package__}.worker"
"""The module that worker processes run. By name, for only they may import it: it loads HiGHS, which
does not live with every other solver in one process."""

_FIRST_ROUND, _LONGEST_ROUND = 1.0, 10.0
"""Seconds of the first and of the longest round; each is half as long again as the one before."""


class PluralityDriver:
    """A proof in rounds that nothing beats the incumbent, or that nothing is allowed.

    Parameters
    ----------
    problem
        What is being solved.
    run
        Its circumstances; the incumbent need not hold a committee.
    """

    def __init__(self, problem: PluralityProblem, run: Run) -> None:
        self._problem, self._run = problem, run
        self._wins, self._scale = Wins.of(problem)
        self._seconds, self._token = _FIRST_ROUND, uuid.uuid4().hex
        self._seen: set[tuple[int, ...]] = set()
        self._file = (
            None if run.checkpoint is None else PluralityCheckpoint(run.checkpoint, problem)
        )
        self._nodes = self._everything()
        kept = None if self._file is None else self._file.resumed(run)
        if kept is not None:
            self._nodes = kept.nodes
            if kept.members is not None:
                run.incumbent.offer(kept.members)
        self._take_stock()

    def _everything(self) -> tuple[Node, ...]:
        """Return a node for every size."""
        decided = np.full(self._wins.n_classifiers, FREE, dtype=np.int8)
        decided[self._wins.required] = 1
        bound = float(self._run.incumbent.proved / self._scale)
        bound += float(room(self._wins.weights, bound))
        return tuple(
            Node(size, bound, decided)
            for size in range(self._wins.size_min, self._wins.size_max + 1)
        )

    @property
    def over(self) -> bool:
        """Whether nothing is open."""
        return not self._nodes

    def round(self, workers: int = 1, meanwhile: Callable[[], bool] | None = None) -> bool:
        """Work for one round; tell if the workers can go on.

        Parameters
        ----------
        workers
            How many share the work.
        meanwhile
            Something to do here while they are busy, see `workers.share_out`.
        """
        run = self._run
        until = min(run.deadline, time.monotonic() + self._seconds)
        self._seconds = min(1.5 * self._seconds, _LONGEST_ROUND)
        tasks = [
            Task(self._wins, self._scale, nodes, self._target(), until, run.deadline, self._token)
            for nodes in _deal(self._nodes, workers)
        ]
        try:
            shares: list[Share] = share_out(WORKER, tasks, self._report, meanwhile, run.end)
        except OutOfTime:
            return True  # nothing was lost
        except SolverFailure as failure:
            run.incumbent.incidents.append(str(failure))
            return False
        # First the committees: they may be what closed nodes held.
        for share in shares:
            for members in share.members:
                self._offer(members)
        self._nodes = tuple(node for share in shares for node in share.nodes)
        self._take_stock()
        if self._file is not None:
            self._file.keep(run, self._nodes)
        return True

    def _offer(self, columns: tuple[int, ...]) -> None:
        """Have the incumbent look at members, by their numbers among those allowed, once."""
        if columns not in self._seen:
            self._seen.add(columns)
            self._run.incumbent.offer([self._problem.allowed[k] for k in columns])

    def _report(self, bound: float, open_boxes: int, members: list[int]) -> None:
        incumbent = self._run.incumbent
        incumbent.open_boxes = open_boxes
        # First the committee: it may be the one of a node that the bound has left behind.
        self._offer(tuple(sorted(members)))
        if open_boxes:
            incumbent.tighten(bound * self._scale)

    def _take_stock(self) -> None:
        """Prune what cannot beat the incumbent, and tell it the bound of the rest."""
        incumbent, target = self._run.incumbent, self._target() / self._scale
        self._nodes = tuple(node for node in self._nodes if node.bound >= target and not node.empty)
        incumbent.open_boxes = len(self._nodes)
        if self._nodes:
            incumbent.tighten(max(node.bound for node in self._nodes) * self._scale)
        else:
            incumbent.close()

    def _target(self) -> int:
        """Return the least score that is better than the incumbent's."""
        score = self._run.incumbent.score
        return 0 if score is None else int(score + self._problem.gains.step)


def _deal(nodes: tuple[Node, ...], workers: int) -> list[tuple[Node, ...]]:
    """Deal nodes out, the highest bounds to everybody in turn."""
    ordered = sorted(nodes, key=lambda node: -node.bound)
    return [tuple(ordered[worker::workers]) for worker in range(min(workers, len(ordered)))]
