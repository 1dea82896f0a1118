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
    if objective == "f1_macro":
        present = [c for c in classes if totals[c]]
        scores = [of_class("f1", c, truth, decided, weights) for c in present]
        return sum(scores) / len(scores)
    if isinstance(objective, vp.Weights) or objective in BINARY:
        return of_class(objective, classes[1], truth, decided, weights)
    return sum(Fraction(str(objective.get(c, 0))) * right[c] for c in classes)


BINARY = ("recall", "specificity", "fp", "tn", "precision", "f1", "npv", "false_positive_rate")
"""Criteria of one class against the rest."""


def of_class(what, label, truth, decided, weights):
    """A criterion of one class against the rest, as textbooks have it."""
    tp = fn = tn = fp = Fraction(0)
    for t, d, w in zip(truth, decided, weights, strict=True):
        tp, fn = tp + w * (t == label == d), fn + w * (t == label != d)
        fp, tn = fp + w * (t != label == d), tn + w * (t != label != d)
    if isinstance(what, vp.Weights):
        return what.tp * tp + what.fn * fn + what.tn * tn + what.fp * fp
    above, below = {
        "recall": (tp, tp + fn),
        "specificity": (tn, tn + fp),
        "false_positive_rate": (fp, tn + fp),
        "fp": (fp, Fraction(1)),
        "tn": (tn, Fraction(1)),
        "precision": (tp, tp + fp),
        "npv": (tn, tn + fn),
        "f1": (2 * tp, 2 * tp + fp + fn),
    }[what]
    return above / below if below else Fraction(0)


def meets(limit, classes, truth, decided, weights, covered):
    """Whether decisions keep a limit on coverage or on a criterion."""
    if limit.what == "coverage":
        worth = sum(w for w, there in zip(weights, covered, strict=True) if there) / sum(weights)
    elif limit.what in ("accuracy", "balanced_accuracy"):
        worth = value(limit.what, classes, truth, decided, weights)
    else:
        label = classes[1] if limit.of is None else limit.of
        worth = of_class(limit.what, label, truth, decided, weights)
    return worth >= limit.limit if isinstance(limit, vp.AtLeast) else worth <= limit.limit


def allowed(members, constraints):
    for c in constraints:
        sized = isinstance(c, vp.AtLeast | vp.AtMost) and c.what == "size"
        if sized and isinstance(c, vp.AtLeast) and len(members) < c.limit:
            return False
        if sized and isinstance(c, vp.AtMost) and len(members) > c.limit:
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


def all_values(matrix, y, weights, classes, objective, constraints, rule=None):
    """Every allowed committee's members with its exact value."""
    exact = [Fraction(repr(float(w))) for w in weights]
    rows, truth = matrix.tolist(), y.tolist()
    limits = [c for c in constraints if isinstance(c, vp.AtLeast | vp.AtMost) and c.what != "size"]
    for code in range(1, 2 ** matrix.shape[1]):
        members = tuple(i for i in range(matrix.shape[1]) if code >> i & 1)
        if not allowed(members, constraints):
            continue
        said = [[row[i] for i in members] for row in rows]
        covered = [any(cell is not None for cell in row) for row in said]
        if rule == "against":
            said = [[classes[0] if cell is None else cell for cell in row] for row in said]
        decided = [winner(row, classes) for row in said]
        if all(meets(limit, classes, truth, decided, exact, covered) for limit in limits):
            yield members, value(objective, classes, truth, decided, exact)


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


def with_abstentions(seed, case, rule, limited):
    """A case in which many say nothing, perhaps with limits on coverage and on single classes."""
    matrix, y, weights, classes, objective, constraints = case
    rng = np.random.default_rng([seed, 7])
    if rule is not None:
        matrix = matrix.astype(object)
        quiet = rng.random(matrix.shape[1]) * rng.choice([0.3, 1.0])
        matrix[rng.random(matrix.shape) < quiet] = None
    more = []
    if not limited:
        return matrix, y, weights, classes, objective, constraints
    if rng.random() < 0.4:
        more.append(vp.AtLeast("coverage", round(float(rng.uniform(0.3, 1)), 2)))
    present = [c for c in classes if weights[y == c].sum()]
    if rng.random() < 0.6 and len(present) > 1:
        of = present[rng.integers(len(present))]
        what = BINARY[rng.integers(len(BINARY))]
        kind = [vp.AtLeast, vp.AtMost][rng.integers(2)]
        limit = int(rng.integers(0, 6)) if what in ("fp", "tn") else round(float(rng.random()), 2)
        more.append(kind(what, limit, of=of))
    if rng.random() < 0.3:
        what = ["accuracy", "balanced_accuracy"][rng.integers(2)]
        more.append(vp.AtLeast(what, round(float(rng.uniform(0.2, 0.7)), 2)))
    return matrix, y, weights, classes, objective, (*constraints, *more)


def faults(seed, rule=None, limited=False, objective=None, **options):
    """Everything that is wrong with what a method makes of a random case."""
    case = random_case(seed)
    if rule is not None or limited:
        case = with_abstentions(seed, case, rule, limited)
    matrix, y, weights, classes, drawn, constraints = case
    on_grid = objective is None  # an F-score lies on no grid, so that its bound is nearly met
    objective = objective or drawn
    values = dict(all_values(matrix, y, weights, classes, objective, constraints, rule))
    told = []
    solution = vp.prune(
        vp.PluralityVotes(matrix, y, sample_weight=weights, classes=classes, abstentions=rule),
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
        sure = ("exact",) if limited else ("exact", "search")
        if "time_limit" not in options and options.get("method", "exact") in sure:
            yield f"{solution.status} where {float(best)} is optimal"
        return
    members = solution.committee.members
    if members not in values:
        yield "a committee that is not allowed"
    elif solution.value != float(values[members]):
        yield f"{solution.value} where {float(values[members])} is counted"
    if not on_grid and solution.status == "optimal" and solution.bound > float(best) + 1e-5:
        yield f"a bound of {solution.bound} where {float(best)} is proved"
    if solution.bound is not None and min([*told, solution.bound]) < float(best):
        yield f"a bound of {min([*told, solution.bound])} below {float(best)}"
    if rule is not None:
        said = (matrix[:, list(members)] != None).any(axis=1)  # noqa: E711 - cell by cell
        if solution.coverage != float(np.average(said, weights=weights)):
            yield f"a coverage of {solution.coverage} where {said.mean()} is counted"
    if options.get("method", "exact") in ("exact", "brute") and "time_limit" not in options:
        if (solution.status, solution.value) != ("optimal", float(best)):
            yield f"{solution.status} {solution.value} where {float(best)} is optimal"
    elif solution.status == "optimal" and solution.value != float(best):
        yield "optimal, but it is not"
    if solution.incidents:
        yield f"{solution.incidents}"
