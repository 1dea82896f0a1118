"""``voteprune prune --plurality`` and ``apply`` on what it wrote: more than two classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..exceptions import InputError
from ..problem.plurality_committee import PluralityCommittee
from ..tables import Sheet, Wish, read_classes, read_labels
from .doors import Pool, abstaining_fields
from .output import write_csv
from .saying import PROVED, say
from .wishes import Asked, Effort, Reading, Source


def read_labels_pool(
    file: Sequence[Path], reading: Reading, source: Source, asked: Asked, effort: Effort
) -> Pool:
    """Read a table of labels, to choose a plurality committee from."""
    if source.k is not None:
        raise InputError("--k", "is for tables of two classes. Leave it out with --plurality.")
    if asked.diversity is not None:
        raise InputError("--diversity", "is for two classes. Leave it out with --plurality.")
    votes, notes = read_classes(file, reading.wish())
    for note in notes:
        say(note)
    how = {"objective": source.objective, "solver": effort.solver}
    return Pool(votes, how, reading=abstaining_fields(reading))


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
