"""Branch and cut over the decisions on patterns: bound by the nogoods known, separate, branch.

Best first, by bound; near the target with plunging: the child with the higher bound comes next.
Where the solution of the relaxation breaks a nogood, that is added as a row, and the relaxation is
solved again. Where the solution is fractional, the node is branched on a pattern, chosen by
pseudocosts. Where it is integral and breaks no nogood, some fractional weights on the classifiers
decide so, but perhaps no committee: then it is branched on a classifier.

Runs in a worker process; see `solvers.worker`. It works until its deadline and hands back the open
nodes.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from ...bounds.closure import conflicts as dominated
from ...bounds.node import FREE
from ...numbers.floats import Floats
from ...numbers.threads import threadpool_limits
from .conflicts import Conflicts
from .nogood import Case, Nogood, best_of_the_heaviest
from .relaxation import Relaxation, fractions, limits_of
from .task import Node, Result, Step, Task

Report = Callable[[float, int], None]
"""Told the highest bound in the task and the number of open nodes."""

_ROUNDS = 30
"""Rounds of separation in a node, as long as each finds a nogood that is broken."""

_BROKEN = 1e-3
"""By how much a solution must break a nogood to be solved again. Only speed depends on it."""

_AGAIN, _SHALLOW = 2, 3
"""Further nogoods of fewer patterns that are asked for in each round at nodes with at most so many
variables fixed: what is found near the root serves all nodes."""

_FEWER = 0.02
"""The share in a nogood at which a pattern costs half as much when the next one is asked for."""

_WHOLE = 1e-6
"""A variable nearer to 0 or 1 than this is integral: above the 1e-7 that HiGHS works to."""

_SURE = 0.999
"""Beyond this a pattern is taken for decided, and only its own side may be part of a nogood."""

_FAR = 0.015
"""How far above the target a bound must be, as a share of all weight, for its node to be branched
without plunging. A proof that is far from its end may never get there, and then what counts is the
highest bound, which nodes further down do not bring down; one near its end must work on all of them
anyway, and its programs change less from node to node if it plunges.
Only speed depends on it."""

_MOST_PAIRS = 20_000
"""Nogoods of two patterns to begin with, at most, to save memory."""

_CANDIDATES = 6
"""Variables that are compared at a node. Only speed depends on it."""

_RELIABLE = 4
"""Times each side of a variable must have been seen before its pseudocosts are trusted without a
look ahead. Small, as usual in reliability branching: looking ahead costs two linear programs."""

_LEAST = 1e-3
"""The least fall a side counts with, so that a product of two falls is never 0."""

_FIRST_FALL = 0.3
"""The fall per unit that every variable starts with, as if it had been seen once: a guess, which
experience soon outweighs."""


def solve(task: Task, report: Report | None = None) -> Result:
    """Work on a task until its deadline, or until nothing is open."""
    with threadpool_limits(1):
        return _Tree(task, report).work()


class _Kept:
    """What a worker keeps for the next task about the same case."""

    def __init__(self, case: Case) -> None:
        self.relaxation, self.conflicts = Relaxation(case), Conflicts(case)
        self.pseudocosts = Pseudocosts(case.n_patterns + case.n_classifiers)
        self.random = np.random.default_rng(0)
        for nogood in _pairs(case):
            self.relaxation.add(nogood)


_kept: dict[str, _Kept] = {}
"""What is kept for the last token."""


def _keep(task: Task) -> _Kept:
    """Return what is kept for a task's token, anew if it is new; nothing is kept without one."""
    if not task.token:
        return _Kept(task.case)
    if task.token not in _kept:
        _kept.clear()
        _kept[task.token] = _Kept(task.case)
    return _kept[task.token]


def _pairs(case: Case) -> Iterator[Nogood]:
    """Yield the nogoods of a pattern and one that has all its votes and more."""
    everything = np.arange(case.n_patterns)
    first, second = dominated(case.votes, everything, everything)
    inside = np.zeros((case.n_patterns, case.n_patterns), dtype=np.float32)
    inside[first, second] = 1.0
    np.fill_diagonal(inside, 0.0)
    # Those that follow from two others are left out.
    for p, q in np.argwhere((inside > 0) & (inside @ inside == 0))[:_MOST_PAIRS]:
        yield Nogood((int(p), int(q)), (True, False), (1.0, 1.0))


def _in_favour_of(nogood: Nogood, yes: Floats, no: Floats) -> tuple[Floats, Floats]:
    """Return what to ask next, so that patterns with a large share in a nogood cost less.

    How far a nogood is broken depends on the costs of its patterns, not on their shares, while the
    program minimises shares times costs. Solved again with these costs, it returns fewer patterns.
    """
    shares = np.zeros((2, len(yes)))
    for variable, value, share in zip(nogood.variables, nogood.values, nogood.shares, strict=True):
        if variable < len(yes):
            shares[int(value), variable] = share
    less = _FEWER / (shares + _FEWER)
    return yes * less[1], no * less[0]


