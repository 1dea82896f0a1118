"""Who stands where: ranks, how often the formulations win, duels, and what tests make of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from . import paper
from .lines import entry, notes, part_note, places
from .ranks import ALPHA, Verdict, duel, rank_methods
from .results import Results, Score, balanced_out_of_sample, mean, out_of_sample
from .table import MISSING, Entry, Line, Listing, Table

MEASURES: Mapping[str, Score] = {
    "accuracy": out_of_sample,
    "balanced accuracy": balanced_out_of_sample,
}
"""What methods are ranked by."""

_KEYS = ("K", "data sets", "runs")
_RANKED = (
    "1 is best. Ranked within every run in which all of them have a result, ties share the "
    "average; averaged over the runs of a data set, then over the data sets."
)


def slug(measure: str) -> str:
    """Return a measure's name as it stands in names of files."""
    return measure.replace(" ", "_")


def rank_table(results: Results, measure: str) -> Table:
    """Return the average ranks of the methods that the paper ranks.

    Parameters
    ----------
    results
        Of a run.
    measure
        One of `MEASURES`.
    """
    published = paper.accuracy_ranks() if measure == "accuracy" else paper.balanced_accuracy_ranks()
    ranked = {method for _, method in published}
    columns = tuple(method for method in results.methods if method in ranked)
    absent = ranked - set(columns)
    part = part_note(results)
    return Table(
        f"{slug(measure)}_ranks",
        f"Average ranks by {measure}, the paper's methods",
        notes(
            _RANKED,
            f"Not in this run: {', '.join(sorted(absent))}. A rank depends on who else is ranked, "
            "so the paper's cannot stand beside ours."
            if absent
            else "",
            part and f"{part} It is in our averages all the same.",
        ),
        _KEYS,
        columns,
        _rank_lines(results, columns, measure, {} if absent else published),
        decimals=2,
        better="low",
    )


def all_ranks_table(results: Results, measure: str) -> Table:
    """Return the average ranks among all methods of the run.

    Parameters
    ----------
    results, measure
        As for `rank_table`.
    """
    return Table(
        f"{slug(measure)}_ranks_all",
        f"Average ranks by {measure}, all methods of this run",
        notes(
            _RANKED, "Among other methods than the paper's, so its ranks cannot stand beside them."
        ),
        _KEYS,
        results.methods,
        _rank_lines(results, results.methods, measure, {}),
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
            "Pairs of data set and K with a mean above each benchmark's, ours and the paper's "
            "counted over the same pairs. The paper's are counted from its four printed digits, in "
            "which some pairs tie (its text says 11 of 36 for F2, its digits 8).",
            part and f"{part} So it is not counted here.",
        ),
        ("measure", "benchmarks", "pairs"),
        columns,
        tuple(
            line
            for measure in MEASURES
            for words, benchmarks in (
                ("all seven", paper.BENCHMARKS),
                ("the four of the main text", paper.MAIN_BENCHMARKS),
            )
            if (line := _beaten_line(results, columns, benchmarks, measure, words)) is not None
        ),
        decimals=0,
        rivals=False,
    )


def duel_listing(results: Results, pool_size: int, measure: str) -> Listing:
    """Return wins/ties/losses of the method in the line against the one in the column.

    Parameters
    ----------
    results
        Of a run.
    pool_size
        K.
    measure
        One of `MEASURES`.
    """
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
        "Runs in which the method in the line does better than, as well as, worse than the one in "
        "the column, compared exactly.",
        ("", *methods),
        tuple((one, *(cell(one, other) for other in methods)) for one in methods),
    )


def verdict_listing(verdict: Verdict, pool_size: int, measure: str) -> Listing:
    """Return Nemenyi's p-values, with Friedman's test in the note.

    Parameters
    ----------
    verdict
        What the tests said.
    pool_size, measure
        On what.
    """
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
    if verdict.p_value is None:
        return f"No test: {verdict.reason}."
    given = "differ" if verdict.p_value < ALPHA else "are not told apart"
    return (
        f"Friedman's test over {len(verdict.datasets)} data sets and {len(verdict.methods)} "
        f"methods: chi-square {verdict.statistic:.2f}, p = {verdict.p_value:.2g}; the methods "
        f"{given} at the 5 % level. Nemenyi's test: two methods differ where their average ranks "
        f"are {verdict.critical_difference:.2f} or more apart. A data set counts once, by its mean "
        "over the runs that have all methods."
    )


def _rank_lines(
    results: Results,
    columns: Sequence[str],
    measure: str,
    published: Mapping[tuple[int, str], paper.Published],
) -> tuple[Line, ...]:
    found = []
    for pool_size in results.pool_sizes:
        here = [method for method in results.ranked(pool_size) if method in columns]
        ranking = rank_methods(results, pool_size, here, MEASURES[measure])
        ranks = dict(zip(here, ranking.ranks, strict=True)) if ranking.ranks else {}
        # The paper's rank stands only beside one among the same methods.
        beside = published if len(here) == len(columns) else {}
        runs = sum(ranking.runs.values())
        keys = (str(pool_size), str(len(ranking.runs)), str(runs))
        found.append(
            Line(
                keys,
                tuple(
                    entry(ranks.get(method), None, runs, beside.get((pool_size, method)))
                    for method in columns
                ),
            )
        )
    return tuple(found)


def _beaten_line(
    results: Results, columns: Sequence[str], benchmarks: Sequence[str], measure: str, words: str
) -> Line | None:
    """Count over the pairs of data set and K for which we and the paper have all benchmarks.

    None where there is no such pair.
    """
    published = paper.accuracy() if measure == "accuracy" else paper.balanced_accuracy()
    ours = dict.fromkeys(columns, 0)
    theirs: dict[str, int | None] = dict.fromkeys(columns)
    pairs = 0
    for place in places(results):
        means = [mean(results.cell(*place, name), MEASURES[measure]) for name in benchmarks]
        figures = [published.get((*place, name)) for name in benchmarks]
        rivals = [found.value for found in means if found]
        printed = [figure.mean for figure in figures if figure]
        if len(rivals) < len(benchmarks) or len(printed) < len(benchmarks):
            continue
        pairs += 1
        for method in columns:
            mine = mean(results.cell(*place, method), MEASURES[measure])
            ours[method] += mine is not None and mine.value > max(rivals)
            if figure := published.get((*place, method)):
                theirs[method] = (theirs[method] or 0) + (figure.mean > max(printed))
    if not pairs:
        return None
    return Line(
        (measure, words, str(pairs)),
        tuple(Entry(ours[method], None, theirs[method], None, pairs) for method in columns),
    )
