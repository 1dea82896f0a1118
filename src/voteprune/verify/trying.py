"""Every committee there is, one after the other, for pools where that is quick."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb

from .document import Document
from .limits import Limits
from .pool import Pool

MOST = 2**27
"""Steps of work up to which everything is tried, which takes some ten seconds."""

_EACH = 40
"""Steps that a set of members takes by itself."""


def is_small(document: Document, pool: Pool) -> bool:
    """Tell whether everything can be tried within `MOST` steps.

    A set of members takes `_EACH` of them, one for every pattern and one for every classifier; each
    limited criterion takes the patterns once more, each limited cost the classifiers, and limits
    on diversity a quarter of the classifiers squared.
    """
    seats, sets = len(pool.seats), 0
    each = _EACH + len(pool.patterns) * (1 + len(document.criteria))
    each += seats * (1 + len(document.costs))
    each += 0 if document.diversity is None else seats * seats // 4
    free = seats - len(document.required)
    for size in _sizes(document, pool):
        sets += comb(free, size - len(document.required))
        if sets * each > MOST:
            return False
    return True


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
    bit = {k: 1 << (len(document.names) - 1 - k) for k in pool.seats}
    votes = [int(pattern.votes, 2) for pattern in pool.patterns]
    for members in _all_members(document, pool):
        code = sum(bit[k] for k in members)
        counts = [(positive & code).bit_count() for positive in votes]
        levels = list(range(len(members)))
        if least is not None:
            sums = _sums(pool.net, counts, len(members))
            levels = [level for level in levels if pool.base + sums[level] >= least]
        for limit in limits.criteria:
            sums = _sums(limit.net, counts, len(members))
            levels = [level for level in levels if limit.base + sums[level] >= limit.least]
        # What does not depend on the threshold is judged once.
        if levels and not any(limits.member_faults(members)):
            return members, levels[0]
    return None


def _sizes(document: Document, pool: Pool) -> range:
    least = max(document.size_min, len(document.required), 1)
    return range(least, min(document.size_max, len(pool.seats)) + 1)


def _all_members(document: Document, pool: Pool) -> Iterator[tuple[int, ...]]:
    required = document.required
    if set(required) - set(pool.seats):
        return
    others = [k for k in pool.seats if k not in required]
    for size in _sizes(document, pool):
        for chosen in combinations(others, size - len(required)):
            yield tuple(sorted(required + chosen))


def _sums(net: Sequence[int], counts: Sequence[int], size: int) -> list[int]:
    """Return for every threshold the sum of the patterns with more votes than that."""
    sums = [0] * (size + 1)
    for value, count in zip(net, counts, strict=True):
        sums[count] += value
    for count in range(size - 1, 0, -1):
        sums[count] += sums[count + 1]
    return sums[1:]