class _Tree:
    def __init__(self, task: Task, report: Report | None) -> None:
        self._task, self._case, self._report = task, task.case, report
        kept = _keep(task)
        self._relaxation, self._conflicts = kept.relaxation, kept.conflicts
        self._pseudocosts, self._random = kept.pseudocosts, kept.random
        for nogood in task.nogoods:
            self._relaxation.add(nogood)
        self._found: list[Nogood] = []
        self._number, self._steps = task.first_number, list[Step]()
        self._members: dict[tuple[int, ...], None] = {}
        self._order = itertools.count(0, -1)  # of equals, the latest comes first
        self._heap: list[tuple[float, int, Node]] = []
        self._room = task.case.room(task.target)
        self._near = task.target + _FAR * float(np.abs(task.case.net).sum())
        for node in task.nodes:
            self._push(node)

    def work(self) -> Result:
        following: Node | None = None
        while (following or self._heap) and time.monotonic() < self._task.deadline:
            node = following or heapq.heappop(self._heap)[2]
            following = None
            children = self._work_on(node)
            if children is None:
                break  # somebody must look at what was found first
            children.sort(key=lambda child: child.bound)
            if children and node.bound <= self._near:
                following = children.pop()
            for child in children:
                self._push(child)
            self._tell(following)
        if following is not None:
            self._push(following)
        nodes = tuple(node for _, _, node in self._heap)
        return Result(
            nodes, tuple(self._found), tuple(self._members), self._number, tuple(self._steps)
        )

    def _push(self, node: Node) -> None:
        heapq.heappush(self._heap, (-node.bound, next(self._order), node))

    def _refuted(self, bound: float) -> bool:
        return bound < self._task.target - self._room

    def _work_on(self, node: Node) -> list[Node] | None:
        """Return the children of a node; None, with it put back, to hand in what was found."""
        low, high = limits_of(node.decided)
        more = _AGAIN if (node.decided != FREE).sum() <= _SHALLOW else 0
        self._conflicts.decide(node.decided[self._case.n_patterns :])
        proved = self._bound(low, high)
        bound = min(node.bound, proved)
        for turn in itertools.count():
            if self._refuted(proved):
                self._close(node.key)
                return []
            solution = self._relaxation.solution()
            fractional = fractions(solution[: self._case.n_patterns]).max(initial=0.0) > _WHOLE
            if fractional and turn >= _ROUNDS:
                return self._branch_on_pattern(node, bound, solution)
            broken = self._separate(solution[: self._case.n_patterns], fractional, more)
            # Weights change little from turn to turn.
            telling = turn == 0 or not broken
            if (telling and self._try_rounding()) or time.monotonic() >= self._task.latest:
                self._push(replace(node, bound=bound))
                return None
            if not broken:
                if fractional:
                    return self._branch_on_pattern(node, bound, solution)
                return self._branch_on_classifier(node, bound)
            proved = self._bound(low, high)
            bound = min(bound, proved)
        raise AssertionError("unreachable")

    def _bound(self, low: Floats, high: Floats) -> float:
        return self._relaxation.bound(low, high, self._task.target, self._task.latest)

    def _separate(self, z: Floats, fractional: bool, more: int) -> bool:
        """Look for nogoods; tell if there is a new one that the solution z breaks."""
        yes = np.where(z < 1 - _SURE, np.inf, 1.0 - z + 1e-3)
        no = np.where(z > _SURE, np.inf, z + 1e-3)
        if not fractional:
            # Costs would all be equal; random ones find another nogood at every call.
            yes, no = yes + self._random.random(len(z)), no + self._random.random(len(z))
        broken, asked = False, (yes, no)
        for _ in range(1 + more):
            nogood = self._conflicts.find(*asked, self._task.latest)
            if nogood is None:
                break  # the first time or never: whether there is one does not depend on costs
            if self._relaxation.add(nogood):
                self._found.append(nogood)
                # If it is not broken here, it may be of use elsewhere.
                broken |= nogood.slack(z) < -_BROKEN
            asked = _in_favour_of(nogood, yes, no)
        return broken

    def _try_rounding(self) -> bool:
        """Round the last weights to a committee; tell if it is new and may beat the incumbent."""
        value, members = best_of_the_heaviest(self._case, self._conflicts.weights())
        if value < self._task.target - self._room or not self._is_news(members):
            return False
        self._members[members] = None
        return True

    def _is_news(self, members: tuple[int, ...]) -> bool:
        return members not in self._task.seen and members not in self._members

    def _branch_on_pattern(self, node: Node, bound: float, solution: Floats) -> list[Node]:
        low, high = limits_of(node.decided)

        def look(variable: int, value: int) -> float:
            there_low, there_high = low.copy(), high.copy()
            there_low[variable] = there_high[variable] = value
            return self._relaxation.look(there_low, there_high, self._task.latest)

        self._relaxation.tidy()
        free = solution[: self._case.n_patterns]
        variable = self._pseudocosts.choose(free, bound, self._task.target, look)
        children = []
        for value, child in enumerate(self._branch(node, variable)):
            proved = self._bound(*limits_of(child.decided))
            self._pseudocosts.learn(
                variable, value, free[variable], bound - proved, bound - self._task.target
            )
            if self._refuted(proved):
                self._close(child.key)
            else:
                children.append(replace(child, bound=min(bound, proved)))
        return children

    def _branch(self, node: Node, variable: int) -> list[Node]:
        """Return the two children of a node."""
        children = []
        for value in (0, 1):
            decided = node.decided.copy()
            decided[variable] = value
            self._number += 1
            children.append(Node(node.bound, decided, self._number))
        if self._task.record:
            self._steps.append(Step(node.key, variable, (children[0].key, children[1].key)))
        return children

    def _close(self, key: int) -> None:
        """Write down what the bound of a closed node rests on: nogoods, limits and dual prices."""
        if self._task.record:
            reasons = self._relaxation.reasons()
            nogoods = [(nogood, price) for nogood, price in reasons if isinstance(nogood, Nogood)]
            self._steps.append(
                Step(
                    key,
                    nogoods=tuple(nogood for nogood, _ in nogoods),
                    prices=tuple(price for _, price in nogoods),
                    limits=tuple((row, price) for row, price in reasons if isinstance(row, int)),
                )
            )

    def _branch_on_classifier(self, node: Node, bound: float) -> list[Node] | None:
        """Branch on the most fractional classifier; None to have a committee counted first."""
        decided = node.decided[self._case.n_patterns :]
        free, sits = decided == FREE, decided == 1
        free[self._case.required], sits[self._case.required] = False, True
        weights = self._conflicts.weights() if free.any() else sits.astype(np.float64)
        members = tuple(np.flatnonzero(weights > 0.5).tolist())
        if self._is_news(members):
            # If this is the better committee, the target rises and much is pruned.
            self._members[members] = None
            self._push(replace(node, bound=bound))
            return None
        if not free.any():
            if self._task.record:
                self._steps.append(Step(node.key))
            return []  # one committee, which has been looked at
        classifier = int(np.argmax(np.where(free, fractions(weights), -1.0)))
        children = self._branch(node, self._case.n_patterns + classifier)
        return [replace(child, bound=bound) for child in children]

    def _tell(self, following: Node | None) -> None:
        if self._report is not None:
            bounds = [-self._heap[0][0]] if self._heap else []
            bounds += [] if following is None else [following.bound]
            open_nodes = len(self._heap) + (following is not None)
            self._report(max(bounds, default=-np.inf), open_nodes)


