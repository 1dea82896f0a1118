"""`Sharpening`: which nodes of a tree have a sharpened loss, and how long they keep it."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from ..numbers.floats import Floats
from .curvature import Curvature
from .logistic import LogLoss
from .loss import Loss
from .newton import nearest, weights_of
from .nodes import Decisions, Node
from .polytope import Polytope
from .pools import FlatterBrier, PoolBrier
from .problem import Places, SoftProblem
from .region import Region, region_of
from .relaxation import Relaxed, relax
from .sharpened import Sharpened

_PATIENCE = 32
"""Nodes that a tree has before its relaxations are sharpened; most proofs are over by then."""

_SERVES = 32
"""Nodes that are relaxed with the same sharpened loss, before a new one is made for a subtree."""

_WORK = 1_000_000_000
"""Rows times squared members up to which Gram matrices are worth their time."""

_EIGENVALUES, _WORTH = 400, 0.01
"""Members up to which eigenvalues are worth their time, and the share of the ridge from which on
curvature is."""

_PACE = 2e9
"""Rows times squared members that a second is enough for, all in all, on a slow machine."""


class Sharpening:
    """The relaxations of a tree's nodes, sharpened where that is possible.

    Parameters
    ----------
    problem, loss
        What is minimised.
    curvature
        Hessians of the loss.
    allowed
        Whether bounds may rest on more than the checker of certificates knows.
    """

    def __init__(
        self, problem: SoftProblem, loss: Loss, curvature: Curvature, allowed: bool
    ) -> None:
        self._problem, self._loss, self._curvature = problem, loss, curvature
        self._log_loss = loss if allowed and isinstance(loss, LogLoss) else None
        self._brier = loss if allowed and isinstance(loss, PoolBrier) else None
        self._region: Region | None = None
        self.begin()

    def begin(self) -> None:
        """Forget what is known of the nodes so far: others take their place."""
        self._region, self._waited = None, 0

    def relaxed(
        self,
        node: Node,
        inside: Places,
        free: Places,
        polytope: Polytope,
        cutoff: float,
        deadline: float,
        incumbent: float,
        others: list[Decisions],
        latest: float,
    ) -> tuple[Relaxed, Sharpened | None]:
        """Return the relaxation of a node, and the sharpened loss that its heirs begin with.

        Parameters
        ----------
        node, inside, free, polytope
            The node, who sits and who may, and the limits on these.
        cutoff, deadline
            As for `relax`.
        incumbent
            What it costs. Sharpened bounds are about committees that cost less, which is all that
            can be asked while no bound is told that is above it.
        others
            Decisions of the other open nodes.
        latest
            Moment of `time.monotonic` by which all must be over.
        """
        if self._brier is not None:
            return self._flatter(self._brier, node, inside, free, polytope, cutoff, deadline), None
        self._waited += 1
        limits = (polytope, cutoff, deadline, latest)
        sharp = node.sharp
        first = self._relax(sharp, node, inside, free, *limits)
        loss, centre = self._log_loss, first.point.z
        if loss is None or first.bound.value >= cutoff or not np.isfinite(incumbent):
            return first, sharp
        if self._region is None and self._waited >= _PATIENCE:
            self._region = self._region_of([*others, node.decisions], first, incumbent, latest)
        if self._region is None or not self._region.holds(node.decisions):
            return first, None
        if sharp is not None and sharp.served < _SERVES and sharp.near(centre):
            return first, sharp
        sharp = Sharpened(loss, self._problem.ridge, self._region, node.decisions, centre)
        weights = weights_of(first.point, self._problem.n_members)
        near = replace(node, intercepts=first.point.intercepts, weights=weights)
        again = self._relax(sharp, near, inside, free, *limits)
        return (again if again.bound.value > first.bound.value else first), sharp

    def _flatter(
        self,
        brier: PoolBrier,
        node: Node,
        inside: Places,
        free: Places,
        polytope: Polytope,
        cutoff: float,
        deadline: float,
    ) -> Relaxed:
        """Return a relaxation by the squared loss, whose curvature needs no region."""
        ridge, members = self._problem.ridge, np.concatenate([inside, free])
        delta = brier.least_curvature(members) if len(members) <= _EIGENVALUES else 0.0
        if delta < _WORTH * ridge:
            return self._relax(None, node, inside, free, polytope, cutoff, deadline, np.inf)
        flat = FlatterBrier(brier, delta)
        near = nearest(flat, node.intercepts, node.weights, members)
        found = relax(flat, ridge + 2 * delta, inside, free, polytope, near, cutoff, deadline)
        return replace(found, dual=flat.undone(found.dual, found.point.z))

    def _relax(
        self,
        sharp: Sharpened | None,
        node: Node,
        inside: Places,
        free: Places,
        polytope: Polytope,
        cutoff: float,
        deadline: float,
        latest: float,
    ) -> Relaxed:
        loss: Loss = self._loss
        weights, curvature = node.weights, self._curvature
        if sharp is not None:
            sharp.served += 1
            loss, weights, curvature = sharp, weights * sharp.units, _Bent(sharp, curvature)
        near = nearest(loss, node.intercepts, weights, np.concatenate([inside, free]))
        ridge = self._problem.ridge
        given = (near, cutoff, deadline, curvature, latest)
        found = relax(loss, ridge, inside, free, polytope, *given)
        if sharp is not None:
            point, dual = sharp.plain(found.point, found.dual)
            return replace(found, point=point, dual=dual)
        if not curvature.centred:
            curvature.centre(found.point.z)
        return found

    def _region_of(
        self, decisions: list[Decisions], near: Relaxed, incumbent: float, latest: float
    ) -> Region | None:
        """Return where the committees of interest of some nodes lie, if there is time for that."""
        assert self._log_loss is not None
        every = np.array(decisions)
        scope = np.where((every == every[0]).all(axis=0), every[0], 0).astype(np.int8)
        inside, free = np.flatnonzero(scope == 1), np.flatnonzero(scope == 0)
        work = len(self._log_loss.weights) * (len(inside) + len(free)) ** 2
        if work > _WORK or time.monotonic() + work / _PACE >= latest:
            return None
        weights = weights_of(near.point, self._problem.n_members)
        node = Node(scope, -np.inf, near.point.intercepts, weights)
        polytope = Polytope.at(*self._problem.rows, inside, free)
        root = self._relax(None, node, inside, free, polytope, incumbent, np.inf, latest)
        return region_of(self._problem, self._log_loss, scope, root.point, incumbent)


class _Bent(Curvature):
    """The Hessians of a sharpened loss, from those of the plain one."""

    def __init__(self, sharp: Sharpened, plain: Curvature) -> None:
        super().__init__(sharp)
        self._sharp, self._plain = sharp, plain

    def shares(self, z: Floats, n_members: int) -> bool:
        """See `Curvature`."""
        return self._plain.shares(z, n_members)

    def shared(self, members: Places) -> Floats:
        """See `Curvature`."""
        return self._sharp.bent(self._plain.shared(members), members)
