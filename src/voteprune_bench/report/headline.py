"""The first thing a reader sees: a few figures, each with a line that says what it is."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import dataclass

from . import paper
from .lines import part_note, places
from .results import Results
from .standings import ALL_SEVEN
from .table import Entry, Table


@dataclass(frozen=True, slots=True)
class Tile:
    """A figure of the headline.

    Parameters
    ----------
    figure
        As shown.
    words
        What it is, as one or two sentences.
    """

    figure: str
    words: str


def headline(results: Results, accuracy: Table, ranks: Table, beaten: Table) -> tuple[Tile, ...]:
    """Return what to know first.

    Parameters
    ----------
    results
        Of a run.
    accuracy, ranks, beaten
        Its tables of accuracies, of ranks by accuracy, and of formulations that win.
    """
    return tuple(
        tile
        for tile in (
            _scope(results),
            _agreement(accuracy),
            _leader(ranks),
            _proofs(results),
            _wins(beaten),
        )
        if tile is not None
    )


def _scope(results: Results) -> Tile:
    records = results.records
    runs = {(record.run, record.votes_by, record.pool_size) for record in records}
    sets = len({results.plain(dataset) for dataset in results.datasets})
    sizes = _and(list(map(str, results.pool_sizes)))
    words = (
        f"committees, chosen by {len(results.methods)} methods in {len(runs)} runs on "
        f"{sets} data set{'s' if sets != 1 else ''}, K = {sizes}. {part_note(results)}"
    )
    return Tile(f"{len(records):,}".replace(",", "\u202f"), words.strip())


def _agreement(accuracy: Table) -> Tile | None:
    gaps = [100 * gap for cell in _cells(accuracy) if (gap := cell.difference) is not None]
    if not gaps:
        return None
    near = sum(abs(gap) <= 1 for gap in gaps)
    return Tile(
        f"{statistics.fmean(gaps):+.2f}",
        f"percentage points: our accuracies minus the paper's, on average over {len(gaps)} pairs "
        f"of figures. {near} of them are within one point of each other; half are within "
        f"{statistics.median(map(abs, gaps)):.2f}.",
    )


def _leader(ranks: Table) -> Tile | None:
    lines = [line for line in ranks.lines if any(cell.ours is not None for cell in line.entries)]
    if not lines:
        return None
    line = lines[-1]
    ours = {
        name: cell.ours
        for name, cell in zip(ranks.columns, line.entries, strict=True)
        if cell.ours is not None
    }
    theirs = {
        name: cell.paper
        for name, cell in zip(ranks.columns, line.entries, strict=True)
        if cell.paper is not None
    }
    first, top = _first(ours)
    where = f"over all {ranks.keys[0]}" if line.summary else f"at K = {line.keys[0]}"
    words = (
        f"{'has' if len(first) == 1 else 'have'} the best average rank by accuracy "
        f"{where}: {top:.2f} among {len(ours)} methods."
    )
    if theirs:
        best, top = _first(theirs)
        words += f" In the paper {_and(best)}: {top:.2f}."
    # A tile is small.
    return Tile(_and(first) if len(first) < 3 else f"{len(first)} methods", words)


def _first(ranks: dict[str, float]) -> tuple[list[str], float]:
    """Return who has the best rank, as far as two decimals tell, and the rank."""
    top = min(ranks.values())
    return [name for name, rank in ranks.items() if f"{rank:.2f}" == f"{top:.2f}"], top


def _and(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)


def _proofs(results: Results) -> Tile | None:
    records = [record for record in results.records if record.bound is not None]
    if not records:
        return None
    proved = sum(record.status == "optimal" for record in records)
    return Tile(
        f"{100 * proved / len(records):.0f} %",
        f"of the {len(records)} committees that come with a bound are proved optimal on the "
        "validation part: no other committee is better there.",
    )


def _wins(beaten: Table) -> Tile | None:
    if not beaten.lines:
        return None
    line = beaten.lines[0]
    measure, benchmarks, pairs = line.keys
    counts = {
        name: cell.ours
        for name, cell in zip(beaten.columns, line.entries, strict=True)
        if cell.ours is not None
    }
    if not counts or measure != "accuracy":
        return None
    most = max(counts.values())
    first = [name for name, count in counts.items() if count == most]
    whom = "every benchmark" if benchmarks == ALL_SEVEN else f"each of {benchmarks}"
    words = (
        f"pairs of data set and K on which {_and(first)} "
        f"{'is' if len(first) == 1 else 'are each'} more accurate than {whom}, the most of the "
        "paper's formulations."
    )
    theirs = [
        f"{cell.paper:.0f}{f' for {name}' if first[1:] else ''}"
        for name, cell in zip(beaten.columns, line.entries, strict=True)
        if name in first and cell.paper is not None
    ]
    if theirs:
        words += f" The paper: {_and(theirs)}."
    return Tile(f"{most:.0f} of {pairs}", words)


def _cells(table: Table) -> Iterator[Entry]:
    for line in table.lines:
        if not line.summary:
            yield from line.entries


def coverage_rows(results: Results) -> Iterator[tuple[str, ...]]:
    """Yield what every pair of data set and K rests on: seeds, runs, and what is missing."""
    for dataset, pool_size in places(results):
        cells = {
            method: results.cell(dataset, pool_size, method)
            for method in results.present(pool_size)
        }
        runs = {record.run for cell in cells.values() for record in cell}
        lacking = [
            f"{method} {len(runs) - len(cell)}"
            for method, cell in cells.items()
            if len(cell) < len(runs)
        ]
        rows = {record.n_validation for cell in cells.values() for record in cell}
        tests = {record.n_test for cell in cells.values() for record in cell}
        whole = paper.whole_of(results.plain(dataset))
        yield (
            f"{dataset} (a part of {whole})" if whole else dataset,
            str(pool_size),
            str(len({seed for _, seed, _ in runs})),
            str(len(runs)),
            _range(rows),
            _range(tests),
            ", ".join(lacking) or "nothing",
        )


def _range(values: set[int]) -> str:
    low, high = min(values), max(values)
    return str(low) if low == high else f"{low} to {high}"