class Pseudocosts:
    """The mean fall of the bound by variable and side, per unit that the variable was moved.

    Reliability branching: variables with little experience are tried out (strong branching).
    """

    def __init__(self, n: int) -> None:
        self._fall, self._times = np.full((2, n), _FIRST_FALL), np.ones((2, n))

    def learn(self, variable: int, value: int, at: float, fall: float, enough: float) -> None:
        """Note how far the bound fell on one side of a branching.

        Parameters
        ----------
        variable, value
            The variable that was branched on, and the side: 0 or 1.
        at
            Its value in the relaxation before.
        fall
            How far the bound has come down.
        enough
            How far it needed to come down; more is worth no more.
        """
        way = max(at if value == 0 else 1.0 - at, _WHOLE)
        self._fall[value, variable] += min(max(fall, 0.0), enough + 1.0) / way
        self._times[value, variable] += 1

    def choose(
        self,
        solution: Floats,
        bound: float,
        target: float,
        look: Callable[[int, int], float],
    ) -> int:
        """Return the variable with the largest product of the falls on both sides.

        Parameters
        ----------
        solution
            Values of the variables in the relaxation; only fractional ones are candidates.
        bound, target
            The bound now, and below which nothing needs to be known.
        look
            Returns the bound with a variable fixed at 0 or 1; costs a linear program.
        """
        n = len(solution)
        per = (self._fall / self._times)[:, :n]
        falls = np.maximum(per[0] * solution, _LEAST) * np.maximum(per[1] * (1 - solution), _LEAST)
        falls[fractions(solution) <= _WHOLE] = -1.0
        candidates = np.argsort(-falls, kind="stable")[:_CANDIDATES]
        best, best_score = int(candidates[0]), -1.0
        for variable in candidates[falls[candidates] > 0].tolist():
            score = float(falls[variable])
            if self._times[:, variable].min() <= _RELIABLE:
                seen = []
                for value in (0, 1):
                    fall = min(bound - look(variable, value), bound - target + 1.0)
                    seen.append(max(fall, _LEAST))
                    self.learn(variable, value, float(solution[variable]), fall, bound - target)
                score = seen[0] * seen[1]
            if score > best_score:
                best, best_score = variable, score
        return best
