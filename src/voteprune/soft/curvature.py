"""Quadratic models of a loss, and a Hessian that nodes near each other share.

With many rows a Hessian costs more than all the rest of a node. Nodes of one tree lie near each
other, so the Hessian at one point serves them all, at the cost of a few more Newton steps, each a
pass over the rows.
"""

from __future__ import annotations

import numpy as np

from ..numbers.floats import Floats
from .loss_protocol import Dual, Loss
from .newton import Point, minimise, plain_ridge
from .problem import POOL_BRIER, Places, SoftProblem
from .problem_loss import sample_of

_CHEAP = 1_500_000
"""Rows times squared columns up to which every point has a Hessian of its own."""

_ALL = 256
"""Members up to which the Hessian of the whole pool is made at once."""

_SAMPLE = 20_000
"""Rows that a Hessian is made of where there are more than three times as many."""

_MANY = 4000
"""Scores from which on a committee is guessed at before it is fitted."""

_TRUST = 0.25
"""Share of the distance from the model's point by which a guess may be wrong."""


class Curvature:
    """Hessians of a loss, shared where rows are many.

    Parameters
    ----------
    loss
        The loss.
    problem
        Its problem: with very many rows some of them do for a Hessian.
    """

    def __init__(self, loss: Loss, problem: SoftProblem | None = None) -> None:
        self._loss = loss
        rows = 0 if problem is None or problem.loss == POOL_BRIER else len(problem.labels)
        enough = problem is not None and rows >= 3 * _SAMPLE
        self._sample = sample_of(problem, _SAMPLE) if enough and problem is not None else None
        self._centre: Floats | None = None
        self._places = np.zeros(0, dtype=np.intp)
        self._hessian = np.zeros((0, 0))

    def shares(self, z: Floats, n_members: int) -> bool:
        """Return whether a Hessian of so many members is taken from the centre."""
        return self._centre is not None and z.size * n_members**2 > _CHEAP

    @property
    def centred(self) -> bool:
        """Whether there is a Hessian to share."""
        return self._centre is not None

    def centre(self, z: Floats) -> None:
        """Have nodes from here on share the Hessian at these scores."""
        self._centre, self._places = z, np.zeros(0, dtype=np.intp)

    @property
    def pays(self) -> bool:
        """Whether rows are so many that a committee is better guessed at than fitted."""
        return self._centre is not None and self._centre.size >= _MANY

    def guess(self, point: Point, dual: Dual, members: Places, ridge: float) -> float:
        """Return what a committee would cost if the loss were as its model at a point is."""
        free = self._loss.n_intercepts
        everybody = np.union1d(point.members[point.weights > 0], members)
        weights = np.zeros(self._loss.n_members)
        weights[point.members] = point.weights
        hessian, slope = (
            self.shared(everybody),
            np.concatenate([dual.slope[:free], dual.slope[free + everybody]]),
        )
        stays = np.concatenate([np.ones(free, dtype=bool), np.isin(everybody, members)])
        leave = np.where(stays, 0.0, -np.concatenate([np.zeros(free), weights[everybody]]))
        bent = hessian @ leave
        model = Model(
            dual.value + float(leave @ (slope + bent / 2)),
            (slope + bent)[stays],
            hessian[np.ix_(stays, stays)],
            np.concatenate([point.intercepts, weights[members]]),
            free,
            self._loss.total,
        )
        start = weights[members]
        if self._loss.total is not None:
            start = start / start.sum() if start.sum() > 0 else np.full(len(start), 1 / len(start))
        at = np.arange(len(members))
        return minimise(model, plain_ridge(ridge), at, point.intercepts, start, 1e-6).value

    def promises(
        self, point: Point, dual: Dual, members: Places, ridge: float, best: float
    ) -> bool:
        """Return whether a committee may well cost less than another: True unless it is clear."""
        if not self.pays:
            return True
        guess = self.guess(point, dual, members, ridge)
        # The farther away, the less the model knows.
        return guess - best <= _TRUST * (guess - point.value)

    def own(self, z: Floats, members: Places) -> Floats:
        """Return the Hessian at some scores, in the intercepts and some members' weights."""
        part = self._sample
        if part is not None:
            return part.loss.derivatives(z[part.rows], part.loss.gather(members))[1]
        return self._loss.derivatives(z, self._loss.gather(members))[1]

    def of_all(self, z: Floats) -> Floats:
        """Return the Hessian of the whole pool, near some scores, of some rows if they are many."""
        everybody = np.arange(self._loss.n_members)
        if self.shares(z, len(everybody)) and len(everybody) <= _ALL:
            return self.shared(everybody)
        return self.own(z, everybody)

    def shared(self, members: Places) -> Floats:
        """Return the Hessian at the centre, in the intercepts and some members' weights."""
        assert self._centre is not None
        if not np.isin(members, self._places).all():
            if self._loss.n_members <= _ALL:
                self._places = np.arange(self._loss.n_members)
            else:
                self._places = np.union1d(self._places, members)
            self._hessian = self.own(self._centre, self._places)
        free = self._loss.n_intercepts
        at = np.concatenate([np.arange(free), free + np.searchsorted(self._places, members)])
        return np.asarray(self._hessian[np.ix_(at, at)])


class Model:
    """A loss near a point, to second order: a loss of its own, whose scores are the place.

    Parameters
    ----------
    value, slope, hessian
        The loss at the point, and its derivatives in intercepts and weights.
    place
        Intercepts and weights of the point.
    n_intercepts, total
        As of the loss.
    """

    def __init__(
        self,
        value: float,
        slope: Floats,
        hessian: Floats,
        place: Floats,
        n_intercepts: int,
        total: float | None,
    ) -> None:
        self._value, self._slope, self._hessian, self._place = value, slope, hessian, place
        self.n_intercepts, self.total = n_intercepts, total

    def gather(self, members: Places) -> Floats:
        """See `Loss`."""
        return np.asarray(members, dtype=np.float64)

    def scores(self, intercepts: Floats, columns: Floats, weights: Floats) -> Floats:
        """See `Loss`."""
        return np.concatenate([intercepts, weights])

    def value(self, z: Floats) -> float:
        """See `Loss`."""
        step = z - self._place
        return self._value + float(step @ (self._slope + self._hessian @ step / 2))

    def derivatives(self, z: Floats, columns: Floats) -> tuple[Floats, Floats]:
        """See `Loss`."""
        return self._slope + self._hessian @ (z - self._place), self._hessian.copy()
