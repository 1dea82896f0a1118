"""What is told: data to stdout, messages to stderr, and the outcome as an exit code.

Everything a program may read is on stdout, so that it can be piped; what only a person wants is
on stderr. A figure that is undefined, such as the recall on rows without positives, is null in
JSON and said in words in text.
"""

from __future__ import annotations

import csv
import io
import json as jsonlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..exceptions import OutputError, shown
from ..files import jsonfile, outfile
from ..problem.committee import NUMBERED, USUAL_CUT, Committee
from ..problem.confusion import Confusion
from ..problem.formulas import Formula, worth
from ..problem.metrics import CURVES, METRICS, Criterion, formula_of
from ..problem.plurality import PluralityProblem
from ..problem.plurality_committee import PluralityCommittee
from ..soft.certificate import SoftCertificate
from ..soft.committee import SoftCommittee
from ..solve.explanation import Explanation
from ..solve.plurality_solution import PluralitySolution, shares_right
from ..solve.soft_explain import SoftExplanation
from ..solve.soft_solution import SoftSolution
from ..solve.solution import Solution
from ..starting import INTERRUPTED
from ..strategies.certificate import Certificate
from ..strategies.plurality_certificate import PluralityCertificate
from ..tables import Bools, Rows
from ..tables.soft import SoftRows
from ..votes.plurality import PluralityVotes
from .console import PROVED, UNPROVED, UNWRITTEN, WRONG, say


@contextmanager
def noting(unwritten: list[str]) -> Iterator[None]:
    """Add what could not be written to a list, and go on: every other output is still made."""
    try:
        yield
    except OutputError as error:
        unwritten.append(str(error))


def emit(text: str) -> None:
    """Write data to stdout.

    A program gets it exactly; a terminal is shown what it would obey.

    Parameters
    ----------
    text
        With its line ends.

    Raises
    ------
    OutputError
        If it cannot be written, unless the reader has merely left.
    """
    if sys.stdout.isatty():
        text = "\n".join(map(shown, text.split("\n")))
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except UnicodeEncodeError as error:
        raise OutputError("stdout", str(error)) from None
    except OSError as error:
        # Python flushes once more at its end, and would fail aloud.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        # A reader that has seen enough, as in "voteprune ... | head", is no error.
        if not isinstance(error, BrokenPipeError):
            raise OutputError("stdout", error.strerror or str(error)) from None


