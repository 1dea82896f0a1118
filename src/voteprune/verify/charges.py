"""Prices become bounds: weak duality, in whole numbers that are only ever rounded upwards.

A row x(C) >= f (t_i + ... - (p - 1)) with a price y >= 0 may be added to the value of every
committee, for it adds y times something that is not negative. Write a = y f for its *amount*, which
is what a certificate notes. In the sum the row then costs each of its p patterns a, gives a (p - 1)
back, and pays a / f to each member in C. As f depends on (S, L), so does the pay; where f is not
positive the row says nothing, and the a that its patterns were charged is given back in full.

Everything is counted in units of 1 / FINE. A price is rounded first, which makes it another price;
after that every division is rounded upwards, so that what comes out is a bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from .document import Row
from .limits import LimitRow, Limits
from .pool import Pool

FINE = 1 << 64


@dataclass(frozen=True)
class CountRow:
    """A row that counts members who sit, or who stay away.

    Parameters
    ----------
    patterns
        One, or two.
    members
        Who is counted, as bits.
    away
        Whether those are counted who stay away.
    sides
        How many of the patterns want to be positive, and how many negative.
    shift
        What its factor has beyond the part that depends on (S, L).
    """

    patterns: tuple[int, ...]
    members: int
    away: bool
    sides: tuple[int, int]
    shift: int


def sound_row(row: Row, pool: Pool, limits: Limits) -> CountRow | LimitRow:
    """Return a row that holds for every committee; ValueError if this one is none."""
    if row.limit is not None:
        return limits.row(*row.limit)
    if len(set(row.patterns)) != len(row.patterns) or not 1 <= len(row.patterns) <= 2 - row.away:
        raise ValueError("a row is about one pattern, or about two that differ")
    if not all(0 <= i < len(pool.used) for i in row.patterns):
        raise ValueError("a row is about a pattern that is not there")
    right = (1 << len(pool.seats)) - 1
    for i in row.patterns:
        right &= pool.helps[i]
    whole = (1 << len(pool.seats)) - 1 & ~right if row.away else right
    if row.members & ~whole:
        raise ValueError("a row counts members it must not count")
    positive = sum(pool.positive[i] for i in row.patterns)
    skipped = (whole & ~row.members).bit_count()
    return CountRow(
        row.patterns,
        row.members,
        row.away,
        (positive, len(row.patterns) - positive),
        row.members.bit_count() if row.away else -skipped,
    )


class Charges:
    """Rows with prices, added up.

    Parameters
    ----------
    pool
        The patterns.
    priced
        Rows, and for each its amount (or its price, for a limit).
    """

    def __init__(self, pool: Pool, priced: Sequence[tuple[CountRow | LimitRow, Fraction]]) -> None:
        self._seats = len(pool.seats)
        self.left = [weight * FINE for weight in pool.weights]
        self.constant = pool.floor * FINE
        self._fixed = [0] * self._seats
        self._paid: dict[tuple[tuple[int, int], bool], dict[int, tuple[list[int], int]]] = {}
        self._known: dict[tuple[tuple[int, int], bool, int], tuple[list[int], int]] = {}
        for row, price in priced:
            if isinstance(row, LimitRow):
                self._limit(row, price)
            else:
                self._count(row, int(price * FINE))

    def _limit(self, row: LimitRow, price: Fraction) -> None:
        for place, value in enumerate(row.on_patterns):
            self.left[place] += up(price * value)
        for place, value in enumerate(row.on_members):
            self._fixed[place] += up(price * value)
        self.constant += up(-price * row.least)

    def _count(self, row: CountRow, amount: int) -> None:
        for pattern in row.patterns:
            self.left[pattern] -= amount
        self.constant += amount * (len(row.patterns) - 1)
        by_shift = self._paid.setdefault((row.sides, row.away), {})
        on_members, paid = by_shift.get(row.shift) or ([0] * self._seats, 0)
        for place in range(self._seats):
            if row.members >> place & 1:
                on_members[place] += amount
        by_shift[row.shift] = on_members, paid + amount

    def at(self, size: int, level: int) -> tuple[list[int], int]:
        """Return what each member is paid at (S, L), and what is given back there."""
        parts = [(self._fixed, 0)]
        for sides, away in self._paid:
            positive, negative = sides
            base = positive * (level + 1) + negative * (size - level)
            base -= (positive + negative - 1 + away) * size
            parts.append(self._part(sides, away, base))
        vectors = [vector for vector, _ in parts]
        return [sum(column) for column in zip(*vectors, strict=True)], sum(c for _, c in parts)

    def _part(self, sides: tuple[int, int], away: bool, base: int) -> tuple[list[int], int]:
        key = sides, away, base
        if key not in self._known:
            on_members, constant = [0] * self._seats, 0
            for shift, (amounts, paid) in self._paid[sides, away].items():
                factor = base + shift
                if factor <= 0:
                    constant += paid
                    continue
                for place, amount in enumerate(amounts):
                    on_members[place] += -(amount // factor) if away else -(-amount // factor)
                if away:
                    constant -= -paid * shift // factor  # |C| of who is counted, less who sits
            self._known[key] = on_members, constant
        return self._known[key]


class Standing:
    """Charges within a box: with what is decided there.

    Parameters
    ----------
    pool
        The patterns.
    charges
        Prices, added up.
    members, patterns
        What is decided, by place.
    """

    def __init__(
        self, pool: Pool, charges: Charges, members: dict[int, int], patterns: dict[int, int]
    ) -> None:
        self._pool, self._charges, self._members = pool, charges, members
        present = (1 << len(pool.seats)) - 1
        for place, value in members.items():
            present &= ~(0 if value else 1 << place)
        self.reach = [helps.bit_count() for helps in pool.helps]
        self.reach_now = [(helps & present).bit_count() for helps in pool.helps]
        most = len(pool.seats) + 2
        self._total = charges.constant
        lost = {side: [0] * most for side in (True, False)}
        self._impossible: dict[bool, set[int]] = {True: set(), False: set()}
        for i, left in enumerate(charges.left):
            side, decision = pool.positive[i], patterns.get(i)
            if decision == 0:
                continue
            worth = left if decision == 1 else max(left, 0)
            self._total += worth
            # From so many needed votes on it is not right, and is worth nothing.
            lost[side][(self.reach[i] if decision == 1 else self.reach_now[i]) + 1] += worth
            if decision == 1:
                self._impossible[side].update(range(self.reach_now[i] + 1, self.reach[i] + 1))
        self._lost = {side: list(accumulate(sums)) for side, sums in lost.items()}
        self._free = [k for k in range(len(pool.seats)) if k not in members]
        self._sitting = [k for k, value in members.items() if value]

    def look(self, size: int, level: int) -> Look | None:
        """Return what there is to say about (S, L); None if nothing of the box can be there."""
        needed = {True: level + 1, False: size - level}
        seats = size - len(self._sitting)
        if any(needed[side] in self._impossible[side] for side in needed):
            return None
        if not 0 <= seats <= len(self._free):
            return None
        on_members, constant = self._charges.at(size, level)
        constant += self._total - sum(self._lost[side][needed[side]] for side in needed)
        constant += sum(on_members[k] for k in self._sitting)
        order = sorted(self._free, key=lambda k: -on_members[k])
        return Look(constant, seats, tuple(order), tuple(on_members[k] for k in order))


@dataclass(frozen=True)
class Look:
    """A box at one (S, L): the sum but for the free members, and those, the best paid first."""

    constant: int
    seats: int
    order: tuple[int, ...]
    pay: tuple[int, ...]

    @property
    def bound(self) -> int:
        """What no committee of the box can exceed here, times `FINE`."""
        return self.constant + sum(self.pay[: self.seats])

    def with_member(self, place: int, value: int) -> int | None:
        """Return the bound if a free member sits or does not; None if it cannot be so."""
        rank = self.order.index(place)
        if value:
            if rank < self.seats:
                return self.bound
            return self.bound - self.pay[self.seats - 1] + self.pay[rank] if self.seats else None
        if rank >= self.seats:
            return self.bound
        if self.seats == len(self.order):
            return None
        return self.bound - self.pay[rank] + self.pay[self.seats]


def up(value: Fraction) -> int:
    """Return a number in units of 1 / FINE, rounded upwards."""
    return -int(-value * FINE // 1)
