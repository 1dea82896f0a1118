"""Is a wrong proof noticed? The tests against thousands of small wrong changes to what proves.

``make mutants`` changes the files that mutants.toml names, one small change at a time (see
`mutations`), and runs the tests that guard them until one fails. It writes
docs/benchmarks/mutants.md: how many changes were noticed, and every one that was not, with the
reason from mutants_harmless.toml if there is one. Hours for all; every result is appended to the
state file, so an interrupted run goes on where it stopped, and a change is tried again only when
its file, the test that noticed it or a helper of that (any test, if none did) or the versions have
changed; one that no test noticed is then tried by those alone that are new or have changed. The
order is random (``--seed``), so what has been tried is a fair sample of every file at any time.
Parts of it:

    python benchmarks/mutants.py --sample 300
    python benchmarks/mutants.py --only verify/trying.py incumbent.py
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import signal
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path

import fresh
from mutants_bench import BEFOREHAND, Bench, Guarded, Killers, Order, Pace
from mutants_report import page
from mutations import Mutant, mutants_of

HERE = Path(__file__).resolve().parent


def guarded_files(only: Iterable[str]) -> list[Guarded]:
    """Return the files that are to be changed, all or those whose path begins so."""
    table = tomllib.loads((HERE / "mutants.toml").read_text())
    found = []
    for group in table["group"]:
        guards = sorted({path for glob in group["tests"] for path in fresh.ROOT.glob(glob)})
        whole = {guard: helpers(guard) for guard in guards}
        for path in sorted({path for name in group["files"] for path in fresh.PACKAGE.glob(name)}):
            file = path.relative_to(fresh.PACKAGE).as_posix()
            if not only or file.startswith(tuple(only)):
                mark = fresh.mark_of([path, *(part for those in whole.values() for part in those)])
                names = [guard.relative_to(fresh.ROOT).as_posix() for guard in guards]
                alone = {
                    name: fresh.mark_of([path, *whole[guard]])
                    for name, guard in zip(names, guards, strict=True)
                }
                inside = group.get("inside", False)
                found.append(Guarded(file, tuple(names), inside, mark, alone))
    return found


@cache
def helpers(file: Path) -> frozenset[Path]:
    """Return a file of tests, what it imports of them or compares with, and what pytest does."""
    tests, found, left = fresh.ROOT / "tests", set[Path](), [file]
    left += [
        path for path in {tests / "conftest.py", file.with_name("conftest.py")} if path.exists()
    ]
    while left:
        here = left.pop()
        if here in found:
            continue
        found.add(here)
        for node in ast.walk(ast.parse(here.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names.append(node.module)
            # Helpers lie beside the tests or above them, and are imported by their bare names.
            parts = [name.replace(".", "/") for name in names]
            paths = (folder / f"{part}.py" for part in parts for folder in (tests, here.parent))
            left += [path for path in paths if path.exists()]
    # What was written down to be compared with lies beside the tests.
    return frozenset(found | set(file.parent.glob("*.json")))


def shuffled(mutants: dict[str, list[Mutant]], seed: int) -> list[Mutant]:
    """Return all mutants so that any first part of them is a fair sample of every file."""
    ranked = []
    for file, those in mutants.items():
        order = random.Random(f"{seed} {file}").sample(those, len(those))
        ranked += [((place + 0.5) / len(order), one) for place, one in enumerate(order)]
    return [one for _, one in sorted(ranked, key=lambda pair: (pair[0], pair[1].file))]


def run(mutants: list[Mutant], files: dict[str, Guarded], state: Path, jobs: int) -> None:
    """Try what is not in the state file yet."""
    known = known_in(state, files)
    left = [one for one in mutants if one.key not in known]
    killers = Killers()
    for row in known.values():
        killers.remember(files[row["file"]], row["by"])
    # Two mutants at a time leave no core for more threads, and threads do not survive a fork.
    os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    for name in BEFOREHAND:
        import_module(name)
    with tempfile.TemporaryDirectory(prefix="mutants-") as scratch:
        benches = [Bench(Path(scratch) / str(number)) for number in range(jobs)]
        try:
            paces = paces_of(groups(left, files), benches[0], state)
            passed = passed_in(state, files)
            for done, (one, told) in enumerate(
                tried(left, benches, files, killers, paces, passed), 1
            ):
                killers.remember(files[one.file], told["by"])
                names = ("file", "function", "change", "place")
                row = dict(zip(names, one.key, strict=True)) | told
                if told["outcome"] == "survived":
                    row["passed"] = files[one.file].alone
                fresh.keep(state, row, files[one.file].mark_of(told["by"]))
                if told["outcome"] == "survived":
                    print(f"{one.file} {one.function}: {one.change}", flush=True)
                if done % 50 == 0:
                    print(f"{done} of {len(left)}", file=sys.stderr, flush=True)
        finally:
            for bench in benches:
                bench.stop()


def groups(mutants: Iterable[Mutant], files: dict[str, Guarded]) -> list[tuple[str, ...]]:
    """Return every list of tests that is needed, once."""
    return list(dict.fromkeys(files[one.file].tests for one in mutants))


def paces_of(
    needed: list[tuple[str, ...]], bench: Bench, state: Path
) -> dict[tuple[str, ...], Pace]:
    """Return what the tests of each list do on the unchanged code, where all must pass.

    Every file of tests is run once, whatever lists it is in, and again when it or a source changes.
    """
    wanted = dict.fromkeys(test for tests in needed for test in tests)
    marks = {test: fresh.mark_of([fresh.PACKAGE, *helpers(fresh.ROOT / test)]) for test in wanted}
    known = {
        row["test"]: Pace(row["seconds"], row["calls"])
        for row in fresh.lines(state)
        if "test" in row and row["mark"] == marks.get(row["test"])
    }
    everything = guarded_files(())
    for test in wanted:
        if test in known:
            continue
        guarded = [one for one in everything if test in one.tests]
        own = {one.file for one in guarded if one.inside}
        bench.start(replace(guarded[0], tests=(test,)), None, Order([], {}, watch=bool(own)))
        while (done := bench.done()) is None:
            time.sleep(0.05)
        told, pace = done
        if told["outcome"] != "survived":
            output = (bench.folder / "output").read_text()
            sys.exit(f"without any change, {told['by']} fails: {output}")
        calls = {
            name: [call for call in called if call.split(":")[0] in own]
            for name, called in pace.calls.items()
        }
        known[test] = Pace(pace.seconds, calls)
        fresh.keep(state, {"test": test, "seconds": pace.seconds, "calls": calls}, marks[test])
    return {tests: Pace.of(known[test] for test in tests) for tests in needed}


def tried(
    left: list[Mutant], benches: list[Bench], files: dict[str, Guarded],
    killers: Killers, paces: dict[tuple[str, ...], Pace], passed: dict[tuple, set[str]],
) -> Iterator[tuple[Mutant, dict]]:  # fmt: skip
    """Yield every mutant with what became of it, as it is known."""
    planned = []
    for one in left:
        known = paces[files[one.file].tests]
        only = known.noticing(files[one.file], one.function)
        if one.key in passed:
            old = passed[one.key]
            only = [test for test in only or known.seconds if test.split("::")[0] not in old]
            if not only:
                yield one, {"outcome": "survived", "by": None, "took": 0.0, "cpu": 0.0}
                continue
        planned.append((one, only))
    waiting, busy = iter(planned), dict[Bench, Mutant]()
    while True:
        for bench in benches:
            if bench not in busy and (task := next(waiting, None)) is not None:
                one, only = task
                guarded = files[one.file]
                seconds = paces[guarded.tests].seconds
                bench.start(guarded, one.code, Order(killers.of(guarded), seconds, only))
                busy[bench] = one
        if not busy:
            return
        for bench, one in list(busy.items()):
            if (done := bench.done()) is not None:
                del busy[bench]
                yield one, done[0]
        time.sleep(0.02)


def passed_in(state: Path, files: dict[str, Guarded]) -> dict[tuple, set[str]]:
    """Return which test files have not noticed a change, and would not today."""
    return {
        (row["file"], row["function"], row["change"], row["place"]): {
            test
            for test, mark in row["passed"].items()
            if files[row["file"]].alone.get(test) == mark
        }
        for row in fresh.lines(state)
        if row.get("file") in files and "passed" in row
    }


def known_in(state: Path, files: dict[str, Guarded]) -> dict[tuple, dict]:
    """Return the results that hold for the files as they are."""
    return {
        (row["file"], row["function"], row["change"], row["place"]): row
        for row in fresh.lines(state)
        if row.get("file") in files and row.get("mark") == files[row["file"]].mark_of(row["by"])
    }


def at_first(state: Path) -> dict[tuple, dict]:
    """Return what became of every change when it was first tried, whatever has changed since."""
    found = dict[tuple, dict]()
    for row in fresh.lines(state):
        if "outcome" in row:
            key = (row["file"], row["function"], row["change"], row["place"])
            found.setdefault(key, row)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=(), help="files or folders of the package")
    parser.add_argument("--sample", type=int, help="how many changes at most, of all files alike")
    parser.add_argument("--seed", type=int, default=0, help="of the order in which they are tried")
    parser.add_argument("--jobs", type=int, default=2, help="how many at the same time")
    parser.add_argument("--state", type=Path, default=fresh.ROOT / ".mutants.jsonl")
    parser.add_argument("--page", type=Path, help="where the outcome goes; with --only, printed")
    options = parser.parse_args()
    # Ended from outside, it ends its tests and their workers first.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    files = {one.file: one for one in guarded_files(options.only)}
    mutants = {file: mutants_of(file, (fresh.PACKAGE / file).read_text("utf-8")) for file in files}
    run(shuffled(mutants, options.seed)[: options.sample], files, options.state, options.jobs)
    harmless = tomllib.loads((HERE / "mutants_harmless.toml").read_text())["harmless"]
    outcome = page(
        mutants, known_in(options.state, files), harmless, options.only, at_first(options.state)
    )
    if options.page or not options.only:
        (options.page or fresh.ROOT / "docs/benchmarks/mutants.md").write_text(outcome)
    else:
        print(outcome)


if __name__ == "__main__":
    main()
