"""A certificate of a soft committee as it stands on file: read strictly, believed in nothing.

One JSON document. Numbers are JSON's, each the exact number that its double is; costs and budgets
may also be fractions in text. Members and classes are named by their places.

    format, schema   "voteprune.soft_certificate", 1
    status           optimal, feasible, infeasible or unknown
    data             n_rows; classes, of two the positive one last; members, each with name,
                     kind (probability, vote or score) and columns of the file: one for two classes,
                     else one per class, in the order of classes; target (label column or null);
                     row_weights (null if all are 1); clip; digest
    objective        loss ("log_loss", "pool_log_loss" or "brier"), penalty, tolerance
    limits           size_min, size_max, required, forbidden, costs (costs, most), groups (members,
                     at_least, at_most or null)
    committee        members, weights in the same order, intercepts and loss (the penalised one), or
                     null; one intercept for two classes, else one per class, none for linear pools
    bound            no allowed committee has less penalised loss; null if none is allowed
    nodes            the tree, node 0 its root

A node says what is true of the committees that have decided as its ancestors say:

    point            [intercepts, [[member, weight], ...]], from which a dual point is made, or
                     null; linear pools have [mu] in place of the intercepts
    prices           [[kind, place, price], ...] on limits: size_max, size_min, cost, at_most or
                     at_least
    in, out          members that must sit, or must not, for else the bound holds already
    branch           member that the rest is split on, or null
    heirs            nodes that go on: none, one (if branch is null), or two, the first with the
                     member in; null for an heir that the points of its ancestors bound
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from .document import Claim, claim_fields, reading
from .fields import (
    all_of,
    amount,
    check_together,
    exactly,
    fraction,
    part,
    places,
    plain,
    record,
    several,
    text,
    tuples,
    whole,
    word,
)

SOFT = "voteprune.soft_certificate"
LOG_LOSS, POOL_LOG_LOSS, BRIER = "log_loss", "pool_log_loss", "brier"
KINDS = ("probability", "vote", "score")
LIMIT_KINDS = ("size_max", "size_min", "cost", "at_most", "at_least")
LARGEST = 1e100
"""Numbers beyond it, and weights below one over it, could leave the range of doubles."""

Point = tuple[tuple[float, ...], tuple[tuple[int, float], ...]]
"""Intercepts, and weights of some members."""

Label = str | int | float | bool


@dataclass(frozen=True)
class Member:
    """Who says something, in which columns, and what kind of thing."""

    name: str
    kind: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Group:
    """Of some members at least and at most so many sit."""

    members: tuple[int, ...]
    at_least: int
    at_most: int | None


@dataclass(frozen=True)
class Node:
    """One node of the tree; see above."""

    point: Point | None
    prices: tuple[tuple[str, int, Fraction], ...]
    seated: tuple[int, ...]
    barred: tuple[int, ...]
    branch: int | None
    heirs: tuple[int | None, ...]


@dataclass(frozen=True)
class Seats:
    """A committee: who sits, with what weight, the intercepts, and the penalised loss."""

    members: tuple[int, ...]
    weights: tuple[float, ...]
    intercepts: tuple[float, ...]
    loss: Fraction


@dataclass(frozen=True, kw_only=True)
class SoftDocument(Claim):
    """Everything that a certificate of a soft committee says."""

    classes: tuple[Label, ...]
    members: tuple[Member, ...]
    row_weights: tuple[float, ...] | None
    clip: float
    loss: str
    penalty: Fraction
    tolerance: Fraction
    groups: tuple[Group, ...]
    committee: Seats | None
    bound: Fraction | None
    nodes: tuple[Node, ...]

    @property
    def width(self) -> int:
        """How many columns a member has, and intercepts a committee of weighted log-odds."""
        return 1 if len(self.classes) == 2 else len(self.classes)


def soft_document_of(path: str | Path, found: dict[str, Any]) -> SoftDocument:
    """Read the fields of a certificate of a soft committee.

    Raises
    ------
    FileFormatError
        If they are not what they should be.
    """
    return reading(path, lambda: _document(found))


def _document(d: dict[str, Any]) -> SoftDocument:
    data, objective, limits = (part(d, name) for name in ("data", "objective", "limits"))
    loss = word(objective["loss"], (LOG_LOSS, POOL_LOG_LOSS, BRIER))
    classes = all_of(data["classes"], label_of)
    if len(classes) < 2 or len(set(classes)) != len(classes):
        raise ValueError("two classes are the same, or there are fewer than two")
    width = 1 if len(classes) == 2 else len(classes)
    members = all_of(data["members"], lambda member: _member(record(member), width))
    k, names = len(members), {member.name for member in members}
    if not k or len(names) != k:
        raise ValueError("two members have the same name, or there are none")
    known, bound = claim_fields(d, data, k, _cost), d["bound"]
    weights, clip = data["row_weights"], _real(data["clip"])
    if not 0 < clip * len(classes) < 1 or (loss != LOG_LOSS and clip < 1 / LARGEST):
        raise ValueError(f"clip must lie between 0 and 1/{len(classes)}")
    n_intercepts, n_free = (width, width) if loss == LOG_LOSS else (0, 1)
    document = SoftDocument(
        **known,
        classes=classes,
        members=members,
        row_weights=None
        if weights is None
        else exactly(all_of(weights, _row_weight), known["n_rows"]),
        clip=clip,
        loss=loss,
        penalty=Fraction(_above_zero(objective["penalty"])),
        tolerance=amount(objective["tolerance"]),
        groups=all_of(limits["groups"], lambda group: _group(record(group), k)),
        committee=None if d["committee"] is None else _seats(part(d, "committee"), k, n_intercepts),
        bound=None if bound is None else Fraction(_real(bound)),
        nodes=all_of(d["nodes"], lambda node: _node(record(node), k, n_free)),
    )
    check_together(value for costs, most in document.costs for value in (*costs, most))
    return document


def label_of(value: Any) -> Label:
    """Read a class: text, a number, or true or false."""
    if isinstance(value, str):
        return text(value)
    if not isinstance(value, bool):
        _real(value)
    found: Label = value
    return found


def _member(d: dict[str, Any], width: int) -> Member:
    columns = exactly(all_of(d["columns"], text), width)
    return Member(text(d["name"]), word(d["kind"], KINDS), columns)


def _real(value: Any) -> float:
    if type(value) not in (int, float):
        raise TypeError(f"expected a number, found {plain(repr(value))}")
    if not -LARGEST <= value <= LARGEST or float(value) != value:
        raise ValueError(f"{plain(value)} is not a double of at most {LARGEST:g}")
    return float(value)


def _not_negative(value: Any) -> float:
    if _real(value) < 0:
        raise ValueError(f"{plain(value)} is below 0")
    return float(value)


def _above_zero(value: Any) -> float:
    if _not_negative(value) < 1 / LARGEST:
        raise ValueError(f"{plain(value)} is not a number above 0")
    return float(value)


def _row_weight(value: Any) -> float:
    return _above_zero(value) if value else _not_negative(value)


def _cost(value: Any) -> Fraction:
    return Fraction(_real(value)) if type(value) is float else fraction(value)


def _group(d: dict[str, Any], k: int) -> Group:
    most = d["at_most"]
    return Group(
        places(d["members"], k), whole(d["at_least"]), None if most is None else whole(most)
    )


def _seats(d: dict[str, Any], k: int, width: int) -> Seats:
    members = places(d["members"], k)
    return Seats(
        members,
        exactly(all_of(d["weights"], _not_negative), len(members)),
        exactly(all_of(d["intercepts"], _real), width),
        Fraction(_real(d["loss"])),
    )


def _node(d: dict[str, Any], k: int, width: int) -> Node:
    point, branch = d["point"], d["branch"]
    heirs = all_of(d["heirs"], lambda heir: None if heir is None else whole(heir))
    if branch is not None:
        (branch,) = places([branch], k)
    if len(heirs) not in ((0, 1) if branch is None else (2,)):
        raise ValueError("a node has two heirs if it branches, and else one or none")
    return Node(
        point=None if point is None else _point(point, k, width),
        prices=tuples(d["prices"], lambda kind: word(kind, LIMIT_KINDS), whole, amount),
        seated=places(d["in"], k),
        barred=places(d["out"], k),
        branch=branch,
        heirs=heirs,
    )


def _point(value: Any, k: int, width: int) -> Point:
    intercepts, weights = several(value, 2)
    pairs = tuples(weights, whole, _real)
    places([member for member, _ in pairs], k)
    return exactly(all_of(intercepts, _real), width), pairs
