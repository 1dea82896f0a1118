"""Soft committees by brute force: every set, each fitted by an independent convex solver."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
from scipy.optimize import minimize

from voteprune.soft.newton import weights_of
from voteprune.soft.problem import Budget, Group, SoftProblem
from voteprune.soft.tree import SoftTree


def pool(seed, n=60, k=6, n_classes=2):
    """Probabilities and labels of a random pool, members of different strength."""
    rng = np.random.default_rng(seed)
    y = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)]
    if n_classes == 2:
        raw = rng.normal((2 * y - 1)[:, None] * rng.uniform(0.2, 1.2, k), 1.0)
        return 1 / (1 + np.exp(-raw)), y
    raw = rng.normal(0, 1, (n, k, n_classes))
    raw[np.arange(n), :, y] += rng.uniform(0.5, 1.5, k)
    shares = np.exp(raw)
    return shares / shares.sum(axis=2, keepdims=True), y


def penalised(problem: SoftProblem, members, intercepts, weights) -> float:
    """The definition, row by row in spirit: no code of the library but the problem's numbers."""
    answers = problem.answers[:, list(members)]
    c, y = problem.weights, problem.labels
    n = np.count_nonzero(c)
    ridge = problem.penalty * c.sum() / n / 2 * float(np.dot(weights, weights))
    rows = np.arange(len(y))
    if problem.loss == "log_loss":
        if answers.ndim == 2:
            z = intercepts[0] + answers @ weights
            return float(c @ np.logaddexp(0, np.where(y == 1, -z, z))) + ridge
        z = np.einsum("nkc,k->nc", answers, weights) + np.append(intercepts, 0.0)
        return float(c @ (np.logaddexp.reduce(z, axis=1) - z[rows, y])) + ridge
    if answers.ndim == 2:
        answers = np.stack([1 - answers, answers], axis=2)
    pooled = np.einsum("nkc,k->nc", answers, weights)
    if problem.loss == "pool_log_loss":
        return float(-(c @ np.log(pooled[rows, y]))) + ridge
    off = ((pooled - np.eye(pooled.shape[1])[y]) ** 2).sum(axis=1)
    return float(c @ off) * (0.5 if pooled.shape[1] == 2 else 1.0) + ridge


def _slope(problem: SoftProblem, members, theta) -> np.ndarray:
    answers, c, y = problem.answers[:, list(members)], problem.weights, problem.labels
    ridge = problem.penalty * c.sum() / np.count_nonzero(c)
    if answers.ndim == 2:
        z = theta[0] + answers @ theta[1:]
        off = c * (1 / (1 + np.exp(-z)) - y)
        return np.append(off.sum(), off @ answers + ridge * theta[1:])
    b = answers.shape[2] - 1
    z = np.einsum("nkc,k->nc", answers, theta[b:]) + np.append(theta[:b], 0.0)
    share = np.exp(z - np.logaddexp.reduce(z, axis=1)[:, None])
    off = c[:, None] * (share - np.eye(b + 1)[y])
    return np.append(off.sum(axis=0)[:b], np.einsum("nkc,nc->k", answers, off) + ridge * theta[b:])


def fitted(problem: SoftProblem, members) -> float:
    """The least penalised loss of one committee, by scipy."""
    m = len(members)
    if problem.loss == "log_loss":
        b = 1 if problem.answers.ndim == 2 else problem.answers.shape[2] - 1

        def whole(theta):
            return penalised(problem, members, theta[:b], theta[b:]), _slope(
                problem, members, theta
            )

        bounds = [(None, None)] * b + [(0, None)] * m
        start = np.zeros(b + m)
        best = np.inf
        for _ in range(2):
            done = minimize(
                whole,
                start,
                jac=True,
                method="L-BFGS-B",
                bounds=bounds,
                options={"maxiter": 500, "ftol": 1e-12, "gtol": 1e-7},
            )
            best, start = min(best, done.fun), done.x
        return float(best)
    if m == 1:
        return penalised(problem, members, np.zeros(0), np.ones(1))
    done = minimize(
        lambda w: penalised(problem, members, np.zeros(0), w) / problem.weights.sum(),
        np.full(m, 1 / m),
        method="SLSQP",
        bounds=[(0, 1)] * m,
        constraints=[{"type": "eq", "fun": lambda w: w.sum() - 1}],
        options={"maxiter": 500, "ftol": 1e-14},
    )
    return float(done.fun) * float(problem.weights.sum())


