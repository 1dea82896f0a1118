"""Limits on who sits in a soft committee, as rows, and the largest sum that they allow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from .fields import number, plain
from .soft_document import SoftDocument

Prices = tuple[tuple[str, int, Fraction], ...]

MOST_CELLS = 2**22
"""Rows times members up to which limits are looked at."""


class TooLargeError(Exception):
    """More steps are needed than anybody may ask for."""


@dataclass(frozen=True)
class Decisions:
    """Who sits, and who does not; the others are free."""

    seated: frozenset[int]
    barred: frozenset[int]

    def having(self, member: int, *, sits: bool) -> Decisions:
        """Return the decisions with one more."""
        if sits:
            return Decisions(self.seated | {member}, self.barred)
        return Decisions(self.seated, self.barred | {member})

    def decides(self, member: int) -> bool:
        """Tell whether a member is not free."""
        return member in self.seated or member in self.barred


class SoftLimits:
    """The limits of a certificate: rows, each a sum over members that must not exceed a limit.

    Raises
    ------
    TooLargeError
        If they are too many.
    """

    def __init__(self, document: SoftDocument) -> None:
        self._document, k = document, len(document.members)
        if (2 + len(document.costs) + 2 * len(document.groups)) * k > MOST_CELLS:
            raise TooLargeError
        self.n_members, self.size_max = k, document.size_max
        one, none = Fraction(1), Fraction(0)
        self.rows: dict[tuple[str, int], tuple[tuple[Fraction, ...], Fraction]] = {
            ("size_max", 0): ((one,) * k, Fraction(document.size_max)),
            ("size_min", 0): ((-one,) * k, -Fraction(max(document.size_min, 1))),
        }
        for place, (costs, most) in enumerate(document.costs):
            self.rows["cost", place] = costs, most
        for place, group in enumerate(document.groups):
            chosen = frozenset(group.members)
            inside = tuple(one if member in chosen else none for member in range(k))
            if group.at_most is not None:
                self.rows["at_most", place] = inside, Fraction(group.at_most)
            self.rows["at_least", place] = tuple(-x for x in inside), -Fraction(group.at_least)

    @property
    def root(self) -> Decisions:
        """What is decided before anything is: who is required, and who is forbidden."""
        return Decisions(frozenset(self._document.required), frozenset(self._document.forbidden))

    def free(self, decisions: Decisions) -> list[int]:
        """Return who may still sit or not."""
        if len(decisions.seated) >= self.size_max:
            return []
        return [member for member in range(self.n_members) if not decisions.decides(member)]

    def empty(self, decisions: Decisions) -> bool:
        """Tell whether plainly no allowed committee has decided so: some row cannot be kept."""
        if decisions.seated & decisions.barred:
            return True
        free = self.free(decisions)
        for line, limit in self.rows.values():
            least = sum((line[member] for member in decisions.seated), Fraction(0))
            least += sum((min(line[member], Fraction(0)) for member in free), Fraction(0))
            if least > limit:
                return True
        return False

    def faults(self, members: Iterable[int]) -> Iterator[str]:
        """Yield every limit that a committee breaks."""
        chosen, d = frozenset(members), self._document
        for member in sorted(set(d.required) - chosen):
            yield f"'{plain(d.members[member].name)}' is required and does not sit"
        for member in sorted(set(d.forbidden) & chosen):
            yield f"'{plain(d.members[member].name)}' is forbidden and sits"
        for (kind, place), (line, limit) in self.rows.items():
            total = sum((line[member] for member in chosen), Fraction(0))
            if total > limit:
                shown = number(abs(total)), number(abs(limit))
                yield "it breaks the limit {} {}: {} against {}".format(kind, place, *shown)


class Reach:
    """The largest sum of phi over the allowed committees of a node, rounded up.

    The members that sit, and as many of the free as there are seats left, those with the most: that
    is one bound. For prices u >= 0 on rows another is u limits + sum max(0, phi - u lines). The
    smaller counts.

    Parameters
    ----------
    limits
        Which committees are allowed.
    phi
        Not below 0.
    prices
        On rows that there are.
    decisions
        Of the node.
    """

    def __init__(
        self, limits: SoftLimits, phi: Sequence[Fraction], prices: Prices, decisions: Decisions
    ) -> None:
        free = limits.free(decisions)
        self._phi, self._free = phi, frozenset(free)
        seated = sum((phi[member] for member in decisions.seated), Fraction(0))
        falling = sorted((phi[member] for member in free), reverse=True)
        seats = min(max(limits.size_max - len(decisions.seated), 0), len(free))
        self._few = seated + sum(falling[:seats], Fraction(0))
        self._last = falling[seats - 1] if seats else Fraction(0)
        self._next = falling[seats] if seats < len(falling) else Fraction(0)
        self._over: dict[int, Fraction] | None = None
        if prices:
            rows = [(limits.rows[kind, place], price) for kind, place, price in prices]
            over = {
                member: phi[member]
                - sum((price * line[member] for (line, _), price in rows), Fraction(0))
                for member in (*decisions.seated, *free)
            }
            self._priced = sum((price * limit for (_, limit), price in rows), Fraction(0))
            self._priced += sum((over[member] for member in decisions.seated), Fraction(0))
            self._priced += sum((max(over[member], Fraction(0)) for member in free), Fraction(0))
            self._over = over

    @property
    def most(self) -> Fraction:
        """The sum over all committees of the node."""
        return self._few if self._over is None else min(self._few, self._priced)

    def most_with(self, member: int, *, sits: bool) -> Fraction | None:
        """Return the sum with one free member in, or out; None if it cannot sit."""
        if member not in self._free:
            return None if sits else self.most
        phi, last = self._phi[member], self._last
        # Whoever sits beside the best takes the last one's seat; whoever leaves makes room.
        few = self._few - max(last - phi, Fraction(0)) if sits else (
            self._few - max(phi - self._next, Fraction(0))
        )  # fmt: skip
        if self._over is None:
            return few
        over = self._over[member]
        return min(few, self._priced - max(-over if sits else over, Fraction(0)))
