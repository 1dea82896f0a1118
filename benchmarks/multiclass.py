"""More than two classes: branch and bound by sizes against one integer program on HiGHS.

``python benchmarks/multiclass.py`` runs both on ten pools of 26 classifiers, on one core, and
writes docs/benchmarks/multiclass.md. Time is CPU time of voteprune and its workers, so that a busy
machine changes little: a run is interrupted when it has had its share, ``--before`` and
``--seconds``. What stood after 10 s is noted on the way. With ``--streams`` several pools are run
at once.

The pools are made anew: classifiers on a part of the features of scikit-learn's digits and of
simulated data, and the first 26 language models of data/llmjudge.csv.gz, whose grades 0 to 3 are
four classes. The integer program is what ``exact`` was before: the same first committees, 2 s of
search, then HiGHS. Nothing is kept from earlier runs.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import fresh
import numpy as np
from sklearn.datasets import load_digits, make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier
from spent import cpu

import voteprune as vp
from voteprune.mip.solve import solve_model
from voteprune.strategies import exact_plurality
from voteprune.strategies.registry import METHODS

SIZE = 26
EARLY = 10.0
_SAMPLE, _TRAINING = 1500, 1500
_FOREVER = 3600.0


class Simulated(NamedTuple):
    """A data set of scikit-learn's `make_classification`."""

    seed: int
    classes: int
    rows: int
    features: int
    separation: float
    flipped: float


SIMULATED = {
    "3 classes": Simulated(1, 3, 370, 12, 1.0, 0.05),
    "5 classes": Simulated(3, 5, 600, 16, 1.0, 0.0),
    "4 classes": Simulated(2, 4, 1000, 16, 0.8, 0.05),
    "7 classes": Simulated(6, 7, 2000, 20, 1.5, 0.0),
    "3 classes, more rows": Simulated(4, 3, 5000, 12, 1.2, 0.02),
    "6 classes": Simulated(5, 6, 5000, 20, 1.0, 0.05),
    "10 classes": Simulated(7, 10, 10_000, 24, 1.0, 0.05),
    "4 classes, more rows": Simulated(8, 4, 30_000, 12, 1.0, 0.05),
}


def classifiers(seed: int) -> list:
    """Return the classifiers of a pool, of seven families."""
    rng = np.random.default_rng(seed)
    pool: list = [DecisionTreeClassifier(max_depth=d, random_state=seed) for d in (3, 5, 8, None)]
    for depth in (4, 8, None, None):
        pool.append(ExtraTreeClassifier(max_depth=depth, random_state=seed + len(pool)))
    pool += [KNeighborsClassifier(n) for n in (1, 5, 15, 31)]
    pool += [GaussianNB(var_smoothing=smoothing) for smoothing in (1e-9, 1e-2, 0.1)]
    for c in (1e-3, 1e-1, 10):
        pool.append(make_pipeline(StandardScaler(), LogisticRegression(C=c, max_iter=200)))
    pool += [RidgeClassifier(alpha=alpha) for alpha in (1, 100)]
    pool.append(LinearDiscriminantAnalysis())
    while len(pool) < SIZE:
        depth = int(rng.integers(3, 10))
        tree = DecisionTreeClassifier(max_depth=depth, max_features=0.3, random_state=len(pool))
        pool.append(tree)
    return pool


def trained(x: np.ndarray, y: np.ndarray, n_train: int, seed: int, share: float):
    """Train a pool, each on a sample of rows and a share of the features; it votes on the rest."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(y))
    train, rest = order[:n_train], order[n_train:]
    said = []
    for model in classifiers(seed):
        some = rng.permutation(x.shape[1])[: max(2, int(share * x.shape[1]))]
        rows = rng.choice(train, min(len(train), _SAMPLE), replace=True)
        model.fit(x[rows][:, some], y[rows])
        said.append(model.predict(x[rest][:, some]))
    return vp.PluralityVotes(np.array(said).T, y[rest])


def digits() -> vp.PluralityVotes:
    """Return votes on half of scikit-learn's digits."""
    return trained(*load_digits(return_X_y=True), 900, 0, 0.25)


def judges() -> vp.PluralityVotes:
    """Return the grades of language models, against the human grade."""
    with gzip.open(fresh.ROOT / "data/llmjudge.csv.gz", "rt") as file:
        rows = list(csv.reader(file))
    grades = np.array([[float(grade) for grade in row[2:]] for row in rows[1:]])
    grades = grades.clip(0, 3).astype(int)
    return vp.PluralityVotes(grades[:, 1 : SIZE + 1], grades[:, 0], names=rows[0][3 : SIZE + 3])


