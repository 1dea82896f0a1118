"""Which committees are good on rows nobody has seen: margins, the paper's optima, the literature.

``python benchmarks/generalise.py`` runs every variant of `variants` on the pools of six data sets,
two seeds, ten folds, with votes made in both ways of `votes_for`, and writes
docs/results/generalisation.md. Vote files that are missing are trained first (``pip install -e
'.[bench]'``; some hours, most of them for out-of-fold votes), or left out with ``--no-training``.
Results go to a file line by line; what the same code and versions have put there is not run again
(see `fresh`; other lines do not count), so the command can be stopped and repeated, and run several
times at once with different ``--only`` and ``--store``; ``--only report --read STORE ...`` puts
them together. Part of it:

    python benchmarks/generalise.py --sets prk --seeds 10 --folds 0 1 --page page.md
    python benchmarks/generalise.py --ways "out of fold" --seeds 10 --minutes 25 --page page.md
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

import fresh
import variants
import votes_for
from generalise_report import OUT_OF_FOLD, write_report
from threadpoolctl import threadpool_limits
from variants import CHEAP, EXTRA, GROWTH, PAPER, VARIANTS
from votes_for import K, make_votes, vote_file

from voteprune.tables import read_table

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs/results/generalisation.md"
SETS = ("prk", "bcw", "msk", "qsr", "drd", "spa")
SEEDS = (10, 20)
FOLDS = range(10)
WAYS = ("hold-out", "out of fold")

GROUPS = {
    "cheap": tuple(CHEAP),
    "extra": tuple(EXTRA),
    "growth": tuple(GROWTH),
    "paper": tuple(PAPER),
    "report": (),
}

Key = tuple[str, int, int, str, str]


def key_of(result: dict) -> Key:
    return (
        result["set"], result["seed"], result["fold"], result["votes"], result["variant"],
    )  # fmt: skip


def mark() -> str:
    """Return the digest of what results depend on."""
    files = (__file__, variants.__file__, votes_for.__file__)
    return fresh.mark_of([fresh.ROOT / "src", *map(Path, files)])


def read_results(stores: Iterable[Path]) -> dict[Key, dict]:
    """Read the results that the code as it is has made."""
    here = mark()
    return {key_of(row): row for store in stores for row in fresh.fresh(store, here)}


def cells(options: argparse.Namespace) -> Iterator[tuple[str, int, int, str]]:
    """Yield data set, seed, fold, and the way the votes are made.

    The first folds of all data sets come first, so that a run that is stopped has seen them all.
    """
    for way in options.ways:
        for seed in options.seeds:
            for fold in options.folds:
                yield from ((name, seed, fold, way) for name in options.sets)


def run(options: argparse.Namespace, names: Iterable[str]) -> None:
    """Run what is missing, until the time is up."""
    folder, store, training = options.votes, options.store, not options.no_training
    done, here = read_results([*options.read, store]), mark()
    for needed in (folder, store.parent):
        needed.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + 60 * options.minutes
    for name, seed, fold, way in cells(options):
        if time.monotonic() > until:
            return
        wanted = [label for label in names if way == "hold-out" or label in OUT_OF_FOLD]
        missing = [label for label in wanted if (name, seed, fold, way, label) not in done]
        path = vote_file(folder, name, seed, fold, out_of_fold=way != "hold-out")
        if not missing or not (path.exists() or training):
            continue
        make_votes(folder, name, seed, fold, out_of_fold=way != "hold-out")
        lines = [
            {"set": name, "seed": seed, "fold": fold, "votes": way, "variant": label, **facts}
            for label, facts in judge(path, missing, seed * 100 + fold)
        ]
        for line in lines:
            fresh.keep(store, line, here)
        print(f"{path.name}: {sum(line['seconds'] for line in lines):.1f} s", flush=True)


def judge(path: Path, names: Iterable[str], seed: int) -> Iterator[tuple[str, dict]]:
    """Yield what every variant chooses on a vote file, and how many rows it gets right."""
    table = read_table(path, k=K)
    votes, test = table.validation, table.test
    for label in names:
        began = time.perf_counter()
        with warnings.catch_warnings(), threadpool_limits(1, "blas"):
            warnings.simplefilter("error")
            members, threshold = VARIANTS[label](votes, seed)
        seconds = time.perf_counter() - began
        here, there = (
            int(((matrix[:, members].sum(axis=1) > threshold) == labels).sum())
            for matrix, labels in ((votes.matrix, votes.labels), (test.votes, test.labels))
        )
        yield label, {
            "members": members, "threshold": threshold, "seconds": round(seconds, 3),
            "rows": votes.n_rows, "right": here,
            "test_rows": len(test.labels), "test_right": there,
        }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--votes", type=Path, default=ROOT / ".benchmarks/votes", help="folder of the vote files"
    )
    parser.add_argument("--store", type=Path, default=ROOT / ".benchmarks/generalise.jsonl")
    parser.add_argument("--read", type=Path, nargs="*", default=[], help="other stores to report")
    parser.add_argument("--only", choices=GROUPS, help="a group of variants; all when omitted")
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, help="these instead of a group")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS)
    parser.add_argument("--seeds", type=int, nargs="+", default=SEEDS)
    parser.add_argument("--folds", type=int, nargs="+", choices=FOLDS, default=FOLDS)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin nothing after")
    parser.add_argument("--page", type=Path, default=TARGET, help="where the report goes")
    parser.add_argument("--no-training", action="store_true")
    options = parser.parse_args()
    run(options, options.variants or GROUPS.get(options.only, tuple(VARIANTS)))
    results = read_results([*options.read, options.store])
    if options.only in (None, "report"):
        write_report(list(results.values()), options.page)


if __name__ == "__main__":
    main()
