"""The commands: what ``voteprune prune``, ``apply`` and ``solvers`` do, from options to exit code.

Their signatures are the options and their docstrings are the help, both read by cyclopts. All that
can be refused is refused before the solving starts.
"""

from __future__ import annotations

import csv
import io
import json as jsonlib
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from .. import jsonfile
from ..committee import Committee
from ..constraints import AtLeast, AtMost, Forbid, Require
from ..exceptions import InputError
from ..methods import methods
from ..prune import prune
from ..solvers import solvers
from ..tables import read_costs, read_table, read_votes
from .live import live_line
from .options import build_budget, check_output, read_diversity, read_limits, read_objective
from .output import PROVED, emit, exit_code, say, score_test_rows, solution_json, solution_text

_METHODS = "; ".join(f"{method.name} ({method.summary})" for method in methods()) + "."
"""The help of --method: every method there is."""


def prune_command(
    file: Path,
    /,
    *,
    target: str | None = None,
    k: int | None = None,
    objective: str = "accuracy",
    method: Annotated[str, Parameter(help=_METHODS)] = "exact",
    diversity: str | None = None,
    tau: float | None = None,
    gamma: float | None = None,
    min_size: int | None = None,
    max_size: int | None = None,
    require: list[str] | None = None,
    forbid: list[str] | None = None,
    at_least: list[str] | None = None,
    at_most: list[str] | None = None,
    costs: Path | None = None,
    budget: float | None = None,
    solver: str | None = None,
    time_limit: float = 60.0,
    seed: int = 0,
    jobs: int | None = None,
    json: bool = False,
    output: Path | None = None,
) -> int:
    """Choose the best committee of the classifiers in FILE, with a proof.

    FILE is CSV, gzipped CSV or Parquet: either the paper's layout (datatype, real_class, index,
    then one column per classifier; test rows are reported on, not pruned on) or any table whose
    label column --target names. Options that take a NAME or a limit may be repeated.

    Parameters
    ----------
    file
        Table of votes or probabilities, one column per classifier.
    target
        Label column (0 or 1); not needed for the paper's layout.
    k
        Use only k classifiers, the first k / (number of models) of every model.
    objective
        What to maximise: accuracy, balanced_accuracy, recall, specificity, ... or weights on the
        counts such as "tp=1,tn=1,fp=-5".
    method
        Name of a method; the help lists them all.
    diversity
        The paper's configuration: F1, F2, F3 or F1-theta.
    tau
        Least PFC diversity of every member, between 0 and 1.
    gamma
        Least mean PFC diversity of the committee, between 0 and 1.
    min_size
        Fewest members.
    max_size
        Most members.
    require
        Classifier that must sit.
    forbid
        Classifier that must not sit.
    at_least
        Floor on a criterion or count, as in recall=0.9.
    at_most
        Ceiling on a criterion or count, as in fp=50.
    costs
        CSV of name,cost for every classifier; needs --budget.
    budget
        Most the members may cost together; needs --costs.
    solver
        Solver to use, see "voteprune solvers"; highs when omitted.
    time_limit
        Seconds; inf for no limit.
    seed
        Seed of all randomness.
    jobs
        Cores to use, -1 for all; one when omitted.
    json
        Print the solution as JSON.
    output
        Also save the solution here, for "voteprune apply".
    """
    criterion = read_objective(objective)
    limits = read_diversity(diversity, tau, gamma)
    requests = [
        *read_limits(AtLeast, "--min-size", [] if min_size is None else [f"size={min_size}"]),
        *read_limits(AtMost, "--max-size", [] if max_size is None else [f"size={max_size}"]),
        *read_limits(AtLeast, "--at-least", at_least or []),
        *read_limits(AtMost, "--at-most", at_most or []),
        *([Require(*require)] if require else []),
        *([Forbid(*forbid)] if forbid else []),
    ]
    if (costs is None) != (budget is None):
        raise InputError("--budget", "and --costs need each other. Give both, or neither.")
    prices = None if costs is None else read_costs(costs)
    if output is not None:
        check_output(output, file)
    table = read_table(file, target=target, k=k)
    if prices is not None:
        requests.append(build_budget(prices, budget, table.validation.names, costs))
    with live_line() as callback:
        solution = prune(
            table.validation,
            objective=criterion,
            method=method,
            solver=solver,
            diversity=limits,
            constraints=requests,
            time_limit=time_limit,
            callback=callback,
            random_state=seed,
            n_jobs=jobs,
        )
    scores = None if table.test is None else score_test_rows(solution, table.test)
    emit(solution_json(solution, scores) if json else solution_text(solution, scores))
    if json and solution.explanation:
        say(solution.explanation)
    if output is not None and solution.committee is None:
        say(f"there is no committee, so {output} was not written.")
    elif output is not None:
        solution.save(output)
    return exit_code(solution)


def apply_command(committee: Path, file: Path, /, *, output: Path | None = None) -> int:
    """Predict the rows of FILE with a saved committee.

    Prints CSV with the columns index (the file's own, else the row number from 0 on), votes (how
    many members vote positive) and prediction. Members are found by name; other columns are
    ignored. Where FILE has the paper's labels, the accuracy is told on stderr.

    Parameters
    ----------
    committee
        What "voteprune prune --output" wrote.
    file
        Table with a column for every member: CSV, gzipped CSV or Parquet.
    output
        Write the CSV here instead of printing it.
    """
    chosen = Committee.load(committee)
    if output is not None:
        check_output(output, file, committee)
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
        jsonfile.write_text(output, text.getvalue())
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
        emit(jsonlib.dumps(found, indent=2) + "\n")
        return PROVED
    lines = [["solver", "version", "warm start", "streams", "licence"]]
    for row in found:
        version = str(row["version"] or "not installed")
        if row["version"] and not row["installed"]:
            version += " (refused)"
        flags = ("yes" if row[key] else "no" for key in ("warm_start", "streams"))
        lines.append([str(row["name"]), version, *flags, str(row["licence"])])
    widths = [max(len(line[i]) for line in lines) for i in range(4)] + [0]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        emit("  ".join(cells) + "\n")
    return PROVED
