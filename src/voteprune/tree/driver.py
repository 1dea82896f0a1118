"""`Driver`: how a proof shares its open nodes among worker processes, round by round.

A round: open nodes are dealt to workers, who bound and branch until the round is over; meanwhile
this process runs local search. What they hand back is the whole state of the proof, so between
rounds a better incumbent can prune, and the proof can be put on file: a run that is killed loses no
more than the round it was in.

To plug in, a proof is a subclass of `Driver` and says

- `worker`: which module worker processes run, see `solvers.Worker`,
- `over`: whether nothing is open,
- `_tasks`: what is open, as one task for each worker; a task begins nothing after its `deadline`
  and must be over by its `latest`,
- `_take`: what to make of the results that come back,
- `_take_stock`: prune by the incumbent, and tell it the bound of the rest; also at the start,
- `_report`: what to make of what a single worker says on its way,
- `_save`: how what is open is written to a file, where a proof can be kept on one.

The `driver` module of every tree has one: `tree.sizes`, `tree.nogoods`, `tree.margins`,
`tree.plurality` and `tree.soft`. Its `_tasks` says which nodes go to which worker, and
`tree.dispatch` which process works on which task. Callers go through `rounds`::

    for went_on in driver.rounds(until, Searching(run, tabu)):
        if not went_on:  # the workers cannot go on
            break
"""

from __future__ import annotations

import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from ..exceptions import OutputError
from ..run.incumbent import Incumbent
from ..run.run import Run
from ..solvers import OutOfTime, SolverFailure, Worker
from .background import SEARCH_SHARE, Searching
from .dispatch import run_tasks


class Driver(ABC):
    """A proof in rounds that nothing beats the incumbent.

    Parameters
    ----------
    problem
        What is being solved, with `allowed`, the classifiers that tasks number from 0 on.
    run
        Its deadline, incumbent and files.
    first, longest
        Seconds of the first and of the longest round; each may take half as long again as the one
        before, if that has used all its time.
    """

    worker: ClassVar[Worker]

    def __init__(self, problem: Any, run: Run, first: float, longest: float) -> None:
        self._problem, self._run = problem, run
        self._seconds, self._longest = first, longest
        self._seen: set[tuple[int, ...]] = set()
        self._token = uuid.uuid4().hex

    @property
    @abstractmethod
    def over(self) -> bool:
        """Whether nothing is open."""

    @property
    def search_share(self) -> float:
        """How long local search has between two rounds on a single core, as a share of a round."""
        return SEARCH_SHARE

    def rounds(self, until: float, searching: Searching) -> Iterator[bool]:
        """Work round after round, and tell after each whether the workers can go on.

        Parameters
        ----------
        until
            When the last round must be over.
        searching
            Local search, in the background or in turns.
        """
        until = min(until, self._run.deadline)
        while not self.over and time.monotonic() < until:
            began = time.monotonic()
            workers, meanwhile = searching.begin_round(self.worker)
            went_on = self.round(until, workers, meanwhile)
            took = time.monotonic() - began
            yield went_on
            if not self.over:
                searching.take_turn(self.search_share * took)

    def round(
        self, until: float, workers: int = 1, meanwhile: Callable[[], bool] | None = None
    ) -> bool:
        """Work for one round; tell if the workers can go on.

        Parameters
        ----------
        until
            When it must be over.
        workers
            How many share the work; one where a certificate is recorded.
        meanwhile
            Something to do here while they are busy, see `dispatch.run_tasks`.
        """
        run = self._run
        deadline = min(until, time.monotonic() + self._seconds)
        tasks = self._tasks(workers, deadline)
        try:
            results = run_tasks(self.worker, tasks, self._report, meanwhile, run.end)
        except OutOfTime:
            return True  # nothing was lost
        except SolverFailure as failure:
            run.incumbent.incidents.append(str(failure))
            return False
        if time.monotonic() >= deadline:
            # Only a round that used all of its time makes the next one longer.
            self._seconds = min(1.5 * self._seconds, self._longest)
        self._take(results)
        self._take_stock()
        self._keep()
        return True

    @abstractmethod
    def _tasks(self, workers: int, deadline: float) -> Sequence[Any]:
        """Return a task for each worker, which begins nothing new after a deadline."""

    @abstractmethod
    def _take(self, results: Sequence[Any]) -> None:
        """Take what came of the tasks for what is open now."""

    @abstractmethod
    def _take_stock(self) -> None:
        """Prune what cannot beat the incumbent, and tell it the bound of the rest."""

    @abstractmethod
    def _report(self, *said: Any) -> None:
        """Take what a single worker says on its way."""

    @abstractmethod
    def _save(self, file: Path) -> None:
        """Write what is open to a file, whole or not at all; OutputError if it cannot be."""

    def _offer(self, columns: tuple[int, ...]) -> None:
        """Have the incumbent look at members, by their numbers among those allowed, once."""
        incumbent = self._judge_of(len(columns))
        if incumbent is not None and columns not in self._seen:
            self._seen.add(columns)
            incumbent.offer([self._problem.allowed[k] for k in columns])

    def _judge_of(self, size: int) -> Incumbent | None:
        """Return the incumbent that committees of a size are compared with; None for none."""
        return self._run.incumbent

    def _keep(self) -> None:
        """Put what is open on file, where that was asked for; a full disk ends no proof."""
        run = self._run
        if run.checkpoint is None:
            return
        # Only the last attempt counts: a file that is written now holds all there is.
        run.incumbent.unwritten.clear()
        try:
            self._save(run.checkpoint)
        except OutputError as error:
            run.incumbent.unwritten.append(str(error))
