"""Votes for classes as they stand on file, merged into patterns, and their fingerprint."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from ..exceptions import FileFormatError
from .fields import plain
from .plurality_document import PluralityDocument
from .soft_table import MISSING, MOST_CELLS, places_of
from .table import records

Codes = bytes | tuple[int, ...]
"""What the classifiers say on a row, as places in the classes; the place after the last is none."""


@dataclass(frozen=True)
class Pattern:
    """Rows on which every classifier says the same, with the weight of each true class."""

    codes: Codes
    weights: tuple[tuple[int, Fraction], ...]


def read_patterns(
    path: str | Path, document: PluralityDocument, target: str | None
) -> tuple[int, list[Pattern]] | None:
    """Read the votes of a certificate's classifiers; None if there are too many.

    Parameters
    ----------
    path
        CSV file, plain or gzipped.
    document
        Whose columns to read, which classes there are, and what rows weigh.
    target
        The label column; None for the paper's ``real_class``.

    Returns
    -------
    n_rows, patterns
        How many rows there are, and their patterns in the order of the codes; rows of weight 0
        count for nothing.

    Raises
    ------
    FileFormatError
        If a column is missing, or a cell is no class.
    """
    place_of = places_of(document.classes)
    known: dict[str, int | None] = {}

    def code(cell: str) -> int | None:
        if cell not in known:
            known[cell] = place_of(cell)
        return known[cell]

    silent = {None: None, "skip": len(document.classes), "against": 0}[document.abstentions]
    pack: Callable[[list[int]], Codes] = bytes if len(document.classes) < 255 else tuple
    sums: dict[Codes, dict[int, Fraction]] = {}
    weights, n_rows = document.row_weights, 0
    for line, cells, label in records(path, document.names, target):
        if (n_rows + 1) * len(cells) > MOST_CELLS:
            return None
        codes = []
        for cell in cells:
            place = code(cell)
            if place is None and cell.strip().lower() in MISSING:
                place = silent
            if place is None:
                raise FileFormatError(path, f"'{plain(cell)}' is none of the classes.", line)
            codes.append(place)
        truth = code(label)
        if truth is None:
            raise FileFormatError(
                path, f"has a label '{plain(label)}', which is none of the classes.", line
            )
        weight = Fraction(1)
        if weights is not None:
            weight = weights[n_rows] if n_rows < len(weights) else Fraction(0)
        n_rows += 1
        if weight:
            part = sums.setdefault(pack(codes), {})
            part[truth] = part.get(truth, Fraction(0)) + weight
    return n_rows, [Pattern(codes, tuple(sorted(sums[codes].items()))) for codes in sorted(sums)]


def digest(document: PluralityDocument, patterns: Sequence[Pattern]) -> str:
    """Return the fingerprint of patterns: SHA-256 of lines, joined by line feeds.

    First a line of JSON with the names, the classes and what abstentions count for; then one for
    each pattern: its codes with commas between, and the weight of each class that has one.
    """
    lines = [json.dumps([document.names, document.classes, document.abstentions])]
    for pattern in patterns:
        shares = (f"{label}:{weight}" for label, weight in pattern.weights)
        lines.append(" ".join([",".join(map(str, pattern.codes)), *shares]))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
