"""Small problems on which a proof has something to do, and all that is true about them.

Every limit binds: without it something better would be allowed. And there are committees of
several values, so that a run can start from one that is not the best.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

import voteprune as vp
from committees import Committees, Pluralities, over_all_sets
from curves import random_curve
from instances import SCALES, Instance
from oracle import FLOORS

LIMITS = (
    "none", "smallest size", "largest size", "required", "forbidden", "budget", "floor", "ceiling",
    "tau", "gamma", "tau and gamma", "several", "group",
)  # fmt: skip
OF_PLURALITY = (*LIMITS[:6], "group")
STARTS = ("worst", "second best", "between")


class Values:
    """Exact values in order: of each allowed committee its place among them."""

    def __init__(self, sets, code, level, values, place):
        self.sets, self.code, self.level = sets, code, level
        self.ranked = sorted(set(values))
        places = {value: i for i, value in enumerate(self.ranked)}
        self.rank = np.array([places[value] for value in values], dtype=np.int64)[place]

    @property
    def size(self):
        return self.sets.sizes[self.code]

    @property
    def best(self):
        return self.ranked[int(self.rank.max())] if len(self.rank) else None

    @cached_property
    def of_sets(self):
        """The sets with an allowed threshold, and the rank of their best one."""
        best = np.full(2**self.sets.k, -1)
        np.maximum.at(best, self.code, self.rank)
        codes = np.flatnonzero(best >= 0)
        return codes, best[codes]

    def start(self, which, seed=0):
        """Members to start from that are not the best."""
        codes, ranks = self.of_sets
        order = np.argsort(ranks, kind="stable")
        poor = order[ranks[order] < ranks.max()]
        at = {"worst": 0, "second best": len(poor) - 1, "between": seed % len(poor)}[which]
        return list(self.sets.who(int(codes[poor[at]])))

    def units(self, unit):
        """Each committee's value in whole units."""
        each = [value / unit for value in self.ranked]
        assert all(value.denominator == 1 for value in each)
        return np.array([int(value) for value in each], dtype=np.int64)[self.rank]


def truth_of(instance, constraints=None, diversity=None, everything=None):
    """All committees an instance allows, or that other limits would."""
    if constraints is None:
        constraints, diversity = instance.constraints, instance.diversity
    if everything is None:
        everything = Committees(instance.matrix, instance.labels, instance.sample_weight)
    allowed = everything.allowed(constraints, diversity)
    if isinstance(instance.objective, vp.Ramp | vp.Hinge):
        code, level = np.nonzero(allowed & everything.majority)
        worth = everything.margins(instance.objective)
        return Values(everything, code, level, list(worth[code]), np.arange(len(code)))
    code, level = np.nonzero(allowed)
    values = everything.values(instance.objective)
    return Values(everything, code, level, values, everything.place[code, level])


@dataclass(frozen=True)
class Bad:
    """A problem, and all that is true about it."""

    instance: Instance
    truth: Values

    @property
    def seed(self):
        return self.instance.seed

    def problem_values(self, objective, constraints, diversity):
        """The truth about the same pool with other wishes."""
        return truth_of(
            replace(self.instance, objective=objective), constraints, diversity, self.truth.sets
        )


def bad_problem(seed, limit="none", objective="sum", k=6, n=18):
    """A problem with a limit of this kind, or several, that binds."""
    for attempt in range(1000):
        rng = np.random.default_rng([seed, LIMITS.index(limit), attempt])
        instance = _pool(rng, seed, k, n)
        instance = replace(instance, objective=_objective(rng, objective))
        everything = Committees(instance.matrix, instance.labels, instance.sample_weight)
        free = truth_of(instance, (), None, everything)
        names = (
            rng.choice(LIMITS[1 : LIMITS.index("several")], 3, replace=False)
            if limit == "several"
            else [limit]
        )
        constraints, diversity = (), None
        for name in names:
            more, limits = _limit(rng, name, everything, instance.sample_weight)
            constraints, diversity = (*constraints, *more), limits or diversity
        instance = replace(instance, constraints=constraints, diversity=diversity)
        truth = truth_of(instance, constraints, diversity, everything)
        if len(set(truth.of_sets[1])) > 3 and (limit == "none" or truth.best < free.best):
            return Bad(instance, truth)
    raise AssertionError(f"no problem with {limit} found")


def _pool(rng, seed, k, n):
    labels = rng.integers(0, 2, n)
    labels[:2] = (0, 1)
    skill, hard = rng.uniform(0.5, 0.8, k), rng.random((n, 1)) < 0.3
    right = rng.random((n, k)) < np.where(hard, 1 - skill, skill)
    weights = (np.ones(n), rng.integers(1, 4, n) / 1.0, rng.integers(1, 99, n) / 100)
    matrix = np.where(right, labels[:, None], 1 - labels[:, None])
    return Instance(seed, matrix, labels, weights[rng.choice(3, p=[0.6, 0.2, 0.2])], "accuracy")


def _objective(rng, kind):
    if kind == "curve":
        return random_curve(int(rng.integers(10**6)))
    if kind == "margin":
        shape = (vp.Ramp, vp.Hinge)[rng.integers(2)]
        return shape((0.25, 0.5, 1, 1.3, 2)[rng.integers(5)], (0, 0.5, 1)[rng.integers(3)])
    named = ("accuracy", "balanced_accuracy", "recall", "specificity")
    if kind == "one-sided":
        # It leaves rows out of sight, and a limit may look at them all the same.
        return named[2 + rng.integers(2)]
    if rng.random() < 0.5:
        return named[rng.integers(4)]
    return vp.Weights(*(int(w) for w in rng.integers(-3, 6, 4)))


