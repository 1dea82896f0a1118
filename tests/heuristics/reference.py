"""The paper's seven benchmarks, straight from the definitions: slow, with loops, obviously right.

Rows are rows here, not patterns; votes are lists of 0 and 1; weights are whole numbers.
Everything returns the members as a sorted list.
"""

from fractions import Fraction


class Data:
    """Votes, labels and weights as plain lists, with the few things all methods ask."""

    def __init__(self, votes):
        self.rows = [[int(v) for v in row] for row in votes.matrix]
        self.labels = [int(label) for label in votes.labels]
        self.weights = [int(weight) for weight in votes.weights]
        self.k = votes.n_classifiers

    def decision(self, members, i):
        positive = sum(self.rows[i][k] for k in members)
        return 1 if positive > len(members) // 2 else 0

    def is_right(self, members, i):
        return self.decision(members, i) == self.labels[i]

    def accuracy(self, members):
        return sum(weight for i, weight in enumerate(self.weights) if self.is_right(members, i))


def first_best(candidates, score):
    """The candidate with the highest score, the first of them on ties."""
    best = None
    for candidate in candidates:
        if best is None or score(candidate) > score(best):
            best = candidate
    return best


def middle_sizes(k):
    """M from 20 % to 80 % of K."""
    sizes = [m for m in range(1, k + 1) if Fraction(1, 5) * k <= m <= Fraction(4, 5) * k]
    return sizes or [1]


def full(data):
    return list(range(data.k))


def backfitting(data):
    best, members = None, []
    while len(members) < middle_sizes(data.k)[-1]:
        outside = [k for k in range(data.k) if k not in members]
        joined = first_best(outside, lambda k, members=members: data.accuracy([*members, k]))
        members = revise(data, [*members, joined])
        if len(members) in middle_sizes(data.k) and (
            best is None or data.accuracy(members) > data.accuracy(best)
        ):
            best = list(members)
    return sorted(best)


def revise(data, members):
    for _ in range(100):
        improved = one_replacement(data, members)
        if improved is None:
            return members
        members = improved
    return members


def one_replacement(data, members):
    """Replace the first member whose best replacement improves the accuracy."""
    outside = [k for k in range(data.k) if k not in members]
    for place in range(len(members)):

        def replaced(k, place=place):
            return [*members[:place], k, *members[place + 1 :]]

        if not outside:
            return None
        k = first_best(outside, lambda k: data.accuracy(replaced(k)))
        if data.accuracy(replaced(k)) > data.accuracy(members):
            return replaced(k)
    return None


def cohen_kappa(data, k, other):
    n = sum(data.weights)
    agree = sum(w for w, row in zip(data.weights, data.rows, strict=True) if row[k] == row[other])
    chance = Fraction(0)
    for vote in (0, 1):
        share = [
            Fraction(sum(w for w, row in zip(data.weights, data.rows, strict=True)
                         if row[one] == vote), n)
            for one in (k, other)
        ]  # fmt: skip
        chance += share[0] * share[1]
    if chance == 1:
        return Fraction(1)
    return (Fraction(agree, n) - chance) / (1 - chance)


def kappa(data):
    if data.k == 1:
        return [0]
    pairs = [(k, other) for k in range(data.k) for other in range(k + 1, data.k)]
    pairs.sort(key=lambda pair: (cohen_kappa(data, *pair), pair))
    best = None
    for m in middle_sizes(data.k):
        members = []
        for pair in pairs:
            for k in pair:
                if k not in members and len(members) < m:
                    members.append(k)
        if best is None or data.accuracy(members) > data.accuracy(best):
            best = members
    return sorted(best)


def hill_climb(data, fitness):
    members = [first_best(range(data.k), lambda k: data.accuracy([k]))]
    best = list(members)
    while len(members) < data.k:
        outside = [k for k in range(data.k) if k not in members]
        members.append(first_best(outside, lambda k: fitness(data, members, k)))
        if data.accuracy(members) > data.accuracy(best):
            best = list(members)
    return sorted(best)


def accuracy_fitness(data, members, k):
    return data.accuracy([*members, k])


def complementariness(data, members, k):
    return sum(
        weight
        for i, weight in enumerate(data.weights)
        if data.rows[i][k] == data.labels[i] and not data.is_right(members, i)
    )


def concurrency(data, members, k):
    points = 0
    for i, weight in enumerate(data.weights):
        h, s = data.rows[i][k] == data.labels[i], data.is_right(members, i)
        if h and not s:
            points += 2 * weight
        elif h and s:
            points += weight
        elif not h and not s:
            points -= 2 * weight
    return points


def uncertainty_weighted_accuracy(data, members, k):
    points = Fraction(0)
    for i, weight in enumerate(data.weights):
        h, s = data.rows[i][k] == data.labels[i], data.is_right(members, i)
        right = sum(data.rows[i][member] == data.labels[i] for member in members)
        nt = Fraction(right, len(members))
        nf = 1 - nt
        if h and not s:
            points += weight * nt
        elif not h and s:
            points -= weight * nf
        elif h and s:
            points += weight * nf
        else:
            points -= weight * nt
    return points


REFERENCES = {
    "full": full,
    "backfitting": backfitting,
    "kappa": kappa,
    "hc-acc": lambda data: hill_climb(data, accuracy_fitness),
    "hc-com": lambda data: hill_climb(data, complementariness),
    "hc-con": lambda data: hill_climb(data, concurrency),
    "hc-uwa": lambda data: hill_climb(data, uncertainty_weighted_accuracy),
}
