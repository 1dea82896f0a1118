"""``voteprune prune --objective log_loss`` and ``apply`` on what it wrote: soft committees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..exceptions import InputError
from ..soft.committee import SoftCommittee
from ..soft.probabilities import CLIP
from ..soft.pruning import OBJECTIVES
from ..solve.soft_solution import SoftSolution
from ..tables.soft import SoftRows, read_members, read_probabilities
from .doors import Pool, Scored
from .output import write_csv
from .saying import PROVED, say
from .wishes import Reading, Softness, Source


def is_soft(objective: str) -> bool:
    """Tell whether an objective reads the columns as probabilities."""
    return objective in OBJECTIVES


def read_probabilities_pool(
    file: Sequence[Path],
    reading: Reading,
    source: Source,
    soft: Softness,
    promised: Mapping[str, Any],
    test: Path | None,
) -> Pool:
    """Read a table of probabilities, to choose a soft committee from."""
    if source.k is not None:
        raise InputError("--k", "is for votes. Choose columns with --columns instead.")
    table = read_probabilities(file, reading.wish(), CLIP if soft.clip is None else soft.clip, test)
    for note in table.notes:
        say(note)

    def score(solution: SoftSolution) -> Scored:
        if table.test is None or solution.committee is None:
            return None, ()
        scores = _scores(solution.committee, table.test)
        return scores, (_words(scores),)

    how = {"objective": source.objective, "penalty": soft.penalty, **promised}
    return Pool(table.validation, how, table.costs, score)


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
