"""The relaxation of a node: the dual point that bounds its committees best, and shares x."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..numbers.floats import Floats
from .bound import Bound, bound_of
from .curvature import Curvature, Model
from .loss_protocol import Dual, Loss
from .newton import EXACT, Point, minimise, weights_of
from .polytope import Polytope, Ridge
from .problem import Places

_ROUNDS = 30
_WHOLE = 200
"""Up to so many free members all take part where rows ask for at least some of them."""
_NEWCOMERS = 24
_CLOSE = 1e-10
"""Share of the loss at which bound and relaxation count as equal."""
_ENOUGH = 0.05
"""Share of the distance to the cut-off at which more accuracy cannot close a node."""

_ROUGH = 1e-4
"""Share of the loss to which the first model is solved."""
_PASSES = 2
"""Times as long as the first look at all rows that a step takes, at most."""
_SHORTEST = 1e-6
"""A step is halved no further than this."""


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
    dual
        The dual point, with loss and gradient at the point.
    """

    point: Point
    bound: Bound
    shares: Floats
    dual: Dual


def relax(
    loss: Loss,
    ridge: float,
    inside: Places,
    free: Places,
    polytope: Polytope,
    near: Point,
    cutoff: float = np.inf,
    deadline: float = np.inf,
    curvature: Curvature | None = None,
    latest: float = np.inf,
) -> Relaxed:
    """Minimise the loss plus lambda / 2 times the least sum of w^2 / x over the polytope.

    Each step minimises a quadratic model of the loss plus the penalty itself, over a working set to
    which members come whose gain exceeds the price of a seat. It ends when the bound reaches the
    cut-off, or when it is certain that it will not.

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
    curvature
        Hessians of the loss.
    latest
        Moment of `time.monotonic` by which all must be over: no step is begun that would be late.
    """
    began = time.monotonic()
    curvature = curvature or Curvature(loss)
    asking = not polytope.sizes_alone and not (polytope.lines >= 0).all()
    whole = asking and len(free) <= _WHOLE
    weights = weights_of(near, loss.n_members)
    intercepts, z = near.intercepts, near.z
    dual = loss.dual(z)
    bound = bound_of(dual, ridge, inside, free, polytope, loss.total)
    best = Relaxed(near, bound, np.zeros(len(free)), dual)
    clock = time.monotonic()
    if bound.value >= cutoff or clock + _PASSES * (clock - began) >= latest:
        return best
    working = np.ones(len(free), dtype=bool)
    if not whole:
        working = weights[free] > 0
        seats = max(int(polytope.limits[0]), 1)
        eager = np.argsort(-dual.gains[free], kind="stable")[: seats + _NEWCOMERS]
        working[eager] = True
    shared, gap = True, np.inf
    for _ in range(_ROUNDS):
        began = time.monotonic()
        places = np.flatnonzero(working)
        members = np.concatenate([inside, free[places]])
        part = polytope if whole else polytope.packing(places)
        penalty = _penalty(part, len(inside), ridge)
        own = weights[members]
        shared = shared and curvature.shares(z, len(members))
        slope = np.concatenate(
            [dual.slope[: loss.n_intercepts], dual.slope[loss.n_intercepts + members]]
        )
        model = Model(
            dual.value,
            slope,
            curvature.shared(members) if shared else curvature.own(z, members),
            np.concatenate([intercepts, own]),
            loss.n_intercepts,
            loss.total,
        )
        now = dual.value + penalty(own).value
        # A model need not be solved better than it is itself.
        accuracy = float(np.clip(0.01 * gap / abs(now), EXACT, _ROUGH))
        aim = minimise(model, penalty, np.arange(len(members)), intercepts, own, accuracy)
        step = aim.weights - own
        moved = np.flatnonzero(step)
        shift = loss.scores(aim.intercepts - intercepts, loss.gather(members[moved]), step[moved])
        length, there = 1.0, loss.dual(z + shift)
        fine = penalty(aim.weights)
        value = there.value + fine.value
        promise = now - aim.value
        while value > now - 1e-4 * length * promise + 1e-15 * abs(now) and length > _SHORTEST:
            length /= 2
            fine = penalty(own + length * step)
            value = loss.value(z + length * shift) + fine.value
        if length < 1:
            shared = False
            there = loss.dual(z + length * shift)
        z, dual = z + length * shift, there
        intercepts = intercepts + length * (aim.intercepts - intercepts)
        weights[members] = own + length * step
        shares = np.zeros(len(free))
        shares[places] = fine.shares[len(inside) :]
        bound = bound_of(dual, ridge, inside, free, polytope, loss.total, shares)
        if bound.value > best.bound.value or not best.shares.any():
            point = Point(members, intercepts, weights[members], value, dual.value, z)
            best = Relaxed(point, bound, shares, dual)
        last, gap = gap, value - bound.value
        clock = time.monotonic()
        if clock + (clock - began) >= deadline or bound.value >= cutoff:
            break  # another step would take as long again
        if gap <= max(_CLOSE * abs(value), _ENOUGH * (cutoff - value)):
            break
        prices = _all_rows(polytope, part, fine.prices)
        excess = dual.gains[free] - bound.price - polytope.entry(prices, ridge)
        excess[working] = 0
        newcomers = np.argsort(-excess, kind="stable")[:_NEWCOMERS]
        newcomers = newcomers[excess[newcomers] > 1e-9 * np.abs(dual.gains).max()]
        working[newcomers] = True
        if not len(newcomers):
            if promise <= _CLOSE * abs(now) / 100 or length <= _SHORTEST:
                break
            # A Hessian from elsewhere that does not get on.
            shared = shared and gap < 0.3 * last
    return best


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
