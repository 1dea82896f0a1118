"""What a committee must respect, judged exactly, and the same limits as rows for prices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import compress
from math import ceil, lcm

from .document import Document, Four
from .fields import number, plain
from .measures import Measure, Scores
from .pool import Pool


@dataclass(frozen=True)
class LimitRow:
    """``on_members @ x + on_patterns @ t >= least``, its largest coefficient 1."""

    on_members: tuple[Fraction, ...]
    on_patterns: tuple[Fraction, ...]
    least: Fraction


@dataclass(frozen=True)
class Criterion:
    """A limited criterion in whole numbers: ``base`` and the ``net`` of what is decided positive.

    Their sum, over ``scale``, is the value; it must be ``least`` or more.
    """

    base: int
    net: tuple[int, ...]
    least: int
    scale: int


class _Means:
    """Limits on the means of a measure, for members one by one and for all their pairs."""

    def __init__(self, measure: Measure, tau: Fraction, gamma: Fraction) -> None:
        self.measure, self.tau, self._gamma = measure, tau, gamma
        self._scores = Scores(measure, ())
        self._least: dict[int, tuple[int, int]] = {}

    def faults(self, members: Sequence[int]) -> Iterator[str]:
        """Yield the limits that two members or more break."""
        if not self._scores.seats.issuperset(members):
            self._scores = Scores(self.measure, self._scores.seats.union(members))
            self._least = {}
        size = len(members)
        if size not in self._least:
            # A whole number is at least a fraction if it is at least that rounded up.
            scale = self.measure.sign * self._scores.scale * (size - 1)
            self._least[size] = ceil(scale * self.tau), ceil(scale * self._gamma * size)
        sums, (each, all_in_all) = self._scores.sums(members), self._least[size]
        if min(sums) < each:
            yield f"a member's mean {self.measure.name} breaks the limit {number(self.tau)}"
        if sum(sums) < all_in_all:
            yield f"the mean {self.measure.name} breaks the limit {number(self._gamma)}"


class Limits:
    """The limits of a certificate on the committees of a pool."""

    def __init__(self, document: Document, pool: Pool) -> None:
        self._document, self._pool = document, pool
        self._means = None
        if document.diversity is not None:
            measure, *limits = document.diversity
            self._means = _Means(Measure(measure, pool.patterns), *limits)
        self._budgets = [_whole_budget(*cost) for cost in document.costs]
        self.criteria = tuple(_whole_criterion(pool, *limit) for limit in document.criteria)

    def faults(self, members: Sequence[int], threshold: int) -> Iterator[str]:
        """Yield every limit that a committee breaks."""
        yield from self.member_faults(members)
        if not 0 <= threshold < max(len(members), 1):
            yield f"its threshold {number(threshold)} is not below its size"
        decided = list(self._pool.decided_positive(members, threshold))
        for limit in self.criteria:
            value = limit.base + sum(compress(limit.net, decided))
            if value < limit.least:
                shown = (number(Fraction(x, limit.scale)) for x in (value, limit.least))
                yield "a limited criterion is {}, below {}".format(*shown)

    def member_faults(self, members: Sequence[int]) -> Iterator[str]:
        """Yield every limit that a set of members breaks, whatever its threshold."""
        d, chosen = self._document, set(members)
        if not d.size_min <= len(chosen) <= d.size_max or not chosen:
            sizes = f"{number(d.size_min)} .. {number(d.size_max)}"
            yield f"its size {len(chosen)} is not in {sizes}"
        for k in sorted(set(d.required) - chosen):
            yield f"'{plain(d.names[k])}' is required and does not sit"
        for k in sorted(set(d.forbidden) & chosen):
            yield f"'{plain(d.names[k])}' is forbidden and sits"
        for costs, most, scale in self._budgets:
            spent = sum(costs[k] for k in members)
            if spent > most:
                shown = (number(Fraction(x, scale)) for x in (spent, most))
                yield "it costs {}, above {}".format(*shown)
        if self._means is not None and len(members) > 1:
            yield from self._means.faults(members)

    def row(self, kind: str, place: int) -> LimitRow:
        """Return a limit as a row; ValueError if there is no such limit."""
        if kind == "cost" and 0 <= place < len(self._document.costs):
            costs, most = self._document.costs[place]
            members = [-costs[k] for k in self._pool.seats]
            return _scaled(members, [Fraction(0)] * len(self._pool.used), -most)
        if kind == "criterion" and 0 <= place < len(self._document.criteria):
            return self._criterion_row(place)
        if kind == "member" and 0 <= place < len(self._pool.seats) and self._means is not None:
            return self._member_row(self._means, place)
        raise ValueError(f"the proof uses a limit that is not there: {plain(kind)} {number(place)}")

    def _criterion_row(self, place: int) -> LimitRow:
        """Return a criterion as a sum over t, which is 1 where a pattern is decided right."""
        weights, least = self._document.criteria[place]
        pool, on_patterns = self._pool, []
        sides = dict(zip(pool.used, pool.positive, strict=True))
        for i, pattern in enumerate(pool.patterns):
            high, low = pattern.gains(weights)
            if i not in sides:
                least -= max(high, low)  # t says nothing about it, so it is as good as it can be
                continue
            right, wrong = (high, low) if sides[i] else (low, high)
            least -= wrong
            on_patterns.append(right - wrong)
        return _scaled([Fraction(0)] * len(pool.seats), on_patterns, least)

    def _member_row(self, means: _Means, place: int) -> LimitRow:
        """Return a member's limit: if it sits, the surplus of the others does not sum below 0."""
        measure, tau, seats = means.measure, means.tau, self._pool.seats
        row = [
            Fraction(0) if k == place else measure.score(seats[place], other) - measure.sign * tau
            for k, other in enumerate(seats)
        ]
        least = sum(
            sorted(min(x, Fraction(0)) for x in row)[: self._document.size_max], Fraction(0)
        )
        row[place] = least
        return _scaled(row, [Fraction(0)] * len(self._pool.used), least)


def _whole_budget(costs: Sequence[Fraction], most: Fraction) -> tuple[list[int], int, int]:
    """Return costs, what they may add up to, and what both were multiplied by."""
    scale = lcm(most.denominator, *(cost.denominator for cost in costs))
    return [int(cost * scale) for cost in costs], int(most * scale), scale


def _whole_criterion(pool: Pool, weights: Four, least: Fraction) -> Criterion:
    gains = [pattern.gains(weights) for pattern in pool.patterns]
    scale = lcm(least.denominator, *(x.denominator for pair in gains for x in pair))
    return Criterion(
        int(scale * sum((low for _, low in gains), Fraction(0))),
        tuple(int(scale * (high - low)) for high, low in gains),
        int(scale * least),
        scale,
    )


def _scaled(members: list[Fraction], patterns: list[Fraction], least: Fraction) -> LimitRow:
    largest = max((abs(value) for value in (*members, *patterns)), default=Fraction(0)) or Fraction(
        1
    )
    return LimitRow(
        tuple(value / largest for value in members),
        tuple(value / largest for value in patterns),
        least / largest,
    )
