"""`SoftCertificate`: a soft committee and the tree that bounds all others, on file.

`voteprune.verify` checks it against the probabilities with none of the code that made it;
`voteprune/verify/soft_document.py` and docs/certificate.md have the format.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.special import softmax

from ..files import jsonfile
from ..files.document import Written

Floats = NDArray[np.float64]

ROOM = 1e-9
"""What the bound on file is lower by, as a share: the checker rounds otherwise than the solver."""


class Budget(Protocol):
    """The members' costs sum to at most a limit."""

    @property
    def costs(self) -> Floats:
        """What each member costs."""

    @property
    def limit(self) -> float:
        """What they may cost together."""


class Group(Protocol):
    """Of some members at least and at most so many sit."""

    @property
    def members(self) -> tuple[int, ...]:
        """Who they are."""

    @property
    def at_least(self) -> int:
        """Fewest of them."""

    @property
    def at_most(self) -> int | None:
        """Most of them, if there is a limit."""


class Problem(Protocol):
    """What the certificate needs to know of a problem."""

    @property
    def answers(self) -> Floats:
        """Log-odds, n x K or n x K x C."""

    @property
    def labels(self) -> NDArray[np.intp]:
        """Places of the true classes."""

    @property
    def weights(self) -> Floats:
        """Of the rows."""

    @property
    def penalty(self) -> float:
        """In units of one row of mean weight."""

    @property
    def ridge(self) -> float:
        """Lambda."""

    @property
    def size_min(self) -> int:
        """Fewest members."""

    @property
    def most(self) -> int:
        """Most members."""

    @property
    def required(self) -> tuple[int, ...]:
        """Who must sit."""

    @property
    def forbidden(self) -> tuple[int, ...]:
        """Who must not."""

    @property
    def budgets(self) -> Sequence[Budget]:
        """Limits on costs."""

    @property
    def groups(self) -> Sequence[Group]:
        """Limits on groups."""


class Step(Protocol):
    """One node: decisions (1 in, -1 out, 0 free), a point, what it fixes, where it branches."""

    @property
    def decisions(self) -> NDArray[np.int8]:
        """For every member 1 (in), -1 (out) or 0 (free)."""

    @property
    def intercepts(self) -> Floats:
        """One less than there are classes."""

    @property
    def weights(self) -> Floats:
        """Of all members."""

    @property
    def fixed(self) -> NDArray[np.int8]:
        """What reduced costs decide."""

    @property
    def branch(self) -> int:
        """The member to split on, or -1."""


