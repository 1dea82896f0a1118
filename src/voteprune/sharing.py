"""Deal tasks to workers: to a process of our own, or to as many as joblib is told to use."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import joblib

from .solvers import SolverFailure, call

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
        Something to do here while a single worker of our own is busy, see `solvers.call`.

    Raises
    ------
    SolverFailure
        If a worker crashed, hung or raised.
    """
    if len(tasks) == 1:
        # The end of a round is no deadline: what was begun is finished.
        return [call(module, module, (tasks[0],), tasks[0].latest, report, meanwhile)]
    try:
        now = time.time()
        # Whatever backend the user has configured: processes here, or a Dask cluster.
        shares = joblib.Parallel(n_jobs=len(tasks))(
            joblib.delayed(_work)(module, task, now) for task in tasks
        )
    except Exception as error:  # whatever went wrong over there
        raise SolverFailure(f"a worker failed: {error}") from error
    return list(shares)


def _work(module: str, task: Any, sent: float) -> Any:
    """Work on a task in a worker, whose clock may not be ours.

    A task that comes from the future or from long ago shows how far apart the clocks are; one from
    a few seconds ago has waited for the worker to start, and has that much less time.
    """
    ago = time.time() - sent
    apart = 0.0 if 0 <= ago <= _START_UP else ago
    mine = replace(task, deadline=task.deadline + apart, latest=task.latest + apart)
    return importlib.import_module(module).solve(mine)
