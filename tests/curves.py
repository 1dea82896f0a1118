"""Random problems whose criterion is no weighted sum, and what can be wrong with their answers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import voteprune as vp
from instances import random_instance
from oracle import Oracle, metric
from voteprune.problem.formulas import worth

NAMES = ("f1", "f2", "f0.5", "f3", "jaccard", "precision", "npv", "cohen_kappa", "mcc", "gmean")


def random_curve(seed):
    """A named curve, or a ratio of the user's own, zero denominators and all."""
    rng = np.random.default_rng([seed, 1])
    if rng.random() < 0.75:
        return NAMES[rng.integers(len(NAMES))]
    below = rng.integers(0, 3, 4) * (rng.random(4) < 0.6)
    below[rng.integers(4)] += 1
    above = vp.Weights(*(int(w) for w in rng.integers(-2, 4, 4)))
    zero = [0, 1, -1, 0.5][rng.integers(4)]
    return vp.Ratio(above, vp.Weights(*(int(w) for w in below)), zero_division=zero)


def curved_instance(seed, most_classifiers=8, most_rows=40):
    instance = random_instance(seed, most_classifiers, most_rows)
    rng = np.random.default_rng([seed, 2])
    constraints = instance.constraints
    if rng.random() < 0.3:
        what = ("precision", "f1", "npv", "jaccard", "cohen_kappa")[rng.integers(5)]
        kind = (vp.AtLeast, vp.AtMost)[int(rng.random() < 0.3)]
        constraints = (*constraints, kind(what, round(float(rng.uniform(0, 0.9)), 2)))
    return replace(instance, objective=random_curve(seed), constraints=constraints)


def faults(instance, **options):
    """Everything that is wrong with what a method makes of an instance."""
    truth = Oracle(instance.matrix, instance.labels, instance.sample_weight)
    best = truth.best(instance.objective, instance.constraints, instance.diversity)
    told = []
    solution = vp.prune(
        instance.votes,
        **instance.request(),
        **{"time_limit": 60, **options},
        random_state=instance.seed,
        callback=lambda progress: told.append(progress.bound) and False,
    )
    limited = "time_limit" in options
    if limited and solution.committee is None:
        if best is not None and solution.status == "infeasible":
            yield "infeasible where something is allowed"
        return
    if best is None:
        if solution.status != "infeasible":
            yield f"{solution.status} where nothing is allowed"
        elif not solution.explanation:
            yield "infeasible without an explanation"
        return
    formula = solution.weights
    reached = metric(instance.objective, *recount(truth, solution, instance))
    if reached != formula.score(solution.confusion):
        yield "the score does not recount"
    if solution.value != worth(formula, solution.confusion):
        yield "the value is not the formula's"
    if min([*told, solution.bound]) < formula.read(best):
        yield f"bound {min([*told, solution.bound])} below {formula.read(best)}"
    if not limited and (solution.status, reached) != ("optimal", best):
        yield f"{solution.status} {solution.termination} {float(reached)} of {float(best)}"
    if solution.incidents:
        yield f"{solution.incidents}"


def recount(truth, solution, instance):
    """The committee's counts from its votes, after a check that it is allowed."""
    committee = solution.committee
    counts = next(
        counts
        for members, level, counts in truth.committees()
        if tuple(members) == committee.members and level == committee.threshold
    )
    assert truth.allowed(list(committee.members), counts, instance.constraints, instance.diversity)
    return counts
