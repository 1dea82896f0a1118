"""Families: members that replace each other, so that one decision on all of them is worth more.

Where several members say nearly the same, excluding one of them hardly raises the bound: another
takes its seat. Excluding all of them does raise it; and on the other branch, where one of them
sits, fewer seats are left for the other families.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..numbers.floats import Floats
from .curvature import Curvature
from .loss_protocol import Loss
from .newton import Point, nearest, weights_of
from .nodes import Node, Pseudocosts, TreeState, Wanted
from .problem import Places
from .relaxation import Relaxed

ALIKE = 0.5
"""Correlation, beside what all members have in common, from which on members are alike."""


_PATIENCE = 32
"""Nodes of a tree after which it is seen whether it gets on; most proofs are over by then."""

_SLOW = 0.3
"""Share of the gap by which bounds have risen then at most, if they are better begun anew."""

_WHOLE = 1e-3
"""How near a family is to a whole seat, or to none, if it is not split on."""


class Families:
    """The families of a pool, and which nodes of its tree are split on one.

    Every node that is split on a member before the families are decided on has all of them still to
    decide on. So a tree that gets nowhere is begun anew, with families first.
    """

    def __init__(self, loss: Loss, curvature: Curvature, allowed: bool) -> None:
        self._loss, self._curvature, self._allowed = loss, curvature, allowed
        self._costs = Pseudocosts(loss.n_members + 1)
        self._numbers: Wanted | None = None
        self._first: Node | None = None
        self.settled, self.used = not allowed, False

    def begin(self, root: Node) -> None:
        """Take the first node that is split, as it would be begun with anew."""
        if self._first is None:
            self._first = root

    @property
    def first(self) -> Node | None:
        """The node to begin anew with, as long as that is not decided."""
        return None if self.settled else self._first

    def resume(self, state: TreeState) -> None:
        """Go on as the tree did that a state is of."""
        self.settled, self.used = (
            not self._allowed or state.settled,
            self._allowed and state.families,
        )
        self._first = state.first

    def instead(self, nodes: int, low: float, cutoff: float) -> Node | None:
        """Return the node to begin anew with, with families, or None if the tree goes on.

        Parameters
        ----------
        nodes
            How many there were.
        low, cutoff
            The tree's bound, and what it has to reach.
        """
        root = self._first
        if self.settled or root is None or nodes < _PATIENCE:
            return None
        self.settled = True
        if low - root.bound > _SLOW * (cutoff - root.bound):
            return None
        everybody = np.arange(self._loss.n_members)
        numbers = self._of(nearest(self._loss, root.intercepts, root.weights, everybody))
        self.used = len(np.unique(numbers)) < len(numbers)
        return root if self.used else None

    def _of(self, point: Point) -> Wanted:
        """Return the number of every member's family, by the Hessian near some point."""
        if self._numbers is None:
            hessian = self._curvature.of_all(point.z)
            weights = weights_of(point, self._loss.n_members)
            self._numbers = families_of(hessian, self._loss.n_intercepts, weights)
        return self._numbers

    def note(self, node: Node, bound: float) -> None:
        """Take notice of the bound of a node, if it came from a split on a family."""
        family = node.split - self._loss.n_members
        if family > 0:
            # Without it another family may still be wanted.
            sits = node.wanted is not None and bool((node.wanted == family).any())
            self._costs.note(family, sits, bound - node.above)

    def heirs(
        self, heir: Node, free: Places, shares: Floats, relaxed: Relaxed, distance: float
    ) -> tuple[Node, Node] | None:
        """Return a node split on a family, or None if all of them have a whole seat or none.

        Parameters
        ----------
        heir
            The node, with what is known of it.
        free, shares, relaxed
            Who is free, x of the relaxation, and the relaxation itself.
        distance
            From its bound to the cut-off.
        """
        if not self.used:
            return None
        kin, wanted = self._of(relaxed.point), heir.wanted
        if wanted is None:
            wanted = np.zeros(len(kin), dtype=np.intp)
        names, places, sizes = np.unique(kin[free], return_inverse=True, return_counts=True)
        together, gains = np.zeros(len(names)), np.zeros(len(names))
        np.add.at(together, places, shares)
        np.maximum.at(gains, places, relaxed.dual.gains[free])
        split = (sizes > 1) & (together > _WHOLE) & (together < 1 - _WHOLE)
        # Families that others have sorted may overlap with these.
        split &= ~np.isin(names, kin[(heir.decisions == 1) | (wanted > 0)])
        if not split.any():
            return None
        names = names[split]
        family = names[
            np.argmax(self._costs.scores(names, gains[split], together[split], distance))
        ]
        alike = kin == family
        heir = replace(heir, split=len(kin) + int(family))
        return (
            replace(heir, wanted=np.where(alike, family, wanted)),
            replace(heir, decisions=np.where(alike, np.int8(-1), heir.decisions)),
        )


def families_of(hessian: Floats, n_intercepts: int, weights: Floats) -> Wanted:
    """Return the number of every member's family, 1 and above.

    Parameters
    ----------
    hessian
        Of the loss, in the intercepts and the weights of the whole pool.
    n_intercepts
        How many of its rows are intercepts.
    weights
        A committee's or a relaxation's: what moves its scores is not what members are told
        apart by.
    """
    own, b = hessian[n_intercepts:, n_intercepts:], n_intercepts
    if b:
        cross = hessian[b:, :b]
        own = own - cross @ np.linalg.pinv(hessian[:b, :b]) @ cross.T
    along = own @ weights
    bent = float(weights @ along)
    if bent > 0:
        own = own - np.outer(along, along) / bent
    size = np.sqrt(np.maximum(np.diag(own), 1e-300))
    alike = own >= ALIKE * np.outer(size, size)
    np.fill_diagonal(alike, True)
    numbers, relatives = np.zeros(len(own), dtype=np.intp), alike.sum(axis=1)
    # Whoever has most relatives left is the head of the next family.
    while relatives.max() > 0:
        family = alike[int(np.argmax(relatives))] & (numbers == 0)
        # A number that no other set of members has, whoever sorts them.
        numbers[family] = np.argmax(family) + 1
        relatives = np.where(numbers > 0, 0, relatives - alike[:, family].sum(axis=1))
    return numbers


def tidied(node: Node, most: int) -> Node | None:
    """Return a node with the families that are still wanted, or None if no committee is left."""
    if node.wanted is None:
        return node
    inside, free = node.decisions == 1, node.decisions == 0
    wanted = np.where(np.isin(node.wanted, node.wanted[inside]), 0, node.wanted)
    families = np.unique(wanted[wanted > 0])
    if not len(families):
        return replace(node, wanted=None)
    seats = most - np.count_nonzero(inside)
    if len(families) > seats or not np.isin(families, wanted[free]).all():
        return None
    decisions = node.decisions
    if len(families) == seats:
        decisions = np.where(free & (wanted == 0), np.int8(-1), decisions)
    return replace(node, decisions=decisions, wanted=wanted)
