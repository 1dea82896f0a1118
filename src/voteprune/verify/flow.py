"""The minimum cut, checked as what it is the opposite of: a flow.

If everybody who votes for pattern i also votes for pattern j, no committee calls i positive and j
negative. So of what i gains as a positive and j as a negative, the smaller part is lost. A flow
pairs off such losses without counting anything twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .pool import Pool


def hopeless(pool: Pool) -> set[int]:
    """Return the used patterns on which no eligible classifier votes the right way."""
    return {i for i, helps in enumerate(pool.helps) if not helps}


def cut_bound(pool: Pool, flow: Sequence[tuple[int, int, int]]) -> int:
    """Return the bound that a flow proves."""
    lost = sum(pool.weights[i] for i in hopeless(pool)) + sum(amount for *_, amount in flow)
    return pool.reachable(pool.ceiling - lost)


def flow_faults(pool: Pool, flow: Sequence[tuple[int, int, int]]) -> Iterator[str]:
    """Yield what is wrong with a flow: pairs that do not conflict, and more than there is."""
    none, spent = hopeless(pool), [0] * len(pool.used)
    for i, j, amount in flow:
        if not (0 <= i < len(spent) and 0 <= j < len(spent)) or amount < 0 or {i, j} & none:
            yield f"the flow from {i} to {j} is no flow"
        elif not pool.positive[i] or pool.positive[j]:
            yield f"the flow from {i} to {j} does not lead from a gain as positive to a negative"
        elif pool.helps[i] & pool.helps[j]:
            # helps[j] are those who vote negative on j, so somebody is right on both.
            yield f"patterns {i} and {j} can both be decided right, yet the cut pairs them off"
        else:
            spent[i] += amount
            spent[j] += amount
    for i, (used, weight) in enumerate(zip(spent, pool.weights, strict=True)):
        if used > weight:
            yield f"the cut takes {used} from pattern {i}, which has only {weight} to lose"
