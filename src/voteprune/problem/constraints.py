"""What a committee must respect, as small values: size, members, groups, cost, metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ..exceptions import InputError
from ..numbers.exact import exact, show
from ..votes.plurality import Label
from .costs import Costs, costs_by_name, read_costs
from .measured_costs import seconds_of
from .metrics import Criterion, check_limited
from .naming import (
    SHOWN,
    check_name,
    checked_name,
    nobody_called,
    places_of,
    read_members,
    with_name,
)

_NO_SHARES = ("tp", "fn", "tn", "fp", "cohen_kappa", "mcc")
"""Criteria by name that do not lie between 0 and 1; all others do."""

OF_MEMBERS = ("size", "coverage")
"""What limits go on that members alone decide; all else is a criterion."""


@dataclass(frozen=True, slots=True, init=False)
class _Limit:
    """A limit on the committee's size or coverage, on a linear criterion or on a ratio."""

    what: Criterion
    limit: Fraction
    of: Label | None
    name: str | None = field(compare=False)

    def __init__(
        self,
        what: Criterion,
        limit: object,
        *,
        of: Label | None = None,
        name: str | None = None,
    ) -> None:
        kind = type(self).__name__
        if what not in OF_MEMBERS:
            check_limited(what, f"{kind}(what)")
        elif of is not None:
            raise InputError(f"{kind}(of)", f"is {of!r}, but no class has a {what}. Leave it out.")
        bound = exact(limit, f"{kind}({what}, limit)")
        if what == "size" and (bound.denominator != 1 or bound < 1):
            raise InputError(
                f"{kind}('size', limit)", f"is {limit!r}; a size is a whole number from 1 on."
            )
        share = isinstance(what, str) and what != "size" and what not in _NO_SHARES
        if what == "coverage" and kind != "AtLeast":
            raise InputError(
                f"{kind}(what)", "coverage can be asked for, not limited. Use AtLeast."
            )
        if share and not 0 <= bound <= 1:
            raise InputError(
                f"{kind}({what!r}, limit)",
                f"is {limit!r}; {what} is a share between 0 and 1. Give 0.9 for 90 %.",
            )
        object.__setattr__(self, "what", what)
        object.__setattr__(self, "limit", bound)
        object.__setattr__(self, "of", of)
        object.__setattr__(self, "name", checked_name(name, kind))

    def _criterion(self) -> str:
        return str(self.what) if self.of is None else f"{self.what} of {self.of}"


@dataclass(frozen=True, slots=True, init=False)
class AtLeast(_Limit):
    """The size, the coverage or a criterion must not fall below a limit.

    ``AtLeast("size", 3)``, ``AtLeast("recall", 0.9)``, ``AtLeast("precision", 0.8)``,
    ``AtLeast(Weights(tp=2, fp=-1), 40)``. With several classes a criterion is that of one class
    against the rest, ``AtLeast("recall", 0.8, of="cat")``; of two it is that of the positive class
    where none is named, and `of` takes either label. ``AtLeast("coverage", 0.9)``: where
    classifiers abstain, a member must have voted on nine rows of ten. All limits may have a `name`
    by which they are shown, ``AtLeast("recall", 0.9, name="safety")``.
    """

    def __str__(self) -> str:
        return with_name(self.name, f"{self._criterion()} >= {show(self.limit)}")


@dataclass(frozen=True, slots=True, init=False)
class AtMost(_Limit):
    """The size or a criterion must not exceed a limit.

    ``AtMost("size", 7)``, ``AtMost("fp", 50)``, ``AtMost("false_positive_rate", 0.05)``; with
    several classes ``AtMost("fp", 50, of="cat")``.
    """

    def __str__(self) -> str:
        return with_name(self.name, f"{self._criterion()} <= {show(self.limit)}")


@dataclass(frozen=True, slots=True, init=False)
class _Members:
    members: tuple[int | str, ...]
    name: str | None = field(compare=False)

    def __init__(self, *members: int | str, name: str | None = None) -> None:
        kind = type(self).__name__
        object.__setattr__(self, "members", read_members(kind, members))
        object.__setattr__(self, "name", checked_name(name, kind))

    def indices(self, names: Sequence[str]) -> tuple[int, ...]:
        """Return the members' places in the pool called `names`."""
        return places_of(type(self).__name__, self.members, names)

    def _list(self) -> str:
        return ", ".join(str(member) for member in self.members)


@dataclass(frozen=True, slots=True, init=False)
class Require(_Members):
    """These classifiers must sit, given by index or name: ``Require("rf_1", 4)``."""

    def __str__(self) -> str:
        return with_name(self.name, f"require {self._list()}")


