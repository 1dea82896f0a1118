"""The truth, quickly: every committee of up to 18 classifiers at once, in exact integers.

What `oracle` says one committee at a time is said here for all of them, by doubling: what holds
for the sets of the first few classifiers is continued to those with one more. Shares no code with
the package beyond the constraint values it reads; `test_committees` compares it with the slow
oracles.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np

import voteprune as vp
from margin_oracle import reach_of
from oracle import DIGITS, FLOORS, diversity_limits, metric, pair_table

SMALL_FLOAT_ROOM, FLOAT_ROOM, INT_ROOM = 2**24, 2**53, 2**62
FEW = 2**22


def exact_weights(sample_weight):
    """Weights as written, as whole numbers, and how many make a weight of one."""
    weights = [Fraction(repr(float(w))) for w in sample_weight]
    scale = lcm(*(w.denominator for w in weights))
    return weights, [int(w * scale) for w in weights], scale


def whole(values):
    """Fractions as integers over a common denominator: int64 where sums of them surely fit."""
    scale = lcm(*(Fraction(v).denominator for v in np.ravel(values)))
    ints = [int(v * scale) for v in np.ravel(values)]
    small = sum(map(abs, ints)) < INT_ROOM
    return np.array(ints, dtype=np.int64 if small else object).reshape(np.shape(values)), scale


def over_all_sets(columns):
    """Sums of the columns' entries over the members of every set; 2^K x whatever a column is."""
    sums = np.zeros((1, *columns.shape[1:]), dtype=columns.dtype)
    for column in columns:
        sums = np.concatenate([sums, sums + column])
    return sums


def bits(k):
    return (np.arange(2**k)[:, None] >> np.arange(k) & 1).astype(bool)


def weigh(chosen, weights):
    """Sum weights, none negative, over what is chosen, row by row, exactly."""
    total = sum(weights)
    if total < FLOAT_ROOM:
        kind = np.float32 if total < SMALL_FLOAT_ROOM else np.float64
        return (chosen.astype(kind) @ np.array(weights, dtype=kind)).astype(np.int64)
    # Too large for one float each: in two parts, put together as Python's integers.
    parts = [[w >> 30 for w in weights], [w & (2**30 - 1) for w in weights]]
    high, low = (chosen @ np.array(part, dtype=np.int64) for part in parts)
    return high.astype(object) * 2**30 + low


def kinds(values):
    """The different values there are, in order, and which of them each is."""
    largest = int(values.max())
    if largest > FEW:
        return np.unique(values, return_inverse=True)
    there = np.zeros(largest + 1, dtype=bool)
    there[values] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[values]


class Sets:
    """All sets of K members, and which of them limits on members allow.

    A set is the number whose bits are its members; set 0 is nobody and never allowed.
    """

    def __init__(self, k):
        self.k = k
        self.members = bits(k)
        self.sizes = self.members.sum(axis=1)

    def who(self, code):
        return tuple(np.flatnonzero(self.members[code]).tolist())

    def code(self, members):
        return sum(1 << int(k) for k in members)

    def meet(self, constraints):
        """Which sets meet the limits on size, members and cost."""
        met = self.sizes > 0
        for c in constraints:
            if isinstance(c, vp.AtLeast | vp.AtMost):
                if c.what == "size":
                    met &= self.sizes >= c.limit if isinstance(c, vp.AtLeast) else (
                        self.sizes <= c.limit
                    )  # fmt: skip
            elif isinstance(c, vp.Require):
                met &= self.members[:, list(c.members)].all(axis=1)
            elif isinstance(c, vp.Forbid):
                met &= ~self.members[:, list(c.members)].any(axis=1)
            elif isinstance(c, vp.Group):
                seated = self.members[:, list(c.members)].sum(axis=1)
                met &= seated >= (c.at_least or 0)
                met &= seated <= (self.k if c.at_most is None else c.at_most)
            else:
                costs, scale = whole(np.array(c.costs, dtype=object))
                met &= over_all_sets(costs) <= c.limit * scale
        return met


