"""``voteprune apply`` and ``voteprune votes``: tables in, tables out."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, TypeVar

import numpy as np
from cyclopts import Parameter

from ..exceptions import InputError
from ..files.jsonfile import Fields, load_file, parse
from ..problem.committee import NUMBERED, USUAL_CUT, Committee
from ..problem.confusion import Confusion
from ..problem.plurality_committee import PluralityCommittee
from ..soft.committee import SoftCommittee
from ..soft.log_odds import SCORE
from ..tables import Bools, ReadOptions, Rows, Sheet, read_labels, read_rows, read_votes
from ..tables.soft import read_members
from .console import PROVED, say
from .option_texts import check_outputs
from .output import given_votes, score_soft, words_on_soft, write_csv
from .shared_options import AS_IT_IS, OUTPUT, Reading

C = TypeVar("C", Committee, PluralityCommittee)

_KINDS: dict[str, type[Committee | PluralityCommittee | SoftCommittee]] = {
    "committee": Committee,
    "solution": Committee,
    "plurality_committee": PluralityCommittee,
    "plurality_solution": PluralityCommittee,
    "soft_committee": SoftCommittee,
    "soft_solution": SoftCommittee,
}
"""Every kind of document that holds a committee, and of what kind that is."""


def apply_command(
    committee: Path,
    file: Path,
    /,
    *,
    reading: Reading = AS_IT_IS,
    output: Annotated[Path | None, Parameter(group=OUTPUT)] = None,
) -> int:
    """Predict the rows of FILE with a saved committee.

    Prints CSV with an id (the column --id, else "index" or "id", else the row number from 0 on),
    votes (how many members vote positive, or for the winning class) and prediction; a soft
    committee gives its probability (of every class of several) in the place of votes. Members are
    found by name; other columns are ignored. Where FILE has labels (--target, or the paper's), the
    accuracy is told on stderr. Words, grades and cut-offs are read as "voteprune prune" read them.

    Parameters
    ----------
    committee
        What "voteprune prune --output" wrote.
    file
        Table with a column for every member: CSV, gzipped CSV or Parquet; - for stdin.
    output
        Write the CSV here instead of printing it.
    """
    check_outputs({"--output": output}, (file, committee, reading.labels))
    chosen, kept = _saved(committee)
    if isinstance(chosen, SoftCommittee):
        return _apply_probabilities(chosen, file, _as_read(kept, reading.options()), output)
    options = _read_options(chosen, kept, reading)
    if isinstance(chosen, Committee):
        chosen = _ruled(chosen, reading)
    elif not _of_two(chosen):
        return _apply_labels(_ruled(chosen, reading), file, options, output)
    rows = read_votes(file, chosen.names, options)
    # The same committee, seated on the columns that were read.
    seats = tuple(range(chosen.size))
    seated = replace(given_votes(chosen), members=seats, pool_size=chosen.size)
    positive: Bools = seated.predict(rows.said) == 1
    words = ("0", "1") if rows.classes is None else rows.classes
    told = [words[int(one)] for one in positive]
    counts = seated.count(rows.said)
    if counts.ndim > 1:
        counts = counts[:, 1]
    write_csv(
        (rows.id_name, "votes", "prediction"),
        zip(rows.ids, counts.tolist(), told, strict=True),
        output,
    )
    for sentence in _scores(rows, positive):
        say(sentence)
    return PROVED


def _saved(path: Path) -> tuple[Committee | PluralityCommittee | SoftCommittee, Fields]:
    """Return the committee that a document holds, and the document, which may be a solution."""
    text, source = load_file(path)
    kind, kept = parse(text, tuple(_KINDS), source)
    own = kept.object("committee") if kind.endswith("solution") else kept
    return _KINDS[kind]._from_fields(own), kept


def _read_options(
    chosen: Committee | PluralityCommittee, kept: Fields, reading: Reading
) -> ReadOptions:
    """Return how votes are read for a saved committee: as then, unless something else is said."""
    options = reading.options()
    options = replace(options, abstentions=options.abstentions or chosen.abstentions)
    return _as_chosen(chosen, options) if kept.missing("reading") else _as_read(kept, options)


def _as_read(kept: Fields, options: ReadOptions) -> ReadOptions:
    """Return the options with what a document tells of how its votes were read, if it does."""
    if kept.missing("reading"):
        return options
    fields = kept.object("reading")
    if not options.abstain and not fields.missing("abstain"):
        options = replace(options, abstain=fields.texts("abstain"))
    if options.cutoff is None and not fields.missing("cutoff") and options.grade is None:
        options = replace(options, cutoff=fields.number("cutoff"))
    if options.positive is None and not fields.missing("positive"):
        options = replace(options, positive=fields.text("positive"))
    if not fields.missing("negative"):
        options = replace(options, negative=fields.text("negative"))
    return options


def _as_chosen(chosen: Committee | PluralityCommittee, options: ReadOptions) -> ReadOptions:
    """Return the options with what a committee knows itself of how its votes were read."""
    labels = chosen.classes if isinstance(chosen, Committee) else chosen.labels or NUMBERED
    if labels != NUMBERED and options.positive is None:
        negative, positive = map(str, labels)
        options = replace(options, negative=negative, positive=positive)
    if options.cutoff is None and options.grade is None and chosen.cutoff != USUAL_CUT:
        options = replace(options, cutoff=chosen.cutoff)
    return options


def _ruled(chosen: C, reading: Reading) -> C:
    """Return a committee that was chosen without abstentions with the rule given for these rows."""
    rule = reading.options().abstentions
    if rule is None or chosen.abstentions is not None:
        return chosen
    if rule == "skip" and isinstance(chosen, Committee):
        raise InputError(
            "--abstentions",
            "skip is for committees that were chosen so, and this one decides by a number of "
            "votes. Take --abstentions against, or prune again with --abstentions skip.",
        )
    return replace(chosen, abstentions=rule)


def _apply_labels(
    chosen: PluralityCommittee, file: Path, options: ReadOptions, output: Path | None
) -> int:
    """Predict the rows of a table of labels.

    Parameters
    ----------
    chosen
        The committee.
    file, options
        The table, and how it is read.
    output
        Where to write the predictions; None for stdout.
    """
    rows = read_labels(file, chosen.names, sep=options.sep)
    columns = rows.columns
    for name, option in ((options.target, "--target"), (options.id, "--id")):
        if name is not None and name not in columns:
            raise InputError(option, f"{file} has no column {name!r}.")
    own = ["index", *(name for name in columns if name.lower() == "id")]
    index = options.id or next((name for name in own if name in columns), None)
    seated = replace(
        chosen,
        members=tuple(range(chosen.size)),
        classes=tuple(map(str, chosen.classes)),
        pool_size=chosen.size,
    )
    cells = tuple(rows.said(name) for name in chosen.names)
    labels = None if options.target is None else rows.said(options.target)
    sheet = Sheet(
        str(file), chosen.names, tuple(rows.ids), cells, labels, options.target or "label",
        lines=rows.lines,
    ).silenced(options)  # fmt: skip
    sheet.refuse_gaps(options)
    said = [np.array(column, dtype=str) for column in sheet.cells]
    counts = seated.count(np.column_stack(said))
    ids = rows.ids if index is None else rows.column(index).tolist()
    winners = [seated.classes[place] for place in counts.argmax(axis=1)]
    lines = zip(ids, counts.max(axis=1).tolist(), winners, strict=True)
    write_csv((index or "index", "votes", "prediction"), lines, output)
    if labels is not None:
        truth = np.array(labels)
        right = truth == np.array(winners)
        balanced = np.mean([right[truth == label].mean() for label in np.unique(truth)])
        say(f"accuracy {right.mean():.6g} on {len(right)} rows, balanced accuracy {balanced:.6g}")
    return PROVED


def _apply_probabilities(
    chosen: SoftCommittee, file: Path, options: ReadOptions, output: Path | None
) -> int:
    """Give the rows of a table probabilities and classes."""
    kinds = zip(chosen.names, chosen.kinds, strict=True)
    scored = [name for name, kind in kinds if kind == SCORE]
    rows = read_members(file, chosen.names, chosen.classes, options, chosen.labelled or (), scored)
    shares = chosen.predict_proba(rows.said)
    decided = chosen.predict(rows.said).tolist()
    two = len(chosen.classes) == 2
    header = ["probability"] if two else [f"probability:{label}" for label in chosen.classes]
    told = (shares[:, 1:] if two else shares).tolist()
    lines = (
        (row, *map(repr, given), word)
        for row, given, word in zip(rows.ids, told, decided, strict=True)
    )
    write_csv((rows.id_name, *header, "prediction"), lines, output)
    if rows.labels is not None:
        say(words_on_soft(score_soft(chosen, rows)))
    return PROVED


def _of_two(committee: PluralityCommittee) -> bool:
    """Tell whether a committee was chosen on votes of two classes, abstentions being skipped."""
    return committee.abstentions is not None and committee.classes == (0, 1)


def votes_command(
    *file: Path,
    reading: Reading = AS_IT_IS,
    output: Annotated[Path | None, Parameter(group=OUTPUT)] = None,
) -> int:
    """Write the votes in FILE as one plain table, however they are kept.

    FILE is as for "voteprune prune". Prints CSV with the columns index, label and one per
    classifier; with --split the paper's layout. Labels and votes are 0 and 1, and empty where a
    classifier has said nothing.

    Parameters
    ----------
    file
        Votes or probabilities: one table with a column per classifier, or one file per model.
    output
        Write the CSV here instead of printing it.
    """
    check_outputs({"--output": output}, (*file, reading.labels))
    rows = read_rows(file, reading.options())
    if rows.labels is None:
        raise InputError("--target", "is missing. Name the column of labels.")
    for note in rows.notes:
        say(note)
    gone = (
        np.zeros(rows.votes.shape, dtype=bool) if rows.numbers is None else np.isnan(rows.numbers)
    )
    cells = np.where(gone, "", np.where(rows.votes, "1", "0"))
    head = [rows.ids, ["1" if label else "0" for label in rows.labels]]
    header = ["index", "label"]
    if rows.is_test is not None:
        head = [["test" if test else "validation" for test in rows.is_test], head[1], head[0]]
        header = ["datatype", "real_class", "index"]
    clash = [name for name in rows.names if name in header]
    if clash:
        raise InputError("--columns", f"a classifier is called {clash[0]!r}. Rename it.")
    lines = ((*first, *line) for first, line in zip(zip(*head, strict=True), cells, strict=True))
    write_csv((*header, *rows.names), lines, output)
    return PROVED


def _scores(rows: Rows, positive: Bools) -> Iterable[str]:
    """Say how often a committee is right, on each part of the rows."""
    if rows.labels is None:
        return
    everything = np.ones(len(rows.labels), dtype=bool)
    parts = [("", everything)]
    if rows.is_test is not None:
        parts = [("validation ", ~rows.is_test), ("test ", rows.is_test)]
    for name, part in parts:
        if part.any():
            balanced = Confusion.count(rows.labels[part], positive[part]).balanced_accuracy
            right = (positive == rows.labels)[part].mean()
            shares = "" if math.isnan(balanced) else f", balanced accuracy {balanced:.6g}"
            yield f"accuracy {right:.6g} on {part.sum()} {name}rows{shares}"
