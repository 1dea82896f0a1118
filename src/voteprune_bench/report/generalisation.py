"""The page on unseen rows: which committees generalise, from the records of a run.

What the page says follows docs/results/protocol.md: seeds 10 and 20 are what the default was chosen
on, seeds from 40 on are the check (folds 0 to 2) and the second check (all others), seed 30 is
apart.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import numpy as np

from voteprune.exceptions import InputError

from ..experiment.contenders import PAPER
from ..experiment.protocol import HOLD_OUT, OUT_OF_FOLD
from ..experiment.records import Record, read_records
from .facts import read_about
from .results import in_sample, out_of_sample
from .table import MISSING, Listing
from .unseen import Duel, Floats, Folds, duels, usual

CHAMPION = "soft"
"""The default's label; its variants have a number after it."""

OLD = "old default"
STACKING = "stacking"
CHOSEN_ON, APART = (10, 20), (30,)
FIRST_FOLDS = (0, 1, 2)
"""Folds of the first check; the second has the others."""

NEAR = 0.5
"""Points of accuracy within which candidates are told apart by their log loss."""

_CANDIDATE = re.compile(rf"{CHAMPION} (\d+), ([\d.]+), ([\d.]+)")
_VARIANT = re.compile(rf"{CHAMPION} \d+")


def generalisation_page(run: Path) -> str:
    """Write the page, in Markdown.

    Parameters
    ----------
    run
        Folder of a run with the contenders of docs/results/generalisation.

    Raises
    ------
    InputError
        If no fold of the check has all methods.
    """
    records = [record for record in read_records(run) if record.pool_size == 100]
    unseen = _of(records, HOLD_OUT, but=(*CHOSEN_ON, *APART))
    first = [record for record in unseen if record.fold in FIRST_FOLDS]
    second = [record for record in unseen if record.fold not in FIRST_FOLDS]
    parts = [
        "# Which committees generalise\n",
        _opening(read_about(run / "run.json")),
        *_choice(records),
        *_section("The check", first, by_set=True, needed=True),
        *_section("The second check", second, by_set=True, secondary=True),
        *_section("Seed 30, apart", _of(records, HOLD_OUT, APART)),
        *_section("The seeds that were chosen on", _of(records, HOLD_OUT, CHOSEN_ON)),
        *_section("Out-of-fold votes", _of(records, OUT_OF_FOLD, but=CHOSEN_ON)),
        *_section("Out-of-fold votes, chosen on", _of(records, OUT_OF_FOLD, CHOSEN_ON)),
    ]
    return "\n".join(parts)


def _of(
    records: Iterable[Record], votes_by: str, seeds: Sequence[int] = (), but: Sequence[int] = ()
) -> list[Record]:
    """Return the records of some seeds, candidates of the choice left out."""
    return [
        record
        for record in records
        if record.votes_by == votes_by
        and (record.seed in seeds or (not seeds and record.seed not in but))
        and not _CANDIDATE.fullmatch(record.method)
    ]


def _opening(about: dict[str, object]) -> str:
    versions, machine = about.get("versions"), about.get("machine")
    made = ""
    if isinstance(versions, dict) and isinstance(machine, dict):
        made = ", ".join(f"{name} {number}" for name, number in versions.items())
        made = f" Made with {made}, on {machine.get('cores')} cores."
    return (
        "Written by `voteprune report docs/results/generalisation --generalisation "
        "docs/results/generalisation.md` from the records in that folder, by the "
        "[protocol](protocol.md) that was written first. Pools of K = 100 classifiers of ten "
        "families; by hold-out, committees are chosen on 27 % of the rows and scored on another "
        "10 %, by members trained on the other 63 %. Every method had one core and 5 s, in the "
        "first check on a machine that was busy with other work: F1, F2, F3, F1-theta and F1-HiGHS "
        f"are not always optimal there, and all seconds are too long.{made}\n"
    )


