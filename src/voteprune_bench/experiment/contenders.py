"""What is compared: labels of the tables, and the way of pruning each stands for."""

from __future__ import annotations

import importlib
import inspect
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from voteprune.exceptions import InputError
from voteprune.problem.constraints import Budget, Constraint
from voteprune.problem.margin import Margin
from voteprune.problem.metrics import Criterion, check_criterion
from voteprune.soft.probabilities import CLIP
from voteprune.soft.pruning import OBJECTIVES
from voteprune.soft.reading import read_clip
from voteprune.solve.request import NO_PENALTY, PENALTY, Arguments, check_plan, check_soft_plan
from voteprune.strategies.registry import METHODS

VOTES, PROBABILITIES = "votes", "probabilities"
"""What a function of the user's own may take."""

_SINCE = ("constraints", "penalty", "clip", "takes")
"""Fields that came later: hashes of tasks that leave them alone stay what they were."""

_LIMITS = ("min_size", "max_size", "at_least", "at_most", "require", "forbid", "group", "group_by")
"""Constraints that a plan writes as the command line does; budgets beside them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """A way of pruning, by the label it has in the tables.

    Parameters
    ----------
    label
        What the tables call it.
    method, objective, diversity, solver, threshold
        As in `voteprune.prune`; the objective may also be a margin or weights, written as on the
        command line: ``ramp:1``. With log_loss, pool_log_loss or brier it takes probabilities.
    constraints
        As options of the command line: ``{max_size = 7, at_least = ["recall=0.9"]}``, and a
        budget with the costs by name, ``{budget = 3, costs = {rf_1 = 2}}``.
    penalty, clip
        Of soft committees, as in `voteprune.prune` and `voteprune.Probabilities`.
    time_limit
        Seconds; the plan's when None.
    function
        Instead of a method of voteprune: ``module.function`` of your own. It is called as
        ``function(votes, time_limit=..., random_state=...)`` and returns a `voteprune.Committee`,
        or the members' indices, which then decide by majority.
    takes
        What `function` is given: "votes", or "probabilities". The latter is called as
        ``function(probabilities, y, time_limit=..., random_state=...)``, rows by classifiers, and
        returns an object with ``members`` and ``predict_proba(probabilities)``.
    version
        Change it when `function` changes; its tasks run again.
    """

    label: str
    method: str = "exact"
    objective: str = "accuracy"
    diversity: str | None = None
    solver: str | None = None
    threshold: str | None = None
    constraints: Mapping[str, Any] = field(default_factory=dict)
    penalty: float | None = None
    clip: float | None = None
    time_limit: float | None = None
    function: str | None = None
    takes: str = VOTES
    version: int = 1

    @property
    def proves(self) -> bool:
        """Whether it bounds what any committee can reach, and so may use all its time."""
        return self.function is None and METHODS[self.method].proves

    @property
    def soft(self) -> bool:
        """Whether it chooses a committee of weighted probabilities."""
        return self.function is None and self.objective in tuple(OBJECTIVES)

    def fields(self) -> dict[str, Any]:
        """Return what decides over its result."""
        plain = asdict(Contender(label=self.label))
        said = asdict(self)
        return {
            name: value
            for name, value in said.items()
            if name not in _SINCE or value != plain[name]
        }

    def goal(self) -> Criterion | Margin:
        """Return the objective as `prune` takes it."""
        from voteprune.cli.option_texts import read_objective

        return read_objective(self.objective) if isinstance(self.objective, str) else self.objective

    def requests(self, names: Sequence[str]) -> tuple[Constraint, ...]:
        """Return the constraints for the pool called `names`.

        Raises
        ------
        InputError
            If they are none, or do not fit the pool.
        """
        return read_requests(self.constraints, names)

    def check(self) -> None:
        """Refuse, before any work, what `prune` would refuse in every task."""
        try:
            check_limit(self.time_limit, none=True)
            if type(self.version) is not int:
                raise InputError("version", f"is {self.version!r}. Give a whole number.")
            if self.function is not None:
                self._check_function()
                return
            if not self.soft:
                self._refuse("penalty", "clip", why=NO_PENALTY)
            self._refuse("takes", why="is for functions of your own. Leave it out.")
            # Groups are by the classifiers' names, which are known when there are votes.
            asked = {k: v for k, v in _table(self.constraints).items() if "group" not in k}
            arguments: dict[str, Any] = {
                "objective": self.goal(),
                "method": self.method,
                "solver": self.solver,
                "diversity": self.diversity,
                "threshold": self.threshold,
                "time_limit": self.time_limit,
                "constraints": read_requests(asked, ()),
            }
            if self.soft:
                check_soft_plan(
                    Arguments(**arguments), PENALTY if self.penalty is None else self.penalty
                )
                read_clip(CLIP if self.clip is None else self.clip, 2)
                return
            plan = check_plan(**arguments)
        except InputError as error:
            raise InputError(f"method.{self.label}: {error.argument}", error.message) from None
        if plan.circumstances.solver is not None:
            plan.circumstances.solver.info.require()

    def _check_function(self) -> None:
        if self.takes not in (VOTES, PROBABILITIES):
            raise InputError("takes", f"is {self.takes!r}. Write {VOTES} or {PROBABILITIES}.")
        self._refuse("constraints", "penalty", "clip", why="is not for functions. Leave it out.")
        find_function(self.function, self.takes)
        if self.takes == VOTES:
            check_criterion(self.objective, "objective")

    def _refuse(self, *names: str, why: str) -> None:
        plain = Contender(label=self.label)
        for name in names:
            if getattr(self, name) != getattr(plain, name):
                raise InputError(name, why)


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

OTHERS = (
    Contender(label="F1-HiGHS", method="paper", solver="highs"),
    *(
        Contender(label=label, function=f"{__package__}.{name}", takes=PROBABILITIES)
        for label, name in {
            "stacking": "rivals.stacking",
            "greedy log loss": "greedy.by_log_loss",
            "greedy accuracy": "greedy.by_accuracy",
        }.items()
    ),
)
"""F1 as the paper published it, and what people take instead: see `rivals` and `greedy`."""


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
    known = {contender.label: contender for contender in (*PAPER, *OTHERS)}
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
                f"({', '.join(contender.label for contender in PAPER)}), others "
                f"({', '.join(contender.label for contender in OTHERS)}), names of methods (see "
                '"voteprune methods"), or describe it in [method.LABEL].',
            )
    return tuple(known[name] for name in names)


def read_requests(table: object, names: Sequence[str]) -> tuple[Constraint, ...]:
    """Read the constraints of a plan."""
    from voteprune.cli.shared_options import Limits

    said = _table(table)
    found: list[Constraint] = []
    if "budget" in said or "costs" in said:
        if not isinstance(said.get("costs"), Mapping) or "budget" not in said:
            raise InputError("constraints", "budget and costs = {name = cost} need each other.")
        found.append(Budget(said["costs"], said["budget"]))
    plain = {name: value for name, value in said.items() if name in _LIMITS}
    for name, value in plain.items():
        whole = name.endswith("_size")
        fits = type(value) is int if whole else isinstance(value, list)
        if not fits or not (whole or all(isinstance(item, str) for item in value)):
            expected = "a whole number" if whole else "a list of texts"
            raise InputError("constraints", f"{name} is {value!r:.60}; expected {expected}.")
    return (*found, *Limits(**plain).read().for_pool(names))


def _table(constraints: object) -> Mapping[str, Any]:
    known = (*_LIMITS, "budget", "costs")
    if not isinstance(constraints, Mapping) or set(constraints) - set(known):
        raise InputError("constraints", f"expected a table that may have {', '.join(known)}.")
    return constraints


def find_function(path: object, takes: str = VOTES) -> Callable[..., Any]:
    """Return a function of the user's own, if it can be called as one must be.

    Parameters
    ----------
    path
        ``module.function``. The module is imported, which runs it: a plan is code.
    takes
        What it is given.
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
    given = ("votes",) if takes == VOTES else (PROBABILITIES, "y")
    try:
        inspect.signature(found).bind(*given, time_limit=None, random_state=0)
    except (TypeError, ValueError):
        raise InputError(
            "function",
            f"{path!r} is no method: it cannot be called as function({', '.join(given)}, "
            "time_limit=..., random_state=...). Write one that can.",
        ) from None
    return found  # type: ignore[no-any-return]


def check_limit(limit: object, *, none: bool = False) -> None:
    """Refuse what is no time limit of a plan.

    Parameters
    ----------
    limit
        Seconds.
    none
        Whether it may be left open.
    """
    number = isinstance(limit, int | float) and not isinstance(limit, bool)
    if not (number and 0 <= limit < math.inf) and not (none and limit is None):  # type: ignore[operator]
        raise InputError("time_limit", f"is {limit!r}; give seconds, 0 or more.")


def _own(label: str, table: Any) -> Contender:
    known = {part.name for part in fields(Contender)} - {"label"}
    if not isinstance(table, dict) or set(table) - known:
        raise InputError(f"method.{label}", f"may have only {', '.join(sorted(known))}.")
    try:
        json.dumps(table)  # hashes of tasks are made of it
    except TypeError:
        raise InputError(
            f"method.{label}", "holds a date or a time. Give numbers, texts, lists and tables."
        ) from None
    return Contender(label=label, **table)
