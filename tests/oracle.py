"""The truth, slowly: every committee, judged straight from the definitions.

Shares no code with the package beyond the constraint values it reads.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from math import comb, lcm

import numpy as np

import voteprune as vp

FLOORS = ("fc", "disagreement")
"""Measures of which more is more diverse."""

DIGITS = 120
"""Of correlations, which are no fractions."""


def two_by_two(weights, first, second):
    """Weights of the rows: both, only the first, only the second, neither."""
    cells = {(a, b): Fraction(0) for a in (True, False) for b in (True, False)}
    for w, a, b in zip(weights, first, second, strict=True):
        cells[bool(a), bool(b)] += w
    return cells[True, True], cells[True, False], cells[False, True], cells[False, False]


def measure_of_pair(measure, labels, weights, first, second):
    """A pairwise measure from its textbook definition (Kuncheva, Whitaker 2003)."""
    if measure == "kappa":  # of the votes, whoever is right
        a, b, c, d = two_by_two(weights, first == 1, second == 1)
        n = a + b + c + d
        agreement = (a + d) / n
        chance = ((a + b) * (a + c) + (c + d) * (b + d)) / n**2
        if chance == 1:
            return Fraction(int(b + c == 0))
        return (agreement - chance) / (1 - chance)
    a, b, c, d = two_by_two(weights, first == labels, second == labels)
    n, twins = a + b + c + d, Fraction(int(b + c == 0))
    if measure == "fc":
        failures = (c + d) + (b + d)
        return (b + c) / failures if failures else Fraction(0)
    if measure == "disagreement":
        return (b + c) / n
    if measure == "double_fault":
        return d / n
    if measure == "q":
        return (a * d - b * c) / (a * d + b * c) if a * d + b * c else twins
    square = (a + b) * (c + d) * (a + c) * (b + d)
    if not square:
        return decimal(twins)
    with localcontext(prec=DIGITS):
        return decimal(a * d - b * c) / decimal(square).sqrt()


def decimal(value):
    with localcontext(prec=DIGITS):
        return Decimal(value.numerator) / Decimal(value.denominator)


def pair_table(measure, matrix, labels, weights):
    """A measure of all pairs, exact fractions or very long decimals."""
    k = matrix.shape[1]
    return [
        [
            measure_of_pair(measure, labels, weights, matrix[:, a], matrix[:, b])
            if a != b
            else Fraction(0)
            for b in range(k)
        ]
        for a in range(k)
    ]


def mean_of(values):
    with localcontext(prec=DIGITS):
        return sum(values) / len(values)


def pfc(table, members):
    """PFC of each member, from the paper's definition; means of other measures likewise."""
    return [mean_of([table[a][b] for b in members if b != a]) for a in members]


def keeps(measure, value, limit):
    """Whether a mean is on the diverse side of its limit, or on it."""
    if isinstance(value, Decimal):
        with localcontext(prec=DIGITS):
            less = value - decimal(limit)
        # Roots of numbers this small are equal, or differ long before the last digits.
        return less <= Decimal(10) ** -(DIGITS - 20)
    return value >= limit if measure in FLOORS else value <= limit


def diversity_limits(diversity, table):
    if diversity is None or diversity in ("F1", "F1-theta"):
        return None
    if isinstance(diversity, vp.Diversity):
        return diversity.measure, diversity.tau, diversity.gamma
    everyone = range(len(table))
    if len(table) < 2:
        return None
    values = pfc(table, list(everyone))
    least, mean = min(values), sum(values) / len(values)
    return "fc", (least if diversity == "F3" else Fraction(0)), (least + mean) / 2


def metric(what, tp, fn, tn, fp):
    """A criterion as a fraction, from its textbook formula."""
    if isinstance(what, vp.Ratio):
        below = metric(what.denominator, tp, fn, tn, fp)
        return metric(what.numerator, tp, fn, tn, fp) / below if below else what.zero_division
    if isinstance(what, vp.Weights):
        return what.tp * tp + what.fn * fn + what.tn * tn + what.fp * fp
    return {
        "accuracy": lambda: (tp + tn) / (tp + fn + tn + fp),
        "balanced_accuracy": lambda: (tp / (tp + fn) + tn / (tn + fp)) / 2,
        "recall": lambda: tp / (tp + fn),
        "specificity": lambda: tn / (tn + fp),
        "false_positive_rate": lambda: fp / (tn + fp),
        "false_negative_rate": lambda: fn / (tp + fn),
        "tp": lambda: tp,
        "fn": lambda: fn,
        "tn": lambda: tn,
        "fp": lambda: fp,
        "precision": lambda: tp / (tp + fp) if tp + fp else Fraction(0),
        "npv": lambda: tn / (tn + fn) if tn + fn else Fraction(0),
        "jaccard": lambda: tp / (tp + fp + fn),
        "f1": lambda: f_beta(1, tp, fn, fp),
        "f2": lambda: f_beta(2, tp, fn, fp),
        "f0.5": lambda: f_beta(Fraction(1, 2), tp, fn, fp),
        "f3": lambda: f_beta(3, tp, fn, fp),
        "cohen_kappa": lambda: cohen_kappa(tp, fn, tn, fp),
        "mcc": lambda: mcc_signed_square(tp, fn, tn, fp),
        "gmean": lambda: (tp / (tp + fn)) * (tn / (tn + fp)),  # its square
    }[what]()


