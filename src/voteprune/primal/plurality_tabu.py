"""First committees, greedy growth, and a local search on the counts of all classes.

When a classifier joins, only the class it names gains a vote on a pattern, so whether the winner
changes is one comparison; when one leaves, only a winner it named can fall, to the runner-up. The
values of all joins and departures are thus sums over one P x K array.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..numbers.floats import Floats
from ..problem.plurality import PluralityObjective, PluralityProblem
from ..run.run import Outcome, Run
from .first_committees import LATE
from .guards import Groups, fitted
from .search import reporting, search

_PATIENCE = 30
"""Moves without a better committee after which a walk ends."""

_WALKS = 4
"""Walks per classifier without a better committee after which a search ends."""

_NOBODY = -(2**40)
"""Votes of the class that whoever abstains seems to vote for."""

_LEAVERS = 4
"""How many of the best departures are tried with every join after them, as swaps."""


def offer_openings(problem: PluralityProblem, run: Run) -> None:
    """Offer the committees one would try by hand: all, each alone, and the best few."""
    required = list(problem.required)
    free = [k for k in problem.allowed if k not in problem.required]
    run.incumbent.offer(required + free)
    run.incumbent.offer(required)
    alone = {}
    for k in free:
        alone[k] = problem.score([k])
        if _enough(run):
            return
    orders = [sorted(free, key=lambda k: (-alone[k], k))]
    orders += [sorted(free, key=lambda k: (limit.costs[k], k)) for limit in problem.cost_limits]
    groups = Groups(problem)
    for order in orders:
        for size in range(1, len(order)):
            if size <= 3 or size % 4 == 0:
                members = [*required, *order[:size]]
                run.incumbent.offer(members)
                if groups:
                    run.incumbent.offer(fitted(groups, problem, members, orders[0]))
                if _enough(run):
                    return
    for k in orders[0]:
        run.incumbent.offer([*required, k])
        if _enough(run):
            return


def _enough(run: Run) -> bool:
    """Tell whether time is over, and there is a committee."""
    return run.incumbent.members is not None and time.monotonic() >= run.deadline + LATE


def solve_full(problem: PluralityProblem, run: Run) -> Outcome:
    """Take everybody who is allowed."""
    run.incumbent.offer(problem.allowed)
    return Outcome("finished")


def solve_best(problem: PluralityProblem, run: Run) -> Outcome:
    """Take the best single classifier."""
    for k in problem.allowed:
        run.incumbent.offer([k])
        if _enough(run):
            return Outcome("time limit")
    return Outcome("finished")


def solve_by_hill_climbing(problem: PluralityProblem, run: Run) -> Outcome:
    """Add whoever makes the committee best until everybody sits; keep the best beginning."""
    tabu = PluralityTabuSearch(problem, run)
    chosen = np.isin(np.arange(problem.n_classifiers), problem.required)
    while chosen.sum() < problem.most_size:
        outside, counts = tabu.outside(chosen), tabu.counts(chosen)
        values = []
        for k in outside:
            values.append(float(tabu.joins(counts, np.array([k]))[0]))
            if run.seconds_left <= 0:
                break  # the best of those that were tried must do
        chosen[outside[int(np.argmax(values))]] = True
        run.incumbent.offer(np.flatnonzero(chosen).tolist())
        if _enough(run):
            return Outcome("time limit")
    return Outcome("finished")


def solve_by_search(problem: PluralityProblem, run: Run) -> Outcome:
    """Search alone, until nothing better has turned up for a good while."""
    offer_openings(problem, run)
    if problem.allowed:
        tabu = PluralityTabuSearch(*thinned(problem, run))
        search(tabu, run.incumbent, run.deadline, _WALKS * problem.n_classifiers)
    return Outcome("finished" if run.seconds_left > 0 else "time limit")


class PluralityTabuSearch:
    """Walks through committees of one problem."""

    def __init__(self, problem: PluralityProblem, run: Run) -> None:
        self._problem, self._incumbent = problem, run.incumbent
        self._random = np.random.default_rng(run.seed)
        self._codes = problem.codes
        self._gain = problem.gain.astype(np.float64)
        self._base = float(problem.gains.base)
        self._rows = np.arange(problem.n_patterns)
        self._fixed = np.isin(np.arange(problem.n_classifiers), problem.required)
        self._allowed = np.array(problem.allowed, dtype=np.intp)
        self._groups = Groups(problem)
        # The walk that is under way, None between two of them.
        self._chosen: NDArray[np.bool_] | None = None
        self._barred = np.zeros(problem.n_classifiers, dtype=np.int64)
        self._best, self._step, self._idle = -np.inf, 0, 0

    def counts(self, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count the members' votes for each class on each pattern.

        A last column stands for naming nobody, so far below that it never wins.
        """
        counts = self._problem.counts(np.flatnonzero(chosen).tolist())
        return np.pad(counts, ((0, 0), (0, 1)), constant_values=_NOBODY)

    def outside(self, chosen: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Return who may join."""
        return self._allowed[~chosen[self._allowed]]

    def joins(self, counts: NDArray[np.int64], who: NDArray[np.intp]) -> Floats:
        """Return the value of the committee with each of these joining."""
        winner = counts.argmax(axis=1)
        most = counts[self._rows, winner][:, None]
        named = self._codes[:, who]
        after = counts[self._rows[:, None], named] + 1
        wins = (after > most) | ((after == most) & (named < winner[:, None]))
        decided = np.where(wins, named, winner[:, None])
        return np.asarray(self._gain[self._rows[:, None], decided].sum(axis=0) + self._base)

    def departures(self, counts: NDArray[np.int64], who: NDArray[np.intp]) -> Floats:
        """Return the value of the committee with each of these leaving."""
        winner = counts.argmax(axis=1)
        most = counts[self._rows, winner]
        others = counts.copy()
        others[self._rows, winner] = _NOBODY
        second = others.argmax(axis=1)
        runner_up = others[self._rows, second]
        # With one vote less, does the winner fall behind the runner-up?
        falls = (most - 1 < runner_up) | ((most - 1 == runner_up) & (second < winner))
        lost = (self._codes[:, who] == winner[:, None]) & falls[:, None]
        decided = np.where(lost, second[:, None], winner[:, None])
        return np.asarray(self._gain[self._rows[:, None], decided].sum(axis=0) + self._base)

    def walk(self, until: float) -> int:
        """Go on until a walk ends, or until a moment; return how many have ended."""
        if self._chosen is None:
            self._chosen = self._start()
            if self._chosen is None:
                return 1
            self._barred = np.zeros(len(self._chosen), dtype=np.int64)
            self._best, self._step, self._idle = -np.inf, 0, 0
        while self._idle < _PATIENCE:
            if time.monotonic() >= until or self._incumbent.closed:
                return 0
            if not self._take_step(self._chosen):
                break
        self._chosen = None
        return 1

    def _take_step(self, chosen: NDArray[np.bool_]) -> bool:
        """Take the best step that is allowed; tell if there was one."""
        self._step, self._idle = self._step + 1, self._idle + 1
        move = next(self._moves(chosen, self._barred >= self._step), None)
        if move is None:
            return False
        value, flips = move
        for k in flips:
            chosen[k] = not chosen[k]
            self._barred[k] = self._step + int(self._random.integers(3, 8))
        if value > self._best:
            self._best, self._idle = value, 0
            members = np.flatnonzero(chosen).tolist()
            if self._incumbent.welcomes(value, members):
                self._incumbent.offer(members)
        return True

    def _start(self) -> NDArray[np.bool_] | None:
        """Return a disturbed best committee or a random one; None if none is allowed."""
        random, problem = self._random, self._problem
        for _ in range(20):
            if self._incumbent.members is not None and random.random() < 0.6:
                chosen = np.isin(np.arange(problem.n_classifiers), self._incumbent.members)
                flips = random.choice(self._allowed, min(3, len(self._allowed)), replace=False)
                chosen[flips] = ~chosen[flips]
                chosen |= self._fixed
            else:
                most = min(problem.size_max, len(self._allowed))
                if most < problem.size_min:
                    return None
                size = int(random.integers(problem.size_min, most + 1))
                chosen = self._fixed.copy()
                chosen[random.choice(self._allowed, size, replace=False)] = True
            if self._groups:
                worth = random.random(len(self._allowed))
                chosen[self._allowed] = self._groups.fit(chosen[self._allowed], worth)
            if problem.allows(np.flatnonzero(chosen).tolist()):
                return chosen
        if self._incumbent.members is None:
            return None
        return np.isin(np.arange(problem.n_classifiers), self._incumbent.members)

    def _moves(
        self, chosen: NDArray[np.bool_], tabu: NDArray[np.bool_]
    ) -> Iterator[tuple[float, tuple[int, ...]]]:
        """Yield values after moves that are allowed with who moves, the best first."""
        counts, size = self.counts(chosen), int(chosen.sum())
        inside = np.flatnonzero(chosen & ~self._fixed & ~tabu)
        outside = self.outside(chosen)
        outside = outside[~tabu[outside]]
        moves: list[tuple[float, tuple[int, ...]]] = []
        if size < self._problem.size_max and len(outside):
            values = self.joins(counts, outside)
            moves += [(float(v), (int(k),)) for v, k in zip(values, outside, strict=True)]
        if len(inside):
            values = self.departures(counts, inside)
            if size > self._problem.size_min:
                moves += [(float(v), (int(k),)) for v, k in zip(values, inside, strict=True)]
            for place in np.argsort(-values)[:_LEAVERS] if len(outside) else ():
                leaver = int(inside[place])
                fewer = counts.copy()
                fewer[self._rows, self._codes[:, leaver]] -= 1
                swapped = self.joins(fewer, outside)
                moves += [
                    (float(v), (leaver, int(k))) for v, k in zip(swapped, outside, strict=True)
                ]
        order = self._random.permutation(len(moves)).tolist()
        for i in sorted(order, key=lambda i: -moves[i][0]):
            if self._problem.allows(_flipped(chosen, moves[i][1])):
                yield moves[i]


def _flipped(chosen: NDArray[np.bool_], flips: Sequence[int]) -> list[int]:
    after = chosen.copy()
    after[list(flips)] = ~after[list(flips)]
    members: list[int] = np.flatnonzero(after).tolist()
    return members


_MOST_ENTRIES = 300_000
"""Patterns times classifiers that walks go through."""


def thinned(problem: PluralityProblem, run: Run) -> tuple[PluralityProblem, Run]:
    """Return what to walk on: the problem and its run, or a sample that reports to the run."""
    most = _MOST_ENTRIES // problem.n_classifiers
    if problem.n_patterns <= most or problem.class_limits:
        return problem, run
    best = problem.gain.max(axis=1).astype(np.float64)
    along = np.cumsum(best)
    drawn = along[-1] / most * (np.arange(most) + np.random.default_rng(run.seed).random())
    places, times = np.unique(np.searchsorted(along, drawn), return_counts=True)
    places = np.minimum(places, problem.n_patterns - 1)
    share = along[-1] / most * times / np.maximum(best[places], 1.0)
    gain = np.rint(problem.gain[places].astype(np.float64) * share[:, None]).astype(np.int64)
    some = replace(
        problem,
        codes=np.asfortranarray(problem.codes[places]),
        weight=problem.weight[places],
        gain=gain,
        objective=PluralityObjective(
            replace(problem.gains, net=gain.max(axis=1), step=1), problem.objective.name
        ),
    )
    return some, replace(run, incumbent=reporting(some, run.incumbent))
