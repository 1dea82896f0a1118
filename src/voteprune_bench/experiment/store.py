"""The folder of a run: results that are appended whole or not at all, by one run at a time.

::

    RUN/plan.toml                 what was asked for
    RUN/run.json                  versions and machine
    RUN/votes/*.csv.gz            what the pools said, in the paper's layout
    RUN/results.1-of-1.jsonl      one line per finished task
    RUN/failures.1-of-1.jsonl     one line per failed attempt

A line is written by one call and forced to the disk before the next task counts as done. Death in
the middle leaves a part of a line at the end, which readers skip and the next run cuts off.
"""

from __future__ import annotations

import os
import platform
import re
from contextlib import ExitStack
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType

from filelock import FileLock, Timeout

from voteprune.exceptions import InputError, OutputError
from voteprune.files import jsonfile, outfile

from .plan import HOME, Plan
from .records import FAILURES, RESULTS, Failure, Record
from .tasks import WHOLE, Shard

_LIBRARIES = (
    *("voteprune", "numpy", "scipy", "scikit-learn", "highspy", "joblib", "polars"),
    *("xgboost", "xgboost-cpu", "lightgbm", "catboost", "distributed", "autogluon.core"),
)
"""Whose versions are noted down where they are installed."""


class Store:
    """A run's folder, open for writing.

    Parameters
    ----------
    folder
        The folder; it is made if need be.
    shard
        Whose results are written. Shards that share no cell may share a folder, at once.

    Raises
    ------
    InputError
        If the folder cannot be written to, or another run is writing to it.
    """

    def __init__(self, folder: str | Path, shard: Shard = WHOLE) -> None:
        self.folder = Path(folder)
        self._shard = shard
        self._open = ExitStack()
        self._files: dict[str, int] = {}

    def __enter__(self) -> Store:
        try:
            with self._open:
                (self.folder / "votes").mkdir(parents=True, exist_ok=True)
                self._lock()
                for kind in (RESULTS, FAILURES):
                    self._files[kind] = self._open_lines(kind)
                self._open = self._open.pop_all()
        except OSError as error:
            raise InputError(
                "run",
                f"cannot write to {self.folder}: {error.strerror or error}. Make room, give the "
                "right to write, or name another folder.",
            ) from None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.close()

    def describe(self, plan: Plan) -> None:
        """Write down what is run, by what, and where."""
        try:
            outfile.write_text(self.folder / "plan.toml", plan.text)
            outfile.write_text(self.folder / HOME, str(plan.home))
            outfile.write_text(self.folder / "run.json", jsonfile.dump("run", circumstances()))
        except OSError as error:
            raise self._unwritable(error) from None

    def add(self, outcome: Record | Failure) -> None:
        """Append a result or a failure; when this returns it is on the disk.

        Raises
        ------
        OutputError
            If it cannot be written, for instance because the disk is full. The files are then as
            they were before.
        """
        file = self._files[RESULTS if isinstance(outcome, Record) else FAILURES]
        line = (outcome.to_json() + "\n").encode()
        size = os.fstat(file).st_size
        try:
            if os.write(file, line) != len(line):
                raise OSError(28, "No space left on device")
            os.fsync(file)
        except OSError as error:
            os.ftruncate(file, size)
            raise self._unwritable(error) from None

    def _open_lines(self, kind: str) -> int:
        """Open a file of lines for appending, and cut off what a death left unfinished."""
        path = self.folder / f"{kind}.{self._shard}.jsonl"
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        self._open.callback(os.close, file)
        text = path.read_bytes()
        whole = text.rfind(b"\n") + 1
        if whole != len(text):
            os.ftruncate(file, whole)
        return file

    def _lock(self) -> None:
        """Keep out every run that would do the same cells."""
        mine = FileLock(self.folder / f".lock.{self._shard}", timeout=0)
        try:
            self._open.enter_context(mine)
            for path in self.folder.glob(".lock.*"):
                match = re.fullmatch(r"\.lock\.(\d+)-of-(\d+)", path.name)
                other = Shard(int(match[1]), int(match[2])) if match else self._shard
                if other != self._shard and self._shard.overlaps(other):
                    with FileLock(path, timeout=0):
                        pass
        except Timeout as busy:
            raise InputError(
                "run",
                f"another run is writing to {self.folder} (it holds {Path(busy.lock_file).name}). "
                "Wait for it, end it, or name another folder.",
            ) from None

    def _unwritable(self, error: OSError) -> OutputError:
        return OutputError(
            self.folder,
            f"{error.strerror or error}. What was finished is safe; make room or give the right to "
            "write, then run again, and only what is missing is done",
        )


def circumstances() -> dict[str, object]:
    """Return versions and machine, for people who compare results."""
    versions = {"python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions,
        "machine": {
            "system": platform.system(),
            "machine": platform.machine(),
            "processor": _processor(),
            "cores": os.cpu_count() or 1,
        },
    }


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor()
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found[1] if found else platform.processor()
