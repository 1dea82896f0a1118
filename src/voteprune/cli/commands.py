"""The commands: what ``voteprune prune``, ``apply`` and ``solvers`` do, from options to exit code.

Their signatures are the options and their docstrings are the help, both read by cyclopts. All that
can be refused is refused before the solving starts.
"""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path
from typing import Annotated, cast

from cyclopts import Parameter

from ..exceptions import InputError
from ..files import jsonfile, outfile
from ..problem.committee import Committee
from ..prune import prune
from ..run.run import ThresholdRule
from ..solvers import solvers
from ..starting import INTERRUPTED
from ..strategies.registry import methods
from ..tables import read_table, read_votes
from .live import live_line
from .options import check_output, read_objective
from .output import (
    PROVED,
    aligned,
    emit,
    explained,
    hand_out,
    say,
    score_test_rows,
    solution_json,
    solution_text,
)
from .plural import apply_labels, is_plurality, prune_labels
from .wishes import ANY_SOURCE, NO_LIMITS, SOME_EFFORT, Effort, Limits, Source

_METHODS = f'{", ".join(m.name for m in methods())}; see "voteprune methods".'
"""The help of --method: every method there is."""


def prune_command(
    file: Path,
    /,
    *,
    source: Source = ANY_SOURCE,
    method: Annotated[str, Parameter(help=_METHODS)] = "exact",
    threshold: str | None = None,
    plurality: bool = False,
    limits: Limits = NO_LIMITS,
    effort: Effort = SOME_EFFORT,
    explain: bool = False,
    explain_time: float = 10.0,
    checkpoint: Path | None = None,
    json: bool = False,
    output: Path | None = None,
    certificate: Path | None = None,
) -> int:
    """Choose the best committee of the classifiers in FILE, with a proof.

    FILE is CSV, gzipped CSV or Parquet: either the paper's layout (datatype, real_class, index,
    then one column per classifier; test rows are reported on, not pruned on) or any table whose
    label column --target names. Options that take a NAME or a limit may be repeated.

    Parameters
    ----------
    file
        Table of votes or probabilities, one column per classifier.
    method
        Name of a method; the help lists them all.
    threshold
        majority or tuned, for methods that leave it open; the method's own rule when omitted.
    plurality
        Cells are classes, two or more, by any names; the class with most votes wins.
    explain
        Also tell which members carry the committee, which swaps cost nothing, and which rows no
        committee gets right.
    explain_time
        Seconds for proofs of what is possible without each member, all members together.
    checkpoint
        Keep an unfinished proof in this file, and go on from there where it exists.
    json
        Print the solution as JSON.
    output
        Also save the solution here, for "voteprune apply".
    certificate
        Also write the whole proof here, for "voteprune verify".
    """
    criterion = read_objective(source.objective)
    asked = limits.read()
    if not explain_time >= 0:
        raise InputError("--explain-time", f"is {explain_time}; expected seconds from 0 on.")
    if output is not None:
        check_output(output, file)
    if certificate is not None:
        check_output(certificate, file, option="--certificate")
    if plurality:
        if any(option is not None for option in (threshold, certificate, checkpoint)):
            raise InputError(
                "--plurality", "takes no --threshold, --certificate or --checkpoint. Leave it out."
            )
        return prune_labels(
            file, source, method, asked, effort, as_json=json, output=output,
            explain_time=explain_time if explain else None,
        )  # fmt: skip
    table = read_table(file, target=source.target, k=source.k)
    with live_line() as callback:
        solution = prune(
            table.validation,
            objective=criterion,
            method=method,
            threshold=cast("ThresholdRule | None", threshold),
            solver=effort.solver,
            diversity=asked.diversity,
            constraints=asked.for_pool(table.validation.names),
            time_limit=effort.time_limit,
            callback=callback,
            random_state=effort.seed,
            n_jobs=effort.jobs,
            certificate=certificate is not None,
            checkpoint=checkpoint,
        )
    scores = None if table.test is None else score_test_rows(solution, table.test)
    why, interrupted = explained(solution, explain_time if explain else None)
    text = solution_json(solution, scores, why) if json else solution_text(solution, scores, why)
    if json and solution.explanation:
        say(solution.explanation)
    proof = solution.certificate and replace(solution.certificate, target=source.target)
    code = hand_out(solution, text, output, (certificate, proof))
    return INTERRUPTED if interrupted else code


def apply_command(committee: Path, file: Path, /, *, output: Path | None = None) -> int:
    """Predict the rows of FILE with a saved committee.

    Prints CSV with the columns index (the file's own, else the row number from 0 on), votes (how
    many members vote positive, or for the winning class) and prediction. Members are found by
    name; other columns are ignored. Where FILE has the paper's labels, the accuracy is told on
    stderr.

    Parameters
    ----------
    committee
        What "voteprune prune --output" wrote.
    file
        Table with a column for every member: CSV, gzipped CSV or Parquet.
    output
        Write the CSV here instead of printing it.
    """
    if output is not None:
        check_output(output, file, committee)
    if is_plurality(committee):
        return apply_labels(committee, file, output)
    chosen = Committee.load(committee)
    rows = read_votes(file, chosen.names)
    # The same committee, seated on the columns that were read.
    seated = replace(chosen, members=tuple(range(chosen.size)), pool_size=chosen.size)
    prediction = seated.predict(rows.votes)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("index", "votes", "prediction"))
    writer.writerows(
        zip(rows.ids, seated.count(rows.votes).tolist(), prediction.tolist(), strict=True)
    )
    if output is None:
        emit(text.getvalue())
    else:
        outfile.write_text(output, text.getvalue())
    if rows.labels is not None and rows.is_test is not None:
        right = (prediction == 1) == rows.labels
        for name, part in (("validation", ~rows.is_test), ("test", rows.is_test)):
            if part.any():
                say(f"accuracy {right[part].mean():.6g} on {part.sum()} {name} rows")
    return PROVED


def solvers_command(*, json: bool = False) -> int:
    """List the solvers: which are installed, and what they can do.

    Parameters
    ----------
    json
        Print the list as JSON.
    """
    found = [
        {
            "name": info.name,
            "version": info.version,
            "installed": info.installed,
            "licence": info.licence,
            "warm_start": info.warm_start,
            "streams": info.streams,
        }
        for info in solvers()
    ]
    if json:
        emit(jsonfile.write(found))
        return PROVED
    lines = [["solver", "version", "warm start", "streams", "licence"]]
    for row in found:
        version = str(row["version"] or "not installed")
        if row["version"] and not row["installed"]:
            version += " (refused)"
        flags = ("yes" if row[key] else "no" for key in ("warm_start", "streams"))
        lines.append([str(row["name"]), version, *flags, str(row["licence"])])
    emit(aligned(lines))
    return PROVED
