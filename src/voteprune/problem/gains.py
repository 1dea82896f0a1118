"""`Gains`: a weighted sum of confusion counts, compiled to integers over the patterns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..exceptions import InputError
from ..numbers.exact import IntArray, combine, common_denominator, magnitude, total
from ..votes.patterns import Patterns
from .formulas import Weights

MOST_UNITS, _MOST_VALUE = 2**900, 10**300
"""What still converts to a float, with room to add up."""


def check_reach(units: int, unit: Fraction, most: int = MOST_UNITS) -> None:
    """Refuse sums that no float holds.

    Raises
    ------
    InputError
        If so many units, or what they are worth, are too many.
    """
    if units >= most or units * unit >= _MOST_VALUE:
        raise InputError(
            "objective",
            "its weights, or the rows' weights, span more orders of magnitude than numbers can "
            "hold. Scale them, or leave out what is negligible.",
        )


@dataclass(frozen=True, eq=False)
class Gains:
    """A weighted sum of confusion counts, as integers over the patterns.

    With z_p = 1 where pattern p is predicted positive, the sum is
    ``(base + net @ z) * unit``; every reachable sum is `base` plus a multiple of `step`.
    """

    base: int
    net: IntArray
    unit: Fraction
    step: int

    @classmethod
    def of(cls, weights: Weights, patterns: Patterns) -> Gains:
        """Compile weights against patterns."""
        four = (weights.tp, weights.fn, weights.tn, weights.fp)
        scale = common_denominator(four)
        tp, fn, tn, fp = (int(weight * scale) for weight in four)
        if_positive = combine([(tp, patterns.positive), (fp, patterns.negative)])
        if_negative = combine([(fn, patterns.positive), (tn, patterns.negative)])
        net = combine([(1, if_positive), (-1, if_negative)])
        step = int(np.gcd.reduce(net))
        base, unit = total(if_negative), Fraction(1, scale * patterns.denominator)
        reach = abs(base) + magnitude(net)
        check_reach(reach, unit)
        return cls(base, net, unit, step or 1)

    @property
    def ceiling(self) -> int:
        """What no committee can exceed: every pattern decided at its best."""
        return self.base + total(self.net[self.net > 0])

    def floor_to_step(self, units: Fraction | float) -> int:
        """Return the largest reachable sum that is not above `units`."""
        return self.base + math.floor((Fraction(units) - self.base) / self.step) * self.step
