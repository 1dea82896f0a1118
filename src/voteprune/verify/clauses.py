"""A refutation by clauses, gone through again: every clause, and every cell.

A clause says that no committee calls all of A positive and all of B negative, perhaps given that
some sit and some do not. Its shares prove it: were there such a committee with threshold L, then

    sum over A of share x (votes - L)  >=  the shares of A,      each pattern has L + 1 or more
    sum over B of share x (L - votes)  >=  0,                    each pattern has L or fewer

and with equal shares on both sides L cancels out. What is left is a sum over the members, d_k each;
if the most that it can be is less than the shares of A, there is no such committee. Where one side
has less, the pattern that everybody votes for (always positive) or nobody (always negative) makes
up for it.

A cell is a part of all committees, by what they decide. It is split in two, or closed by prices on
clauses: a clause asks for one of its decisions to be different, so adding it at a price to the
value of a committee can only raise it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .charges import FINE, up
from .document import Cell, Clause, Document, Refutation
from .limits import LimitRow, Limits
from .pool import Pool
from .replay import Fault


class Recheck:
    """A refutation to be gone through."""

    def __init__(
        self, document: Document, refutation: Refutation, pool: Pool, limits: Limits
    ) -> None:
        self._document, self._refutation = document, refutation
        self._pool, self._limits = pool, limits
        self._n, self._k = len(pool.used), len(pool.seats)
        everyone = (1 << self._k) - 1
        self._votes = [
            helps if positive else everyone & ~helps
            for helps, positive in zip(pool.helps, pool.positive, strict=True)
        ]
        seats = {k: place for place, k in enumerate(pool.seats)}
        self._required = {seats[k] for k in document.required if k in seats}
        self._too_high = pool.above(document.bound) * FINE

    def run(self) -> int:
        """Go through everything; return how many cells were closed, `Fault` if one is not."""
        for number, clause in enumerate(self._refutation.clauses):
            try:
                sound = self._sound(clause)
            except ValueError as error:
                raise Fault(f"clause {number}: {error}") from None
            if not sound:
                raise Fault(f"clause {number} is not proved by its shares")
        cells: dict[int, dict[int, int]] = {0: {}}
        used, closed = {0}, 0
        for cell in self._refutation.cells:
            decided = cells.pop(cell.number, None)
            if decided is None:
                raise Fault(f"cell {cell.number} is not open")
            if not cell.heirs:
                closed += 1
                if not all(
                    0 <= number < len(self._refutation.clauses) for number, _ in cell.prices
                ):
                    raise Fault(f"cell {cell.number} is closed by a clause that is not there")
                if not self._closed(cell, decided):
                    raise Fault(f"cell {cell.number} is closed, but its bound is too high")
                continue
            if len(set(cell.heirs)) != 2 or used & set(cell.heirs):
                raise Fault(f"cell {cell.number} is not split in two new ones")
            if not 0 <= cell.place < self._n + self._k or cell.place in decided:
                raise Fault(f"cell {cell.number} is split where that is not possible")
            used |= set(cell.heirs)
            for value, heir in enumerate(cell.heirs):
                cells[heir] = {**decided, cell.place: value}
        if cells:
            raise Fault(f"{len(cells)} cells are left open")
        return closed

    def _sound(self, clause: Clause) -> bool:
        """Tell whether the shares of a clause prove it."""
        _check_distinct([i for i, _ in (*clause.yes, *clause.no)], self._n)
        _check_distinct([*clause.sits, *clause.out], self._k)
        d, sums = [0] * self._k, {1: 0, -1: 0}
        for sign, side in ((1, clause.yes), (-1, clause.no)):
            for i, share in side:
                amount = int(share * FINE)  # any shares will do, so they may be rounded
                sums[sign] += amount
                for place in range(self._k):
                    if self._votes[i] >> place & 1:
                        d[place] += sign * amount
        whole = max(sums.values())
        d = [value + whole - sums[1] for value in d]
        least = whole
        for kind, place, price in clause.limits:
            row = self._limits.row(kind, place)
            if any(row.on_patterns):
                raise ValueError("a limit on patterns is no limit on who sits")
            d = [value + up(price * on) for value, on in zip(d, row.on_members, strict=True)]
            least -= up(-price * row.least)
        most = self._most(d, set(clause.sits) | self._required, set(clause.out))
        return most is None or most < least

    def _most(self, d: list[int], sits: set[int], out: set[int]) -> int | None:
        """Return the most that d can sum up to over a committee; None if there is none."""
        if sits & out:
            return None
        free = sorted((d[k] for k in range(self._k) if k not in sits | out), reverse=True)
        fewest = max(self._document.size_min - len(sits), 0)
        most = min(self._document.size_max - len(sits), len(free))
        if fewest > most:
            return None
        best = total = sum(free[:fewest])
        for value in free[fewest:most]:
            total += value
            best = max(best, total)
        return best + sum(d[k] for k in sits)

    def _closed(self, cell: Cell, decided: dict[int, int]) -> bool:
        """Tell whether nothing in a cell exceeds the bound."""
        known = {**{self._n + k: 1 for k in self._required}, **decided}
        if all(self._n + k in known for k in range(self._k)) and self._recounted(known):
            return True
        left = [self._pool.net[i] * FINE for i in self._pool.used] + [0] * self._k
        constant = self._pool.base * FINE
        for number, price in cell.prices:
            amount = int(price * FINE)
            constant -= amount
            for place, value in self._literals(self._refutation.clauses[number]):
                left[place] += -amount if value else amount
                constant += amount if value else 0
        for kind, number, price in cell.limits:
            try:
                constant += self._add_limit(left, self._limits.row(kind, number), price)
            except ValueError as error:
                raise Fault(str(error)) from None
        for place, worth in enumerate(left):
            constant += worth * known[place] if place in known else max(worth, 0)
        return constant < self._too_high

    def _literals(self, clause: Clause) -> list[tuple[int, bool]]:
        return [
            *((i, True) for i, _ in clause.yes),
            *((i, False) for i, _ in clause.no),
            *((self._n + k, True) for k in clause.sits),
            *((self._n + k, False) for k in clause.out),
        ]

    def _add_limit(self, left: list[int], row: LimitRow, price: Fraction) -> int:
        """Add a limit on what is decided right, at a price; return what it adds to the constant."""
        if any(row.on_members):
            raise ValueError("a limit on who sits has its price in a clause")
        constant = up(-price * row.least)
        for i, (on, positive) in enumerate(zip(row.on_patterns, self._pool.positive, strict=True)):
            # Right is 1 - z where a pattern gains as a negative.
            left[i] += up(price * on if positive else -price * on)
            constant += 0 if positive else up(price * on)
        return constant

    def _recounted(self, known: dict[int, int]) -> bool:
        """Tell whether the one committee of a cell is not allowed, or not above the bound."""
        members = [seat for place, seat in enumerate(self._pool.seats) if known[self._n + place]]
        return all(
            self._pool.value(members, level) <= self._document.bound
            or any(self._limits.faults(members, level))
            for level in range(len(members))
        )


def _check_distinct(places: Sequence[int], count: int) -> None:
    if len(set(places)) != len(places) or not all(0 <= place < count for place in places):
        raise ValueError("its decisions are not distinct, or not there")
