"""A certificate as it stands on file: read strictly, believed in nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from ..exceptions import FileFormatError

SCHEMA = 1
"""The only version of the format there is."""

T = TypeVar("T")
Four = tuple[Fraction, Fraction, Fraction, Fraction]
"""Weights on tp, fn, tn and fp."""


@dataclass(frozen=True)
class Step:
    """One step of a proof; see docs/certificate.md."""

    number: int
    box: int
    prices: tuple[tuple[int, Fraction], ...]
    closed: tuple[tuple[int, int, int], ...]
    decided: tuple[tuple[int, int], ...]
    heirs: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class Row:
    """A row that prices are put on: one or two patterns, or a limit by its kind and place."""

    patterns: tuple[int, ...] = ()
    members: int = 0
    away: bool = False
    limit: tuple[str, int] | None = None


@dataclass(frozen=True)
class Proof:
    """Rows, steps, and for each box still open its (S, L) with the step that bounds each."""

    rows: tuple[Row, ...]
    steps: tuple[Step, ...]
    open: tuple[tuple[int, tuple[tuple[int, int, int], ...]], ...]


@dataclass(frozen=True)
class Clause:
    """Decisions that are said to exclude each other; see docs/certificate.md."""

    yes: tuple[tuple[int, Fraction], ...]
    no: tuple[tuple[int, Fraction], ...]
    sits: tuple[int, ...]
    out: tuple[int, ...]
    limits: tuple[tuple[str, int, Fraction], ...]


@dataclass(frozen=True)
class Cell:
    """What became of a cell: two heirs, or prices that close it."""

    number: int
    place: int
    heirs: tuple[int, ...]
    prices: tuple[tuple[int, Fraction], ...]
    limits: tuple[tuple[str, int, Fraction], ...]


@dataclass(frozen=True)
class Refutation:
    """Clauses, and what became of every cell."""

    clauses: tuple[Clause, ...]
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Document:
    """Everything a certificate says."""

    n_rows: int
    names: tuple[str, ...]
    target: str | None
    row_weights: tuple[Fraction, ...] | None
    digest: str
    objective: str
    weights: Four
    unit: Fraction
    size_min: int
    size_max: int
    required: tuple[int, ...]
    forbidden: tuple[int, ...]
    costs: tuple[tuple[tuple[Fraction, ...], Fraction], ...]
    criteria: tuple[tuple[Four, Fraction], ...]
    diversity: tuple[str, Fraction, Fraction] | None
    status: str
    members: tuple[int, ...] | None
    threshold: int
    value: int
    bound: int
    cut_bound: int
    flow: tuple[tuple[int, int, int], ...]
    proof: Proof | None
    refutation: Refutation | None
    trusted: tuple[tuple[str, int], ...]


def read_document(path: str | Path) -> Document:
    """Read a certificate.

    Raises
    ------
    FileFormatError
        If the file is not a certificate of this version.
    """
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise FileFormatError(path, f"cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        raise FileFormatError(path, f"is not valid JSON: {error}.") from None
    if not isinstance(document, dict) or document.get("format") != "voteprune.certificate":
        raise FileFormatError(path, "is not a certificate. Make one with voteprune prune "
                              "--certificate FILE.")  # fmt: skip
    if document.get("schema") != SCHEMA:
        raise FileFormatError(
            path,
            f"has schema {document.get('schema')!r}, this release checks schema {SCHEMA}. Use the "
            "voteprune release that wrote it, or a newer one.",
        )
    try:
        return _document(document)
    except KeyError as error:
        raise FileFormatError(path, f"lacks the field {error}.") from None
    except (TypeError, ValueError, ZeroDivisionError, AttributeError) as error:
        raise FileFormatError(path, f"is not a certificate as this release knows it: {error}."
                              ) from None  # fmt: skip


def _document(d: dict[str, Any]) -> Document:
    votes, objective, limits, cut = d["votes"], d["objective"], d["limits"], d["cut"]
    committee, diversity, weights = d["committee"], limits["diversity"], votes["row_weights"]
    seats = None if committee is None else _all(committee["members"], _whole)
    names = _all(votes["names"], _text)
    if len(set(names)) != len(names):
        raise ValueError("two classifiers have the same name")
    return Document(
        n_rows=_whole(votes["n_rows"]),
        names=names,
        target=None if votes["target"] is None else _text(votes["target"]),
        row_weights=None if weights is None else _all(weights, _fraction),
        digest=_text(votes["digest"]),
        objective=_text(objective["name"]),
        weights=_four(objective["weights"]),
        unit=_positive(objective["unit"]),
        size_min=_whole(limits["size_min"]),
        size_max=_whole(limits["size_max"]),
        required=_places(limits["required"], len(names)),
        forbidden=_places(limits["forbidden"], len(names)),
        costs=tuple(
            (_exactly(_all(cost["costs"], _fraction), len(names)), _fraction(cost["most"]))
            for cost in limits["costs"]
        ),
        criteria=tuple(
            (_four(limit["weights"]), _fraction(limit["least"])) for limit in limits["criteria"]
        ),
        diversity=None if diversity is None else (
            _text(diversity["measure"]), _fraction(diversity["tau"]), _fraction(diversity["gamma"])
        ),
        status=_text(d["status"]),
        members=None if seats is None else _places(seats, len(names)),
        threshold=0 if committee is None else _whole(committee["threshold"]),
        value=0 if committee is None else _whole(committee["value"]),
        bound=_whole(d["bound"]),
        cut_bound=_whole(cut["bound"]),
        flow=_triples(cut["flow"]),
        proof=None if d["proof"] is None else _proof(d["proof"]),
        refutation=None if d.get("refutation") is None else _refutation(d["refutation"]),
        trusted=tuple((_text(who), _whole(claim)) for who, claim in d["trusted"]),
    )  # fmt: skip


def _proof(d: dict[str, Any]) -> Proof:
    return Proof(
        rows=_all(d["rows"], _row),
        steps=_all(d["steps"], _step),
        open=tuple((_whole(box["box"]), _triples(box["pairs"])) for box in d["open"]),
    )


def _refutation(d: dict[str, Any]) -> Refutation:
    return Refutation(_all(d["clauses"], _clause), _all(d["cells"], _cell))


def _clause(d: dict[str, Any]) -> Clause:
    yes, no = (tuple((_whole(i), _amount(share)) for i, share in d[side]) for side in ("yes", "no"))
    return Clause(yes, no, _all(d["sits"], _whole), _all(d["out"], _whole), _priced(d["limits"]))


def _cell(d: dict[str, Any]) -> Cell:
    if "heirs" in d:
        return Cell(_whole(d["cell"]), _whole(d["place"]), _all(d["heirs"], _whole), (), ())
    prices = tuple((_whole(clause), _amount(price)) for clause, price in d["prices"])
    return Cell(_whole(d["cell"]), -1, (), prices, _priced(d["limits"]))


def _priced(values: Any) -> tuple[tuple[str, int, Fraction], ...]:
    return tuple((_text(kind), _whole(place), _amount(price)) for kind, place, price in values)


def _row(d: dict[str, Any]) -> Row:
    if "limit" in d:
        kind, place = d["limit"]
        return Row(limit=(_text(kind), _whole(place)))
    if not isinstance(d["away"], bool):
        raise TypeError("away must be true or false")
    return Row(_all(d["patterns"], _whole), int(_text(d["members"]), 16), d["away"])


def _step(d: dict[str, Any]) -> Step:
    return Step(
        number=_whole(d["number"]),
        box=_whole(d["box"]),
        prices=tuple((_whole(row), _amount(price)) for row, price in d["prices"]),
        closed=_triples(d["closed"]),
        decided=tuple((_whole(place), _whole(value)) for place, value in d["decided"]),
        heirs=_triples(d["heirs"]),
    )


def _all(values: Any, read: Callable[[Any], T]) -> tuple[T, ...]:
    if not isinstance(values, list | tuple):
        raise TypeError(f"expected a list, found {values!r:.40}")
    return tuple(read(value) for value in values)


def _triples(values: Any) -> tuple[tuple[int, int, int], ...]:
    return tuple((_whole(a), _whole(b), _whole(c)) for a, b, c in values)


def _exactly(values: tuple[T, ...], count: int) -> tuple[T, ...]:
    if len(values) != count:
        raise ValueError(f"expected {count} numbers, found {len(values)}")
    return values


def _places(values: Any, count: int) -> tuple[int, ...]:
    places = _all(values, _whole)
    if len(set(places)) != len(places) or not all(0 <= place < count for place in places):
        raise ValueError(f"{list(places)} are not distinct classifiers")
    return places


def _four(d: dict[str, Any]) -> Four:
    tp, fn, tn, fp = (_fraction(d[name]) for name in ("tp", "fn", "tn", "fp"))
    return tp, fn, tn, fp


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected text, found {value!r:.40}")
    return value


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise TypeError(f"expected a whole number, found {value!r:.40}")
    return value


def _fraction(value: Any) -> Fraction:
    # Digits only: an exponent could fill the memory.
    if isinstance(value, str) and set(value) <= set("-/0123456789"):
        return Fraction(value)
    return Fraction(_whole(value))


def _positive(value: Any) -> Fraction:
    fraction = _fraction(value)
    if fraction <= 0:
        raise ValueError("a unit must be positive")
    return fraction


def _amount(value: Any) -> Fraction:
    if type(value) not in (int, float):
        raise TypeError(f"expected a number, found {value!r:.40}")
    amount = Fraction(value)  # what a float says, to the last bit; nan and infinities are refused
    if amount < 0:
        raise ValueError(f"a price of {value} is below 0")
    return amount
