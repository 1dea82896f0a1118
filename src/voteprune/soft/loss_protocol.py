"""The losses of soft committees: values, derivatives, and dual points that bound every committee.

All of them have the shape ``f(z)`` with z linear in intercepts and weights, plus a ridge on the
weights. For every loss there are a number D and gains g_k, made of any point z, such that no
committee S has a penalised loss below

    D - mu - sum over k in S of phi_k,      phi_k = max(0, g_k - mu)^2 / (2 lambda),

where mu is any number for linear pools and 0 otherwise.

**Repair.** An intercept is free, so its equation must hold exactly. Two classes, sum c a s = 0: all
a are multiplied by W / (W + |sum c a s|), W the weight of the class with the smaller sum, and what
that takes from 1 is added on its rows. Several, sum c (e_y - a) = 0: columns that are too heavy are
scaled down and each row's freed mass goes to the classes that lack, in proportion to what they
lack.

**Safety margin.** With u = 2^-53, a sum of n products is off by at most gamma(n) = n u / (1 - n u)
times the sum of their absolute values, in whatever order it is taken; logarithms are taken to be
right within four units in the last place. All margins are multiples of ``m = gamma(n + 16)``, for n
terms: 1e-10 at a million rows. The repaired floating-point a keeps its equation only up to 2 m, so
the bound is meant for the exact repair a'' of it. Two classes: a'' = (1 - d) a, and d more on the
rows of one class, with d <= 2 m; H(a'') >= (1 - d) H(a) because H is concave and nowhere negative.
Several classes: a'' = (1 - d) a + d q with q on the simplex, and likewise. So D loses at most
4 m D, and g_k moves at most by 4 m times a bound on sum c a |l_k|; several classes take twice
that, for rows that sum to 1 only nearly. D is rounded down and g_k up by that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ..numbers.floats import Floats
from .problem import Places

_BLOCK = 8192
"""Rows whose derivatives are made at once: what they take stays in the processor's cache."""


def over_blocks(part: Callable[[slice], tuple[Floats, Floats]], n: int) -> tuple[Floats, Floats]:
    """Return gradient and Hessian of all rows, the sum of those of one block after the other."""
    slope, hessian = part(slice(0, _BLOCK))
    for first in range(_BLOCK, n, _BLOCK):
        more, bent = part(slice(first, first + _BLOCK))
        slope += more
        hessian += bent
    return slope, hessian


def margin(terms: int) -> float:
    """Return the relative error that a sum of so many terms may have, with room for few more."""
    spent = (terms + 16) * 2.0**-53
    return spent / (1 - spent)


@dataclass(frozen=True, slots=True, eq=False)
class Dual:
    """A point of the dual problem, rounded to the safe side.

    Parameters
    ----------
    base
        D, rounded down.
    gains
        g_k for the whole pool, rounded up.
    value
        The loss at the point it was made of.
    slope
        The gradient there, in the intercepts and the weights of the whole pool.
    """

    base: float
    gains: Floats
    value: float
    slope: Floats


class Smooth(Protocol):
    """What Newton's method needs to know of a loss, or of a model of one."""

    n_intercepts: int
    total: float | None
    """What weights must sum to, if anything."""

    def gather(self, members: Places) -> Floats:
        """Return some members' answers, as the other methods want them."""

    def scores(self, intercepts: Floats, columns: Floats, weights: Floats) -> Floats:
        """Return z, linear in intercepts and weights."""

    def value(self, z: Floats) -> float:
        """Return the loss, a sum over the rows."""

    def derivatives(self, z: Floats, columns: Floats) -> tuple[Floats, Floats]:
        """Return gradient and Hessian in the intercepts and the weights of the columns."""


class Loss(Smooth, Protocol):
    """What the methods need to know of a loss."""

    n_members: int

    def dual(self, z: Floats) -> Dual:
        """Return the dual point that belongs to z, repaired, and loss and gradient at z."""