def _choice(records: Sequence[Record]) -> list[str]:
    """Show the candidates on the seeds that were chosen on, by the protocol's rule."""
    there = [record for record in records if record.seed in CHOSEN_ON]
    names = [name for name in dict.fromkeys(r.method for r in there) if _CANDIDATE.fullmatch(name)]
    if not names:
        return []
    everyone = [*names, *(name for name in (OLD, STACKING) if any(r.method == name for r in there))]
    asked = usual(there, everyone)
    names = [name for name in names if name in asked]
    cells: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in there:
        cells[record.dataset, record.votes_by].append(record)
    found = {cell: Folds(part, asked) for cell, part in cells.items()}
    whole = {cell: folds for cell, folds in found.items() if folds.runs}
    if not names or not whole:
        return [_nothing("The choice", there, "no fold has all candidates that most folds have")]
    accuracy, loss, size = (
        np.mean([folds.table(score).mean(axis=0) for folds in whole.values()], axis=0)
        for score in (out_of_sample, _log_loss, _size)
    )
    accuracy = 100 * accuracy
    chosen = choose_candidate(accuracy[: len(names)], loss[: len(names)])
    rows = tuple(
        (asked[i] + (" (chosen)" if i == chosen else ""), *_figures(accuracy[i], loss[i], size[i]))
        for i in np.argsort(-accuracy, kind="stable")
    )
    where = "; ".join(
        f"{name}, {way}: {len(folds.runs)}" for (name, way), folds in sorted(whole.items())
    )
    note = (
        f"Mean accuracy and log loss on test rows, over {len(whole)} pairs of data set and way of "
        f"making votes (folds of each: {where}). Names are most members, penalty, clip. Of those "
        f"within {NEAR} points of the best the one with the least log loss is chosen."
    ) + _lacked(set(everyone) - set(asked))
    headings = ("", "accuracy", "log loss", "size")
    return [Listing("choice", "The choice", note, headings, rows).to_markdown()]


def _nothing(title: str, records: Sequence[Record], why: str) -> str:
    """Say of a section that there are records and no figures."""
    folds = len({(record.run, record.votes_by) for record in records})
    return f"## {title}\n\nNo figures: there are records on {folds} folds, but {why}.\n"


def _lacked(names: Collection[str]) -> str:
    """Say which methods are left out."""
    return f" Left out, since most folds lack it: {', '.join(sorted(names))}." if names else ""


def _apart(complete: Folds, kept: Folds) -> str:
    """Say which data sets, seeds and folds are left out, so that all of the others go together."""
    told = []
    for axis, word in enumerate(("data sets", "seeds", "folds")):
        gone = {run[axis] for run in complete.runs} - {run[axis] for run in kept.runs}
        if gone:
            told.append(f"{word} {', '.join(map(str, sorted(gone)))}")
    if not told:
        return ""
    return (
        " Left out, so that every data set has the same seeds and every seed the same folds: "
        f"{'; '.join(told)}."
    )


def _log_loss(record: Record) -> float | None:
    return record.test_log_loss


def _auc(record: Record) -> float | None:
    return record.test_auc


def _size(record: Record) -> int:
    return record.size


def choose_candidate(accuracy: Floats, loss: Floats) -> int:
    """Return the place of the candidate that the protocol chooses.

    Parameters
    ----------
    accuracy, loss
        Of every candidate: mean accuracy in points, and mean log loss.
    """
    near = accuracy >= accuracy.max() - NEAR
    return int(np.where(near, loss, np.inf).argmin())


def _figures(accuracy: float, loss: float, size: float) -> tuple[str, ...]:
    return f"{accuracy:.2f}", MISSING if np.isnan(loss) else f"{loss:.4f}", f"{size:.1f}"


