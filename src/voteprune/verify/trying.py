"""Every committee there is, one after the other, for pools where that is quick."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from .document import Document
from .limits import Limits
from .pool import Pool

MOST = 2**21
"""Subsets times patterns up to which everything is tried."""


def is_small(pool: Pool) -> bool:
    """Tell whether everything can be tried in a few seconds."""
    return len(pool.patterns) << min(len(pool.seats), 64) <= MOST


def better(
    document: Document, pool: Pool, limits: Limits, least: int | None
) -> tuple[tuple[int, ...], int] | None:
    """Return an allowed committee that is worth `least` or more; None if there is none.

    Parameters
    ----------
    document, pool, limits
        The problem.
    least
        In units; None if any allowed committee will do.
    """
    for members, nets in _all_committees(document, pool):
        for level, net in enumerate(nets):
            high = least is None or pool.base + net >= least
            if high and not any(limits.faults(members, level)):
                return members, level
    return None


def _all_committees(document: Document, pool: Pool) -> Iterator[tuple[tuple[int, ...], list[int]]]:
    """Yield members with their sum less the base, at every threshold."""
    bit = {k: 1 << (len(document.names) - 1 - k) for k in pool.seats}
    patterns = [(int(p.votes, 2), net) for p, net in zip(pool.patterns, pool.net, strict=True)]
    required = tuple(document.required)
    others = [k for k in pool.seats if k not in required]
    if set(required) - set(pool.seats):
        return
    for more in range(len(others) + 1):
        size = len(required) + more
        if not max(document.size_min, 1) <= size <= document.size_max:
            continue
        for chosen in combinations(others, more):
            members = tuple(sorted(required + chosen))
            code = sum(bit[k] for k in members)
            by_count = [0] * (size + 1)
            for votes, net in patterns:
                by_count[(votes & code).bit_count()] += net
            above, nets = 0, []
            for count in range(size, 0, -1):
                above += by_count[count]
                nets.append(above)
            yield members, nets[::-1]
