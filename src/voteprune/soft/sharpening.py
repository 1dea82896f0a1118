"""`Sharpened`, `Sharpening`: curvature of the loss moved into the ridge, where it raises bounds.

The relaxation spreads a seat over several members because the ridge alone charges for that, and
with many rows the ridge is small against the loss. But the loss is curved, too. If for the weights
w of all committees of interest, and the point w' that a bound is made of,

    f(w) >= f(w') + f'(w') (w - w') + 1/2 sum d_k (w_k - w'_k)^2,

then none of these committees S has less than

    sum c H(a) + 1/2 sum d_k w'_k^2 - sum over S of max(0, g_k + d_k w'_k)^2 / (2 (lambda + d_k)),

with a and g of the point as for the plain bound: the ridge is larger by d. Of interest is whoever
costs less than the incumbent. Their scores lie in a `Region`, where curvature has a floor kappa,
and d is a diagonal matrix below the Gram matrix with weights c kappa. `Sharpened` is such a loss;
`Sharpening` decides which nodes of a tree have one, and how long they keep it.

The checker of certificates knows nothing of this, so proofs that are written down do without.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from ..numbers.floats import Floats
from .curvature import Curvature
from .logistic import LogLoss, Tangent
from .loss_protocol import Dual, Loss, margin
from .newton import Point, nearest, weights_of
from .nodes import Decisions, Node
from .polytope import Polytope
from .pools import FlatterBrier, PoolBrier
from .problem import Places, SoftProblem
from .region import Region, gram, least_curvature, region_of, unbalanced
from .relaxation import Relaxed, relax

_TRUST = 0.25
"""Bounds are made of scores within this share of a row's interval from the centre."""

_SPARE = 1e-6
"""Share of the curvature that is left for roundings of scores."""

_LITTLE = 1e-4
"""Share of the ridge that members may lose, so that some can gain beside members that are tied."""

_RAISES = 30
"""Steps towards a large diagonal, at most."""

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


class Sharpened:
    """The log loss less 1/2 sum d w^2, which a larger ridge makes up for; a `Loss`.

    Scores are those of the rows, followed by the weights. Weights are in units in which every
    member's ridge is lambda.

    Parameters
    ----------
    loss, ridge
        The log loss, and lambda.
    region
        Where committees of interest lie.
    decisions
        Of the node from which on this is used.
    centre
        Scores near which bounds will be made.
    """

    n_intercepts = 1
    total: float | None = None

    def __init__(
        self, loss: LogLoss, ridge: float, region: Region, decisions: Decisions, centre: Floats
    ) -> None:
        self._loss, self._ridge, self._region = loss, ridge, region
        self.n_members = loss.n_members
        # Trees have many of these, and where the centre lies exactly does not matter.
        self._centre = centre.astype(np.float32)
        curves = least_curvature(*self._trusted, region.lower, region.upper)
        self._excess = np.zeros(loss.n_members)
        members = np.flatnonzero(decisions >= 0)
        self._excess[members] = self._diagonal(members, curves)
        self.units = np.sqrt(1 + self._excess / ridge)
        self._bend = self._excess / self.units**2
        self.served = 0

    def _diagonal(self, members: Places, curves: Floats) -> Floats:
        """Return d for some members, by a Gram matrix that the loss is at least as curved as."""
        columns = np.vstack([np.ones(len(curves)), self._loss.answers[members]])
        made = gram(columns, self._loss.weights * curves * (1 - _SPARE))
        rounding = 64 * margin(len(curves) + len(made)) * float(np.trace(made))
        little, nothing = _LITTLE * self._ridge, np.zeros(len(members))
        # A ridge that roundings could use up stays, and so does one where nothing is curved.
        if rounding > little or not made[0, 0] > 0:
            return nothing
        # The intercept is free: what is left of the matrix when it follows the weights.
        rest = made[1:, 1:] - np.outer(made[1:, 0], made[0, 1:]) / made[0, 0]
        try:
            return largest_diagonal(rest + little * np.eye(len(rest))) - (little + rounding)
        except np.linalg.LinAlgError:
            return nothing

    def near(self, rows: Floats) -> bool:
        """Return whether a bound can be made of some scores."""
        first, last = self._trusted
        return bool(((rows >= first) & (rows <= last)).all())

    @property
    def _trusted(self) -> tuple[Floats, Floats]:
        width = _TRUST / 2 * (self._region.upper - self._region.lower)
        return self._centre - width, self._centre + width

    def gather(self, members: Places) -> Floats:
        """See `Loss`; each column is followed by its place in the pool, as a unit vector."""
        rows = self._loss.answers.shape[1]
        columns = np.zeros((len(members), rows + self.n_members))
        np.divide(self._loss.answers[members], self.units[members, None], out=columns[:, :rows])
        columns[np.arange(len(members)), rows + members] = 1
        return columns

    def scores(self, intercepts: Floats, columns: Floats, weights: Floats) -> Floats:
        """See `Loss`."""
        z = weights @ columns
        z[: -self.n_members] += intercepts[0]
        return np.asarray(z)

    def value(self, z: Floats) -> float:
        """See `Loss`."""
        rows, weights = self._split(z)
        return self._loss.value(rows) - float(self._bend @ weights**2) / 2

    def derivatives(self, z: Floats, columns: Floats) -> tuple[Floats, Floats]:
        """See `Loss`."""
        rows, weights = self._split(z)
        slope, hessian = self._loss.derivatives(rows, columns[:, : len(rows)])
        places = columns[:, len(rows) :]
        slope[1:] -= places @ (self._bend * weights)
        hessian[1:, 1:] -= (places * self._bend) @ places.T
        return slope, hessian

    def dual(self, z: Floats) -> Dual:
        """See `Loss`; far from the centre it is the plain dual point, which is good everywhere."""
        rows, weights = self._split(z)
        at = self._loss.tangent(rows)
        value = at.value - float(self._bend @ weights**2) / 2
        slope = at.slope / np.concatenate([[1.0], self.units])
        slope[1:] -= self._bend * weights
        if not self.near(rows):
            plain = self._loss.repaired(at)
            return Dual(plain.base, plain.gains, value, slope)
        base, gains = self._bent(at, weights / self.units)
        return Dual(base, gains, value, slope)

    def _bent(self, at: Tangent, weights: Floats) -> tuple[float, Floats]:
        region = self._region
        base, gains = unbalanced(self._loss, at, region.intercept, region.drift)
        bent = self._excess * weights
        base += float(bent @ weights) / 2 - 4 * margin(len(bent)) * float(np.abs(bent) @ weights)
        gains = (gains + bent + 4 * 2.0**-53 * np.abs(bent)) / self.units
        return base, gains + 16 * 2.0**-53 * np.abs(gains)

    def _split(self, z: Floats) -> tuple[Floats, Floats]:
        return z[: -self.n_members], z[-self.n_members :]

    def plain(self, point: Point, dual: Dual) -> tuple[Point, Dual]:
        """Return a point, and loss and gradient there, as they are for the log loss itself."""
        rows, weights = self._split(point.z)
        bent = self._bend * weights
        slope = dual.slope.copy()
        slope[1:] = (slope[1:] + bent) * self.units
        there = Point(
            point.members,
            point.intercepts,
            point.weights / self.units[point.members],
            point.value,
            point.loss,
            rows,
        )
        return there, Dual(dual.base, dual.gains, dual.value + float(bent @ weights) / 2, slope)

    def bent(self, hessian: Floats, members: Places) -> Floats:
        """Return the Hessian here that belongs to one of the log loss itself."""
        units = np.concatenate([[1.0], self.units[members]])
        there = hessian / np.outer(units, units)
        there[1:, 1:] -= np.diag(self._bend[members])
        return np.asarray(there)


