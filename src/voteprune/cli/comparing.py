"""``voteprune compare``: methods side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, cast

from cyclopts import Parameter

from ..compare import compare
from ..exceptions import InputError
from ..problem.metrics import Criterion
from ..soft.pruning import OBJECTIVES
from ..solve.comparison import Comparison
from ..tables import Rows
from ..votes.plurality import PluralityVotes
from ..votes.votes import Votes
from .console import PROVED, UNWRITTEN, WRONG, live_methods, say
from .inputs import read_class_tables, read_tables
from .option_texts import check_outputs, check_picture, read_objective
from .output import emit, exit_code, noting
from .shared_options import (
    AIM,
    ANY_SOURCE,
    AS_IT_IS,
    FILES,
    NO_LIMITS,
    OUTPUT,
    SOME_EFFORT,
    Effort,
    Limits,
    Reading,
    Source,
)


def compare_command(
    *file: Path,
    reading: Reading = AS_IT_IS,
    test: Annotated[Path | None, Parameter(group=FILES)] = None,
    source: Source = ANY_SOURCE,
    methods: Annotated[str | None, Parameter(group=AIM)] = None,
    threshold: Annotated[str | None, Parameter(group=AIM)] = None,
    plurality: Annotated[bool, Parameter(group=AIM)] = False,
    limits: Limits = NO_LIMITS,
    effort: Effort = SOME_EFFORT,
    json: Annotated[bool, Parameter(group=OUTPUT)] = False,
    csv: Annotated[bool, Parameter(group=OUTPUT)] = False,
    plot: Annotated[Path | None, Parameter(group=OUTPUT)] = None,
    strict: Annotated[bool, Parameter(group=OUTPUT)] = False,
) -> int:
    """Run several methods on the votes in FILE and print one table.

    FILE is as for "voteprune prune". Where there are test rows (the paper's, --split or --test),
    the committees are also judged on them. Ctrl-C ends the comparison with the method it stops.

    Parameters
    ----------
    file
        Votes or probabilities: one table with a column per classifier, or one file per model.
    test
        File of other rows, on which the committees are judged too.
    methods
        Names with commas between, see "voteprune methods"; when omitted, all that can honour
        what is asked for, but paper and brute.
    threshold
        How many votes make a positive: majority, or tuned; each method's own rule when omitted.
    plurality
        The cells of the table are names of classes, of which there may be more than two; the class
        with most votes wins.
    json
        Print all columns as JSON.
    csv
        Print all columns as CSV.
    plot
        Draw accuracy against size into this file: png, svg or pdf.
    strict
        Exit code 3 where a method has found a committee without finishing its work.
    """
    if json and csv:
        raise InputError("--csv", "and --json are two forms of one table. Give one of them.")
    as_told = plurality or source.objective in OBJECTIVES  # compare says what losses are for
    criterion = source.objective if as_told else read_objective(source.objective)
    asked = limits.read()
    names = None if methods is None else [name.strip() for name in methods.split(",")]
    if plot is not None:
        check_picture(plot)
    check_outputs({"--plot": plot}, (*file, test, reading.labels, limits.costs))
    votes, other, costs = _read(file, reading, source.k, test, plurality)
    with live_methods() as callback:
        found = compare(
            votes,
            methods=names,
            test=other,
            objective=cast("Criterion", criterion),  # a margin is refused there, by name
            solver=effort.solver,
            diversity=asked.diversity,
            constraints=asked.for_pool(votes.names, costs),
            threshold=threshold,  # type: ignore[arg-type]
            time_limit=effort.time_limit,
            random_state=effort.seed,
            n_jobs=effort.jobs,
            callback=callback,
        )
    text = found.to_json() if json else found.to_csv() if csv else found.table() + "\n"
    unwritten: list[str] = []
    with noting(unwritten):
        emit(text)
    if plot is not None:
        with noting(unwritten):
            found.save_plot(plot)
    for sentence in dict.fromkeys(solution.explanation for solution in found.solutions):
        if sentence:
            say(sentence)
    for sentence in unwritten:
        say(sentence)
    return UNWRITTEN if unwritten else _exit_code(found, strict)


def _read(
    file: tuple[Path, ...], reading: Reading, k: int | None, test: Path | None, plurality: bool
) -> tuple[Votes | PluralityVotes, Votes | PluralityVotes | None, dict[str, float] | None]:
    """Read the votes, those to judge on, and what the file tells of costs."""
    if not plurality:
        table = read_tables(file, reading, k, test)
        votes, other = table.validation, table.test
        return votes, None if other is None else _test_votes(other, votes), table.costs
    labels = read_class_tables(file, reading, k, test)
    return labels.validation, labels.test, labels.costs


def _test_votes(test: Rows, votes: Votes) -> Votes | None:
    try:
        judged = Votes(test.said, test.labels, names=test.names, abstentions=votes.abstentions)
        return judged.called(*votes.classes)
    except InputError:
        say("the test rows have one class only, so nothing is judged on them.")
        return None


def _exit_code(found: Comparison, strict: bool) -> int:
    """Return the code of the method that has gone worst; wrong only if none has a committee."""
    codes = [exit_code(solution, strict) for solution in found.solutions]
    if all(solution.committee is None for solution in found.solutions):
        return max(codes)
    return max((code for code in codes if code != WRONG), default=PROVED)
