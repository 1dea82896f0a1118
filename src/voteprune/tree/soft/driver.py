"""`SoftDriver`: open nodes of a soft committee's tree dealt to workers, and worked on here, too."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ...run.run import Run
from ...soft.nodes import TreeState
from ...soft.pruning import SoftPruning
from ...soft.tree import SoftTree
from ..driver import Driver
from .checkpoint import SoftCheckpoint
from .worker import WORKER, Task

_FIRST, _LONGEST = 1.0, 6.0
"""Seconds of the first and of the longest round."""

_STRIDE = 0.1
"""Seconds of work here between two looks at what workers say."""

_SHORT, _LONG = 0.03, 0.25
"""Seconds of work alone after which the incumbent is told and the clock looked at: of the first
stride and of the longest, each twice as long as the one before."""

_PAYS = 4_000
"""Rows from which on a second process is worth its start; with fewer nodes are over too soon."""

_NODES = 4
"""Open nodes for each process that make sharing worth while."""

_FINE_ALONE = 1.5
"""Seconds for which one process works alone: most proofs are over by then."""


class SoftDriver(Driver):
    """A proof in rounds; this process has a share of its own, and each worker another.

    It goes on from what is on file, or begins with a first committee.
    """

    worker = WORKER

    def __init__(self, problem: SoftPruning, run: Run, tree: SoftTree) -> None:
        super().__init__(problem, run, _FIRST, _LONGEST)
        self._tree, self._began = tree, time.monotonic()
        self._able, self._alone = True, _SHORT
        self._file = (
            None if run.checkpoint is None else SoftCheckpoint(run.checkpoint, tree.problem)
        )
        kept = None if self._file is None else self._file.resumed(run)
        if kept is not None:
            tree.resume(kept)
        tree.begin(run.deadline)
        self._take_stock()

    @property
    def over(self) -> bool:
        """Whether nothing is open."""
        return self._tree.finished

    @property
    def pays(self) -> bool:
        """Whether the next round is better shared: many rows, many nodes, and no end in sight.

        A proof that is written down is made by one process.
        """
        run, tree = self._run, self._tree
        return (
            self._able
            and run.threads > 1
            and run.record is None
            and len(tree.problem.labels) >= _PAYS
            and time.monotonic() - self._began >= _FINE_ALONE
            and run.seconds_left > _FIRST
            and tree.families.settled
            and tree.n_open >= _NODES * run.threads
        )

    def round(
        self, until: float, workers: int = 1, meanwhile: Callable[[], bool] | None = None
    ) -> bool:
        """Work for one round, alone or with a worker for every further core."""
        try:
            if self.pays:
                self._able = self._shared(until)
            else:
                self._tree.round(min(until, time.monotonic() + self._alone))
                self._alone = min(2 * self._alone, _LONG)
                self._take_stock()
                self._keep()
        except BaseException:
            # Ctrl-C: what was done and what is open is put on file all the same.
            self._tree.recall()
            self._keep()
            raise
        return True

    def _shared(self, until: float) -> bool:
        deadline = min(until, time.monotonic() + self._seconds)

        def here() -> bool:
            self._tree.round(min(deadline, time.monotonic() + _STRIDE))
            self._take_stock()
            return not self._tree.idle and time.monotonic() < deadline

        went_on = super().round(until, self._run.threads - 1, here)
        # Whatever became of the workers, nothing that they had is lost.
        self._tree.recall()
        return went_on

    def _tasks(self, workers: int, deadline: float) -> Sequence[Task]:
        tree, latest = self._tree, self._run.deadline
        return [
            Task(tree.problem, state, tree.tolerance, deadline, latest, self._token)
            for state in tree.deal(workers)
        ]

    def _take(self, results: Sequence[TreeState]) -> None:
        self._tree.take_back(results)

    def _take_stock(self) -> None:
        tree, incumbent = self._tree, self._run.incumbent
        incumbent.open_boxes = tree.n_open
        if tree.best is not None:
            incumbent.offer(tree.best.members.tolist())
        if tree.lower_bound > 0:
            incumbent.tighten(-tree.lower_bound / self._problem.total)

    def _report(self, *said: Any) -> None:
        """Workers say nothing on their way."""

    def _save(self, file: Path) -> None:
        assert self._file is not None
        began = time.monotonic()
        self._file.save(self._tree.state())
        # Writing takes no more than a fifth of the time.
        self._alone = max(_LONG, 4 * (time.monotonic() - began))
