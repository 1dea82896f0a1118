"""The two pieces of work that run in workers: train a cell's pool, prune it by one method.

Both hand back a value whatever happens; an error becomes a `Failure`. They write nothing but vote
files, each whole or not at all; results are written by the process that hands out the work.
"""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from voteprune.compare import mean_credit
from voteprune.exceptions import FileFormatError, VotepruneError
from voteprune.problem.pairwise import FailureCredit
from voteprune.run.incumbent import Progress
from voteprune.tables import ReadOptions, model_of, read_source
from voteprune.votes.patterns import Patterns

from .choosing import Fold, choose
from .datasets import load
from .protocol import collect
from .records import VOTES, Failure, Record, now
from .tasks import Cell, Task
from .votefiles import write_votes

TRACE_LENGTH = 100
"""Steps of a trace that are kept."""


@dataclass(frozen=True, slots=True)
class Trained:
    """A cell's vote file has been written."""

    key: str


def train(cell: Cell) -> Trained | Failure:
    """Train the pool of one fold and write its vote file.

    Parameters
    ----------
    cell
        One that is not ready.
    """
    try:
        assert cell.pool is not None  # given vote files are always ready
        table = load(cell.dataset, cell.source)
        fold = (cell.seed, cell.fold, cell.votes_by)
        write_votes(cell.votes, collect(table, cell.pool, cell.k, *fold))
        return Trained(cell.key)
    except Exception as error:
        return no_votes(cell, **_complaint(error))


def no_votes(cell: Cell, reason: str, detail: str = "") -> Failure:
    """Return the failure of a cell whose pool could not be trained."""
    return Failure(
        key=cell.key,
        dataset=cell.dataset.id,
        seed=cell.seed,
        fold=cell.fold,
        pool_size=0,
        method=VOTES,
        reason=reason,
        detail=detail,
        votes_by=cell.votes_by,
        finished=now(),
    )


def solve(task: Task) -> Record | Failure:
    """Prune the votes of a cell and count the committee on both parts.

    Parameters
    ----------
    task
        One whose cell is ready.
    """
    try:
        return _record(task)
    except Exception as error:
        return failed(task, **_complaint(error))


def failed(task: Task, reason: str, detail: str = "") -> Failure:
    """Return the failure of a task."""
    return Failure(
        key=task.key,
        dataset=task.cell.dataset.id,
        seed=task.cell.seed,
        fold=task.cell.fold,
        pool_size=task.k,
        method=task.contender.label,
        reason=reason,
        detail=detail,
        votes_by=task.cell.votes_by,
        finished=now(),
    )


def _record(task: Task) -> Record:
    path = task.cell.votes
    try:
        fold = _read(path, task.k, path.stat().st_mtime_ns)
    except OSError as error:
        raise FileFormatError(path, f"cannot be read: {error.strerror}.") from None
    except FileFormatError as error:
        if task.cell.pool is None:
            raise
        raise FileFormatError(
            path, f"{error.message} Delete it and run again; the pool is then trained anew."
        ) from None
    found = choose(task.contender, fold, task.cell.seed)
    names = tuple(fold.names[place] for place in found.members)
    credit = FailureCredit.of(Patterns.of(fold.table.validation)).matrix()
    return Record(
        key=task.key,
        dataset=task.cell.dataset.id,
        seed=task.cell.seed,
        fold=task.cell.fold,
        pool_size=task.k,
        method=task.contender.label,
        objective=found.objective,
        status=found.status,
        termination=found.termination,
        value=found.value,
        bound=found.bound,
        n_validation=len(fold.validation.labels),
        n_test=len(fold.test.labels),
        validation=found.validation.counts,
        test=found.test.counts,
        threshold=found.threshold,
        members=found.members,
        names=names,
        families=tuple(model_of(name)[0] for name in names),
        multiplicities=found.multiplicities,
        diversity=mean_credit(found.members, credit),
        seconds=found.seconds,
        trace=_trace(found.trace, found.bound is not None),
        votes_by=task.cell.votes_by,
        weights=found.weights,
        validation_auc=found.validation.auc,
        validation_log_loss=found.validation.log_loss,
        test_auc=found.test.auc,
        test_log_loss=found.test.log_loss,
        finished=now(),
    )


@lru_cache(maxsize=4)
def _read(path: Path, k: int, _changed: int) -> Fold:
    # All methods of a fold come one after the other; its file is read once in every worker.
    return Fold.of(read_source([path], ReadOptions(k=k, numbers=True)), path)


def _trace(
    steps: tuple[Progress, ...], bounded: bool
) -> tuple[tuple[float, float | None, float | None], ...]:
    """Return the path of a run, thinned where it is long; the last step is always kept."""
    places = np.unique(np.linspace(len(steps) - 1, 0, min(len(steps), TRACE_LENGTH)).astype(int))
    return tuple(
        (round(steps[i].seconds, 4), steps[i].value, steps[i].bound if bounded else None)
        for i in places.tolist()
    )


def _complaint(error: Exception) -> dict[str, str]:
    """Say what went wrong, and where if it was not foreseen."""
    detail = "" if isinstance(error, VotepruneError) else traceback.format_exc(limit=-5)
    return {"reason": f"{type(error).__name__}: {error}", "detail": detail}
