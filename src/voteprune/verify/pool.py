"""`Pool`: the votes merged and counted, from the side on which each pattern gains."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from .document import Document, Four
from .table import Table


@dataclass(frozen=True)
class Pattern:
    """Rows on which every classifier votes the same.

    Parameters
    ----------
    votes
        As text, the first classifier first.
    positive, negative
        Weight of the positive and of the negative rows.
    """

    votes: str
    positive: Fraction
    negative: Fraction

    def gains(self, weights: Four) -> tuple[Fraction, Fraction]:
        """Return what it adds to a weighted sum when decided positive, and negative."""
        tp, fn, tn, fp = weights
        return (
            tp * self.positive + fp * self.negative,
            fn * self.positive + tn * self.negative,
        )


def merge(table: Table, weights: Sequence[Fraction] | None) -> list[Pattern]:
    """Return the patterns in the order of their votes; rows of weight 0 count for nothing."""
    sums: dict[str, list[Fraction]] = {}
    for row, (votes, label) in enumerate(zip(table.votes, table.labels, strict=True)):
        weight = Fraction(1) if weights is None else weights[row]
        if weight:
            sums.setdefault(votes, [Fraction(0), Fraction(0)])[0 if label else 1] += weight
    return [Pattern(votes, *sums[votes]) for votes in sorted(sums)]


def digest(names: Sequence[str], patterns: Sequence[Pattern]) -> str:
    """Return the fingerprint of names and patterns: SHA-256 of one line for each."""
    lines = [json.dumps(list(names))]
    lines += [f"{pattern.votes} {pattern.positive} {pattern.negative}" for pattern in patterns]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


@dataclass(frozen=True)
class Pool:
    """Patterns and what they gain, in the certificate's units.

    Bits are eligible classifiers: those not forbidden, in their order.

    Parameters
    ----------
    patterns
        All of them.
    seats
        The eligible classifiers, as places in the pool.
    base
        The sum where every pattern is decided negative.
    net
        For each pattern, what the sum changes by when it is decided positive.
    used
        The patterns with a net, which the proof numbers 0, 1, 2, ...
    """

    patterns: tuple[Pattern, ...]
    seats: tuple[int, ...]
    base: int
    net: tuple[int, ...]
    used: tuple[int, ...]
    positive: tuple[bool, ...]
    helps: tuple[int, ...]
    weights: tuple[int, ...]

    @classmethod
    def of(cls, document: Document, patterns: Sequence[Pattern]) -> Pool:
        """Count everything; ValueError if the unit of the certificate is not one."""
        gains = [pattern.gains(document.weights) for pattern in patterns]
        base = _whole(sum((low for _, low in gains), Fraction(0)) / document.unit)
        net = tuple(_whole((high - low) / document.unit) for high, low in gains)
        forbidden = set(document.forbidden)
        seats = tuple(k for k in range(len(document.names)) if k not in forbidden)
        used = tuple(i for i, value in enumerate(net) if value)
        everyone = (1 << len(seats)) - 1
        bits = [_bits(patterns[i].votes, seats) for i in used]
        positive = tuple(net[i] > 0 for i in used)
        return cls(
            tuple(patterns), seats, base, net, used, positive,
            tuple(b if up else everyone & ~b for b, up in zip(bits, positive, strict=True)),
            tuple(abs(net[i]) for i in used),
        )  # fmt: skip

    @property
    def step(self) -> int:
        """What all differences between sums are multiples of."""
        return math.gcd(*self.net) or 1

    @property
    def ceiling(self) -> int:
        """The sum where every pattern is decided at its best."""
        return self.base + sum(value for value in self.net if value > 0)

    @property
    def floor(self) -> int:
        """The sum where every pattern with a net is decided at its worst."""
        return self.ceiling - sum(self.weights)

    def reachable(self, bound: int) -> int:
        """Return the highest sum there can be that is not above a bound."""
        return self.base + (bound - self.base) // self.step * self.step

    def above(self, bound: int) -> int:
        """Return the lowest sum there can be above a bound."""
        return self.reachable(bound) + self.step

    def needed(self, pattern: int, size: int, level: int) -> int:
        """Return how many right votes a used pattern needs at (S, L)."""
        return level + 1 if self.positive[pattern] else size - level

    def decided_positive(self, members: Sequence[int], threshold: int) -> Iterator[bool]:
        """Tell for each pattern whether a committee decides it positive."""
        for pattern in self.patterns:
            yield sum(pattern.votes[k] == "1" for k in members) > threshold

    def value(self, members: Sequence[int], threshold: int) -> int:
        """Count what a committee is worth, in units."""
        decided = zip(self.net, self.decided_positive(members, threshold), strict=True)
        return self.base + sum(net for net, positive in decided if positive)


def _bits(votes: str, seats: Sequence[int]) -> int:
    return sum(1 << place for place, k in enumerate(seats) if votes[k] == "1")


def _whole(value: Fraction) -> int:
    if value.denominator != 1:
        raise ValueError("the gains are no whole multiples of the certificate's unit")
    return int(value)