@dataclass(frozen=True, eq=False)
class SoftCertificate(Written):
    """What is claimed of a soft committee, and the tree that supports it.

    Parameters
    ----------
    problem
        Log-odds, labels, weights, penalty and limits; the loss is the log loss.
    names, kinds, classes, clip
        As in `Probabilities`.
    digest
        The fingerprint of what members said, see `digest_of`.
    steps
        The nodes of the tree, in any order; where several have the same decisions, the later go on
        from the earlier. Open nodes belong to it, for they have points of their own.
    status
        ``optimal``, ``feasible``, ``infeasible`` or ``unknown``.
    bound
        No allowed committee has less penalised loss; None if none is allowed.
    tolerance
        The share of the loss that an optimal committee may be from the bound, `ROOM` included.
    committee
        Members, weights, intercepts and penalised loss; None if there is none.
    target, columns
        Label column, and each member's columns in the file of probabilities. From three classes on
        these are called ``name:class`` when omitted.
    """

    _KIND: ClassVar[str] = "soft_certificate"

    problem: Problem
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    classes: tuple[Any, ...]
    clip: float
    digest: str
    steps: Sequence[Step]
    status: str
    bound: float | None
    tolerance: float
    committee: tuple[Sequence[int], Sequence[float], Sequence[float], float] | None = None
    target: str | None = None
    columns: Sequence[Sequence[str]] | None = None

    def to_json(self) -> str:
        """Write the certificate as JSON text, on one line."""
        return jsonfile.dump(self._KIND, self._fields(), indent=None)

    def _fields(self) -> dict[str, Any]:
        problem, weights = self.problem, self.problem.weights
        return {
            "status": self.status,
            "data": {
                "n_rows": len(weights),
                "classes": list(self.classes),
                "members": [
                    {"name": name, "kind": kind, "columns": list(columns)}
                    for name, kind, columns in zip(
                        self.names, self.kinds, self._columns(), strict=True
                    )
                ],
                "target": self.target,
                "row_weights": None if (weights == 1).all() else weights.tolist(),
                "clip": self.clip,
                "digest": self.digest,
            },
            "objective": {
                "loss": "log_loss",
                "penalty": problem.penalty,
                "tolerance": self.tolerance,
            },
            "limits": {
                "size_min": problem.size_min,
                "size_max": problem.most,
                "required": list(problem.required),
                "forbidden": list(problem.forbidden),
                "costs": [
                    {"costs": np.asarray(budget.costs, dtype=float).tolist(),
                     "most": float(budget.limit)}
                    for budget in problem.budgets
                ],
                "groups": [
                    {"members": list(group.members), "at_least": group.at_least,
                     "at_most": group.at_most}
                    for group in problem.groups
                ],
            },
            "committee": None if self.committee is None else {
                "members": [int(k) for k in self.committee[0]],
                "weights": [float(weight) for weight in self.committee[1]],
                "intercepts": [float(one) for one in self.committee[2]],
                "loss": float(self.committee[3]),
            },
            "bound": None if self.bound is None else float(self.bound - ROOM * abs(self.bound)),
            "nodes": self._nodes(),
        }  # fmt: skip

    def _columns(self) -> Iterable[Sequence[str]]:
        if self.columns is not None:
            return self.columns
        if len(self.classes) == 2:
            return [[name] for name in self.names]
        return [[f"{name}:{label}" for label in self.classes] for name in self.names]

    def _nodes(self) -> list[dict[str, Any]]:
        """Return the nodes that can be reached from the root, each before its heirs."""
        problem = self.problem
        known: dict[bytes, list[Step]] = {}
        for step in reversed(self.steps):
            known.setdefault(step.decisions.tobytes(), []).append(step)
        root = np.zeros(len(self.names), dtype=np.int8)
        root[list(problem.required)] = 1
        root[list(problem.forbidden)] = -1
        rows, nodes = _rows(problem), list[dict[str, Any]]()
        left: list[tuple[NDArray[np.int8], list[int | None], int]] = [(root, [None], 0)]
        while left:
            decisions, heirs, place = left.pop()
            steps = known.get(decisions.tobytes())
            if not steps:
                continue
            step = steps.pop()
            heirs[place] = len(nodes)
            rest, next_heirs = decisions + step.fixed, list[int | None]()
            if step.branch >= 0:
                next_heirs += [None, None]
                for side, choice in enumerate((1, -1)):
                    child = rest.copy()
                    child[step.branch] = choice
                    left.append((child, next_heirs, side))
            elif step.fixed.any() or steps:
                next_heirs.append(None)
                left.append((rest, next_heirs, 0))
            nodes.append(
                {
                    "point": _point(step, problem),
                    "prices": _prices(problem, rows, step) if len(rows) > 2 else [],
                    "in": np.flatnonzero(step.fixed == 1).tolist(),
                    "out": np.flatnonzero(step.fixed == -1).tolist(),
                    "branch": int(step.branch) if step.branch >= 0 else None,
                    "heirs": next_heirs,
                }
            )
        return nodes


def digest_of(
    names: Sequence[str], classes: Sequence[Any], labels: NDArray[Any], predictions: NDArray[Any]
) -> str:
    """Return the fingerprint of what members said, before clipping and logarithms.

    Parameters
    ----------
    names, classes
        Of the members, and in the order of the last axis.
    labels
        Places of the true classes.
    predictions
        n x K for two classes, n x K x C for more; NaN where an answer is missing.
    """
    found = hashlib.sha256(json.dumps([list(names), list(classes)]).encode() + b"\n")
    found.update(np.asarray(labels).astype("<f8").tobytes())
    for k in range(len(names)):
        said = np.asarray(predictions[:, k], dtype=np.float64).reshape(len(labels), -1) + 0.0
        said[np.isnan(said)] = np.nan
        for column in said.T:
            found.update(column.astype("<f8").tobytes())
    return found.hexdigest()