@dataclass(frozen=True, slots=True, init=False)
class Forbid(_Members):
    """These classifiers must not sit, given by index or name."""

    def __str__(self) -> str:
        return with_name(self.name, f"forbid {self._list()}")


@dataclass(frozen=True, slots=True, init=False)
class Budget:
    """The members' costs must not add up to more than a limit.

    Parameters
    ----------
    costs
        One cost per classifier of the pool in its order, or a mapping (or pandas series) from name
        to cost in which a classifier that is not named is free. Any unit: milliseconds, bytes,
        money.
    limit
        What may be spent.
    name
        What it is called where it is shown: ``Budget(costs, 20, name="latency")``.
    """

    costs: Costs
    limit: Fraction
    name: str

    def __init__(
        self,
        costs: Sequence[object] | Mapping[str, object],
        limit: object,
        name: str = "cost",
    ) -> None:
        object.__setattr__(self, "costs", read_costs(costs))
        object.__setattr__(self, "limit", exact(limit, "Budget(limit)"))
        object.__setattr__(self, "name", check_name(name, "Budget(name)"))

    @classmethod
    def measured(
        cls,
        estimators: object,
        X: object,
        limit: object = None,
        *,
        repeats: int = 5,
        method: str = "predict",
        name: str = "seconds",
    ) -> Budget:
        """Return a budget of seconds: how long fitted estimators take to predict some rows.

        Parameters
        ----------
        estimators
            A mapping from name to fitted estimator, pairs of both, or the pool's estimators in its
            order.
        X
            The rows that each predicts: as many as are to be predicted at a time.
        limit
            Seconds that a committee may take; what all take together when omitted, which limits
            nothing. See `within` for another, and ``front(by=budget)`` for all.
        repeats
            How often each is timed; the median counts.
        method
            What is called: predict, predict_proba or decision_function.
        name
            What it is called where it is shown.
        """
        costs = seconds_of(estimators, X, repeats, method)
        listed = costs.values() if isinstance(costs, dict) else costs
        everything = sum((exact(cost, "costs") for cost in listed), Fraction(0))
        return cls(costs, everything if limit is None else limit, name)

    def within(self, limit: object) -> Budget:
        """Return the same costs under another limit."""
        named = costs_by_name(self.costs)
        return Budget(self.costs if named is None else named, limit, self.name)

    def for_pool(self, names: Sequence[str]) -> tuple[Fraction, ...]:
        """Return one cost per classifier of the pool called `names`."""
        named = costs_by_name(self.costs)
        if named is not None:
            unknown = [name for name in named if name not in names]
            if unknown:
                raise InputError("Budget(costs)", nobody_called(unknown[0], names))
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
        return f"{self.name} <= {show(self.limit)}"


