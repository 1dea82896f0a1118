"""Files of votes, labels or probabilities as the commands take them: `Pool`, and its readers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..exceptions import InputError
from ..soft.probabilities import CLIP, Probabilities
from ..solve.plurality_solution import PluralitySolution
from ..solve.soft_solution import SoftSolution
from ..solve.solution import Solution
from ..tables import ClassTable, VoteTable, is_plain, read_classes, read_source, read_votes
from ..tables.soft import SoftSource, read_probabilities
from ..votes.plurality import PluralityVotes
from ..votes.votes import Votes
from .console import say
from .output import (
    score_labels,
    score_soft,
    score_test_rows,
    words_on_labels,
    words_on_soft,
    words_on_test_rows,
)
from .shared_options import Asked, Effort, Reading, Softness, Source

Scored = tuple[dict[str, Any] | None, tuple[str, ...]]
"""What a committee reaches on test rows: figures for a document, and words for people."""


@dataclass(frozen=True)
class Pool:
    """What ``voteprune prune`` chooses from, whatever kind of committee it chooses.

    Parameters
    ----------
    said
        What members say about every row.
    costs
        What they cost, where their file tells.
    asked
        Arguments of `prune` that are this kind's own.
    score
        Tells what the committee of a solution reaches on test rows.
    reading
        How the file was read, kept with the solution for "voteprune apply".
    """

    said: Votes | PluralityVotes | Probabilities
    asked: Mapping[str, Any]
    costs: dict[str, float] | None = None
    score: Callable[[Any], Scored] = lambda _: (None, ())
    reading: dict[str, Any] | None = None


def read_tables(
    file: Sequence[Path], reading: Reading, k: int | None = None, test: Path | None = None
) -> VoteTable:
    """Read the votes, and the test rows from where they are; say what a person should know.

    Parameters
    ----------
    file, reading, k
        The files, how they are read, and how many classifiers are taken.
    test
        File of other rows; None where the votes' own file has them, if any.
    """
    table = read_source(file, reading.options(k))
    if test is not None:
        if table.test is not None:
            raise InputError("--test", "is one set of test rows, the table has another. Give one.")
        options = reading.options()
        if table.classes is not None:
            options = replace(options, negative=table.classes[0])
        rows = read_votes(test, table.validation.names, options)
        if rows.labels is None:
            raise InputError("--test", f"{test} has no labels. Name their column with --target.")
        table = replace(table, test=replace(rows, is_test=None))
    for note in table.notes:
        say(note)
    said = table.validation.matrix
    if said.all() or not said.any():
        always = "positive" if said.any() else "negative"
        say(
            f"every vote is {always}, for votes are positive from {reading.options().cut:g} on; "
            "see --cutoff."
        )
    return table


def read_class_tables(
    file: Sequence[Path], reading: Reading, k: int | None = None, test: Path | None = None
) -> ClassTable:
    """Read votes for classes, likewise."""
    if k is not None:
        raise InputError("--k", "is for tables of two classes. Leave it out with --plurality.")
    table = read_classes(file, reading.options(), test)
    for note in table.notes:
        say(note)
    return table


def read_votes_pool(
    file: Sequence[Path],
    reading: Reading,
    source: Source,
    test: Path | None,
    asked: Mapping[str, Any],
    *,
    certified: bool,
) -> Pool:
    """Read a table of votes on two classes, to choose a committee from."""
    table = read_tables(file, reading, source.k, test)
    if certified:
        check_uncut(table)

    # Where abstentions are skipped it is a plurality solution.
    def score(solution: Solution | PluralitySolution) -> Scored:
        scores = None if table.test is None else score_test_rows(solution, table.test)
        return scores, () if scores is None else words_on_test_rows(solution, scores)

    return Pool(table.validation, asked, table.costs, score, reading_fields(reading, table.classes))


def read_labels_pool(
    file: Sequence[Path],
    reading: Reading,
    source: Source,
    asked: Asked,
    effort: Effort,
    test: Path | None,
) -> Pool:
    """Read a table of labels, to choose a plurality committee from."""
    if asked.diversity is not None:
        raise InputError("--diversity", "is for two classes. Leave it out with --plurality.")
    table = read_class_tables(file, reading, source.k, test)

    def score(solution: PluralitySolution) -> Scored:
        if table.test is None or solution.committee is None:
            return None, ()
        scores = score_labels(solution.committee.members, source.objective, table.test)
        return scores, (words_on_labels(scores, source.objective),)

    how = {"objective": source.objective, "solver": effort.solver}
    return Pool(table.validation, how, table.costs, score, said_fields(reading))


def read_probabilities_pool(
    file: Sequence[Path],
    reading: Reading,
    source: Source,
    soft: Softness,
    promised: Mapping[str, Any],
    test: Path | None,
    *,
    certified: bool,
) -> Pool:
    """Read a table of probabilities, to choose a soft committee from."""
    if source.k is not None:
        raise InputError("--k", "is for votes. Choose columns with --columns instead.")
    table = read_probabilities(
        file, reading.options(), CLIP if soft.clip is None else soft.clip, test
    )
    if certified:
        check_columns(table)
    for note in table.notes:
        say(note)

    def score(solution: SoftSolution) -> Scored:
        if table.test is None or solution.committee is None:
            return None, ()
        scores = score_soft(solution.committee, table.test)
        return scores, (words_on_soft(scores),)

    how = {"objective": source.objective, "penalty": soft.penalty, **promised}
    return Pool(table.validation, how, table.costs, score, said_fields(reading))


def check_plain(file: Sequence[Path], reading: Reading, *, soft: bool) -> None:
    """Refuse a certificate of a table that its checker could not read again."""
    alone = len(file) == 1 and str(file[0]) != "-" and not file[0].is_dir()
    if not alone or not reading.plain or not is_plain(file[0]):
        cure = (
            "Save the probabilities as one table with commas, labels 0 and 1 or names of several "
            "classes, and prune that one."
            if soft
            else 'Write it with "voteprune votes FILE ... --output votes.csv", and prune that one '
            "with --target label."
        )
        raise InputError(
            "--certificate", f"is about one plain table, which the checker reads again. {cure}"
        )


def check_uncut(table: VoteTable) -> None:
    """Refuse a certificate of skipped abstentions where the checker would find no votes."""
    said = table.numbers
    if table.validation.abstentions == "skip" and said is not None:
        votes = said[~np.isnan(said)]
        if not ((votes == 0) | (votes == 1)).all():
            raise InputError(
                "--certificate",
                "of skipped abstentions is about cells that are 0, 1 or empty, not about "
                'probabilities. Write such a table with "voteprune votes FILE ... --output '
                'votes.csv", and prune that one with --target label.',
            )


def check_columns(table: SoftSource) -> None:
    """Refuse a certificate of members that name a class of several where the checker wants each."""
    if table.voters:
        name, classes = table.voters[0], table.validation.classes
        raise InputError(
            "--certificate",
            f"is about a column for every member and class, and {name!r} names its class in one. "
            f"Save its votes as columns '{name}:{classes[0]}', '{name}:{classes[1]}' and so on, "
            "with 1 for the class it votes for and 0 for the others.",
        )


def reading_fields(reading: Reading, classes: tuple[str, str] | None) -> dict[str, Any]:
    """Return what "voteprune apply" must know to read votes as they were read here.

    The classes, the positive one last, are for whoever reads the file without it.
    """
    options = reading.options()
    fields: dict[str, Any] = {"cutoff": options.cut, "classes": list(classes or ("0", "1"))}
    fields |= said_fields(reading)
    if classes is not None:
        fields |= {"positive": classes[1], "negative": classes[0]}
    return fields


def said_fields(reading: Reading) -> dict[str, Any]:
    """Return what "voteprune apply" must know of abstentions and grades, whatever is said."""
    options = reading.options()
    fields: dict[str, Any] = {"abstain": list(options.abstain)} if options.abstain else {}
    if options.grade is not None:
        fields["positive"] = reading.positive
    return fields
