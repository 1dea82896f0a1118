"""The tree of a plurality certificate: it covers all allowed committees, and bounds each one."""

from __future__ import annotations

from dataclasses import dataclass, field

from .plurality_document import Node
from .plurality_pool import PluralityPool, Standing
from .plurality_prices import Charges, Counter
from .plurality_trying import Trying
from .replay import Fault
from .soft_limits import TooLargeError

MOST = 2**31
"""Steps up to which a tree is gone through: some minutes. A row with a price takes 30, and one more
for every classifier; to bound a part takes ten for every rival of a class on a pattern, and as many
for every class."""

MOST_TRIED = 2**31
"""Steps up to which committees are tried: some minutes. A head takes eight for every rival of a
class and for every class, and one more of each for every 512 tails."""

_REMEMBERED = 256
"""Prices at a size that are kept."""

_END = Node(None, (), None, (), False)
"""What is said of sizes that have no root."""


@dataclass
class Outcome:
    """What came of going through a tree.

    Parameters
    ----------
    closed
        Parts that were bounded, or hold no committee.
    tried
        Parts of which every committee was tried.
    untried
        Parts that were too large to be tried again.
    unproved
        The sizes of the committees of parts that may hold something better.
    """

    closed: int = 0
    tried: int = 0
    untried: int = 0
    unproved: list[int] = field(default_factory=list)


class PluralityTree:
    """Goes through the nodes of a tree.

    Parameters
    ----------
    pool
        Patterns and limits.
    goal
        The value, in units, that no allowed committee may reach.

    Raises
    ------
    ValueError
        If a row of the certificate says nothing that is sound.
    """

    def __init__(self, pool: PluralityPool, goal: int) -> None:
        self._pool, self._document = pool, pool.document
        self._counter = Counter(pool)
        self._goal = goal << self._counter.shift
        self._trying = Trying(pool, goal)
        self._charges: dict[tuple[int | None, int], Charges] = {}
        self._spent = self._spent_trying = 0
        self._outcome = Outcome()
        duels = sum(1 + len(win.duels) for wins in pool.wins for win in wins)
        self._each = 10 * duels + len(self._document.names)

    def run(self) -> Outcome:
        """Go through all of it.

        Raises
        ------
        Fault
            If a step does not follow.
        TooLargeError
            If it takes too long.
        """
        roots = dict(self._document.roots)
        least = max(self._document.size_min, 1)
        most = min(self._document.size_max, self._pool.allowed.bit_count())
        left: list[tuple[int | None, Standing]] = [
            (roots.get(size), self._pool.root(size)) for size in range(most, least - 1, -1)
        ]
        while left:
            place, part = left.pop()
            self._spend(self._each)
            if self._pool.empty(part):
                self._outcome.closed += 1
                continue
            node = _END if place is None else self._document.nodes[place]
            left.extend(reversed(self._heirs(place, node, part)))
        return self._outcome

    def _heirs(
        self, place: int | None, node: Node, part: Standing
    ) -> list[tuple[int | None, Standing]]:
        """Return what goes on where a node ends; note it where nothing does."""
        if node.branch is not None:
            self._check_free(place, part, node.branch)
            children = (part.having(node.branch, sits=sits) for sits in (False, True))
            return list(zip(node.heirs, children, strict=True))
        self._spend(self._each)
        bound = self._counter.bound(self._charges_at(node.prices, part.size), part)
        if bound is None or bound.most < self._goal:
            self._outcome.closed += 1
            return []
        for member, value in node.decided:
            self._check_free(place, part, member)
            most = bound.having(member, sits=not value)
            if most is not None and most >= self._goal:
                raise Fault(f"node {place} decides on member {member} without reason")
        if node.decided:
            for member, value in node.decided:
                part = part.having(member, sits=bool(value))
            return [(node.heirs[0], part)]
        if not node.tried:
            self._outcome.unproved.append(part.size)
        elif self._spent_trying + (work := self._trying.work(part)) > MOST_TRIED:
            self._outcome.untried += 1
        else:
            self._spent_trying += work
            self._outcome.tried += 1
            if found := self._trying.better(part):
                raise Fault(f"node {place} was tried, but members {found} are better")
        return []

    def _check_free(self, place: int | None, part: Standing, member: int) -> None:
        if not part.free >> member & 1:
            raise Fault(f"node {place} decides on member {member}, which is decided")

    def _charges_at(self, prices: int | None, size: int) -> Charges:
        key = prices, size
        if key not in self._charges:
            found = None if prices is None else self._document.prices[prices]
            if found is not None:
                self._spend(len(found.rows) * (30 + len(self._document.names)))
            if len(self._charges) >= _REMEMBERED:
                self._charges.clear()
            self._charges[key] = self._counter.charges(found, size)
        return self._charges[key]

    def _spend(self, steps: int) -> None:
        self._spent += steps
        if self._spent > MOST:
            raise TooLargeError
