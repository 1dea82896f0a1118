"""Members set to "drop": what constraints and a start say of them, and of the places of others.

Costs in a list and members by their places are in the order of `estimators`, so that they mean the
same whoever is dropped, as in a grid search over members.
"""

from __future__ import annotations

from typing import Any

from ..exceptions import InputError
from ..problem.constraints import (
    Budget,
    Constraint,
    Forbid,
    Group,
    Require,
    check_constraints,
)
from .pool import Pool


def constraints_left(constraints: Any, pool: Pool) -> Any:
    """Return constraints on all that are listed as constraints on those that are in the pool.

    Parameters
    ----------
    constraints
        What was given; as it is where nobody is dropped.
    pool
        The pool.

    Raises
    ------
    InputError
        If one does not fit the list, or asks for members that are dropped.
    """
    if not pool.drops:
        return constraints
    found = (_left(item, pool) for item in check_constraints(constraints))
    return tuple(item for item in found if item is not None)


def _left(item: Constraint, pool: Pool) -> Constraint | None:
    """Return what is left of a constraint, by names; None for nothing."""
    names = [name for name, _ in pool.pairs]
    if isinstance(item, Budget):
        costs = zip(pool.listed, item.for_pool(pool.listed), strict=True)
        return Budget([cost for name, cost in costs if name in names], item.limit, item.name)
    if not isinstance(item, Require | Forbid | Group):
        return item
    meant = [pool.listed[place] for place in item.indices(pool.listed)]
    left = [name for name in meant if name in names]
    if isinstance(item, Require):
        if gone := [name for name in meant if name not in names]:
            raise InputError(
                "Require",
                f"{gone[0]!r} is set to 'drop' and cannot sit. Require members that are not "
                "dropped, or set it to an estimator.",
            )
        return Require(*left, name=item.name)
    if isinstance(item, Forbid):
        return Forbid(*left, name=item.name) if left else None
    if (item.at_least or 0) > len(left):
        raise InputError(
            "Group(at_least)",
            f"is {item.at_least}, but only {len(left)} of {', '.join(meant)} are not set to "
            "'drop'. Ask for as many as there are, or fewer.",
        )
    if not left:
        return None
    return Group(left, at_most=item.at_most, at_least=item.at_least, name=item.name)


def start_left(start: Any, pool: Pool) -> Any:
    """Return a start that lists members without those that are dropped, the others by name.

    What is no list of members comes back as it is, to be judged as any other.
    """
    if not pool.drops or not isinstance(start, list | tuple):
        return start
    called = [_name_of(each, pool) for each in start]
    gone = set(pool.listed) - {name for name, _ in pool.pairs}
    left = [each for each in called if not (isinstance(each, str) and each in gone)]
    return left if left or not start else None


def _name_of(member: Any, pool: Pool) -> Any:
    """Return the name of a member that goes by its place, and anything else as it is."""
    place = hasattr(member, "__index__") and not isinstance(member, bool)
    return pool.listed[member] if place and 0 <= member < len(pool.listed) else member
