"""The truth about plurality committees, slowly and straight from the definition."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

import voteprune as vp


def winner(named, classes):
    """The class named most often, the first of several."""
    return max(classes, key=lambda c: (sum(1 for n in named if n == c), -classes.index(c)))


def value(objective, classes, truth, decided, weights):
    right = {c: Fraction(0) for c in classes}
    totals = dict(right)
    for t, d, w in zip(truth, decided, weights, strict=True):
        totals[t] += w
        right[t] += w if t == d else 0
    if objective == "accuracy":
        return sum(right.values()) / sum(totals.values())
    if objective == "balanced_accuracy":
        present = [c for c in classes if totals[c]]
        return sum(right[c] / totals[c] for c in present) / len(present)
    return sum(Fraction(str(objective.get(c, 0))) * right[c] for c in classes)


def allowed(members, constraints):
    for c in constraints:
        if isinstance(c, vp.AtLeast) and len(members) < c.limit:
            return False
        if isinstance(c, vp.AtMost) and len(members) > c.limit:
            return False
        if isinstance(c, vp.Require) and not set(c.members) <= set(members):
            return False
        if isinstance(c, vp.Forbid) and set(c.members) & set(members):
            return False
        if isinstance(c, vp.Group):
            seated = len(set(c.members) & set(members))
            if seated < (c.at_least or 0) or (c.at_most is not None and seated > c.at_most):
                return False
        if isinstance(c, vp.Budget) and sum(c.costs[i] for i in members) > c.limit:
            return False
    return True


def all_values(matrix, y, weights, classes, objective, constraints):
    """Every allowed committee's members with its exact value."""
    exact = [Fraction(repr(float(w))) for w in weights]
    rows = matrix.tolist()
    for code in range(1, 2 ** matrix.shape[1]):
        members = tuple(i for i in range(matrix.shape[1]) if code >> i & 1)
        if allowed(members, constraints):
            decided = [winner([row[i] for i in members], classes) for row in rows]
            yield members, value(objective, classes, y.tolist(), decided, exact)


def random_case(seed, most_classifiers=6, most_rows=25):
    """Votes, weights, classes, criterion and constraints of every kind there is."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(3, most_rows + 1)), int(rng.integers(1, most_classifiers + 1))
    classes = [["a", "b", "c"], ["x", "y", "z", "w"], [0, 1, 2], [5, 3, 9, 1]][rng.integers(4)]
    y = rng.integers(0, len(classes), n)
    skill = rng.uniform(0.3, 0.9, k)
    named = np.where(rng.random((n, k)) < skill, y[:, None], rng.integers(0, len(classes), (n, k)))
    weights = np.ones(n)
    if rng.random() < 0.4:
        weights = rng.integers(0, 4, n) / 2
        weights[0] = 1.0
    objective = ["accuracy", "balanced_accuracy", {classes[0]: 3, classes[1]: 0.5}][rng.integers(3)]
    constraints = []
    if rng.random() < 0.3:
        constraints.append(vp.AtLeast("size", int(rng.integers(1, k + 1))))
    if rng.random() < 0.3:
        low = int(constraints[-1].limit) if constraints else 1
        constraints.append(vp.AtMost("size", int(rng.integers(low, k + 1))))
    if rng.random() < 0.2:
        constraints.append(vp.Require(int(rng.integers(k))))
    if rng.random() < 0.2:
        constraints.append(vp.Forbid(int(rng.integers(k))))
    if rng.random() < 0.3:
        costs = [round(float(c), 1) for c in rng.uniform(0, 2, k)]
        constraints.append(vp.Budget(costs, round(float(rng.uniform(0.2, k)), 1)))
    table = np.array(classes)
    return table[named], table[y], weights, classes, objective, tuple(constraints)


def faults(seed, **options):
    """Everything that is wrong with what a method makes of a random case."""
    matrix, y, weights, classes, objective, constraints = random_case(seed)
    values = dict(all_values(matrix, y, weights, classes, objective, constraints))
    told = []
    solution = vp.prune(
        vp.PluralityVotes(matrix, y, sample_weight=weights, classes=classes),
        objective=objective,
        constraints=constraints,
        random_state=seed,
        callback=lambda progress: told.append(progress.bound) and False,
        **options,
    )
    if not values:
        if solution.committee is not None:
            yield "a committee where none is allowed"
        exactly = options.get("method", "exact") == "exact" and "time_limit" not in options
        if exactly and solution.status != "infeasible":
            yield f"{solution.status} where nothing is allowed"
        return
    best = max(values.values())
    if solution.committee is None:
        if "time_limit" not in options and options.get("method", "exact") in ("exact", "search"):
            yield f"{solution.status} where {float(best)} is optimal"
        return
    members = solution.committee.members
    if members not in values:
        yield "a committee that is not allowed"
    elif solution.value != float(values[members]):
        yield f"{solution.value} where {float(values[members])} is counted"
    if solution.bound is not None and min([*told, solution.bound]) < float(best):
        yield f"a bound of {min([*told, solution.bound])} below {float(best)}"
    if options.get("method", "exact") in ("exact", "brute") and "time_limit" not in options:
        if (solution.status, solution.value) != ("optimal", float(best)):
            yield f"{solution.status} {solution.value} where {float(best)} is optimal"
    elif solution.status == "optimal" and solution.value != float(best):
        yield "optimal, but it is not"
    if solution.incidents:
        yield f"{solution.incidents}"
