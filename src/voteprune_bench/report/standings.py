"""Who stands where: ranks, how often the formulations win, duels, and what tests make of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from . import paper
from .lines import (
    apart_note,
    notes,
    part_note,
    places,
    unranked_note,
    ways_note,
)
from .ranks import ALPHA, Ranking, Verdict, duel, rank_methods
from .results import Results, Score, balanced_out_of_sample, out_of_sample
from .table import MISSING, Entry, Line, Listing, Table

MEASURES: Mapping[str, Score] = {
    "accuracy": out_of_sample,
    "balanced accuracy": balanced_out_of_sample,
}
"""What methods are ranked by."""

ALL_SEVEN = "all seven"
"""Which benchmarks a line of `beaten_table` is about: all of the paper's."""

_PUBLISHED_RANKS = {
    ("accuracy", False): paper.accuracy_ranks,
    ("accuracy", True): paper.main_accuracy_ranks,
    ("balanced accuracy", False): paper.balanced_accuracy_ranks,
    ("balanced accuracy", True): paper.main_balanced_accuracy_ranks,
}
"""The paper's ranks by measure, in its supplement and in its main text."""

_KEYS = ("K", "data sets", "runs")
_RANKED = (
    "1 is best. Ranked within every run in which all of them have a result, ties share the "
    "average; averaged over the runs of a data set, then over the data sets."
)

_OVER_NINE = (
    "The paper's are over its nine data sets. Those over all K are means of the ranks it prints, "
    "which are within 0.01 of the averages it prints."
)


def slug(measure: str) -> str:
    """Return a measure's name as it stands in names of files."""
    return measure.replace(" ", "_")


def rank_table(results: Results, measure: str, *, main_text: bool = False) -> Table:
    """Return the average ranks of the methods that the paper ranks.

    Parameters
    ----------
    results
        Of a run.
    measure
        One of `MEASURES`.
    main_text
        Whether those of the main text alone are ranked, not those of the supplement.
    """
    published = _PUBLISHED_RANKS[measure, main_text]()
    ranked = {method for _, method in published}
    columns = tuple(method for method in results.methods if method in ranked)
    absent = ranked - set(columns)
    own = [name for name in results.datasets if name in paper.DATASETS]
    words = "the methods of the paper's main text" if main_text else "the paper's methods"
    beside = {} if absent or not own else published
    found = _rank_lines(results, columns, measure, beside, own or None)
    return Table(
        f"{slug(measure)}_ranks{'_main' * main_text}",
        f"Average ranks by {measure}, {words}",
        notes(
            _RANKED,
            f"Not in this run: {', '.join(sorted(absent))}. A rank depends on who else is ranked, "
            "so the paper's cannot stand beside ours."
            if absent
            else "",
            _OVER_NINE if beside else "",
            "Only data sets of the paper are averaged."
            if 0 < len(own) < len(results.datasets)
            else ways_note(results),
            unranked_note(results, columns, own or None),
            _once_more(found),
        ),
        _KEYS,
        columns,
        found,
        decimals=2,
        better="low",
    )


def all_ranks_table(results: Results, measure: str) -> Table:
    """Return the average ranks among all methods of the run, over all data sets alike."""
    found = _rank_lines(results, results.methods, measure, {})
    ranked = {method for _, method in _PUBLISHED_RANKS[measure, False]()}
    own = ranked.issuperset(results.methods)
    other = "Over other data sets" if own else "Among other methods"
    return Table(
        f"{slug(measure)}_ranks_all",
        f"Average ranks by {measure}, all methods of this run",
        notes(
            _RANKED,
            f"{other} than the paper's, so its ranks cannot stand beside them.",
            ways_note(results),
            unranked_note(results),
            _once_more(found),
        ),
        _KEYS,
        results.methods,
        found,
        decimals=2,
        better="low",
    )


