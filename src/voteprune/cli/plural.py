"""``voteprune prune --plurality`` and ``apply`` on what it wrote: more than two classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..exceptions import InputError
from ..problem.plurality_committee import PluralityCommittee
from ..prune import prune
from ..starting import INTERRUPTED
from ..tables import Sheet, Wish, read_classes, read_labels
from .doors import abstaining_fields
from .live import live_line
from .output import explained, hand_out, solution_json, write_csv
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
    if source.k is not None:
        raise InputError("--k", "is for tables of two classes. Leave it out with --plurality.")
    if asked.diversity is not None:
        raise InputError("--diversity", "is for two classes. Leave it out with --plurality.")
    votes, notes = read_classes(file, reading.wish())
    for note in notes:
        say(note)
    with live_line() as callback:
        solution = prune(
            votes,
            objective=source.objective,
            method=method,
            solver=effort.solver,
            constraints=asked.for_pool(votes.names),
            time_limit=effort.time_limit,
            callback=callback,
            random_state=effort.seed,
            n_jobs=effort.jobs,
            gap=gap,
            checkpoint=checkpoint,
            certificate=certificate is not None,
        )
    why, interrupted = explained(solution, explain_time)
    texts = [solution.summary(), *([] if why is None else ["", why.summary()])]
    if as_json and solution.explanation:
        say(solution.explanation)
    text = solution_json(solution, None, why) if as_json else "\n".join(texts) + "\n"
    proof = solution.certificate and replace(solution.certificate, target=reading.target)
    code = hand_out(
        solution, text, output, (certificate, proof), strict=strict, page=page.of(solution, why),
        reading=abstaining_fields(reading),
    )  # fmt: skip
    return INTERRUPTED if interrupted else code


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
        right = rows.column(wish.target) == np.array(winners)
        say(f"accuracy {right.mean():.6g} on {len(right)} rows")
    return PROVED
