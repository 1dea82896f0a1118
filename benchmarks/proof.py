"""Every exact path against brute force, on thousands of random problems.

Run it with ``make proof`` or ``python benchmarks/proof.py --count 2000 --jobs 2``. Weighted sums
(up to 12 classifiers, 60 rows, weights from -3 to 5, half of them with diversity limits or other
constraints) are solved by every method, every installed solver, presolve on and off, and compared
with an oracle that shares no code with the package. Ratios and other curves, margins, and plurality
committees of more than two classes are solved by all methods that are exact for them, and so are
soft committees, against fits of every subset by another solver. From bad starts every prover runs
with its search off, on up to 18 classifiers: no bound told may be below the optimum, and what is
better than the incumbent lies in an open node until it is found. Finished instances are kept in the
state file, so an interrupted run goes on where it stopped, with as many of every kind; only those
count that the same code, oracles and solvers have made (see `fresh`). The table is written at the
end.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

import fresh
import joblib

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from proof import KINDS  # noqa: E402 - the tests' module, not this one


def check_seed(kind: str, seed: int) -> dict[str, object]:
    """Check one instance on all paths."""
    began = time.perf_counter()
    paths, wrong, limited = KINDS[kind](seed)
    return {
        "kind": kind,
        "seed": seed,
        "paths": paths,
        "constrained": limited,
        "wrong": wrong,
        "seconds": time.perf_counter() - began,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=2000, help="how many instances of each kind")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS, help="run only these")
    parser.add_argument("--jobs", type=int, default=-1, help="how many processes")
    parser.add_argument("--state", type=Path, default=ROOT / ".proof.jsonl")
    parser.add_argument("--table", type=Path, default=ROOT / "docs/benchmarks/proof.md")
    options = parser.parse_args()

    # The oracles are part of what is claimed, and all that is not a test may belong to them.
    oracles = [path for path in (ROOT / "tests").glob("*.py") if path.name[:5] != "test_"]
    mark = fresh.mark_of([fresh.PACKAGE, *oracles])
    done = {(row["kind"], row["seed"]): row for row in fresh.fresh(options.state, mark)}
    # Seed by seed, so that a run that is interrupted has as many of every kind.
    wanted = [(kind, seed) for seed in range(options.count) for kind in options.kinds]
    left = [key for key in wanted if key not in done]
    results = joblib.Parallel(n_jobs=options.jobs, return_as="generator_unordered")(
        joblib.delayed(check_seed)(*key) for key in left
    )
    for place, row in enumerate(results, 1):
        done[row["kind"], row["seed"]] = fresh.keep(options.state, row, mark)
        for line in row["wrong"]:
            print(line, flush=True)
        if place % 50 == 0:
            print(f"{place} of {len(left)}", file=sys.stderr, flush=True)
    rows = list(done.values())
    options.table.write_text(table(rows))
    print(f"{options.table}: {sum(bool(row['wrong']) for row in rows)} instances with a fault")
    return int(any(row["wrong"] for row in rows))


def _seeds(rows: list[dict]) -> str:
    """Say which seeds were run, and which kinds were not."""
    seeds = {kind: {row["seed"] for row in rows if row["kind"] == kind} for kind in KINDS}
    ran = {kind: those for kind, those in seeds.items() if those}
    most = max(map(len, ran.values()), default=0)
    told = "The run was not ended: not all seeds of every kind are there."
    if all(those == set(range(most)) for those in ran.values()):
        told = f"Seeds 0 to {most - 1} of each."
    missing = [kind for kind in KINDS if kind not in ran]
    return told + (f" Not run: {', '.join(missing)}." if missing else "")


def table(rows: list[dict]) -> str:
    """Write the outcome as Markdown."""
    counts = Counter(row["kind"] for row in rows)
    limited = Counter(row["kind"] for row in rows if row["constrained"])
    told = ", ".join(f"{counts[kind]} {kind} ({limited[kind]})" for kind in KINDS if counts[kind])
    lines = [
        "# Every exact path against brute force",
        "",
        f"`python benchmarks/proof.py`: random instances, {told}; in brackets how many of them "
        f"with diversity limits or other constraints. {_seeds(rows)}",
        "",
        fresh.origin(rows),
        "",
        "A fault is a missed optimum, a bound ever reported below the optimum, a broken limit, a "
        "confusion that does not recount, an incident, or an infeasible request not recognised.",
        "",
        "| problems | path | instances | faults |",
        "|---|---|---|---|",
    ]
    for kind in KINDS:
        here = [row for row in rows if row["kind"] == kind]
        paths = Counter(path for row in here for path in row["paths"])
        wrong = [line.split(", ", 1)[1].split(":")[0] for row in here for line in row["wrong"]]
        faults = Counter(wrong)
        lines += [f"| {kind} | {path} | {n} | {faults[path]} |" for path, n in paths.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
