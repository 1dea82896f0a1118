"""A certificate of a plurality committee as it stands on file: read strictly, believed in nothing.

One JSON document. Fractions are whole numbers or text, as in `document`; prices are JSON's numbers,
each the exact number that its double is. Classifiers and classes are named by their places;
patterns are numbered as the checker finds them, see `plurality_table`.

    format, schema   "voteprune.plurality_certificate", 1
    status           optimal, feasible, infeasible or unknown
    votes            n_rows, names, classes (in the order in which ties are broken), abstentions
                     (null, "skip" or "against"), target (label column or null), row_weights (null
                     if all are 1), digest
    objective        name, worths ([true class, class decided, what that is worth on a row of weight
                     one], nothing where it is not listed), unit
    limits           size_min, size_max, required, forbidden, costs (costs, most)
    committee        members and value in units, or null
    bound            in units
    rows             [pattern, class, kind, rivals, who is counted as a hexadecimal number with the
                     first classifier as its lowest bit], with the kind need, duel or total
    prices           each with the size they were found at, rows ([row, price]) and limits
                     ([place in costs, price])
    roots            [size, node]
    nodes            what became of each, see below
    trusted          [solver, bound it claims]

A node says what is true of the committees of its size that have decided as those before it say:

    prices           place of the prices that bound it, or that decide something; null for none
    decided          [classifier, 1 or 0], who must sit or not, for else the prices bound it
    branch           classifier that the rest is split on, or null
    heirs            nodes that go on: none; one, if something is decided; two, if it is split, the
                     one without the classifier first
    tried            whether all that it holds were tried
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from .document import VotesClaim, reading, votes_claim_fields
from .fields import (
    all_of,
    amount,
    check_together,
    fraction,
    hexadecimal,
    part,
    places,
    plain,
    record,
    several,
    tuples,
    whole,
    word,
)
from .soft_document import Label, label_of

PLURALITY = "voteprune.plurality_certificate"
NEED, DUEL, TOTAL = "need", "duel", "total"
RULES = ("skip", "against")


@dataclass(frozen=True)
class Row:
    """A row that prices are put on: what a class needs to win on a pattern."""

    pattern: int
    label: int
    kind: str
    rivals: tuple[int, ...]
    members: int


@dataclass(frozen=True)
class Prices:
    """Prices on rows and on limits, and the size that they were found at."""

    size: int
    rows: tuple[tuple[int, Fraction], ...]
    limits: tuple[tuple[int, Fraction], ...]


@dataclass(frozen=True)
class Node:
    """What became of a node; see above."""

    prices: int | None
    decided: tuple[tuple[int, int], ...]
    branch: int | None
    heirs: tuple[int, ...]
    tried: bool


@dataclass(frozen=True, kw_only=True)
class PluralityDocument(VotesClaim):
    """Everything that a certificate of a plurality committee says."""

    classes: tuple[Label, ...]
    abstentions: str | None
    worths: tuple[tuple[int, int, Fraction], ...]
    rows: tuple[Row, ...]
    prices: tuple[Prices, ...]
    roots: tuple[tuple[int, int], ...]
    nodes: tuple[Node, ...]


def plurality_document_of(path: str | Path, found: dict[str, Any]) -> PluralityDocument:
    """Read the fields of a certificate of a plurality committee.

    Raises
    ------
    FileFormatError
        If they are not what they should be.
    """
    return reading(path, lambda: _document(found))


def _document(d: dict[str, Any]) -> PluralityDocument:
    votes, known = part(d, "votes"), votes_claim_fields(d)
    committee = None if d["committee"] is None else part(d, "committee")
    classes = all_of(votes["classes"], label_of)
    if len(set(classes)) != len(classes) or not classes:
        raise ValueError("two classes are the same, or there are none")
    k, c, rule = len(known["names"]), len(classes), votes["abstentions"]
    prices = all_of(d["prices"], lambda one: _prices(record(one), k))
    nodes = d["nodes"]
    document = PluralityDocument(
        **known,
        classes=classes,
        abstentions=None if rule is None else word(rule, RULES),
        worths=tuples(part(d, "objective")["worths"], whole, whole, fraction),
        members=None if committee is None else places(committee["members"], k),
        value=0 if committee is None else whole(committee["value"]),
        rows=all_of(d["rows"], lambda row: _row(row, k, c)),
        prices=prices,
        roots=tuples(d["roots"], whole, whole),
        nodes=all_of(nodes, lambda node: _node(record(node), k, len(prices), len(nodes))),
    )
    _check(document)
    return document


def _check(document: PluralityDocument) -> None:
    """Make sure that what is named by its place is there, and that sums stay short."""
    c = len(document.classes)
    pairs = [(true, said) for true, said, _ in document.worths]
    if len(set(pairs)) != len(pairs) or not all(0 <= place < c for pair in pairs for place in pair):
        raise ValueError("worths are not of distinct pairs of classes")
    sizes = [size for size, _ in document.roots]
    if len(set(sizes)) != len(sizes):
        raise ValueError("a size has two roots")
    if not all(0 <= node < len(document.nodes) for _, node in document.roots):
        raise ValueError("a root is not there")
    for prices in document.prices:
        for what, count in ((prices.rows, document.rows), (prices.limits, document.costs)):
            if not all(0 <= place < len(count) for place, _ in what):
                raise ValueError("prices are on what is not there")
    check_together(_fractions(document))


def _fractions(document: PluralityDocument) -> Iterator[Fraction]:
    """Yield what is added up."""
    yield document.unit
    yield from document.row_weights or ()
    yield from (worth for _, _, worth in document.worths)
    for costs, most in document.costs:
        yield from (*costs, most)


def _row(value: Any, k: int, c: int) -> Row:
    pattern, label, kind, rivals, members = several(value, 5)
    found = Row(
        whole(pattern), whole(label), word(kind, (NEED, DUEL, TOTAL)), places(rivals, c),
        hexadecimal(members),
    )  # fmt: skip
    if not 0 <= found.label < c or found.label in found.rivals:
        raise ValueError("a row is about a class that is not there, or that is its own rival")
    if (found.kind == NEED and rivals) or (found.kind == DUEL and len(rivals) != 1):
        raise ValueError(f"a row of the kind {found.kind} has {len(rivals)} rivals")
    if not 0 <= found.members < 1 << k:
        raise ValueError("a row counts a classifier that is not there")
    return found


def _prices(d: dict[str, Any], k: int) -> Prices:
    size = whole(d["size"])
    if not 1 <= size <= k:
        raise ValueError("prices were found at a size that no committee has")
    return Prices(size, tuples(d["rows"], whole, amount), tuples(d["limits"], whole, amount))


def _node(d: dict[str, Any], k: int, n_prices: int, n_nodes: int) -> Node:
    branch, heirs = d["branch"], all_of(d["heirs"], whole)
    prices = None if d["prices"] is None else whole(d["prices"])
    decided = tuples(d["decided"], whole, whole)
    places([member for member, _ in decided], k)
    if not all(value in (0, 1) for _, value in decided):
        raise ValueError("a classifier sits or does not")
    if branch is not None:
        places([branch], k)
    if not isinstance(d["tried"], bool):
        raise TypeError("tried must be true or false")
    if decided and branch is not None:
        raise ValueError("a node decides and is split")
    expected = 1 if decided else 2 if branch is not None else 0
    if len(heirs) != expected or (d["tried"] and expected):
        raise ValueError(f"a node has {len(heirs)} heirs, not {expected}, or was tried")
    if prices is not None and not 0 <= prices < n_prices:
        raise ValueError(f"there are no prices {plain(prices)}")
    if not all(0 <= heir < n_nodes for heir in heirs):
        raise ValueError("an heir is not there")
    return Node(prices, decided, branch, heirs, d["tried"])
