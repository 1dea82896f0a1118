"""The objective the estimator takes where its user names none, ``objective="auto"``, and why.

The committee with the most validation rows right is partly lucky, and others are right on more
unseen rows (docs/results/generalisation.md, by the rule of docs/results/protocol.md). With soft
voting it is log loss with at most ten members: as accurate there as the hard one below, and rows
are ranked far better. ``voting="auto"``, the default, is soft for a list of models that all give
probabilities or scores, with no limits but those on who sits and how many: where a floor under
recall is asked for, say, a cut-off on the probability may not keep what votes can. Forests, whose
members are alike, were not tried with probabilities, and vote.

Where members vote, it is `Ramp(1)`, rows won by a margin, wherever a margin can be had:

- with two classes, a method that knows margins, and the majority as threshold;
- with no limits but those on who sits and how many. A floor under recall, say, may be within reach
  of some threshold and not of the majority, and limits on diversity were not tried: whoever gives
  one gets accuracy.

A limit on the size stays the user's own. In a forest the members are alike, and more of them are
needed: seven trees of a forest lost almost two points to as many as the ramp likes
(docs/results/forests.md), so for ensembles of one kind of model there is no limit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..exceptions import InputError
from ..problem.constraints import (
    AtLeast,
    AtMost,
    Budget,
    Constraint,
    Group,
    Require,
    check_constraints,
)
from ..problem.margin import Ramp
from ..solve.request import check_plan
from ..strategies.registry import kind_of

AUTO: Final = "auto"
"""The estimator's word for an objective that it chooses."""

MOST: Final = 7
"""Members of a hard committee for which nobody asked for a size."""

MOST_SOFT: Final = 10
"""Members of a soft one."""


def settle(arguments: Mapping[str, Any], two_classes: bool, alike: bool) -> dict[str, Any]:
    """Return what `prune` is asked for, with an objective in the place of "auto".

    Parameters
    ----------
    arguments
        The arguments of `prune`.
    two_classes
        Whether there are no more.
    alike
        Whether the members are models of one kind, those of a forest, say.

    Raises
    ------
    InputError
        If `constraints` are none. What else may be wrong is left to the checks of `prune`.
    """
    if not is_open(arguments):
        return dict(arguments)
    requests = check_constraints(arguments["constraints"])
    careful = {**arguments, "objective": Ramp(1), "constraints": _with_few(requests, alike, MOST)}
    if two_classes and _may_be_margin(careful, requests):
        return careful
    return {**arguments, "objective": "accuracy"}


def settle_soft(arguments: Mapping[str, Any], alike: bool) -> dict[str, Any]:
    """Return what `prune` is asked for a soft committee, log loss and few members for "auto".

    Raises
    ------
    InputError
        If `constraints` are none.
    """
    if not is_open(arguments):
        return dict(arguments)
    requests = check_constraints(arguments["constraints"])
    few = _with_few(requests, alike, MOST_SOFT)
    return {**arguments, "objective": "log_loss", "constraints": few}


def limits_criteria(requests: Sequence[Constraint]) -> bool:
    """Whether something is limited but who sits and how many."""
    return any(kind_of(item) == "criterion" for item in requests)


def is_open(arguments: Mapping[str, Any]) -> bool:
    """Whether the objective is left to the estimator."""
    return isinstance(arguments["objective"], str) and arguments["objective"] == AUTO


def _with_few(requests: Sequence[Constraint], alike: bool, most: int) -> tuple[Constraint, ...]:
    few = () if alike or _limits_size(requests, most) else (AtMost("size", most),)
    return (*requests, *few)


def _may_be_margin(arguments: Mapping[str, Any], requests: Sequence[Constraint]) -> bool:
    if arguments["diversity"] is not None or limits_criteria(requests):
        return False
    try:
        check_plan(**arguments)
    except InputError:
        return False
    return True


def _limits_size(requests: Sequence[Constraint], most: int) -> bool:
    """Whether there is a limit on the size already, or one of `most` could not be kept.

    Of any committee that is allowed, so many members or fewer are allowed too, unless more are
    asked for: all that is left are budgets, which they keep if nobody's cost is below zero, and at
    most so many of a group.
    """
    asked_for: set[int | str] = set()
    of_groups = 0
    for item in requests:
        if isinstance(item, AtMost) and item.what == "size":
            return True
        if isinstance(item, AtLeast) and item.what == "size" and item.limit > most:
            return True
        if pays(item):
            return True
        if isinstance(item, Require):
            asked_for.update(item.members)
        if isinstance(item, Group):
            of_groups += item.at_least or 0
    return len(asked_for) + of_groups > most


def pays(item: Constraint) -> bool:
    """Whether it is a budget that members can add to, by a cost below zero."""
    if not isinstance(item, Budget):
        return False
    costs = (entry[1] if isinstance(entry, tuple) else entry for entry in item.costs)
    return any(cost < 0 for cost in costs)
