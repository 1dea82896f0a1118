"""An unfinished proof of a soft committee on file: the open nodes, and the best committee.

The conventions are those of `checkpoint`: the file belongs to one problem and is written whole.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...run.run import Run
from ...soft.nodes import Node, TreeState
from ...soft.problem import LOG_LOSS, SoftProblem
from ...soft.pruning import SoftPruning
from .. import checkpoint

_FORMAT = "voteprune soft checkpoint 1"
_FIELDS = tuple(field.name for field in fields(TreeState) if field.name != "first")
_NODE = ("decisions", "bound", "intercepts", "weights")
"""What is on file of the node that a tree may be begun anew with."""


def digest(problem: SoftProblem) -> str:
    """Return what tells one problem from another."""
    said = hashlib.sha256()
    for member in np.moveaxis(problem.answers, 1, 0):
        said.update(np.ascontiguousarray(member).tobytes())
    said.update(problem.labels.astype(np.int64).tobytes())
    said.update(problem.weights.tobytes())
    if problem.moments is not None:
        summed = problem.moments
        for array in (summed.gram, summed.pull):
            said.update(np.ascontiguousarray(array).tobytes())
        said.update(repr((summed.constant, summed.terms, summed.rows, summed.weight)).encode())
    limits = [
        problem.answers.shape, problem.penalty, problem.loss, problem.size_min, problem.most,
        sorted(problem.required), sorted(problem.forbidden),
        [(budget.costs, budget.limit) for budget in problem.budgets],
        [(group.members, group.at_least, group.at_most) for group in problem.groups],
    ]  # fmt: skip
    said.update(repr(limits).encode())
    return said.hexdigest()


class SoftCheckpoint:
    """Keeps the tree of one problem on file."""

    def __init__(self, path: Path, problem: SoftProblem) -> None:
        self._path, self._problem, self._digest = path, problem, digest(problem)

    def load(self) -> TreeState | None:
        """Return the tree that is on file, None where there is none yet.

        Raises
        ------
        FileFormatError
            If the file is no checkpoint, or a damaged one.
        InputError
            If it is another problem's.
        """
        state = checkpoint.read(
            self._path,
            _FORMAT,
            lambda: self._digest,
            "probabilities",
            lambda _, arrays: _state_of(arrays),
        )
        if state is not None and (fault := _fault(state, self._problem)):
            raise checkpoint.damaged(self._path, ValueError(fault))
        return state

    def save(self, state: TreeState) -> None:
        """Write a tree, whole or not at all; OutputError if it cannot be written."""
        arrays = {name: np.asarray(getattr(state, name)) for name in _FIELDS}
        if state.first is not None:
            arrays |= {f"first_{name}": np.asarray(getattr(state.first, name)) for name in _NODE}
        checkpoint.write(self._path, {"format": _FORMAT, "problem": self._digest}, arrays)

    def resumed(self, run: Run) -> TreeState | None:
        """Return what is on file; None, with an incident, if it can no longer be read."""
        return checkpoint.still_there(run, self.load)


def check_soft_checkpoint(path: object, method: str, problem: SoftPruning) -> Path | None:
    """Check that a proof can be kept in a file, as `checkpoint.file_of_exact` does."""
    numbers = problem.numbers
    return checkpoint.file_of_exact(path, method, lambda file: SoftCheckpoint(file, numbers).load())


def _state_of(arrays: Mapping[str, NDArray[Any]]) -> TreeState:
    """Return the tree of a file's arrays."""
    # Files of before there were families have none, and some do not say whether there are, or
    # whether that is decided: they know no node to begin anew with.
    wanted = arrays.get("wanted", np.zeros(arrays["decisions"].shape, dtype=np.intp))
    return TreeState(
        **{name: arrays[name] for name in _FIELDS[:4]},
        closed=float(arrays["closed"]),
        members=arrays["members"].astype(np.intp),
        nodes=int(arrays["nodes"]),
        wanted=wanted,
        known=float(arrays.get("known", -np.inf)),
        families=bool(arrays.get("families", wanted.any())),
        settled=bool(arrays.get("settled", True)),
        first=_first_of(arrays),
    )


def _first_of(arrays: Mapping[str, NDArray[Any]]) -> Node | None:
    """Return the node that the tree may be begun anew with, None if there is none on file."""
    if "first_decisions" not in arrays:
        return None
    decisions, bound, intercepts, weights = (arrays[f"first_{name}"] for name in _NODE)
    return Node(decisions, float(bound), intercepts, weights)


def _fault(state: TreeState, problem: SoftProblem) -> str:
    """Return what is wrong with the arrays of a tree, empty if nothing is."""
    k, n = problem.n_members, state.bounds.size
    if state.decisions.shape != (n, k) or state.weights.shape != (n, k):
        return "nodes of another shape"
    # One class needs no intercept of its own, and linear pools have none.
    free = max(problem.answers.shape[2:], default=2) - 1 if problem.loss == LOG_LOSS else 0
    if state.bounds.shape != (n,) or state.intercepts.shape != (n, free):
        return "bounds or intercepts of another shape"
    if state.decisions.dtype != np.int8 or not np.isin(state.decisions, (-1, 0, 1)).all():
        return "decisions that are none"
    if state.wanted.shape != (n, k) or state.wanted.dtype.kind != "i" or (state.wanted < 0).any():
        return "families that are none"
    if not (np.isfinite(state.weights).all() and np.isfinite(state.intercepts).all()):
        return "weights that are no numbers"
    if np.isnan(state.bounds).any() or np.isnan([state.closed, state.known]).any():
        return "bounds that are no numbers"
    if (first := state.first) is not None:
        alone = replace(
            state,
            decisions=first.decisions[None],
            bounds=np.array([first.bound]),
            intercepts=first.intercepts[None],
            weights=first.weights[None],
            wanted=np.zeros((1, k), dtype=np.intp),
            first=None,
        )
        return _fault(alone, problem)
    if len(state.members) and not problem.allows(state.members.tolist()):
        return "a committee that is not allowed"
    return ""
