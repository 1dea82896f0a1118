"""Kill a run with -9 at random points, resume it, and compare its table with an uninterrupted one.

``python benchmarks/kill.py`` kills a run of 200 tasks (20 folds whose pools are trained on the way,
2 sizes of pool, 5 methods) again and again until it is done, then another, until there were 50
kills: some moments after the start, or some moments after so many new results. After every kill
the store must be readable and hold nothing that the uninterrupted run does not hold; every run must
end equal to it, every task written once. Writes docs/benchmarks/kill.md.
tests/experiment/test_bench.py has the short version.
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
from voteprune_bench.experiment import read_failures, read_records  # noqa: E402

TARGET = ROOT / "docs/benchmarks/kill.md"
TASKS = 200


def plan_in(folder: Path) -> Path:
    """Write the plan of 200 tasks: 2 seeds x 10 folds x 2 sizes x 5 methods."""
    return write_plan(
        folder, PLAN, seeds="[10, 20]", folds="[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]",
        methods='["brute", "HC-ACC", "HC-UWA", "BFT", "FE"]',
    )  # fmt: skip


def start(plan: Path, run: Path) -> subprocess.Popen[bytes]:
    words = ["bench", "run", str(plan), str(run), "--jobs", "1"]
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


def kill_somewhere(plan: Path, run: Path, rng: random.Random) -> str:
    """Run on, kill at a random point, and return where that was."""
    before = lines(run)
    process = start(plan, run)
    if rng.random() < 0.3:  # early: while starting, taking the lock, training
        time.sleep(rng.uniform(0, 8))
    else:
        wanted = before + rng.randint(1, 9)
        while process.poll() is None and lines(run) < wanted:
            time.sleep(0.002)
        time.sleep(rng.uniform(0, 0.05))
    process.kill()
    process.wait()
    return f"{lines(run) - before} new results"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    scratch = Path(tempfile.mkdtemp())
    try:
        plan = plan_in(scratch / "plan")
        assert start(plan, scratch / "whole").wait() == 0
        whole = table(scratch / "whole")
        assert len(whole) == lines(scratch / "whole") == TASKS
        at: list[int] = []
        rounds = 0
        while len(at) < options.points:
            run = scratch / f"run{rounds}"
            rounds += 1
            while len(at) < options.points and len(table(run)) < TASKS:
                where = kill_somewhere(plan, run, rng)
                assert table(run).items() <= whole.items(), "the store is damaged"
                at.append(len(table(run)))
                print(f"kill {len(at)}: {where}, {at[-1]} in all", flush=True)
            assert start(plan, run).wait() == 0
            assert table(run) == whole, "the resumed table differs"
            assert lines(run) == TASKS, "a task was lost, or written twice"
            assert not read_failures(run)
    finally:
        shutil.rmtree(scratch)
    TARGET.write_text(report(at, rounds))
    return 0


def report(at: list[int], rounds: int) -> str:
    """Write what happened as Markdown."""
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    return f"""# Killed with -9, and resumed

`python benchmarks/kill.py`, {machine}.

A grid of {TASKS} tasks, with the training of 20 pools, was run {rounds} times and killed with -9 at
{len(at)} random points in all, and resumed every time. After every kill the store was read and held
only what an uninterrupted run holds; every run ended with the table of the uninterrupted one,
nothing lost, nothing twice.

Results in the store at the kills: {", ".join(map(str, at))}.
"""


if __name__ == "__main__":
    sys.exit(main())
