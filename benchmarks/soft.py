"""Soft committees: time to proof, and what rivals choose at the same size.

``python benchmarks/soft.py`` proves the best soft committee of real and simulated pools of 100,
goes as far as it can with larger ones, and writes docs/benchmarks/soft.md; what stands there from
"What was tried" on is kept. The members that greedy selection and abess choose are fitted again by
voteprune's own objective, so that only the choice of members differs. ``--rivals PYTHON`` names the
interpreter of an environment that has the rivals' own packages (``python -m venv rivals``, then
``rivals/bin/pip install abess autogluon.core``); without it they are left out. ``--cache`` names a
folder of trained pools, which ``python benchmarks/pools.py drd qsr spa def bmk --seeds 40 --folds
3`` fills.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import median

import numpy as np
import pools
from numpy.typing import NDArray

import voteprune as vp
from voteprune.soft.pruning import SoftPruning
from voteprune.tables import ReadOptions
from voteprune.tables.soft import read_probabilities

FOLD = (40, 3)
"""Seed and fold of the real pools, which nothing was tuned on."""
REAL = ("drd", "qsr", "spa", "def", "bmk")
LARGE = 16_200
PENALTIES, SIZES = (100.0, 30.0, 10.0), (7, 3)
LARGER = (
    (20_000, 1000, 100.0, 7, 60.0),
    (1_000_000, 100, 100.0, 7, 60.0), (1_000_000, 100, 100.0, 7, 5.0),
)  # fmt: skip
"""Rows, classifiers, penalty, members and seconds of what is not expected to be proved."""
PAGE, TRIED = pools.ROOT / "docs/benchmarks/soft.md", "## What was tried"
ROUNDS = 100
"""Rounds of greedy selection, at most."""

RIVALS = """
import json, sys, time
import numpy as np
from abess.linear import LogisticRegression
from autogluon.core import metrics
from autogluon.core.models.greedy_ensemble.ensemble_selection import EnsembleSelection

given = np.load(sys.argv[1])
size, found = int(sys.argv[2]), []

def note(name, act):
    began = time.process_time()
    members = act()
    found.append([name, sorted({int(k) for k in members}), time.process_time() - began])

def subset(alpha):
    model = LogisticRegression(support_size=size, alpha=alpha).fit(given["odds"], given["y"])
    return np.flatnonzero(model.coef_.ravel())

def selection(metric, rounds):
    draw = np.random.RandomState(0)
    model = EnsembleSelection(rounds, "binary", metric, random_state=draw)
    return model.fit(columns, given["y"]).indices_

for alpha in (None, 0.1, 1, 5, 10, 15, 30, 50, 100):
    note("abess", lambda: subset(alpha))
columns = list(given["shares"].T)
for name, metric in (("log loss", metrics.log_loss), ("accuracy", metrics.accuracy)):
    order = selection(metric, 25)
    # As many rounds as keep to the size, and the time of those alone.
    rounds = max(n for n in range(1, len(order) + 1) if len(set(order[:n])) <= size)
    note("AutoGluon, " + name, lambda: selection(metric, rounds))
print(json.dumps(found))
"""
"""Best subset selection of columns, with several ridges; AutoGluon's greedy selection, with the
rounds of its weighted ensemble. Told as names, members and seconds."""

BARE, NAMES = "greedy", ("abess", "AutoGluon, log loss", "AutoGluon, accuracy")
"""Our own bare loop of greedy selection; the rivals' packages."""


@dataclass(frozen=True)
class Rival:
    """How much more loss its members have than ours, its seconds, and ours until we were level."""

    excess: float
    seconds: float
    level: float


@dataclass(frozen=True)
class Row:
    """What one problem gave; losses are penalised means, seconds are of the processor."""

    pool: str
    n: int
    penalty: float
    size: int
    status: str
    gap: float
    loss: float
    found: float
    proved: float
    rivals: dict[str, Rival]


def simulated(errors: str, n: int = LARGE, k: int = 100) -> vp.Probabilities:
    """Make classifiers of unequal skill, all of which find the same rows hard.

    Beside that, their errors come in ten "families" as in pools of ten models, are "independent"
    of each other, so that any few do nearly as well as any others, or are "cancelling": five of
    them, shared with either sign, which members together take out.
    """
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    skill = rng.uniform(0.3, 1.5, k)
    seen = (2.0 * y - 1)[:, None] * skill
    if errors == "families":
        seen += rng.normal(0, 1, (n, 1)) * skill + np.repeat(
            rng.normal(0, 0.8, (n, 10)), k // 10, 1
        )
        seen += rng.normal(0, 0.4, (n, k))
    elif errors == "independent":
        seen += rng.normal(0, 1.2, (n, 1)) * skill + rng.normal(0, 1, (n, k))
    else:
        seen += rng.normal(0, 1.5, (n, 5)) @ rng.normal(0, 0.5, (5, k)) + rng.normal(0, 1, (n, k))
    return vp.Probabilities(1 / (1 + np.exp(-seen)), y)


