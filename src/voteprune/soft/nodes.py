"""The pieces of a tree: open nodes, steps of the proof, the whole as arrays, and pseudocosts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..numbers.floats import Floats
from .problem import Places

if TYPE_CHECKING:
    from .bound import Bound
    from .newton import Point
    from .sharpening import Sharpened

Decisions = NDArray[np.int8]
"""For every member 1 (in), -1 (out) or 0 (free)."""

Wanted = Places
"""For every member the number of its family if one of that must sit, or 0."""

_EAGER = 8
"""Power of the gain, as a share of the largest: those who want a seat most are split on first."""

_LEAST = 1e-6
"""Share of the way to the cut-off that every split counts for."""


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """Committees that agree on some decisions, with a bound and a point to start from.

    `split` is the member that was decided on last, or K plus the number of the family, and `above`
    the bound before that; -1 if nobody. `sharp` is a sharper loss that its relaxation begins with,
    if there is one. `wanted` has families of which at least one member sits, none if None.
    """

    decisions: Decisions
    bound: float
    intercepts: Floats
    weights: Floats
    split: int = -1
    above: float = -np.inf
    sharp: Sharpened | None = None
    wanted: Wanted | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One piece of the proof: what a point says about a node.

    With `cutoff` as the loss to beat, the point's bound closes the node, or shows that members can
    only be in or out as `fixed` says; `branch` is the member that the node is split on after that,
    and -1 where nothing is left open. `price` is mu, for linear pools. `prices` are those of the
    problem's rows that show it, none where the size limit alone does. A step that rests on the
    limits alone has no point: its `weights` are empty.
    """

    decisions: Decisions
    intercepts: Floats
    weights: Floats
    price: float
    prices: Floats
    cutoff: float
    fixed: Decisions
    branch: int


@dataclass(frozen=True, slots=True, eq=False)
class TreeState:
    """A tree as plain arrays: for checkpoints, and for dealing open nodes to workers.

    Parameters
    ----------
    decisions, bounds, intercepts, weights
        The open nodes, one per row.
    closed
        The least bound of all that was closed.
    members
        The incumbent's, in rising order; none if there is none.
    nodes
        How many nodes were worked on.
    wanted
        Of the open nodes, one per row.
    known
        A bound of the whole, from before the tree was begun anew.
    families
        Whether nodes are split on families.
    settled
        Whether it is decided if they are.
    first
        The node to begin anew with, if that should be found better; none once it is decided.
    """

    decisions: Decisions
    bounds: Floats
    intercepts: Floats
    weights: Floats
    closed: float
    members: Places
    nodes: int
    wanted: Wanted
    known: float = -np.inf
    families: bool = False
    settled: bool = True
    first: Node | None = None

    def open_nodes(self) -> list[Node]:
        """Return the open nodes one by one."""
        rows = zip(self.decisions, self.bounds, self.intercepts, self.weights, strict=True)
        families = [wanted if wanted.any() else None for wanted in self.wanted]
        return [Node(*row, wanted=wanted) for row, wanted in zip(rows, families, strict=True)]


def state_of(
    nodes: Sequence[Node],
    shape: tuple[int, int],
    closed: float,
    members: Sequence[int] | Places,
    worked: int,
) -> TreeState:
    """Return a tree as arrays; `shape` is the number of members and that of intercepts."""
    k, b = shape
    wanted = np.zeros((len(nodes), k), dtype=np.intp)
    for place, node in enumerate(nodes):
        if node.wanted is not None:
            wanted[place] = node.wanted
    return TreeState(
        np.array([node.decisions for node in nodes], dtype=np.int8).reshape(len(nodes), k),
        np.array([node.bound for node in nodes], dtype=np.float64),
        np.array([node.intercepts for node in nodes]).reshape(len(nodes), b),
        np.array([node.weights for node in nodes]).reshape(len(nodes), k),
        closed,
        np.array(members, dtype=np.intp),
        worked,
        wanted,
    )


class Pseudocosts:
    """How much the bound rose, on average, where a member was decided on."""

    def __init__(self, n_members: int) -> None:
        self._sums, self._counts = np.zeros((2, n_members)), np.zeros((2, n_members))

    def note(self, member: int, sits: bool, rise: float) -> None:
        """Take notice of how far a bound rose when a member was put in, or out."""
        self._sums[int(sits), member] += max(rise, 0.0)
        self._counts[int(sits), member] += 1

    def scores(self, members: Places, gains: Floats, shares: Floats, distance: float) -> Floats:
        """Return how much is to be hoped for from a split on each of some members.

        The product of both rises, none of which counts for more than closes the node; a member that
        nobody has been split on counts as the average does. Whole seats are no choice to make, if
        there are others.

        Parameters
        ----------
        members, gains, shares
            Who is free, what each gains at the dual point, and x of the relaxation.
        distance
            From the bound to the cut-off; infinite where there is no incumbent.
        """
        tried = self._counts.sum(axis=1, keepdims=True)
        average = np.where(tried > 0, self._sums.sum(axis=1, keepdims=True) / tried.clip(1), 1.0)
        rises = np.where(self._counts > 0, self._sums / self._counts.clip(1), average)[:, members]
        if not np.isfinite(distance):
            distance = max(float(rises.max(initial=0.0)), 1e-300)
        down, up = rises.clip(_LEAST * distance, distance) / distance
        eager = gains.clip(0.0) / max(float(gains.max(initial=0.0)), 1e-300)
        split = (shares > 1e-6) & (shares < 1 - 1e-6)
        return np.asarray(np.where(split, 1 + down * up * eager**_EAGER, down * up))


def step_of(
    decisions: Decisions,
    point: Point | None,
    bound: Bound | None,
    cutoff: float,
    fixed: Decisions,
    branch: int,
) -> Step:
    """Return a step; without a point and its bound it rests on the limits alone."""
    nothing = np.zeros(0)
    if point is None or bound is None:
        return Step(decisions, nothing, nothing, 0.0, nothing, cutoff, fixed, branch)
    weights = np.zeros(len(decisions))
    weights[point.members] = point.weights
    told = (point.intercepts, weights, bound.price, bound.prices)
    return Step(decisions, *told, cutoff, fixed, branch)
