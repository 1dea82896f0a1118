"""``voteprune prune --objective log_loss`` and ``apply`` on what it wrote: soft committees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from ..exceptions import InputError
from ..prune import prune
from ..soft.committee import SoftCommittee
from ..soft.probabilities import CLIP
from ..soft.pruning import OBJECTIVES
from ..starting import INTERRUPTED
from ..tables.soft import SoftRows, read_members, read_probabilities
from .live import live_line
from .output import explained, hand_out, solution_json, write_csv
from .pages import NO_PAGE, Page
from .saying import PROVED, say
from .wishes import Asked, Effort, Reading, Softness, Source


def is_soft(objective: str) -> bool:
    """Tell whether an objective reads the columns as probabilities."""
    return objective in OBJECTIVES


def prune_probabilities(
    file: Sequence[Path],
    reading: Reading,
    source: Source,
    soft: Softness,
    method: str,
    asked: Asked,
    effort: Effort,
    *,
    test: Path | None,
    as_json: bool,
    output: Path | None,
    strict: bool,
    certificate: Path | None = None,
    checkpoint: Path | None = None,
    page: Page = NO_PAGE,
    explain_time: float | None = None,
    how: Mapping[str, Any] = MappingProxyType({}),
) -> int:
    """Choose a soft committee, print and save it; return the exit code.

    Parameters
    ----------
    file, reading, source, soft, method, asked, effort
        What the command was given.
    test
        File of other rows, on which the committee is reported.
    as_json
        Whether to print a document.
    output
        Where to save it; None for nowhere.
    strict
        Whether a committee without a proof counts as unfinished.
    certificate, checkpoint
        Where the proof goes, and where an unfinished one is kept; None for nowhere.
    page
        The page that is wanted.
    explain_time
        Seconds for an explanation; None for none.
    how
        Further arguments of `prune`: the gap, and what is to be promised.
    """
    if source.k is not None:
        raise InputError("--k", "is for votes. Choose columns with --columns instead.")
    clip = CLIP if soft.clip is None else soft.clip
    table = read_probabilities(file, reading.wish(), clip, test)
    for note in table.notes:
        say(note)
    said = table.validation
    with live_line(losses=True) as callback:
        solution = prune(
            said,
            objective=source.objective,
            method=method,
            penalty=soft.penalty,
            constraints=asked.for_pool(said.names, table.costs),
            time_limit=effort.time_limit,
            callback=callback,
            random_state=effort.seed,
            n_jobs=effort.jobs,
            certificate=certificate is not None,
            checkpoint=checkpoint,
            **how,
        )
    scores = None
    if table.test is not None and solution.committee is not None:
        scores = _scores(solution.committee, table.test)
    why, interrupted = explained(solution, explain_time)
    text = solution_json(solution, scores, why)
    if as_json and solution.explanation:
        say(solution.explanation)
    if not as_json:
        told = [] if scores is None else [f"  test rows    {_words(scores)}"]
        told += [] if why is None else ["", why.summary()]
        text = "\n".join([solution.summary(), *told]) + "\n"
    proof = solution.certificate and replace(solution.certificate, target=reading.target)
    about = {} if scores is None else {"test rows": _words(scores)}
    code = hand_out(
        solution, text, output, (certificate, proof), strict=strict,
        page=page.of(solution, why, about),
    )  # fmt: skip
    return INTERRUPTED if interrupted else code


def apply_probabilities(committee: Path, file: Path, reading: Reading, output: Path | None) -> int:
    """Give the rows of a table probabilities and classes."""
    chosen = SoftCommittee.load(committee)
    rows = read_members(file, chosen.names, chosen.classes, reading.wish())
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
        say(_words(_scores(chosen, rows)))
    return PROVED


def _scores(committee: SoftCommittee, rows: SoftRows) -> dict[str, Any]:
    """Return accuracy and mean log loss on rows with labels."""
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


def _words(scores: dict[str, Any]) -> str:
    loss = scores["log_loss"]
    told = "log loss infinite (a class that is new)" if loss is None else f"log loss {loss:.6g}"
    return f"{scores['n_rows']} rows: accuracy {scores['accuracy']:.6g}, {told}"
