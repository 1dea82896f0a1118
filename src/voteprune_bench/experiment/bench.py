"""Run a plan: train what is missing, prune what is missing, keep every result at once.

Data set by data set, first the pools, then the pruning. Only this process writes results, so that
killing it, or any worker, loses at most what was being worked on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from .executors import Executor, Lost
from .records import Failure, Record, read_records
from .store import Store
from .tasks import Cell, Task
from .votefiles import clear_leftovers
from .work import Trained, failed, no_votes, solve, train

Outcome = Trained | Record | Failure

_FEATURES = {"prk": 22, "msk": 166, "bcw": 30, "qsr": 41, "drd": 19, "spa": 57}
_FEATURES |= {"def": 23, "bmk": 63, "aps": 170, "aps_part": 170}

_START, _PER_CELL = 5.0, 1e-4
"""Seconds of one core for a hundred classifiers: as such, and per cell of the table. Fitted to the
paper's pool on one core of a 2020s server; between half and twice the time it takes there."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something has been finished.

    Parameters
    ----------
    outcome
        A vote file, a result, or a failure.
    cost
        What it was estimated to cost, in seconds of one core; what `Work.cost` adds up.
    """

    outcome: Outcome
    cost: float


@dataclass(frozen=True, slots=True)
class Work:
    """What is left of a plan.

    Parameters
    ----------
    cells
        Pools to train.
    tasks
        Tasks to do.
    cost
        Estimate for each by its hash, in seconds of one core.
    n_tasks
        How many tasks the plan has in all.
    """

    cells: tuple[Cell, ...]
    tasks: tuple[Task, ...]
    cost: dict[str, float]
    n_tasks: int

    @property
    def seconds(self) -> float:
        """Estimate of all that is left, in seconds of one core."""
        return sum(self.cost.values())


def what_is_left(tasks: Sequence[Task], run: Path) -> Work:
    """Return what a run has still to do.

    Parameters
    ----------
    tasks
        All of a plan's.
    run
        The run's folder; it need not exist.
    """
    records = read_records(run) if run.is_dir() else []
    # Data sets of the same rows have the same hashes.
    done = {(record.key, record.dataset) for record in records}
    left = tuple(task for task in tasks if (task.key, task.cell.dataset.id) not in done)
    cells = {task.cell.key: task.cell for task in left if not task.cell.ready}
    taken: dict[tuple[str, int, str], list[float | None]] = {}
    for record in records:
        # Who ran into its limit would take all of another limit too.
        seconds = None if record.termination == "time limit" else record.seconds
        taken.setdefault((record.dataset, record.pool_size, record.method), []).append(seconds)
    cost = {key: _training_seconds(cell) for key, cell in cells.items()}
    for task in left:
        seen = taken.get((task.cell.dataset.id, task.k, task.contender.label))
        limit = task.contender.time_limit or 0.0
        guess = limit if task.contender.proves else min(limit, 1.0)
        costs = [limit if seconds is None else seconds for seconds in seen or ()]
        cost[task.key] = sum(costs) / len(costs) if costs else guess
    return Work(tuple(cells.values()), left, cost, len(tasks))


def carry_out(work: Work, store: Store, place: Executor) -> Iterator[Event]:
    """Do what is left, and tell of everything that is finished."""
    for _, group in groupby(work.tasks, key=lambda task: task.cell.dataset.id):
        tasks = list(group)
        cells = {task.cell.key: task.cell for task in tasks if not task.cell.ready}
        for cell in cells.values():
            clear_leftovers(cell.votes)
        unfit: set[str] = set()
        for outcome in place.map(train, list(cells.values())):
            kept = no_votes(outcome.item, outcome.reason) if isinstance(outcome, Lost) else outcome
            if isinstance(kept, Failure):
                store.add(kept)
                unfit.add(kept.key)
            yield Event(kept, work.cost[kept.key])
        able = [
            replace(task, cell=replace(task.cell, ready=True))
            for task in tasks
            if task.cell.key not in unfit
        ]
        for result in place.map(solve, able):
            found = failed(result.item, result.reason) if isinstance(result, Lost) else result
            store.add(found)
            yield Event(found, work.cost[found.key])


def _training_seconds(cell: Cell) -> float:
    """Estimate the time to train one fold's pool, in seconds of one core."""
    rows = cell.dataset.rows or 1000
    size = rows * _FEATURES.get(cell.dataset.id, 30)
    return (_START + _PER_CELL * size) * cell.k / 100
