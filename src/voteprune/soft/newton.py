"""Newton's method for intercepts and weights >= 0, exact to rounding.

Each step is a small convex quadratic program with signs, solved by block principal pivoting.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..numbers.floats import Floats
from .loss_protocol import Loss, Smooth
from .polytope import Ridge
from .problem import Places

_STEPS = 80
_HALVINGS = 30
EXACT = 1e-12
"""A step that promises less than this share of the loss is the last."""

_STIFFER, _STIFFEST = 1e3, 1e12
"""What curvature is added by, step by step, and how much of it at most, where the model is too flat
for any part of its step to lower the loss. The first is such that nothing moves farther than it is
from 0, or than 1."""

_PIVOTS = 200
"""Exchanges before the best point so far is good enough; a line search follows in any case."""


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """Intercepts and weights of some members, and what they cost.

    Parameters
    ----------
    members
        Who may have weight.
    intercepts
        One for two classes, C - 1 for more, none for linear pools.
    weights
        Theirs, in the same order.
    value
        Loss plus penalty.
    loss
        The loss alone.
    z
        The scores of the rows.
    settled
        Whether it is the best of its members, and not merely where time was over.
    """

    members: Places
    intercepts: Floats
    weights: Floats
    value: float
    loss: float
    z: Floats
    settled: bool = True


def plain_ridge(ridge: float) -> Callable[[Floats], Ridge]:
    """Return the penalty of a committee: lambda / 2 times the sum of squares."""

    def penalty(weights: Floats) -> Ridge:
        ones = np.ones(len(weights))
        square = ridge * float(weights @ weights) / 2
        return Ridge(square, ridge * weights, ridge * np.eye(len(weights)), ones, np.zeros(0))

    return penalty


def minimise(
    loss: Smooth,
    penalty: Callable[[Floats], Ridge],
    members: Places,
    intercepts: Floats,
    weights: Floats,
    accuracy: float = EXACT,
    deadline: float = np.inf,
    least: int = 0,
) -> Point:
    """Return the point of least penalised loss over intercepts and weights >= 0.

    Each step minimises the quadratic model over the signs (and the total) exactly, then goes as
    far along as the loss falls. Where rows are so sure that the model is all but flat, its minimum
    is out of all proportion: curvature is added until some part of the step lowers the loss.

    Parameters
    ----------
    loss, penalty
        What to minimise.
    members
        Who may have weight.
    intercepts, weights
        Where to start; weights that must sum to something do.
    accuracy
        Share of the loss that a step must promise for another to follow.
    deadline
        Moment of `time.monotonic` from which on no further step would end in time.
    least
        Steps that are taken all the same.
    """
    columns = loss.gather(members)
    n_free = loss.n_intercepts
    place = np.concatenate([intercepts, weights])
    signed = np.arange(len(place)) >= n_free
    z = loss.scores(intercepts, columns, weights)
    fine = penalty(weights)
    bare = loss.value(z)
    settled, clock, stiff = False, time.monotonic(), 0.0
    for steps in range(_STEPS):
        before, clock = clock, time.monotonic()
        if steps >= least and clock + (clock - before) >= deadline:
            break
        slope, hessian = loss.derivatives(z, columns)
        slope[n_free:] += fine.gradient
        hessian[n_free:, n_free:] += fine.hessian
        # Tied members make the model flat; next to nothing of curvature keeps it solvable. Each has
        # its own, for beside a huge ridge intercepts have hardly any, and must move all the same.
        # Where rows are sure all curvature is rounding, and slopes say what is next to nothing.
        reach = np.abs(slope)
        reach[:n_free] = reach[:n_free].max(initial=0.0)
        own = np.maximum(hessian.diagonal(), reach)
        hessian.flat[:: len(place) + 1] += 1e-11 * np.maximum(own, 1e-280)
        if stiff:
            hessian.flat[:: len(place) + 1] += (
                stiff * np.abs(slope) / np.maximum(np.abs(place), 1.0)
            )
        guess = signed & ((place > 0) | (slope < 0))
        target = signed_minimum(hessian, slope - hessian @ place, signed, guess, loss.total)
        step = target - place
        promise = -float(slope @ step)
        now = bare + fine.value
        if not promise > 0:
            settled = True
            break
        dz = loss.scores(step[:n_free], columns, step[n_free:])
        length, moved = 1.0, False
        for _ in range(_HALVINGS):
            there = place + length * step
            trial = loss.value(z + length * dz)
            trial_fine = penalty(np.maximum(there[n_free:], 0.0))
            if trial + trial_fine.value <= now - 1e-4 * length * promise + 1e-15 * abs(now):
                moved = True
                break
            length /= 2
        if not moved:
            if promise > accuracy * abs(now) and stiff < _STIFFEST:
                stiff = stiff * _STIFFER or 1.0
                continue
            settled = True
            break
        place = np.where(signed, np.maximum(there, 0.0), there)
        z, bare, fine = z + length * dz, trial, trial_fine
        if promise <= accuracy * abs(now) and not stiff:
            settled = True
            break
        if stiff and now - (bare + fine.value) <= accuracy * abs(now):
            break  # at a kink of the penalty, where steps are short for ever
        stiff = 0.0
    z = loss.scores(place[:n_free], columns, place[n_free:])
    bare = loss.value(z)
    return Point(members, place[:n_free], place[n_free:], bare + fine.value, bare, z, settled)


def fit(
    loss: Loss, ridge: float, members: Places, near: Point | None = None, deadline: float = np.inf
) -> Point:
    """Return the best weights of one committee.

    Parameters
    ----------
    loss
        The loss.
    ridge
        Lambda.
    members
        Who sits, in rising order; nobody is allowed where there is an intercept.
    near
        A point to start from, of whichever members.
    deadline
        As for `minimise`; without a point to start from one step is taken in any case.
    """
    intercepts, weights = np.zeros(loss.n_intercepts), np.zeros(len(members))
    if near is not None:
        intercepts = near.intercepts
        weights = weights_of(near, loss.n_members)[members]
    if loss.total is not None:
        together = weights.sum()
        weights = weights / together if together > 0 else np.full(len(members), 1 / len(members))
    penalty, least = plain_ridge(ridge), int(near is None)
    return minimise(loss, penalty, members, intercepts, weights, deadline=deadline, least=least)


def weights_of(point: Point, n_members: int) -> Floats:
    """Return the weights of the whole pool."""
    whole = np.zeros(n_members)
    whole[point.members] = point.weights
    return whole


def scored(loss: Loss, point: Point) -> Point:
    """Return a point with the scores of the rows, which points on file do without."""
    z = loss.scores(point.intercepts, loss.gather(point.members), point.weights)
    return Point(point.members, point.intercepts, point.weights, point.value, point.loss, z)


def nearest(loss: Loss, intercepts: Floats, weights: Floats, allowed: Places) -> Point:
    """Return a point of some members alone, near one that others may have weights in.

    Parameters
    ----------
    loss
        The loss.
    intercepts, weights
        The other point, with a weight for every member of the pool.
    allowed
        Who may have a weight.
    """
    members = allowed[weights[allowed] > 0]
    own = weights[members]
    if loss.total is not None:
        if not len(members):
            members, own = allowed, np.ones(len(allowed))
        own = own / own.sum()
    return scored(loss, Point(members, intercepts, own, np.inf, np.inf, own))


def signed_minimum(
    hessian: Floats,
    linear: Floats,
    signed: NDArray[np.bool_],
    guess: NDArray[np.bool_],
    total: float | None = None,
) -> Floats:
    """Return y that minimises ``y H y / 2 + linear y`` with y >= 0 where it is signed.

    Júdice and Pires' rule: exchange all infeasible variables at once while that lowers their
    number, a single one, the last, when it has not for three times.

    Parameters
    ----------
    hessian
        Positive definite.
    linear
        The linear part.
    signed
        Which variables must not be negative.
    guess
        Which signed variables are thought to be positive.
    total
        What the signed variables sum to, if they must.
    """
    n = len(linear)
    passive = ~signed | guess
    if total is not None and not (passive & signed).any():
        passive[np.argmin(np.where(signed, linear, np.inf))] = True
    slack = 1e-12 * (np.abs(linear).max(initial=0.0) + 1e-300)
    fewest, patience = n + 1, 3
    point = np.zeros(n)
    for _ in range(_PIVOTS):
        point, price = _solve(hessian, linear, signed, passive, total)
        slope = hessian @ point + linear - price * signed
        wrong = signed & np.where(passive, point < 0, slope < -slack)
        count = int(np.count_nonzero(wrong))
        if not count:
            break
        if count < fewest:
            fewest, patience = count, 3
        elif patience:
            patience -= 1
        else:
            wrong = np.arange(n) == np.flatnonzero(wrong)[-1]
        passive = passive ^ wrong
        if total is not None and not (passive & signed).any():
            passive[np.argmin(np.where(signed, slope, np.inf))] = True
    return np.where(signed, np.maximum(point, 0.0), point)


def _solve(
    hessian: Floats,
    linear: Floats,
    signed: NDArray[np.bool_],
    passive: NDArray[np.bool_],
    total: float | None,
) -> tuple[Floats, float]:
    """Return the minimum when only the passive variables move, and the price of the total."""
    point = np.zeros(len(linear))
    inside = np.flatnonzero(passive)
    if not len(inside):
        return point, 0.0
    block = hessian[np.ix_(inside, inside)]
    if total is None:
        point[inside] = np.linalg.solve(block, -linear[inside])
        return point, 0.0
    ones = signed[inside].astype(np.float64)
    both = np.linalg.solve(block, np.column_stack([-linear[inside], ones]))
    price = (total - ones @ both[:, 0]) / (ones @ both[:, 1])
    point[inside] = both[:, 0] + price * both[:, 1]
    return point, float(price)
