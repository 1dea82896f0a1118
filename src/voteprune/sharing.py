"""Deal tasks to workers: processes of our own, wherever joblib has the tasks run."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import joblib

from .solvers import SolverFailure, call, give_up

_START_UP = 30.0
"""Seconds a worker may take to begin with a task."""


def share_out(
    module: str,
    tasks: Sequence[Any],
    report: Callable[..., None],
    meanwhile: Callable[[], bool] | None = None,
) -> list[Any]:
    """Have ``module.solve`` work on every task and return what comes back, in order.

    Parameters
    ----------
    module
        Where the function is.
    tasks
        Each says, as `time.time` tells it, until when work may be begun (`deadline`) and when all
        must be done (`latest`).
    report
        Told what a single worker of our own has to report.
    meanwhile
        Something to do here while they are busy, for a moment each time, until it returns False.

    Raises
    ------
    SolverFailure
        If a worker crashed, hung or raised.
    """
    if len(tasks) == 1:
        # The end of a round is no deadline: what was begun is finished.
        return [call(module, module, (tasks[0],), tasks[0].latest, report, meanwhile)]
    now = time.time()
    keys = {f"{id(tasks)} {now} {place}" for place in range(len(tasks))}
    _under_way.update(keys)
    # Threads here, each with a worker of its own, unless the user has configured another backend:
    # on a Dask cluster the workers start where the tasks are.
    shares = joblib.Parallel(n_jobs=len(tasks), prefer="threads", return_as="generator")(
        joblib.delayed(_work)(module, task, now, key)
        for task, key in zip(tasks, sorted(keys), strict=True)
    )
    try:
        while meanwhile is not None and keys & _under_way and time.time() < tasks[0].deadline:
            if not meanwhile():
                meanwhile = None
        return _collect(shares)
    except SolverFailure:
        raise
    except BaseException:
        give_up(module)  # the threads would wait for their workers, and those go on
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns of tasks that were not finished
            shares.close()
        raise
    finally:
        _under_way.difference_update(keys)


def _collect(shares: Iterable[Any]) -> list[Any]:
    try:
        return list(shares)
    except Exception as error:  # whatever went wrong over there
        raise SolverFailure(f"a worker failed: {error}") from error


_under_way: set[str] = set()
"""Tasks that have not ended. Where they run in another process it is not told."""


def _work(module: str, task: Any, sent: float, key: str) -> Any:
    """Have a worker work on a task, on a machine whose clock may not be ours.

    A task that comes from the future or from long ago shows how far apart the clocks are; one from
    a few seconds ago has waited for the worker to start, and has that much less time.
    """
    ago = time.time() - sent
    apart = 0.0 if 0 <= ago <= _START_UP else ago
    mine = replace(task, deadline=task.deadline + apart, latest=task.latest + apart)
    try:
        return call(module, module, (mine,), mine.latest, _no_report)
    finally:
        _under_way.discard(key)


def _no_report(*_: object) -> None:
    """Say nothing: of several workers none knows how all of it stands."""
