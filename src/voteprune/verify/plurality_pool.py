r"""`PluralityPool`: patterns of votes for classes, what they earn, and what their rows say.

The class that is named most often on a pattern wins, the first of several; where nobody names any,
the first of all. So class c has to be ahead of every rival r by its lead, 1 if r comes before c and
0 if not. Let A and A_r be who votes for c and for r, x who sits, S the size, and t = 1 if c wins.
With coefficients a, of which those of the members M are counted, every committee keeps

    sum over M of a x  +  (-a of M below 0)  >=  (b + (-a of M below 0) - (a above 0 beyond M)) t

where for t = 1 the sum of a x over all members is at least b:

    need    a = 1 on A,                                        b = the fewest votes c can win with
    duel    a = 1 on A, -1 on A_r,                             b = the lead
    total   a = 1 + |R| on A, 0 on the A_r of R, 1 elsewhere,  b = S + the leads of R

The first is a count: see `fewest`. The third adds up x(all) = S and the duels with all of R. For
t = 0 it is said only that what is counted is not negative; for t = 1, what somebody beyond M could
add is at most the coefficient.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from .plurality_document import DUEL, NEED, PluralityDocument, Row
from .plurality_table import Pattern


@dataclass(frozen=True)
class Win:
    """A class that can win on a pattern.

    Parameters
    ----------
    label
        The class.
    gain
        What the pattern is worth then, in units.
    mine
        Who votes for it, as bits.
    duels
        Its rivals: their voters, and the lead it takes.
    """

    label: int
    gain: int
    mine: int
    duels: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Standing:
    """Who sits and who may, as bits, in a part of all committees of a size."""

    size: int
    sits: int
    free: int

    @property
    def seats(self) -> int:
        """How many seats are left."""
        return self.size - self.sits.bit_count()

    def having(self, member: int, *, sits: bool) -> Standing:
        """Return the part in which a free member sits, or does not."""
        bit = 1 << member
        return Standing(self.size, self.sits | (bit if sits else 0), self.free & ~bit)


class PluralityPool:
    """Patterns and limits of a certificate, counted.

    Raises
    ------
    ValueError
        If the unit of the certificate is not one.
    """

    def __init__(self, document: PluralityDocument, patterns: Sequence[Pattern]) -> None:
        self.document, self._patterns = document, patterns
        forbidden = sum(1 << k for k in document.forbidden)
        self.allowed = (1 << len(document.names)) - 1 & ~forbidden
        worth: dict[int, list[tuple[int, Fraction]]] = {}
        for true, said, value in document.worths:
            worth.setdefault(true, []).append((said, value / document.unit))
        self._gains = [self._gains_of(pattern, worth) for pattern in patterns]
        self.voters = [self._voters_of(pattern) for pattern in patterns]
        self.wins = [
            tuple(self._wins_of(gains, voters))
            for gains, voters in zip(self._gains, self.voters, strict=True)
        ]
        self.limits = [_in_whole_numbers(costs, most) for costs, most in document.costs]

    def _gains_of(
        self, pattern: Pattern, worth: dict[int, list[tuple[int, Fraction]]]
    ) -> dict[int, int]:
        gains: dict[int, Fraction] = {}
        for true, weight in pattern.weights:
            for said, value in worth.get(true, ()):
                gains[said] = gains.get(said, Fraction(0)) + weight * value
        if any(gain.denominator != 1 for gain in gains.values()):
            raise ValueError("the gains are no whole multiples of the certificate's unit")
        return {said: int(gain) for said, gain in gains.items()}

    def _voters_of(self, pattern: Pattern) -> dict[int, int]:
        """Return who votes for what, of those who may sit."""
        voters: dict[int, int] = {}
        for k, code in enumerate(pattern.codes):
            if self.allowed >> k & 1:
                voters[code] = voters.get(code, 0) | 1 << k
        return voters

    def _wins_of(self, gains: dict[int, int], voters: dict[int, int]) -> Iterator[Win]:
        """Yield the classes that can win: who is named, and the first where nobody may be."""
        nobody = len(self.document.classes)
        # Where all members abstain the first class wins, so it is a rival though none names it.
        labels = {label for label in voters if label != nobody} | (
            {0} if nobody in voters else set()
        )
        for label in sorted(labels):
            duels = tuple(
                (voters.get(rival, 0), lead(rival, label)) for rival in labels if rival != label
            )
            yield Win(label, gains.get(label, 0), voters.get(label, 0), duels)

    @property
    def floor(self) -> int:
        """What every committee has: every pattern decided at its worst."""
        return sum(min((win.gain for win in wins), default=0) for wins in self.wins)

    @property
    def step(self) -> int:
        """What all differences between values are multiples of."""
        every = (win.gain - wins[0].gain for wins in self.wins for win in wins)
        return math.gcd(*every) or 1

    def above(self, bound: int) -> int:
        """Return the lowest value there can be above a bound."""
        return self.floor + ((bound - self.floor) // self.step + 1) * self.step

    def value(self, members: Sequence[int]) -> int:
        """Count what a committee is worth, in units."""
        return sum(
            gains.get(self._winner(pattern, members), 0)
            for gains, pattern in zip(self._gains, self._patterns, strict=True)
        )

    def _winner(self, pattern: Pattern, members: Sequence[int]) -> int:
        classes = len(self.document.classes)
        counts = [0] * (classes + 1)
        for k in members:
            counts[pattern.codes[k]] += 1
        return max(range(classes), key=lambda label: (counts[label], -label))

    def faults(self, members: Sequence[int]) -> Iterator[str]:
        """Say which limits a committee breaks."""
        document, chosen = self.document, set(members)
        if not max(document.size_min, 1) <= len(chosen) <= document.size_max:
            yield f"it has {len(chosen)} members"
        if not chosen.issuperset(document.required):
            yield "somebody who must sit does not"
        if not chosen.isdisjoint(document.forbidden):
            yield "somebody sits who must not"
        for place, (costs, most) in enumerate(self.limits):
            if sum(costs[k] for k in chosen) > most:
                yield f"it breaks limit {place} on costs"

    def root(self, size: int) -> Standing:
        """Return the part with all committees of a size."""
        required = sum(1 << k for k in self.document.required)
        # Who must sit and must not leaves more to seat than there are, see `empty`.
        return Standing(size, required, self.allowed & ~required)

    def empty(self, part: Standing) -> bool:
        """Tell whether a part plainly holds no allowed committee."""
        if part.sits & ~self.allowed or not 0 <= part.seats <= part.free.bit_count():
            return True
        free = bits(part.free)
        for costs, most in self.limits:
            cheapest = sorted(costs[k] for k in free)[: part.seats]
            if sum(costs[k] for k in bits(part.sits)) + sum(cheapest) > most:
                return True
        return False

    def fewest(self, pattern: int, size: int) -> dict[int, int]:
        """Return with how many votes each class can win at a size, at the least.

        With n votes for the class, a rival has at most n less its lead, and never more than
        voters; who votes for nobody may sit too. Too many where it cannot win.
        """
        silent = self.voters[pattern].get(len(self.document.classes), 0).bit_count()
        return {
            win.label: _fewest(
                size, silent, tuple((theirs.bit_count(), lead) for theirs, lead in win.duels)
            )
            for win in self.wins[pattern]
        }

    def coefficients(self, row: Row) -> tuple[list[tuple[int, int]], int]:
        """Return the coefficients of a row, as numbers and who has them, and the leads of its R.

        Raises
        ------
        ValueError
            If it counts somebody who has none.
        """
        voters = self.voters[row.pattern]
        mine = voters.get(row.label, 0)
        theirs = 0
        for rival in row.rivals:
            theirs |= voters.get(rival, 0)
        leads = sum(lead(rival, row.label) for rival in row.rivals)
        if row.kind == NEED:
            parts = [(1, mine)]
        elif row.kind == DUEL:
            parts = [(1, mine), (-1, theirs)]
        else:
            parts = [(1 + len(row.rivals), mine), (1, self.allowed & ~mine & ~theirs)]
        if row.members & ~(parts[0][1] | parts[-1][1]):
            raise ValueError("a row counts somebody it must not count")
        return parts, leads


def lead(rival: int, label: int) -> int:
    """Return by how much a class must be ahead of a rival, which wins ties if it comes before."""
    return int(rival < label)


def bits(members: int) -> list[int]:
    """Return the places of the bits of a number."""
    found = []
    while members:
        low = members & -members
        found.append(low.bit_length() - 1)
        members ^= low
    return found


@lru_cache(maxsize=2**16)
def _fewest(size: int, silent: int, rivals: tuple[tuple[int, int], ...]) -> int:
    votes = max((lead for _, lead in rivals), default=0)
    while votes <= size:
        if votes + silent + sum(min(count, votes - lead) for count, lead in rivals) >= size:
            return votes
        votes += 1
    return votes


def _in_whole_numbers(costs: Sequence[Fraction], most: Fraction) -> tuple[tuple[int, ...], int]:
    """Return a limit on costs times what makes all its numbers whole."""
    common = math.lcm(most.denominator, *(cost.denominator for cost in costs))
    return tuple(int(cost * common) for cost in costs), int(most * common)
