"""Prices become bounds for several classes: weak duality, in whole numbers.

A row (see `plurality_pool`) with a price y >= 0 may be added to the value of every committee, for
it adds y times something that is not negative. So no committee of a part exceeds what is left on
each pattern, the most that a class which can still win there has after its rows, plus what the
members are paid, the highest of those who may sit. A limit on costs pays its price times what is
not spent.

Everything is counted in units of 1 / 2^shift. A price is rounded down to whole numbers of these,
and so is one that is carried to another size; that makes it another price, and any will do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from .plurality_document import NEED, TOTAL, Prices, Row
from .plurality_pool import PluralityPool, Standing, Win, bits

FINE = 64
"""Bits behind the point that prices have."""


class Counter:
    """Makes charges of prices.

    Raises
    ------
    ValueError
        If a row is about a pattern that is not there, or counts somebody it must not count.
    """

    def __init__(self, pool: PluralityPool) -> None:
        self._pool = pool
        for row in pool.document.rows:
            if not 0 <= row.pattern < len(pool.wins):
                raise ValueError("a row is about a pattern that is not there")
            pool.coefficients(row)
        # A price on a limit is one on its largest cost; finer units leave it its digits.
        self._largest = [max(1, *map(abs, costs)) for costs, _ in pool.limits]
        self.shift = FINE + max((top.bit_length() for top in self._largest), default=0)
        self._fewest: dict[tuple[int, int], dict[int, int]] = {}
        self._nothing = Prices(0, (), ())

    def fewest(self, pattern: int, size: int) -> dict[int, int]:
        """Return `PluralityPool.fewest`, which is remembered."""
        key = pattern, size
        if key not in self._fewest:
            self._fewest[key] = self._pool.fewest(pattern, size)
        return self._fewest[key]

    def charges(self, prices: Prices | None, size: int) -> Charges:
        """Return what prices charge and pay at a size."""
        found = prices or self._nothing
        pay, fixed = [0] * len(self._pool.document.names), 0
        left: dict[tuple[int, int], int] = {}
        for number, price in found.rows:
            row = self._pool.document.rows[number]
            parts, leads = self._pool.coefficients(row)
            amount = self._carried(row, parts, leads, price, found.size, size)
            if not amount:
                continue
            factor = self._factor(row, parts, leads, size)
            for value, who in parts:
                for k in bits(who & row.members):
                    pay[k] += value * amount
            fixed += amount * _below(row, parts)
            key = row.pattern, row.label
            left[key] = left.get(key, 0) + amount * factor
        for place, price in found.limits:
            costs, most = self._pool.limits[place]
            amount = int(price * (1 << self.shift) / self._largest[place])
            fixed += amount * most
            pay = [paid - amount * cost for paid, cost in zip(pay, costs, strict=True)]
        return Charges(tuple(pay), left, fixed)

    def _carried(
        self, row: Row, parts: Sequence[tuple[int, int]], leads: int, price: Fraction,
        here: int, there: int,
    ) -> int:  # fmt: skip
        """Return a price at another size, where the class is charged as much as here."""
        if here == there:
            return int(price * (1 << self.shift))
        before, after = (self._factor(row, parts, leads, size) for size in (here, there))
        if before <= 0 or after <= 0:
            return 0
        return int(price * (1 << self.shift) * before / after)

    def _factor(self, row: Row, parts: Sequence[tuple[int, int]], leads: int, size: int) -> int:
        """Return what a row has on the right."""
        least = leads
        if row.kind == NEED:
            # Of a class that cannot win the row says nothing.
            least = self.fewest(row.pattern, size).get(row.label, 0)
        elif row.kind == TOTAL:
            least += size
        beyond = sum(value * (who & ~row.members).bit_count() for value, who in parts if value > 0)
        return least + _below(row, parts) - beyond

    def bound(self, charges: Charges, part: Standing) -> Bound | None:
        """Return what no committee of a part exceeds; None if it plainly holds none."""
        total, everyone = charges.fixed, part.sits | part.free
        for pattern, wins in enumerate(self._pool.wins):
            fewest = self.fewest(pattern, part.size)
            most: int | None = None
            for win in wins:
                left = (win.gain << self.shift) - charges.left.get((pattern, win.label), 0)
                if most is not None and left <= most:
                    continue
                if fewest[win.label] > (win.mine & everyone).bit_count() or _lost(win, part):
                    continue
                most = left
            if most is None:
                return None
            total += most
        pay = charges.pay
        total += sum(pay[k] for k in bits(part.sits))
        ranked = sorted((pay[k] for k in bits(part.free)), reverse=True)
        seats = part.seats
        return Bound(
            total + sum(ranked[:seats]), pay,
            ranked[seats - 1] if seats else None, ranked[seats] if seats < len(ranked) else None,
        )  # fmt: skip


@dataclass(frozen=True)
class Charges:
    """What prices pay each member, charge each class on each pattern, and add in any case."""

    pay: tuple[int, ...]
    left: dict[tuple[int, int], int]
    fixed: int


@dataclass(frozen=True)
class Bound:
    """What no committee of a part exceeds, and what it takes to have it otherwise.

    Parameters
    ----------
    most
        The bound.
    pay
        What members are paid.
    last, next
        The pay of the last free member who sits, and of the first who does not; None for nobody.
    """

    most: int
    pay: tuple[int, ...]
    last: int | None
    next: int | None

    def having(self, member: int, *, sits: bool) -> int | None:
        """Return the bound with one free member in, or out; None if that cannot be."""
        other = self.last if sits else self.next
        if other is None:
            return None
        # Whoever sits beside the best takes the last one's seat; whoever leaves makes room.
        change = self.pay[member] - other
        return self.most + min(change if sits else -change, 0)


def _below(row: Row, parts: Sequence[tuple[int, int]]) -> int:
    """Return minus the sum of the coefficients below 0 of those who are counted."""
    return sum(-value * (who & row.members).bit_count() for value, who in parts if value < 0)


def _lost(win: Win, part: Standing) -> bool:
    """Tell whether a class cannot win: the voters of the class come first, the rival's last."""
    seats, free = part.seats, part.free.bit_count()
    sitting = (win.mine & part.sits).bit_count()
    mine = sitting + min((win.mine & part.free).bit_count(), seats)
    for theirs, lead in win.duels:
        others = free - (theirs & part.free).bit_count()
        if mine - (theirs & part.sits).bit_count() - max(0, seats - others) < lead:
            return True
    return False
