"""Small soft problems, their committees fitted by scipy alone, and certificates made of them."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

from voteprune.soft.certificate import SoftCertificate
from voteprune.soft.probabilities import digest_of
from voteprune.verify import verify

CLIP = 0.001


@dataclass(frozen=True, eq=False)
class Costs:
    costs: tuple[Fraction, ...]
    limit: Fraction


@dataclass(frozen=True, eq=False)
class Some:
    members: tuple[int, ...]
    at_least: int = 0
    at_most: int | None = None


@dataclass(frozen=True, eq=False)
class Node:
    decisions: np.ndarray
    intercepts: np.ndarray
    weights: np.ndarray
    fixed: np.ndarray
    branch: int
    price: float = 0.0
    prices: np.ndarray = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True, eq=False)
class Soft:
    """A problem with what it was made of; the oracle of these tests."""

    predictions: np.ndarray
    kinds: tuple[str, ...]
    labels: np.ndarray
    weights: np.ndarray
    n_classes: int = 2
    penalty: float = 3.0
    loss: str = "log_loss"
    size_min: int = 1
    most: int = 3
    required: tuple[int, ...] = ()
    forbidden: tuple[int, ...] = ()
    budgets: tuple[Costs, ...] = ()
    groups: tuple[Some, ...] = ()

    @property
    def n_members(self):
        return self.predictions.shape[1]

    @property
    def names(self):
        return tuple(f"m{k}" for k in range(self.n_members))

    @cached_property
    def ridge(self):
        return self.penalty * self.weights.sum() / np.count_nonzero(self.weights)

    @cached_property
    def answers(self):
        """Log-odds by the textbook."""
        said = self.predictions
        cut = np.clip(said, CLIP, 1 - (self.n_classes - 1) * CLIP)
        odds = np.log(cut / (1 - cut)) if said.ndim == 2 else np.log(cut)
        for k, kind in enumerate(self.kinds):
            if kind == "vote":
                odds[:, k] = 2 * said[:, k] - 1 if said.ndim == 2 else said[:, k]
            elif kind == "score":
                odds[:, k] = said[:, k]
        return np.where(np.isnan(said), 0.0, odds)

    @cached_property
    def tensor(self):
        if self.answers.ndim == 3:
            return self.answers
        return np.stack([np.zeros_like(self.answers), self.answers], axis=2)

    def allows(self, members):
        size = len(members)
        return (
            max(self.size_min, 1) <= size <= self.most
            and set(self.required) <= set(members)
            and not set(self.forbidden) & set(members)
            and all(sum(b.costs[k] for k in members) <= b.limit for b in self.budgets)
            and all(
                g.at_least <= len(set(g.members) & set(members))
                and (g.at_most is None or len(set(g.members) & set(members)) <= g.at_most)
                for g in self.groups
            )
        )

    def committees(self):
        for size in range(1, self.n_members + 1):
            for members in combinations(range(self.n_members), size):
                if self.allows(members):
                    yield members

    def penalised(self, members, weights, intercepts):
        z = np.einsum("ikc,k->ic", self.tensor[:, list(members)], weights) + intercepts
        each = logsumexp(z, axis=1) - z[np.arange(len(z)), self.labels]
        return float(self.weights @ each + self.ridge / 2 * np.sum(np.square(weights)))

    def fit(self, members, shares=None):
        """Least penalised loss, weights and intercepts (the first is 0), by L-BFGS-B.

        With shares, the ridge on a member is divided by its share: the relaxation.
        """
        members = list(members)
        ridges = self.ridge / (np.ones(len(members)) if shares is None else np.asarray(shares))
        m, c = len(members), self.n_classes
        truth = np.eye(c)[self.labels]
        flat = self.tensor[:, members].transpose(0, 2, 1).reshape(-1, m)

        def loss(x):
            z = (flat @ x[:m]).reshape(-1, c) + np.concatenate([[0.0], x[m:]])
            z -= z.max(axis=1, keepdims=True)
            up = np.exp(z)
            total = up.sum(axis=1, keepdims=True)
            each = np.log(total[:, 0]) - z[np.arange(len(z)), self.labels]
            pull = self.weights[:, None] * (up / total - truth)
            slope = [pull.ravel() @ flat + ridges * x[:m], pull.sum(axis=0)[1:]]
            return self.weights @ each + (ridges * x[:m] ** 2).sum() / 2, np.concatenate(slope)

        done = minimize(
            loss, np.zeros(m + self.n_classes - 1), jac=True, method="L-BFGS-B",
            bounds=[(0, None)] * m + [(None, None)] * (self.n_classes - 1),
            options={"maxiter": 2000, "ftol": 1e-15, "gtol": 1e-6},
        )  # fmt: skip
        return float(done.fun), done.x[:m], np.concatenate([[0.0], done.x[m:]])

    @cached_property
    def losses(self):
        """The least penalised loss of every allowed committee."""
        return {members: self.fit(members)[0] for members in self.committees()}

    @cached_property
    def best(self):
        return min(self.losses, key=self.losses.get) if self.losses else None

    def written(self, intercepts):
        """Intercepts as a certificate has them: one for two classes."""
        return intercepts[1:] if self.n_classes == 2 else intercepts


LIMITS = {
    "size": {},
    "required": {"required": (1,), "forbidden": (0, 4)},
    "budget": {"budgets": (Costs(tuple(map(Fraction, (1, 2, 3, 1, 2, 3))), Fraction(9, 2)),)},
    "at most": {"groups": (Some((0, 1, 2), at_most=1),)},
    "at least": {"groups": (Some((4, 5), at_least=1),), "size_min": 2},
    "all": {
        "required": (5,),
        "forbidden": (3,),
        "size_min": 2,
        "budgets": (Costs(tuple(map(Fraction, (1, 2, 3, 1, 2, 1))), Fraction(5)),),
        "groups": (Some((0, 1, 2), at_least=1, at_most=2),),
    },
}


@cache
def soft(seed, n_classes=2, limits="size", n=24, k=6, **changes):
    """A random problem: probabilities, a mere voter, a scorer, missing answers, weights."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % n_classes
    rng.shuffle(labels)
    logits = rng.normal(0, 1.5, (n, k, n_classes))
    logits[np.arange(n), :, labels] += rng.uniform(0.2, 2, k)
    said = softmax(logits, axis=2)
    said[rng.random((n, k)) < 0.03] = np.eye(n_classes)[0]  # as sure as it gets
    kinds = ["probability"] * k
    said[:, 1] = np.eye(n_classes)[said[:, 1].argmax(axis=1)]
    kinds[1] = "vote"
    said[:, 2] = logits[:, 2] - logits[:, 2].mean(axis=1, keepdims=True)
    kinds[2] = "score"
    said[rng.random((n, k)) < 0.05] = np.nan
    weights = rng.choice([0.0, 0.5, 1.0, 1.7], n) if seed % 2 else np.ones(n)
    for label in range(n_classes):
        weights[np.flatnonzero(labels == label)[0]] = 1.0
    if n_classes == 2:
        said = said[:, :, 1]
    return Soft(said, tuple(kinds), labels, weights, n_classes, **{**LIMITS[limits], **changes})


