"""How strong the two pools are on rows nobody trained on, with the paper's figures beside them.

``python benchmarks/pool_strength.py`` trains pool.toml and pool_weak.toml on fold 0 of seeds 10 and
20 of the six small data sets, and of seed 10 of the larger ones that are there, and writes
docs/benchmarks/pool.md; ``--sets``, ``--seeds`` and ``--folds`` ask for others. Trained pools are
kept (benchmarks/pools.py), so it goes on where it was stopped.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np
import pools

import voteprune as vp
from voteprune.tables import read_table
from voteprune_bench.experiment.pool import PAPER_POOL, read_pool
from voteprune_bench.report.paper import POOL_SIZES, accuracy, dataset_name

TABLE = pools.ROOT / "docs/benchmarks/pool.md"
POOLS = {"pool.toml": PAPER_POOL, "pool_weak.toml": PAPER_POOL.with_name("pool_weak.toml")}
SMALL = ("prk", "msk", "bcw", "qsr", "drd", "spa")
METHODS = {"FE": "full", "HC-UWA": "hc-uwa"}


def strengths(path: Path) -> dict[str, float]:
    """Return accuracies on the test rows: of single classifiers, and of methods by K."""
    read = read_table(path)
    test, votes = read.test, read.validation
    right = (test.votes == test.labels[:, None]).mean(axis=0)
    per_family = len(test.names) // len(read_pool().families)
    places = np.arange(len(test.names)) % per_family
    scores = {"single": float(right.mean()), "best single": float(right.max())}
    for k in POOL_SIZES:
        first = np.flatnonzero(places < k * per_family // len(test.names))
        part = vp.Votes(votes.matrix[:, first], votes.labels)
        scores[f"single {k}"] = float(right[first].mean())
        for name, method in METHODS.items():
            committee = vp.prune(part, method=method, random_state=0).committee
            says = committee.predict(test.votes[:, first].astype(int))
            scores[f"{name} {k}"] = float((says == test.labels).mean())
    return scores


def row(name: str, label: str, runs: list[dict[str, float]]) -> str:
    """Write a line of the table."""
    mean = {key: 100 * float(np.mean([run[key] for run in runs])) for key in runs[0]}
    cells = [f"{mean[f'{what} {k}']:.1f}" for what in ("single", *METHODS) for k in (40, 100)]
    return (
        f"| {name} | {label}, {len(runs)} run{'s' * (len(runs) > 1)} | " + " | ".join(cells) + " |"
    )


def paper_row(name: str) -> str:
    """Write the paper's line."""
    figures = accuracy()
    cells = ["", ""]
    for method in METHODS:
        cells += [f"{100 * figures[dataset_name(name), k, method].mean:.1f}" for k in (40, 100)]
    return f"| {name} | the paper, 100 runs | " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=[*filter(pools.available, pools.SETS)])
    parser.add_argument("--seeds", type=int, nargs="+", default=[10, 20])
    parser.add_argument("--folds", type=int, nargs="+", default=[0])
    parser.add_argument("--pools", nargs="+", choices=POOLS, default=POOLS)
    options = parser.parse_args()
    lines = []
    for name in options.sets:
        runs = defaultdict(list)
        for label in options.pools:
            for seed in options.seeds if name in SMALL else options.seeds[:1]:
                for fold in options.folds:
                    runs[label].append(strengths(pools.train(name, seed, fold, POOLS[label])))
        lines += [row(name, label, found) for label, found in runs.items()]
        if any(key[0] == dataset_name(name) for key in accuracy()):
            lines.append(paper_row(name))
        print(*lines[-3:], sep="\n", flush=True)
        TABLE.write_text(page(lines, options))


def page(lines: list[str], options: argparse.Namespace) -> str:
    """Write the page."""
    asked = f"seeds {options.seeds} (of larger sets the first), folds {options.folds}"
    return "\n".join([
        "# How strong the pools are", "",
        f"`python benchmarks/pool_strength.py`: {asked}; accuracy in per cent on the 10 % of the "
        "rows kept for testing. *Single* is the mean over the K classifiers, FE the full ensemble, "
        "HC-UWA the paper's hill climbing by uncertainty weighted accuracy. The values of both "
        "pools are ours; the paper prints none of them. A few folds are a rough figure: at 5 "
        "points of standard deviation from fold to fold, as on DRD and MSK, the mean of two is off "
        "by 3 or so. `aps_part` is a part of APS.", "",
        "| | pool | single, K = 40 | K = 100 | FE, K = 40 | K = 100 | HC-UWA, K = 40 | K = 100 |",
        "|---|---|---|---|---|---|---|---|", *lines, "",
    ])  # fmt: skip


if __name__ == "__main__":
    main()
