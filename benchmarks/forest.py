"""A forest pruned to a few trees: what is lost, what is gained, how long it takes.

``python benchmarks/forest.py`` writes docs/benchmarks/forest.md. Needs the data set DEF, found as
benchmarks/pools.py says. The split is the paper's: one of ten stratified folds is the test, of the
rest 70 % grow the forest and 30 % choose the trees. Prediction is timed on the test rows with one
thread, forest and pruned forest in turn, the median of several rounds.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import time
from pathlib import Path

import numpy as np
import sklearn
from pools import table_of
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.metrics import balanced_accuracy_score

import voteprune as vp
from voteprune_bench.experiment.datasets import catalogue
from voteprune_bench.experiment.protocol import encode, split_rows

ROOT = Path(__file__).resolve().parent.parent
KINDS = {"forest": RandomForestClassifier, "extra trees": ExtraTreesClassifier}
ROUNDS = 9


def split(name: str, seed: int) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    """Return rows to grow on, to choose on and to test on."""
    table = table_of(name)
    rows = split_rows(table.y, seed, 0)
    X = encode(table, rows.training)
    return tuple((X[part], table.y[part]) for part in (rows.training, rows.validation, rows.test))


def tuned(forest: object, choose: tuple[np.ndarray, np.ndarray]) -> float:
    """Return the cut-off on the whole forest's probability that is best on the rows to choose on.

    The whole forest's own best, so that the committee's threshold is not its only advantage.
    """
    shares = forest.predict_proba(choose[0])[:, 1]
    cuts = np.unique(shares)[:: max(1, len(np.unique(shares)) // 400)]
    scores = [balanced_accuracy_score(choose[1], shares >= cut) for cut in cuts]
    return float(cuts[int(np.argmax(scores))])


def seconds_of(models: list[object], X: np.ndarray) -> list[float]:
    """Return each model's median time to predict: of the processor, so that others' load is out."""
    times = [[] for _ in models]
    for _ in range(ROUNDS):
        for model, measured in zip(models, times, strict=True):
            began = time.process_time()
            model.predict(X)
            measured.append(time.process_time() - began)
    return [statistics.median(measured) for measured in times]


def measure(kind: str, trees: int, size: int, seed: int, options: argparse.Namespace) -> dict:
    grow, choose, test = split(options.data, seed)
    forest = KINDS[kind](trees, random_state=seed, n_jobs=-1).fit(*grow)
    forest.set_params(n_jobs=1)
    began = time.perf_counter()
    small = vp.prune_ensemble(
        forest, *choose, objective="balanced_accuracy", constraints=vp.AtMost("size", size),
        time_limit=options.time_limit, random_state=seed, method=options.method,
    )  # fmt: skip
    seconds = time.perf_counter() - began
    cut = tuned(forest, choose)
    whole, part = seconds_of([forest, small], test[0])

    def score(decided: object, rows: tuple[np.ndarray, np.ndarray]) -> float:
        return 100 * balanced_accuracy_score(rows[1], decided)

    solution = small.solution_
    validation = score(small.predict(choose[0]), choose)
    # The smaller forest is the committee, to the last row.
    assert abs(validation - 100 * solution.value) < 1e-9
    return {
        "kind": kind, "trees": trees, "seed": seed, "size": solution.committee.size,
        "needed": solution.committee.threshold + 1, "gap": solution.gap, "seconds": seconds,
        "ratio": whole / part, "whole ms": 1000 * whole, "small ms": 1000 * part,
        "validation": (
            score(forest.predict(choose[0]), choose),
            score(forest.predict_proba(choose[0])[:, 1] >= cut, choose),
            validation,
        ),
        "test": (
            score(forest.predict(test[0]), test),
            score(forest.predict_proba(test[0])[:, 1] >= cut, test),
            score(small.predict(test[0]), test),
        ),
    }  # fmt: skip


def table(rows: list[dict], options: argparse.Namespace) -> str:
    lines = [
        "# A forest pruned to a few trees",
        "",
        f"`python benchmarks/forest.py --data {options.data} --size {options.size} "
        f"--trees {' '.join(map(str, options.trees))} --kinds "
        + " ".join(repr(kind) if " " in kind else kind for kind in options.kinds)
        + f" --seeds {' '.join(map(str, options.seeds))} --time-limit {options.time_limit:g} "
        f"--method {options.method}`",
        "",
        f"{options.data.upper()}, balanced accuracy in percent; {os.cpu_count()} cores "
        f"({platform.machine()}, Python {platform.python_version()}, scikit-learn "
        f"{sklearn.__version__}). *Forest* is the whole forest as it decides by itself, *cut* the "
        "whole forest with the cut-off on its probability that is best on the validation rows, "
        "*pruned* the forest that `prune_ensemble` returns, at most "
        f"{options.size} trees that decide exactly as the committee. Seconds: voting, choosing "
        "and building, the forest given, by the clock on a machine that others used too. Faster: "
        "processor time of the whole forest to predict the test rows over that of the pruned one, "
        f"one thread, in turn, median of {ROUNDS} rounds.",
        "",
        "On the test rows the pruned forest is better than the forest as it decides by itself in "
        f"{_won(rows, 0)} of {len(rows)} rows, and better than the forest with its cut-off moved "
        f"in {_won(rows, 1)} of {len(rows)}.",
        "",
        "| | trees | seed | pruned to | positive from | seconds | gap | validation: forest | cut | "
        "pruned | test: forest | cut | pruned | faster |",
        "|" + "---|" * 14,
    ]
    for row in rows:
        gap = "" if row["gap"] is None else f"{100 * row['gap']:.1f} %"
        shown = [f"{value:.2f}" for value in (*row["validation"], *row["test"])]
        lines.append(
            f"| {row['kind']} | {row['trees']} | {row['seed']} | {row['size']} | {row['needed']} | "
            f"{row['seconds']:.1f} | {gap} | {' | '.join(shown)} | {row['ratio']:.1f} x |"
        )
    return "\n".join(lines) + "\n"


def _won(rows: list[dict], rival: int) -> int:
    return sum(row["test"][2] > row["test"][rival] for row in rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default="def", choices=list(catalogue()))
    parser.add_argument("--trees", type=int, nargs="+", default=[300, 1000])
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--seeds", type=int, nargs="+", default=[10, 11])
    parser.add_argument("--size", type=int, default=20)
    parser.add_argument("--time-limit", type=float, default=30.0)
    parser.add_argument("--method", default="search")
    parser.add_argument("--table", type=Path, default=ROOT / "docs/benchmarks/forest.md")
    options = parser.parse_args()
    rows = []
    for trees in options.trees:
        for kind in options.kinds:
            for seed in options.seeds:
                rows.append(measure(kind, trees, options.size, seed, options))
                print(rows[-1], flush=True)
                options.table.write_text(table(rows, options))


if __name__ == "__main__":
    main()
