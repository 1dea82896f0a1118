"""Log loss of weighted log-odds, two classes and more; see `loss_protocol` for the margin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import entr, expit, softmax, xlog1py

from ..numbers.floats import Floats
from .loss_protocol import Dual, margin, over_blocks
from .problem import Places

_BALANCED = 1e-10
"""Share of a class's mass that a repair may move without a look at every row's entropy."""


@dataclass(frozen=True, slots=True, eq=False)
class Tangent:
    """The loss at a point: value, gradient in intercept and weights, and what they are made of.

    `share` is a, `entropy` the sum of c H(a), which is where the tangent meets zero scores, and
    `mass` the sum of c a.
    """

    value: float
    slope: Floats
    entropy: float
    mass: float
    share: Floats


class LogLoss:
    """Two classes: sum c log(1 + exp(-s z)), with one intercept."""

    n_intercepts = 1
    total: float | None = None

    def __init__(self, answers: Floats, labels: Places, weights: Floats) -> None:
        self.answers, self.weights = answers, weights
        self.n_members = len(answers)
        self.signs = np.where(labels == 1, 1.0, -1.0)
        self.largest = _largest(answers)
        # What the rows of either class say together, by weight: repairs move along these.
        sides = np.stack([weights * (self.signs < 0), weights * (self.signs > 0)])
        self.sides = sides @ answers.T
        self.aims = sides.sum(axis=1)

    def gather(self, members: Places) -> Floats:
        """See `Loss`."""
        return self.answers[members]

    def scores(self, intercepts: Floats, columns: Floats, weights: Floats) -> Floats:
        """See `Loss`."""
        return np.asarray(weights @ columns + intercepts[0])

    def value(self, z: Floats) -> float:
        """See `Loss`."""
        margins = self.signs * z
        return float(self.weights @ (np.log1p(np.exp(-np.abs(margins))) - np.minimum(margins, 0.0)))

    def derivatives(self, z: Floats, columns: Floats) -> tuple[Floats, Floats]:
        """See `Loss`."""
        return over_blocks(lambda rows: self._part(z[rows], columns[:, rows], rows), len(z))

    def _part(self, z: Floats, columns: Floats, rows: slice) -> tuple[Floats, Floats]:
        signs, weights = self.signs[rows], self.weights[rows]
        share = expit(-signs * z)
        pull = -weights * signs * share
        curve = weights * share * (1 - share)
        bent = columns * curve
        cross = bent.sum(axis=1)
        hessian = np.empty((len(columns) + 1,) * 2)
        hessian[0, 0], hessian[0, 1:], hessian[1:, 0] = curve.sum(), cross, cross
        hessian[1:, 1:] = bent @ columns.T
        return np.concatenate([[pull.sum()], columns @ pull]), hessian

    def tangent(self, z: Floats) -> Tangent:
        """Return the loss at a point, and its tangent there."""
        margins = self.signs * z
        distance = np.abs(margins)
        small = np.exp(-distance)
        logs = np.log1p(small)
        small /= 1 + small
        value = float(self.weights @ (logs - np.minimum(margins, 0.0)))
        # a, the share of the wrong class; nothing cancels in its entropy.
        share = np.where(margins > 0, small, 1 - small)
        pull = self.weights * share
        signed = self.signs * pull
        slope = -np.concatenate([[signed.sum()], self.answers @ signed])
        entropy = float(self.weights @ (logs + small * distance))
        return Tangent(value, slope, entropy, float(pull.sum()), share)

    def dual(self, z: Floats) -> Dual:
        """See `Loss`."""
        return self.repaired(self.tangent(z))

    def repaired(self, at: Tangent) -> Dual:
        """Return the dual point of a tangent, with the repair that the checker makes.

        The class with too much mass gives some to the other.
        """
        balance, raw = -float(at.slope[0]), -at.slope[1:]
        heavy = int(balance < 0)
        kept = self.aims[heavy] / (self.aims[heavy] + abs(balance))
        gains = kept * raw + (1 - kept) * (2 * heavy - 1) * self.sides[heavy]
        if 1 - kept <= _BALANCED:
            # H(kept a) >= kept H(a), for H is concave and 0 at either end.
            entropy = kept * at.entropy
        else:
            true = (self.signs > 0) == bool(heavy)
            repaired = kept * at.share + (1 - kept) * true
            entropy = self.weights @ (entr(repaired) - xlog1py(1 - repaired, -repaired))
        slack = 4 * margin(len(at.share))
        # What rounding leaves to repair, as a share of the smaller class.
        loose = slack * at.mass / self.aims.min()
        gains += self.largest * (slack * at.mass + 2 * loose * self.aims.sum())
        return Dual(float(entropy * (1 - slack - loose)), gains, at.value, at.slope)


class SoftmaxLoss:
    """Several classes: cross entropy of softmax(z), with an intercept for all but the last."""

    total: float | None = None

    def __init__(self, answers: Floats, labels: Places, weights: Floats) -> None:
        self.answers, self.weights = answers, weights
        self.n_members, n, n_classes = answers.shape
        self.n_intercepts = n_classes - 1
        self.truth = np.zeros((n, n_classes))
        self.truth[np.arange(n), labels] = 1
        self.class_weights = weights @ self.truth
        self.largest = _largest(answers)

    def gather(self, members: Places) -> Floats:
        """See `Loss`."""
        return self.answers[members]

    def scores(self, intercepts: Floats, columns: Floats, weights: Floats) -> Floats:
        """See `Loss`."""
        z = np.tensordot(weights, columns, axes=1)
        z[:, :-1] += intercepts
        return np.asarray(z)

    def value(self, z: Floats) -> float:
        """See `Loss`."""
        top = z.max(axis=1)
        spread = np.log(np.exp(z - top[:, None]).sum(axis=1)) + top
        return float(self.weights @ (spread - (z * self.truth).sum(axis=1)))

    def derivatives(self, z: Floats, columns: Floats) -> tuple[Floats, Floats]:
        """See `Loss`."""
        return over_blocks(lambda rows: self._part(z[rows], columns[:, rows], rows), len(z))

    def _part(self, z: Floats, columns: Floats, rows: slice) -> tuple[Floats, Floats]:
        share, m, b = softmax(z, axis=1), len(columns), self.n_intercepts
        weights = self.weights[rows, None]
        pull = weights * (share - self.truth[rows])
        centred = columns - (columns * share).sum(axis=2, keepdims=True)
        bent = centred * (weights * share)
        hessian = np.empty((b + m,) * 2)
        mass = weights * share[:, :-1]
        hessian[:b, :b] = np.diag(mass.sum(axis=0)) - share[:, :-1].T @ mass
        hessian[b:, :b] = bent[:, :, :-1].sum(axis=1)
        hessian[:b, b:] = hessian[b:, :b].T
        hessian[b:, b:] = np.tensordot(bent, centred, axes=([1, 2], [1, 2]))
        slopes = np.tensordot(columns, pull, axes=2)
        return np.concatenate([pull[:, :-1].sum(axis=0), slopes]), hessian

    def dual(self, z: Floats) -> Dual:
        """See `Loss`."""
        share = raw = softmax(z, axis=1)
        mass = self.weights @ share
        scale = np.minimum(1.0, self.class_weights / np.maximum(mass, 1e-300))
        lack = np.maximum(self.class_weights - mass, 0.0)
        freed = share @ (1 - scale)
        if lack.sum() > 0:
            share = share * scale + freed[:, None] * (lack / lack.sum())
        # A row's sum is 1 within a few roundings; each costs its entropy as much again.
        share = share / share.sum(axis=1, keepdims=True)
        slack = 8 * margin(z.size)
        weight = self.weights.sum()
        entropy = self.weights @ entr(share).sum(axis=1)
        # One pass over the answers for both, the point's own pull and the repaired one.
        pulls = self.weights[:, None] * np.stack([raw - self.truth, self.truth - share])
        slopes, gains = (self.answers.reshape(self.n_members, -1) @ pulls.reshape(2, -1).T).T
        room = 16 * z.shape[1] * 2.0**-53 * weight
        return Dual(
            float(entropy * (1 - slack) - room),
            gains + 2 * slack * self.largest * weight,
            self.value(z),
            np.concatenate([pulls[0, :, :-1].sum(axis=0), slopes]),
        )


def _largest(answers: Floats) -> Floats:
    """Return the largest absolute answer of each member, without a copy of them all."""
    flat = answers.reshape(len(answers), -1)
    largest: Floats = np.maximum(flat.max(axis=1), -flat.min(axis=1))
    return largest
