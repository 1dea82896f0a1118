"""`SoftCertificate`: a soft committee and the tree that bounds all others, on file.

`voteprune.verify` checks it against the probabilities with none of the code that made it;
`voteprune/verify/soft_document.py` and docs/certificate.md have the format.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..files.jsonfile import Written
from ..numbers.exact import on_file
from ..numbers.floats import Floats
from .nodes import Step
from .problem import LOG_LOSS, POOL_BRIER, POOL_LOG_LOSS, SoftProblem

ROOM = 1e-9
"""What the bound on file is lower by, as a share: the checker rounds otherwise than the solver."""

_GRAIN = 2.0**-50
"""And for each unit of the rows' weight times the committee's reach, the most that a score may be:
the checker repairs its dual points that well at best, however little loss is left."""

_NAMES = {LOG_LOSS: "log_loss", POOL_LOG_LOSS: "pool_log_loss", POOL_BRIER: "brier"}


@dataclass(frozen=True, eq=False)
class SoftCertificate(Written):
    """What is claimed of a soft committee, and the tree that supports it.

    Parameters
    ----------
    problem
        Log-odds or probabilities, labels, weights, penalty, loss and limits.
    names, kinds, classes, clip
        As in `Probabilities`.
    digest
        The fingerprint of what members said, see `Probabilities.digest`.
    steps
        The nodes of the tree, in any order; where several have the same decisions, the later go on
        from the earlier. A node that has none, open or closed on sight, rests on its parent's.
    status
        ``optimal``, ``feasible``, ``infeasible`` or ``unknown``.
    bound
        No allowed committee has less penalised loss; None if none is allowed.
    tolerance
        The share of the loss that an optimal committee may be from the bound, `ROOM` included. What
        is written is more where hardly any loss is left, and the bound is lowered by more.
    committee
        Members, weights, intercepts and penalised loss; None if there is none.
    target, columns
        Label column, and each member's columns in the file of probabilities. From three classes on
        these are called ``name:class`` when omitted.
    """

    _KIND: ClassVar[str] = "soft_certificate"
    _INDENT: ClassVar[int | None] = None

    problem: SoftProblem
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

    def _fields(self) -> dict[str, Any]:
        problem, weights, bound = self.problem, self.problem.weights, self._lowered()
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
                "loss": _NAMES[problem.loss],
                "penalty": problem.penalty,
                "tolerance": self._told_tolerance(bound),
            },
            "limits": {
                "size_min": problem.size_min,
                "size_max": problem.most,
                "required": list(problem.required),
                "forbidden": list(problem.forbidden),
                "costs": [
                    {"costs": list(map(on_file, budget.costs)), "most": on_file(budget.limit)}
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
            "bound": bound,
            "nodes": self._nodes(),
        }  # fmt: skip

    def _lowered(self) -> float | None:
        """Return the bound as it is written."""
        if self.bound is None:
            return None
        reach = 1.0
        if self.committee is not None:
            members, weights, _, _ = self.committee
            largest = [float(np.abs(self.problem.answers[:, k]).max()) for k in members]
            reach += sum(w * (1 + most) for w, most in zip(weights, largest, strict=True))
        grain = _GRAIN * float(self.problem.weights.sum()) * reach
        return float(self.bound - ROOM * abs(self.bound) - grain)

    def _told_tolerance(self, bound: float | None) -> float:
        """Return the tolerance as it is written, for a bound as it is written."""
        if self.status != "optimal" or self.committee is None or bound is None:
            return self.tolerance
        loss = self.committee[3]
        # The checker's loss may be another within a share of `ROOM`.
        return max(self.tolerance, float((loss - bound) / loss + 2 * ROOM))

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
        nodes = list[dict[str, Any]]()
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
                    "point": _point(step, problem) if len(step.weights) else None,
                    "prices": [
                        [*problem.row_names[row], float(step.prices[row])]
                        for row in np.flatnonzero(step.prices)
                    ],
                    "in": np.flatnonzero(step.fixed == 1).tolist(),
                    "out": np.flatnonzero(step.fixed == -1).tolist(),
                    "branch": int(step.branch) if step.branch >= 0 else None,
                    "heirs": next_heirs,
                }
            )
        return nodes


def _intercepts(step: Step, problem: SoftProblem) -> Floats:
    """Return an intercept for every class, one for two classes, or mu for linear pools."""
    if problem.loss != LOG_LOSS:
        return np.array([step.price])
    width = 1 if problem.answers.ndim == 2 else problem.answers.shape[2]
    found = np.zeros(width)
    found[: len(step.intercepts)] = step.intercepts
    return found


def _point(step: Step, problem: SoftProblem) -> list[Any]:
    seated = np.flatnonzero(step.weights)
    return [
        _intercepts(step, problem).tolist(),
        [[int(k), float(step.weights[k])] for k in seated],
    ]
