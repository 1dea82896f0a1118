"""Prices of several limits at once: the small concave program behind the relaxation's penalty."""

from __future__ import annotations

import numpy as np

from .problem import Floats

_STEPS = 60
_HALVINGS = 25
_HIGHEST = 1e4
"""Where no x keeps all rows prices would rise for ever; this many times the largest is enough."""


def dual_prices(
    lines: Floats, limits: Floats, weights: Floats, ridge: float, near: Floats | None = None
) -> Floats:
    """Return prices u >= 0 of the rows that make the shares of the members keep the limits.

    They maximise sum over members of min over x of (lambda w^2 / (2 x) + p x) - u limits with
    p = u lines, by a projected Newton method. Nothing that is proved rests on them.

    Parameters
    ----------
    lines, limits
        The rows.
    weights
        Of the members.
    ridge
        Lambda.
    near
        Prices to start from.
    """
    top = max(float(weights.max(initial=0.0)), 1e-9)
    unit = ridge * top**2 / 2
    # Weights in units of the largest. Zeros make the function kinked; next to nothing does not.
    square = np.maximum(weights / top, 1e-5) ** 2
    prices = np.full(len(lines), 0.1) if near is None else np.minimum(near / unit, _HIGHEST)
    value, share, paid = _value(lines, limits, square, prices)
    for _ in range(_STEPS):
        slope = lines @ share - limits
        moving = (prices > 0) | (slope > 0)
        if np.abs(slope[moving]).max(initial=0.0) <= 1e-11 * (1 + np.abs(limits).max()):
            break
        bend = np.where(share < 1, share / (2 * np.maximum(paid, 1e-300)), 0.0)
        inner = (lines[moving] * bend) @ lines[moving].T
        inner.flat[:: len(inner) + 1] += 1e-10 * np.trace(inner) + 1e-10
        step = np.zeros(len(prices))
        step[moving] = np.linalg.solve(inner, slope[moving])
        step *= min(1.0, 4 * (1 + prices.max()) / max(float(np.abs(step).max()), 1e-300))
        length = 1.0
        for _ in range(_HALVINGS):
            there = np.clip(prices + length * step, 0.0, _HIGHEST)
            trial, trial_share, trial_paid = _value(lines, limits, square, there)
            if trial > value:
                break
            length /= 2
        else:
            break
        prices, value, share, paid = there, trial, trial_share, trial_paid
    return prices * unit


def _value(
    lines: Floats, limits: Floats, square: Floats, prices: Floats
) -> tuple[float, Floats, Floats]:
    paid = prices @ lines
    partly = paid > square
    safe = np.where(partly, paid, 1.0)
    share = np.where(partly, np.sqrt(square / safe), 1.0)
    each = np.where(partly, 2 * np.sqrt(square * safe), square + paid)
    return float(each.sum() - prices @ limits), share, paid
