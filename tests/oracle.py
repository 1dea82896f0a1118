"""The truth, slowly: every committee, judged straight from the definitions.

Shares no code with the package beyond the constraint values it reads.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, lcm

import numpy as np

import voteprune as vp


def failure_credit(matrix, labels, sample_weight):
    """FC of all pairs as fractions, from failure patterns (1 = correct)."""
    k = matrix.shape[1]
    correct = matrix == labels[:, None]
    table = [[Fraction(0)] * k for _ in range(k)]
    for a in range(k):
        for b in range(k):
            rows = list(zip(sample_weight, correct[:, a], correct[:, b], strict=True))
            differ = sum((w for w, ca, cb in rows if ca != cb), Fraction(0))
            failures = sum((w * (int(not ca) + int(not cb)) for w, ca, cb in rows), Fraction(0))
            if a != b and failures:
                table[a][b] = differ / failures
    return table


def pfc(table, members):
    """PFC of each member, from the paper's definition."""
    return [
        sum((table[a][b] for b in members if b != a), Fraction(0)) / (len(members) - 1)
        for a in members
    ]


def diversity_limits(diversity, table):
    if diversity is None or diversity in ("F1", "F1-theta"):
        return None
    if isinstance(diversity, vp.Diversity):
        return diversity.tau, diversity.gamma
    everyone = range(len(table))
    if len(table) < 2:
        return None
    values = pfc(table, list(everyone))
    least, mean = min(values), sum(values) / len(values)
    return (least if diversity == "F3" else Fraction(0)), (least + mean) / 2


def metric(what, tp, fn, tn, fp):
    """A criterion as a fraction, from its textbook formula."""
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
    }[what]()


class Oracle:
    """All committees of an instance with their exact worth."""

    def __init__(self, matrix, labels, sample_weight):
        self.matrix = np.asarray(matrix, dtype=np.int64)
        self.labels = np.asarray(labels, dtype=np.int64)
        self.weight = [Fraction(repr(float(w))) for w in sample_weight]
        self.k = self.matrix.shape[1]
        self.table = failure_credit(self.matrix, self.labels, self.weight)
        scale = lcm(*(w.denominator for w in self.weight))
        self.scale = scale
        ints = np.array([int(w * scale) for w in self.weight], dtype=object)
        self.positive = np.where(self.labels == 1, ints, 0)
        self.negative = np.where(self.labels == 0, ints, 0)

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
                held = len(members) if c.what == "size" else metric(c.what, *counts)
                if (held < c.limit) if isinstance(c, vp.AtLeast) else (held > c.limit):
                    return False
            elif isinstance(c, vp.Require):
                if not set(c.members) <= set(members):
                    return False
            elif isinstance(c, vp.Forbid):
                if set(c.members) & set(members):
                    return False
            elif sum(c.costs[i] for i in members) > c.limit:
                return False
        limits = self.limits(diversity)
        return limits is None or len(members) < 2 or self.diverse(tuple(members), limits)

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
            values = pfc(self.table, members)
            mean = sum(
                (self.table[a][b] for i, a in enumerate(members) for b in members[i + 1 :]),
                Fraction(0),
            ) / comb(len(members), 2)
            self._diverse[key] = min(values) >= limits[0] and mean >= limits[1]
        return self._diverse[key]