def _section(
    title: str,
    records: Sequence[Record],
    *,
    by_set: bool = False,
    needed: bool = False,
    secondary: bool = False,
) -> list[str]:
    everyone = list(dict.fromkeys(record.method for record in records))
    rankable = [name for name in everyone if not _VARIANT.fullmatch(name)]
    most = usual(records, rankable)
    ranked = [name for name in rankable if name in most or name == CHAMPION]
    folds = Folds(records, ranked, balanced=True)
    complete = Folds(records, ranked)
    if not folds.runs or CHAMPION not in ranked:
        why = f"no fold has all methods and one called {CHAMPION!r}"
        if complete.runs and CHAMPION in ranked:
            why = "no fold of a seed has all methods on all data sets"
        if needed:
            raise InputError("RUN", f"{why}. Run more of the plan.")
        return [_nothing(title, records, why)] if records else []
    seeds = sorted({run[1] for run in folds.runs})
    count = len({run[:2] for run in folds.runs})
    numbers = sorted({run[2] for run in folds.runs})
    note = (
        f"{len(folds.runs)} folds of {len({run[0] for run in folds.runs})} data sets, seeds "
        f"{', '.join(map(str, seeds))}, folds {', '.join(map(str, numbers))} of each; {count} "
        "means of data set and seed. Mean rank of the "
        "accuracy on test rows within the folds, 1 for the best, ties shared; means over folds of "
        "accuracy, balanced accuracy, AUC (of votes where there are no probabilities) and log loss "
        "there, of the accuracy on the rows that were pruned on, and of the size; median seconds."
    )
    if set(seeds) & set(CHOSEN_ON):
        note += " The default was chosen on folds of these seeds, so this is no check of it."
    note += _lacked(set(rankable) - set(ranked)) + _apart(complete, folds)
    ranks = folds.ranks()
    order = np.argsort(ranks, kind="stable")
    lines = _lines(folds)
    rows = [(folds.methods[i], f"{ranks[i]:.2f}", *lines[i]) for i in order]
    variants = _variants(records, everyone, folds)
    rows += variants
    hidden = set(everyone) - set(rankable) - {name for name, *_ in variants}
    if hidden:
        note += f" Not told, since some of these folds lack it: {', '.join(sorted(hidden))}."
    headings = (
        "", "rank", "accuracy", "balanced", "AUC", "log loss", "on the votes", "size", "s",
    )  # fmt: skip
    rivals = [folds.methods[i] for i in order if folds.methods[i] != CHAMPION]
    found = duels(folds, CHAMPION, rivals)
    parts = [
        Listing("unseen", title, note, headings, tuple(rows)).to_markdown(),
        *_proofs(folds),
    ]
    if rivals:
        parts += [
            _tests("Tests", "accuracy (points)", found, "{:+.2f}", 100),
            _goal(found, folds),
            *(_secondary(folds, rivals) if secondary else ()),
        ]
    return [*parts, _by_set(folds, order)] if by_set else parts


def _proofs(folds: Folds) -> list[str]:
    """Say how often methods that prove had proved their committee best when their time was up."""
    bounded = folds.table(lambda record: record.bound is not None).sum(axis=0)
    proved = folds.table(lambda record: record.status == "optimal").sum(axis=0)
    told = [f"{name} {int(proved[i])}" for i, name in enumerate(folds.methods) if bounded[i]]
    if not told:
        return []
    return [f"Proved best on the votes, of {len(folds.runs)} folds: {', '.join(told)}.\n"]


def _lines(folds: Folds) -> list[tuple[str, ...]]:
    """Return the figures of every method."""
    columns = (
        (100 * folds.accuracy, "{:.2f}"),
        (100 * folds.balanced, "{:.2f}"),
        (folds.table(_auc), "{:.4f}"),
        (folds.table(_log_loss), "{:.4f}"),
        (100 * folds.table(in_sample), "{:.2f}"),
        (folds.table(_size), "{:.1f}"),
    )
    seconds = np.median(folds.table(lambda record: record.seconds), axis=0)
    return [
        (
            *(
                MISSING if np.isnan(values[:, i]).all() else form.format(np.nanmean(values[:, i]))
                for values, form in columns
            ),
            f"{seconds[i]:.2g}",
        )
        for i in range(len(folds.methods))
    ]


def _variants(
    records: Sequence[Record], names: Sequence[str], ranked: Folds
) -> list[tuple[str, ...]]:
    """Return the lines of the champion's variants, which are not ranked, on the same folds."""
    found = []
    there = [record for record in records if record.run in ranked.runs]
    for name in names:
        folds = Folds(there, [name])
        if _VARIANT.fullmatch(name) and folds.runs == ranked.runs:
            found.append((name, MISSING, *_lines(folds)[0]))
    return found


