"""Random pruning problems of every kind the package promises to solve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar

import numpy as np

import voteprune as vp
from oracle import measure_of_pair

Drawn = TypeVar("Drawn")

SCALES = {
    "fc": (0, 1, True),
    "disagreement": (0, 1, True),
    "double_fault": (0, 1, False),
    "q": (-1, 1, False),
    "correlation": (-1, 1, False),
    "kappa": (-1, 1, False),
}
"""Least and largest value of every measure, and whether limits are floors."""


@dataclass(frozen=True, eq=False)
class Instance:
    seed: int
    matrix: np.ndarray
    labels: np.ndarray
    sample_weight: np.ndarray
    objective: object
    constraints: tuple = ()
    diversity: object = None

    @property
    def votes(self):
        return vp.Votes(self.matrix, self.labels, sample_weight=self.sample_weight)

    def request(self):
        """Arguments for `prune` besides the votes and the method."""
        return {
            "objective": self.objective,
            "constraints": self.constraints,
            "diversity": self.diversity,
        }


def drawn(seed: int, draw: Callable[[int], Drawn], wanted: Callable[[Drawn], bool]) -> Drawn:
    """The first thing drawn that has a property, from a seed and others far from all in use."""
    for attempt in range(100):
        found = draw(seed + 1_000_003 * attempt)
        if wanted(found):
            return found
    raise LookupError(f"nothing drawn from seed {seed} on has the property")


def not_below(bound: float, units: int, scale: float) -> bool:
    """Whether a bound in floats holds for exact units, up to a hundredth of the engine's room."""
    worth = Fraction(units) / Fraction(scale)
    return Fraction(float(bound)) >= worth - Fraction(1, 10**9) * max(1, abs(worth))


@lru_cache(maxsize=1024)
def random_instance(seed: int, most_classifiers: int = 12, most_rows: int = 60) -> Instance:
    """Make one instance; about half carry diversity limits or other constraints."""
    rng = np.random.default_rng(seed)
    # Large pools are rare: the oracle walks through all subsets.
    k = int(rng.integers(1, most_classifiers + 1))
    if k > 8 and rng.random() < 0.7:
        k = int(rng.integers(2, 9))
    n = int(rng.integers(2, most_rows + 1))
    labels = rng.integers(0, 2, n)
    labels[:2] = (0, 1)
    rng.shuffle(labels)
    skill = rng.uniform(0.45, 0.95, k)
    # A shared difficulty makes classifiers fail together, as real ones do.
    hard = rng.random((n, 1)) < 0.3
    correct = rng.random((n, k)) < np.where(hard, 1 - skill, skill)
    matrix = np.where(correct, labels[:, None], 1 - labels[:, None])
    if k > 1 and rng.random() < 0.3:
        matrix[:, rng.integers(k)] = matrix[:, rng.integers(k)]
    if rng.random() < 0.2:
        matrix[rng.integers(n)] = matrix[rng.integers(n)]
    constraints, diversity = _limits(rng, k, n)
    sample_weight, objective = _sample_weight(rng, labels), _objective(rng)
    constraints += _groups(np.random.default_rng([seed, 1]), k) if constraints else ()
    if diversity == "a measure":
        diversity = _measure_limits(rng, matrix, labels, sample_weight)
    return Instance(
        seed,
        matrix,
        labels,
        sample_weight,
        objective,
        constraints,
        diversity,
    )


def _sample_weight(rng, labels):
    n = len(labels)
    kind = rng.random()
    if kind < 0.6:
        return np.ones(n)
    if kind < 0.8:
        weight = rng.integers(0, 4, n).astype(float)
    elif kind < 0.95:
        weight = rng.integers(1, 9, n) / 2
    else:
        weight = rng.random(n)
    for label in (0, 1):
        weight[np.flatnonzero(labels == label)[0]] = 1.0
    return weight


