"""A certificate as it stands on file: read strictly, believed in nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from ..exceptions import FileFormatError
from .fields import (
    all_of,
    amount,
    check_together,
    exactly,
    fraction,
    hexadecimal,
    load,
    mean,
    part,
    places,
    plain,
    positive,
    record,
    text,
    tuples,
    weight,
    whole,
    word,
)
from .measures import SIGNS

SCHEMA = 1
"""The only version of the format there is."""

FORMATS = (
    "voteprune.certificate", "voteprune.soft_certificate", "voteprune.plurality_certificate"
)  # fmt: skip
"""Kinds of certificates: committees that vote, soft ones, and those of several classes."""

STATUSES = ("optimal", "feasible", "infeasible", "unknown")
"""What may be claimed."""

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


@dataclass(frozen=True, kw_only=True)
class Claim:
    """What a certificate of every kind says: its status, which table it is about, who may sit."""

    status: str
    n_rows: int
    target: str | None
    digest: str
    size_min: int
    size_max: int
    required: tuple[int, ...]
    forbidden: tuple[int, ...]
    costs: tuple[tuple[tuple[Fraction, ...], Fraction], ...]


@dataclass(frozen=True, kw_only=True)
class VotesClaim(Claim):
    """What a certificate about votes says besides, on two classes or more."""

    names: tuple[str, ...]
    row_weights: tuple[Fraction, ...] | None
    objective: str
    unit: Fraction
    members: tuple[int, ...] | None
    value: int
    bound: int
    trusted: tuple[tuple[str, int], ...]


@dataclass(frozen=True, kw_only=True)
class Document(VotesClaim):
    """Everything a certificate says."""

    weights: Four
    criteria: tuple[tuple[Four, Fraction], ...]
    diversity: tuple[str, Fraction, Fraction] | None
    threshold: int
    cut_bound: int
    flow: tuple[tuple[int, int, int], ...]
    proof: Proof | None
    refutation: Refutation | None


def read_document(path: str | Path) -> Document:
    """Read a certificate of a committee of votes; see `open_certificate` and `document_of`."""
    return document_of(path, open_certificate(path))


def open_certificate(path: str | Path) -> dict[str, Any]:
    """Return the fields of a certificate of any kind; `format` says which.

    Raises
    ------
    FileFormatError
        If the file is not a certificate of this version.
    """
    try:
        found = load(path)
    except OSError as error:
        raise FileFormatError(path, f"cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise FileFormatError(path, f"is not valid JSON: {plain(error)}.") from None
    if not isinstance(found, dict) or found.get("format") not in FORMATS:
        raise FileFormatError(path, "is not a certificate. Make one with voteprune prune "
                              "--certificate FILE.")  # fmt: skip
    schema = found.get("schema")
    if type(schema) is not int or schema != SCHEMA:
        raise FileFormatError(
            path,
            f"has schema {plain(repr(schema))}, this release checks schema {SCHEMA}. Use the "
            "voteprune release that wrote it, or a newer one.",
        )
    return found


def document_of(path: str | Path, found: dict[str, Any]) -> Document:
    """Read the fields of a certificate of a committee of votes.

    Raises
    ------
    FileFormatError
        If they are not what they should be.
    """
    return reading(path, lambda: _document(found))


def reading(path: str | Path, read: Callable[[], T]) -> T:
    """Return what is read from the fields of a certificate; what is wrong is said of its file."""
    try:
        return read()
    except KeyError as error:
        raise FileFormatError(path, f"lacks the field {error}.") from None
    except (TypeError, ValueError) as error:
        raise FileFormatError(
            path, f"is not a certificate as this release knows it: {plain(error)}."
        ) from None


def claim_fields(
    d: dict[str, Any], table: dict[str, Any], k: int, cost: Callable[[Any], Fraction] = fraction
) -> dict[str, Any]:
    """Read the fields of a `Claim` about a table of k classifiers."""
    limits = part(d, "limits")
    return {
        "status": word(d["status"], STATUSES),
        "n_rows": whole(table["n_rows"]),
        "target": None if table["target"] is None else text(table["target"]),
        "digest": text(table["digest"]),
        "size_min": whole(limits["size_min"]),
        "size_max": whole(limits["size_max"]),
        "required": places(limits["required"], k),
        "forbidden": places(limits["forbidden"], k),
        "costs": all_of(
            limits["costs"],
            lambda one: _budget(one, k, cost),
        ),
    }


def _budget(
    value: Any, k: int, cost: Callable[[Any], Fraction]
) -> tuple[tuple[Fraction, ...], Fraction]:
    d = record(value)
    return exactly(all_of(d["costs"], cost), k), cost(d["most"])


def votes_claim_fields(d: dict[str, Any]) -> dict[str, Any]:
    """Read the fields of a `VotesClaim`, but for the committee and its value."""
    votes, objective = part(d, "votes"), part(d, "objective")
    names, weights = all_of(votes["names"], text), votes["row_weights"]
    if len(set(names)) != len(names) or not names:
        raise ValueError("two classifiers have the same name, or there are none")
    known = claim_fields(d, votes, len(names))
    return known | {
        "names": names,
        "row_weights": None
        if weights is None
        else exactly(all_of(weights, weight), known["n_rows"]),
        "objective": text(objective["name"]),
        "unit": positive(objective["unit"]),
        "bound": whole(d["bound"]),
        "trusted": tuples(d["trusted"], text, whole),
    }


def _document(d: dict[str, Any]) -> Document:
    limits, cut = part(d, "limits"), part(d, "cut")
    committee = None if d["committee"] is None else part(d, "committee")
    diversity = None if limits["diversity"] is None else part(limits, "diversity")
    known = votes_claim_fields(d)
    document = Document(
        **known,
        weights=_four(part(part(d, "objective"), "weights")),
        criteria=all_of(
            limits["criteria"], lambda limit: _criterion(record(limit))
        ),
        diversity=None if diversity is None else (
            word(diversity["measure"], SIGNS), mean(diversity["tau"]), mean(diversity["gamma"]),
        ),
        members=None if committee is None else places(committee["members"], len(known["names"])),
        threshold=0 if committee is None else whole(committee["threshold"]),
        value=0 if committee is None else whole(committee["value"]),
        cut_bound=whole(cut["bound"]),
        flow=tuples(cut["flow"], whole, whole, whole),
        proof=None if d["proof"] is None else _proof(part(d, "proof")),
        refutation=None if d["refutation"] is None else _refutation(part(d, "refutation")),
    )  # fmt: skip
    check_together(_fractions(document))
    return document


def _fractions(document: Document) -> Iterator[Fraction]:
    """Yield what is added up; limits on diversity are only compared."""
    yield document.unit
    yield from document.row_weights or ()
    yield from document.weights
    for costs, most in document.costs:
        yield from (*costs, most)
    for weights, least in document.criteria:
        yield from (*weights, least)


def _proof(d: dict[str, Any]) -> Proof:
    return Proof(
        rows=all_of(d["rows"], lambda row: _row(record(row))),
        steps=all_of(d["steps"], lambda step: _step(record(step))),
        open=all_of(d["open"], lambda box: _box(record(box))),
    )


def _box(d: dict[str, Any]) -> tuple[int, tuple[tuple[int, int, int], ...]]:
    return whole(d["box"]), tuples(d["pairs"], whole, whole, whole)


def _criterion(d: dict[str, Any]) -> tuple[Four, Fraction]:
    return _four(part(d, "weights")), fraction(d["least"])


def _refutation(d: dict[str, Any]) -> Refutation:
    return Refutation(
        all_of(d["clauses"], lambda clause: _clause(record(clause))),
        all_of(d["cells"], lambda cell: _cell(record(cell))),
    )


def _clause(d: dict[str, Any]) -> Clause:
    return Clause(
        yes=tuples(d["yes"], whole, amount),
        no=tuples(d["no"], whole, amount),
        sits=all_of(d["sits"], whole),
        out=all_of(d["out"], whole),
        limits=tuples(d["limits"], text, whole, amount),
    )


def _cell(d: dict[str, Any]) -> Cell:
    if "heirs" in d:
        return Cell(whole(d["cell"]), whole(d["place"]), all_of(d["heirs"], whole), (), ())
    prices, limits = tuples(d["prices"], whole, amount), tuples(d["limits"], text, whole, amount)
    return Cell(whole(d["cell"]), -1, (), prices, limits)


def _row(d: dict[str, Any]) -> Row:
    if "limit" in d:
        ((kind, place),) = tuples([d["limit"]], text, whole)
        return Row(limit=(kind, place))
    if not isinstance(d["away"], bool):
        raise TypeError("away must be true or false")
    return Row(all_of(d["patterns"], whole), hexadecimal(d["members"]), d["away"])


def _step(d: dict[str, Any]) -> Step:
    return Step(
        number=whole(d["number"]),
        box=whole(d["box"]),
        prices=tuples(d["prices"], whole, amount),
        closed=tuples(d["closed"], whole, whole, whole),
        decided=tuples(d["decided"], whole, whole),
        heirs=tuples(d["heirs"], whole, whole, whole),
    )


def _four(d: dict[str, Any]) -> Four:
    tp, fn, tn, fp = (fraction(d[name]) for name in ("tp", "fn", "tn", "fp"))
    return tp, fn, tn, fp
