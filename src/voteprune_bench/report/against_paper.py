"""The paper's result tables, made again from our records, with its figures beside ours."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from ..experiment.records import Record
from . import paper
from .lines import (
    averages_notes,
    entry,
    lines,
    notes,
    part_note,
    spread,
    with_averages,
)
from .results import Results, Score, balanced_out_of_sample, in_sample, mean, out_of_sample
from .table import Entry, Line, Table

_SPREAD = (
    "± is the standard deviation between the seeds' means; the paper's are too small to be those "
    "of single runs."
)
_LACKING = (
    "In brackets: how many more runs have a test part that does not tell, such as of one class."
)
_AVERAGE = "Averages are over data sets that have all figures, ours and the paper's."


def accuracy_table(results: Results) -> Table:
    """Return the out-of-sample accuracy of every method, data set and K."""
    found = _means(results, out_of_sample, paper.accuracy())
    return Table(
        "accuracy",
        "Accuracy on the test part",
        notes(*_what_there_is(results, found)),
        ("data set", "K"),
        results.methods,
        found,
    )


def balanced_table(results: Results) -> Table:
    """Return the out-of-sample balanced accuracy of every method, data set and K."""
    found = _means(results, balanced_out_of_sample, paper.balanced_accuracy())
    return Table(
        "balanced_accuracy",
        "Balanced accuracy on the test part",
        notes("The mean of recall and specificity.", *_what_there_is(results, found)),
        ("data set", "K"),
        results.methods,
        found,
    )


def overfitting_table(results: Results) -> Table:
    """Return how much accuracy is lost from the validation part to the test part."""
    published = paper.overfitting()

    def make(dataset: str, pool_size: int, method: str) -> Entry:
        records = results.cell(dataset, pool_size, method)
        seeds = sorted({record.seed for record in records})
        by_seed = (_loss([r for r in records if r.seed == seed]) for seed in seeds)
        return entry(
            _loss(records),
            spread([loss for loss in by_seed if loss is not None]),
            len(records),
            published.get((dataset, pool_size, method)),
        )

    found = with_averages(results, lines(results, results.methods, make))
    return Table(
        "overfitting",
        "Over-fitting: accuracy lost from the validation part to the test part",
        notes(
            "(test - validation) / validation, of the mean accuracies, as the paper has it: the "
            "more negative, the more was over-fitted.",
            *_what_there_is(results, found),
        ),
        ("data set", "K"),
        results.methods,
        found,
    )


def gap_table(results: Results) -> Table:
    """Return the optimality gaps of the methods that prove something."""
    published = paper.gaps()

    def make(dataset: str, pool_size: int, method: str) -> Entry:
        records = results.cell(dataset, pool_size, method)
        gaps = _gaps(records)
        shown = entry(
            statistics.fmean(gaps) if gaps else None,
            spread(gaps),
            len(gaps),
            published.get((dataset, pool_size, method)),
        )
        return replace(shown, lacking=len(records) - len(gaps))

    found = lines(results, results.bounding, make)
    return Table(
        "gaps",
        "Optimality gaps in per cent",
        notes(
            "(bound - value) / |value| on the validation part: the mean over the runs ± their "
            "standard deviation; 0 means proved optimal. The paper's: CPLEX 12.8, 5 minutes, "
            "8 cores, K = 100; this run's time limits are in its plan.",
            "In brackets: how many more runs have no finite gap, for they have no bound, or a "
            "value of 0 and a bound above it."
            if any(cell.lacking for line in found for cell in line.entries)
            else "",
            part_note(results),
        ),
        ("data set", "K"),
        results.bounding,
        tuple(found),
        decimals=2,
        better="low",
        rivals=False,  # each solves a problem of its own
    )


def _means(
    results: Results, score: Score, published: Mapping[paper.Key, paper.Published]
) -> tuple[Line, ...]:
    def make(dataset: str, pool_size: int, method: str) -> Entry:
        records = results.cell(dataset, pool_size, method)
        found = mean(records, score)
        figure = published.get((dataset, pool_size, method))
        if found is None:
            return replace(entry(None, None, 0, figure), lacking=len(records))
        shown = entry(found.value, found.between_seeds, found.runs, figure)
        return replace(shown, runs_spread=found.between_runs, lacking=len(records) - found.runs)

    return with_averages(results, lines(results, results.methods, make))


def _what_there_is(results: Results, found: tuple[Line, ...]) -> tuple[str, ...]:
    """Explain spreads, averages and parts of data sets, where there are some."""
    spreads = any(cell.spread is not None for line in found for cell in line.entries)
    averages = any(line.summary for line in found)
    lacking = any(cell.lacking for line in found for cell in line.entries)
    return (
        _SPREAD if spreads else "",
        _LACKING if lacking else "",
        *((_AVERAGE, *averages_notes(results)) if averages else ()),
        part_note(results),
    )


def _gaps(records: Sequence[Record]) -> list[float]:
    return [100 * gap for r in records if (gap := r.gap) is not None and math.isfinite(gap)]


def _loss(records: Sequence[Record]) -> float | None:
    """Return the loss of the mean accuracies, relative to the validation part's."""
    inside = [score for record in records if (score := in_sample(record)) is not None]
    outside = [score for record in records if (score := out_of_sample(record)) is not None]
    if not inside or not outside or not any(inside):
        return None
    before = sum(inside, Fraction(0)) / len(inside)
    after = sum(outside, Fraction(0)) / len(outside)
    return float((after - before) / before)
