"""What the pictures of committees show, as data: who sits there, how unlike, at what price."""

from __future__ import annotations

import statistics
from collections import Counter
from dataclasses import dataclass

from .results import Results


@dataclass(frozen=True, slots=True)
class Heat:
    """A table of shades.

    Parameters
    ----------
    pool_size
        K.
    lines, columns
        Names.
    cells
        One line each; None where there is nothing.
    """

    pool_size: int
    lines: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Seconds:
    """What a method takes.

    Parameters
    ----------
    pool_size, method
        K, and which method.
    least, lower, median, upper, most
        Extremes and quartiles of all runs.
    runs
        How many.
    """

    pool_size: int
    method: str
    least: float
    lower: float
    median: float
    upper: float
    most: float
    runs: int


@dataclass(frozen=True, slots=True)
class Seat:
    """How often a classifier is selected.

    Parameters
    ----------
    pool_size
        K.
    name, family
        The classifier, and the model it comes from.
    share
        Share of the committees, of methods that select, in which it sits.
    """

    pool_size: int
    name: str
    family: str
    share: float


def diversity(results: Results) -> tuple[Heat, ...]:
    """Return the mean failure credit of the committees, data sets by methods."""

    def cell(dataset: str, pool_size: int, method: str) -> float | None:
        values = [
            record.diversity
            for record in results.cell(dataset, pool_size, method)
            if record.diversity is not None
        ]
        return statistics.fmean(values) if values else None

    return tuple(
        Heat(
            pool_size,
            results.datasets,
            methods := results.present(pool_size),
            tuple(
                tuple(cell(dataset, pool_size, method) for method in methods)
                for dataset in results.datasets
            ),
        )
        for pool_size in results.pool_sizes
    )


def families(results: Results) -> tuple[Heat, ...]:
    """Return whose seats they are: each family's share of a method's seats."""
    found = []
    for pool_size in results.pool_sizes:
        seats = {
            method: Counter(
                family
                for dataset in results.datasets
                for record in results.cell(dataset, pool_size, method)
                for family in record.families
            )
            for method in results.present(pool_size)
        }
        columns = tuple(sorted({family for counts in seats.values() for family in counts}))
        cells = tuple(
            tuple(counts[family] / counts.total() if counts else None for family in columns)
            for counts in seats.values()
        )
        found.append(Heat(pool_size, tuple(seats), columns, cells))
    return tuple(found)


def seats(results: Results, most: int = 15) -> tuple[Seat, ...]:
    """Return the classifiers that are selected most often."""
    found: list[Seat] = []
    for pool_size in results.pool_sizes:
        # The full ensemble selects nobody.
        chosen = [
            record
            for record in results.records
            if record.pool_size == pool_size and record.size < pool_size
        ]
        counts = Counter(
            pair
            for record in chosen
            for pair in set(zip(record.names, record.families, strict=True))
        )
        first = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:most]
        found += [
            Seat(pool_size, name, family, count / len(chosen)) for (name, family), count in first
        ]
    return tuple(found)


def seconds(results: Results) -> tuple[Seconds, ...]:
    """Return what every method takes, over all data sets."""
    found = []
    for pool_size in results.pool_sizes:
        for method in results.present(pool_size):
            values = sorted(
                record.seconds
                for dataset in results.datasets
                for record in results.cell(dataset, pool_size, method)
            )
            lower, median, upper = (
                statistics.quantiles(values, n=4, method="inclusive")
                if len(values) > 1
                else values * 3
            )
            found.append(
                Seconds(pool_size, method, values[0], lower, median, upper, values[-1], len(values))
            )
    return tuple(found)
