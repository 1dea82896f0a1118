"""The tree of a soft certificate: it covers all allowed committees, and bounds each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from .fields import number
from .replay import Fault
from .soft_document import Node
from .soft_limits import Decisions, Prices, Reach, SoftLimits, TooLargeError
from .soft_linear import LinearPool
from .soft_pool import Dual, SoftPool


@dataclass(frozen=True)
class _Chain:
    """Dual points with their prices, the youngest first."""

    dual: Dual
    prices: Prices
    older: _Chain | None


MOST = 2**32
"""Steps up to which a tree is gone through: some minutes. A dual point takes two for every answer
and sixty for every row and class; to bound a part by it takes a hundred for every member and fifty
for every price on top; to look whether limits can be kept takes thirty for every one and member."""


class SoftTree:
    """Goes through the nodes of a tree.

    Parameters
    ----------
    nodes
        As they stand on file.
    pool
        Makes dual points.
    limits
        Which committees are allowed.
    target
        What no allowed committee may be below; None if none may be allowed at all.
    """

    def __init__(
        self,
        nodes: tuple[Node, ...],
        pool: SoftPool | LinearPool,
        limits: SoftLimits,
        target: Fraction | None,
    ) -> None:
        self._nodes, self._pool, self._limits, self._target = nodes, pool, limits, target
        self._spent = 0

    def run(self) -> int:
        """Return how many parts were closed.

        Raises
        ------
        Fault
            If a part is not covered or not bounded, or a step does not follow.
        TooLargeError
            If it takes too long.
        """
        points = sum(node.point is not None for node in self._nodes)
        self._spend(points * self._pool.work)
        closed, seen = 0, set[int]()
        left: list[tuple[int | None, Decisions, _Chain | None]] = [(0, self._limits.root, None)]
        while left:
            place, decisions, chain = left.pop()
            if place is None:
                self._close("an heir that is not listed", decisions, chain)
                closed += 1
                continue
            if place in seen or not 0 <= place < len(self._nodes):
                raise Fault(f"node {number(place)} is not there, or is used twice")
            seen.add(place)
            node = self._nodes[place]
            chain = self._with_point(node, chain)
            rest = self._fixed(place, node, decisions, chain)
            if not node.heirs:
                self._close(f"node {place}", rest, chain)
                closed += 1
            elif node.branch is None:
                left.append((node.heirs[0], rest, chain))
            elif rest.decides(node.branch):
                raise Fault(f"node {place} branches on a member that is decided")
            else:
                for heir, sits in zip(node.heirs, (True, False), strict=True):
                    left.append((heir, rest.having(node.branch, sits=sits), chain))
        if len(seen) != len(self._nodes):
            raise Fault(f"{len(self._nodes) - len(seen)} nodes are never reached")
        return closed

    def _with_point(self, node: Node, chain: _Chain | None) -> _Chain | None:
        for kind, place, _ in node.prices:
            if (kind, place) not in self._limits.rows:
                raise Fault(f"there is no limit {kind} {number(place)}")
        if node.point is None:
            return chain
        return _Chain(self._pool.dual(node.point), node.prices, chain)

    def _fixed(
        self, place: int, node: Node, decisions: Decisions, chain: _Chain | None
    ) -> Decisions:
        """Return the decisions of a node with what it adds; the opposite must be bounded."""
        open_ = {
            **dict.fromkeys(node.seated, True),
            **dict.fromkeys(node.barred, False),
        }
        if len(open_) < len(node.seated) + len(node.barred) or any(map(decisions.decides, open_)):
            raise Fault(f"node {place} decides on a member twice")
        rest = Decisions(decisions.seated.union(node.seated), decisions.barred.union(node.barred))
        if self._target is not None and open_:
            for dual, reach in self._reaches(chain, decisions):
                for member, sits in list(open_.items()):
                    most = reach.most_with(member, sits=not sits)
                    if most is None or dual.base - most >= self._target:
                        del open_[member]
                if not open_:
                    break
        for member, sits in open_.items():
            if not self._empty(decisions.having(member, sits=not sits)):
                raise Fault(f"node {place} decides on member {member} without reason")
        return rest

    def _reaches(self, chain: _Chain | None, decisions: Decisions) -> Iterator[tuple[Dual, Reach]]:
        while chain is not None:
            self._spend((100 + 50 * len(chain.prices)) * self._limits.n_members)
            yield chain.dual, Reach(self._limits, chain.dual.phi, chain.prices, decisions)
            chain = chain.older

    def _empty(self, decisions: Decisions) -> bool:
        self._spend(30 * len(self._limits.rows) * self._limits.n_members)
        return self._limits.empty(decisions)

    def _spend(self, steps: int) -> None:
        self._spent += steps
        if self._spent > MOST:
            raise TooLargeError

    def _close(self, name: str, decisions: Decisions, chain: _Chain | None) -> None:
        if self._empty(decisions):
            return
        if self._target is None:
            raise Fault(f"{name} is not shown to hold no allowed committee")
        best: Fraction | None = None
        for dual, reach in self._reaches(chain, decisions):
            bound = dual.base - reach.most
            if bound >= self._target:
                return
            best = bound if best is None else max(best, bound)
        told = "not at all" if best is None else f"by {float(best):.10g} only"
        raise Fault(f"{name} is bounded {told}")
