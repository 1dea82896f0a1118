"""Real pools to benchmark on: the paper's families and folds, trained once and cached.

``python benchmarks/pools.py drd spa --seeds 10 --folds 0 1`` trains the pools that are missing.
Data sets are read from the folder that the environment variable VOTEPRUNE_DATA names, else from
``data`` in the checkout, which has all but APS; ``pip install -e '.[bench]'`` brings the model
libraries. How pools are made is said in voteprune_bench.experiment, which does it.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import voteprune as vp
from voteprune.tables import read_table
from voteprune_bench.experiment.datasets import VARIABLE, Table, catalogue, load, locate
from voteprune_bench.experiment.pool import PAPER_POOL, read_pool
from voteprune_bench.experiment.protocol import VERSION, collect
from voteprune_bench.experiment.votefiles import write_votes

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".pools"
DATA = Path(os.environ.get(VARIABLE) or ROOT / "data")
SETS = ("prk", "bcw", "msk", "qsr", "drd", "spa", "def", "bmk", "aps_part")


def table_of(name: str) -> Table:
    """Return a data set."""
    dataset = catalogue()[name]
    return load(dataset, locate(dataset, DATA))


def available(name: str) -> bool:
    """Tell whether a data set is there; APS is not part of a checkout."""
    try:
        locate(catalogue()[name], DATA)
    except vp.exceptions.InputError:
        return False
    return True


def train(name: str, seed: int, fold: int, settings: Path = PAPER_POOL) -> Path:
    """Return the vote file of a pool of 100, training it first if need be."""
    pool = read_pool(settings)
    path = CACHE / f"{name}-{seed}-{fold}-v{VERSION}-{pool.fingerprint[:8]}.csv.gz"
    if not path.exists():
        began = time.perf_counter()
        write_votes(path, collect(table_of(name), pool, pool.size, seed, fold))
        print(f"{path.name}: {time.perf_counter() - began:.0f} s", flush=True)
    return path


def votes(name: str, seed: int = 10, fold: int = 0) -> vp.Votes:
    """Return the validation votes of a pool, training it first if need be."""
    return read_table(train(name, seed, fold)).validation


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--seeds", type=int, nargs="+", default=[10])
    parser.add_argument("--folds", type=int, nargs="+", default=[0])
    options = parser.parse_args()
    for seed in options.seeds:
        for fold in options.folds:
            for name in options.sets:
                train(name, seed, fold)


if __name__ == "__main__":
    main()