def write_csv(
    header: Sequence[str], lines: Iterable[Iterable[object]], output: Path | None
) -> None:
    """Print a table as CSV, or write it to a file.

    Parameters
    ----------
    header, lines
        What is told.
    output
        Where to; None for stdout.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(lines)
    if output is None:
        emit(text.getvalue())
    else:
        outfile.write_text(output, text.getvalue())


def hand_out(
    solution: Solution | PluralitySolution | SoftSolution,
    text: str,
    output: Path | None,
    proof: tuple[Path | None, Certificate | PluralityCertificate | SoftCertificate | None] = (
        None,
        None,
    ),
    *,
    strict: bool = False,
    reading: dict[str, Any] | None = None,
    page: tuple[Path | None, Callable[[], str]] = (None, str),
) -> int:
    """Print an answer, then write it to files; return the exit code.

    What cannot be written is named, and takes nothing else with it.

    Parameters
    ----------
    solution
        What `prune` returned.
    text
        What is printed, first of all.
    output
        Where the solution is saved, if it has a committee; None for nowhere.
    proof
        Where the certificate is saved, and the certificate, where there are both.
    strict
        As for `exit_code`.
    reading
        How the votes were read, kept with the solution for "voteprune apply".
    page
        Where the page of the answer goes, None for nowhere, and what makes it.
    """
    unwritten = list(solution.unwritten)
    with noting(unwritten):
        emit(text)
    html, make_page = page
    if solution.committee is None:
        for path in (output, html):
            if path is not None:
                say(f"there is no committee, so {path} was not written.")
        output = html = None
    certificate_path, certificate = proof
    texts = (
        (output, lambda: solution_json(solution, None, reading=reading)),
        (certificate_path, None if certificate is None else certificate.to_json),
        (html, make_page),
    )
    interrupted = False
    for path, write in texts:
        if path is not None and write is not None:
            try:
                with noting(unwritten):
                    outfile.write_text(path, write())
            except KeyboardInterrupt:  # in the proofs of the page; all else is written by then
                say(f"interrupted; {path} was not written.")
                interrupted = True
    for sentence in unwritten:
        say(sentence)
    if interrupted:
        return INTERRUPTED
    return UNWRITTEN if unwritten else exit_code(solution, strict)


def explained(
    solution: Solution | PluralitySolution | SoftSolution, seconds: float | None
) -> tuple[Any, bool]:
    """Return the explanation of an answer, and whether Ctrl-C has cut it short.

    Parameters
    ----------
    solution
        What `prune` returned; without a committee there is nothing to explain.
    seconds
        For how long; None for no explanation.
    """
    if seconds is None or solution.committee is None:
        return None, False
    try:
        return solution.explain(time_limit=seconds), False
    except KeyboardInterrupt:
        say("interrupted; the answer is told without its explanation.")
        return None, True


def aligned(lines: Sequence[Sequence[str]]) -> str:
    """Write lines of cells in columns, all but the last padded.

    Parameters
    ----------
    lines
        Each of as many cells.
    """
    cells = [list(map(shown, line)) for line in lines]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    widths[-1] = 0
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + "\n"
        for line in cells
    )


def exit_code(solution: Solution | PluralitySolution | SoftSolution, strict: bool = False) -> int:
    """Return the exit code that says how a run has ended.

    Parameters
    ----------
    solution
        What `prune` returned.
    strict
        Whether a committee without a proof, without the limits it should keep or without the
        promise that was asked for counts as unfinished.
    """
    if solution.status == "infeasible":
        return WRONG
    if solution.status == "optimal" or solution.termination == "finished":
        return UNPROVED if strict and not _as_asked(solution) else PROVED
    if solution.termination == "interrupted":
        return INTERRUPTED
    return UNPROVED if strict or solution.committee is None else PROVED


def _as_asked(solution: Solution | PluralitySolution | SoftSolution) -> bool:
    """Return whether the committee keeps its limits, and the promise could be made."""
    if isinstance(solution, PluralitySolution):
        return True
    kept = not isinstance(solution, SoftSolution) or solution.limits_kept
    return kept and (solution.promise is None or solution.promise.committee is not None)


def score_test_rows(solution: Solution | PluralitySolution, test: Rows) -> dict[str, Any] | None:
    """Count the committee's decisions on the test rows.

    Returns
    -------
    dict or None
        Scores as they stand in the JSON document, with None for what is undefined; None in all
        if there is no committee, or no labels.
    """
    if solution.committee is None or test.labels is None:
        return None
    predicted: Bools = given_votes(solution.committee).predict(test.said) == 1
    confusion = Confusion.count(test.labels, predicted)

    def value(criterion: Criterion) -> float | None:
        try:
            formula = formula_of(criterion, confusion.positives, confusion.negatives)
            return worth(formula, confusion)
        except ZeroDivisionError:  # a share of a class that has no rows
            return None

    named = solution.objective in METRICS or solution.objective in CURVES
    criterion = solution.objective if named else _formula(solution)
    return {
        "n_rows": len(test.labels),
        "accuracy": value("accuracy"),
        "balanced_accuracy": value("balanced_accuracy"),
        "value": None if criterion is None else value(criterion),
        "confusion": {name: getattr(confusion, name) for name in ("tp", "fn", "tn", "fp")},
    }


def given_votes(committee: Committee | PluralityCommittee) -> Committee | PluralityCommittee:
    """Return a committee that is given votes, not what they were read from, and says 0 or 1."""
    if isinstance(committee, Committee):
        return replace(committee, cutoff=USUAL_CUT, classes=NUMBERED)
    return replace(committee, cutoff=USUAL_CUT, labels=())


def solution_json(
    solution: Solution | PluralitySolution | SoftSolution,
    scores: dict[str, Any] | None,
    why: Explanation | SoftExplanation | None = None,
    reading: dict[str, Any] | None = None,
) -> str:
    """Write the solution's document; readers of it step over what is added here.

    Parameters
    ----------
    solution
        What `prune` returned.
    scores
        What `score_test_rows` returned; None adds nothing.
    why
        Its explanation; None adds nothing.
    reading
        How the votes were read; None adds nothing.
    """
    if scores is None and why is None and not reading:
        return solution.to_json()
    document = jsonlib.loads(solution.to_json())
    if scores is not None:
        document["test"] = scores
    if why is not None:
        document["explain"] = why._fields()
    if reading:
        document["reading"] = reading
    return jsonfile.write(document)


def _formula(solution: Solution | PluralitySolution) -> Formula | None:
    """Return what the objective is on these votes, where it is a formula of the counts."""
    return solution.weights if isinstance(solution, Solution) else None


def solution_text(
    solution: Solution | PluralitySolution | SoftSolution,
    told: Sequence[str] = (),
    why: Explanation | SoftExplanation | None = None,
) -> str:
    """Write the solution's summary, with lines on the test rows and the explanation below it.

    Parameters
    ----------
    solution
        What `prune` returned.
    told
        What is said about the test rows.
    why
        Its explanation; None adds nothing.
    """
    labels = ["  test rows    ", *[" " * 15] * len(told)]
    lines = [f"{label}{words}" for label, words in zip(labels, told, strict=False)]
    lines += [] if why is None else ["", why.summary()]
    return "\n".join([solution.summary(), *lines]) + "\n"


def words_on_test_rows(
    solution: Solution | PluralitySolution, scores: dict[str, Any]
) -> tuple[str, str]:
    """Return what the committee reaches on the test rows, and its counts there, in words."""
    told = {name: scores[name] for name in ("accuracy", "balanced_accuracy")}
    if solution.objective in METRICS or _formula(solution) is not None:
        told.setdefault(solution.objective, scores["value"])
    counts = "  ".join(f"{name} {count}" for name, count in scores["confusion"].items())
    return f"{scores['n_rows']} rows: {told_in_words(told)}", counts


def told_in_words(values: Mapping[str, float | None]) -> str:
    """Return criteria by their names with their values; None for what is undefined."""
    return ", ".join(
        f"{name.replace('balanced_accuracy', 'balanced accuracy')} "
        f"{'undefined (one class only)' if value is None else f'{value:.6g}'}"
        for name, value in values.items()
    )


def score_labels(members: Sequence[int], objective: str, test: PluralityVotes) -> dict[str, Any]:
    """Return what members reach on other rows of labels, as it stands in the JSON document."""
    problem = PluralityProblem.of(test, objective)
    confusion = problem.confusion(members)
    accuracy, balanced = shares_right(confusion)
    return {
        "n_rows": test.n_rows,
        "accuracy": float(accuracy),
        "balanced_accuracy": float(balanced),
        "value": problem.objective.read(problem.score(members)),
        "confusion": [[int(cell) for cell in row] for row in confusion],
    }


def words_on_labels(scores: dict[str, Any], objective: str) -> str:
    """Return what `score_labels` returned, in words."""
    told = {name: scores[name] for name in ("accuracy", "balanced_accuracy")}
    told.setdefault(objective, scores["value"])
    return f"{scores['n_rows']} rows: {told_in_words(told)}"


def score_soft(committee: SoftCommittee, rows: SoftRows) -> dict[str, Any]:
    """Return accuracy and mean log loss of a soft committee on rows with labels."""
    assert rows.labels is not None
    shares, classes = committee.predict_proba(rows.said), list(committee.classes)
    labels: Iterable[Any] = rows.labels.tolist()
    places = np.array([classes.index(label) if label in classes else -1 for label in labels])
    known = np.where(places < 0, 0.0, shares[np.arange(len(places)), places])
    with np.errstate(divide="ignore"):
        loss = float(-np.log(known).mean())
    return {
        "n_rows": len(places),
        "accuracy": float((committee.predict(rows.said) == rows.labels).mean()),
        # A class that the committee does not know has no probability.
        "log_loss": loss if np.isfinite(loss) else None,
    }


def words_on_soft(scores: dict[str, Any]) -> str:
    """Return what `score_soft` returned, in words."""
    loss = scores["log_loss"]
    told = "log loss infinite (a class that is new)" if loss is None else f"log loss {loss:.6g}"
    return f"{scores['n_rows']} rows: accuracy {scores['accuracy']:.6g}, {told}"