def allowed(problem: SoftProblem, members) -> bool:
    chosen = set(members)
    return (
        problem.size_min <= len(chosen) <= (problem.size_max or problem.n_members)
        and set(problem.required) <= chosen
        and not chosen & set(problem.forbidden)
        and all(sum(b.costs[k] for k in chosen) <= b.limit for b in problem.budgets)
        and all(
            g.at_least
            <= len(chosen & set(g.members))
            <= (len(chosen) if g.at_most is None else g.at_most)
            for g in problem.groups
        )
    )


def committees(problem: SoftProblem) -> list[tuple[int, ...]]:
    k = problem.n_members
    every = (s for size in range(1, k + 1) for s in combinations(range(k), size))
    return [s for s in every if allowed(problem, s)]


def optimum(problem: SoftProblem) -> float:
    """The least penalised loss of all allowed committees; infinite if there is none."""
    return min((fitted(problem, s) for s in committees(problem)), default=np.inf)


def draw(
    seed: int, *, n=40, k=6, classes=2, loss="log_loss", limits=False, weighted=True
) -> SoftProblem:
    """A random pool of correlated members, some tied, constant, voting or silent at times."""
    random = np.random.default_rng(seed)
    y = random.permutation(np.arange(n) % classes)
    hard = random.normal(size=n)
    if classes == 2:
        skill = random.uniform(0.2, 1.5, size=k)
        noise = random.normal(size=(n, k)) + hard[:, None]
        answers = np.clip(skill * (2 * y[:, None] - 1) + noise, -6.9, 6.9)
        answers[random.random((n, k)) < 0.05] = 0
        answers[:, 0] = np.sign(answers[:, 0])
    else:
        raw = random.normal(size=(n, k, classes)) + hard[:, None, None] * random.normal(
            size=classes
        )
        raw[np.arange(n), :, y] += random.uniform(0.2, 1.5, size=k)
        answers = raw - np.log(np.exp(raw).sum(axis=2, keepdims=True))
        answers[:, 0] = np.eye(classes)[answers[:, 0].argmax(axis=1)]
    if k > 4:
        answers[:, 3] = answers[:, 2]
        answers[:, 4] = answers[0, 4]
    if loss != "log_loss":
        full = np.exp(answers) if classes > 2 else 1 / (1 + np.exp(-answers))
        answers = full / full.sum(axis=2, keepdims=True) if classes > 2 else full
    weights = random.choice([0.0, 0.5, 1.0, 2.5], size=n) if weighted else np.ones(n)
    weights[:classes] += 0.25
    for label in range(classes):
        weights[np.flatnonzero(y == label)[0]] += 0.25
    request: dict = {"size_max": int(random.integers(1, k))}
    if limits:
        request = _limits(random, k)
    return SoftProblem(
        answers, y, weights, penalty=float(random.choice([0.3, 3.0, 30.0])), loss=loss, **request
    )


def _limits(random: np.random.Generator, k: int) -> dict:
    most = int(random.integers(2, k + 1))
    request: dict = {"size_max": most, "size_min": int(random.integers(1, most + 1))}
    if random.random() < 0.4:
        request["required"] = (int(random.integers(k)),)
    if random.random() < 0.4:
        request["forbidden"] = (int(random.integers(k)),)
    if random.random() < 0.6:
        costs = tuple(Fraction(int(cost), 2) for cost in random.integers(1, 9, size=k))
        request["budgets"] = (Budget(costs, Fraction(int(random.integers(4, 14)))),)
    groups = []
    for _ in range(int(random.integers(0, 3))):
        inside = tuple(int(j) for j in random.permutation(k)[: random.integers(2, k)])
        least = int(random.integers(0, 3))
        top = None if random.random() < 0.4 else least + int(random.integers(0, 2))
        groups.append(Group(inside, least, top))
    request["groups"] = tuple(groups)
    return request


@dataclass(frozen=True)
class Found:
    """What a tree has found, and how much less any other committee could have, as a share."""

    members: tuple[int, ...]
    weights: np.ndarray
    intercepts: np.ndarray
    penalised_loss: float
    gap: float
    proved: bool


def result_of(tree: SoftTree) -> Found | None:
    """The committee of a tree, None if there is none yet."""
    best, problem = tree.best, tree.problem
    if best is None:
        return None
    seated = problem.sitting(best.members, best.weights)
    per_class = tree.loss.total is None and problem.answers.ndim == 3
    gap = (best.value - tree.lower_bound) / best.value if best.value > 0 else 0.0
    return Found(
        members=seated,
        weights=weights_of(best, problem.n_members)[list(seated)],
        intercepts=np.append(best.intercepts, 0.0) if per_class else best.intercepts,
        penalised_loss=best.value,
        gap=max(0.0, gap),
        proved=tree.finished,
    )