def _intercepts(step: Step, problem: Problem) -> Floats:
    """Return an intercept for every class, or one for two classes."""
    width = 1 if problem.answers.ndim == 2 else problem.answers.shape[2]
    found = np.zeros(width)
    found[: len(step.intercepts)] = step.intercepts
    return found


def _point(step: Step, problem: Problem) -> list[Any]:
    seated = np.flatnonzero(step.weights)
    return [
        _intercepts(step, problem).tolist(),
        [[int(k), float(step.weights[k])] for k in seated],
    ]


def _rows(problem: Problem) -> list[tuple[str, int, Floats, float]]:
    """Return the limits as the checker has them: kind, place, coefficients, limit."""
    ones = np.ones(problem.answers.shape[1])
    rows = [("size_max", 0, ones, float(problem.most))]
    rows.append(("size_min", 0, -ones, -float(problem.size_min)))
    for place, budget in enumerate(problem.budgets):
        rows.append(("cost", place, np.asarray(budget.costs, dtype=float), float(budget.limit)))
    for place, group in enumerate(problem.groups):
        inside = np.zeros(len(ones))
        inside[list(group.members)] = 1
        if group.at_most is not None:
            rows.append(("at_most", place, inside, float(group.at_most)))
        if group.at_least > 0:
            rows.append(("at_least", place, -inside, -float(group.at_least)))
    return rows


def _prices(
    problem: Problem, rows: list[tuple[str, int, Floats, float]], step: Step
) -> list[list[Any]]:
    """Return prices on limits that make the point's bound high; the checker takes any."""
    inside, free = np.flatnonzero(step.decisions == 1), np.flatnonzero(step.decisions == 0)
    lines = np.array([line for _, _, line, _ in rows])
    limits = np.array([limit for *_, limit in rows]) - lines[:, inside].sum(axis=1)
    if not len(free):
        return []
    phi = _phi(problem, step)[free]
    unit = max(float(phi.max()), 1e-300)
    done = linprog(-phi / unit, A_ub=lines[:, free], b_ub=limits, bounds=(0, 1))
    if done.status == 0:
        prices = np.maximum(-done.ineqlin.marginals, 0.0) * unit
    else:
        prices = _farkas(lines[:, free], limits) * (1e3 * phi.sum() + 1e6)
    return [
        [kind, place, float(price)]
        for (kind, place, _, _), price in zip(rows, prices, strict=True)
        if price > 0
    ]


def _farkas(lines: Floats, limits: Floats) -> Floats:
    """Return prices at which no x at all keeps the rows, or none if there are none."""
    m, n = lines.shape
    done = linprog(
        np.concatenate([limits, np.ones(n)]),
        A_ub=np.hstack([-lines.T, -np.eye(n)]),
        b_ub=np.zeros(n),
        bounds=[(0, 1)] * m + [(0, None)] * n,
    )
    if done.status == 0 and done.fun < -1e-9:
        return np.asarray(np.maximum(done.x[:m], 0.0) / -done.fun)
    return np.zeros(m)


def _phi(problem: Problem, step: Step) -> Floats:
    """Return phi of every member at a step's point, nearly."""
    answers, n = problem.answers, len(problem.labels)
    if answers.ndim == 2:
        answers = np.stack([np.zeros_like(answers), answers], axis=2)
    intercepts = _intercepts(step, problem)
    z = np.einsum("ikc,k->ic", answers, step.weights)
    z += intercepts if len(intercepts) > 1 else [0.0, intercepts[0]]
    pull = -softmax(z, axis=1)
    pull[np.arange(n), problem.labels] += 1
    gains = np.einsum("ikc,ic->k", answers, pull * problem.weights[:, None])
    phi: Floats = np.maximum(gains, 0.0) ** 2 / (2 * problem.ridge)
    return phi