def _objective(rng):
    named = ["accuracy", "balanced_accuracy", "recall", "specificity"]
    if rng.random() < 0.4:
        return named[rng.integers(len(named))]
    if rng.random() < 0.7:
        return vp.Weights(*(int(w) for w in rng.integers(-3, 6, 4)))
    return vp.Weights(*(round(float(w), 2) for w in rng.uniform(-3, 5, 4)))


def _limits(rng, k, n):
    if rng.random() < 0.5:
        return (), None
    constraints = []
    if rng.random() < 0.3:
        constraints.append(vp.AtLeast("size", int(rng.integers(1, max(2, k // 2 + 1)))))
    if rng.random() < 0.4:
        low = int(constraints[-1].limit) if constraints else 1
        constraints.append(vp.AtMost("size", int(rng.integers(low, k + 1))))
    if rng.random() < 0.2:
        constraints.append(vp.Require(int(rng.integers(k))))
    if rng.random() < 0.2:
        constraints.append(vp.Forbid(int(rng.integers(k))))
    if rng.random() < 0.25:
        costs = [round(float(c), 1) for c in rng.uniform(0, 3, k)]
        constraints.append(vp.Budget(costs, round(float(rng.uniform(0.5, k)), 1)))
    if rng.random() < 0.3:
        what = ["recall", "specificity", "accuracy", "tp"][rng.integers(4)]
        limit = int(rng.integers(0, n // 2 + 1)) if what == "tp" else round(rng.uniform(0.3, 1), 2)
        constraints.append(vp.AtLeast(what, limit))
    if rng.random() < 0.2:
        what = ["fp", "fn", "false_positive_rate"][rng.integers(3)]
        limit = round(rng.uniform(0, 0.6), 2) if what[1:] not in "pn" else int(rng.integers(0, n))
        constraints.append(vp.AtMost(what, limit))
    diversity = None
    if rng.random() < 0.6:
        tau = round(float(rng.uniform(0, 0.5)), 2)
        options = [
            "F2",
            "F3",
            vp.Diversity(tau=tau),
            vp.Diversity(tau, min(1, round(tau + 0.1, 2))),
            *["a measure"] * 4,
        ]
        diversity = options[rng.integers(len(options))]
    return tuple(constraints), diversity


def _groups(rng, k):
    """Limits on groups, now and then; from a stream of its own, so that all else stays."""
    if k < 3 or rng.random() < 0.7:
        return ()
    members = rng.choice(k, int(rng.integers(2, k)), replace=False).tolist()
    most = int(rng.integers(1, len(members)))
    if rng.random() < 0.6:
        return (vp.Group(members, at_most=most),)
    return (vp.Group(members, at_least=int(rng.integers(1, most + 1)), at_most=most),)


def _measure_limits(rng, matrix, labels, sample_weight):
    """Draw limits on any measure, of any sign, some of which a pair meets exactly."""
    measure = list(SCALES)[rng.integers(len(SCALES))]
    low, high, floors = SCALES[measure]
    k = matrix.shape[1]
    tau = round(float(rng.uniform(low, high)), 2)
    if k > 1 and rng.random() < 0.5:
        # As members of a real committee have it, so that limits bind, and ties are common.
        pair = rng.choice(k, 2, replace=False)
        weights = [Fraction(repr(float(w))) for w in sample_weight]
        tied = measure_of_pair(measure, labels, weights, *matrix[:, pair].T)
        tau = tied if isinstance(tied, Fraction) else round(float(tied), 2)
    tau = Fraction(str(tau)) if isinstance(tau, float) else tau
    step = Fraction(int(rng.integers(0, 30)), 100)
    gamma = min(high, tau + step) if floors else max(low, tau - step)
    kind = rng.random()
    if kind < 0.4:
        return vp.Diversity(tau, measure=measure)
    if kind < 0.7:
        return vp.Diversity(gamma=tau, measure=measure)
    return vp.Diversity(tau, gamma, measure)
