"""The worth of committees by margin, straight from the definition."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

import voteprune as vp
from instances import random_instance
from oracle import Oracle


def reach_of(margin, size):
    """The whole number nearest to 2 theta size^growth, halves rounded up, at least 1."""
    half_votes = 1
    quarters = int(4 * margin.growth)
    while (half_votes + Fraction(1, 2)) ** 4 <= (2 * margin.theta) ** 4 * size**quarters:
        half_votes += 1
    return half_votes


def margin_value(margin, matrix, labels, weights, members):
    """The weighted mean of what rows are worth."""
    size = len(members)
    needed = {1: size // 2 + 1, 0: size - size // 2}
    reach = Fraction(reach_of(margin, size), 2)
    worth = Fraction(0)
    for row, label, weight in zip(matrix, labels, weights, strict=True):
        correct = sum(int(row[k]) == label for k in members)
        votes = correct - needed[int(label)] + Fraction(1, 2)
        cut = min(votes, reach)
        if isinstance(margin, vp.Ramp):
            cut = max(cut, -reach)
        worth += weight * (1 + cut / reach) / 2
    return worth / sum(weights)


class MarginOracle(Oracle):
    """All committees that decide by majority, with their exact worth by margin."""

    def best_margin(self, margin, constraints=(), diversity=None):
        """The optimum as a fraction, None if nothing is allowed."""
        values = [
            self.margin_of(margin, members)
            for members, level, counts in self.committees()
            if level == len(members) // 2 and self.allowed(members, counts, constraints, diversity)
        ]
        return max(values, default=None)

    def margin_of(self, margin, members):
        return margin_value(margin, self.matrix, self.labels, self.weight, members)


def margin_instance(seed, most_classifiers=7, most_rows=25):
    """A random problem, its truth, and a margin of either kind and any scale."""
    instance = random_instance(seed, most_classifiers, most_rows)
    rng = np.random.default_rng(seed + 10**6)
    kind = vp.Ramp if rng.random() < 0.5 else vp.Hinge
    theta = [0.1, 0.25, 0.5, 0.7, 1, 1.3, 2, 5][rng.integers(8)]
    truth = MarginOracle(instance.matrix, instance.labels, instance.sample_weight)
    growth = [0, 0.25, 0.5, 0.75, 1][rng.integers(5)]
    request = {**instance.request(), "objective": kind(theta, growth)}
    return instance.votes, request, truth


def best_of(truth, request):
    return truth.best_margin(request["objective"], request["constraints"], request["diversity"])


def faults(seed, most_classifiers=8, **options):
    """Everything that is wrong with what an exact method makes of a random case."""
    votes, request, truth = margin_instance(seed, most_classifiers)
    best = best_of(truth, request)
    solution = vp.prune(votes, **request, **options, random_state=seed, time_limit=30)
    if solution.incidents:
        yield f"{solution.incidents}"
    if best is None:
        if solution.status != "infeasible" or "no committee" not in solution.explanation:
            yield f"{solution.status} where nothing is allowed"
        return
    if solution.status != "optimal":
        yield f"{solution.status} where {float(best)} is optimal"
        return
    value = truth.margin_of(request["objective"], solution.committee.members)
    if value != best:
        yield f"{float(value)} where {float(best)} is optimal"
    if solution.value != float(value):
        yield "the value does not recount"
    if min([*(progress.bound for progress in solution.trace), solution.bound]) < float(best):
        yield "a bound below the optimum"
