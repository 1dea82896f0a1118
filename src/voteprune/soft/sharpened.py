"""`Sharpened`: curvature of the log loss moved into the ridge, where it makes bounds higher.

The relaxation spreads a seat over several members because the ridge alone charges for that, and
with many rows the ridge is small against the loss. But the loss is curved, too. If for the weights
w of all committees of interest, and the point w' that a bound is made of,

    f(w) >= f(w') + f'(w') (w - w') + 1/2 sum d_k (w_k - w'_k)^2,

then none of these committees S has less than

    sum c H(a) + 1/2 sum d_k w'_k^2 - sum over S of max(0, g_k + d_k w'_k)^2 / (2 (lambda + d_k)),

with a and g of the point as for the plain bound: the ridge is larger by d. Of interest is whoever
costs less than the incumbent. Their scores lie in a `Region`, where curvature has a floor kappa,
and d is a diagonal matrix below the Gram matrix with weights c kappa.

The checker of certificates knows nothing of this, so proofs that are written down do without.
"""

from __future__ import annotations

import numpy as np

from ..numbers.floats import Floats
from .logistic import LogLoss, Tangent
from .loss import Dual, margin
from .newton import Point
from .nodes import Decisions
from .problem import Places
from .region import Region, gram, least_curvature, unbalanced

_TRUST = 0.25
"""Bounds are made of scores within this share of a row's interval from the centre."""

_SPARE = 1e-6
"""Share of the curvature that is left for roundings of scores."""

_LITTLE = 1e-4
"""Share of the ridge that members may lose, so that some can gain beside members that are tied."""

_RAISES = 30
"""Steps towards a large diagonal, at most."""


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
