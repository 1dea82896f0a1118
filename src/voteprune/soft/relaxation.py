"""The relaxation of a node: the dual point that bounds its committees best, and shares x."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .bound import Bound, bound_of
from .loss import Dual, Loss
from .newton import Point, minimise, weights_of
from .polytope import Polytope, Ridge
from .problem import Floats, Places

_ROUNDS = 30
_WHOLE = 200
"""Up to so many free members all take part where rows ask for at least some of them."""
_NEWCOMERS = 24
_CLOSE = 1e-10
"""Share of the loss at which bound and relaxation count as equal."""
_ENOUGH = 0.05
"""Share of the distance to the cut-off at which more accuracy cannot close a node."""


@dataclass(frozen=True, slots=True, eq=False)
class Relaxed:
    """What the relaxation found.

    Parameters
    ----------
    point
        Intercepts and weights that prove the bound.
    bound
        The bound, and those with one more decision.
    shares
        x of the free members, in their order.
    """

    point: Point
    bound: Bound
    shares: Floats


def relax(
    loss: Loss,
    ridge: float,
    inside: Places,
    free: Places,
    polytope: Polytope,
    near: Point,
    cutoff: float = np.inf,
    deadline: float = np.inf,
) -> Relaxed:
    """Minimise the loss plus lambda / 2 times the least sum of w^2 / x over the polytope.

    Newton's method goes over a working set, to which members come whose gain exceeds the price of
    a seat. It ends when the bound reaches the cut-off, or when it is certain that it will not.

    Parameters
    ----------
    loss, ridge
        What to minimise.
    inside, free
        Who sits, and who may.
    polytope
        The limits on those that are free.
    near
        Where to start.
    cutoff
        The loss from which on nobody cares.
    deadline
        Moment of `time.monotonic` at which the best bound so far has to do.
    """
    whole = not (polytope.lines >= 0).all() and len(free) <= _WHOLE
    near_weights = weights_of(near, loss.n_members)
    dual = loss.dual(near.z)
    best = Relaxed(
        near, _bound(dual, loss, ridge, inside, free, polytope, None), np.zeros(len(free))
    )
    if best.bound.value >= cutoff:
        return best
    working = np.ones(len(free), dtype=bool)
    if not whole:
        working = near_weights[free] > 0
        seats = max(int(polytope.limits[0]), 1)
        eager = np.argsort(-dual.gains[free], kind="stable")[: seats + _NEWCOMERS]
        working[eager] = True
    for _ in range(_ROUNDS):
        places = np.flatnonzero(working)
        members = np.concatenate([inside, free[places]])
        part = polytope if whole else polytope.packing(places)
        penalty = _penalty(part, len(inside), ridge)
        start = near_weights[members]
        if loss.total is not None:
            start = start / start.sum() if start.sum() > 0 else np.full(len(start), 1 / len(start))
        point = minimise(loss, penalty, members, near.intercepts, start, _CLOSE, deadline)
        fine = penalty(point.weights)
        shares = np.zeros(len(free))
        shares[places] = fine.shares[len(inside) :]
        dual = loss.dual(point.z)
        bound = _bound(dual, loss, ridge, inside, free, polytope, shares)
        if bound.value > best.bound.value or not best.shares.any():
            best = Relaxed(point, bound, shares)
        near, near_weights = point, weights_of(point, loss.n_members)
        gap = point.value - bound.value
        distance = cutoff - point.value
        if time.monotonic() >= deadline:
            break
        if bound.value >= cutoff or gap <= max(_CLOSE * abs(point.value), _ENOUGH * distance):
            break
        prices = _all_rows(polytope, part, fine.prices)
        excess = dual.gains[free] - bound.price - polytope.entry(prices, ridge)
        excess[working] = 0
        newcomers = np.argsort(-excess, kind="stable")[:_NEWCOMERS]
        newcomers = newcomers[excess[newcomers] > 1e-9 * np.abs(dual.gains).max()]
        if not len(newcomers):
            break
        working[newcomers] = True
    return best


def _bound(
    dual: Dual,
    loss: Loss,
    ridge: float,
    inside: Places,
    free: Places,
    polytope: Polytope,
    shares: Floats | None,
) -> Bound:
    return bound_of(dual, ridge, inside, free, polytope, loss.total, shares)


def _penalty(part: Polytope, n_inside: int, ridge: float) -> Callable[[Floats], Ridge]:
    """Return the penalty of those inside, a plain ridge, and of those free."""
    last: Floats | None = None

    def penalty(weights: Floats) -> Ridge:
        nonlocal last
        seated, others = weights[:n_inside], part.ridge(weights[n_inside:], ridge, last)
        last = others.prices
        hessian = np.zeros((len(weights),) * 2)
        hessian[n_inside:, n_inside:] = others.hessian
        hessian[:n_inside, :n_inside] = ridge * np.eye(n_inside)
        return Ridge(
            ridge * float(seated @ seated) / 2 + others.value,
            np.concatenate([ridge * seated, others.gradient]),
            hessian,
            np.concatenate([np.ones(n_inside), others.shares]),
            others.prices,
        )

    return penalty


def _all_rows(polytope: Polytope, part: Polytope, prices: Floats) -> Floats:
    if len(part.lines) == len(polytope.lines):
        return prices
    whole = np.zeros(len(polytope.lines))
    whole[(polytope.lines >= 0).all(axis=1)] = prices
    return whole
