"""`run_tasks`: tasks sent to workers: processes of our own, wherever joblib has the tasks run."""

from __future__ import annotations

import platform
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any

import joblib

from ..solvers import OutOfTime, SolverFailure, Worker, call, give_up

_START_UP = 30.0
"""Seconds a worker may take to begin with a task."""


def run_tasks(
    worker: Worker,
    tasks: Sequence[Any],
    report: Callable[..., None],
    meanwhile: Callable[[], bool] | None = None,
    end: float | None = None,
) -> list[Any]:
    """Have a worker work on every task and return what comes back, in order.

    Parameters
    ----------
    worker
        Where its function is.
    tasks
        Each says, as `time.monotonic` tells it, until when work may be begun (`deadline`) and when
        all must be done (`latest`).
    report
        Told what a single worker of our own has to report.
    meanwhile
        Something to do here while they are busy, for a moment each time, until it returns False.
    end
        When nobody has time to wait for them any more, see `solvers.call`.

    Raises
    ------
    OutOfTime
        If the time was over before they could begin.
    SolverFailure
        If a worker crashed, hung or raised.
    """
    if len(tasks) == 1:
        # `deadline` only ends the beginning of new work; what was begun may go on until `latest`.
        return [call(worker, (tasks[0],), tasks[0].latest, report, meanwhile, end)]
    try:
        results = _send(worker, tasks, end)
    except SolverFailure:
        raise  # from a backend that does not come back before all is done
    except Exception as error:  # whatever stands between us and the workers
        raise SolverFailure(f"workers could not be reached: {error}") from error
    try:
        while meanwhile is not None and not results.done():
            if not meanwhile():
                meanwhile = None
        error_there = results.exception()
    except BaseException:
        give_up(worker)  # they would go on for nobody
        raise
    if isinstance(error_there, OutOfTime):
        raise error_there
    if error_there is not None:  # whatever went wrong over there
        raise SolverFailure(f"a worker failed: {error_there}") from error_there
    return results.result()


def _send(worker: Worker, tasks: Sequence[Any], end: float | None) -> Future[list[Any]]:
    """Send tasks off; return what will come back.

    Threads here, each with a worker of its own, unless the user has configured another backend: on
    a Dask cluster the workers start where the tasks are.
    """
    options: dict[str, Any] = {"n_jobs": len(tasks), "prefer": "threads"}
    try:
        parallel = joblib.Parallel(**options, return_as="generator")
    except ValueError:  # a backend that does not come back before all is done
        parallel = joblib.Parallel(**options)
    sent = Sent()
    coming = parallel(joblib.delayed(_work)(worker, task, sent, end) for task in tasks)
    results: Future[list[Any]] = Future()

    def collect() -> None:
        try:
            results.set_result(list(coming))
        except BaseException as error:
            results.set_exception(error)

    threading.Thread(target=collect, daemon=True).start()
    return results


@dataclass(frozen=True, slots=True)
class Sent:
    """Where and when tasks were sent off, by both clocks there."""

    machine: str = field(default_factory=platform.node)
    moment: float = field(default_factory=time.monotonic)
    wall: float = field(default_factory=time.time)

    def clocks_apart(self) -> float:
        """Return by how much the clock here is ahead of the sender's.

        All processes of a machine share the monotonic clock, which nobody can set. Between machines
        only the wall clock is shared: it tells how long the task was on its way, which is taken off
        its time, unless that is negative or implausibly long.
        """
        ago = time.monotonic() - self.moment
        if self.machine == platform.node() and 0 <= ago <= _START_UP:
            return 0.0
        waited = time.time() - self.wall
        return ago - (waited if 0 <= waited <= _START_UP else 0.0)


def _work(worker: Worker, task: Any, sent: Sent, end: float | None) -> Any:
    """Have a task worked on, on a machine whose clock may not be the sender's."""
    apart = sent.clocks_apart()
    mine = replace(task, deadline=task.deadline + apart, latest=task.latest + apart)
    there = None if end is None else end + apart
    return call(worker, (mine,), mine.latest, _no_report, end=there)


def _no_report(*_: object) -> None:
    """Say nothing: of several workers none knows how all of it stands."""
