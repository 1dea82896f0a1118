"""Linear pools, whose weights sum to 1, by log loss and by squared loss.

With many rows the ridge is small against the loss, and relaxations in which only the ridge charges
for a seat spread over several members are weak. But the squared loss is curved, too, by its Gram
matrix G. If G less delta I is positive semidefinite among the members of a node, the penalised loss
is a convex function plus a larger ridge (`FlatterBrier`):

    w G w - 2 h w + t + lambda/2 w w  =  [w (G - delta I) w - 2 h w + t] + (lambda + 2 delta)/2 w w.
"""

from __future__ import annotations

import numpy as np

from ..numbers.floats import Floats
from .loss_protocol import Dual, margin, over_blocks
from .moments import Moments
from .problem import Places


class PoolLogLoss:
    """Linear pool: -sum c log z, z the pool's probability of the true class; weights sum to 1.

    From -log z >= 1 + log a - a z for every a > 0; nothing needs repair.
    """

    n_intercepts = 0
    total: float | None = 1.0

    def __init__(self, answers: Floats, labels: Places, weights: Floats) -> None:
        self.weights, self.n_members = weights, len(answers)
        if answers.ndim == 3:
            self.answers = np.ascontiguousarray(answers[:, np.arange(len(labels)), labels])
        else:
            # 1 - p where the label is 0, without a third array of this size.
            positive = labels == 1
            self.answers = answers * np.where(positive, 1.0, -1.0)
            self.answers += np.where(positive, 0.0, 1.0)

    def gather(self, members: Places) -> Floats:
        """See `Loss`."""
        return self.answers[members]

    def scores(self, intercepts: Floats, columns: Floats, weights: Floats) -> Floats:
        """See `Loss`."""
        return np.asarray(weights @ columns)

    def value(self, z: Floats) -> float:
        """See `Loss`."""
        return float(-(self.weights @ np.log(z)))

    def derivatives(self, z: Floats, columns: Floats) -> tuple[Floats, Floats]:
        """See `Loss`."""
        return over_blocks(lambda rows: self._part(z[rows], columns[:, rows], rows), len(z))

    def _part(self, z: Floats, columns: Floats, rows: slice) -> tuple[Floats, Floats]:
        pull = self.weights[rows] / z
        return -(columns @ pull), (columns * (pull / z)) @ columns.T

    def dual(self, z: Floats) -> Dual:
        """See `Loss`."""
        share = 1 / z
        slack = 4 * margin(len(z))
        logs = np.log(share)
        base = self.weights @ (1 + logs) - slack * (self.weights @ (1 + np.abs(logs)))
        gains = self.answers @ (self.weights * share)
        return Dual(float(base), gains * (1 + slack), float(self.weights @ logs), -gains)


class PoolBrier:
    """Linear pool by squared loss: w G w - 2 h w + t; only the Gram matrix is kept.

    The tangent at any v lies below: no weights have less than t - v G v - 2 (h - G v) w. Here z
    is v itself, for the whole pool.
    """

    n_intercepts = 0
    total: float | None = 1.0

    def __init__(self, moments: Moments) -> None:
        self.n_members = len(moments.pull)
        self.pull, self.gram, self.constant = moments.pull, moments.gram, moments.constant
        self.slack = 4 * margin(moments.terms + 2 * self.n_members)

    def gather(self, members: Places) -> Floats:
        """See `Loss`."""
        return np.asarray(members, dtype=np.float64)

    def scores(self, intercepts: Floats, columns: Floats, weights: Floats) -> Floats:
        """See `Loss`."""
        z = np.zeros(self.n_members)
        z[columns.astype(np.intp)] = weights
        return z

    def value(self, z: Floats) -> float:
        """See `Loss`."""
        return float(z @ self.gram @ z - 2 * self.pull @ z + self.constant)

    def derivatives(self, z: Floats, columns: Floats) -> tuple[Floats, Floats]:
        """See `Loss`."""
        places = columns.astype(np.intp)
        slopes = 2 * (self.gram[places] @ z - self.pull[places])
        return slopes, 2 * self.gram[np.ix_(places, places)]

    def dual(self, z: Floats) -> Dual:
        """See `Loss`."""
        reach = self.gram @ np.abs(z)
        base = self.constant - z @ self.gram @ z
        base -= self.slack * (self.constant + np.abs(z) @ reach)
        slope = 2 * (self.gram @ z - self.pull)
        gains = 2 * self.slack * (self.pull + reach) - slope
        return Dual(float(base), gains, self.value(z), slope)

    def least_curvature(self, members: Places) -> float:
        """Return delta >= 0, rounded down, for a `FlatterBrier` among some members.

        The Gram matrix is off by a share of its entries, which are not negative, so its eigenvalues
        are off by no more than that share of its trace; their computation adds some units in the
        last place.
        """
        part = self.gram[np.ix_(members, members)]
        least = float(np.linalg.eigvalsh(part)[0])
        return max(0.0, least * (1 - 1e-6) - 64 * self.slack * float(np.trace(part)))


class FlatterBrier:
    """The squared loss less ``delta w w``, which a ridge that is larger by 2 delta makes up for.

    It is convex in the weights of the members that delta was found for, so its tangents lie below
    it there; those of all others are 0.

    Parameters
    ----------
    plain
        The squared loss.
    delta
        What `PoolBrier.least_curvature` gave for all members whose weight may be above 0.
    """

    n_intercepts = 0
    total: float | None = 1.0

    def __init__(self, plain: PoolBrier, delta: float) -> None:
        self._plain, self._delta, self.n_members = plain, delta, plain.n_members
        self.gather, self.scores = plain.gather, plain.scores

    def value(self, z: Floats) -> float:
        """See `Loss`."""
        return self._plain.value(z) - self._delta * float(z @ z)

    def derivatives(self, z: Floats, columns: Floats) -> tuple[Floats, Floats]:
        """See `Loss`."""
        slopes, hessian = self._plain.derivatives(z, columns)
        slopes = slopes - 2 * self._delta * z[columns.astype(np.intp)]
        return slopes, hessian - 2 * self._delta * np.eye(len(slopes))

    def dual(self, z: Floats) -> Dual:
        """See `Loss`; rounded to the safe side as the plain one is."""
        plain, bent = self._plain.dual(z), self._delta * z
        square = float(bent @ z)
        base = plain.base + square - 4 * margin(len(z)) * float(np.abs(bent) @ np.abs(z))
        gains = plain.gains + 2 * bent
        gains += 4 * 2.0**-53 * (np.abs(plain.gains) + 2 * np.abs(bent))
        return Dual(base, gains, plain.value - square, plain.slope - 2 * bent)

    def undone(self, dual: Dual, z: Floats) -> Dual:
        """Return a dual point with loss and gradient as they are for the plain loss."""
        bent = self._delta * z
        value, slope = dual.value + float(bent @ z), dual.slope + 2 * bent
        return Dual(dual.base, dual.gains, value, slope)
