"""Votes to prune on, made in two ways, for `generalise`.

*Hold-out* is the paper's way: of the rows that are not for testing, 70 % train the classifiers and
30 % collect their votes. *Out of fold* trains every classifier three times, each time on two thirds
of those rows, and collects its votes on the third it has not seen, so that all can be pruned on;
the classifiers that are then scored have been trained on all.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from voteprune_bench.experiment.datasets import Table, catalogue, data_folder, load, locate
from voteprune_bench.experiment.pool import Pool, read_pool
from voteprune_bench.experiment.protocol import Probabilities, collect, encode, split_rows
from voteprune_bench.experiment.votefiles import write_votes

K = 100
PARTS = 3


def vote_file(folder: Path, name: str, seed: int, fold: int, *, out_of_fold: bool = False) -> Path:
    """Return where the votes of a fold are, or go."""
    return folder / f"{name}-s{seed}-f{fold}{'-oof' if out_of_fold else ''}-k{K}.csv.gz"


def make_votes(folder: Path, name: str, seed: int, fold: int, *, out_of_fold: bool = False) -> Path:
    """Train a pool and write its votes, unless they are there."""
    path = vote_file(folder, name, seed, fold, out_of_fold=out_of_fold)
    if not path.exists():
        dataset = catalogue()[name]
        table, pool = load(dataset, locate(dataset, data_folder())), read_pool()
        way = collect_out_of_fold if out_of_fold else collect
        write_votes(path, way(table, pool, K, seed, fold))
    return path


def collect_out_of_fold(table: Table, pool: Pool, k: int, seed: int, fold: int) -> Probabilities:
    """Let K classifiers speak on all rows but the test's, none on what it was trained on."""
    from sklearn.model_selection import StratifiedKFold

    split = split_rows(table.y, seed, fold)
    kept = np.sort(np.concatenate([split.training, split.validation]))
    parts = StratifiedKFold(PARTS, shuffle=True, random_state=seed).split(kept, table.y[kept])
    jobs = [(kept[fit], kept[speak]) for fit, speak in parts]
    said = [_speak(table, pool, k, seed, *job) for job in [*jobs, (kept, split.test)]]
    rows = np.concatenate([*(speak for _, speak in jobs), split.test])
    names = tuple(name for name, _ in pool.classifiers(k, seed))
    return Probabilities(names, np.vstack(said), table.y[rows], rows, len(kept))


def _speak(
    table: Table, pool: Pool, k: int, seed: int, fit: np.ndarray, speak: np.ndarray
) -> np.ndarray:
    features = encode(table, fit)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # weak settings are wanted in a pool
        fitted = [
            classifier.fit(features[fit], table.y[fit])
            for _, classifier in pool.classifiers(k, seed)
        ]
        return np.column_stack(
            [classifier.predict_proba(features[speak])[:, 1] for classifier in fitted]
        )