@dataclass(frozen=True, slots=True, init=False)
class Group:
    """So many of some classifiers may sit, or must.

    ``Group(["a1", "a2", "a3"], at_most=1, name="team a")``. Groups may overlap. Several at once
    come from `by_label` and `by_prefix`.

    Parameters
    ----------
    members
        The classifiers, by index or name.
    at_most, at_least
        How many of them may sit, and how many must; one of the two, or both.
    name
        What the group is called where it is shown; its members are listed when omitted.
    """

    members: tuple[int | str, ...]
    at_most: int | None
    at_least: int | None
    name: str | None

    def __init__(
        self,
        members: Iterable[int | str],
        *,
        at_most: int | None = None,
        at_least: int | None = None,
        name: str | None = None,
    ) -> None:
        if isinstance(members, str) or not isinstance(members, Iterable):
            raise InputError(
                "Group(members)", f"expected a list of classifiers, got {members!r}. Give indices "
                "or names, as in ['a1', 'a2']."
            )  # fmt: skip
        called = None if name is None else check_name(name, "Group(name)")
        listed = read_members("Group(members)", tuple(members))
        of = f" of {called}" if called else ""
        for word, number in (("at_most", at_most), ("at_least", at_least)):
            whole = hasattr(number, "__index__") and not isinstance(number, bool)
            if number is not None and (not whole or int(number) < 0):
                raise InputError(
                    f"Group({word}){of}", f"is {number!r}; expected a whole number from 0 on."
                )
        if at_most is None and at_least is None:
            raise InputError(
                f"Group(at_most){of}", "and at_least are both left out, which limits nothing. "
                "Give one of them, or both."
            )  # fmt: skip
        if at_least is not None and at_least > (count := len(set(listed))):
            raise InputError(
                f"Group(at_least){of}",
                f"{at_least} cannot sit of {count} classifier{'s' * (count > 1)}. Ask for as many "
                "as there are, or fewer.",
            )
        if at_most is not None and at_least is not None and at_least > at_most:
            raise InputError(
                f"Group(at_least){of}",
                f"at least {at_least} and at most {at_most} cannot be. Give a smaller at_least, or "
                "a larger at_most.",
            )
        object.__setattr__(self, "members", listed)
        object.__setattr__(self, "at_most", None if at_most is None else int(at_most))
        object.__setattr__(self, "at_least", None if at_least is None else int(at_least))
        object.__setattr__(self, "name", called)

    @classmethod
    def by_label(
        cls,
        labels: Mapping[Any, object] | Sequence[object],
        *,
        at_most: int | None = None,
        at_least: int | None = None,
    ) -> tuple[Group, ...]:
        """Return one group for every label, each with these limits.

        Parameters
        ----------
        labels
            A mapping from classifier to the label of its group, or one label per classifier of
            the pool in its order; None for those in no group.
        at_most, at_least
            As in `Group`, for each group.
        """
        if isinstance(labels, str) or not isinstance(labels, Mapping | Sequence):
            raise InputError(
                "Group.by_label(labels)", f"expected a mapping from classifier to group, or one "
                f"label per classifier, got {labels!r}."
            )  # fmt: skip
        pairs = labels.items() if isinstance(labels, Mapping) else enumerate(labels)
        found: dict[str, list[int | str]] = {}
        for member, label in pairs:
            if label is not None:
                found.setdefault(str(label), []).append(member)
        if not found:
            raise InputError("Group.by_label(labels)", "name no group. Give every group a label.")
        return tuple(
            cls(members, at_most=at_most, at_least=at_least, name=label)
            for label, members in found.items()
        )

    @classmethod
    def by_prefix(
        cls,
        names: Iterable[str],
        separator: str = "_",
        *,
        at_most: int | None = None,
        at_least: int | None = None,
    ) -> tuple[Group, ...]:
        """Return one group for every prefix of the classifiers' names, each with these limits.

        ``Group.by_prefix(votes.names, at_most=1)`` puts rf_1 and rf_2 into the group rf.

        Parameters
        ----------
        names
            What the classifiers are called.
        separator
            What ends a prefix; where a name has several, the first does. A name without one is a
            prefix itself.
        at_most, at_least
            As in `Group`, for each group.
        """
        check_name(separator, "Group.by_prefix(separator)")
        listed = list(names)
        labels = {name: str(name).partition(separator)[0] for name in listed}
        if len(set(labels.values())) == len(listed):
            raise InputError(
                "Group.by_prefix(separator)",
                f"no two names share what is before {separator!r}. Give what separates group from "
                f"member in names such as {', '.join(map(repr, listed[:2]))}.",
            )
        return cls.by_label(labels, at_most=at_most, at_least=at_least)

    def indices(self, names: Sequence[str]) -> tuple[int, ...]:
        """Return the members' places in the pool called `names`."""
        return places_of("Group", self.members, names)

    def range(self, names: Sequence[str]) -> tuple[tuple[int, ...], int, int]:
        """Return the members' places in a pool, the fewest and the most of them that may sit."""
        places = self.indices(names)
        most = len(places) if self.at_most is None else min(self.at_most, len(places))
        return places, self.at_least or 0, most

    def __str__(self) -> str:
        least, most = self.at_least, self.at_most
        if least is None:
            words = f"at most {most}"
        elif most is None:
            words = f"at least {least}"
        else:
            words = f"exactly {most}" if least == most else f"{least} to {most}"
        more = len(self.members) - SHOWN
        listed = ", ".join(map(str, self.members[:SHOWN])) + (f", {more} more" * (more > 0))
        return f"{words} of {self.name or listed}"


Constraint = AtLeast | AtMost | Require | Forbid | Budget | Group
"""Anything `prune` takes in its `constraints`."""


_MORE = " Limits on diversity go by diversity=."


def check_constraints(constraints: object) -> tuple[Constraint, ...]:
    """Return the constraints as a tuple, None for none of them, or say what is not one."""
    if constraints is None:
        return ()
    if isinstance(constraints, Constraint):
        return (constraints,)
    if isinstance(constraints, str) or not isinstance(constraints, Sequence):
        raise InputError(
            "constraints", f"expected a list of constraints, got {constraints!r}.{_MORE}"
        )
    for item in constraints:
        if not isinstance(item, Constraint):
            kinds = "AtLeast, AtMost, Require, Forbid, Budget or Group"
            raise InputError("constraints", f"{item!r} is not a constraint. Use {kinds}.{_MORE}")
    return tuple(constraints)


def check_pool(constraints: Sequence[Constraint], names: Sequence[str]) -> None:
    """Refuse constraints that do not fit a pool of these names."""
    size_range(constraints, len(names))
    for item in constraints:
        if isinstance(item, Budget):
            item.for_pool(names)
        elif isinstance(item, Require | Forbid | Group):
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
