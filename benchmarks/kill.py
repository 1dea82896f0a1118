"""Kill a run with -9 at random points, resume it, and compare its table with an uninterrupted one.

``python benchmarks/kill.py`` does so at 50 points of a grid of 200 tasks (20 folds whose pools are
trained on the way, 2 sizes of pool, 5 methods), every point in a folder of its own, and writes
docs/benchmarks/kill.md. A point counts as passed if the store could be read after the kill, held
nothing that the uninterrupted run does not hold, and after one more run equals it, with every task
written once. tests/experiment/test_bench.py has the short version.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from experiment_plans import PLAN, write_plan  # noqa: E402
from voteprune.experiment import read_failures, read_records  # noqa: E402

TARGET = ROOT / "docs/benchmarks/kill.md"
TASKS = 200


def plan_in(folder: Path) -> Path:
    """Write the plan of 200 tasks: 2 seeds x 10 folds x 2 sizes x 5 methods."""
    return write_plan(
        folder, PLAN, seeds="[10, 20]", folds="[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]",
        methods='["brute", "HC-ACC", "HC-UWA", "BFT", "FE"]',
    )  # fmt: skip


def start(plan: Path, run: Path) -> subprocess.Popen[bytes]:
    words = ["bench", "run", str(plan), str(run), "--jobs", "2"]
    return subprocess.Popen(
        [sys.executable, "-m", "voteprune.cli", *words], stderr=subprocess.DEVNULL
    )


def table(run: Path) -> dict[str, tuple[object, ...]]:
    """Return what a run has found, without what depends on the clock."""
    return {
        one.key: (*one.run, one.pool_size, one.method, one.members, one.threshold, one.test)
        for one in (read_records(run) if run.is_dir() else [])
    }


def lines(run: Path) -> int:
    return sum(path.read_text().count("\n") for path in run.glob("results*.jsonl"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    scratch = Path(tempfile.mkdtemp())
    try:
        plan = plan_in(scratch / "plan")
        began = time.perf_counter()
        assert start(plan, scratch / "whole").wait() == 0
        lasted = time.perf_counter() - began
        whole = table(scratch / "whole")
        assert len(whole) == lines(scratch / "whole") == TASKS
        passed, at = 0, []
        for point in range(options.points):
            run = scratch / f"run{point}"
            process = start(plan, run)
            time.sleep(rng.uniform(0, lasted))
            process.kill()
            process.wait()
            found = table(run)
            at.append(len(found))
            sound = found.items() <= whole.items()
            start(plan, run).wait()
            sound &= table(run) == whole and lines(run) == TASKS and not read_failures(run)
            passed += sound
            print(
                point, f"killed after {at[-1]} results", "passed" if sound else "FAILED", flush=True
            )
            shutil.rmtree(run)
            TARGET.write_text(report(point + 1, passed, at, lasted))
    finally:
        shutil.rmtree(scratch)
    return 0 if passed == options.points else 1


def report(points: int, passed: int, at: list[int], lasted: float) -> str:
    """Write what happened as Markdown."""
    spread = ", ".join(str(sum(low <= n < low + 50 for n in at)) for low in (1, 51, 101, 151))
    return f"""# Killed with -9, and resumed

`python benchmarks/kill.py --points {points}`, {os.cpu_count()} cores, {platform.machine()}, Python
{platform.python_version()}. A grid of {TASKS} tasks whose uninterrupted run took {lasted:.0f} s is
killed with -9 at a random moment, then run again to its end.

| | |
|---|---|
| points | {points} |
| resumed to the table of the uninterrupted run, nothing lost, nothing twice | {passed} |
| killed before the first result (starting, training) | {at.count(0)} |
| killed after 1 to 50, 51 to 100, 101 to 150, 151 to 200 results | {spread} |
"""


if __name__ == "__main__":
    sys.exit(main())
