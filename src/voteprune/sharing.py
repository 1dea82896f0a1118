"""Deal tasks to workers: to a process of our own, or to as many as joblib is told to use."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import joblib

from .solvers import SolverFailure, call


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
            joblib.delayed(_work)(module, task, task.deadline - now, task.latest - now)
            for task in tasks
        )
    except (OSError, RuntimeError) as error:
        raise SolverFailure(f"a worker failed: {error}") from error
    return list(shares)


def _work(module: str, task: Any, seconds: float, at_most: float) -> Any:
    """Work on a task in a worker, whose clock may not be ours."""
    now = time.time()
    mine = replace(task, deadline=now + seconds, latest=now + at_most)
    return importlib.import_module(module).solve(mine)