class Committees(Sets):
    """All committees of a pool, set by set (rows) and threshold by threshold (columns)."""

    def __init__(self, matrix, labels, sample_weight):
        super().__init__(np.shape(matrix)[1])
        self.matrix, self.labels = np.asarray(matrix, dtype=np.int64), np.asarray(labels)
        self.weights, ints, self.scale = exact_weights(sample_weight)
        self.rows, kind = np.unique(self.matrix, axis=0, return_inverse=True)
        sides = [[0] * len(self.rows), [0] * len(self.rows)]
        for weight, label, row in zip(ints, self.labels.tolist(), kind.ravel(), strict=True):
            sides[label][row] += weight
        self.negative, self.positive = sides
        self.tables = {}
        self.real = np.arange(self.k)[None, :] < self.sizes[:, None]

    @cached_property
    def counts(self):
        """Positive votes of every set on every distinct row."""
        return over_all_sets(self.rows.T.astype(np.int8))

    @cached_property
    def _points(self):
        """Every pair of true and false positives that occurs, and which of them is whose."""
        tp, fp = (
            np.stack([weigh(self.counts > level, side) for level in range(self.k)], axis=1)
            for side in (self.positive, self.negative)
        )
        (tps, at_tp), (fps, at_fp) = (kinds(a.ravel()) for a in (tp, fp))
        both, place = kinds(at_tp * len(fps) + at_fp)
        pairs = [(int(tps[i // len(fps)]), int(fps[i % len(fps)])) for i in both.tolist()]
        return pairs, place.reshape(self.real.shape)

    @property
    def place(self):
        """Which point each committee is."""
        return self._points[1]

    @cached_property
    def points(self):
        """The confusion counts tp, fn, tn, fp of every point."""
        p, n = sum(self.positive), sum(self.negative)
        return [
            tuple(Fraction(count, self.scale) for count in (tp, p - tp, n - fp, fp))
            for tp, fp in self._points[0]
        ]

    def values(self, objective):
        """What each point is worth, as fractions."""
        return [metric(objective, *point) for point in self.points]

    def allowed(self, constraints=(), diversity=None):
        """Which committees meet all limits."""
        fine = np.ones(len(self.points), dtype=bool)
        for c in constraints:
            if isinstance(c, vp.AtLeast | vp.AtMost) and c.what != "size":
                values = self.values(c.what)
                fine &= [
                    v >= c.limit if isinstance(c, vp.AtLeast) else v <= c.limit for v in values
                ]
        sets = self.meet(constraints) & self.diverse(diversity)
        return self.real & sets[:, None] & fine[self.place]

    def best(self, objective, constraints=(), diversity=None):
        """The optimum as a fraction, None if nothing is allowed."""
        there = np.unique(self.place[self.allowed(constraints, diversity)])
        values = self.values(objective)
        return max((values[point] for point in there), default=None)

    def table(self, measure):
        """A pairwise measure of all pairs, as fractions (correlations to very many digits)."""
        if measure not in self.tables:
            table = pair_table(measure, self.matrix, self.labels, self.weights)
            self.tables[measure] = [[Fraction(value) for value in row] for row in table]
        return self.tables[measure]

    def sums(self, measure):
        """By set: each classifier's sum of a measure over the members, and the sum of all pairs."""
        table, scale = whole(np.array(self.table(measure), dtype=object))
        each = over_all_sets(table)
        pairs = np.zeros(1, dtype=table.dtype)
        for k in range(self.k):
            pairs = np.concatenate([pairs, pairs + each[: 2**k, k]])
        return each, pairs, scale

    def diverse(self, diversity):
        """Which sets meet the limits on diversity; fewer than two members always do."""
        met = np.ones(2**self.k, dtype=bool)
        limits = diversity_limits(diversity, self.table("fc"))
        if limits is None:
            return met
        measure, tau, gamma = limits
        each, pairs, scale = self.sums(measure)
        others = self.sizes - 1
        # Sums of roots that are so near a limit are on it.
        room = Fraction(scale, 10 ** (DIGITS - 20)) if measure == "correlation" else 0
        sign = 1 if measure in FLOORS else -1
        met &= sign * pairs >= _times(self.sizes * others // 2, sign * gamma * scale - room)
        needed = _times(others, sign * tau * scale - room)
        met &= ((sign * each >= needed[:, None]) | ~self.members).all(axis=1)
        return met | (others < 1)

    def margins(self, margin):
        """What every set is worth by majority, as fractions; None for nobody."""
        total = sum(self.positive) + sum(self.negative)
        small = 4 * self.k * total * reach_of(margin, self.k) < INT_ROOM
        p, n = (
            np.array(side, dtype=np.int64 if small else object)
            for side in (self.positive, self.negative)
        )
        worth = np.full(2**self.k, None, dtype=object)
        for size in range(1, self.k + 1):
            codes, reach = np.flatnonzero(self.sizes == size), reach_of(margin, size)
            half_votes = 2 * self.counts[codes].astype(np.int64) - 2 * (size // 2) - 1
            won = 0
            for side, sign in ((p, 1), (n, -1)):
                cut = np.minimum(sign * half_votes, reach)
                if isinstance(margin, vp.Ramp):
                    cut = np.maximum(cut, -reach)
                won = won + (reach + cut) @ side
            worth[codes] = [Fraction(int(w), 2 * reach * total) for w in won]
        return worth

    @property
    def majority(self):
        """Which committees decide by majority."""
        return np.arange(self.k)[None, :] == (self.sizes // 2)[:, None]


def _times(counts, factor):
    return np.array([int(-(-(n * factor) // 1)) for n in counts.tolist()], dtype=object)


class Pluralities(Sets):
    """All committees of a pool of more than two classes."""

    def __init__(self, named, truth, sample_weight, classes):
        super().__init__(np.shape(named)[1])
        self.classes = list(classes)
        place = {label: i for i, label in enumerate(self.classes)}
        votes = np.array([[place[v] for v in row] for row in np.asarray(named).tolist()])
        self.truth = np.array([place[v] for v in np.asarray(truth).tolist()])
        self.weights, self.ints, self.scale = exact_weights(sample_weight)
        one_hot = votes.T[:, :, None] == np.arange(len(self.classes))
        # The first of several classes that are named most often.
        self.decided = over_all_sets(one_hot.astype(np.int8)).argmax(axis=2)

    def values(self, objective):
        """What every set is worth, as fractions; what set 0 is said to be means nothing."""
        worth = self._worth(objective)
        ints, scale = whole(np.array([w * worth[t] for w, t in zip(
            self.weights, self.truth.tolist(), strict=True)], dtype=object))  # fmt: skip
        right = weigh(self.decided == self.truth[None, :], ints.tolist())
        return [Fraction(int(units), scale) for units in right]

    def _worth(self, objective):
        totals = [Fraction(0)] * len(self.classes)
        for weight, label in zip(self.weights, self.truth.tolist(), strict=True):
            totals[label] += weight
        if objective == "accuracy":
            return [1 / sum(totals)] * len(totals)
        if objective == "balanced_accuracy":
            present = sum(total > 0 for total in totals)
            return [1 / (total * present) if total else Fraction(0) for total in totals]
        return [Fraction(str(objective.get(label, 0))) for label in self.classes]
