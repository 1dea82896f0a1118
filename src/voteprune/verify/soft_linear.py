"""`LinearPool`: weighted means of probabilities, by log loss and by squared error.

Weights w of a committee S are not negative and sum to 1; q_ik is what member k gives a class, z_i
the mean. For any number mu, and whatever D and g are such that the loss is at least
D - sum over k in S of w_k g_k for all weights, no committee has a penalised loss below

    D - mu - sum over k in S of phi_k,      phi_k = max(0, g_k - mu)^2 / (2 lambda),

because mu sum w = mu, and w (g - mu) - lambda w^2 / 2 is never above phi.

**Log loss**, with q the probability of the true class: -log z >= 1 + log a - a z for every a > 0,
so D = sum c_i (1 + log a_i) and g_k = sum c_i a_i q_ik. **Squared error**, summed over the classes
from three on: (z - y)^2 >= -r^2 - 2 r y + 2 r z for every r, so D = -sum c r (r + 2 y) and
g_k = -2 sum c r q_k. The point of a node, weights v of any sign, only proposes a = 1 / z and
r = z - y; both are cut to a range in which nothing overflows or vanishes, and nothing is believed.

**Rounding**, with u = 2^-53 and C classes. A probability is cut and divided by the sum of its row:
it is off by at most 16 C u, relatively. A logarithm is off by 4 u (1 + |e|) with
|e| <= 2 + 1.5 |log a|, so a term c (1 + log a) is off by less than 16 u c (3 + 2 |log a|), and a
product of four by 32 C u; `math.fsum` rounds once. Products lie between 1e-300 and 1e300. From
there on everything is in fractions.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from fractions import Fraction
from operator import mul

from .logarithms import ROUNDING, log
from .soft_document import BRIER, LARGEST, Point, Seats, SoftDocument
from .soft_pool import Dual
from .soft_table import SoftTable, carrying, shares

_WIDEST = 1e6
"""No error of a probability is larger than this; points beyond it propose nothing useful."""

_TOGETHER = Fraction(1, 10**9)
"""How far the weights of a committee may be from 1 together."""


class LinearPool:
    """What members say on the rows that carry weight, as probabilities.

    Parameters
    ----------
    document
        Loss, kinds of members, weights of rows, clip and penalty.
    table
        The answers.

    Raises
    ------
    ValueError
        If members are not of the kind they are said to be or give scores, or no row carries weight.
    """

    def __init__(self, document: SoftDocument, table: SoftTable) -> None:
        weights, rows = carrying(document, table)
        self.n_classes, self.squared = len(document.classes), document.loss == BRIER
        self.weights = array("d", (weights[row] for row in rows))
        labels = [table.labels[row] for row in rows]
        self.truths = [
            array("d", (float(label == place) for label in labels)) for place in self._answered
        ]
        self.columns = []
        for member, said in zip(document.members, table.columns, strict=True):
            given = shares(member, said, document.clip)
            kept = [array("d", (part[row] for row in rows)) for part in given]
            self.columns.append(kept if self.squared else [_of_the_true_class(kept, labels)])
        self.total = sum(map(Fraction, self.weights), Fraction(0))
        self.ridge = document.penalty * self.total / len(rows)

    @property
    def work(self) -> int:
        """Steps that a dual point takes at most, each some tens of nanoseconds."""
        parts = len(self.columns[0])
        return len(self.weights) * parts * (2 * len(self.columns) + 60)

    def dual(self, point: Point) -> Dual:
        """Return the dual point that belongs to mu and weights, whatever they are."""
        (price,), weights = point
        scores = self._scores(weights)
        base, gains = self._squared(scores) if self.squared else self._logarithmic(scores[0])
        mu = Fraction(price)
        phi = (max(gain - mu, Fraction(0)) ** 2 / (2 * self.ridge) for gain in gains)
        return Dual(base - mu, tuple(phi))

    def loss_above(self, seats: Seats) -> Fraction:
        """Return the penalised loss of a committee, its weights brought to 1, rounded up.

        A mean is off by E = (16 C + members + 4) u, relatively, and at most 1. So an error r is off
        by less than 2 E, and its square by 4 E (|r| + E). The loss -log z of a row is off by less
        than 2 E, and by its logarithm's error, 4 u (3 + 2 |log z|). Products and sums round by
        16 u of the loss.

        Raises
        ------
        ValueError
            If its weights are far from 1 together.
        """
        together = sum(map(Fraction, seats.weights), Fraction(0))
        if abs(together - 1) > _TOGETHER:
            raise ValueError(f"its weights sum to {float(together):.12g}")
        exact = [Fraction(weight) / together for weight in seats.weights]
        scores = self._scores(list(zip(seats.members, map(float, exact), strict=True)))
        off = (16 * self.n_classes + len(exact) + 4) * ROUNDING
        if self.squared:
            rows = [
                [
                    weight * (z - y) * (z - y)
                    for weight, z, y in zip(self.weights, *pair, strict=True)
                ]
                for pair in zip(scores, self.truths, strict=True)
            ]
            loss = Fraction(math.fsum(math.fsum(part) for part in rows))
            reach = Fraction(
                math.fsum(
                    weight * abs(z - y)
                    for pair in zip(scores, self.truths, strict=True)
                    for weight, z, y in zip(self.weights, *pair, strict=True)
                )
            )
            room = 4 * off * (reach * (1 + 4 * ROUNDING) + off * self.n_classes * self.total)
        else:
            logs = [-log(z) for z in scores[0]]
            loss = Fraction(math.fsum(map(mul, self.weights, logs)))
            reach = Fraction(
                math.fsum(c * (3 + 2 * abs(one)) for c, one in zip(self.weights, logs, strict=True))
            )
            room = 2 * off * self.total + 4 * ROUNDING * reach
        square = sum((weight**2 for weight in exact), Fraction(0))
        return loss + 16 * ROUNDING * abs(loss) + room + self.ridge * square / 2

    def _logarithmic(self, scores: list[float]) -> tuple[Fraction, list[Fraction]]:
        pulls = [1 / min(max(z, 1 / LARGEST), LARGEST) for z in scores]
        logs = list(map(log, pulls))
        base = Fraction(math.fsum(c * (1 + one) for c, one in zip(self.weights, logs, strict=True)))
        size = math.fsum(c * (3 + 2 * abs(one)) for c, one in zip(self.weights, logs, strict=True))
        base -= 32 * ROUNDING * Fraction(size)
        heavy = array("d", map(mul, self.weights, pulls))
        above = 1 + 64 * self.n_classes * ROUNDING
        return base, [Fraction(math.fsum(map(mul, heavy, one))) * above for (one,) in self.columns]

    def _squared(self, scores: list[list[float]]) -> tuple[Fraction, list[Fraction]]:
        heavy, terms, sizes = [], [], []
        for column, truth in zip(scores, self.truths, strict=True):
            errors = [_within(z - y) for z, y in zip(column, truth, strict=True)]
            pull = array("d", map(mul, self.weights, errors))
            heavy.append(pull)
            terms += [-p * (r + 2 * y) for p, r, y in zip(pull, errors, truth, strict=True)]
            sizes += [abs(p) * (abs(r) + 2) for p, r in zip(pull, errors, strict=True)]
        size = Fraction(math.fsum(sizes)) * 64 * self.n_classes * ROUNDING
        gains = [
            -2
            * Fraction(
                math.fsum(math.fsum(map(mul, *pair)) for pair in zip(heavy, said, strict=True))
            )
            for said in self.columns
        ]
        return Fraction(math.fsum(terms)) - size, [gain + size for gain in gains]

    @property
    def _answered(self) -> range:
        """Classes whose errors are squared: the positive one of two, else all."""
        return range(1, 2) if self.n_classes == 2 else range(self.n_classes)

    def _scores(self, weights: Sequence[tuple[int, float]]) -> list[list[float]]:
        """Return the weighted sum of what members say, part by part."""
        scores = [[0.0] * len(self.weights) for _ in self.columns[0]]
        for k, weight in weights:
            scores = [
                [z + weight * one for z, one in zip(column, said, strict=True)]
                for column, said in zip(scores, self.columns[k], strict=True)
            ]
        return scores


def _of_the_true_class(parts: Sequence[array[float]], labels: Sequence[int]) -> array[float]:
    if len(parts) == 1:
        rows = zip(parts[0], labels, strict=True)
        return array("d", (share if label else 1 - share for share, label in rows))
    return array("d", (parts[label][row] for row, label in enumerate(labels)))


def _within(error: float) -> float:
    """Return an error of a probability, 0 where it is next to nothing, cut where it is huge."""
    if not abs(error) >= 1 / LARGEST:
        return 0.0
    return min(max(error, -_WIDEST), _WIDEST)
