"""Rows by the ten or hundred million, on disk: scanned, merged and pruned, with the peak memory.

``python benchmarks/rows.py`` writes ten million simulated rows of 50 classifiers to Parquet files,
scans and prunes them in a process of its own, and writes docs/benchmarks/rows.md. One row in five
has a pattern of its own, as in DEF, the paper's credit data. ``--rows 100000000`` takes ten times
as long and as much disk (700 MB). As many rows of probabilities, but no more than ``--soft`` (two
million if omitted, 400 MB), are summed and pruned by Brier score.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
K = 50
DISTINCT = 0.2
"""Patterns per row: 1533 of 8100 in DEF."""
BATCH = 2_000_000


def write_rows(folder: Path, n: int) -> None:
    """Write the rows in pieces of two million."""
    import polars as pl

    rng = np.random.default_rng(0)
    d = int(DISTINCT * n)
    words = np.zeros(d, dtype=np.uint64)
    truth = rng.random(d) < 0.3
    hard = rng.beta(0.5, 2.0, d).astype(np.float32)
    for k in range(K):
        skill = 0.05 + 0.3 * k / K
        wrong = rng.random(d, dtype=np.float32) < 0.4 * skill + 0.6 * hard
        words |= (truth ^ wrong).astype(np.uint64) << np.uint64(k)
    for place, begin in enumerate(range(0, n, BATCH)):
        size = min(BATCH, n - begin)
        # Each pattern once, the rest of the rows by a skewed draw.
        at = (d * rng.random(size) ** 3).astype(np.int64)
        own = np.arange(begin, begin + size)
        at = np.where(own < d, np.minimum(own, d - 1), at)
        labels = truth[at] ^ (rng.random(size, dtype=np.float32) < 0.1 * hard[at])
        votes = {f"m{k}": (words[at] >> np.uint64(k) & np.uint64(1)).astype(bool) for k in range(K)}
        frame = pl.DataFrame({**votes, "y": labels.astype(np.int8)})
        frame.write_parquet(folder / f"rows{place:03}.parquet")


def write_probabilities(folder: Path, n: int) -> None:
    """Write rows of probabilities: errors in ten families, more and less sure members."""
    import polars as pl

    rng = np.random.default_rng(1)
    for place, begin in enumerate(range(0, n, BATCH)):
        size = min(BATCH, n - begin)
        truth = rng.random(size) < 0.3
        families = rng.normal(0, 1, (10, size)).astype(np.float32)
        said = {}
        for k in range(K):
            noise = families[k % 10] + rng.normal(0, 1, size).astype(np.float32)
            odds = (0.5 + 1.5 * k / K) * (np.where(truth, 1.0, -1.0) + noise)
            said[f"m{k}"] = (1 / (1 + np.exp(-odds))).astype(np.float32)
        pl.DataFrame({**said, "y": truth.astype(np.int8)}).write_parquet(
            folder / f"rows{place:03}.parquet"
        )


def peak() -> float:
    """Return the most memory this process has had, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def measure(folder: Path, limit: float) -> str:
    """Scan and prune, and return a row of the table."""
    import voteprune as vp

    began = time.perf_counter()
    votes = vp.Votes.scan(folder, "y")
    scanned, scan_peak = time.perf_counter() - began, peak()
    began = time.perf_counter()
    solution = vp.prune(votes, time_limit=limit, random_state=0, n_jobs=2)
    pruned = time.perf_counter() - began
    return (
        f"| {int(votes.weights.sum()):,} | {K} | {solution.n_patterns:,} | {scanned:.0f} | "
        f"{scan_peak:.1f} | {pruned:.0f} | {peak():.1f} | {solution.value:.4f} | "
        f"{100 * solution.gap:.2f} % |"
    )


def measure_soft(folder: Path, limit: float) -> str:
    """Sum and prune by Brier score, and return a row of the table."""
    import voteprune as vp

    began = time.perf_counter()
    said = vp.Probabilities.scan(folder, "y")
    scanned = time.perf_counter() - began
    few = vp.AtMost("size", 7)
    solution = vp.prune(said, objective="brier", constraints=few, time_limit=limit, random_state=0)
    last = solution.trace[-1].seconds
    return (
        f"| {said.n_rows:,} | {K} | {scanned:.1f} | {last:.2f} | {solution.seconds - last:.1f} | "
        f"{peak():.1f} | {solution.loss:.5f} | {solution.status}, {100 * solution.gap:.4f} % |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--time-limit", type=float, default=60.0)
    parser.add_argument("--folder", type=Path, help="where the rows go; a temporary one if omitted")
    parser.add_argument("--soft", type=int, default=2_000_000, help="most rows of probabilities")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one is not None:
        kind, folder = options.one
        work = {"votes": measure, "soft": measure_soft}[kind]
        print(work(Path(folder), options.time_limit))
        return

    def apart(kind: str, n: int) -> str:
        """Measure in a process of its own, whose memory is nobody else's."""
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            {"votes": write_rows, "soft": write_probabilities}[kind](Path(folder), n)
            command = [sys.executable, __file__, "--one", kind, folder]
            command += ["--time-limit", str(options.time_limit)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
        print(done.stdout.strip(), flush=True)
        return done.stdout.strip()

    lines = [
        "# Rows that do not fit into memory", "",
        f"`python benchmarks/rows.py --rows {' '.join(map(str, options.rows))}`: simulated rows on "
        f"disk, {K} classifiers, a fifth of the rows with a pattern of their own; scanned with "
        f"`Votes.scan`, then pruned for accuracy with a limit of {options.time_limit:g} s and two "
        "workers. Memory is the most the process had, in GB; seconds are wall clock.", "",
        "| rows | classifiers | patterns | scan (s) | memory after the scan | prune (s) | "
        "memory after pruning | value | gap |",
        "|" + "---|" * 9,
    ]  # fmt: skip
    lines += [apart("votes", n) for n in options.rows]
    lines += [
        "", "## Probabilities, by Brier score", "",
        "Simulated probabilities in 32 bits, errors in ten families; summed with "
        "`Probabilities.scan`, then at most 7 members by `brier`. *Proof* does not depend on the "
        "rows; *recount* goes through them once more, for what the committee decides.", "",
        "| rows | classifiers | scan (s) | proof (s) | recount (s) | memory | Brier score | status "
        "|",
        "|" + "---|" * 8,
    ]  # fmt: skip
    lines += [apart("soft", n) for n in sorted({min(n, options.soft) for n in options.rows})]
    load = os.getloadavg()[2]
    lines += ["", f"Python {platform.python_version()}, {os.cpu_count()} cores, load {load:.1f}."]
    (ROOT / "docs/benchmarks/rows.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
