"""Lines of a table: a data set and K each, our figures with the paper's beside them."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Collection, Iterator, Sequence

from . import paper
from .results import Results
from .table import Entry, Line

Maker = Callable[[str, int, str], Entry]
"""Data set, K and method to what stands there."""

AVERAGE = "average"
"""Key of a line that averages data sets."""


def places(results: Results) -> Iterator[tuple[str, int]]:
    """Yield the pairs of data set and K that have results, in the order of the tables."""
    for dataset in results.datasets:
        for pool_size in results.pool_sizes:
            if any(results.cell(dataset, pool_size, method) for method in results.methods):
                yield dataset, pool_size


def entry(
    ours: float | None, spread: float | None, runs: int, published: paper.Published | None
) -> Entry:
    """Put our figure and the paper's together.

    Parameters
    ----------
    ours, spread, runs
        As in `Entry`.
    published
        The paper's figure, if it has one.
    """
    if published is None:
        return Entry(ours, spread, runs=runs)
    return Entry(ours, spread, published.mean, published.std, runs)


def spread(values: Sequence[float]) -> float | None:
    """Return the sample standard deviation; None of fewer than two."""
    return statistics.stdev(values) if len(values) > 1 else None


def part_note(results: Results) -> str:
    """Say which data sets are only parts of the paper's, and what follows from that."""
    return " ".join(
        f"{name} is a part of {whole}; the paper has no figure for it."
        for name in dict.fromkeys(map(results.plain, results.datasets))
        if (whole := paper.whole_of(name))
    )


def ways_note(results: Results) -> str:
    """Say what is neither averaged nor ranked where votes were made in several ways."""
    return apart_note(dict.fromkeys(name for k in results.pool_sizes for name in results.apart(k)))


def apart_note(apart: Collection[str]) -> str:
    """Say which data sets are left out, since their votes were made in another way."""
    return f"Left out, so that a data set counts once: {'; '.join(apart)}." if apart else ""


def unranked_note(
    results: Results,
    methods: Sequence[str] | None = None,
    datasets: Sequence[str] | None = None,
    *,
    word: str = "ranked",
) -> str:
    """Say which methods are not ranked, see `Results.ranked`, and at which K.

    Parameters
    ----------
    results
        Of a run.
    methods, datasets
        As for `Results.ranked`.
    word
        What else they are not.
    """
    sizes: dict[str, list[str]] = {}
    for pool_size in results.pool_sizes:
        for method in results.unranked(pool_size, methods, datasets):
            sizes.setdefault(method, []).append(str(pool_size))
    told = "; ".join(f"{method}, K = {', '.join(found)}" for method, found in sizes.items())
    return f"Not {word}, since most runs lack it: {told}." if told else ""


def averages_notes(results: Results) -> tuple[str, ...]:
    """Say which methods and data sets are in no average."""
    return unranked_note(results, word="averaged"), ways_note(results)


def notes(*sentences: str) -> str:
    """Join the sentences that say something."""
    return " ".join(sentence for sentence in sentences if sentence)


def lines(results: Results, columns: Sequence[str], make: Maker) -> list[Line]:
    """Make a line of every pair of data set and K."""
    return [
        Line((dataset, str(k)), tuple(make(dataset, k, method) for method in columns))
        for dataset, k in places(results)
    ]


def with_averages(results: Results, found: Sequence[Line]) -> tuple[Line, ...]:
    """Add, for every K and for all, a line that averages the data sets that have all figures.

    A method that most runs lack is not averaged, and takes no data set from the others.
    Where some data sets have figures of the paper, only those are averaged, so that both averages
    are over the same data sets. One data set alone is not averaged, and none counts twice, by
    votes made in two ways.

    Parameters
    ----------
    results
        Of a run.
    found
        The lines, one per data set and K.
    """
    added: list[Line] = []
    averaged: list[tuple[list[Line], set[int]]] = []
    for pool_size in results.pool_sizes:
        alike = results.alike(pool_size)
        at_k = [line for line in found if line.keys[1] == str(pool_size) and line.keys[0] in alike]
        ranked = [results.methods.index(method) for method in results.ranked(pool_size)]
        shown = {i for i in ranked if any(_ours(line, i) for line in at_k)}
        whole = [line for line in at_k if all(_ours(line, i) for i in shown)]
        whole = [line for line in whole if _published(line)] or whole
        if shown and len(whole) > 1:
            added.append(_average(whole, str(pool_size), shown))
            averaged.append((whole, shown))
    if len(averaged) == len(results.pool_sizes) > 1:
        # What is not there at every K would make a difference of K out of one of data sets.
        shared = set.intersection(*({line.keys[0] for line in whole} for whole, _ in averaged))
        shown = set.intersection(*(columns for _, columns in averaged))
        over_all = [line for whole, _ in averaged for line in whole if line.keys[0] in shared]
        if shown and len(shared) > 1:
            added.append(_average(over_all, "all", shown))
    return (*found, *added)


def _average(whole: Sequence[Line], pool_size: str, shown: Collection[int]) -> Line:
    """Average lines; ours in the columns that are shown, the paper's wherever it has all."""
    entries = []
    for i, column in enumerate(zip(*(line.entries for line in whole), strict=True)):
        ours = [cell.ours for cell in column if cell.ours is not None] if i in shown else []
        theirs = [cell.paper for cell in column if cell.paper is not None]
        entries.append(
            Entry(
                ours=statistics.fmean(ours) if ours else None,
                paper=statistics.fmean(theirs) if len(theirs) == len(whole) else None,
                runs=sum(cell.runs for cell in column) if ours else 0,
            )
        )
    return Line((f"{AVERAGE} of {len(whole)}", pool_size), tuple(entries), summary=True)


def _ours(line: Line, column: int) -> bool:
    return line.entries[column].ours is not None


def _published(line: Line) -> bool:
    return any(cell.paper is not None for cell in line.entries)
