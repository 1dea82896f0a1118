"""Where `mutants` tries its changes: copies of the project, tests in an order that saves time."""

from __future__ import annotations

import compileall
import json
import math
import os
import resource
import shutil
import signal
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.sharedctypes import RawValue
from pathlib import Path
from py_compile import PycInvalidationMode
from types import CodeType, FrameType

import fresh
import psutil
import pytest

INSIDE = "/src/voteprune/"

BEFOREHAND = ("numpy", "scipy.optimize", "scipy.sparse.csgraph", "sklearn.base", "joblib")
"""Imported once, before the tests of each mutant begin in a process of their own."""
MEMORY = 8 * 2**30
UNABLE = 70
GRACE, PATIENCE = 20.0, 5.0
"""A test is given up after so many seconds, and so many times what it takes on the right code."""


@dataclass(frozen=True)
class Guarded:
    """A source file, and what guards it.

    Parameters
    ----------
    file
        Its path in the package.
    tests
        The test files.
    inside
        Whether nothing of it runs in worker processes alone, so that tests which do not call a
        function in their own process need not be asked about a change in it.
    mark
        The digest of the file and of the tests.
    alone
        The digest of the file and of each test file alone: a change that a test has noticed stays
        noticed as long as this test stays as it is, whatever is added beside it.
    """

    file: str
    tests: tuple[str, ...]
    inside: bool
    mark: str
    alone: dict[str, str] = field(default_factory=dict)

    def mark_of(self, by: str | None) -> str:
        """Return the mark of a result: of what this test noticed, or of what none did."""
        return self.alone.get(by.split("::")[0], self.mark) if by else self.mark


@dataclass(frozen=True)
class Pace:
    """How long each test takes on the right code, and which functions it calls."""

    seconds: dict[str, float]
    calls: dict[str, list[str]]

    @staticmethod
    def of(parts: Iterable[Pace]) -> Pace:
        """Put together what is known of several files of tests."""
        seconds, calls = dict[str, float](), dict[str, list[str]]()
        for part in parts:
            seconds |= part.seconds
            calls |= part.calls
        return Pace(seconds, calls)

    def noticing(self, guarded: Guarded, function: str) -> list[str]:
        """Return the tests that can notice a change in a function; none means that all may."""
        if not guarded.inside or function == "(module)":
            return []
        here = {
            test: [name.split(":")[1] for name in called if name.split(":")[0] == guarded.file]
            for test, called in self.calls.items()
        }
        # A change in a function that runs at import may show in all of the file; one outside of
        # functions wherever its names are imported.
        calling = [
            test
            for test, names in here.items()
            if any(f"{function}.".startswith(f"{name}.") for name in names)
            or any(name.startswith(f"{function}.") for name in names)
        ]
        return calling or [test for test, names in here.items() if names]


class Killers:
    """The tests that noticed changes to a file, and to any file with the same guards."""

    def __init__(self) -> None:
        self._found = defaultdict[str | tuple[str, ...], list[str]](list)

    def remember(self, guarded: Guarded, test: str | None) -> None:
        """Put the test that noticed the last change first."""
        for those in (self._found[guarded.file], self._found[guarded.tests]):
            if test is not None:
                those[:] = [test, *(other for other in those if other != test)][:12]

    def of(self, guarded: Guarded) -> list[str]:
        """Return what is most likely to notice a change, the likeliest first."""
        return list(dict.fromkeys(self._found[guarded.file] + self._found[guarded.tests]))


class Order:
    """A pytest plugin: what noticed changes to this file comes first, then what is quick.

    Parameters
    ----------
    killers
        Tests that noticed changes, the last one first.
    seconds
        How long tests take on the right code; empty when that is to be found out.
    only
        The tests to run; all if empty.
    watch
        Whether to note which functions tests call, which takes its time.
    """

    def __init__(
        self,
        killers: list[str],
        seconds: dict[str, float],
        only: Collection[str] = (),
        *,
        watch: bool = False,
    ) -> None:
        self.rank = {test: place for place, test in enumerate(killers)}
        self.known, self.seconds, self.only = seconds, defaultdict[str, float](float), only
        self.calls: dict[str, list[str]] = {}
        self._watch = watch
        self.failed: str | None = None
        # Shared with the process that waits for the tests; they are collected until the first.
        self.until = RawValue("d", time.monotonic() + (4 * GRACE if seconds else math.inf))

    def pytest_collection_modifyitems(self, items: list) -> None:
        """Choose and sort the tests."""
        if self.only:
            items[:] = [item for item in items if item.nodeid in self.only]
        items.sort(
            key=lambda item: (
                self.rank.get(item.nodeid, len(self.rank)),
                self.known.get(item.nodeid, 0.0),
            )
        )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Note which functions of the package a test calls, when that is to be found out."""
        if not self._watch:
            return (yield)
        called = set[CodeType]()

        def watch(frame: FrameType, event: str, _: object) -> None:
            if event == "call":
                called.add(frame.f_code)

        threading.setprofile(watch)
        sys.setprofile(watch)
        try:
            return (yield)
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
            self.calls[item.nodeid] = sorted(
                f"{code.co_filename.split(INSIDE)[1]}:{code.co_qualname.split('.<locals>')[0]}"
                for code in called
                if INSIDE in code.co_filename
            )

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Set the time by which a test must end."""
        if self.known:
            limit = GRACE + PATIENCE * self.known.get(nodeid, 0.0)
            self.until.value = time.monotonic() + limit

    def pytest_runtest_logreport(self, report) -> None:
        """Note what failed, and how long tests take."""
        self.seconds[report.nodeid] += report.duration
        if report.failed:
            self.failed = self.failed or report.nodeid