def greedy(shares: NDArray[np.float64], y: NDArray[np.intp], size: int) -> list[int]:
    """Return the members that forward selection by log loss takes.

    Caruana and others (2004): start with nothing; in each round add the classifier, with
    replacement, whose addition to the mean of probabilities has the least log loss. It ends with
    as many different members as may sit, or when a round no longer helps.
    """
    true = np.where(y[:, None] == 1, shares, 1 - shares)
    total, chosen, last = np.zeros(len(y)), [], np.inf
    for count in range(1, ROUNDS + 1):
        losses = -np.log((total[:, None] + true) / count).mean(axis=0)
        best = int(np.argmin(losses))
        if losses[best] >= last:
            break
        if best not in chosen and len(set(chosen)) == size:
            break
        chosen.append(best)
        total, last = total + true[:, best], losses[best]
    return sorted(set(chosen))


def choices(python: str, said: vp.Probabilities, size: int) -> list[tuple]:
    """Return what the rivals' packages take: name, members and seconds of each choice."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pool.npz"
        np.savez(path, odds=said.log_odds, shares=said.shares(), y=said.labels)
        command = [python, "-c", RIVALS, str(path), str(size)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def measure(
    pool: str, said: vp.Probabilities, penalty: float, size: int,
    others: Sequence[tuple], options: argparse.Namespace,
) -> Row:  # fmt: skip
    """Prove the best committee, and fit the members that greedy and the other rivals choose."""
    limit = vp.AtMost("size", size)
    proved, found, clocks = [], [], []
    for _ in range(options.repeats):
        clock: list[tuple[float, float]] = []

        def watch(progress: vp.Progress, clock: list[tuple[float, float]] = clock) -> None:
            if progress.value is not None:
                clock.append((progress.value, time.process_time()))

        began = time.process_time()
        solution = vp.prune(
            said, objective="log_loss", penalty=penalty, constraints=limit,
            time_limit=options.time_limit, random_state=0, callback=watch,
        )  # fmt: skip
        proved.append(time.process_time() - began)
        found.append(next(at for value, at in clock if value >= solution.value) - began)
        clocks.append([(value, at - began) for value, at in clock])
        if solution.seconds > options.enough:
            break
    problem = SoftPruning.of(said, "log_loss", [limit], penalty)
    ours = solution.penalised_loss

    def excess(members: Sequence[int]) -> float:
        fitted = problem.best(members)
        return np.inf if fitted is None else -fitted[1] / ours - 1

    shares, seconds = said.shares(), []
    for _ in range(options.repeats):
        began = time.process_time()
        taken = greedy(shares, said.labels, size)
        seconds.append(time.process_time() - began)
    rivals: dict[str, Rival] = {}
    for name, members, spent in [(BARE, taken, median(seconds)), *others]:
        more = excess(members)
        theirs = -ours * (1 + more) * (1 + 1e-9)
        level = median(
            next((at for value, at in clock if value >= theirs), np.inf) for clock in clocks
        )
        # Of several choices of one rival the one with the least loss, and its time alone.
        if name not in rivals or more < rivals[name].excess:
            rivals[name] = Rival(more, spent, level)
    return Row(
        pool, said.n_rows, penalty, size, solution.status, solution.gap, ours,
        median(found), median(proved), rivals,
    )  # fmt: skip


def line(row: Row) -> str:
    """Write a row of the table."""

    def cell(rival: Rival) -> str:
        return f"{round(100 * rival.excess, 3) + 0:+.3f} %, {rival.seconds:.3f} / {rival.level:.3f}"

    told = [cell(row.rivals[name]) if name in row.rivals else "" for name in (BARE, *NAMES)]
    return (
        f"| {row.pool} | {row.n} | {row.penalty:g} | {row.size} | {row.status} | "
        f"{100 * row.gap:.4f} % | {row.loss:.5f} | {row.found:.2f} | {row.proved:.2f} | "
        f"{' | '.join(told)} |"
    )


def larger(n: int, k: int, penalty: float, size: int, limit: float) -> str:
    """Go as far as the time allows with a large pool, in a process of its own; return a row."""
    code = (
        "import json, resource, time\n"
        "import soft, voteprune as vp\n"
        f"said = soft.simulated('families', {n}, {k})\n"
        "began = time.monotonic()\n"
        f"done = vp.prune(said, objective='log_loss', penalty={penalty}, time_limit={limit},\n"
        f"                constraints=vp.AtMost('size', {size}), random_state=0)\n"
        "took = time.monotonic() - began\n"
        "peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20\n"
        "print(json.dumps([done.status, done.gap, done.penalised_loss, took, peak]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, check=True, cwd=Path(__file__).parent,
    )  # fmt: skip
    status, gap, loss, took, peak = json.loads(done.stdout.splitlines()[-1])
    return (
        f"| {n} | {k} | {penalty:g} | {size} | {limit:g} | {status} | {100 * gap:.4f} % | "
        f"{loss:.5f} | {took:.1f} | {peak:.1f} |"
    )


def load() -> str:
    """Say how busy the machine is."""
    return f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


def page(
    rows: Sequence[Row], large: Sequence[str], options: argparse.Namespace, before: str
) -> str:
    """Write the page."""
    head = f"""# Soft committees: time to proof, and rivals at equal size

