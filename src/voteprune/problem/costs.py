"""`read_costs`: what classifiers cost, one by one or by name."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ..exceptions import InputError
from ..numbers.exact import exact

Costs = tuple[Fraction, ...] | tuple[tuple[str, Fraction], ...]
"""One for each classifier of the pool, or pairs of name and cost; none at all is pairs."""


def read_costs(costs: Any) -> Costs:
    """Return costs exactly.

    Raises
    ------
    InputError
        If they are neither a mapping nor a list of numbers.
    """
    costs = _by_index(costs, "Budget(costs)")
    if isinstance(costs, Mapping):
        return tuple(
            (str(name), exact(cost, f"Budget(costs[{name!r}])")) for name, cost in costs.items()
        )
    try:
        listed = list(costs)
    except TypeError:
        raise InputError(
            "Budget(costs)", f"expected one cost per classifier, got {costs!r}."
        ) from None
    if not listed:
        raise InputError("Budget(costs)", "is empty; give one cost per classifier.")
    return tuple(exact(cost, f"Budget(costs[{i}])") for i, cost in enumerate(listed))


def costs_by_name(costs: Costs) -> dict[str, Fraction] | None:
    """Return costs that have names by them, None where they are one for each classifier."""
    named = dict(item for item in costs if isinstance(item, tuple))
    return named if len(named) == len(costs) else None


def _by_index(values: Any, argument: str) -> Any:
    """Return a series that has an index of its own, as of names, as a mapping; all else as it is.

    Raises
    ------
    InputError
        If two values of a series have one name.
    """
    index = getattr(values, "index", None)
    if index is None or callable(index) or getattr(values, "ndim", None) != 1:
        return values
    labels = list(index)
    if labels == list(range(len(labels))):
        return list(values)
    if len(set(labels)) < len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise InputError(argument, f"has {twice!r:.60} twice in its index. Name each once.")
    return dict(zip(labels, values, strict=True))
