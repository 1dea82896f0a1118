"""Separation: which rows a fractional solution breaks, by sums and matrix products alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..numbers.floats import Floats
from .levels import Levels
from .relaxation_rows import Row

_MOST_ROWS = 400
"""Rows of a kind that are returned, the most violated first. Only speed depends on it."""

_VIOLATION = 1e-3
"""By how much a row must be broken to be returned. Only speed depends on it."""

_TINY = 1e-7
"""By how much x must exceed t for a member to be skipped: the tolerance HiGHS works to."""

_NEAR = 2.0
"""Slack without skipping anybody up to which a pair is looked at more closely."""

_MOST_NEAR, _MOST_LIVE = 4000, 2500
"""Pairs that are looked at more closely, and patterns whose pairs are looked at at all: both bound
the work of one call."""

_BLOCK = 256
"""Patterns that are multiplied with all others at a time, to save memory."""


def violated(
    levels: Levels, at: tuple[int, int], x: Floats, t: Floats, *, portable: bool = False
) -> list[Row]:
    """Return the rows that x and t break most at (S, L).

    Parameters
    ----------
    levels
        The data.
    at
        The (S, L).
    x, t
        A fractional solution.
    portable
        Whether only to look for rows that mean much at other (S, L) too: of one pattern, and of
        two on opposite sides, whose factor is the same everywhere.
    """
    needs, helps = levels.needs(*at), levels.helps
    stay_away = levels.n_classifiers - levels.reach - at[0] + needs
    fresh = _violated_pairs(levels, at[0], needs, x, t, portable)
    kinds = ((False, helps, x, needs), (True, ~helps, 1 - x, stay_away))
    for away, sets, count, asked in kinds[:1] if portable else kinds:
        # The worst B is where x exceeds t: those members count no more than t does.
        skipped = sets & (count[None, :] > t[:, None] + _TINY)
        factors = asked - skipped.sum(axis=1)
        kept = sets & ~skipped
        broken = np.where(factors > 0, factors * t - kept @ count, 0.0)
        for i in _worst(broken):
            shift = int(kept[i].sum()) if away else -int(skipped[i].sum())
            fresh.append(Row((int(i),), kept[i], levels.sides(int(i)), shift, away))
    return fresh


def _violated_pairs(
    levels: Levels, size: int, needs: Floats, x: Floats, t: Floats, opposite: bool
) -> list[Row]:
    """Return broken rows of two patterns."""
    live = np.flatnonzero(t > _VIOLATION)
    if len(live) > _MOST_LIVE:
        # Pairs are many: look at the patterns whose own row is tight.
        spare = levels.helps[live] @ x - needs[live] * t[live]
        live = np.sort(live[np.argpartition(spare, _MOST_LIVE)[:_MOST_LIVE]])
    first, second = _near_pairs(levels, size, needs, x, t, live, opposite)
    helps = levels.helps[live]
    factors = needs[live][first] + needs[live][second] - size
    both = t[live][first] + t[live][second] - 1
    columns = helps[first] & helps[second]
    over = columns & (x[None, :] > both[:, None] + _TINY)
    skipped = over.sum(axis=1)
    columns &= ~over
    broken = np.where(factors > skipped, (factors - skipped) * both - columns @ x, 0.0)
    fresh = []
    for row in _worst(broken):
        i, j = int(live[first[row]]), int(live[second[row]])
        fresh.append(Row((i, j), columns[row], levels.sides(i, j), -int(skipped[row])))
    return fresh


def _near_pairs(
    levels: Levels,
    size: int,
    needs: Floats,
    x: Floats,
    t: Floats,
    live: NDArray[np.intp],
    opposite: bool,
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the pairs of live patterns whose row has little slack if no member is skipped.

    Leaving members out of a row makes it sharper, but only a row with little slack can be broken by
    that; so only these pairs are looked at.
    """
    right, side = levels.helps[live].astype(np.float32), levels.positive[live]
    asked, wished = needs[live], t[live].astype(np.float32)
    weighted = right * x.astype(np.float32)
    found = []
    # Block by block, for the pairs are millions.
    for begin in range(0, len(live), _BLOCK):
        rows = slice(begin, begin + _BLOCK)
        factors = (asked[rows, None] + asked[None, :] - size).astype(np.float32)
        if opposite:
            factors[side[rows, None] == side[None, :]] = 0
        slack = weighted[rows] @ right.T
        slack -= factors * (wished[rows, None] + wished[None, :] - 1)
        slack[factors <= 0] = np.inf
        slack[np.tri(len(slack), len(live), begin, dtype=bool)] = np.inf
        near, other = np.nonzero(slack < _NEAR)
        found.append((begin + near, other, slack[near, other]))
    if not found:
        return live[:0], live[:0]
    first, second, slacks = (np.concatenate(part) for part in zip(*found, strict=True))
    if len(slacks) > _MOST_NEAR:
        nearest = np.argpartition(slacks, _MOST_NEAR)[:_MOST_NEAR]
        first, second = first[nearest], second[nearest]
    return first, second


def _worst(broken: Floats) -> NDArray[np.intp]:
    rows = np.flatnonzero(broken > _VIOLATION)
    if len(rows) > _MOST_ROWS:
        rows = rows[np.argpartition(-broken[rows], _MOST_ROWS)[:_MOST_ROWS]]
    return rows
