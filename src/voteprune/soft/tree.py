"""Branch and bound over who sits: best first, in rounds, resumable."""

from __future__ import annotations

import heapq
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import count

import numpy as np

from .bound import Bound, bound_of
from .curvature import Curvature
from .families import Families, tidied
from .loss_protocol import Loss
from .newton import Point, nearest, scored, weights_of
from .nodes import Decisions, Node, Pseudocosts, Step, TreeState, Wanted, state_of, step_of
from .polytope import Polytope
from .problem import Places, SoftProblem
from .problem_loss import loss_of, sample_of
from .relaxation import Relaxed
from .search import Search
from .sharpening import Sharpening

TOLERANCE = 1e-6
"""No other committee is better by more than this share of the loss."""

MANY_ROWS, _SAMPLE, _SWAPS = 10_000, 3_000, 60_000
"""From MANY_ROWS rows on the first committee grows on _SAMPLE rows; from _SWAPS on, swaps too."""


class SoftTree:
    """A proof under way: the incumbent, the open nodes, and the bound between them.

    Parameters
    ----------
    problem
        What to minimise, over which committees.
    loss
        The loss of the problem, if it is at hand already.
    tolerance
        A node is closed when its bound is within this share of the incumbent.
    incumbent
        Members of a first committee.
    search
        Whether committees are looked for besides the leaves of the tree.
    keep_steps
        Whether the steps of the proof are kept in `steps`.
    near
        A point to start from.
    deadline
        Moment of `time.monotonic` after which weights of committees are no longer improved.

    Attributes
    ----------
    latest
        Moment of `time.monotonic` by which all must be over; nothing is begun that would be late.
    families
        Which nodes are split on whole families.
    """

    def __init__(
        self,
        problem: SoftProblem,
        loss: Loss | None = None,
        *,
        tolerance: float = TOLERANCE,
        incumbent: tuple[int, ...] | None = None,
        search: bool = True,
        keep_steps: bool = False,
        near: Point | None = None,
        deadline: float = np.inf,
    ) -> None:
        self.problem = problem
        self.loss = loss if loss is not None else loss_of(problem)
        self.tolerance, self.searching = tolerance, search
        self.search = Search(problem, self.loss)
        self.search.deadline = deadline
        self._curvature = Curvature(self.loss, problem)
        self._sharpening = Sharpening(problem, self.loss, self._curvature, not keep_steps)
        self._pseudocosts = Pseudocosts(problem.n_members)
        self._known = -np.inf
        self.best: Point | None = None
        self.last: Point | None = None
        self.nodes = 0
        self.latest = np.inf
        self.closed = np.inf
        self.steps: list[Step] | None = [] if keep_steps else None
        self._order = count()
        self._away: list[Node] = []
        self._heap: list[tuple[float, int, Node]] = []
        self._begun, self._at_root, self._cut_short = False, True, False
        root = np.zeros(problem.n_members, dtype=np.int8)
        root[list(problem.required)] = 1
        root[list(problem.forbidden)] = -1
        first = Node(root, -np.inf, np.zeros(self.loss.n_intercepts), np.zeros(problem.n_members))
        if near is not None:
            first = self._child(root, -np.inf, near)
        # The checker of certificates knows decisions on members alone, and limits other than the
        # size would have to be weighed against what families want.
        sortable = not keep_steps and len(problem.rows[0]) == 1
        self.families = Families(self.loss, self._curvature, sortable)
        if set(problem.required) & set(problem.forbidden):
            self._close(first, np.inf)
        else:
            self._push(self._bounded(first) if keep_steps else first)
        if incumbent is not None:
            self.offer(incumbent)

    @property
    def cutoff(self) -> float:
        """The loss below which a committee would be news."""
        if self.best is None:
            return np.inf
        return self.best.value - self.tolerance * abs(self.best.value)

    @property
    def lower_bound(self) -> float:
        """No allowed committee has less penalised loss; true at every moment."""
        waiting = min((node.bound for node in self._away), default=np.inf)
        if self._heap:
            waiting = min(waiting, self._heap[0][0])
        value = np.inf if self.best is None else self.best.value
        return float(max(min(waiting, self.closed, value), self._known))

    @property
    def n_open(self) -> int:
        """How many nodes are open."""
        return len(self._heap) + len(self._away)

    @property
    def finished(self) -> bool:
        """Whether no node is open."""
        return not self.n_open

    @property
    def idle(self) -> bool:
        """Whether no node is open here; others may be with workers."""
        return not self._heap

    def offer(self, members: tuple[int, ...]) -> bool:
        """Take a committee from elsewhere; return whether it is the new incumbent."""
        chosen = sorted(set(members))
        if not self.problem.allows(chosen):
            return False
        return self._take(self.search.fit(chosen, self.best))

    def begin(self, deadline: float = np.inf) -> None:
        """Look for a first committee until a moment of `time.monotonic`, once."""
        if not self._begun:
            self._begun = True
            self._first_committees(deadline)

    def round(self, deadline: float = np.inf, most_nodes: int | None = None) -> bool:
        """Work until a moment of `time.monotonic`, or for so many nodes; return `finished`.

        The first round looks for a committee first.
        """
        self.begin(deadline)
        done = 0
        while self._heap and (most_nodes is None or done < most_nodes):
            if time.monotonic() >= deadline:
                break
            self._begin_again()
            # The node is open until it is closed or its heirs are open, for Ctrl-C may come at any
            # moment, and again. It is first in the heap all the while: no heir has a lower bound.
            bound, _, node = first = self._heap[0]
            if bound >= self.cutoff:
                self.closed = min(self.closed, bound)
            else:
                self._work(node, deadline)
                done += 1
            assert self._heap[0] is first, "an heir with a lower bound than its node"
            heapq.heappop(self._heap)
        return self.finished

    def _begin_again(self) -> None:
        """Go back to the root if decisions on single members have brought little."""
        root = self.families.instead(self.nodes, low := self.lower_bound, self.cutoff)
        if root is not None:
            # Splits are judged by how far bounds rise, so nodes have their own, and the tree its.
            self._known, self._heap = low, [(root.bound, next(self._order), root)]
            self._sharpening.begin()

    def state(self) -> TreeState:
        """Return the tree as plain arrays."""
        nodes = [node for _, _, node in sorted(self._heap, key=lambda entry: entry[:2])]
        state, families = self._state([*nodes, *self._away], self.closed, self.nodes), self.families
        return replace(state, settled=families.settled, first=families.first)

    def deal(self, parts: int) -> list[TreeState]:
        """Give open nodes away, so that this tree and each part have equally many, good and bad."""
        entries = sorted(self._heap, key=lambda entry: entry[:2])
        nodes = [node for _, _, node in entries]
        shares = [nodes[part :: parts + 1] for part in range(1, parts + 1)]
        # Wherever Ctrl-C comes, no node is missing; some may be here twice.
        self._away = [node for share in shares for node in share]
        self._heap = entries[:: parts + 1]
        return [self._state(share, np.inf, 0) for share in shares if share]

    def take_back(self, shares: Sequence[TreeState]) -> None:
        """Take what has become of the nodes that were given away."""
        # Fits take time, and Ctrl-C may come: until all is here, what was given away counts.
        for share in shares:
            self.offer(tuple(share.members.tolist()))
        for share in shares:
            self.closed = min(self.closed, share.closed)
            for node in share.open_nodes():
                self._push(node)
        self._away = []
        self.nodes += sum(share.nodes for share in shares)

    def recall(self) -> None:
        """Have all nodes here again that were given away, as they were."""
        for node in self._away:
            self._push(node)
        self._away = []

    def _state(self, nodes: Sequence[Node], closed: float, worked: int) -> TreeState:
        members = () if self.best is None else self.best.members
        shape = (self.problem.n_members, self.loss.n_intercepts)
        state = state_of(nodes, shape, closed, members, worked)
        return replace(state, known=self._known, families=self.families.used)

    def resume(self, state: TreeState) -> None:
        """Go on from a state: its open nodes take the place of this tree's."""
        # What is closed was so beside this committee.
        self.offer(tuple(state.members.tolist()))
        self.closed, self.nodes, self._known = state.closed, state.nodes, state.known
        nodes = [(node.bound, next(self._order), node) for node in state.open_nodes()]
        self._heap = sorted(nodes, key=lambda entry: entry[:2])
        self._begun, self._at_root = True, False
        self.families.resume(state)
        self._sharpening.begin()

    def _first_committees(self, deadline: float) -> None:
        if not self.searching:
            return
        if len(self.problem.labels) >= MANY_ROWS:
            self._begin_with_some(deadline)
        elif (first := self.search.greedy(deadline)) is not None:
            self._take(first)

    def _begin_with_some(self, deadline: float) -> None:
        """Look for a first committee, and for where the root's relaxation lies, on some rows."""
        part = sample_of(self.problem, _SAMPLE)
        search = Search(part.problem, part.loss)
        first = search.greedy(deadline)
        if first is None:
            return
        if len(self.problem.labels) >= _SWAPS:
            # What swaps gain on few rows is mostly chance, but on all of these they take long.
            first = search.swaps(first, deadline)
        chosen = tuple(first.members.tolist())
        if self.loss.total is None and len(self._heap) == 1:
            # It stays open while the other tree is at work, which Ctrl-C may end.
            _, _, root = self._heap[0]
            tree = SoftTree(part.problem, part.loss, incumbent=chosen, search=False)
            tree.round(deadline, most_nodes=1)
            if tree.last is not None:
                root = self._child(root.decisions, root.bound, tree.last)
                # With very many rows there may be no time for more than this one pass.
                root = self._bounded(root, near=True) if root.bound == -np.inf else root
                self._heap = [(root.bound, next(self._order), root)]
        self._take(self.search.fit(chosen, first))

    def _bounded(self, root: Node, near: bool = False) -> Node:
        """Return the root with a bound, so that a proof has one from the beginning."""
        inside, free = np.flatnonzero(root.decisions == 1), np.flatnonzero(root.decisions == 0)
        polytope = Polytope.at(*self.problem.rows, inside, free)
        if polytope.broken or not len(inside) + len(free):
            self._record(root, None, None)
            return replace(root, bound=0.0)
        if not near and (len(inside) or self.loss.total is None):
            point = scored(self.loss, self.search.fit(inside.tolist()))
        else:
            point = nearest(
                self.loss, root.intercepts, root.weights, np.concatenate([inside, free])
            )
        dual = self.loss.dual(point.z)
        bound = bound_of(dual, self.problem.ridge, inside, free, polytope, self.loss.total)
        self._record(root, point, bound)
        return replace(root, bound=bound.value)

    def _push(self, node: Node) -> None:
        heapq.heappush(self._heap, (node.bound, next(self._order), node))

    def _take(self, point: Point) -> bool:
        if self.best is not None and point.value >= self.best.value:
            return False
        self.best = point
        return True

    def _work(self, node: Node, deadline: float) -> None:
        self.nodes += 1
        tidy = tidied(node, self.problem.most)
        if tidy is None:
            self._close(node, np.inf)
            return
        node, decisions = tidy, tidy.decisions
        inside, free = np.flatnonzero(decisions == 1), np.flatnonzero(decisions == 0)
        lines, limits = self.problem.rows
        if limits[0] - len(inside) <= 0:
            free = free[:0]
        misfits = self.problem.misfits(inside.tolist(), free.tolist())
        if misfits:
            barred = self._nobody
            barred[misfits] = -1
            self._record(node, None, None, barred)
            node = replace(node, decisions=decisions + barred)
            free = np.flatnonzero(node.decisions == 0)
        polytope = Polytope.at(lines, limits, inside, free)
        polytope = polytope if node.wanted is None else polytope.needing(node.wanted[free])
        if polytope.broken:
            self._close(node, np.inf)
        elif not len(free):
            self._leaf(node, inside, polytope)
        else:
            self._branch(node, inside, free, polytope, deadline)

    def _leaf(self, node: Node, inside: Places, polytope: Polytope) -> None:
        """Close a node that is a single committee, or none."""
        chosen = [int(k) for k in inside]
        if not self.problem.allows(chosen) or (not chosen and self.loss.total is not None):
            self._close(node, np.inf)
            return
        fitted = self.search.fit(chosen)
        self._take(fitted)
        if not fitted.settled:
            # Time was over, and a bound of these weights would be too low for good.
            self._push(node)
            return
        point, nobody = scored(self.loss, fitted), inside[:0]
        dual = self.loss.dual(point.z)
        bound = bound_of(dual, self.problem.ridge, inside, nobody, polytope, self.loss.total)
        self._close(node, max(bound.value, node.bound), point, bound)

    def _branch(
        self, node: Node, inside: Places, free: Places, polytope: Polytope, deadline: float
    ) -> None:
        others = [other.decisions for _, _, other in self._heap[1:]]
        value = np.inf if self.best is None else self.best.value
        relaxed, sharp = self._sharpening.relaxed(
            node, inside, free, polytope, self.cutoff, deadline, value, others, self.latest
        )
        self.last = relaxed.point
        if self.searching and relaxed.shares.any():
            rounded = self.search.rounded(inside, free, relaxed.shares)
            news = (
                rounded is not None
                and self._promising(rounded, relaxed)
                and self._take(self.search.fit(rounded, relaxed.point))
            )
            # At the root swaps come last, when it is known that they are needed.
            unsure = self._at_root and relaxed.bound.value < self.cutoff
            self._at_root = False
            if self.best is not None and (news or unsure or self._cut_short):
                self._take(self.search.swaps(self.best, deadline))
                # Rounds are short: on a busy machine the next one goes on with the swaps.
                self._cut_short = time.monotonic() >= deadline
        bound = max(relaxed.bound.value, node.bound)
        self.families.note(node, bound)
        if bound >= self.cutoff:
            self._close(node, bound, relaxed.point, relaxed.bound)
            return
        if time.monotonic() >= deadline and bound > node.bound + 1e-9 * abs(bound):
            # The relaxation may have been cut short: go on with it in the next round. One that
            # gets nowhere is split instead: where no x keeps all limits it might never end.
            self._record(node, relaxed.point, relaxed.bound)
            self._push(self._child(node.decisions, bound, relaxed.point, node.wanted))
            return
        fixed = self._fixed(relaxed, free)
        decisions = node.decisions + fixed
        heir = self._child(decisions, bound, relaxed.point, node.wanted)
        self.families.begin(heir)
        rest = np.flatnonzero(decisions[free] == 0)
        if not len(rest):
            self._record(node, relaxed.point, relaxed.bound, fixed)
            self._push(heir)
            return
        if 0 <= node.split < self.problem.n_members:
            sits = bool(node.decisions[node.split] == 1)
            self._pseudocosts.note(node.split, sits, bound - node.above)
        # Where nothing is to be hoped for, the heaviest member, so that splits matter.
        left, shares = free[rest], relaxed.shares[rest]
        hope = self._pseudocosts.scores(left, relaxed.dual.gains[left], shares, self.cutoff - bound)
        chosen = int(left[np.lexsort((-heir.weights[left], -hope))[0]])
        heir = replace(heir, above=bound, sharp=sharp)
        heirs = self.families.heirs(heir, left, shares, relaxed, self.cutoff - bound)
        if heirs:
            self._push(heirs[0])
            self._push(heirs[1])
            return
        self._record(node, relaxed.point, relaxed.bound, fixed, chosen)
        for choice in (1, -1):
            child = decisions.copy()
            child[chosen] = choice
            own = relaxed.bound.with_in if choice == 1 else relaxed.bound.with_out
            known = max(bound, float(own[np.searchsorted(free, chosen)]))
            self._push(replace(heir, decisions=child, bound=known, split=chosen))

    def _promising(self, members: tuple[int, ...], relaxed: Relaxed) -> bool:
        """Return whether a committee is worth a fit, by a model where fits are slow."""
        if self.best is None or members in self.search.fitted:
            return True
        given = (relaxed.point, relaxed.dual, np.array(members), self.problem.ridge)
        return self._curvature.promises(*given, self.best.value)

    def _fixed(self, relaxed: Relaxed, free: Places) -> Decisions:
        """Return what reduced costs decide; what they close counts for the bound."""
        fixed = self._nobody
        fixed[free], shut = relaxed.bound.fixing(self.cutoff)
        self.closed = min(self.closed, shut)
        return fixed

    def _child(
        self, decisions: Decisions, bound: float, point: Point, wanted: Wanted | None = None
    ) -> Node:
        weights = weights_of(point, self.problem.n_members)
        return Node(decisions, bound, point.intercepts, weights, wanted=wanted)

    def _close(
        self, node: Node, value: float, point: Point | None = None, bound: Bound | None = None
    ) -> None:
        self.closed = min(self.closed, value)
        self._record(node, point, bound)

    @property
    def _nobody(self) -> Decisions:
        return np.zeros(self.problem.n_members, dtype=np.int8)

    def _record(
        self,
        node: Node,
        point: Point | None,
        bound: Bound | None,
        fixed: Decisions | None = None,
        branch: int = -1,
    ) -> None:
        if self.steps is None:
            return
        fixed = self._nobody if fixed is None else fixed
        self.steps.append(step_of(node.decisions, point, bound, self.cutoff, fixed, branch))
