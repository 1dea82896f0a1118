"""`SoftPool`: log-odds, dual points that bound every committee, and the loss of one of them.

With a_i on the simplex of the classes, y_i the true class and l_ik what member k says, no committee
S has a penalised loss below

    D - sum over k in S of phi_k,    D = sum c_i H(a_i),    phi_k = max(0, g_k)^2 / (2 lambda),
    g_k = sum c_i <e_{y_i} - a_i, l_ik>,    provided that  sum c_i (e_{y_i} - a_i) = 0.

For two classes l_ik = (0, log-odds), which is the same as a in [0, 1] and sum c a s = 0.

**The equation** holds exactly, by a repair in whole numbers. Each share is a multiple of 2^-53, and
a row's sum to 1. Then the mass A_c = sum c_i a_ic of every class and its weight n_c are known
exactly. A class with A_c > n_c is scaled by n_c / A_c, and each row's freed mass goes to the
classes that lack, in proportion to n_c - A_c: the equation holds for what results, a'. With d the
largest of 1 - n_c / A_c, a' is a mixture, (1 - d) a + d q with q on the simplex. The entropy is
concave and not negative, so H(a') >= (1 - d) H(a); and a' is at most 2 d from a in the sum of
absolute differences, so g_k moves by at most 2 d W max |l_k|, with W the sum of weights. Shares are
repaired in doubles first, so d is some 1e-15.

**Rounding**, with u = 2^-53 and C classes. Shares and 1 - a are exact doubles. What stands for
-log a is below it and not negative, so with the roundings of two products and of `math.fsum`, D is
above (1 - d) (1 - 4 u) of the sum: where hardly any loss is left, hardly any of it is lost. A
log-odds is off by 64 C u (1 + |l|) (`soft_table`), a product by 3 u more, and two sums round: with
M the sum of |c (e_y - a)|, which is small where rows are sure, g_k is below its sum plus
(128 C u M + 2 d W) (1 + max |l_k|). Nothing overflows or vanishes, for all numbers lie between
1e-100 and 1e100. From there on everything is in fractions.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import mul

from .logarithms import ROUNDING, exp_above, log_1p_above, minus_log_below
from .soft_document import Point, Seats, SoftDocument
from .soft_table import SoftTable, carrying, log_odds

_ONE = 2**53


@dataclass(frozen=True)
class Dual:
    """A dual point: D, rounded down, and phi of every member, rounded up."""

    base: Fraction
    phi: tuple[Fraction, ...]


class SoftPool:
    """What members say on the rows that carry weight.

    Parameters
    ----------
    document
        Kinds of members, weights of rows, clip and penalty.
    table
        The answers.

    Raises
    ------
    ValueError
        If members are not of the kind they are said to be, or no row carries weight.
    """

    def __init__(self, document: SoftDocument, table: SoftTable) -> None:
        weights, rows = carrying(document, table)
        self.n_classes, self.width = len(document.classes), document.width
        self.columns = []
        for member, said in zip(document.members, table.columns, strict=True):
            odds = log_odds(member, said, document.clip)
            if len(rows) < len(weights):
                odds = tuple(array("d", (part[row] for row in rows)) for part in odds)
            self.columns.append(odds)
        self.weights = array("d", (weights[row] for row in rows))
        self.labels = array("q", (table.labels[row] for row in rows))
        self.largest = [max(max(map(abs, part)) for part in odds) for odds in self.columns]
        exact = [Fraction(weight) for weight in self.weights]
        scale = max(weight.denominator for weight in exact)  # powers of two
        self._whole = [int(weight * scale) for weight in exact]
        self._class_weights = [0] * self.n_classes
        for label, weight in zip(self.labels, self._whole, strict=True):
            self._class_weights[label] += weight
        self.total = Fraction(sum(self._whole), scale)
        self.ridge = document.penalty * self.total / len(rows)

    @property
    def work(self) -> int:
        """Steps that a dual point takes at most, each some tens of nanoseconds."""
        cells = 2 * len(self.columns) * self.width
        return len(self.weights) * (cells + 60 * self.n_classes)

    def dual(self, point: Point) -> Dual:
        """Return the dual point that belongs to intercepts and weights, whatever they are."""
        shares, loose = self._shares(self._scores(*point))
        entropy = math.fsum(
            weight * share * minus_log_below(share)
            for column in shares
            for weight, share in zip(self.weights, column, strict=True)
            if share
        )
        base = Fraction(entropy) * (1 - 4 * ROUNDING)
        pulls = [self._pull(place, shares[place]) for place in self._answered]
        mass = Fraction(math.fsum(math.fsum(map(abs, pull)) for pull in pulls))
        room = 128 * self.n_classes * ROUNDING * mass + loose * 2 * self.total
        phi = []
        for odds, largest in zip(self.columns, self.largest, strict=True):
            gain = Fraction(
                math.fsum(math.fsum(map(mul, *pair)) for pair in zip(pulls, odds, strict=True))
            )
            gain += room * (1 + Fraction(largest))
            phi.append(max(gain, Fraction(0)) ** 2 / (2 * self.ridge))
        return Dual(base * (1 - loose), tuple(phi))

    def loss_above(self, seats: Seats) -> Fraction:
        """Return the penalised loss of a committee, rounded up.

        The loss of a row is log(1 + t) with t = sum exp(z_c - z_y) over the other classes. With S
        the sum of |b| and w (1 + max |l|), a score is off by (64 C + members + 4) u S, and a
        difference, of which at most two are taken one after the other, by d, twice that and 4 u S.
        So t is off by a factor of e^d, and log(1 + t e^d) <= e^d log(1 + t): where hardly any loss
        is left, hardly any is lost to rounding. For d up to 1 that is a share of 2 d; in any case
        a row is off by d at most. Sums and products round by (C + 8) u of the loss.
        """
        pairs = tuple(zip(seats.members, seats.weights, strict=True))
        scores = self._scores(seats.intercepts, pairs)
        losses = []
        for row in zip(self.labels, *scores, strict=True):
            label, z = row[0], row[1:]
            top = label if z[label] == max(z) else z.index(max(z))
            others = (exp_above(one - z[top]) for c, one in enumerate(z) if c != top)
            losses.append(log_1p_above(sum(others)) + (z[top] - z[label]))
        reach = sum(
            (Fraction(weight) * (1 + Fraction(self.largest[k])) for k, weight in pairs),
            max(abs(Fraction(one)) for one in seats.intercepts),
        )
        off = (128 * self.n_classes + 2 * len(pairs) + 12) * ROUNDING * reach
        loss = Fraction(math.fsum(map(mul, self.weights, losses)))
        loss *= 1 + (self.n_classes + 8) * ROUNDING
        room = off * (min(2 * loss, self.total) if off <= 1 else self.total)
        square = sum((Fraction(weight) ** 2 for weight in seats.weights), Fraction(0))
        return loss + room + self.ridge * square / 2

    def _pull(self, place: int, shares: list[float]) -> array[float]:
        """Return c (e_y - a) of one class."""
        rows = zip(self.weights, self.labels, shares, strict=True)
        return array("d", (c * ((1.0 if y == place else 0.0) - share) for c, y, share in rows))

    @property
    def _answered(self) -> range:
        """Classes that members have a column for."""
        return range(1, 2) if self.width == 1 else range(self.n_classes)

    def _scores(
        self, intercepts: Sequence[float], weights: Sequence[tuple[int, float]]
    ) -> list[list[float]]:
        """Return z class by class."""
        n = len(self.weights)
        scores = [[0.0] * n for _ in range(self.n_classes)]
        for part, place in enumerate(self._answered):
            z = [intercepts[part]] * n
            for k, weight in weights:
                z = [
                    one + weight * odds for one, odds in zip(z, self.columns[k][part], strict=True)
                ]
            scores[place] = z
        return scores

    def _shares(self, scores: list[list[float]]) -> tuple[list[list[float]], Fraction]:
        """Return shares class by class as multiples of 2^-53, and d of the exact repair."""
        tops = list(map(max, *scores))
        raw = [
            [math.exp(z - top) for z, top in zip(column, tops, strict=True)] for column in scores
        ]
        sums = [sum(row) for row in zip(*raw, strict=True)]
        raw = [[one / whole for one, whole in zip(column, sums, strict=True)] for column in raw]
        grid = _on_grid(self._nearly_repaired(raw))
        # The same sums in whole numbers, in units of 2^-53 over the scale of the weights.
        loose = Fraction(0)
        for weight, column in zip(self._class_weights, grid, strict=True):
            mass = sum(map(mul, self._whole, column))
            if mass > weight * _ONE:
                loose = max(loose, 1 - Fraction(weight * _ONE, mass))
        return [[share / _ONE for share in column] for column in grid], loose

    def _nearly_repaired(self, shares: list[list[float]]) -> list[list[float]]:
        """Return the repair in doubles, after which hardly anything is left to repair."""
        masses = [math.fsum(map(mul, self.weights, column)) for column in shares]
        scale = self.total / sum(self._whole)
        aims = [float(weight * scale) for weight in self._class_weights]
        factors = [
            min(1.0, aim / mass) if mass else 1.0 for aim, mass in zip(aims, masses, strict=True)
        ]
        lacks = [max(0.0, aim - mass) for aim, mass in zip(aims, masses, strict=True)]
        lack = sum(lacks)
        if not lack:
            return shares
        freed = [
            sum(share * (1 - factor) for share, factor in zip(row, factors, strict=True)) / lack
            for row in zip(*shares, strict=True)
        ]
        return [
            [share * factor + more * missing for share, more in zip(column, freed, strict=True)]
            for column, factor, missing in zip(shares, factors, lacks, strict=True)
        ]


def _on_grid(shares: list[list[float]]) -> list[list[int]]:
    """Round shares down to multiples of 2^-53; each row's largest takes what is left of 1."""
    grid = [[int(share * _ONE) for share in column] for column in shares]
    for i, row in enumerate(zip(*grid, strict=True)):
        largest = max(range(len(row)), key=row.__getitem__)
        grid[largest][i] += _ONE - sum(row)
    return grid
