"""`Region`: where the scores of all committees lie that could cost less than an incumbent.

With U the incumbent's cost and L the plain bound made of a point w', the loss of every committee
of interest lies above its tangent at w' by less than U - L. So the weighted sum of the rows'
Bregman distances from w' is limited, and with it how far each row's score can be from its score at
w'.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from ..numbers.floats import Floats
from .bound import bound_of
from .logistic import LogLoss, Tangent
from .loss_protocol import Dual, margin
from .newton import Point, weights_of
from .nodes import Decisions
from .polytope import Polytope
from .problem import SoftProblem

_ROUNDS = 3
"""Times that intervals are made shorter by what the last ones show."""

_MOST = 0.95
"""Share of the rows, those with the least leverage, that the first intervals are made of."""

_SHORT = 0.1
"""Distances below which the curvature's average is estimated rather than computed."""

_ROUNDED = 1e-9
"""How far a score may be from what intercept and weights say, with room to spare."""


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """What all committees of interest have in common.

    Parameters
    ----------
    scope
        Decisions that they agree on.
    lower, upper
        An interval for the score of every row.
    intercept, drift
        Their intercepts lie no further than the drift from this one.
    """

    scope: Decisions
    lower: Floats
    upper: Floats
    intercept: float
    drift: float

    def holds(self, decisions: Decisions) -> bool:
        """Return whether the committees of a node are among those it is about."""
        decided = self.scope != 0
        return bool((decisions[decided] == self.scope[decided]).all())


def region_of(
    problem: SoftProblem, loss: LogLoss, scope: Decisions, point: Point, incumbent: float
) -> Region | None:
    """Return where the committees lie that cost less than an incumbent.

    None where the point shows that there is none, and where roundings are too large to tell.

    Parameters
    ----------
    problem, loss
        What is minimised.
    scope
        Decisions that these committees agree on.
    point
        Any point; one whose plain bound is high makes a small region.
    incumbent
        The cost from which on nobody cares.
    """
    inside, free = np.flatnonzero(scope == 1), np.flatnonzero(scope == 0)
    members = np.concatenate([inside, free])
    intercept, z = _balanced(loss, float(point.intercepts[0]), point.z)
    # No committee of interest has longer weights, or an intercept that is further from 0: its
    # heaviest row of either class would cost more than the incumbent.
    length = np.sqrt(2 * incumbent / problem.ridge)
    heavy = min(float(loss.weights[loss.signs == side].max()) for side in (-1, 1))
    far = incumbent / heavy + length * np.sqrt(len(members)) * float(loss.largest[members].max())
    base, gains = unbalanced(loss, loss.tangent(z), 0.0, far)
    plain = bound_of(
        Dual(base, gains, 0.0, gains),
        problem.ridge,
        inside,
        free,
        Polytope.at(*problem.rows, inside, free),
    )
    above = incumbent - plain.value
    if not above > 0:
        return None
    columns = np.vstack([np.ones(len(z)), loss.answers[members]])
    size = (length + float(np.linalg.norm(weights_of(point, problem.n_members)))) ** 2

    def reach(curves: Floats) -> tuple[Floats, float, float]:
        """Return every row's leverage, that of the intercept, and twice what is to be shared."""
        made = gram(columns, loss.weights * curves)
        # A little ridge on the weights, which cannot take much part: it covers roundings, too.
        rounding = 16 * margin(len(z) + len(members)) * float(np.trace(made))
        little = max(0.01 * above / size, rounding)
        made.flat[len(made) + 1 :: len(made) + 1] += little
        made[0, 0] -= rounding
        root = np.linalg.cholesky(made)
        turned = solve_triangular(root, columns, lower=True)
        own = solve_triangular(root, np.eye(len(made))[0], lower=True)
        # Systems of this condition are solved to far more than six digits.
        lever = np.einsum("ij,ij->j", turned, turned) * (1 + 1e-6)
        return lever, float(own @ own) * (1 + 1e-6), 2 * above + (little + rounding) * size

    curve = curvature(z)
    try:
        near = reach(curve)[0]
        few = near <= np.quantile(near, _MOST)
        lever, _, twice = reach(np.where(few, curve, 0.0))
        start = _farthest(twice / 2 * float(lever[few].max()))
        curves = np.where(few, least_curvature(z, z, z - start, z + start), 0.0)
        for _ in range(_ROUNDS):
            lever, own, twice = reach(curves)
            away = np.sqrt(twice * lever) + _ROUNDED
            curves = least_curvature(z, z, z - away, z + away)
    except np.linalg.LinAlgError:
        return None  # hardly any curvature, or hardly anything above the bound
    return Region(scope, z - away, z + away, intercept, float(np.sqrt(twice * own)))


