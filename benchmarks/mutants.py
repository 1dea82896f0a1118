"""Is a wrong proof noticed? The tests against thousands of small wrong changes to what proves.

``make mutants`` changes the files that mutants.toml names, one small change at a time (see
`mutations`), and runs the tests that guard them until one fails. It writes
docs/benchmarks/mutants.md: how many changes were noticed, and every one that was not, with the
reason from mutants_harmless.toml if there is one. Hours for all; every result is appended to the
state file, so an interrupted run goes on where it stopped, and a change is tried again only when
its file, the tests that guard it or the versions have changed. The order is random and the same for
all runs, so what has been tried is a fair sample of every file. Parts of it:

    python benchmarks/mutants.py --sample 300
    python benchmarks/mutants.py --only verify/trying.py ledger.py
"""

from __future__ import annotations

import argparse
import compileall
import json
import math
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.sharedctypes import RawValue
from pathlib import Path
from py_compile import PycInvalidationMode

import fresh
import psutil
from mutants_report import page
from mutations import Mutant, mutants_of

HERE = Path(__file__).resolve().parent
BEFOREHAND = ("pytest", "numpy", "scipy.optimize", "scipy.sparse.csgraph", "sklearn.base", "joblib")
"""Imported once, before the tests of each mutant begin in a process of their own."""
MEMORY = 8 * 2**30
GRACE, PATIENCE = 20.0, 5.0
"""A test is given up after so many seconds, and so many times what it takes on the right code."""


@dataclass(frozen=True)
class Guarded:
    """A source file, the tests that guard it, and the digest of both."""

    file: str
    tests: tuple[str, ...]
    mark: str


def guarded_files(only: Iterable[str]) -> list[Guarded]:
    """Return the files that are to be changed, all or those whose path begins so."""
    table = tomllib.loads((HERE / "mutants.toml").read_text())
    helpers = [path for path in (fresh.ROOT / "tests").glob("*.py") if path.name[:5] != "test_"]
    found = []
    for names, tests in ((group["files"], group["tests"]) for group in table["group"]):
        guards = sorted({path for glob in tests for path in fresh.ROOT.glob(glob)})
        for path in sorted({path for name in names for path in fresh.PACKAGE.glob(name)}):
            file = path.relative_to(fresh.PACKAGE).as_posix()
            if not only or file.startswith(tuple(only)):
                mark = fresh.mark_of([path, *guards, *helpers])
                tests_of = tuple(path.relative_to(fresh.ROOT).as_posix() for path in guards)
                found.append(Guarded(file, tests_of, mark))
    return found


