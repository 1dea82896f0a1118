"""``voteprune prune --plurality`` and ``apply`` on what it wrote: more than two classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..exceptions import InputError
from ..problem.plurality import PluralityProblem
from ..problem.plurality_committee import PluralityCommittee
from ..prune import prune
from ..solve.plurality_solution import shares_right
from ..starting import INTERRUPTED
from ..tables import Sheet, Wish, read_labels
from ..votes.plurality import PluralityVotes
from .doors import abstaining_fields, read_class_tables
from .live import live_line
from .output import explained, hand_out, solution_json, told_in_words, write_csv
from .pages import NO_PAGE, Page
from .saying import PROVED, say
from .wishes import Asked, Effort, Reading, Source


def prune_labels(
    file: Sequence[Path],
    reading: Reading,
    source: Source,
    method: str,
    asked: Asked,
    effort: Effort,
    *,
    test: Path | None,
    as_json: bool,
    output: Path | None,
    explain_time: float | None,
    strict: bool,
    gap: float | None = None,
    page: Page = NO_PAGE,
    checkpoint: Path | None = None,
    certificate: Path | None = None,
) -> int:
    """Choose a plurality committee, print and save it; return the exit code.

    Parameters
    ----------
    file, reading, source, method, asked, effort
        What the command was given.
    test
        File of other rows, on which the committee is reported.
    as_json
        Whether to print a document.
    output
        Where to save it; None for nowhere.
    explain_time
        Seconds for an explanation; None for none.
    strict
        Whether a committee without a proof counts as unfinished.
    gap
        Where to stop; None for a full proof.
    page
        The page that is wanted.
    checkpoint
        Where to keep an unfinished proof; None for nowhere.
    certificate
        Where to write the whole proof; None for nowhere.
    """
    if asked.diversity is not None:
        raise InputError("--diversity", "is for two classes. Leave it out with --plurality.")
    table = read_class_tables(file, reading, source.k, test)
    votes = table.validation
    with live_line() as callback:
        solution = prune(
            votes,
            objective=source.objective,
            method=method,
            solver=effort.solver,
            constraints=asked.for_pool(votes.names, table.costs),
            time_limit=effort.time_limit,
            callback=callback,
            random_state=effort.seed,
            n_jobs=effort.jobs,
            gap=gap,
            checkpoint=checkpoint,
            certificate=certificate is not None,
        )
    scores = None
    if table.test is not None and solution.committee is not None:
        scores = _scores(solution.committee.members, source.objective, table.test)
    why, interrupted = explained(solution, explain_time)
    texts = [solution.summary()]
    texts += [] if scores is None else [f"  test rows    {_words(scores, source.objective)}"]
    texts += [] if why is None else ["", why.summary()]
    if as_json and solution.explanation:
        say(solution.explanation)
    text = solution_json(solution, scores, why) if as_json else "\n".join(texts) + "\n"
    proof = solution.certificate and replace(solution.certificate, target=reading.target)
    about = {} if scores is None else {"test rows": _words(scores, source.objective)}
    code = hand_out(
        solution, text, output, (certificate, proof), strict=strict,
        page=page.of(solution, why, about), reading=abstaining_fields(reading),
    )  # fmt: skip
    return INTERRUPTED if interrupted else code


def _scores(members: Sequence[int], objective: str, test: PluralityVotes) -> dict[str, Any]:
    """Return what members reach on other rows, as it stands in the JSON document."""
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


def _words(scores: dict[str, Any], objective: str) -> str:
    told = {name: scores[name] for name in ("accuracy", "balanced_accuracy")}
    told.setdefault(objective, scores["value"])
    return f"{scores['n_rows']} rows: {told_in_words(told)}"


def apply_labels(chosen: PluralityCommittee, file: Path, wish: Wish, output: Path | None) -> int:
    """Predict the rows of a table of labels.

    Parameters
    ----------
    chosen
        The committee.
    file, wish
        The table, and how it is read.
    output
        Where to write the predictions; None for stdout.
    """
    rows = read_labels(file, chosen.names, sep=wish.sep, gaps=wish.gaps)
    columns = rows.columns
    for name, option in ((wish.target, "--target"), (wish.id, "--id")):
        if name is not None and name not in columns:
            raise InputError(option, f"{file} has no column {name!r}.")
    own = ["index", *(name for name in columns if name.lower() == "id")]
    index = wish.id or next((name for name in own if name in columns), None)
    seated = replace(
        chosen,
        members=tuple(range(chosen.size)),
        classes=tuple(map(str, chosen.classes)),
        pool_size=chosen.size,
    )
    cells = tuple(rows.column(name).tolist() for name in chosen.names)
    said = Sheet(str(file), chosen.names, tuple(rows.ids), cells).silenced(wish).cells
    counts = seated.count(np.column_stack([np.array(column, dtype=str) for column in said]))
    ids = rows.ids if index is None else rows.column(index).tolist()
    winners = [seated.classes[place] for place in counts.argmax(axis=1)]
    lines = zip(ids, counts.max(axis=1).tolist(), winners, strict=True)
    write_csv((index or "index", "votes", "prediction"), lines, output)
    if wish.target is not None:
        truth = rows.column(wish.target)
        right = truth == np.array(winners)
        balanced = np.mean([right[truth == label].mean() for label in np.unique(truth)])
        say(f"accuracy {right.mean():.6g} on {len(right)} rows, balanced accuracy {balanced:.6g}")
    return PROVED