def tree(problem, cutoff, rng=None):
    """Nodes of a tree that proves a cutoff: relaxed where it is easy, random where it is not."""
    rng = rng or np.random.default_rng(0)
    steps = []
    root = np.zeros(problem.n_members, dtype=np.int8)
    root[list(problem.required)] = 1
    root[list(problem.forbidden)] = -1
    left = [root]
    while left:
        decisions = left.pop()
        inside, free = np.flatnonzero(decisions == 1), np.flatnonzero(decisions == 0)
        if len(inside) >= problem.most:
            free = free[:0]
        members = [*inside, *free]
        share = min(1.0, max(problem.most - len(inside), 0) / max(len(free), 1))
        shares = [1.0] * len(inside) + [share] * len(free)
        _, weights, intercepts = problem.fit(members, shares)
        spread = np.zeros(problem.n_members)
        spread[members] = weights
        point = problem.written(intercepts)
        fixed = np.zeros(problem.n_members, dtype=np.int8)
        bound, forced = bounds_of(problem, decisions, spread, intercepts)
        branch = -1
        if bound < cutoff and len(free):
            for member in free:
                for choice in (1, -1):
                    if forced[member, -choice] >= cutoff and not fixed[member]:
                        fixed[member] = choice
            rest = [member for member in free if not fixed[member]]
            branch = int(rng.choice(rest)) if rest else -1
            for choice in (1, -1) if rest else (0,):
                child = decisions + fixed
                if rest:
                    child[branch] = choice
                if rest or fixed.any():
                    left.append(child)
        steps.append(Node(decisions, point, spread, fixed, branch))
    return steps