class Order:
    """A pytest plugin: what noticed changes to this file comes first, then what is quick.

    Parameters
    ----------
    killers
        Tests that noticed changes, the last one first.
    seconds
        How long tests take on the right code; empty when that is to be found out.
    """

    def __init__(self, killers: list[str], seconds: dict[str, float]) -> None:
        self.rank = {test: place for place, test in enumerate(killers)}
        self.known, self.seconds = seconds, defaultdict[str, float](float)
        self.failed: str | None = None
        # Shared with the process that waits for the tests; they are collected until the first.
        self.until = RawValue("d", time.monotonic() + (4 * GRACE if seconds else math.inf))

    def pytest_collection_modifyitems(self, items: list) -> None:
        """Sort the tests."""
        items.sort(
            key=lambda item: (
                self.rank.get(item.nodeid, len(self.rank)),
                self.known.get(item.nodeid, 0.0),
            )
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
        self.folder = folder
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
        self.guarded, self.code, self.order = guarded, code, order
        self.began = time.monotonic()
        self.news = self.folder / "news.json"
        self.news.unlink(missing_ok=True)
        if code is not None:
            (self.folder / "src/voteprune" / guarded.file).write_text(code)
        self.pid = os.fork()
        if self.pid == 0:
            self._test()

    def _test(self) -> None:
        try:
            import resource

            os.setsid()
            os.chdir(self.folder)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            os.environ["PYTHONPATH"] = str(self.folder / "src")
            sys.path.insert(0, str(self.folder / "src"))
            with (self.folder / "output").open("w") as output:
                os.dup2(output.fileno(), 1)
                os.dup2(output.fileno(), 2)
            words = ["-x", "-q", "-p", "no:cacheprovider", "--basetemp", str(self.folder / "tmp")]
            code = import_module("pytest").main([*words, *self.guarded.tests], [self.order])
            order = self.order
            told = {"code": int(code), "failed": order.failed, "seconds": order.seconds}
            self.news.write_text(json.dumps(told))
        finally:
            os._exit(0)

    def done(self) -> dict | None:
        """Return what became of the tests, or None while they go on; put the file back."""
        ended, _ = os.waitpid(self.pid, os.WNOHANG)
        late = not ended and time.monotonic() > self.order.until.value
        if not ended and not late:
            return None
        if late:
            self.stop()
        if self.code is not None:
            name = f"src/voteprune/{self.guarded.file}"
            shutil.copyfile(fresh.ROOT / name, self.folder / name)
        told = json.loads(self.news.read_text()) if self.news.exists() else {"seconds": {}}
        outcome = "noticed" if told.get("code", 1) else "survived"
        # Tests 5: none was found. The table is wrong, not the mutant.
        assert told.get("code") != 5, f"{self.guarded.file}: no tests"
        return {
            "outcome": "timed out" if late else outcome,
            "by": told.get("failed"),
            "took": round(time.monotonic() - self.began, 1),
            "seconds": told["seconds"],
        }

    def stop(self) -> None:
        """End the tests and every worker that they have started."""
        tests = psutil.Process(self.pid)
        for process in [*tests.children(recursive=True), tests]:
            try:
                process.send_signal(signal.SIGKILL)
            except psutil.NoSuchProcess:
                continue
        os.waitpid(self.pid, 0)


def shuffled(mutants: dict[str, list[Mutant]]) -> list[Mutant]:
    """Return all mutants so that any first part of them is a fair sample of every file."""
    ranked = []
    for file, those in mutants.items():
        order = random.Random(f"0 {file}").sample(those, len(those))
        ranked += [((place + 0.5) / len(order), one) for place, one in enumerate(order)]
    return [one for _, one in sorted(ranked, key=lambda pair: (pair[0], pair[1].file))]


def run(mutants: list[Mutant], files: dict[str, Guarded], state: Path, jobs: int) -> None:
    """Try what is not in the state file yet."""
    known = known_in(state, files)
    left = [one for one in mutants if one.key not in known]
    killers: dict[str, list[str]] = defaultdict(list)
    for row in known.values():
        remember(killers[row["file"]], row["by"])
    for name in BEFOREHAND:
        import_module(name)
    with tempfile.TemporaryDirectory(prefix="mutants-") as scratch:
        benches = [Bench(Path(scratch) / str(number)) for number in range(jobs)]
        try:
            paces = {tests: pace(benches[0], files, tests) for tests in groups(left, files)}
            for done, (one, told) in enumerate(tried(left, benches, files, killers, paces), 1):
                remember(killers[one.file], told["by"])
                del told["seconds"]
                names = ("file", "function", "change", "place")
                row = dict(zip(names, one.key, strict=True)) | told
                fresh.keep(state, row, files[one.file].mark)
                if told["outcome"] == "survived":
                    print(f"{one.file} {one.function}: {one.change}", flush=True)
                if done % 50 == 0:
                    print(f"{done} of {len(left)}", file=sys.stderr, flush=True)
        finally:
            for bench in benches:
                if getattr(bench, "pid", None) and psutil.pid_exists(bench.pid):
                    bench.stop()


def groups(mutants: Iterable[Mutant], files: dict[str, Guarded]) -> list[tuple[str, ...]]:
    """Return every list of tests that is needed, once."""
    return list(dict.fromkeys(files[one.file].tests for one in mutants))


def remember(killers: list[str], test: str | None) -> None:
    """Put the test that noticed the last change first."""
    if test is not None:
        killers[:] = [test, *(other for other in killers if other != test)][:12]


def pace(bench: Bench, files: dict[str, Guarded], tests: tuple[str, ...]) -> dict[str, float]:
    """Return how long each test takes on the unchanged code, where all must pass."""
    guarded = next(one for one in files.values() if one.tests == tests)
    bench.start(guarded, None, Order([], {}))
    while (told := bench.done()) is None:
        time.sleep(0.05)
    if told["outcome"] != "survived":
        sys.exit(f"without any change, {told['by']} fails: {(bench.folder / 'output').read_text()}")
    return told["seconds"]


def tried(
    left: list[Mutant], benches: list[Bench], files: dict[str, Guarded],
    killers: dict[str, list[str]], paces: dict[tuple[str, ...], dict[str, float]],
) -> Iterator[tuple[Mutant, dict]]:  # fmt: skip
    """Yield every mutant with what became of it, as it is known."""
    waiting, busy = iter(left), dict[Bench, Mutant]()
    while True:
        for bench in benches:
            if bench not in busy and (one := next(waiting, None)) is not None:
                seconds = paces[files[one.file].tests]
                bench.start(files[one.file], one.code, Order(killers[one.file], seconds))
                busy[bench] = one
        if not busy:
            return
        for bench, one in list(busy.items()):
            if (told := bench.done()) is not None:
                del busy[bench]
                yield one, told
        time.sleep(0.02)


def known_in(state: Path, files: dict[str, Guarded]) -> dict[tuple, dict]:
    """Return the results that hold for the files as they are."""
    return {
        (row["file"], row["function"], row["change"], row["place"]): row
        for row in fresh.lines(state)
        if row.get("file") in files and row.get("mark") == files[row["file"]].mark
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=(), help="files or folders of the package")
    parser.add_argument("--sample", type=int, help="how many changes at most, of all files alike")
    parser.add_argument("--jobs", type=int, default=2, help="how many at the same time")
    parser.add_argument("--state", type=Path, default=fresh.ROOT / ".mutants.jsonl")
    parser.add_argument("--page", type=Path, help="where the outcome goes; with --only, printed")
    options = parser.parse_args()
    files = {one.file: one for one in guarded_files(options.only)}
    mutants = {file: mutants_of(file, (fresh.PACKAGE / file).read_text()) for file in files}
    run(shuffled(mutants)[: options.sample], files, options.state, options.jobs)
    harmless = tomllib.loads((HERE / "mutants_harmless.toml").read_text())["harmless"]
    outcome = page(mutants, known_in(options.state, files), harmless)
    if options.page or not options.only:
        (options.page or fresh.ROOT / "docs/benchmarks/mutants.md").write_text(outcome)
    else:
        print(outcome)


if __name__ == "__main__":
    main()
