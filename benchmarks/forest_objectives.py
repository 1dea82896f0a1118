"""Trees chosen from a forest: which objective, and how many trees, do well on rows nobody has seen.

``python benchmarks/forest_objectives.py`` writes docs/results/forests.md in two minutes or so. The
splits are the paper's, as in benchmarks/forest.py: 63 % of the rows grow the forest, 27 % choose
the trees, 10 % are the test. Searches, half a second each, with fixed seeds.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from pools import table_of
from scipy.stats import rankdata, wilcoxon
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator

import voteprune as vp
from voteprune_bench.experiment.protocol import encode, split_rows

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs/results/forests.md"
RULES = {
    f"{name}{words}": {"objective": objective, "constraints": limit}
    for name, objective in {"accuracy": "accuracy", "ramp 1": vp.Ramp(1)}.items()
    for words, limit in {
        "": (),
        ", at most 21": vp.AtMost("size", 21),
        ", at most 7": vp.AtMost("size", 7),
    }.items()
}
WHOLE = "whole forest"


def scores(name: str, fold: int, options: argparse.Namespace) -> tuple[dict, dict]:
    """Return accuracy on the test rows, and the size, for every rule."""
    table = table_of(name)
    rows = split_rows(table.y, options.seed, fold)
    X, y = encode(table, rows.training), table.y
    forest = RandomForestClassifier(options.trees, random_state=fold)
    forest.fit(X[rows.training], y[rows.training])
    score, size = {WHOLE: forest.score(X[rows.test], y[rows.test])}, {WHOLE: options.trees}
    for rule, wishes in RULES.items():
        clf = vp.PrunedVotingClassifier(
            FrozenEstimator(forest), cv="prefit", method="search", time_limit=0.5, random_state=0,
            **wishes,
        ).fit(X[rows.validation], y[rows.validation])  # fmt: skip
        score[rule] = clf.score(X[rows.test], y[rows.test])
        size[rule] = clf.committee_.size
    return score, size


def report(results: list[tuple[str, dict, dict]], options: argparse.Namespace) -> str:
    rules = [WHOLE, *RULES]
    table = 100 * np.array([[score[rule] for rule in rules] for _, score, _ in results])
    sizes = np.array([[size[rule] for rule in rules] for _, _, size in results]).mean(axis=0)
    ranks = rankdata(-table, axis=1).mean(axis=0)
    unlimited = rules.index("ramp 1")
    lines = [
        "# Choosing trees from a forest",
        "",
        "Written by `python benchmarks/forest_objectives.py "
        f"--data {' '.join(options.data)} --folds {options.folds} --seed {options.seed} "
        f"--trees {options.trees}`. Forests of "
        f"{options.trees} trees; {len(results)} folds, {options.folds} of each data set. Accuracy "
        "on unseen rows in percent; mean rank among these seven, 1 is best. p: Wilcoxon "
        "signed-rank against the ramp without a limit, two-sided, not adjusted; folds of a data "
        "set share rows, so it is too small. The whole forest decides by its own rule, at a half; "
        "its cut-off has not been moved.",
        "",
        f"| | mean rank | accuracy | trees | p | {' | '.join(options.data)} |",
        "|" + "---|" * (5 + len(options.data)),
    ]
    owners = np.array([name for name, _, _ in results])
    for place in np.argsort(ranks):
        apart = table[:, place] - table[:, unlimited]
        chance = f"{wilcoxon(apart).pvalue:.2g}" if apart.any() else ""
        by_set = [f"{table[owners == name, place].mean():.2f}" for name in options.data]
        lines.append(
            f"| {rules[place]} | {ranks[place]:.2f} | {table[:, place].mean():.2f} | "
            f"{sizes[place]:.1f} | {chance} | {' | '.join(by_set)} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", nargs="+", default=["bcw", "drd", "msk", "qsr", "spa"])
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=10)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--table", type=Path, default=TARGET)
    options = parser.parse_args()
    results = []
    for name in options.data:
        for fold in range(options.folds):
            results.append((name, *scores(name, fold, options)))
            print(*results[-1], flush=True)
    options.table.write_text(report(results, options))


if __name__ == "__main__":
    main()
