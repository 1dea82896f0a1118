"""What the committees are: how many members they have, and how many are proved optimal."""

from __future__ import annotations

import statistics

from .lines import averages_notes, entry, lines, notes, places, spread, with_averages
from .results import Results
from .table import Entry, Line, Table


def size_table(results: Results) -> Table:
    """Return the mean size of every method's committees."""

    def make(dataset: str, pool_size: int, method: str) -> Entry:
        sizes = [record.size for record in results.cell(dataset, pool_size, method)]
        mean = statistics.fmean(sizes) if sizes else None
        return entry(mean, spread(sizes), len(sizes), None)

    found = with_averages(results, lines(results, results.methods, make))
    return Table(
        "sizes",
        "Members",
        notes(
            "How many classifiers are in the committee: the mean over the runs ± their standard "
            "deviation. The paper does not tell.",
            *(averages_notes(results) if any(line.summary for line in found) else ()),
        ),
        ("data set", "K"),
        results.methods,
        found,
        decimals=1,
        rivals=False,
    )


def proved_table(results: Results) -> Table:
    """Return in how many runs each method that bounds something has proved its committee."""
    columns = results.bounding
    found = []
    for dataset, pool_size in places(results):
        cells = [results.cell(dataset, pool_size, method) for method in columns]
        runs = len({record.run for cell in cells for record in cell})
        proved = (sum(record.status == "optimal" for record in cell) for cell in cells)
        entries = (
            _counted(float(count) if cell else None, len(cell), runs)
            for count, cell in zip(proved, cells, strict=True)
        )
        found.append(Line((dataset, str(pool_size), str(runs)), tuple(entries)))
    return Table(
        "proved",
        "Runs that are proved optimal",
        "How often no other committee is better on the validation part, by the method's own "
        "criterion and under its constraints.",
        ("data set", "K", "runs"),
        columns,
        (*found, *_total(found)),
        decimals=0,
        rivals=False,
    )


def _counted(proved: float | None, mine: int, runs: int) -> Entry:
    """Return a count of proofs; with the method's own runs where it lacks some of the line's."""
    return Entry(proved, runs=mine, of=mine if 0 < mine < runs else None)


def _total(found: list[Line]) -> list[Line]:
    if len(found) < 2:
        return []
    runs = sum(int(line.keys[2]) for line in found)
    entries = (
        _counted(sum(cell.ours or 0.0 for cell in column), sum(cell.runs for cell in column), runs)
        for column in zip(*(line.entries for line in found), strict=True)
    )
    return [Line(("all", "all", str(runs)), tuple(entries), summary=True)]
