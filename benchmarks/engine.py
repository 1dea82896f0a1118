"""The engine against the solvers, side by side: equal time, one core each, real pools.

``python benchmarks/engine.py --time-limit 30 --sets drd def`` runs every method on every pool, one
after the other in one run, and writes docs/benchmarks/engine.md: value and gap after a few moments
and at the end. Pools come from benchmarks/pools.py, trained at the first use and cached. Rows are
appended to the state file as they are finished, so an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from pathlib import Path

import pools

import voteprune as vp

ROOT = Path(__file__).resolve().parent.parent
MOMENTS = (1, 5, 20, 60, 300)
METHODS = {
    "voteprune exact": {"method": "exact"},
    "merged, HiGHS": {"method": "merged", "solver": "highs"},
    "merged, CP-SAT": {"method": "merged", "solver": "cpsat"},
    "merged, SCIP": {"method": "merged", "solver": "scip"},
    "merged, Gurobi": {"method": "merged", "solver": "gurobi"},
    "merged, CPLEX": {"method": "merged", "solver": "cplex"},
    "paper, HiGHS": {"method": "paper", "solver": "highs"},
}


def measure(votes: vp.Votes, objective: str, diversity: str, name: str, limit: float) -> dict:
    """Run one method and note value and gap at the moments that have passed."""
    try:
        solution = vp.prune(
            votes, objective=objective, diversity=diversity, time_limit=limit, random_state=0,
            **METHODS[name],
        )  # fmt: skip
    except vp.SolverError as error:
        return {"error": type(error).__name__}
    path = {}
    for moment in MOMENTS:
        seen = [progress for progress in solution.trace if progress.seconds <= moment]
        if moment <= limit and seen:
            path[str(moment)] = [seen[-1].value, seen[-1].gap]
    return {
        "status": solution.status, "seconds": solution.seconds, "value": solution.value,
        "gap": solution.gap, "path": path, "incidents": list(solution.incidents),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=list(pools.SETS))
    parser.add_argument("--objectives", nargs="+", default=["accuracy"])
    parser.add_argument("--diversities", nargs="+", default=["F1"])
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--seeds", type=int, nargs="+", default=[10])
    parser.add_argument("--folds", type=int, nargs="+", default=[0])
    parser.add_argument("--time-limit", type=float, default=60.0)
    parser.add_argument("--state", type=Path, default=ROOT / ".engine.jsonl")
    parser.add_argument("--table", type=Path, default=ROOT / "docs/benchmarks/engine.md")
    options = parser.parse_args()
    done = {}
    if options.state.exists():
        done = {tuple(row["key"]): row for row in map(json.loads, options.state.open())}
    keys = [
        (data, seed, fold, objective, diversity, name, options.time_limit)
        for data in options.sets
        for seed in options.seeds
        for fold in options.folds
        for objective in options.objectives
        for diversity in options.diversities
        for name in options.methods
    ]
    with options.state.open("a") as state:
        for key in keys:
            if key not in done:
                data, seed, fold, objective, diversity, name, limit = key
                votes = pools.votes(data, seed, fold)
                row = measure(votes, objective, diversity, name, limit)
                done[key] = {"key": key, **row}
                state.write(json.dumps(done[key]) + "\n")
                state.flush()
                print(*key, row.get("status"), row.get("value"), row.get("gap"), flush=True)
    options.table.write_text(table([done[key] for key in keys], options))


def table(rows: list[dict], options: argparse.Namespace) -> str:
    """Write the runs as Markdown."""
    versions = ", ".join(f"{s.name} {s.version}" for s in vp.solvers() if s.installed)
    moments = [moment for moment in MOMENTS if moment <= options.time_limit]
    lines = [
        "# The engine against the solvers",
        "",
        f"`python benchmarks/engine.py --time-limit {options.time_limit:g} "
        f"--sets {' '.join(options.sets)} --objectives {' '.join(options.objectives)} "
        f"--diversities {' '.join(options.diversities)} "
        f"--methods {' '.join(map(json.dumps, options.methods))}`",
        "",
        f"One core each, one after the other, on {os.cpu_count()} cores ({platform.machine()}, "
        f"Python {platform.python_version()}); {versions}. Pools of 100 classifiers "
        "(benchmarks/pools.py), seeds " + ", ".join(map(str, options.seeds)) + ", folds "
        + ", ".join(map(str, options.folds)) + ". Gap is (bound - value) / value. A trial licence "
        "limits Gurobi to 2000 and CPLEX to 1000 variables and rows.",
        "",
        "| set | seed, fold | objective | diversity | method | value | gap | seconds | "
        + " | ".join(f"gap at {moment} s" for moment in moments) + " |",
        "|" + "---|" * (8 + len(moments)),
    ]  # fmt: skip
    for row in rows:
        data, seed, fold, objective, diversity, name, _ = row["key"]
        head = f"| {data} | {seed}, {fold} | {objective} | {diversity} | {name} | "
        if "error" in row:
            lines.append(head + f"{row['error']} |" + " |" * (2 + len(moments)))
            continue
        path = [row["path"].get(str(moment)) for moment in moments]
        gaps = [_percent(None if spot is None else spot[1]) for spot in path]
        seconds = f"{row['seconds']:.1f}" + (" proved" if row["status"] == "optimal" else "")
        lines.append(
            head + f"{row['value']:.6f} | {_percent(row['gap'])} | {seconds} | "
            + " | ".join(gaps) + " |"
        )  # fmt: skip
    return "\n".join(lines) + "\n"


def _percent(gap: float | None) -> str:
    return "" if gap is None else f"{100 * gap:.2f} %"


if __name__ == "__main__":
    main()