def _limit(rng, name, everything, weights):
    """A limit that some committees meet exactly, drawn from what there is."""
    k = everything.k
    some = everything.place[everything.real]
    if name == "smallest size":
        return (vp.AtLeast("size", int(rng.integers(2, k - 1))),), None
    if name == "largest size":
        return (vp.AtMost("size", int(rng.integers(1, k - 1))),), None
    if name == "required":
        return (vp.Require(*rng.choice(k, 2, replace=False).tolist()),), None
    if name == "forbidden":
        return (vp.Forbid(*rng.choice(k, 2, replace=False).tolist()),), None
    if name == "budget":
        costs = [Fraction(int(c), 10) for c in rng.integers(-3, 30, k)]
        sums = over_all_sets(np.array(costs, dtype=object))[1:]
        return (vp.Budget(costs, sorted(sums)[rng.integers(2**k // 2)]),), None
    if name == "group":
        return tuple(_group(rng, k) for _ in range(2)), None
    if name in ("floor", "ceiling"):
        of_limits = {
            "floor": ("recall", "specificity", "accuracy", "tp", "tn", "precision", "f1"),
            "ceiling": ("fp", "fn", "false_positive_rate", "false_negative_rate", "tp"),
        }[name]
        what = of_limits[rng.integers(len(of_limits))]
        if rng.random() < 0.2:
            what = vp.Weights(*(int(w) for w in rng.integers(-2, 3, 4)))
        values = everything.values(what)
        limit = values[some[rng.integers(len(some))]]
        return ((vp.AtLeast if name == "floor" else vp.AtMost)(what, limit),), None
    if name in ("tau", "gamma", "tau and gamma"):
        return (), _diversity(rng, name, everything)
    return (), None


def _group(rng, k):
    """At most so many of some, at least so many, or both; two of these may overlap."""
    members = rng.choice(k, int(rng.integers(2, k - 1)), replace=False).tolist()
    least, most = sorted(rng.integers(0, len(members), 2).tolist())
    kind = rng.integers(3)
    return vp.Group(
        members,
        at_most=None if kind == 1 else most,
        at_least=None if kind == 0 else max(least, 1) if kind == 1 else least,
    )


def _diversity(rng, name, everything):
    """Limits that one set of several members meets exactly."""
    measure = list(SCALES)[rng.integers(len(SCALES))]
    each, pairs, scale = everything.sums(measure)
    codes = np.flatnonzero(everything.sizes > 1)
    code = int(codes[rng.integers(len(codes))])
    size = int(everything.sizes[code])
    means = [Fraction(int(s), scale) / (size - 1) for s in each[code][everything.members[code]]]
    tau = (min if measure in FLOORS else max)(means)
    gamma = Fraction(int(pairs[code]), scale) / (size * (size - 1) // 2)
    if measure == "correlation":
        low = -1 if measure in FLOORS else 1
        tau, gamma = (Fraction(round(float(v) + low * 1e-4, 4)).limit_denominator(10**4)
                      for v in (tau, gamma))  # fmt: skip
    asked = {"tau": {"tau": tau}, "gamma": {"gamma": gamma}}
    return vp.Diversity(**asked.get(name, {"tau": tau, "gamma": gamma}), measure=measure)


@dataclass(frozen=True)
class BadPlurality:
    """A problem of more than two classes, and all that is true about it."""

    seed: int
    named: np.ndarray
    labels: np.ndarray
    weights: np.ndarray
    classes: list
    objective: object
    constraints: tuple
    truth: Values

    @property
    def votes(self):
        return vp.PluralityVotes(
            self.named, self.labels, sample_weight=self.weights, classes=self.classes
        )


def bad_plurality(seed, limit="none", k=6, n=16):
    """A problem of three or four classes with a limit of this kind that binds."""
    for attempt in range(1000):
        rng = np.random.default_rng([seed, LIMITS.index(limit), attempt])
        classes = [["a", "b", "c"], [5, 3, 9, 1]][rng.integers(2)]
        y = rng.integers(0, len(classes), n)
        right = rng.random((n, k)) < rng.uniform(0.3, 0.7, k)
        named = np.where(right, y[:, None], rng.integers(0, len(classes), (n, k)))
        weights = (np.ones(n), rng.integers(1, 5, n) / 2)[rng.integers(2)]
        names = np.array(classes)
        sets = Pluralities(names[named], names[y], weights, classes)
        options = ("accuracy", "balanced_accuracy", {classes[0]: 3, classes[1]: 0.5})
        objective = options[rng.integers(3)]
        everything = type("", (), {"k": k, "place": np.zeros(0), "real": np.zeros(0, dtype=bool)})
        constraints, _ = _limit(rng, limit, everything, weights)
        values = sets.values(objective)
        code = np.flatnonzero(sets.meet(constraints))
        truth = Values(
            sets, code, np.zeros_like(code), [values[c] for c in code], np.arange(len(code))
        )
        if len(truth.ranked) > 3 and (limit == "none" or truth.best < max(values[1:])):
            return BadPlurality(seed, names[named], names[y], weights, classes, objective,
                                constraints, truth)  # fmt: skip
    raise AssertionError(f"no problem with {limit} found")
