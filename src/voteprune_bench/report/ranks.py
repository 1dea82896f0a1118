"""Ranks, tests on ranks, and who beats whom."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from voteprune.exceptions import InputError

from .results import Results, Score

ALPHA = 0.05
"""Level of the tests."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Average ranks of some methods at one K.

    Parameters
    ----------
    methods
        Who is ranked.
    ranks
        In the same order, 1 for the best: averaged over the runs of a data set, then over the
        data sets, so that a data set with more runs counts no more. None without complete runs.
    runs
        Complete runs by data set: those in which every method has a result.
    """

    methods: tuple[str, ...]
    ranks: tuple[float, ...] | None
    runs: dict[str, int]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Friedman's test on the data sets' means, with Nemenyi's test after it.

    Parameters
    ----------
    methods, datasets
        What is compared, and on what: a data set is one observation, since its runs are not
        independent of each other.
    ranks
        Average rank of each method over the data sets' means.
    statistic, p_value
        Friedman's chi-square, corrected for ties; None where there is no test.
    critical_difference
        Two methods whose ranks differ by less are not told apart, by Nemenyi's test at 5 %.
    pairs
        Nemenyi's p-values, one line per method; empty where there is no test.
    reason
        Why there is no test; empty if there is one.
    unranked, apart
        Methods that are not judged, since most runs lack them, and data sets whose votes were made
        in another way.
    """

    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    ranks: tuple[float, ...] = ()
    statistic: float | None = None
    p_value: float | None = None
    critical_difference: float | None = None
    pairs: tuple[tuple[float, ...], ...] = ()
    reason: str = ""
    unranked: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Duel:
    """How often one method did better than, as well as, and worse than another.

    Parameters
    ----------
    wins, ties, losses
        Numbers of runs.
    """

    wins: int
    ties: int
    losses: int


def rank(scores: Sequence[Fraction]) -> list[float]:
    """Return ranks, 1 for the highest score; who ties shares the average.

    Parameters
    ----------
    scores
        Compared exactly.
    """
    from scipy.stats import rankdata  # late: most commands need no statistics

    # Fractions of one value are equal; floats made of them too, but close ones may become so.
    places = {score: place for place, score in enumerate(sorted(set(scores), reverse=True))}
    found: list[float] = rankdata([places[score] for score in scores]).tolist()
    return found


def rank_methods(
    results: Results,
    pool_size: int,
    methods: Sequence[str],
    score: Score,
    datasets: Sequence[str] | None = None,
) -> Ranking:
    """Rank methods within every run and average the ranks.

    Parameters
    ----------
    results
        Of a run.
    pool_size
        K.
    methods
        Who is ranked; runs in which one of them has no result are left out.
    score
        What they are judged by.
    datasets
        On which of the data sets; all whose votes were made alike when None.
    """
    runs: dict[str, int] = {}
    means = []
    for dataset in results.alike(pool_size) if datasets is None else datasets:
        blocks = results.complete(dataset, pool_size, methods, score)
        if blocks:
            ranks = [rank(scores) for scores in blocks.values()]
            means.append([sum(column) / len(ranks) for column in zip(*ranks, strict=True)])
            runs[dataset] = len(blocks)
    if not means:
        return Ranking(tuple(methods), None, runs)
    average = tuple(sum(column) / len(means) for column in zip(*means, strict=True))
    return Ranking(tuple(methods), average, runs)


def judge(results: Results, pool_size: int, methods: Sequence[str] | None, score: Score) -> Verdict:
    """Ask whether the methods differ at all, and which pairs do.

    The votes on one data set made in two ways are no two data sets: see `Results.alike`.

    Parameters
    ----------
    results
        Of a run.
    pool_size
        K.
    methods
        Who is compared; all that are ranked when None.
    score
        What they are judged by.
    """
    names = results.ranked(pool_size) if methods is None else tuple(methods)
    unranked = results.unranked(pool_size) if methods is None else ()
    means: dict[str, list[Fraction]] = {}
    for dataset in results.alike(pool_size):
        blocks = list(results.complete(dataset, pool_size, names, score).values())
        if blocks:
            means[dataset] = [sum(column) / len(blocks) for column in zip(*blocks, strict=True)]
    verdict = Verdict(names, tuple(means), unranked=unranked, apart=results.apart(pool_size))
    if not means:
        return replace(verdict, reason="no run has a result of every method")
    # Ranks instead of means: the same test, and exact ties stay ties.
    ranks = [rank(values) for values in means.values()]
    average = tuple(sum(column) / len(ranks) for column in zip(*ranks, strict=True))
    verdict = replace(verdict, ranks=average)
    if len(means) < 3 or len(names) < 3:
        return replace(
            verdict,
            reason="the tests need three data sets and three methods at least, "
            f"here are {len(means)} and {len(names)}",
        )
    if all(len(set(line)) == 1 for line in ranks):
        return replace(verdict, reason="all methods tie on every data set")
    from scipy.stats import friedmanchisquare, studentized_range

    statistic, p_value = friedmanchisquare(*zip(*ranks, strict=True))
    count = len(names)
    quantile = float(studentized_range.ppf(1 - ALPHA, count, math.inf)) / math.sqrt(2)
    return replace(
        verdict,
        statistic=float(statistic),
        p_value=float(p_value),
        critical_difference=quantile * math.sqrt(count * (count + 1) / (6 * len(means))),
        pairs=_nemenyi(ranks),
    )


def duel(results: Results, pool_size: int, one: str, other: str, score: Score) -> Duel:
    """Count the runs in which one method beats another, on data sets of `Results.alike`."""
    pairs = [
        pair
        for dataset in results.alike(pool_size)
        for pair in results.complete(dataset, pool_size, (one, other), score).values()
    ]
    wins = sum(mine > theirs for mine, theirs in pairs)
    ties = sum(mine == theirs for mine, theirs in pairs)
    return Duel(wins, ties, len(pairs) - wins - ties)


def _nemenyi(ranks: Sequence[Sequence[float]]) -> tuple[tuple[float, ...], ...]:
    try:
        from scikit_posthocs import posthoc_nemenyi_friedman
    except ImportError:
        raise InputError(
            "scikit-posthocs",
            "is needed for Nemenyi's test. Install it: pip install 'voteprune[report]'",
        ) from None
    import numpy as np

    found = posthoc_nemenyi_friedman(np.asarray(ranks)).to_numpy()
    return tuple(tuple(float(value) for value in line) for line in found)
