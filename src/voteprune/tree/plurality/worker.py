"""Branch and bound with more than two classes: linear programs, and leaves that are tried out.

Best first, by bound. All committees of a node are tried (`Enumeration`) where that is quicker than
the linear programs it takes to close a node, or quick once the node has had its own. Otherwise its
linear program bounds it, reduced-cost fixing decides classifiers, and it is branched on one.

Runs in a worker process; see `solvers.worker`. It works until its deadline and hands back the open
nodes, so any number of workers can share them, and a run can be put on file in between.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections import OrderedDict
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...bounds.plurality_program import WinsProgram
from ...bounds.plurality_rows import Priced, Size
from ...numbers.floats import Floats
from ...numbers.threads import threadpool_limits
from ...primal.plurality_enumeration import Enumeration
from .task import FREE, Node, Report, Result, Step, Task

Decisions = NDArray[np.int8]

LEAF, LONG_LEAF = 0.4, 20.0
"""Seconds that trying all committees of a node may take once it has had its linear program, and
where programs are of no use. Only speed depends on them."""

_PROGRAM, _LARGE = 4e-6, 50_000
"""Seconds that a linear program takes for each win and classifier, before the first is solved, and
how many of these make it take twice as long for each."""

_PROGRAMS, _ENTRIES = 60, 6_000_000
"""How many linear programs are kept; fewer where wins times classifiers, summed over all of them,
would be more than this."""


def solve(task: Task, report: Report | None = None) -> Result:
    """Work on a task until its deadline, or until nothing is open."""
    with threadpool_limits(1):
        return _Tree(task, _memory(task), report).work()


class _Memory:
    """What a worker keeps from task to task."""

    def __init__(self, task: Task) -> None:
        self.listed = Enumeration(task.wins)
        self.programs: OrderedDict[int, WinsProgram] = OrderedDict()
        self.sizes: dict[int, Size] = {}
        self.entries = task.wins.n_wins * task.wins.n_classifiers
        self.program_seconds = _PROGRAM * self.entries * (1 + self.entries / _LARGE)
        self.solved = self.closed = 0

    @property
    def worth(self) -> float:
        """Seconds up to which trying all committees of a node is quicker than linear programs.

        That is the time of one program times the number of programs it takes, so far, to close a
        node.
        """
        return self.program_seconds * (self.solved + 2) / (self.closed + 1)

    def size(self, task: Task, size: int) -> Size:
        """Return what can be said of a size."""
        if size not in self.sizes:
            self.sizes[size] = Size(task.wins, size)
        return self.sizes[size]

    def program(self, task: Task, size: int) -> WinsProgram:
        """Return the linear program of a size."""
        if size in self.programs:
            self.programs.move_to_end(size)
        else:
            if len(self.programs) >= max(1, min(_PROGRAMS, _ENTRIES // max(1, self.entries))):
                self.programs.popitem(last=False)
            self.programs[size] = WinsProgram(self.size(task, size))
        return self.programs[size]


_kept: dict[str, _Memory] = {}
"""What is kept for the last token."""


def _memory(task: Task) -> _Memory:
    """Return what is kept for a token, anew if it is another."""
    if task.token not in _kept or not task.token:
        _kept.clear()
        _kept[task.token] = _Memory(task)
    return _kept[task.token]


class _Tree:
    def __init__(self, task: Task, memory: _Memory, report: Report | None) -> None:
        self._task, self._memory, self._report = task, memory, report
        self._target = task.target
        self._heap: list[tuple[float, int, Node]] = []
        self._order = itertools.count(0, -1)  # of equals, the latest comes first
        self._members: dict[tuple[int, ...], None] = {}
        self._number, self._steps = task.first_number, list[Step]()
        self._prices: dict[int, Priced] = {}
        left = task.latest - time.monotonic()
        for node in task.nodes:
            self._push(node)
            left -= self._seconds(node) if left > 0 else 0.0
        # If they cannot, the bound goes down sooner by programs, whose prices bound other nodes.
        # And what prices prove is checked sooner than what was tried.
        self._all_can_be_tried = left > 0 and not task.record

    def work(self) -> Result:
        """Work on the highest node, again and again."""
        while self._heap and time.monotonic() < self._task.deadline:
            _, _, node = heapq.heappop(self._heap)
            if self._is_leaf(node):
                if not self._try_all(node):
                    self._push(node)
                    break
            elif node.bounded:
                self._branch(node)
            else:
                self._bound(node)
        return Result(
            tuple(node for _, _, node in self._heap), tuple(self._members), tuple(self._steps),
            self._prices, self._number,
        )  # fmt: skip

    def _push(self, node: Node) -> None:
        """Keep a node in which something may be better."""
        if not node.empty and node.bound >= self._target / self._task.scale:
            heapq.heappush(self._heap, (-node.bound, next(self._order), node))
        else:
            self._note(Step(node.key, node.by))

    def _note(self, step: Step) -> None:
        """Write a step down, where that is wanted."""
        if self._task.record:
            self._steps.append(step)

    def _next(self) -> int:
        """Return the next number."""
        self._number += 1
        return self._number

    def _seconds(self, node: Node) -> float:
        """Return how long it would take to try all committees of a node."""
        return self._memory.listed.seconds(node.decided, range(node.size, node.size + 1))

    def _is_leaf(self, node: Node) -> bool:
        """Tell whether all committees of a node had best be tried."""
        listed = self._memory.listed
        if not (node.decided[listed.head] == FREE).any():
            return True  # nothing is left to branch on
        seconds = self._seconds(node)
        worth = self._memory.worth if self._all_can_be_tried else self._memory.program_seconds
        most = min(worth, LONG_LEAF, self._task.latest - time.monotonic())
        return seconds <= (max(most, LEAF) if node.bounded else most)

    def _try_all(self, node: Node) -> bool:
        """Try all committees of a node; tell if there was time."""
        sizes = range(node.size, node.size + 1)
        tried = self._memory.listed.run(node.decided, sizes, self._target, self._task.latest)
        for members in tried.found:
            self._members[members] = None
            self._target = max(self._target, self._task.wins.score(members) + 1)
        if tried.done:
            self._note(Step(node.key, tried=True))
            self._tell(list(tried.found[-1]) if tried.found else [])
        return tried.done

    def _bound(self, node: Node) -> None:
        """Bound a node by its linear program, and decide what prices decide."""
        began, task = time.monotonic(), self._task
        program = self._memory.program(task, node.size)
        target = self._target / task.scale
        bound, charges, x = program.bound(node.decided, target, task.latest)
        seconds = time.monotonic() - began
        self._memory.program_seconds = 0.7 * self._memory.program_seconds + 0.3 * seconds
        self._memory.solved += 1
        self._memory.closed += int(bound < target)
        by = self._next()
        if task.record:
            self._prices[by] = program.priced()
        better = replace(_lowered(node, bound, by), bounded=True)
        if bound >= target:
            decided = _decide(better, charges, bound - target)
            self._push(self._with(better, decided, by))
        else:
            self._note(Step(node.key, by))
        self._carry_over(program, by)
        self._tell(self._round_off(x, node.size))

    def _with(self, node: Node, decided: Decisions, by: int) -> Node:
        """Return a node in which some prices have decided more."""
        fresh = np.flatnonzero(decided != node.decided).tolist()
        if not fresh:
            return node
        heir = replace(node, decided=decided, key=self._next())
        told = tuple((column, int(decided[column])) for column in fresh)
        self._note(Step(node.key, by, told, heirs=(heir.key,)))
        return heir

    def _carry_over(self, program: WinsProgram, by: int) -> None:
        """Bound nodes that have had no program by the prices of one."""
        waiting = [node for _, _, node in self._heap if not node.bounded]
        if not waiting:
            return
        self._heap = [entry for entry in self._heap if entry[2].bounded]
        heapq.heapify(self._heap)
        for node in waiting:
            bound = program.elsewhere(self._memory.size(self._task, node.size), node.decided)
            self._push(_lowered(node, bound, by))

    def _round_off(self, x: Floats, size: int) -> list[int]:
        """Have a look at the members a fractional solution would round to, and return them."""
        members = sorted(np.argsort(-x, kind="stable")[:size].tolist())
        self._members[tuple(members)] = None
        return members

    def _branch(self, node: Node) -> None:
        """Branch on a classifier in the head: the one on which the relaxation is most divided."""
        program = self._memory.program(self._task, node.size)
        target = self._target / self._task.scale
        _, charges, x = program.bound(node.decided, target, self._task.deadline)
        head = self._memory.listed.head
        free = head[node.decided[head] == FREE]
        divided = np.minimum(x[free], 1 - x[free])
        column = int(free[np.argmax(divided + 1e-6 * np.abs(charges[free]))])
        children = [replace(child, key=self._next()) for child in node.branch(column)]
        keys = tuple(child.key for child in children)
        self._note(Step(node.key, branch=column, heirs=keys))
        for child in children:
            self._push(child)

    def _tell(self, members: list[int]) -> None:
        if self._report is not None:
            highest = max((node.bound for _, _, node in self._heap), default=-np.inf)
            self._report(highest, len(self._heap), members)


def _lowered(node: Node, bound: float, by: int) -> Node:
    """Return a node with the bound that some prices give it, if that is lower."""
    return replace(node, bound=bound, by=by) if bound < node.bound else node


def _decide(node: Node, charges: Floats, room: float) -> Decisions:
    """Return what is decided with all that prices decide.

    Parameters
    ----------
    node
        The node.
    charges
        What each member is charged, which the bound adds up over the highest.
    room
        How far the bound is above the target.
    """
    free = np.flatnonzero(node.decided == FREE)
    ordered = np.concatenate([[np.inf], -np.sort(-charges[free]), [-np.inf]])
    last_in, first_out = ordered[node.seats], ordered[node.seats + 1]
    decided = node.decided.copy()
    decided[free[charges[free] - first_out > room]] = 1
    decided[free[last_in - charges[free] > room]] = 0
    return decided
