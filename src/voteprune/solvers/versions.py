"""What made an answer: the versions of Python, of this package and of what it calculates with."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from ..solvers import Solver


def versions_of(solver: Solver | None) -> dict[str, str]:
    """Return the versions behind a run with this solver, if any."""
    wanted = ["voteprune", "numpy", "scipy"]
    if solver is not None and solver.info.distribution not in wanted:
        wanted.append(solver.info.distribution)
    return {"python": platform.python_version(), **{name: _version_of(name) for name in wanted}}


@cache
def _version_of(distribution: str) -> str:
    # Reading the metadata takes longer than pruning a small pool.
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "unknown"
