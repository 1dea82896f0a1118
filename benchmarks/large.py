"""What the engine does with large pools: time to a committee and a bound, and memory.

``python benchmarks/large.py`` prunes synthetic pools whose rows hardly ever merge, each in a
process of its own, and writes docs/benchmarks/large.md.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import voteprune as vp

ROOT = Path(__file__).resolve().parent.parent
POOLS = ((16_200, 100), (20_000, 300), (20_000, 1000))


def pool(n: int, k: int) -> vp.Votes:
    """Make classifiers of unequal skill that fail together on the hard rows."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    hard = rng.beta(0.5, 2.0, (n, 1))
    skill = rng.uniform(0.1, 0.3, k)
    return vp.Votes((y[:, None] ^ (rng.random((n, k)) < skill * 0.4 + 0.6 * hard)).astype(int), y)


def measure(n: int, k: int, limit: float) -> str:
    votes = pool(n, k)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    began = time.perf_counter()
    first: list[float] = []
    solution = vp.prune(
        votes, time_limit=limit, random_state=0,
        callback=lambda p: first.append(p.seconds) if p.value is not None else None,
    )  # fmt: skip
    seconds = time.perf_counter() - began
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return (
        f"| {n} | {k} | {solution.n_patterns} | {first[0]:.1f} | {solution.value:.4f} | "
        f"{100 * solution.gap:.2f} % | {seconds:.1f} | {before:.0f} | {own:.0f} | "
        f"{worker_memory():.0f} |"
    )


def worker_memory() -> float:
    """Return the highest memory of the largest worker process in MB, as Linux tells it."""
    highest = 0.0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            told = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
        except (OSError, ValueError):
            continue
        if int(told["PPid"]) == os.getpid() and "VmHWM" in told:
            highest = max(highest, float(told["VmHWM"].split()[0]) / 1024)
    return highest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--one", type=int, nargs=2, help="rows and classifiers of a single pool")
    parser.add_argument("--time-limit", type=float, default=10.0)
    options = parser.parse_args()
    if options.one:
        print(measure(*options.one, options.time_limit))
        return
    lines = [
        "# Large pools", "", "`python benchmarks/large.py`", "",
        f"Accuracy, {options.time_limit:g} s limit, one core. Memory in MB, the highest: with the "
        "votes alone, of the run, of its largest worker process.", "",
        "| rows | classifiers | patterns | first committee (s) | value | gap | seconds | votes | "
        "run | worker |",
        "|" + "---|" * 10,
    ]  # fmt: skip
    for n, k in POOLS:
        command = [sys.executable, __file__, "--one", str(n), str(k)]
        command += ["--time-limit", str(options.time_limit)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        lines.append(done.stdout.strip())
        print(lines[-1], flush=True)
    (ROOT / "docs/benchmarks/large.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
