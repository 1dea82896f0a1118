"""One dual point bounds every committee: how far down the allowed ones can come."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..numbers.floats import Floats
from .loss_protocol import Dual, margin
from .polytope import Polytope, Selection
from .problem import Places


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """No allowed committee has less penalised loss than this.

    Parameters
    ----------
    value
        The bound, for all committees with those inside and any of those free that limits allow.
    with_in, with_out
        The bound for those of them with one free member in, or out, in the order of `free`.
    price
        mu, for linear pools.
    prices
        Prices of the problem's rows that show it; none where sorting does.
    """

    value: float
    with_in: Floats
    with_out: Floats
    price: float
    prices: Floats

    def fixing(self, cutoff: float) -> tuple[NDArray[np.int8], float]:
        """Return what reduced costs decide on those free, and the lowest bound of what they close.

        Parameters
        ----------
        cutoff
            Committees with so much loss or more need not be looked at.
        """
        out = self.with_in >= cutoff
        seated = (self.with_out >= cutoff) & ~out
        shut = np.concatenate([self.with_in[out], self.with_out[seated]])
        return seated.astype(np.int8) - out.astype(np.int8), float(shut.min(initial=np.inf))


def bound_of(
    dual: Dual,
    ridge: float,
    inside: Places,
    free: Places,
    polytope: Polytope,
    total: float | None = None,
    shares: Floats | None = None,
) -> Bound:
    """Return what a dual point says about the committees of a node.

    Parameters
    ----------
    dual
        Any dual point, already on the safe side.
    ridge
        Lambda.
    inside, free
        Who sits, and who may.
    polytope
        The limits on those that are free.
    total
        What weights sum to, if they must.
    shares
        How far each free member sits in the relaxation; helps to guess mu, and only that.
    """
    price = 0.0
    if total is not None:
        seats = int(polytope.limits[0])
        if shares is None or len(polytope.lines) == 1:
            shares = np.zeros(len(free))
            shares[np.argsort(-dual.gains[free], kind="stable")[: max(seats, 0)]] = 1
        at = np.concatenate([inside, free])
        price = _balance(dual.gains[at], np.concatenate([np.ones(len(inside)), shares]), ridge)
    values = np.maximum(dual.gains - price, 0.0) ** 2 / (2 * ridge) * (1 + 16 * 2.0**-53)
    seated = float(values[inside].sum() * (1 + 4 * margin(len(inside))))
    best: Selection = polytope.selection(values[free])
    value = dual.base - price - seated - best.value
    value -= 16 * 2.0**-53 * (abs(dual.base) + abs(price) + seated + abs(best.value))
    # The costs are differences of the same values: as many roundings, and no more.
    sure = 1 - 4 * margin(len(free))
    prices = polytope.spread(best.prices)
    return Bound(value, value + sure * best.cost_in, value + sure * best.cost_out, price, prices)


def _balance(gains: Floats, shares: Floats, ridge: float) -> float:
    """Return mu with sum of share x max(0, gain - mu) = lambda, which makes the bound highest."""
    low, high = float(gains.min()) - ridge, float(gains.max())
    if not shares.any():
        return high
    low -= ridge / float(shares.sum())
    for _ in range(100):
        middle = (low + high) / 2
        if shares @ np.maximum(gains - middle, 0.0) > ridge:
            low = middle
        else:
            high = middle
    return low
