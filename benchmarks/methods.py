"""How long the heuristics take, and how that grows with the rows.

``python benchmarks/methods.py`` writes docs/benchmarks/methods.md; about ten minutes and 1 GB.

Two kinds of synthetic pools of K = 100 classifiers. *Families*: ten families of ten settings that
share what is hard and differ a little, so that rows repeat as in real pools. *Distinct*: every
classifier errs on its own, so that hardly two rows are alike and merging gains nothing: the worst
case. A run is timed from arrays to Solution, merging included. The yardstick is hill climbing by
accuracy as one would first write it in NumPy, counting every candidate anew, in the same run.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import voteprune as vp

TARGET = Path(__file__).resolve().parent.parent / "docs/benchmarks/methods.md"
K = 100
SEVEN = ("full", "backfitting", "kappa", "hc-acc", "hc-com", "hc-con", "hc-uwa")
CLIMBS = ("hc-acc", "hc-com", "hc-con", "hc-uwa", "mdsq")
SEARCHES = ("genetic", "pareto", "caruana", "checklist")
"""Left out of the table over N, to keep the run short."""


def families(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Draw a pool whose rows repeat: few hard rows, and settings that differ little."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    family = rng.normal(size=(n, 10))[:, np.arange(K) % 10]
    score = 2.0 * (2 * y - 1)[:, None] + rng.normal(size=(n, 1)) + 0.5 * family
    return score + 0.15 * rng.normal(size=(n, K)) > 0, y


def distinct(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Draw a pool whose rows do not repeat: everybody errs alone, and often."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    return np.where(rng.random((n, K)) < 0.56, y[:, None], ~y[:, None]), y


KINDS: dict[str, Callable[[int], tuple[np.ndarray, np.ndarray]]] = {
    "families": families,
    "distinct": distinct,
}


def plain_hill_climb(matrix: np.ndarray, y: np.ndarray, most: int) -> float:
    """Time hill climbing by accuracy that counts every candidate's committee anew.

    Stops after `most` members; returns the seconds of all K, reckoned by the candidates tried.
    """
    began = time.perf_counter()
    members: list[int] = []
    while len(members) < most:
        outside = [k for k in range(matrix.shape[1]) if k not in members]
        accuracy = [
            np.mean((matrix[:, [*members, k]].sum(axis=1) > (len(members) + 1) // 2) == y)
            for k in outside
        ]
        members.append(outside[int(np.argmax(accuracy))])
    done = sum((size + 1) * (K - size) for size in range(most))
    all_of_it = sum((size + 1) * (K - size) for size in range(K))
    return (time.perf_counter() - began) * all_of_it / done


def timed(matrix: np.ndarray, y: np.ndarray, method: str) -> tuple[float, vp.Solution]:
    began = time.perf_counter()
    found = vp.prune(vp.Votes(matrix, y), method=method, random_state=0, time_limit=None)
    return time.perf_counter() - began, found


def at_one_size(n: int) -> list[str]:
    """Return a table of all heuristics at one N, with the ratio to the plain climb."""
    names = [method.name for method in vp.methods() if not method.proves]
    lines = [
        "| method | families, s | size | accuracy | distinct, s | size | accuracy | plain / it |",
        "|---|---|---|---|---|---|---|---|",
    ]
    cells: dict[str, list[str]] = {name: [] for name in names}
    seconds: dict[str, list[float]] = {name: [] for name in names}
    note = []
    for kind, draw in KINDS.items():
        matrix, y = draw(n)
        patterns = vp.Patterns.of(vp.Votes(matrix, y)).n_patterns
        plain = plain_hill_climb(matrix, y, 10)
        for name in names:
            took, found = timed(matrix, y, name)
            seconds[name].append(took)
            cells[name] += [f"{took:.2f}", str(found.committee.size), f"{found.value:.4f}"]
        together = sum(seconds[name][-1] for name in SEVEN)
        note.append(
            f"{kind}: {patterns} distinct patterns; the paper's seven together {together:.2f} s; "
            f"plain climb {plain:.1f} s"
        )
        for name in names:
            if kind == "distinct":
                cells[name].append(f"{plain / seconds[name][-1]:.0f}")
    lines += [f"| {name} | {' | '.join(cells[name])} |" for name in names]
    return [*lines, "", *(f"- {line}." for line in note)]


def over_sizes(sizes: list[int]) -> list[str]:
    """Return a table of seconds over N for what finishes by itself at every size."""
    names = [
        method.name for method in vp.methods() if not method.proves and method.name not in SEARCHES
    ]
    lines = []
    for kind, draw in KINDS.items():
        table: dict[str, list[float]] = {name: [] for name in names}
        patterns = []
        for n in sizes:
            matrix, y = draw(n)
            patterns.append(vp.Patterns.of(vp.Votes(matrix, y)).n_patterns)
            for name in names:
                table[name].append(timed(matrix, y, name)[0])
        lines += [
            f"### {kind.capitalize()}",
            "",
            f"| method | {' | '.join(f'N = {n:,}'.replace(',', ' ') for n in sizes)} "
            "| last tenfold |",
            f"|---|{'---|' * (len(sizes) + 1)}",
            f"| *distinct patterns* | {' | '.join(str(count) for count in patterns)} | |",
            *(
                f"| {name} | {' | '.join(f'{value:.2f}' for value in row)} "
                f"| x {row[-1] / row[-2]:.1f} |"
                for name, row in table.items()
            ),
            "",
        ]
        slowest = max(table[name][-1] for name in CLIMBS)
        lines += [f"Slowest hill climb at the largest N: {slowest:.1f} s.", ""]
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=16200, help="rows of the first table")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10**3, 10**4, 10**5, 10**6])
    parser.add_argument("--out", type=Path, default=TARGET)
    options = parser.parse_args()
    text = [
        "# How long the heuristics take",
        "",
        "Written by `python benchmarks/methods.py`; see there for the pools. Seconds from arrays "
        "to Solution, one thread, merging of rows included.",
        "",
        f"voteprune {vp.__version__}, NumPy {np.__version__}, Python "
        f"{platform.python_version()}, {os.cpu_count()} cores, "
        f"{platform.machine()}; the machine was shared with other work.",
        "",
        f"## N = {options.n:,}, K = {K}".replace(",", " ", 1),
        "",
        "The last column is the time of a plain NumPy hill climb by accuracy, which counts every "
        "candidate anew, over the method's time on the same distinct rows.",
        "",
        *at_one_size(options.n),
        "",
        "## Growth with N",
        "",
        "genetic, pareto, caruana and checklist are left out to keep this run short.",
        "",
        *over_sizes(options.sizes),
    ]
    options.out.write_text("\n".join(text).rstrip() + "\n", encoding="utf-8")
    print(options.out.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