`python benchmarks/soft.py` (Python {platform.python_version()}, numpy {np.__version__}; one thread;
medians of {options.repeats} runs, one run where it takes longer than {options.enough:g} s; limit
{options.time_limit:g} s)

Pools of 100 classifiers: the validation rows of the paper's pools (seed {FOLD[0]}, fold
{FOLD[1]}, which nothing was tuned on), and simulated ones of {LARGE} rows: errors in ten families,
as in pools of ten models; independent errors, where any few do nearly as well as any others; errors
that cancel. Weighted log-odds by log loss. *Loss* is the mean with the penalty, which is what is
minimised; *gap* is how much less any committee could have; *found* and *proved* are seconds of
processor time until the committee that is returned was there, and until its proof was, or the limit
came. The rivals' members are fitted again with the same penalised loss: the first figure is how
much more loss than ours their choice has, then their seconds of processor time / ours until we had
a committee at least as good, checks of the input and all. *Greedy* is forward selection with
replacement by the log loss of the mean (Caruana and others, 2004) as a bare loop of our own, which
may stop with fewer members; *AutoGluon* is the selection of its weighted ensemble, by its own code,
up to the round that keeps to the size. *abess* is best subset selection for logistic regression,
without a ridge and with eight of them: the one with the least loss is shown, and its time alone.

Load {before} before and {load()} after.

"""
    columns = (
        "pool", "rows", "penalty", "at most", "status", "gap", "loss", "found (s)", "proved (s)",
        *(f"{name}: loss, s / ours" for name in (BARE, *NAMES)),
    )  # fmt: skip
    head += f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|\n"
    told = []
    for name in (BARE, *NAMES):
        met = [row.rivals[name] for row in rows if name in row.rivals]
        if met:
            least, most = (100 * pick(one.excess for one in met) for pick in (min, max))
            first = sum(one.level <= one.seconds for one in met)
            told.append(
                f"| {name} | {round(least, 2) + 0:+.2f} to {round(most, 2) + 0:+.2f} % | "
                f"{first} of {len(met)} |"
            )
    closed = sum(row.status == "optimal" for row in rows)
    slowest = max((row.proved for row in rows if row.status == "optimal"), default=0.0)
    titles = (
        "rows", "classifiers", "penalty", "at most", "limit (s)", "status", "gap", "loss",
        "seconds", "GB at most",
    )  # fmt: skip
    tail = f"""
## Larger pools

Errors in families; seconds of the clock, cores: {len(os.sched_getaffinity(0))}.

| {" | ".join(titles)} |
{"|---" * len(titles)}|
{chr(10).join(large)}

{TRIED}{PAGE.read_text().partition(TRIED)[2]}"""
    note = "" if len(told) > 1 else "\nRivals' packages were not run: none were named.\n"
    return (
        head
        + "\n".join(map(line, rows))
        + f"\n\n{closed} of {len(rows)} problems are proved, the slowest in {slowest:.1f} s.\n\n"
        "| rival | loss of its members against ours | we were level no later |\n|---|---|---|\n"
        + "\n".join(told)
        + f"\n{note}{tail}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rivals", help="Python of an environment with abess and autogluon.core")
    parser.add_argument("--cache", type=Path, help="folder of trained pools")
    parser.add_argument("--time-limit", type=float, default=30.0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--enough", type=float, default=5.0, help="seconds of a run not repeated")
    options = parser.parse_args()
    if options.cache is not None:
        pools.CACHE = options.cache
    before, rows = load(), []
    problems = [*product(PENALTIES, SIZES), (30.0, 10)]
    few = [(100.0, 7), (30.0, 10), (30.0, 3)]
    made = [
        (name, read_probabilities([pools.train(name, *FOLD)], ReadOptions()).validation, problems)
        for name in REAL
    ]
    # A few problems each are enough to show where proofs are slow.
    made += [(name, simulated(name), few) for name in ("families", "independent", "cancelling")]
    for name, said, asked in made:
        sizes = {size for _, size in asked} if options.rivals else ()
        others = {size: choices(options.rivals, said, size) for size in sizes}
        for penalty, size in asked:
            rows.append(measure(name, said, penalty, size, others.get(size, ()), options))
            print(line(rows[-1]), flush=True)
    large = [larger(*asked) for asked in LARGER]
    PAGE.write_text(page(rows, large, options, before))


if __name__ == "__main__":
    main()