def bounds_of(problem, decisions, weights, intercepts):
    """A point's bound at a node by a size limit alone, and with one more decision, in floats."""
    z = np.einsum("ikc,k->ic", problem.tensor, weights) + intercepts
    share = softmax(z, axis=1)
    truth = np.eye(problem.n_classes)[problem.labels]
    aims, mass = problem.weights @ truth, problem.weights @ share
    lack = np.maximum(aims - mass, 0)
    scale = np.minimum(1, aims / mass)
    if lack.sum() > 0:
        share = share * scale + (share @ (1 - scale))[:, None] * lack / lack.sum()
    entropy = -(problem.weights[:, None] * share * np.log(share)).sum()
    pull = problem.weights[:, None] * (truth - share)
    phi = np.maximum(np.einsum("ikc,ic->k", problem.tensor, pull), 0) ** 2 / (2 * problem.ridge)

    def bound(choices):
        inside, free = np.flatnonzero(choices == 1), np.flatnonzero(choices == 0)
        seats = problem.most - len(inside)
        if seats < 0:
            return np.inf
        return entropy - phi[inside].sum() - np.sort(phi[free])[::-1][:seats].sum()

    forced = {}
    for member in np.flatnonzero(decisions == 0):
        for choice in (1, -1):
            other = decisions.copy()
            other[member] = choice
            forced[member, choice] = bound(other) - 1e-9
    return bound(decisions) - 1e-9, forced


def certificate(problem, tolerance=1e-5, rng=None, **changes):
    """The certificate of the best committee, optimal within a tolerance."""
    _, weights, intercepts = problem.fit(problem.best)
    loss = problem.penalised(problem.best, weights, intercepts)
    cutoff = loss * (1 - 0.9 * tolerance)
    fields = {
        "problem": problem,
        "names": problem.names,
        "kinds": problem.kinds,
        "classes": tuple(range(problem.n_classes)),
        "clip": CLIP,
        "digest": digest_of(
            problem.names,
            range(problem.n_classes),
            problem.labels,
            np.moveaxis(problem.predictions, 1, 0),
        ),
        "steps": tree(problem, cutoff, rng),
        "status": "optimal",
        "bound": cutoff,
        "tolerance": tolerance,
        "committee": (problem.best, weights, problem.written(intercepts), loss),
        "target": "y",
    }
    return SoftCertificate(**{**fields, **changes})


@cache
def _written(problem):
    return certificate(problem).to_json()


def document(problem):
    """A document of its own of the certificate of a problem."""
    return json.loads(_written(problem))


def write_table(path, problem):
    """The probabilities as a file."""
    said = problem.predictions.reshape(len(problem.labels), problem.n_members, -1)
    names = problem.names
    if problem.n_classes > 2:
        names = [f"{name}:{label}" for name in names for label in range(problem.n_classes)]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*names, "y"])
        for row, label in zip(said, problem.labels, strict=True):
            cells = ["" if np.isnan(cell) else repr(float(cell)) for cell in row.ravel()]
            writer.writerow([*cells, label])


def put(found, problem, folder):
    """Write a document and the problem's own table."""
    (folder / "c.json").write_text(json.dumps(found))
    write_table(folder / "p.csv", problem)


def check(found, problem, folder):
    """What the checker makes of a document and the problem's own table."""
    put(found, problem, folder)
    return verify(folder / "c.json", folder / "p.csv")


def put_at(found, path, value):
    """Set one field of a certificate, however deep."""
    for key in path[:-1]:
        found = found[key]
    found[path[-1]] = value