def largest_diagonal(matrix: Floats) -> Floats:
    """Return a large d >= 0 such that the matrix less diag(d) is positive definite.

    Each step goes half the way to where it no longer is, along what single members could be raised
    by. LinAlgError where the matrix is not positive definite itself, or hardly.
    """
    found = np.zeros(len(matrix))
    for _ in range(_RAISES):
        inverse = np.linalg.inv(matrix - np.diag(found))
        alone = 1 / np.diag(inverse)
        root = np.sqrt(alone)
        step = alone / np.linalg.eigvalsh(inverse * np.outer(root, root))[-1]
        found = found + step / 2
        if (step < 0.02 * found).all():
            break
    found *= 1 - 1e-6
    np.linalg.cholesky(matrix - np.diag(found))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """A node to relax; see `Sharpening.relaxed`."""

    node: Node
    inside: Places
    free: Places
    polytope: Polytope
    cutoff: float
    deadline: float
    latest: float

    @property
    def members(self) -> Places:
        return np.concatenate([self.inside, self.free])


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
        asked = _Asked(node, inside, free, polytope, cutoff, deadline, latest)
        if self._brier is not None:
            return self._flatter(self._brier, asked), None
        self._waited += 1
        sharp = node.sharp
        first = self._relax(sharp, asked)
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
        again = self._relax(sharp, replace(asked, node=near))
        return (again if again.bound.value > first.bound.value else first), sharp

    def _flatter(self, brier: PoolBrier, asked: _Asked) -> Relaxed:
        """Return a relaxation by the squared loss, whose curvature needs no region."""
        ridge, node, members = self._problem.ridge, asked.node, asked.members
        delta = brier.least_curvature(members) if len(members) <= _EIGENVALUES else 0.0
        if delta < _WORTH * ridge:
            return self._relax(None, replace(asked, latest=np.inf))
        flat = FlatterBrier(brier, delta)
        near = nearest(flat, node.intercepts, node.weights, members)
        given = (near, asked.cutoff, asked.deadline)
        found = relax(flat, ridge + 2 * delta, asked.inside, asked.free, asked.polytope, *given)
        return replace(found, dual=flat.undone(found.dual, found.point.z))

    def _relax(self, sharp: Sharpened | None, asked: _Asked) -> Relaxed:
        loss: Loss = self._loss
        node, weights, curvature = asked.node, asked.node.weights, self._curvature
        if sharp is not None:
            sharp.served += 1
            loss, weights, curvature = sharp, weights * sharp.units, _Bent(sharp, curvature)
        near = nearest(loss, node.intercepts, weights, asked.members)
        given = (near, asked.cutoff, asked.deadline, curvature, asked.latest)
        found = relax(loss, self._problem.ridge, asked.inside, asked.free, asked.polytope, *given)
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
        asked = _Asked(node, inside, free, polytope, incumbent, np.inf, latest)
        root = self._relax(None, asked)
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