def beaten_table(results: Results) -> Table:
    """Return on how many pairs of data set and K each formulation beats every benchmark."""
    columns = tuple(method for method in results.methods if method in paper.FORMULATIONS)
    part = part_note(results)
    return Table(
        "beaten",
        "How often the formulations beat every benchmark",
        notes(
            "Pairs of data set and K with a mean above each benchmark's, over the runs that have "
            "the formulation and all of them; ours and the paper's counted over the same pairs. "
            "The paper's are counted from its four printed digits, in which some pairs tie, and "
            "once more from what it prints in bold (for F2 its digits say 8 of 36, its bold "
            "figures and its text 11).",
            part and f"{part} So it is not counted here.",
        ),
        ("measure", "benchmarks", "pairs"),
        columns,
        tuple(
            line
            for measure in MEASURES
            for words, benchmarks, bold in (
                (ALL_SEVEN, paper.BENCHMARKS, False),
                ("the four of the main text", paper.MAIN_BENCHMARKS, False),
                ("the four, by the paper's bold", paper.MAIN_BENCHMARKS, True),
            )
            if (line := _beaten_line(results, columns, benchmarks, measure, words, bold))
            is not None
        ),
        decimals=0,
        rivals=False,
    )


def duel_listing(results: Results, pool_size: int, measure: str) -> Listing:
    """Return wins/ties/losses of the method in the line against the one in the column."""
    methods = results.present(pool_size)

    def cell(one: str, other: str) -> str:
        if one == other:
            return ""
        found = duel(results, pool_size, one, other, MEASURES[measure])
        if not found.wins + found.ties + found.losses:
            return MISSING
        return f"{found.wins}/{found.ties}/{found.losses}"

    return Listing(
        f"duels_{slug(measure)}_k{pool_size}",
        f"Wins/ties/losses by {measure}, K = {pool_size}",
        notes(
            "Runs in which the method in the line does better than, as well as, worse than the one "
            "in the column, compared exactly.",
            apart_note(results.apart(pool_size)),
        ),
        ("", *methods),
        tuple((one, *(cell(one, other) for other in methods)) for one in methods),
    )


def verdict_listing(verdict: Verdict, pool_size: int, measure: str) -> Listing:
    """Return Nemenyi's p-values, with Friedman's test in the note."""
    against = verdict.methods if verdict.pairs else ()
    rows = tuple(
        (
            name,
            f"{rank:.2f}",
            *("" if i == j else f"{verdict.pairs[i][j]:.3f}" for j in range(len(against))),
        )
        for i, (name, rank) in enumerate(zip(verdict.methods, verdict.ranks, strict=False))
    )
    return Listing(
        f"nemenyi_{slug(measure)}_k{pool_size}",
        f"Friedman's and Nemenyi's tests on {measure}, K = {pool_size}",
        verdict_words(verdict),
        ("", "rank", *against),
        rows,
    )


def verdict_words(verdict: Verdict) -> str:
    """Say in words what the tests said.

    Parameters
    ----------
    verdict
        What they said.
    """
    names = ", ".join(verdict.unranked)
    left_out = notes(
        f"Not judged, since most runs lack it: {names}." if names else "",
        apart_note(verdict.apart),
    )
    if verdict.p_value is None:
        return notes(f"No test: {verdict.reason}.", left_out)
    given = "differ" if verdict.p_value < ALPHA else "are not told apart"
    return notes(
        f"Friedman's test over {len(verdict.datasets)} data sets and {len(verdict.methods)} "
        f"methods: chi-square {verdict.statistic:.2f}, p = {verdict.p_value:.2g}; the methods "
        f"{given} at the 5 % level. Nemenyi's test: two methods differ where their average ranks "
        f"are {verdict.critical_difference:.2f} or more apart. A data set counts once, by its mean "
        "over the runs that have all methods.",
        left_out,
    )


