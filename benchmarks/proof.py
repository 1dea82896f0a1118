"""Every exact path against brute force, on thousands of random problems.

Run it with ``make proof`` or ``python benchmarks/proof.py --count 2000 --jobs 2``. Each instance
(up to 12 classifiers, 60 rows, weights from -3 to 5, half of them with diversity limits or other
constraints) is solved by every method, every installed solver, presolve on and off, and compared
with an oracle that shares no code with the package. Finished instances are kept in the state
file, so an interrupted run goes on where it stopped; the table is written at the end.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

import joblib

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))


def check_seed(seed: int) -> dict[str, object]:
    """Check one instance on all paths."""
    from instances import random_instance
    from proof import check, exact_paths

    instance = random_instance(seed)
    began = time.perf_counter()
    paths = exact_paths()
    wrong = check(instance, paths)
    return {
        "seed": seed,
        "paths": list(paths),
        "constrained": bool(instance.constraints or instance.diversity),
        "wrong": wrong,
        "seconds": time.perf_counter() - began,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=2000, help="how many instances")
    parser.add_argument("--jobs", type=int, default=-1, help="how many processes")
    parser.add_argument("--state", type=Path, default=ROOT / ".proof.jsonl")
    parser.add_argument("--table", type=Path, default=ROOT / "docs/benchmarks/proof.md")
    options = parser.parse_args()

    done = {}
    if options.state.exists():
        done = {row["seed"]: row for row in map(json.loads, options.state.open())}
    left = [seed for seed in range(options.count) if seed not in done]
    results = joblib.Parallel(n_jobs=options.jobs, return_as="generator_unordered")(
        joblib.delayed(check_seed)(seed) for seed in left
    )
    with options.state.open("a") as state:
        for place, row in enumerate(results, 1):
            done[row["seed"]] = row
            state.write(json.dumps(row) + "\n")
            state.flush()
            for line in row["wrong"]:
                print(line, flush=True)
            if place % 50 == 0:
                print(f"{place} of {len(left)}", file=sys.stderr, flush=True)
    rows = [done[seed] for seed in range(options.count)]
    options.table.write_text(table(rows))
    print(f"{options.table}: {sum(bool(row['wrong']) for row in rows)} instances with a fault")
    return int(any(row["wrong"] for row in rows))


def table(rows: list[dict]) -> str:
    """Write the outcome as Markdown."""
    from voteprune import solvers

    paths = Counter(path for row in rows for path in row["paths"])
    faults = Counter(line.split(", ", 1)[1].split(":")[0] for row in rows for line in row["wrong"])
    versions = ", ".join(f"{s.name} {s.version}" for s in solvers() if s.installed)
    lines = [
        "# Every exact path against brute force",
        "",
        f"`python benchmarks/proof.py --count {len(rows)}`: {len(rows)} random instances, "
        f"{sum(row['constrained'] for row in rows)} of them with diversity limits or other "
        f"constraints; {versions}.",
        "",
        "A fault is a missed optimum, a bound ever reported below the optimum, a broken limit, a "
        "confusion that does not recount, an incident, or an infeasible request not recognised.",
        "",
        "| path | instances | faults |",
        "|---|---|---|",
        *(f"| {path} | {count} | {faults[path]} |" for path, count in paths.items()),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
