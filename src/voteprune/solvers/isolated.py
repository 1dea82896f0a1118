"""Our side of the wall: hand a model to a solver's own process and live through whatever comes.

A worker that has answered is kept for the next call, so its start-up is paid once. One that
crashed, hung or was interrupted is killed and forgotten; what it had reported until then is kept.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..exceptions import SolverLicenceError
from ..numbers.floats import Floats
from ..solvers.model import Model
from .protocol import Answer, LicenceLimit, Options, Report
from .registry import SolverInfo
from .worker import receive, send

GRACE, PATIENCE = 0.2, 5.0
"""Seconds past the end of a run after which a solver is ended, plus a fiftieth of the time; and
past a deadline that is not yet the end, plus a tenth."""

STARTUP = 30.0
"""Seconds a worker may take to start and import its solver before it counts as hanging."""


_BOOT = Path(__file__).with_name("boot.py")


class SolverFailure(Exception):  # noqa: N818 - contained by the caller, never seen by a user
    """The solver crashed, hung, or raised; the message says which."""


class OutOfTime(SolverFailure):
    """The time was over before the solver could begin; nobody is to blame."""


@dataclass(frozen=True, slots=True)
class Worker:
    """A module that has a function `solve`, for processes of its own to run.

    Known by its name, for this process must not import it: most of them load HiGHS, which does not
    live with every other solver in one process. Whoever has a worker declares it, beside the tasks
    it takes; `tests/test_architecture.py` sees to it that every one is there.

    Parameters
    ----------
    module
        Its full name.
    name
        What it is called in messages; idle processes are kept under this name. The module's own
        when omitted.
    """

    module: str
    name: str = ""

    def __str__(self) -> str:
        return self.name or self.module


class _Process:
    """A running worker process and the thread that reads its frames."""

    def __init__(self, module: str) -> None:
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        }
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the worker
        self.process = subprocess.Popen(
            # -P: the folder one works in is data, not a place to import from.
            [sys.executable, "-P", str(_BOOT), module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=environment,
            start_new_session=True,  # Ctrl-C is for us; we decide what becomes of the worker
        )
        self.inbox: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()
        self._ready = False
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        try:
            while True:
                self.inbox.put(receive(stream))
        except Exception:  # whatever came through the pipe, the worker is of no more use
            self.inbox.put(("gone",))

    def request(self, *request: object) -> None:
        stream = self.process.stdin
        assert stream is not None
        with contextlib.suppress(BrokenPipeError):
            send(stream, request)

    def hear(self, last_call: float, complaint: str) -> tuple[Any, ...]:
        """Return the next frame, or raise `SolverFailure` if none comes until `last_call`."""
        try:
            return self.inbox.get(timeout=max(0.0, last_call - time.monotonic()))
        except queue.Empty:
            raise SolverFailure(f"{complaint} and was ended") from None

    def get_ready(self, name: str, last_call: float) -> None:
        """Wait until it has imported its module, if it has not yet."""
        if not self._ready:
            longest = time.monotonic() + STARTUP
            try:
                (kind,) = self.hear(min(longest, last_call), f"{name} did not start")
            except SolverFailure:
                if last_call < longest:
                    raise OutOfTime(f"{name} had not started when the time was over") from None
                raise
            if kind != "ready":
                raise SolverFailure(f"{name} {self.last_words()}")
            self._ready = True

    def last_words(self) -> str:
        """Return how the process ended, with the last line it wrote."""
        code = self.process.wait()
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"exited with {code}"
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return f"{how}: {lines[-1]}" if lines else how

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self._errors):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


_idle: dict[str, list[_Process]] = {}
_busy: dict[str, list[_Process]] = {}
_lock = threading.Lock()


@atexit.register
def end_workers() -> None:
    """End all idle workers; they would end by themselves with this process, a little later."""
    with _lock:
        workers = [worker for kept in _idle.values() for worker in kept]
        _idle.clear()
    for worker in workers:
        worker.end()


# A forked child must not talk to its parent's workers.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)
    os.register_at_fork(after_in_child=_busy.clear)


def solve(
    info: SolverInfo, model: Model, options: Options, start: Floats | None, report: Report
) -> Answer:
    """Run a solver in its own process.

    Parameters
    ----------
    info
        Which solver.
    model, options, start, report
        As for every solver; `report` runs in this process, and what it raises ends the solver.

    Raises
    ------
    SolverFailure
        If the solver crashed, hung past its deadline, or raised.
    SolverLicenceError
        If its licence does not cover the model.
    """
    info.require()
    try:
        request = (model, options, start)
        worker = Worker(info.module, info.name)
        answer = call(worker, request, options.deadline, report, end=options.end)
    except LicenceLimit as limit:
        raise SolverLicenceError(
            f"{info.name}: {limit} The model has {model.n_variables} variables and "
            f"{model.n_rows} rows; its licence here: {info.licence}. "
            "Use solver='highs', or install a full licence."
        ) from None
    return _checked(answer, model, info)


def call(
    worker: Worker,
    request: tuple[Any, ...],
    deadline: float,
    report: Callable[..., None],
    meanwhile: Callable[[], bool] | None = None,
    end: float | None = None,
) -> Any:
    """Run a worker's ``solve(*request, report)`` in a process of its own and return its answer.

    Parameters
    ----------
    worker
        Where the function is.
    request
        Its arguments but the last.
    deadline
        When it should be done, as `time.monotonic` tells it; it is ended a little later.
    report
        Called here with whatever the other side reports; what it raises ends the worker.
    meanwhile
        Called here again and again while there is nothing to hear, for a moment's work each time,
        until it returns False.
    end
        When nobody has time to wait for it any more; the deadline when omitted.

    Raises
    ------
    OutOfTime
        If the deadline came before it could begin.
    SolverFailure
        If it crashed, went on past its deadline, or raised.
    LicenceLimit
        If a solver's licence does not cover the model.
    """
    name, now = str(worker), time.monotonic()
    end = deadline if end is None else max(deadline, end)
    last_call = min(
        deadline + PATIENCE + 0.1 * max(0.0, deadline - now), end + GRACE + 0.02 * (end - now)
    )
    if now >= deadline:
        raise OutOfTime(f"there was no time left for {name}")
    finished = False
    process = _take(name, worker.module)
    with _lock:
        _busy.setdefault(name, []).append(process)
    try:
        try:
            process.get_ready(name, last_call)
        except OutOfTime:
            finished = True  # it will be ready for whoever comes next
            raise
        process.request(*request)
        while True:
            while meanwhile is not None and process.inbox.empty():
                if not meanwhile() or time.monotonic() >= last_call:
                    meanwhile = None
            kind, *content = process.hear(last_call, f"{name} did not stop at its time limit")
            if kind == "report":
                report(*content)
                continue
            finished = kind in ("answer", "licence", "error")
            if kind == "answer":
                return content[0]
            if kind == "licence":
                raise LicenceLimit(content[0])
            if kind == "error":
                raise SolverFailure(f"{name} failed: {content[0]}")
            raise SolverFailure(f"{name} {process.last_words()}")
    finally:
        with _lock:
            _busy[name].remove(process)
            if finished:
                _idle.setdefault(name, []).append(process)
        if not finished:
            process.end()


def give_up(worker: Worker) -> None:
    """Kill a worker's busy processes; whoever waits for one gets a `SolverFailure`."""
    with _lock:
        for busy in _busy.get(str(worker), []):
            busy.process.kill()


def prepare(worker: Worker) -> None:
    """Start a process that will be needed soon, unless one is idle; does not wait for it."""
    with _lock:
        if not _idle.get(str(worker)):
            _idle.setdefault(str(worker), []).append(_Process(worker.module))


def _take(name: str, module: str) -> _Process:
    """Return an idle worker of this name, or a new one."""
    with _lock:
        kept = _idle.get(name, [])
        worker = None
        while kept and worker is None:
            worker = kept.pop()
            if worker.process.poll() is not None:
                worker.end()  # died while idle; nothing was lost
                worker = None
    return worker or _Process(module)


def _checked(answer: object, model: Model, info: SolverInfo) -> Answer:
    """Refuse an answer that is not even of the right shape."""
    if not isinstance(answer, Answer):
        raise SolverFailure(f"{info.name} answered {type(answer).__name__}, not an Answer")
    solution = answer.solution
    if solution is not None and (
        np.shape(solution) != (model.n_variables,) or not np.isfinite(solution).all()
    ):
        raise SolverFailure(f"{info.name} returned a solution of the wrong shape")
    return answer
