"""An unfinished proof with more than two classes on file: the open nodes, and the best committee.

The conventions are those of `tree.checkpoint`: a file belongs to one problem and is written whole.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...exceptions import InputError
from ...files import jsonfile
from ...problem.plurality import PluralityProblem
from ...run.run import Run
from .. import checkpoint
from .task import Node

_FORMAT = "voteprune plurality checkpoint 1"


@dataclass(frozen=True, slots=True)
class Kept:
    """What is on file: the best committee, None if there was none, and the open nodes."""

    members: tuple[int, ...] | None
    nodes: tuple[Node, ...]


def digest(problem: PluralityProblem) -> str:
    """Return what tells one problem from another."""
    said = hashlib.sha256()
    said.update(np.ascontiguousarray(problem.codes.astype(np.int32)).tobytes())
    limits = [
        problem.codes.shape, problem.size_min, problem.size_max, problem.required,
        problem.forbidden, [(limit.costs, limit.most) for limit in problem.cost_limits],
        [[int(unit) for unit in row] for row in problem.gain],
    ]  # fmt: skip
    said.update(repr(limits).encode())
    return said.hexdigest()


def save_proof(path: Path, problem: PluralityProblem, kept: Kept) -> None:
    """Write what is open and the best committee, whole or not at all."""
    members, nodes = kept.members, kept.nodes
    header = {
        "format": _FORMAT,
        "problem": digest(problem),
        "members": None if members is None else [int(k) for k in members],
    }
    width = len(problem.allowed)
    arrays = {
        "sizes": np.array([node.size for node in nodes], dtype=np.int64),
        "bounds": np.array([node.bound for node in nodes], dtype=np.float64),
        "bounded": np.array([node.bounded for node in nodes], dtype=bool),
        "decided": np.array([node.decided for node in nodes], dtype=np.int8).reshape(-1, width),
    }
    checkpoint.write(path, header, arrays)


def load_proof(path: Path | None, problem: PluralityProblem) -> Kept | None:
    """Return what is on file, None where there is none yet.

    Raises
    ------
    FileFormatError
        If the file is no checkpoint, or a damaged one.
    InputError
        If it is another problem's.
    """
    kept = checkpoint.read(path, _FORMAT, lambda: digest(problem), "votes", _take)
    if path is not None and kept is not None and (fault := _fault(kept, problem)):
        raise checkpoint.damaged(path, ValueError(fault))
    return kept


def resumed(problem: PluralityProblem, run: Run) -> Kept | None:
    """Return what an earlier run has left on file, and offer its committee."""
    kept = checkpoint.still_there(run, lambda: load_proof(run.checkpoint, problem))
    if kept is not None and kept.members is not None:
        run.incumbent.offer(kept.members)
    return kept


def check_plurality_checkpoint(path: object, method: str, problem: PluralityProblem) -> Path | None:
    """Check that a proof can be kept in a file, as `checkpoint.file_of_exact` does."""

    def load(file: Path) -> object:
        if problem.class_limits or problem.must_cover or problem.objective.kind != "plurality":
            raise InputError(
                "checkpoint",
                "a proof of an F-score, or under limits on coverage or on classes, keeps nothing "
                "on file. Leave it out.",
            )
        return load_proof(file, problem)

    return checkpoint.file_of_exact(path, method, load)


def _take(header: jsonfile.Fields, arrays: dict[str, NDArray[Any]]) -> Kept:
    """Return what is on file."""
    members = None if header.missing("members") else header.integers("members")
    parts = (arrays[name] for name in ("sizes", "bounds", "decided", "bounded"))
    nodes = (
        Node(int(size), float(bound), decided, bool(bounded))
        for size, bound, decided, bounded in zip(*parts, strict=True)
    )
    return Kept(members, tuple(nodes))


def _fault(kept: Kept, problem: PluralityProblem) -> str:
    """Return what is wrong with what is on file, empty if nothing is."""
    if kept.members is not None and not set(kept.members) <= set(range(problem.n_classifiers)):
        return "members that there are not"
    for node in kept.nodes:
        if node.decided.shape != (len(problem.allowed),) or node.decided.dtype != np.int8:
            return "nodes of another shape"
        if not np.isin(node.decided, (-1, 0, 1)).all():
            return "decisions that are none"
        if not np.isfinite(node.bound) or not problem.size_min <= node.size <= problem.size_max:
            return "bounds or sizes that are none"
    return ""