def _rank_lines(
    results: Results,
    columns: Sequence[str],
    measure: str,
    published: Mapping[tuple[int, str], paper.Published],
    datasets: Sequence[str] | None = None,
) -> tuple[Line, ...]:
    """Return a line for every K, and one over all for what is ranked at each of several."""

    def line(size: str, rankings: Sequence[Ranking], pool_sizes: Sequence[int]) -> Line:
        ours, theirs = {}, {}
        for place, method in enumerate(rankings[0].methods):
            ranks = [ranking.ranks[place] for ranking in rankings if ranking.ranks]
            ours[method] = fmean(ranks) if ranks else None
            figures = [published.get((pool_size, method)) for pool_size in pool_sizes]
            # The paper's rank stands only beside one among the same methods.
            if None not in figures and len(rankings[0].methods) == len(columns):
                theirs[method] = fmean(figure.mean for figure in figures if figure)
        runs = sum(sum(ranking.runs.values()) for ranking in rankings)
        return Line(
            (size, str(len(rankings[0].runs)), str(runs)),
            tuple(Entry(ours.get(name), paper=theirs.get(name), runs=runs) for name in columns),
            summary=len(rankings) > 1,
        )

    def ranked(methods: Sequence[str] | None, datasets: Sequence[str] | None) -> list[Ranking]:
        score, sizes = MEASURES[measure], results.pool_sizes
        here = [methods or results.ranked(k, columns, datasets) for k in sizes]
        return [
            rank_methods(results, k, names, score, datasets)
            for k, names in zip(sizes, here, strict=True)
        ]

    rankings = ranked(None, datasets)
    found = [
        line(str(k), [ranking], [k])
        for k, ranking in zip(results.pool_sizes, rankings, strict=True)
    ]
    methods = [name for name in columns if all(name in ranking.methods for ranking in rankings)]
    if len(rankings) < 2 or not methods:
        return tuple(found)
    rankings = ranked(methods, datasets)
    shared = [name for name in results.datasets if all(name in each.runs for each in rankings)]
    if not shared:
        return tuple(found)
    return (*found, line("all", ranked(methods, shared), results.pool_sizes))


def _once_more(found: Sequence[Line]) -> str:
    """Say what the line over all K is over, where that is less than at some K."""
    ranked = {(line.keys[1], *(cell.ours is None for cell in line.entries)) for line in found}
    if len(ranked) == 1 or not any(line.summary for line in found):
        return ""
    return "Over all K: ranked once more, among the methods and data sets that are there at each."


def _beaten_line(
    results: Results,
    columns: Sequence[str],
    benchmarks: Sequence[str],
    measure: str,
    words: str,
    bold: bool,
) -> Line | None:
    """Count over the pairs of data set and K for which we and the paper have all benchmarks.

    None where there is no such pair; a formulation that shares no run with all benchmarks on one
    of them is not counted. With `bold` the paper's are those it prints so.
    """
    published = paper.accuracy() if measure == "accuracy" else paper.balanced_accuracy()
    marked = paper.bold(measure)
    ours = dict.fromkeys(columns, 0)
    theirs: dict[str, int | None] = dict.fromkeys(columns)
    absent: set[str] = set()
    pairs = 0
    for place in places(results):
        figures = [published.get((*place, name)) for name in benchmarks]
        printed = [figure.mean for figure in figures if figure]
        complete = results.complete(*place, benchmarks, MEASURES[measure])
        if not complete or len(printed) < len(benchmarks):
            continue
        pairs += 1
        for method in columns:
            runs = results.complete(*place, (method, *benchmarks), MEASURES[measure])
            if not runs:
                absent.add(method)
                continue
            mine, *rivals = (sum(scores) for scores in zip(*runs.values(), strict=True))
            ours[method] += mine > max(rivals)
            if figure := published.get((*place, method)):
                above = (*place, method) in marked if bold else figure.mean > max(printed)
                theirs[method] = (theirs[method] or 0) + above
    if not pairs:
        return None
    return Line(
        (measure, words, str(pairs)),
        tuple(
            Entry() if method in absent else Entry(ours[method], None, theirs[method], None, pairs)
            for method in columns
        ),
    )
