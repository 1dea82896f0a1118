"""What a committee must respect, judged exactly, and the same limits as rows for prices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from .document import Document
from .measures import Measure
from .pool import Pool


@dataclass(frozen=True)
class LimitRow:
    """``on_members @ x + on_patterns @ t >= least``, its largest coefficient 1."""

    on_members: tuple[Fraction, ...]
    on_patterns: tuple[Fraction, ...]
    least: Fraction


class Limits:
    """The limits of a certificate on the committees of a pool.

    Parameters
    ----------
    document
        What limits there are.
    pool
        The votes.
    """

    def __init__(self, document: Document, pool: Pool) -> None:
        self._document, self._pool = document, pool
        diversity = document.diversity
        self._measure = None if diversity is None else Measure(diversity[0], pool.patterns)

    def faults(self, members: Sequence[int], threshold: int) -> Iterator[str]:
        """Yield every limit that a committee breaks."""
        d, chosen = self._document, set(members)
        if not d.size_min <= len(chosen) <= d.size_max or not chosen:
            yield f"its size {len(chosen)} is not in {d.size_min} .. {d.size_max}"
        if not 0 <= threshold < max(len(chosen), 1):
            yield f"its threshold {threshold} is not below its size"
        for k in sorted(set(d.required) - chosen):
            yield f"{d.names[k]!r} is required and does not sit"
        for k in sorted(set(d.forbidden) & chosen):
            yield f"{d.names[k]!r} is forbidden and sits"
        for costs, most in d.costs:
            spent = sum((costs[k] for k in chosen), Fraction(0))
            if spent > most:
                yield f"it costs {spent}, above {most}"
        for weights, least in d.criteria:
            decided = self._pool.decided_positive(members, threshold)
            value = sum(
                (
                    pattern.gains(weights)[0 if positive else 1]
                    for pattern, positive in zip(self._pool.patterns, decided, strict=True)
                ),
                Fraction(0),
            )
            if value < least:
                yield f"a limited criterion is {value}, below {least}"
        yield from self._diversity_faults(members)

    def _diversity_faults(self, members: Sequence[int]) -> Iterator[str]:
        if self._measure is None or self._document.diversity is None or len(members) < 2:
            return
        name, tau, gamma = self._document.diversity
        sign, pairs = self._measure.sign, len(members) - 1
        sums = [
            sum((self._measure.score(k, other) for other in members if other != k), Fraction(0))
            for k in members
        ]
        if min(sums) < sign * tau * pairs:
            yield f"a member's mean {name} breaks the limit {tau}"
        if sum(sums, Fraction(0)) < sign * gamma * pairs * len(members):
            yield f"the mean {name} breaks the limit {gamma}"

    def row(self, kind: str, place: int) -> LimitRow:
        """Return a limit as a row; ValueError if there is no such limit."""
        if kind == "cost" and 0 <= place < len(self._document.costs):
            costs, most = self._document.costs[place]
            members = [-costs[k] for k in self._pool.seats]
            return _scaled(members, [Fraction(0)] * len(self._pool.used), -most)
        if kind == "criterion" and 0 <= place < len(self._document.criteria):
            return self._criterion_row(place)
        if kind == "member" and 0 <= place < len(self._pool.seats) and self._measure is not None:
            return self._member_row(self._measure, place)
        raise ValueError(f"the proof uses a limit that is not there: {kind} {place}")

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

    def _member_row(self, measure: Measure, place: int) -> LimitRow:
        """Return a member's limit: if it sits, the surplus of the others does not sum below 0."""
        assert self._document.diversity is not None
        tau, seats = self._document.diversity[1], self._pool.seats
        row = [
            Fraction(0) if k == place else measure.score(seats[place], other) - measure.sign * tau
            for k, other in enumerate(seats)
        ]
        least = sum(
            sorted(min(x, Fraction(0)) for x in row)[: self._document.size_max], Fraction(0)
        )
        row[place] = least
        return _scaled(row, [Fraction(0)] * len(self._pool.used), least)


def _scaled(members: list[Fraction], patterns: list[Fraction], least: Fraction) -> LimitRow:
    largest = max((abs(value) for value in (*members, *patterns)), default=Fraction(0)) or Fraction(
        1
    )
    return LimitRow(
        tuple(value / largest for value in members),
        tuple(value / largest for value in patterns),
        least / largest,
    )
