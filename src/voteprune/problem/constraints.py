"""What a committee must respect, as small values: size, members, cost, metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..exceptions import InputError
from ..numbers.exact import exact, show
from .criteria import Criterion, check_limited

_NO_SHARES = ("tp", "fn", "tn", "fp", "cohen_kappa", "mcc")
"""Criteria by name that do not lie between 0 and 1; all others do."""

_SHOWN = 8
"""Names that a message lists."""


@dataclass(frozen=True, slots=True, init=False)
class _Limit:
    """A limit on the committee's size, on a linear criterion or on a ratio."""

    what: Criterion
    limit: Fraction

    def __init__(self, what: Criterion, limit: object) -> None:
        name = type(self).__name__
        if what != "size":
            check_limited(what, f"{name}(what)")
        bound = exact(limit, f"{name}({what}, limit)")
        if what == "size" and (bound.denominator != 1 or bound < 1):
            raise InputError(
                f"{name}('size', limit)", f"is {limit!r}; a size is a whole number from 1 on."
            )
        share = isinstance(what, str) and what != "size" and what not in _NO_SHARES
        if share and not 0 <= bound <= 1:
            raise InputError(
                f"{name}({what!r}, limit)",
                f"is {limit!r}; {what} is a share between 0 and 1. Give 0.9 for 90 %.",
            )
        object.__setattr__(self, "what", what)
        object.__setattr__(self, "limit", bound)


@dataclass(frozen=True, slots=True, init=False)
class AtLeast(_Limit):
    """The size or a criterion must not fall below a limit.

    ``AtLeast("size", 3)``, ``AtLeast("recall", 0.9)``, ``AtLeast("precision", 0.8)``,
    ``AtLeast(Weights(tp=2, fp=-1), 40)``.
    """

    def __str__(self) -> str:
        return f"{self.what} >= {show(self.limit)}"


@dataclass(frozen=True, slots=True, init=False)
class AtMost(_Limit):
    """The size or a criterion must not exceed a limit.

    ``AtMost("size", 7)``, ``AtMost("fp", 50)``, ``AtMost("false_positive_rate", 0.05)``.
    """

    def __str__(self) -> str:
        return f"{self.what} <= {show(self.limit)}"


@dataclass(frozen=True, slots=True, init=False)
class _Members:
    members: tuple[int | str, ...]

    def __init__(self, *members: int | str) -> None:
        name = type(self).__name__
        if not members:
            raise InputError(name, "names no classifier. Give indices or names.")
        for member in members:
            if isinstance(member, bool) or not (
                isinstance(member, str) or hasattr(member, "__index__")
            ):
                raise InputError(name, f"{member!r} is neither an index nor a name.")
        object.__setattr__(
            self,
            "members",
            tuple(m if isinstance(m, str) else int(m) for m in members),
        )

    def indices(self, names: Sequence[str]) -> tuple[int, ...]:
        """Return the members' places in the pool called `names`."""
        name = type(self).__name__
        found = []
        for member in self.members:
            if isinstance(member, str):
                if member not in names:
                    raise InputError(name, _nobody(member, names))
                found.append(names.index(member))
            elif 0 <= member < len(names):
                found.append(member)
            else:
                raise InputError(
                    name, f"index {member} is outside the pool's 0 .. {len(names) - 1}."
                )
        return tuple(sorted(set(found)))

    def _list(self) -> str:
        return ", ".join(str(member) for member in self.members)


@dataclass(frozen=True, slots=True, init=False)
class Require(_Members):
    """These classifiers must sit, given by index or name: ``Require("rf_1", 4)``."""

    def __str__(self) -> str:
        return f"require {self._list()}"


@dataclass(frozen=True, slots=True, init=False)
class Forbid(_Members):
    """These classifiers must not sit, given by index or name."""

    def __str__(self) -> str:
        return f"forbid {self._list()}"


@dataclass(frozen=True, slots=True, init=False)
class Budget:
    """The members' costs must not add up to more than a limit.

    Parameters
    ----------
    costs
        One cost per classifier of the pool in its order, or a mapping from name to cost in which
        a classifier that is not named is free. Any unit: milliseconds, bytes, money.
    limit
        What may be spent.
    """

    costs: tuple[Fraction, ...] | tuple[tuple[str, Fraction], ...]
    limit: Fraction

    def __init__(self, costs: Sequence[object] | Mapping[str, object], limit: object) -> None:
        if isinstance(costs, Mapping):
            read: object = tuple(
                (str(name), exact(cost, f"Budget(costs[{name!r}])")) for name, cost in costs.items()
            )
        else:
            try:
                listed = list(costs)
            except TypeError:
                raise InputError(
                    "Budget(costs)", f"expected one cost per classifier, got {costs!r}."
                ) from None
            read = tuple(exact(cost, f"Budget(costs[{i}])") for i, cost in enumerate(listed))
        object.__setattr__(self, "costs", read)
        object.__setattr__(self, "limit", exact(limit, "Budget(limit)"))

    def for_pool(self, names: Sequence[str]) -> tuple[Fraction, ...]:
        """Return one cost per classifier of the pool called `names`."""
        named = {item[0]: item[1] for item in self.costs if isinstance(item, tuple)}
        if named or not self.costs:
            unknown = [name for name in named if name not in names]
            if unknown:
                raise InputError("Budget(costs)", _nobody(unknown[0], names))
            return tuple(named.get(name, Fraction(0)) for name in names)
        plain = tuple(item for item in self.costs if isinstance(item, Fraction))
        if len(plain) != len(names):
            raise InputError(
                "Budget(costs)",
                f"has {len(plain)} costs for {len(names)} classifiers; give one each, "
                "or a mapping from name to cost.",
            )
        return plain

    def __str__(self) -> str:
        return f"cost <= {show(self.limit)}"


Constraint = AtLeast | AtMost | Require | Forbid | Budget
"""Anything `prune` takes in its `constraints`."""


def _nobody(name: str, names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:_SHOWN])) + (", ..." if len(names) > _SHOWN else "")
    return f"no classifier of the pool is called {name!r}. Give one of {shown}."


def check_constraints(constraints: object) -> tuple[Constraint, ...]:
    """Return the constraints as a tuple, None for none of them, or say what is not one."""
    if constraints is None:
        return ()
    if isinstance(constraints, Constraint):
        return (constraints,)
    if isinstance(constraints, str) or not isinstance(constraints, Sequence):
        raise InputError("constraints", f"expected a list of constraints, got {constraints!r}.")
    for item in constraints:
        if not isinstance(item, Constraint):
            raise InputError(
                "constraints",
                f"{item!r} is not a constraint. Use AtLeast, AtMost, Require, Forbid or Budget.",
            )
    return tuple(constraints)


def check_pool(constraints: Sequence[Constraint], names: Sequence[str]) -> None:
    """Refuse constraints that do not fit a pool of these names."""
    size_range(constraints, len(names))
    for item in constraints:
        if isinstance(item, Budget):
            item.for_pool(names)
        elif isinstance(item, Require | Forbid):
            item.indices(names)


def size_range(requests: Sequence[Constraint], k: int) -> tuple[int, int]:
    """Return the least and the largest size that the constraints allow."""
    low, high = 1, k
    for request in requests:
        if isinstance(request, AtLeast) and request.what == "size":
            low = max(low, int(request.limit))
        elif isinstance(request, AtMost) and request.what == "size":
            high = min(high, int(request.limit))
    if low > high:
        raise InputError(
            "constraints",
            f"the size must be at least {low} and at most {high}, which no committee can be"
            f"{f': the pool has {k} classifiers' if low > k else ''}.",
        )
    return low, high
