"""The steps of a proof, gone through again one by one.

It begins with one box: all sizes S and thresholds L, nothing decided but who is required. A step
takes some (S, L) out of its box, decides something in it, or puts two boxes in its place. Whatever
is dropped on the way must be bounded by prices at or below what the certificate claims; what is
left in the end is open, and must be bounded too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .charges import FINE, Charges, CountRow, Standing, sound_row
from .document import Document, Proof, Step
from .limits import LimitRow, Limits
from .pool import Pool

Pair = tuple[int, int]
CUT, RECOUNTED = -1, -2
"""Reasons to drop an (S, L) that are no step: the minimum cut, and a single committee."""


class Fault(Exception):  # noqa: N818 - what is wrong with a proof, not with us
    """A step does not hold."""


@dataclass
class Box:
    """What is left of a box."""

    pairs: set[Pair]
    members: dict[int, int]
    patterns: dict[int, int]


@dataclass(frozen=True)
class Outcome:
    """What came of a replay: how many (S, L) were dropped, what is open, and how high that is."""

    dropped: int
    decided: int
    open_pairs: int
    unproved: int


class Replay:
    """A proof to be gone through."""

    def __init__(
        self, document: Document, proof: Proof, pool: Pool, limits: Limits, cut_bound: int
    ) -> None:
        self._document, self._proof, self._pool, self._limits = document, proof, pool, limits
        self._cut_holds = cut_bound <= document.bound
        self._too_high = pool.above(document.bound) * FINE
        self._priced = {step.number: step for step in proof.steps}
        self._rows: dict[int, CountRow | LimitRow] = {}
        self._charges: dict[int, Charges] = {}
        seats = {k: place for place, k in enumerate(pool.seats)}
        self._boxes = {0: Box(
            set(self._all_pairs()), {seats[k]: 1 for k in document.required if k in seats}, {}
        )}  # fmt: skip

    def _all_pairs(self) -> Iterator[Pair]:
        least = max(self._document.size_min, len(self._document.required), 1)
        for size in range(least, min(self._document.size_max, len(self._pool.seats)) + 1):
            yield from ((size, level) for level in range(size))

    def run(self) -> Outcome:
        """Go through all steps; `Fault` at the first that does not hold."""
        if len(self._priced) != len(self._proof.steps):
            raise Fault("two steps have the same number")
        dropped = decided = 0
        for step in self._proof.steps:
            box = self._boxes.get(step.box)
            if box is None:
                raise Fault(f"step {step.number} is about box {step.box}, which there is not")
            try:
                self._drop(step, box)
                self._decide(step, box)
            except ValueError as error:
                raise Fault(f"step {step.number}: {error}") from None
            self._split(step, box)
            dropped, decided = dropped + len(step.closed), decided + len(step.decided)
        return Outcome(dropped, decided, *self._open())

    def _drop(self, step: Step, box: Box) -> None:
        standings: dict[int, Standing] = {}
        for size, level, by in step.closed:
            if (size, level) not in box.pairs:
                raise Fault(f"step {step.number} drops {size, level}, which its box does not have")
            if not self._holds(box, (size, level), by, standings):
                raise Fault(
                    f"step {step.number} drops {size, level}, whose bound is above the one claimed"
                )
            box.pairs.remove((size, level))

    def _holds(self, box: Box, pair: Pair, by: int, standings: dict[int, Standing]) -> bool:
        """Tell whether a reason bounds an (S, L) of a box at or below what is claimed."""
        if by == CUT:
            return self._cut_holds
        if by == RECOUNTED:
            return self._recounted(box, pair)
        if by not in standings:
            standings[by] = self._standing(box, by)
        look = standings[by].look(*pair)
        return look is None or look.bound < self._too_high

    def _recounted(self, box: Box, pair: Pair) -> bool:
        """Tell whether the one committee left in a box is worth no more than is claimed."""
        if len(box.members) < len(self._pool.seats):
            return False
        seated = [self._pool.seats[place] for place, value in sorted(box.members.items()) if value]
        # Of another size than the pair's it is no better either, if the claim is true.
        _, level = pair
        return self._pool.value(seated, level) <= self._document.bound or any(
            self._limits.faults(seated, level)
        )

    def _standing(self, box: Box, by: int) -> Standing:
        if by not in self._priced:
            raise ValueError(f"there is no step {by}")
        if by not in self._charges:
            priced = [(self._row(row), price) for row, price in self._priced[by].prices]
            self._charges[by] = Charges(self._pool, priced)
        return Standing(self._pool, self._charges[by], box.members, box.patterns)

    def _row(self, place: int) -> CountRow | LimitRow:
        if not 0 <= place < len(self._proof.rows):
            raise ValueError(f"there is no row {place}")
        if place not in self._rows:
            self._rows[place] = sound_row(self._proof.rows[place], self._pool, self._limits)
        return self._rows[place]

    def _decide(self, step: Step, box: Box) -> None:
        """Check that the opposite of each decision is bounded at every (S, L) that is left."""
        if not step.decided:
            return  # which saves the work below
        seats = len(self._pool.seats)
        for place, value in step.decided:
            self._check_place(box, place, value)
        standing = self._standing(box, step.number)
        for pair in box.pairs:
            look = standing.look(*pair)
            if look is None:
                continue
            for place, value in step.decided:
                if place < seats:
                    bound = look.with_member(place, 1 - value)
                else:
                    bound = self._with_pattern(step, standing, look.bound, pair, place, 1 - value)
                if bound is not None and bound >= self._too_high:
                    raise Fault(
                        f"step {step.number} decides place {place}, but at {pair} the opposite is "
                        "not refuted"
                    )
        for place, value in step.decided:
            self._note(box, place, value)

    def _with_pattern(
        self, step: Step, standing: Standing, bound: int, pair: Pair, place: int, value: int
    ) -> int | None:
        """Return the bound if a free pattern is right or wrong; None if nothing is claimed."""
        i = place - len(self._pool.seats)
        needed, left = self._pool.needed(i, *pair), self._charges[step.number].left[i]
        if standing.reach[i] < needed:
            return None  # it is wrong whatever happens, and being right is not claimed here
        if standing.reach_now[i] < needed:
            return None if value else bound
        return bound - max(left, 0) + (left if value else 0)

    def _check_place(self, box: Box, place: int, value: int) -> None:
        seats = len(self._pool.seats)
        if not 0 <= place < seats + len(self._pool.used) or value not in (0, 1):
            raise ValueError(f"there is no place {place} to decide")
        if place in box.members if place < seats else place - seats in box.patterns:
            raise ValueError(f"place {place} was decided before")

    def _note(self, box: Box, place: int, value: int) -> None:
        seats = len(self._pool.seats)
        if place < seats:
            box.members[place] = value
        else:
            box.patterns[place - seats] = value

    def _split(self, step: Step, box: Box) -> None:
        if not step.heirs:
            return
        keys = {key for key, _, _ in step.heirs}
        places = {place for _, place, _ in step.heirs}
        if (
            [value for _, _, value in sorted(step.heirs, key=lambda heir: heir[2])] != [0, 1]
            or len(places) != 1
            or len(keys) != 2
            or keys & self._boxes.keys()
        ):
            raise Fault(f"step {step.number} does not split its box in two")
        try:
            self._check_place(box, *step.heirs[0][1:])
        except ValueError as error:
            raise Fault(f"step {step.number}: {error}") from None
        for key, place, value in step.heirs:
            pairs, i = set(box.pairs), place - len(self._pool.seats)
            if i >= 0 and value:
                reach = self._pool.helps[i].bit_count()
                # Where a pattern cannot be right, everything is in the other half.
                pairs = {pair for pair in pairs if reach >= self._pool.needed(i, *pair)}
            self._boxes[key] = Box(pairs, dict(box.members), dict(box.patterns))
            self._note(self._boxes[key], place, value)
        # The box stays known under its number, with nothing in it, so that no other takes it.
        box.pairs = set()

    def _open(self) -> tuple[int, int]:
        """Count the (S, L) that are open, and those that nothing bounds by what is claimed."""
        reasons: dict[int, dict[Pair, int]] = {}
        for key, pairs in self._proof.open:
            for size, level, by in pairs:
                if key not in self._boxes or (size, level) not in self._boxes[key].pairs:
                    raise Fault(f"box {key} is said to hold {size, level}, which it does not")
                reasons.setdefault(key, {})[size, level] = by
        found = unproved = 0
        for key, box in self._boxes.items():
            standings: dict[int, Standing] = {}
            known = reasons.get(key, {})
            for pair in box.pairs:
                found += 1
                try:
                    unproved += not self._holds(box, pair, known.get(pair, CUT), standings)
                except ValueError as error:
                    raise Fault(f"box {key}: {error}") from None
        return found, unproved