def f_beta(beta, tp, fn, fp):
    """The weighted harmonic mean of precision and recall."""
    if not tp:
        return Fraction(0)
    precision, recall = tp / (tp + fp), tp / (tp + fn)
    return (1 + beta**2) / (1 / precision + beta**2 / recall)


def cohen_kappa(tp, fn, tn, fp):
    n = tp + fn + tn + fp
    chance = ((tp + fn) * (tp + fp) + (fp + tn) * (fn + tn)) / n**2
    return ((tp + tn) / n - chance) / (1 - chance)


def mcc_signed_square(tp, fn, tn, fp):
    below = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    top = tp * tn - fp * fn
    return top * abs(top) / below if below else Fraction(0)


class Oracle:
    """All committees of an instance with their exact worth."""

    def __init__(self, matrix, labels, sample_weight, voted=None):
        self.voted = voted
        self.matrix = np.asarray(matrix, dtype=np.int64)
        self.labels = np.asarray(labels, dtype=np.int64)
        self.weight = [Fraction(repr(float(w))) for w in sample_weight]
        self.k = self.matrix.shape[1]
        self.tables = {}
        self.table = self.measured("fc")
        scale = lcm(*(w.denominator for w in self.weight))
        self.scale = scale
        ints = np.array([int(w * scale) for w in self.weight], dtype=object)
        self.positive = np.where(self.labels == 1, ints, 0)
        self.negative = np.where(self.labels == 0, ints, 0)

    def measured(self, measure):
        """A pairwise measure of all pairs."""
        if measure not in self.tables:
            self.tables[measure] = pair_table(measure, self.matrix, self.labels, self.weight)
        return self.tables[measure]

    def best(self, objective, constraints=(), diversity=None):
        """Return the optimum as a fraction, None if nothing is allowed."""
        best = None
        for members, _, counts in self.committees():
            if not self.allowed(members, counts, constraints, diversity):
                continue
            value = metric(objective, *counts)
            if best is None or value > best:
                best = value
        return best

    def committees(self):
        total_p, total_n = sum(self.positive), sum(self.negative)
        for code in range(1, 2**self.k):
            members = [i for i in range(self.k) if code >> i & 1]
            votes = self.matrix[:, members].sum(axis=1)
            for level in range(len(members)):
                above = votes > level
                tp, fp = sum(self.positive[above]), sum(self.negative[above])
                yield (
                    members,
                    level,
                    tuple(
                        Fraction(int(c), self.scale) for c in (tp, total_p - tp, total_n - fp, fp)
                    ),
                )

    def allowed(self, members, counts, constraints, diversity):
        for c in constraints:
            if isinstance(c, vp.AtLeast | vp.AtMost):
                held = self.held(c.what, members, counts)
                if (held < c.limit) if isinstance(c, vp.AtLeast) else (held > c.limit):
                    return False
            elif isinstance(c, vp.Require):
                if not set(c.members) <= set(members):
                    return False
            elif isinstance(c, vp.Forbid):
                if set(c.members) & set(members):
                    return False
            elif isinstance(c, vp.Group):
                seated = len(set(c.members) & set(members))
                if seated < (c.at_least or 0) or (c.at_most is not None and seated > c.at_most):
                    return False
            elif sum(c.costs[i] for i in members) > c.limit:
                return False
        limits = self.limits(diversity)
        return limits is None or len(members) < 2 or self.diverse(tuple(members), limits)

    def held(self, what, members, counts):
        """What a limit is put on."""
        if what == "size":
            return len(members)
        if what == "coverage":
            there = [any(row[i] for i in members) for row in self.voted]
            covered = sum(w for w, some in zip(self.weight, there, strict=True) if some)
            return covered / sum(self.weight)
        return metric(what, *counts)

    def limits(self, diversity):
        if not hasattr(self, "_limits"):
            self._limits = {}
        if diversity not in self._limits:
            self._limits[diversity] = diversity_limits(diversity, self.table)
        return self._limits[diversity]

    def diverse(self, members, limits):
        if not hasattr(self, "_diverse"):
            self._diverse = {}
        key = members, limits
        if key not in self._diverse:
            measure, tau, gamma = limits
            table = self.measured(measure)
            pairs = [table[a][b] for i, a in enumerate(members) for b in members[i + 1 :]]
            assert len(pairs) == comb(len(members), 2)
            self._diverse[key] = keeps(measure, mean_of(pairs), gamma) and all(
                keeps(measure, value, tau) for value in pfc(table, members)
            )
        return self._diverse[key]


def satisfied(model, solution, tolerance=1e-8):
    """Whether values of its variables keep all rows and bounds of a model."""
    rows = model.matrix @ solution
    return (
        (rows >= model.row_low - tolerance).all()
        and (rows <= model.row_high + tolerance).all()
        and (solution >= model.low - tolerance).all()
        and (solution <= model.high + tolerance).all()
    )
