"""Branch and bound over sizes and thresholds: linear programs, reduced-cost fixing, branching.

Best first, by bound. A node's (S, L) with the highest bound gets a linear program; its dual prices
bound all other (S, L) of the node, refute some, and fix variables (reduced-cost fixing). When the
highest (S, L) has had its program and is not refuted, the node is branched on a classifier (sits or
not) or a pattern (decided right or not), by strong branching.

Runs in a worker process; see `solvers.worker`. It works until its deadline and hands back the open
nodes, so any number of workers can share them, and a run can be put on file in between.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...bounds.levels import SAFETY, Levels
from ...bounds.node import ALL, FREE, Node
from ...bounds.prices import Judgement, Prices
from ...bounds.program import Program
from ...bounds.relaxation_rows import LimitRow, Row
from ...bounds.separation import violated
from ...numbers.floats import Floats
from ...numbers.threads import threadpool_limits
from .task import Report, Result, Step, Task

_ROUNDS = 5
"""Rounds of separation for a node and (S, L). Only speed depends on it."""

_PROGRESS = 2e-3
"""The least fall of the bound for which another round of separation is worth while, as a share of
the largest weight, or of 1 if that is less."""

_CANDIDATES = 4
"""Variables that strong branching tries, the most fractional first. Only speed depends on it."""

_MISSES = 12
"""Programs in a row at the root that refuted no (S, L), after which it is branched."""

_PROGRAMS, _ENTRIES = 40, 3_000_000
"""How many linear programs are kept; fewer where patterns times classifiers, summed over all of
them, would be more than this."""

_NO_PRICES: Floats = np.empty(0)

_Programs = OrderedDict[tuple[int, int], Program]

_kept: dict[str, _Programs] = {}
"""The linear programs of the last token."""

_MOST_TO_DECIDE = 1500
"""Sizes and thresholds beyond which nothing is fixed: all must agree, so it is work for little."""


def solve(task: Task, report: Report | None = None) -> Result:
    """Work on a task until its deadline, or until nothing is open."""
    with threadpool_limits(1):
        return _Tree(task, report).work()


def _programs(token: str) -> _Programs:
    """Return the programs kept for a token, none if it is new."""
    if token not in _kept:
        _kept.clear()
        _kept[token] = OrderedDict()
    return _kept[token] if token else OrderedDict()


class _Tree:
    def __init__(self, task: Task, report: Report | None) -> None:
        self._levels, self._targets, self._deadline = task.levels, task.targets, task.deadline
        self._latest = task.latest
        self._rows, self._record, self._number = list(task.rows), task.record, task.first_number
        self._report = report
        self._misses = 0
        self._may_branch = task.branch
        self._heap: list[tuple[float, int, Node]] = []
        self._order = itertools.count(0, -1)  # of equals, the latest comes first
        self._conflicts: set[tuple[int, int]] = set()
        self._programs = _programs(task.token)
        entries = task.levels.n_patterns * task.levels.n_classifiers
        self._most_programs = max(1, min(_PROGRAMS, _ENTRIES // max(1, entries)))
        self._members: dict[tuple[int, ...], None] = {}
        self._steps: list[Step] = []
        self._room = SAFETY * max(float(task.levels.weights.max(initial=1.0)), 1.0)
        for node in task.nodes:
            self._push(node)

    def work(self) -> Result:
        settled = False
        while self._heap and not settled and time.monotonic() < self._deadline:
            _, _, node = heapq.heappop(self._heap)
            pair = self._next_pair(node)
            if pair is not None:
                self._bound(node, pair)
            elif self._may_branch:
                self._branch(node)
            else:
                settled = True
                self._push(node)
        return Result(
            tuple(node for _, _, node in self._heap), tuple(self._rows), frozenset(self._conflicts),
            tuple(self._members), tuple(self._steps), self._number, settled or not self._heap,
        )  # fmt: skip

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _push(self, node: Node) -> None:
        if len(node):
            excess = float(node.excess(self._targets).max())
            heapq.heappush(self._heap, (-excess, next(self._order), node))

    def _closed(self, node: Node) -> NDArray[np.bool_]:
        """Tell which (S, L) of a node are refuted."""
        room = self._room + SAFETY * np.abs(node.bounds)
        return node.excess(self._targets) < -room

    def _next_pair(self, node: Node) -> int | None:
        """Return the (S, L) of a node whose linear program comes next, None to branch instead.

        The one with the highest bound first. At the root also those that are nearly refuted, as
        long as that succeeds: every (S, L) that is left goes into both children.
        """
        excess = node.excess(self._targets)
        # Of many equals, the one in the middle says most about the others.
        equals = np.flatnonzero(excess >= excess.max() - SAFETY)
        highest = int(equals[len(equals) // 2])
        if node.key:
            return None if node.done.any() else highest
        if node.done[highest] < ALL:
            return highest
        if (node.done < ALL).any() and self._misses < _MISSES:
            self._misses = max(self._misses, 1)  # from now on with all rows at once
            return int(np.argmin(np.where(node.done < ALL, excess, np.inf)))
        return None

    def _bound(self, node: Node, pair: int) -> None:
        """Bound a node by the linear program of one of its (S, L)."""
        at = int(node.pairs[pair, 0]), int(node.pairs[pair, 1])
        program = self._program(at)
        # At first only rows that say much about the other (S, L) too; all rows when it comes up
        # again, which most never do.
        portable = node.key == 0 and not node.done[pair] and self._misses == 0
        prices, judgement = self._tighten(program, node, at, portable=portable)
        number = self._next()
        better = node.bounded(judgement.bounds, number)
        done = better.done.copy()
        done[pair] = 1 if portable else ALL
        better = replace(better, done=done)
        closed = self._closed(better)
        if node.key == 0 and node.done[pair] == 0 and not portable:
            self._misses = 1 if closed.any() else self._misses + 1
        left = better.only(~closed)
        bounds = judgement.bounds[~closed]
        room = bounds - self._targets[left.pairs[:, 0]] + 2 * self._room + SAFETY * np.abs(bounds)
        charges = judgement.charges[~closed]
        decided = decisions(self._levels, left, charges, judgement.left, room)
        self._keep(Step(
            number, node.key, at=at, closed=better.only(closed).leaving(),
            decided=tuple((int(p), int(v)) for p, v in zip(*decided, strict=True)),
        ), program.rows, prices)  # fmt: skip
        if len(left) and len(decided[0]):
            left = left.deciding(*decided)
        self._push(left)
        self._tell(self._round_off(program.solution()[0], at[0]))

    def _tighten(
        self, program: Program, node: Node, at: tuple[int, int], *, portable: bool
    ) -> tuple[Floats, Judgement]:
        """Solve a program for a node, adding rows it breaks for a few rounds."""
        target = float(self._targets[at[0]])
        program.solve(node, self._latest)
        value, converged = program.value(node), False
        for _ in range(_ROUNDS):
            if converged or value < target or time.monotonic() >= self._latest:
                break
            fresh = violated(self._levels, at, *program.solution(), portable=portable)
            converged = not fresh
            if fresh:
                program.add(fresh)
                program.solve(node, self._latest)
                before, value = value, program.value(node)
                converged = before - value < _PROGRESS * min(1.0, float(self._levels.weights.max()))
        prices = program.prices()
        judgement = Prices(self._levels, program.rows, prices, at).judge(node)
        used = zip(program.rows, prices, strict=True)
        self._rows = [
            row for row, price in used if price > SAFETY and isinstance(row, Row) and not row.basic
        ]
        self._conflicts.update(
            (row.patterns[0], row.patterns[1])
            for row in self._rows
            if row.sides == (1, 1) and row.shift == 0
        )
        return prices, judgement

    def _branch(self, node: Node) -> None:
        """Branch on a variable; close a node with one committee left."""
        k = self._levels.n_classifiers
        if (node.decided[:k] != FREE).all():
            # One set of members, which the driver recounts. It is told at once, for the bounds
            # told from now on leave it out.
            members = np.flatnonzero(node.decided[:k] == 1).tolist()
            self._look_at(members)
            self._keep(Step(self._next(), node.key, closed=node.leaving(by=-2)))
            self._tell(members)
            return
        variable = self._branching_variable(node)
        children = node.branch(variable, (self._next(), self._next()))
        if variable >= k:
            children[1] = children[1].only(self._levels.reachable(variable - k, node.pairs))
        heirs = tuple((child.key, variable, value) for value, child in enumerate(children))
        self._keep(Step(self._next(), node.key, heirs=heirs))
        for child in children:
            self._push(child)

    def _branching_variable(self, node: Node) -> int:
        """Return the variable to branch on, by strong branching on the most fractional ones.

        At least one classifier must be undecided.
        """
        k = self._levels.n_classifiers
        pair = int(np.argmax(np.where(node.done == ALL, node.excess(self._targets), -np.inf)))
        at = int(node.pairs[pair, 0]), int(node.pairs[pair, 1])
        program = self._program(at)
        program.solve(node, self._latest)
        value, target = program.value(node), float(self._targets[at[0]])
        solution = np.concatenate(program.solution())
        self._round_off(solution[:k], at[0])
        free = node.decided == FREE
        broken = np.minimum(solution, 1 - solution) * free
        broken[k:] *= np.minimum(1.0, self._levels.weights / max(value - target, 1e-6))
        candidates = np.argsort(-broken, kind="stable")[:_CANDIDATES]
        candidates = candidates[broken[candidates] > 1e-6]
        if not len(candidates):
            open_seats = np.flatnonzero(free[:k])
            return int(open_seats[np.argmax(solution[open_seats])])
        best, best_score = int(candidates[0]), -1.0
        for candidate in candidates:
            falls = []
            for child in node.branch(int(candidate), (0, 0)):
                program.solve(child, self._latest)
                falls.append(max(value - max(program.value(child), target - 1.0), 1e-3))
            if min(falls) * max(falls) > best_score:
                best, best_score = int(candidate), min(falls) * max(falls)
            if time.monotonic() >= self._deadline:
                break
        return best

    def _program(self, at: tuple[int, int]) -> Program:
        if at in self._programs:
            self._programs.move_to_end(at)
        else:
            if len(self._programs) >= self._most_programs:
                self._programs.popitem(last=False)
            known = [row for row in self._rows if row.portable and row.factor(*at) > 0]
            self._programs[at] = Program(self._levels, at, known)
        return self._programs[at]

    def _look_at(self, members: list[int]) -> None:
        self._members[tuple(sorted(members))] = None

    def _round_off(self, x: Floats, size: int) -> list[int]:
        """Have a look at the members a fractional solution would round to, and return them."""
        members: list[int] = np.argsort(-x, kind="stable")[:size].tolist()
        self._look_at(members)
        return members

    def _keep(
        self, step: Step, rows: Sequence[Row | LimitRow] = (), prices: Floats = _NO_PRICES
    ) -> None:
        if self._record:
            used = np.flatnonzero(prices > 0)
            priced = tuple(rows[number] for number in used.tolist())
            self._steps.append(replace(step, rows=priced, prices=prices[used]))

    def _tell(self, members: list[int]) -> None:
        if self._report is not None:
            highest = max((float(node.bounds.max()) for _, _, node in self._heap), default=-np.inf)
            self._report(highest, len(self._heap), members)


def decisions(
    levels: Levels, node: Node, charges: Floats, left: Floats, room: Floats
) -> tuple[NDArray[np.intp], NDArray[np.int8]]:
    """Return the variables that can be fixed in all of a node, and their values.

    Parameters
    ----------
    levels
        The data.
    node
        The node, with nothing refuted in it.
    charges, left
        What prices say about it, see `Judgement`.
    room
        How far their bounds are above the target at each (S, L), with room for rounding.
    """
    nothing = np.empty(0, dtype=np.intp), np.empty(0, dtype=np.int8)
    if not len(node) or len(node) > _MOST_TO_DECIDE:
        return nothing
    k, patterns = levels.n_classifiers, node.decided[levels.n_classifiers :]
    sizes, chosen = node.pairs[:, 0], node.pairs[:, 1]
    # For each number of right votes needed: the reduced cost from which on a pattern that is wrong
    # takes every (S, L) below the target. Where it cannot be right anyway nothing is claimed.
    costs = np.empty(len(left))
    for side in (True, False):
        needed = chosen + 1 if side else sizes - chosen
        most = np.full(k + 2, -np.inf)
        np.maximum.at(most, needed, room)
        on_side = levels.positive == side
        costs[on_side] = np.maximum.accumulate(most)[levels.reach[on_side]]
    lost = levels.helps[:, node.decided[:k] != 0].sum(axis=1) < levels.reach
    right = np.flatnonzero((patterns == FREE) & (left > costs) & np.isfinite(costs) & ~lost)
    wrong = np.flatnonzero((patterns == FREE) & (-left > costs))
    free = np.flatnonzero(node.decided[:k] == FREE)
    seats = sizes - int((node.decided[:k] == 1).sum())
    if (seats < 0).any() or (seats > len(free)).any():
        return nothing
    ordered = -np.sort(-charges[:, free], axis=1)
    m = np.arange(len(node))
    wall = np.full((len(node), 1), np.inf)
    ordered = np.concatenate([wall, ordered, -wall], axis=1)
    last_in, first_out = ordered[m, seats], ordered[m, seats + 1]
    must_sit = (charges[:, free] - first_out[:, None] > room[:, None]).all(axis=0)
    must_not = (last_in[:, None] - charges[:, free] > room[:, None]).all(axis=0)
    variables = np.concatenate([free[must_sit], free[must_not], k + right, k + wrong])
    values = np.concatenate([
        np.ones(must_sit.sum()), np.zeros(must_not.sum()),
        np.ones(len(right)), np.zeros(len(wrong)),
    ])  # fmt: skip
    return variables.astype(np.intp), values.astype(np.int8)
