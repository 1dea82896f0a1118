"""The one registry of methods: anything that turns a problem into a committee."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .brute import solve_by_brute_force
from .mip import solve_merged, solve_paper
from .problem import Problem
from .run import Outcome, Run


@dataclass(frozen=True, slots=True)
class Method:
    """A way to prune.

    Parameters
    ----------
    name
        What `prune` calls it.
    summary
        One line for people.
    reference
        Where it comes from.
    solve
        The function; it enters what it finds into the run's ledger.
    uses_solver
        Whether it hands a model to a solver.
    """

    name: str
    summary: str
    reference: str
    solve: Callable[[Problem, Run], Outcome]
    uses_solver: bool


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            "exact",
            "best committee with proof, from merged patterns",
            "voteprune",
            solve_merged,
            uses_solver=True,
        ),
        Method(
            "paper",
            "the paper's integer program, verbatim",
            "Bastos, de Oliveira, Valle: Ensemble pruning via an integer programming approach "
            "with diversity constraints",
            solve_paper,
            uses_solver=True,
        ),
        Method(
            "brute",
            "every subset and threshold, for at most 20 classifiers",
            "the oracle of the tests",
            solve_by_brute_force,
            uses_solver=False,
        ),
    )
}
"""Every method by name."""


def methods() -> tuple[Method, ...]:
    """List the methods; each has `name`, `summary` and `reference`."""
    return tuple(METHODS.values())
