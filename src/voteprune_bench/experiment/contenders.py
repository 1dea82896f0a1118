"""What is compared: labels of the tables, and the way of pruning each stands for."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from voteprune.exceptions import InputError
from voteprune.problem.criteria import check_criterion
from voteprune.solve.request import check_plan
from voteprune.strategies.registry import METHODS


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """A way of pruning, by the label it has in the tables.

    Parameters
    ----------
    label
        What the tables call it.
    method, objective, diversity, solver, threshold
        As in `voteprune.prune`.
    time_limit
        Seconds; the plan's when None.
    function
        Instead of a method of voteprune: ``module.function`` of your own. It is called as
        ``function(votes, time_limit=..., random_state=...)`` and returns a `voteprune.Committee`,
        or the members' indices, which then decide by majority.
    version
        Change it when `function` changes; its tasks run again.
    """

    label: str
    method: str = "exact"
    objective: str = "accuracy"
    diversity: str | None = None
    solver: str | None = None
    threshold: str | None = None
    time_limit: float | None = None
    function: str | None = None
    version: int = 1

    @property
    def proves(self) -> bool:
        """Whether it bounds what any committee can reach, and so may use all its time."""
        return self.function is None and METHODS[self.method].proves

    def fields(self) -> dict[str, Any]:
        """Return what decides over its result."""
        return asdict(self)

    def check(self) -> None:
        """Refuse, before any work, what `prune` would refuse in every task."""
        try:
            if self.function is not None:
                find_function(self.function)
                check_criterion(self.objective, "objective")
                return
            plan = check_plan(
                objective=self.objective,
                method=self.method,
                solver=self.solver,
                diversity=self.diversity,
                threshold=self.threshold,
                time_limit=self.time_limit,
            )
        except InputError as error:
            raise InputError(f"method.{self.label}: {error.argument}", error.message) from None
        if plan.circumstances.solver is not None:
            plan.circumstances.solver.info.require()


PAPER = tuple(
    Contender(label=label, **parts)  # type: ignore[arg-type]
    for label, parts in {
        "F1": {},
        "F2": {"diversity": "F2"},
        "F3": {"diversity": "F3"},
        "F1-theta": {"objective": "balanced_accuracy"},
        "KP": {"method": "kappa"},
        "BFT": {"method": "backfitting"},
        "HC-ACC": {"method": "hc-acc"},
        "HC-CON": {"method": "hc-con"},
        "HC-COM": {"method": "hc-com"},
        "HC-UWA": {"method": "hc-uwa"},
        "FE": {"method": "full"},
    }.items()
)
"""The paper's methods in the order of its tables. F1, F2, F3 and F1-theta are its configurations,
solved by voteprune's exact engine."""


def read_contenders(names: object, own: object, argument: str) -> tuple[Contender, ...]:
    """Return the contenders a plan names.

    Parameters
    ----------
    names
        Labels: of the paper, of the plan's own ``[method.LABEL]`` tables, or names of methods.
    own
        Those tables.
    argument
        Where the names stand, for messages.
    """
    known = {contender.label: contender for contender in PAPER}
    known |= {name: Contender(label=name, method=name) for name in METHODS}
    if not isinstance(own, Mapping):
        raise InputError("method", f"is {own!r:.60}; write tables, each under [method.LABEL].")
    known |= {label: _own(label, table) for label, table in own.items()}
    if not isinstance(names, list) or not names:
        raise InputError(argument, f"expected a list of labels, got {names!r}.")
    for name in names:
        if not isinstance(name, str) or name not in known:
            raise InputError(
                argument,
                f"{name!r} is not known. Give the paper's labels "
                f"({', '.join(contender.label for contender in PAPER)}), names of methods (see "
                '"voteprune methods"), or describe it in [method.LABEL].',
            )
    return tuple(known[name] for name in names)


def find_function(path: object) -> Callable[..., Any]:
    """Return a function of the user's own, if it can be called as one must be.

    Parameters
    ----------
    path
        ``module.function``. The module is imported, which runs it: a plan is code.
    """
    if not isinstance(path, str):
        raise InputError("function", f"is {path!r}. Write module.function, as text.")
    module, _, name = path.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), name)
    except Exception as error:  # whatever the module does when it is run
        raise InputError(
            "function", f"{path!r} cannot be imported ({error}). Write module.function."
        ) from None
    if not callable(found):
        raise InputError("function", f"{path!r} is not a function. Write module.function.")
    try:
        inspect.signature(found).bind(None, time_limit=None, random_state=0)
    except (TypeError, ValueError):
        raise InputError(
            "function",
            f"{path!r} is no method: it cannot be called as function(votes, time_limit=..., "
            "random_state=...). Write one that can.",
        ) from None
    return found  # type: ignore[no-any-return]


def _own(label: str, table: Any) -> Contender:
    known = set(Contender.__slots__) - {"label"}
    if not isinstance(table, dict) or set(table) - known:
        raise InputError(f"method.{label}", f"may have only {', '.join(sorted(known))}.")
    return Contender(label=label, **table)
