"""What the pictures of accuracy and proof show, as data."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from voteprune.run.incumbent import relative_gap

from ..experiment.records import Record
from . import paper
from .lines import places
from .results import Results, in_sample, mean, out_of_sample

_TIMES = 60
"""Points of a line over time."""


@dataclass(frozen=True, slots=True)
class Point:
    """A method on a data set, or on the average of all.

    Parameters
    ----------
    dataset
        Which; empty for the average over the data sets that have every method.
    pool_size, method
        K, and whose committees.
    size
        Mean number of members.
    inside, outside
        Mean accuracy on the validation part and on the test part.
    proves
        Whether the method bounds what any committee can reach.
    """

    dataset: str
    pool_size: int
    method: str
    size: float
    inside: float
    outside: float
    proves: bool


@dataclass(frozen=True, slots=True)
class GapLine:
    """How the proof closes: the median gap over time.

    Parameters
    ----------
    dataset, pool_size, method
        Of which runs.
    seconds, per_cent
        Times and median gaps, in per cent; from the time on at which half of the runs have one.
    paper
        The paper's mean gap after 300 seconds of CPLEX on 8 cores, if it has one.
    """

    dataset: str
    pool_size: int
    method: str
    seconds: tuple[float, ...]
    per_cent: tuple[float, ...]
    paper: float | None


def points(results: Results) -> tuple[Point, ...]:
    """Return size and accuracies of every method, on every data set and on average."""
    found: list[Point] = []
    for pool_size in results.pool_sizes:
        methods = results.ranked(pool_size)
        here = {
            dataset: [_point(results, dataset, pool_size, method) for method in results.methods]
            for dataset in results.datasets
        }
        found += [point for line in here.values() for point in line if point is not None]
        whole = [
            [point for point in here[dataset] if point is not None and point.method in methods]
            for dataset in results.alike(pool_size)
        ]
        whole = [line for line in whole if len(line) == len(methods)]
        for column in zip(*whole, strict=True):
            found.append(
                Point(
                    "",
                    pool_size,
                    column[0].method,
                    statistics.fmean(point.size for point in column),
                    statistics.fmean(point.inside for point in column),
                    statistics.fmean(point.outside for point in column),
                    column[0].proves,
                )
            )
    return tuple(found)


def gap_lines(results: Results) -> tuple[GapLine, ...]:
    """Return the median gap over time, of every method that proves something."""
    found = []
    for dataset, pool_size in places(results):
        for method in results.methods:
            traces = [_gaps(record) for record in results.cell(dataset, pool_size, method)]
            if any(math.isfinite(gap) for trace in traces for _, gap in trace):
                published = paper.gaps().get((dataset, pool_size, method))
                times, medians = _medians(traces)
                found.append(
                    GapLine(
                        dataset,
                        pool_size,
                        method,
                        times,
                        medians,
                        published.mean if published else None,
                    )
                )
    return tuple(found)


def _point(results: Results, dataset: str, pool_size: int, method: str) -> Point | None:
    records = results.cell(dataset, pool_size, method)
    inside, outside = mean(records, in_sample), mean(records, out_of_sample)
    if inside is None or outside is None:
        return None
    return Point(
        dataset,
        pool_size,
        method,
        statistics.fmean(record.size for record in records),
        inside.value,
        outside.value,
        any(record.bound is not None for record in records),
    )


def _gaps(record: Record) -> list[tuple[float, float]]:
    """Return times and gaps in per cent of one run, once there are value and bound.

    The gap of a value of 0 is infinite. The last one is that of the run's end, so that a line goes
    as far as the run did, though nothing changed any more.
    """
    steps = (*record.trace, (record.seconds, record.value, record.bound))
    return [
        (seconds, 100 * gap)
        for seconds, value, bound in steps
        if (gap := relative_gap(value, bound)) is not None
    ]


def _medians(
    traces: Sequence[Sequence[tuple[float, float]]],
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return times, evenly spaced on a logarithmic axis, and the median of steps at them."""
    finite = [time for trace in traces for time, gap in trace if math.isfinite(gap)]
    first = max(min(finite), 1e-3)
    last = max(max(trace[-1][0] for trace in traces if trace), first * 1.01)
    steps = [first * (last / first) ** (i / (_TIMES - 1)) for i in range(_TIMES)]
    times: list[float] = []
    medians: list[float] = []
    for time in steps:
        # A run without a gap, so far or at all, counts as infinitely far; the median may still be
        # finite.
        values = [
            next((gap for at, gap in reversed(trace) if at <= time * (1 + 1e-9)), math.inf)
            for trace in traces
        ]
        middle = statistics.median(values)
        # A step that changes nothing need not be drawn; the last one says how far the line goes.
        if math.isfinite(middle) and (time == steps[-1] or not medians or middle != medians[-1]):
            times.append(time)
            medians.append(middle)
    return tuple(times), tuple(medians)
