"""The engine against the solvers, side by side: equal time, equal cores, real pools.

``python benchmarks/engine.py`` runs every block of `PLAN`, one method after the other, and writes
docs/benchmarks/engine.md and the curves beside it: value and gap after a few moments and at the
end. Pools come from benchmarks/pools.py, trained at the first use and cached. Every run is appended
to the state file as it is finished, so an interrupted benchmark goes on where it stopped; runs of
another commit, other code or other versions do not count (see `fresh`). ``--blocks`` runs some
blocks only, ``--minutes`` begins no run after so many; the page says what it lacks. ``--cores 0``
keeps every method to the cores that it names, one worker or thread on each, so that other work can
have the rest of the machine; runs on another number of cores do not count.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from pathlib import Path

import fresh
import pools
from spent import cpu

import voteprune as vp

ROOT = Path(__file__).resolve().parent.parent
MOMENTS = (1, 5, 20, 60, 300)
OURS = "voteprune exact"
METHODS = {
    OURS: {"method": "exact"},
    "merged, HiGHS": {"method": "merged", "solver": "highs"},
    "merged, CP-SAT": {"method": "merged", "solver": "cpsat"},
    "merged, SCIP": {"method": "merged", "solver": "scip"},
    "merged, Gurobi": {"method": "merged", "solver": "gurobi"},
    "merged, CPLEX": {"method": "merged", "solver": "cplex"},
    "paper, HiGHS": {"method": "paper", "solver": "highs"},
}
Key = tuple[str, int, int, str, str, str, float]
"""Data set, seed, fold, objective, diversity, method, seconds."""


@dataclass(frozen=True)
class Block:
    """One table: every method on every pool under every criterion, for so long."""

    title: str
    sets: tuple[str, ...]
    folds: int
    seconds: float
    methods: tuple[str, ...] = tuple(METHODS)
    criteria: tuple[tuple[str, str], ...] = (("accuracy", "F1"),)

    def runs(self) -> Iterator[Key]:
        """Yield everything that is to be run."""
        for data in self.sets:
            for seed, fold in folds_of(data)[: self.folds]:
                for objective, diversity in self.criteria:
                    for method in self.methods:
                        yield data, seed, fold, objective, diversity, method, self.seconds


FOLDS = ((40, 3), (50, 3), (60, 3))
LARGE_SETS, LARGE = ("def", "bmk", "aps_part"), ((10, 3),)
"""Seeds and folds, also of the larger sets. Nothing in the engine was tuned on them, but that the
choice to leave the relaxation of nogoods unscaled looked at, among others, 80 classifiers of QSR's
pool of seed 60."""


def folds_of(data: str) -> tuple[tuple[int, int], ...]:
    """Return the seeds and folds of a data set."""
    return LARGE if data in LARGE_SETS else FOLDS


SOLVERS = tuple(METHODS)[:-1]
OTHERS = (("balanced_accuracy", "F1"), ("accuracy", "F2"), ("accuracy", "F3"))
COMMERCIAL = (OURS, "merged, Gurobi", "merged, CPLEX")
PLAN = {
    "proofs": Block(
        "Time to proof", ("msk", "qsr", "spa"), 3, 30, SOLVERS
    ),
    "drd": Block("DRD, three folds", ("drd",), 3, 60, COMMERCIAL),
    "open": Block(
        "DRD, solvers without a licence", ("drd",), 1, 30,
        ("merged, HiGHS", "merged, CP-SAT", "merged, SCIP", "paper, HiGHS"),
    ),
    "large": Block(
        "Large sets", LARGE_SETS, 1, 60,
        (OURS, "merged, Gurobi"),
    ),
    "long": Block("Large sets, five minutes", ("def", "bmk"), 1, 300, (OURS,)),
    "easy": Block("Time to proof of the easy ones", ("prk", "bcw"), 2, 30),
    "criteria": Block(
        "Other criteria and diversity", ("qsr", "spa", "drd", "def", "bmk"), 1, 20,
        (OURS,), OTHERS,
    ),
}  # fmt: skip


def measure(key: Key, cores: int) -> dict:
    """Run one method and note where it stood when."""
    data, seed, fold, objective, diversity, method, limit = key
    votes = pools.votes(data, seed, fold)
    before = cpu()
    try:
        solution = vp.prune(
            votes, objective=objective, diversity=diversity,
            time_limit=limit, random_state=0, n_jobs=cores, **METHODS[method],
        )  # fmt: skip
    except vp.SolverError as error:
        return {"error": type(error).__name__}
    return {
        "status": solution.status, "seconds": solution.seconds, "value": solution.value,
        "cpu": round(cpu() - before, 2),
        "gap": solution.gap, "incidents": list(solution.incidents),
        "trace": [[p.seconds, p.value, p.gap] for p in solution.trace if p.value is not None],
    }  # fmt: skip


def run(blocks: list[Block], state: Path, cores: int, until: float = inf) -> dict[Key, dict]:
    """Run what this commit has not in the state file yet; return everything that it has."""
    mark = fresh.mark_of([fresh.ROOT / "src", Path(__file__), Path(pools.__file__)])
    rows = (row for row in fresh.fresh(state, mark) if row["commit"] == fresh.commit())
    done = {tuple(row["key"]): row for row in rows if row["workers"] == cores}
    for key in (key for block in blocks for key in block.runs() if key not in done):
        if time.monotonic() >= until:
            break
        if not pools.available(key[0]):
            print(*key, "is not there", flush=True)
            continue
        told = {"key": key, "workers": cores, **measure(key, cores)}
        row = done[key] = fresh.keep(state, told, mark)
        print(*key, row.get("status"), row.get("value"), row.get("gap"), flush=True)
    return done


def at(row: dict, moment: float) -> list | None:
    """Return seconds, value and gap of the last news until a moment."""
    seen = [news for news in row["trace"] if news[0] <= moment]
    return seen[-1] if seen else None


def page(done: dict[Key, dict], curves: str, cores: int) -> str:
    """Write all blocks as Markdown."""
    lines = [
        "# The engine against the solvers",
        "",
        "`python benchmarks/engine.py` (resumes; an hour or so)",
        "",
        f"{cores} core{'s' * (cores > 1)} each, one method after the other, all of one commit. "
        "Load is the machine's at the end of a run, in the mean of a minute: where others worked "
        "on it too, less was left. CPU is what voteprune, its workers and the solver had, in "
        "seconds. "
        "Pools of 100 classifiers (benchmarks/pools.py). Gap is (bound - value) / value, the value "
        "recounted by voteprune, the bound of a solver as it claims it. Seconds of a proof are "
        "those until bound and value met; where a MIP solver proves, voteprune then looks for "
        "fewer members, up to half a second more. "
        "A trial licence limits Gurobi to 2000 and CPLEX to 1000 variables and "
        "rows; `SolverLicenceError` says where that was too small. `aps_part` is a part of APS.",
        "",
        fresh.origin(done.values()),
        "",
        f"![Gap over time]({curves})",
    ]
    for block in PLAN.values():
        missing = sum(key not in done for key in block.runs())
        if missing == len(list(block.runs())):
            lines += ["", f"## {block.title}, {block.seconds:g} s", "", "Not run on this commit."]
            continue
        moments = [moment for moment in MOMENTS if moment <= block.seconds]
        lines += [
            "", f"## {block.title}, {block.seconds:g} s", "",
            "| set | seed, fold | objective | diversity | method | value | gap | seconds "
            "| CPU | load | value at 1 s | "
            + " | ".join(f"gap at {moment} s" for moment in moments) + " |",
            "|" + "---|" * (11 + len(moments)),
        ]  # fmt: skip
        lines += [_line(done[key], moments) for key in block.runs() if key in done]
        if missing:
            lines += ["", f"{missing} runs of this table are missing."]
    return "\n".join(lines) + "\n"


def _line(row: dict, moments: list[int]) -> str:
    data, seed, fold, objective, diversity, method, _ = row["key"]
    head = f"| {data} | {seed}, {fold} | {objective} | {diversity} | {method} | "
    if "error" in row:
        return head + f"{row['error']} |" + " |" * (5 + len(moments))
    first = at(row, 1)
    proofs = [moment for moment, _, gap in row["trace"] if gap <= 0]
    proved = row["status"] == "optimal"
    seconds = f"{(proofs or [row['seconds']])[0]:.2f} proved" if proved else f"{row['seconds']:.0f}"
    spots = [at(row, moment) for moment in moments]
    gaps = ["" if spot is None else _percent(spot[2]) for spot in spots]
    early = "" if first is None else f"{first[1]:.6f}"
    return (
        head + f"{row['value']:.6f} | {_percent(row['gap'])} | {seconds} | {row['cpu']:.1f} | "
        f"{row['load']:.1f} | {early} | "
        + " | ".join(gaps) + " |"
    )  # fmt: skip


def _percent(gap: float) -> str:
    return f"{100 * gap:.2f} %"


def draw(done: dict[Key, dict], path: Path) -> None:
    """Draw gap over time, one panel for each set on its first fold."""
    from matplotlib.figure import Figure

    sets = ("msk", "qsr", "spa", "drd", "def", "bmk")
    figure = Figure(figsize=(11, 6.5), layout="constrained")
    panels = figure.subplots(2, 3).ravel()
    for panel, data in zip(panels, sets, strict=True):
        fold = folds_of(data)[0]
        for place, method in enumerate(METHODS):
            rows = [
                row
                for key, row in done.items()
                if key[:6] == (data, *fold, "accuracy", "F1", method) and "trace" in row
            ]
            if rows:
                row = min(rows, key=lambda row: row["key"][6])
                path_of = [*row["trace"], [row["seconds"], row["value"], row["gap"]]]
                seconds, _, gaps = zip(*path_of, strict=True)
                wide = 2.2 if method == OURS else 1.1
                percent = [100 * gap for gap in gaps]
                panel.step(
                    seconds, percent, where="post", label=method, linewidth=wide, color=f"C{place}"
                )
        panel.set(title=data, xscale="log", xlim=(0.02, None), xlabel="seconds", ylabel="gap in %")
        panel.set_yscale("symlog", linthresh=0.5)
        panel.set_yticks([0, 0.5, 1, 2, 5, 10, 20], ["0", "0.5", "1", "2", "5", "10", "20"])
        panel.minorticks_off()
        panel.set_ylim(bottom=0)
    handles, labels = panels[3].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4)
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", nargs="+", default=list(PLAN), choices=list(PLAN))
    parser.add_argument("--minutes", type=float, default=inf)
    parser.add_argument("--state", type=Path, default=ROOT / ".engine.jsonl")
    parser.add_argument("--page", type=Path, default=ROOT / "docs/benchmarks/engine.md")
    parser.add_argument("--cores", type=int, nargs="+", help="numbers of the cores; all if omitted")
    options = parser.parse_args()
    if options.cores:
        os.sched_setaffinity(0, options.cores)
    cores = len(os.sched_getaffinity(0))
    until = time.monotonic() + 60 * options.minutes
    done = run([PLAN[name] for name in options.blocks], options.state, cores, until)
    curves = options.page.with_suffix(".svg")
    options.page.write_text(page(done, curves.name, cores))
    draw(done, curves)


if __name__ == "__main__":
    main()