def _tests(
    title: str,
    score: str,
    found: Sequence[Duel],
    form: str,
    scale: float,
    untold: Sequence[str] = (),
) -> str:
    """Show the duels by one score; `untold` are rivals that have it on some folds only."""
    rows = tuple(
        (
            duel.rival,
            form.format(scale * duel.gain),
            MISSING
            if duel.low is None or duel.high is None
            else f"{form.format(scale * duel.low)} to {form.format(scale * duel.high)}",
            f"{duel.p_folds:.2g}",
            f"{duel.p_means:.2g}",
        )
        for duel in found
    )
    note = (
        f"{CHAMPION} against each: mean difference in {score} over the means of data set "
        "and seed, with its 95 % interval (Student's t, not adjusted), and p of Wilcoxon's "
        "signed-rank test, two-sided, over folds and over those means, each Holm-adjusted over all "
        f"{len(found)} rivals."
    )
    if untold:
        note += f" Left out, since some folds have no {score} of it: {', '.join(untold)}."
    headings = ("against", "difference", "95 %", "p, folds", "p, means")
    return Listing("tests", title, note, headings, rows).to_markdown().replace("## ", "### ", 1)


def _secondary(folds: Folds, rivals: Sequence[str]) -> list[str]:
    """Show the duels by AUC and by log loss, with those that have it on every fold."""
    parts = []
    for score, by in (("AUC", _auc), ("log loss", _log_loss)):
        absent = np.isnan(folds.table(by))
        sure = [name for name in rivals if not absent[:, folds.column(name)].any()]
        if absent[:, folds.column(CHAMPION)].any() or not sure:
            parts.append(
                f"### Tests by {score}\n\n"
                f"None: {CHAMPION} and a rival must have it on every fold.\n"
            )
            continue
        found = duels(folds, CHAMPION, sure, by)
        some = [
            name for name in rivals if name not in sure and not absent[:, folds.column(name)].all()
        ]
        parts.append(_tests(f"Tests by {score}", score, found, "{:+.4f}", 1, some))
    return parts


def _goal(found: Sequence[Duel], folds: Folds) -> str:
    """Say which parts of the goal are met."""
    sizes = folds.table(_size).mean(axis=0)
    ranks = folds.ranks()
    small = [i for i in range(len(folds.methods)) if sizes[i] <= 10]
    place = 1 + sum(ranks[i] < ranks[folds.column(CHAMPION)] for i in small)
    lines = [
        f"- Mean rank among the {len(small)} methods of at most ten members on average: place "
        f"{place}."
    ]
    paper = {contender.label for contender in PAPER} | {"F1-HiGHS"}
    for words, rivals in (
        ("the paper's methods", [d for d in found if d.rival in paper]),
        ("greedy selection", [d for d in found if d.rival.startswith("greedy")]),
    ):
        failed = [d.rival for d in rivals if max(d.p_folds, d.p_means) >= 0.05 or d.gain <= 0]
        if rivals:
            told = "all" if not failed else f"all but {', '.join(failed)}"
            told = "none" if len(failed) == len(rivals) else told
            so_many = f"{told} of {len(rivals)}"
            lines.append(f"- Better than {words} with p < 0.05 by both tests: {so_many}.")
    for duel in found:
        if duel.rival == STACKING and duel.low is not None:
            said = "stays above" if duel.low > -0.003 else "does not stay above"
            lines.append(f"- The interval against stacking {said} -0.3 points.")
    return "\n".join(lines) + "\n"


def _by_set(folds: Folds, order: Iterable[int]) -> str:
    datasets = sorted({run[0] for run in folds.runs})
    means = 100 * folds.means(folds.accuracy, by=1)
    rows = tuple((folds.methods[i], *(f"{mean:.2f}" for mean in means[:, i])) for i in order)
    listing = Listing(
        "by_set", "By data set", "Mean accuracy on test rows; not tested.", ("", *datasets), rows
    )
    return listing.to_markdown().replace("## ", "### ", 1)
