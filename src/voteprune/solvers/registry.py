"""Which solvers there are, which are installed, and what they can do."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from ..exceptions import InputError, SolverNotInstalled


@dataclass(frozen=True, slots=True)
class SolverInfo:
    """Facts about one solver.

    Parameters
    ----------
    name
        What `prune` calls it.
    module
        The module that runs it.
    package, distribution
        What is imported, and what is installed.
    extra
        The extra of voteprune that installs it, empty for the core.
    warm_start
        Whether it takes a committee to start from.
    streams
        Whether it tells incumbents and bounds on the way.
    licence
        What its licence allows.
    refused
        Releases that return wrong answers.
    label
        How its makers write it; its name when omitted.
    """

    name: str
    module: str
    package: str
    distribution: str
    extra: str
    warm_start: bool
    streams: bool
    licence: str
    refused: tuple[str, ...] = ()
    label: str = ""

    @property
    def version(self) -> str | None:
        """Installed release, None if it is not installed. Does not import it."""
        if importlib.util.find_spec(self.package) is None:
            return None
        return _version_of(self.distribution)

    @property
    def installed(self) -> bool:
        """Whether it is installed in a release that can be trusted."""
        return self.version is not None and self.version not in self.refused

    def require(self) -> None:
        """Raise `SolverNotInstalled`, with the cure, unless it can be used."""
        version = self.version
        target = f"voteprune[{self.extra}]" if self.extra else self.distribution
        if version is None:
            raise SolverNotInstalled(
                f"solver {self.name!r} is not installed.", f"Install it: pip install '{target}'"
            )
        if version in self.refused:
            raise SolverNotInstalled(
                f"{self.distribution} {version} returns wrong optima and is refused.",
                f"Install another release: pip install '{self.distribution}!={version}'",
            )


SOLVERS: dict[str, SolverInfo] = {
    info.name: info
    for info in (
        SolverInfo(
            "highs", "voteprune.solvers.highs", "highspy", "highspy", "",
            warm_start=True, streams=True, licence="MIT, no limit", refused=("1.14.0",),
            label="HiGHS",
        ),
        SolverInfo(
            "scipy", "voteprune.solvers.scipy", "scipy", "scipy", "",
            warm_start=False, streams=False, licence="BSD, no limit", label="SciPy",
        ),
        SolverInfo(
            "cpsat", "voteprune.solvers.cpsat", "ortools", "ortools", "cpsat",
            warm_start=True, streams=True, licence="Apache 2.0, no limit",
            label="CP-SAT",
        ),
        SolverInfo(
            "scip", "voteprune.solvers.scip", "pyscipopt", "pyscipopt", "scip",
            warm_start=True, streams=True, licence="Apache 2.0, no limit",
            label="SCIP",
        ),
        SolverInfo(
            "gurobi", "voteprune.solvers.gurobi", "gurobipy", "gurobipy", "gurobi",
            warm_start=True, streams=True,
            licence="commercial; without a licence 2000 variables and 2000 rows",
            label="Gurobi",
        ),
        SolverInfo(
            "cplex", "voteprune.solvers.cplex", "cplex", "cplex", "cplex",
            warm_start=True, streams=True,
            licence="commercial; without a licence 1000 variables and 1000 rows",
            label="CPLEX",
        ),
    )
}  # fmt: skip
"""Every solver by name, the default first."""


@dataclass(frozen=True, slots=True)
class Solver:
    """A solver and how it is to run, where its name alone does not say enough.

    Parameters
    ----------
    name
        One of `SOLVERS`.
    presolve
        Whether it may simplify the model first.
    threads
        How many threads it may use; what `n_jobs` says when omitted.
    """

    name: str = "highs"
    presolve: bool = True
    threads: int | None = None

    def __post_init__(self) -> None:
        if self.name not in SOLVERS:
            raise InputError(
                "solver",
                f"{self.name!r} is not known. Known are {', '.join(SOLVERS)}; "
                "voteprune.solvers() tells which are installed.",
            )
        if self.threads is not None and (not isinstance(self.threads, int) or self.threads < 1):
            raise InputError("threads", f"is {self.threads!r}; expected a whole number from 1 on.")

    @property
    def info(self) -> SolverInfo:
        """The facts about it."""
        return SOLVERS[self.name]


def solvers() -> tuple[SolverInfo, ...]:
    """Tell which solvers there are; each has `name`, `installed`, `version` and `licence`."""
    return tuple(SOLVERS.values())


def whose_word(names: Sequence[str]) -> str:
    """Return "on X's word", with the solvers' names as their makers write them."""
    labels = [(SOLVERS[name].label if name in SOLVERS else "") or name for name in names]
    owners = " and ".join(f"{label}'s" for label in labels)
    return f"on {owners} word"


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
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