def simulated(data: Simulated) -> vp.PluralityVotes:
    """Return votes on simulated rows."""
    x, y = make_classification(
        data.rows + _TRAINING, data.features, n_informative=data.features // 2,
        n_redundant=data.features // 4, n_classes=data.classes, n_clusters_per_class=2,
        class_sep=data.separation, flip_y=data.flipped, random_state=data.seed,
    )  # fmt: skip
    return trained(x, y, _TRAINING, data.seed, 0.7)


POOLS: dict[str, Callable[[], vp.PluralityVotes]] = {
    "digits": digits,
    "judges": judges,
    **{name: (lambda data=data: simulated(data)) for name, data in SIMULATED.items()},
}


def one_program(problem, run) -> object:
    """Solve as ``exact`` did before: first committees, search, then one integer program."""
    exact_plurality.offer_openings(problem, run)
    tabu = exact_plurality.PluralityTabuSearch(*exact_plurality.thinned(problem, run))
    exact_plurality.Searching(run, tabu).search(2.0)
    return solve_model(problem, run, exact_plurality.plurality_model)


@contextmanager
def allowed(seconds: float) -> Iterator[None]:
    """Interrupt what is done inside when it has had so many seconds of CPU."""
    # Whoever is started in the background of a shell has Ctrl-C switched off.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    over, until = threading.Event(), cpu() + seconds
    main = threading.main_thread().ident or 0

    def watch() -> None:
        while not over.wait(0.3):
            if cpu() >= until:
                signal.pthread_kill(main, signal.SIGINT)
                return

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        over.set()


def measure(votes: vp.PluralityVotes, seconds: float) -> dict:
    """Run once; return what stood early and at the end."""
    before, told = cpu(), []
    with allowed(seconds):
        solution = vp.prune(
            votes, random_state=0, n_jobs=1, time_limit=_FOREVER,
            callback=lambda progress: told.append((cpu() - before, progress.gap)) and False,
        )  # fmt: skip
    early = [gap for moment, gap in told if moment <= EARLY and gap is not None]
    return {
        "early": early[-1] if early else solution.gap, "gap": solution.gap,
        "value": solution.value, "seconds": cpu() - before,
        "proved": solution.status == "optimal",
    }  # fmt: skip


def line_of(name: str, before: float, seconds: float) -> str:
    """Run both on a pool and write a line."""
    votes = POOLS[name]()
    patterns = len(np.unique(votes.matrix, axis=0))
    with mock.patch.dict(METHODS["exact"].others, {"plurality": one_program}):
        old = measure(votes, before)
    new = measure(votes, seconds)
    cells: list[str] = [name, str(len(votes.classes)), str(votes.n_rows), str(patterns)]
    for row in (old, new):
        cells += [f"{row['value']:.4f}", f"{100 * row['early']:.1f} %"]
    end = f"proved in {new['seconds']:.1f} s" if new["proved"] else f"{100 * new['gap']:.1f} %"
    cells += [end, f"{new['gap'] / old['gap']:.2f}" if old["gap"] else ""]
    line = "| " + " | ".join(cells) + " |"
    print(line, flush=True)
    return line


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", type=float, default=EARLY)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--streams", type=int, default=1)
    parser.add_argument("--pools", nargs="*", default=list(POOLS), choices=list(POOLS))
    parser.add_argument("--page", type=Path, default=fresh.ROOT / "docs/benchmarks/multiclass.md")
    options = parser.parse_args(arguments)
    began, load = time.monotonic(), os.getloadavg()[0]
    with ProcessPoolExecutor(options.streams, get_context("spawn"), max_tasks_per_child=1) as pool:
        shares = [options.before] * len(options.pools), [options.seconds] * len(options.pools)
        lines = list(pool.map(line_of, options.pools, *shares))
    page = [
        "# More than two classes",
        "",
        "`python benchmarks/multiclass.py`",
        "",
        f"Accuracy, {SIZE} classifiers, every size, one core. Seconds are CPU seconds of voteprune "
        f"and its workers, in one run of {time.monotonic() - began:.0f} s on a machine of "
        f"{os.cpu_count()} cores with a load of {load:.0f} at its beginning and "
        f"{os.getloadavg()[0]:.0f} at its end. Gap is bound less value, as a share of the value. "
        f"*Before* is one integer program on HiGHS after the same first committees and 2 s of "
        f"search, for {options.before:g} s; *now* is branch and bound by sizes, for "
        f"{options.seconds:g} s. The ratio is of the gaps at the end of both.",
        "",
        "| pool | classes | rows | patterns | before: value | gap, 10 s | now: value | gap, 10 s "
        f"| gap, {options.seconds:g} s | ratio |",
        "|" + "---|" * 10,
        *lines,
    ]
    options.page.write_text("\n".join(page) + "\n")


if __name__ == "__main__":
    main()