def gram(columns: Floats, weights: Floats) -> Floats:
    """Return the weighted Gram matrix of some columns, which lie as rows here."""
    scaled = columns * np.sqrt(weights)
    return np.asarray(scaled @ scaled.T)


def curvature(z: Floats) -> Floats:
    """Return the second derivative of log(1 + e^z)."""
    small = np.exp(-np.abs(z))
    return np.asarray(small / (1 + small) ** 2)


def unbalanced(loss: LogLoss, at: Tangent, intercept: float, drift: float) -> tuple[float, Floats]:
    """Return base and gains of a tangent for intercepts no further than that from another.

    Unlike a repair this leaves the dual point what it is, that of the tangent.
    """
    slack, mass = 4 * margin(len(at.share)), float(loss.weights.sum())
    tilt = float(at.slope[0])
    base = at.entropy * (1 - slack) + tilt * intercept - abs(tilt) * drift
    base -= slack * mass * (1 + abs(intercept) + drift)
    return base, -at.slope[1:] + loss.largest * slack * mass


def average_curvature(tangents: Floats, places: Floats) -> Floats:
    """Return 2 B(p, t) / (p - t)^2, rounded down, with B the Bregman distance of log(1 + e^z).

    That is the curvature between t and p on average, with more weight near t.
    """
    away = places - tangents
    far = np.abs(away)
    length = np.maximum(far, _SHORT)
    # Curvature falls by no more than a factor of e for each unit of distance.
    fall = np.where(far < _SHORT, 1 - far / 3, 2 * (np.exp(-length) + length - 1) / length**2)
    small = np.exp(-np.abs(tangents))
    least = small / (1 + small) ** 2 * fall
    share = np.where(tangents > 0, 1.0, small) / (1 + small)
    rise = np.logaddexp(0.0, places) - np.logaddexp(0.0, tangents) - share * away
    noise = 16 * 2.0**-53 * (np.abs(places) + np.abs(tangents) + 2)
    told = 2 * (rise - noise) / length**2
    return np.asarray(np.where(far < _SHORT, least, np.maximum(least, told)) * (1 - 1e-12))


def least_curvature(first: Floats, last: Floats, lower: Floats, upper: Floats) -> Floats:
    """Return the least `average_curvature` of tangents and places in intervals.

    It is least at the ends. With phi the curvature, the derivative in p has, at u = p - t, the sign
    of h(u) / u^3 with h(0) = h'(0) = 0 and h'' = u phi'(t + u); that in t has, at u = t - p, the
    sign of m(u) / u^3 with m(0) = 0 and m' = u^2 phi'(p + u). As phi rises up to 0 and falls from
    there on, the average rises, then falls, in either.
    """
    ends = [(t, p) for t in ((first,) if first is last else (first, last)) for p in (lower, upper)]
    return np.asarray(np.minimum.reduce([average_curvature(t, p) for t, p in ends]))


def _farthest(level: float) -> float:
    """Return r with e^-r + r - 1 = level, rounded up.

    If scores move by at most r, and one of them does, the loss rises above its tangent by at least
    (e^-r + r - 1) / leverage (Bach, 2010).
    """
    low, high = 0.0, level + 1
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if np.exp(-middle) + middle - 1 > level else (middle, high)
    return high


def _balanced(loss: LogLoss, intercept: float, z: Floats) -> tuple[float, Floats]:
    """Return the scores with the best intercept for their weights."""
    for _ in range(8):
        at = loss.weights * curvature(z)
        share = 1 / (1 + np.exp(np.clip(loss.signs * z, -700, 700)))
        step = float((loss.weights * loss.signs) @ share / at.sum())
        intercept, z = intercept + step, z + step
        if abs(step) < 1e-13:
            break
    return intercept, z