class Bench:
    """A copy of sources and tests where one mutant at a time is tried, in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.pid = folder, 0
        for name in ("src", "tests"):
            shutil.copytree(
                fresh.ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__")
            )
        for name in ("pyproject.toml", "README.md", "docs", "examples", "benchmarks"):
            (folder / name).symlink_to(fresh.ROOT / name)
        # Checked by their digest: a mutant may be as long and as old as what it takes the place of.
        compileall.compile_dir(
            folder / "src", quiet=2, invalidation_mode=PycInvalidationMode.CHECKED_HASH
        )

    def start(self, guarded: Guarded, code: str | None, order: Order) -> None:
        """Begin the tests of a file, changed or as it is."""
        self.guarded, self.order = guarded, order
        self.source = self.folder / "src/voteprune" / guarded.file
        self.right = self.source.read_bytes()
        self.began = time.monotonic()
        self.news = self.folder / "news.json"
        self.news.unlink(missing_ok=True)
        if code is not None:
            self.source.write_text(code, encoding="utf-8")
        self.pid = os.fork()
        if self.pid == 0:
            self._test()

    def _test(self) -> None:
        try:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.setpgrp()  # not a session: kernels share out time by sessions, whatever nice says
            os.chdir(self.folder)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            os.environ["PYTHONPATH"] = str(self.folder / "src")
            sys.path.insert(0, str(self.folder / "src"))
            with (self.folder / "output").open("w") as output:
                os.dup2(output.fileno(), 1)
                os.dup2(output.fileno(), 2)
            words = ["-x", "-q", "-p", "no:cacheprovider", "--basetemp", str(self.folder / "tmp")]
            wanted = sorted({test.split("::")[0] for test in self.order.only})
            code = pytest.main([*words, *(wanted or self.guarded.tests)], [self.order])
            order = self.order
            told = {"code": int(code), "failed": order.failed, "seconds": order.seconds}
            told["calls"] = order.calls
            self.news.write_text(json.dumps(told))
        except OSError:
            os._exit(UNABLE)
        finally:
            os._exit(0)

    def done(self) -> tuple[dict, Pace] | None:
        """Return what became of the tests, or None while they go on; put the file back."""
        ended, status, used = os.wait4(self.pid, os.WNOHANG)
        late = not ended and time.monotonic() > self.order.until.value
        if not ended and not late:
            return None
        used = self.stop(over=bool(ended)) or used
        self.source.write_bytes(self.right)
        if ended and os.waitstatus_to_exitcode(status) == UNABLE:
            raise OSError(f"the tests cannot be run in {self.folder}; is the disk full?")
        told = json.loads(self.news.read_text()) if self.news.exists() else {}
        outcome = "noticed" if told.get("code", 1) else "survived"
        # Tests 5: none was found. The table is wrong, not the mutant.
        assert told.get("code") != 5, f"{self.guarded.file}: no tests"
        return {
            "outcome": "timed out" if late else outcome,
            "by": told.get("failed"),
            "took": round(time.monotonic() - self.began, 1),
            "cpu": round(used.ru_utime + used.ru_stime, 1),
        }, Pace(told.get("seconds", {}), told.get("calls", {}))

    def stop(self, *, over: bool = False) -> resource.struct_rusage | None:
        """End the tests and every worker they have left behind.

        Whatever they have forked is in their process group, and whatever they have started besides
        has this copy of the sources in its environment; nothing else is or has.

        Parameters
        ----------
        over
            Whether the tests have ended by themselves.

        Returns
        -------
        struct_rusage or None
            What tests that went on have used.
        """
        pid, self.pid, mine = self.pid, 0, str(self.folder / "src")
        if not pid:
            return None
        for process in psutil.process_iter():
            try:
                ours = process.pid == pid or os.getpgid(process.pid) == pid
                if ours or process.environ().get("PYTHONPATH") == mine:
                    process.kill()
            except (psutil.Error, OSError):  # it has ended, or is somebody else's
                continue
        return None if over else os.wait4(pid, 0)[2]
