"""First committees: greedy selection and swaps, each fitted by a warm Newton method."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ..numbers.floats import Floats
from .loss_protocol import Loss
from .newton import Point, fit
from .problem import Places, SoftProblem

_WORK = 2_000_000
_TRIES = 8
"""Most candidates that are fitted for one seat."""
_GREEDY = 3
"""The same while a committee grows; swaps mend what that misses."""


class Search:
    """Fits committees, each once, and improves them.

    Attributes
    ----------
    fitted, begun
        Committees with their best weights, and with what they had when time was over.
    deadline
        Moment of `time.monotonic` after which weights are no longer improved.
    """

    def __init__(self, problem: SoftProblem, loss: Loss) -> None:
        self.problem, self.loss = problem, loss
        self.fitted: dict[tuple[int, ...], Point] = {}
        self.begun: dict[tuple[int, ...], Point] = {}
        self.deadline = np.inf
        rows = max(len(problem.labels), 1)
        self.tries = int(np.clip(_WORK // rows, 1, _TRIES))
        lines, limits = problem.rows
        packing = (lines >= 0).all(axis=1)
        self.packing, self.room = lines[packing], limits[packing]
        self.covering, self.need = -lines[~packing], -limits[~packing]

    def fit(self, members: Iterable[int], near: Point | None = None) -> Point:
        """Return the best weights of a committee, or good ones if time is over before that."""
        key = tuple(sorted(members))
        if key in self.fitted:
            return self.fitted[key]
        if key in self.begun and time.monotonic() >= self.deadline:
            return self.begun[key]
        places, begun = np.array(key, dtype=np.intp), self.begun.pop(key, near)
        point = replace(
            fit(self.loss, self.problem.ridge, places, begun, self.deadline), z=_NOTHING
        )
        if not point.settled:
            self.begun[key] = point
            return point
        if len(self.fitted) > 10_000:
            self.fitted.clear()
        self.fitted[key] = point
        return point

    def greedy(self, deadline: float = np.inf) -> Point | None:
        """Return a committee grown seat by seat, or None where it ends outside the limits."""
        chosen = set(self.problem.required)
        if not self._fits(chosen):
            return None
        point: Point | None = None
        if chosen or self.loss.total is None:
            point = self.fit(chosen)
        while len(chosen) < self.problem.most and time.monotonic() < deadline:
            taken = self._best_newcomer(chosen, point, deadline)
            if taken is None:
                break
            better = self.fit({*chosen, taken}, point)
            lacking = not self.problem.allows(chosen)
            if point is not None and better.value >= point.value and not lacking:
                break
            chosen.add(taken)
            point = better
        return point if point is not None and self.problem.allows(chosen) else None

    def swaps(self, point: Point, deadline: float = np.inf) -> Point:
        """Exchange one member at a time while that helps, also adding and dropping."""
        improved = True
        while improved and time.monotonic() < deadline:
            improved = False
            for member in [int(m) for m in point.members[np.argsort(point.weights)]]:
                rest = {int(m) for m in point.members} - {member}
                if member in self.problem.required or (not rest and self.loss.total is not None):
                    continue
                if time.monotonic() >= deadline:
                    break
                better = self._best_exchange(rest, point, deadline)
                if better is not None:
                    point, improved = better, True
                    break
        return point

    def share(self, other: Search) -> None:
        """Have what another search on the same rows knows, and tell it what is found here."""
        self.fitted, self.begun, self.deadline = other.fitted, other.begun, other.deadline

    def _best_exchange(self, rest: set[int], point: Point, deadline: float) -> Point | None:
        base = self.fit(rest, point)
        best = None
        # Nobody gains more than phi over the fit without the one that leaves.
        for taken, most in self._candidates(rest, base):
            if time.monotonic() >= deadline or base.value - most >= point.value * (1 - 1e-9):
                break
            if not self.problem.allows({*rest, taken}):
                continue
            trial = self.fit({*rest, taken}, base)
            if trial.value < (best or point).value * (1 - 1e-9):
                best = trial
        return best

    def _best_newcomer(self, chosen: set[int], point: Point | None, deadline: float) -> int | None:
        best, least = None, np.inf
        for taken, most in self._candidates(chosen, point)[: _width(point)]:
            if best is not None and (
                time.monotonic() >= deadline or (point is not None and point.value - most >= least)
            ):
                break
            trial = self.fit({*chosen, taken}, point)
            if trial.value < least:
                best, least = taken, trial.value
        return best

    def _candidates(self, chosen: set[int], point: Point | None) -> list[tuple[int, float]]:
        """Return who may come next, the most promising first, and the most each can gain."""
        seated = sorted(chosen)
        load = self.packing[:, seated].sum(axis=1)
        open_to = (self.packing + load[:, None] <= self.room[:, None] + 1e-12).all(axis=0)
        open_to[seated + list(self.problem.forbidden)] = False
        lacking = self.covering[:, seated].sum(axis=1) < self.need
        if lacking.any():
            wanted = open_to & (self.covering[lacking] > 0).any(axis=0)
            open_to = wanted if wanted.any() else open_to
        free = np.flatnonzero(open_to)
        if not len(free):
            return []
        gains, most = self._gains(point)
        order = free[np.argsort(-gains[free], kind="stable")][
            : self.tries if point is not None else None
        ]
        return [(int(k), float(most[k])) for k in order]

    def _gains(self, point: Point | None) -> tuple[Floats, Floats]:
        if point is None:
            endless = np.full(self.loss.n_members, np.inf)
            return endless, endless
        columns = self.loss.gather(point.members)
        dual = self.loss.dual(self.loss.scores(point.intercepts, columns, point.weights))
        if self.loss.total is not None:
            # mu moves with the committee, so there is no such limit for pools.
            return dual.gains, np.full(self.loss.n_members, np.inf)
        return dual.gains, np.maximum(dual.gains, 0.0) ** 2 / (2 * self.problem.ridge)

    def rounded(self, inside: Places, free: Places, shares: Floats) -> tuple[int, ...] | None:
        """Return the committee of those inside and the largest shares that fit, if allowed."""
        chosen = {int(k) for k in inside}
        for k in free[np.argsort(-shares, kind="stable")]:
            if len(chosen) >= self.problem.most:
                break
            if len(self.packing) == 1 or self._fits({*chosen, int(k)}):
                chosen.add(int(k))
        return tuple(sorted(chosen)) if self.problem.allows(chosen) else None

    def _fits(self, chosen: set[int]) -> bool:
        load = self.packing[:, sorted(chosen)].sum(axis=1)
        return bool((load <= self.room + 1e-12).all())


def _width(point: Point | None) -> int | None:
    """Return how many newcomers a growing committee tries: all for the first of a pool."""
    return None if point is None else _GREEDY


_NOTHING = np.zeros(0)
