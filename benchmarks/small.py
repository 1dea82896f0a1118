"""Committees of a few members: all of them tried, against MIP solvers on the same limit.

``python benchmarks/small.py`` runs one method after the other on one core, each for at most
``--seconds``, and writes docs/benchmarks/small.md. DRD comes from benchmarks/pools.py, trained at
the first use; the judges are 33 language models, their grades cut at 2, on every other row of
data/llmjudge.csv.gz. Solvers that are not installed are left out. Nothing is kept from earlier
runs: every ratio is of one run.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import os
import time
from collections.abc import Callable
from pathlib import Path

import fresh
import numpy as np
import pools

import voteprune as vp

METHODS = {
    "voteprune exact": {"method": "exact"},
    "merged, HiGHS": {"method": "merged", "solver": "highs"},
    "merged, Gurobi": {"method": "merged", "solver": "gurobi"},
}
LIMITS = {"drd": (3, 4, 5), "judges": (3, 4, 5, 6)}
_CUT = 2


def judges() -> vp.Votes:
    """Return the judges' votes that a passage is relevant, against the human grade."""
    with gzip.open(pools.DATA / "llmjudge.csv.gz", "rt") as file:
        rows = list(csv.reader(file))
    grades = np.array([[float(grade) for grade in row[2:]] for row in rows[1::2]])
    return vp.Votes(grades[:, 1:] >= _CUT, grades[:, 0] >= _CUT, names=rows[0][3:])


POOLS: dict[str, Callable[[], vp.Votes]] = {"drd": lambda: pools.votes("drd"), "judges": judges}


def measure(votes: vp.Votes, most: int, method: dict, seconds: float) -> dict:
    """Run one method under a limit on the size."""
    try:
        solution = vp.prune(
            votes, constraints=vp.AtMost("size", most), time_limit=seconds, random_state=0,
            n_jobs=1, **method,
        )  # fmt: skip
    except vp.SolverError as error:
        return {"error": type(error).__name__}
    return {
        "value": solution.value, "bound": solution.bound, "seconds": solution.seconds,
        "proved": solution.status == "optimal",
    }  # fmt: skip


def lines_of(name: str, votes: vp.Votes, seconds: float) -> list[str]:
    """Run all methods on one pool and write a line for each."""
    lines = []
    for most in LIMITS[name]:
        ours = 0.0
        for title, method in METHODS.items():
            row = measure(votes, most, method, seconds)
            head = f"| {name} | {votes.n_rows} | {votes.n_classifiers} | {most} | {title} | "
            if "error" in row:
                lines.append(head + f"{row['error']} | | | |")
                continue
            ours = ours or row["seconds"]
            ratio = f"{row['seconds'] / ours:.0f}" + ("" if row["proved"] else " or more")
            lines.append(
                head + f"{row['value']:.6f} | {row['bound']:.6f} | {row['seconds']:.2f}"
                f"{' proved' if row['proved'] else ''} | {ratio} |"
            )
            print(lines[-1], flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--page", type=Path, default=fresh.ROOT / "docs/benchmarks/small.md")
    options = parser.parse_args()
    # Workers and libraries start up once, outside the figures.
    vp.prune(judges(), constraints=vp.AtMost("size", 2), random_state=0)
    began, lines = time.monotonic(), []
    for name, make in POOLS.items():
        lines += lines_of(name, make(), options.seconds)
    load = ", ".join(f"{part:.1f}" for part in os.getloadavg())
    page = [
        "# Committees of a few members",
        "",
        "`python benchmarks/small.py`",
        "",
        f"Accuracy, at most so many members, one core, {options.seconds:g} s at most, one run of "
        f"{time.monotonic() - began:.0f} s; load of the machine at its end {load}. Ratio is the "
        "time against voteprune's. A trial licence limits Gurobi to 2000 variables and rows; "
        "`SolverLicenceError` says where that was too small.",
        "",
        "| pool | rows | classifiers | at most | method | value | bound | seconds | ratio |",
        "|" + "---|" * 9,
        *lines,
    ]
    options.page.write_text("\n".join(page) + "\n")


if __name__ == "__main__":
    main()
