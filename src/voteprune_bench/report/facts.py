"""`Facts`: all that a report says, collected as data before anything is drawn or written."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from voteprune.exceptions import FileFormatError, InputError
from voteprune.files import jsonfile

from ..experiment.records import Failure, Record, read_failures, read_records
from . import paper
from .against_paper import accuracy_table, balanced_table, gap_table, overfitting_table
from .committees import proved_table, size_table
from .headline import Tile, coverage_rows, headline
from .ranks import Verdict, judge
from .results import Results
from .seats import Heat, Seat, Seconds, diversity, families, seats, seconds
from .series import GapLine, Point, gap_lines, points
from .standings import (
    MEASURES,
    all_ranks_table,
    beaten_table,
    duel_listing,
    rank_table,
    verdict_listing,
)
from .table import Listing, Table

TITLE = "Ensemble pruning, measured"
"""Of a report that is given none."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict and what it is on.

    Parameters
    ----------
    measure
        "accuracy" or "balanced accuracy".
    pool_size
        K.
    verdict
        What the tests said.
    """

    measure: str
    pool_size: int
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Facts:
    """All that a report says.

    Parameters
    ----------
    title
        Of the report.
    datasets, pool_sizes, methods
        What there are results of, in the order of the tables.
    headline
        What to know first.
    tables
        Figures beside the paper's, by name.
    listings
        Coverage, duels, tests and failures, by name.
    tests
        Friedman's and Nemenyi's, for every measure and K.
    points, gap_lines, diversity, families, seats, seconds
        What the pictures show.
    failures
        How many tasks have no result.
    about
        Versions and machine of the run, as words.
    plan
        What was asked for, as the run keeps it: a TOML document, or nothing.
    """

    title: str
    datasets: tuple[str, ...]
    pool_sizes: tuple[int, ...]
    methods: tuple[str, ...]
    headline: tuple[Tile, ...]
    tables: dict[str, Table]
    listings: dict[str, Listing]
    tests: tuple[Judged, ...]
    points: tuple[Point, ...]
    gap_lines: tuple[GapLine, ...]
    diversity: tuple[Heat, ...]
    families: tuple[Heat, ...]
    seats: tuple[Seat, ...]
    seconds: tuple[Seconds, ...]
    failures: int
    about: tuple[tuple[str, str], ...]
    plan: str = ""

    def to_json(self) -> str:
        """Write all facts as JSON."""
        return jsonfile.write(asdict(self), indent=1)


def collect(
    records: Sequence[Record],
    failures: Sequence[Failure] = (),
    about: Mapping[str, Any] | None = None,
    plan: str = "",
    title: str = TITLE,
) -> Facts:
    """Collect the facts of a run.

    Parameters
    ----------
    records
        What the run has found.
    failures
        Tasks that found nothing.
    about
        Versions and machine, nested as they come.
    plan
        What was asked for, as text.
    title
        Of the report.

    Raises
    ------
    InputError
        If there is no record at all.
    """
    results = Results(records)
    if not results.datasets:
        raise InputError(
            "records", "there are none yet, so there is nothing to report. Let the run find some."
        )
    accuracy = accuracy_table(results)
    ranks, beaten = rank_table(results, "accuracy"), beaten_table(results)
    balanced_ranks = rank_table(results, "balanced accuracy")
    tables = [
        accuracy,
        rank_table(results, "accuracy", main_text=True),
        ranks,
        *_more_ranks(results, "accuracy", ranks),
        beaten,
        balanced_table(results),
        rank_table(results, "balanced accuracy", main_text=True),
        balanced_ranks,
        *_more_ranks(results, "balanced accuracy", balanced_ranks),
        overfitting_table(results),
        gap_table(results),
        proved_table(results),
        size_table(results),
    ]
    tests = tuple(
        Judged(measure, pool_size, judge(results, pool_size, None, score))
        for measure, score in MEASURES.items()
        for pool_size in results.pool_sizes
    )
    listings = [
        _coverage(results),
        *(verdict_listing(test.verdict, test.pool_size, test.measure) for test in tests),
        *(
            duel_listing(results, pool_size, measure)
            for measure in MEASURES
            for pool_size in results.pool_sizes
        ),
        *([_failures(failures)] if failures else []),
    ]
    return Facts(
        title,
        results.datasets,
        results.pool_sizes,
        results.methods,
        headline(results, accuracy, ranks, beaten),
        {table.name: table for table in tables if table.lines and table.columns},
        {listing.name: listing for listing in listings},
        tests,
        points(results),
        gap_lines(results),
        diversity(results),
        families(results),
        seats(results),
        seconds(results),
        len(failures),
        tuple(_flat(about or {})),
        plan,
    )


def collect_run(run: str | Path, title: str = TITLE) -> Facts:
    """Collect the facts of a run's folder.

    Parameters
    ----------
    run
        The folder. It may be read while the run goes on.
    title
        Of the report.

    Raises
    ------
    FileFormatError
        If the folder is missing or damaged.
    InputError
        If it holds no record yet.
    """
    records, failures = read_records(run), read_failures(run)
    if not records:
        raise InputError(
            "RUN", f"{run} holds no results yet. Start or resume the run: voteprune bench."
        )
    about = read_about(Path(run) / "run.json")
    plan = Path(run) / "plan.toml"
    asked = plan.read_text(encoding="utf-8", errors="replace") if plan.is_file() else ""
    return collect(records, failures, about, asked, title)


def _more_ranks(results: Results, measure: str, ranks: Table) -> list[Table]:
    """Return the ranks among all methods, where those beside the paper's are not over all."""
    ranked = [dataset for k in results.pool_sizes for dataset in results.alike(k)]
    papers = {dataset in paper.DATASETS for dataset in ranked}
    whole = ranks.columns == results.methods and len(papers) == 1
    return [] if whole else [all_ranks_table(results, measure)]


def _coverage(results: Results) -> Listing:
    repeated = (
        f" {results.repeated} tasks stand twice; the later result counts."
        if results.repeated
        else ""
    )
    return Listing(
        "coverage",
        "What the figures rest on",
        "Runs are pairs of seed and fold; missing are results of a method in runs that others have."
        + repeated,
        ("data set", "K", "seeds", "runs", "validation rows", "test rows", "missing"),
        tuple(coverage_rows(results)),
    )


def _failures(failures: Sequence[Failure]) -> Listing:
    return Listing(
        "failures",
        "Tasks without a result",
        "They are no part of any figure here, and are tried again when the run is resumed.",
        ("data set", "K", "method", "seed", "fold", "reason"),
        tuple(
            (f.dataset, str(f.pool_size), f.method, str(f.seed), str(f.fold), f.reason)
            for f in failures
        ),
        left=6,
    )


def read_about(path: Path) -> dict[str, Any]:
    """Read what the run says of itself; a run without that can still be reported on."""
    if not path.exists():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FileFormatError(path, f"cannot be read: {error}. Restore or delete it.") from None
    if not isinstance(found, dict):
        return {}
    return {name: value for name, value in found.items() if name not in ("format", "schema")}


def _flat(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield the leaves of nested data with the way to them."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(inner, f"{name}, {key}" if name else str(key))
    elif isinstance(value, (list, tuple)):
        if all(isinstance(item, (str, int, float)) for item in value):
            yield name, ", ".join(map(str, value))
        else:
            for number, inner in enumerate(value, start=1):
                yield from _flat(inner, f"{name} {number}")
    elif value is not None:
        yield name, str(value)
