"""Laws of a running proof: everything it says is held against all committees there are.

- no bound that is ever told is below the optimum, in the whole units that the incumbent keeps;
- what is better than the best committee so far lies in an open node, part or size, under a
  bound that is not below it;
- every row, nogood, price and half-plane holds for all committees that are allowed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager
from fractions import Fraction
from unittest import mock

import numpy as np

from oracle import metric
from voteprune.bounds.margin_prices import Sizes
from voteprune.bounds.prices import Prices
from voteprune.bounds.program import Program
from voteprune.bounds.relaxation_rows import LimitRow, Row
from voteprune.numbers.floats import objective_scale
from voteprune.problem.constraints import AtLeast
from voteprune.run.incumbent import Incumbent
from voteprune.strategies import curve_parts as parts
from voteprune.strategies import exact as engine
from voteprune.strategies import exact_margin as margins_exact
from voteprune.tree.nogoods import driver as refuting
from voteprune.tree.nogoods.relaxation import Relaxation
from voteprune.tree.sizes import driver as proving

FREE = -1
ROOM = Fraction(1, 10**7)
"""What the engine leaves for rounding, as a share."""

MOST = 3000
"""Committees that are looked at at every step; of more, the best and some others."""


def after(owner: type, name: str, look: Callable[..., None]):
    """Have a method call `look` with what it was given, after what it has returned."""
    original = getattr(owner, name)

    def watched(self, *given, **named):
        result = original(self, *given, **named)
        look(self, result, *given)
        return result

    return mock.patch.object(owner, name, watched)


class Watch:
    """Everything there is to be known about one problem, as its provers see it.

    Parameters
    ----------
    bad
        The problem with its truth.
    problem
        The same, compiled.
    """

    def __init__(self, bad, problem):
        self.bad, self.problem, truth = bad, problem, bad.truth
        self.wrong: list[str] = []
        self.seen = Counter[str]()
        units = truth.units(problem.gains.unit) if problem.objective.kind != "curve" else truth.rank
        keep = np.arange(len(units))
        if len(keep) > MOST:
            others = np.random.default_rng(bad.seed).choice(len(keep), MOST // 2, replace=False)
            keep = np.union1d(np.argsort(-units)[: MOST // 2], others)
        self.units, self.size, self.level = units[keep], truth.size[keep], truth.level[keep]
        self.members = truth.sets.members[truth.code[keep]]
        counts = self.members.astype(np.int64) @ problem.patterns.matrix.T.astype(np.int64)
        net = problem.gains.net
        used = np.flatnonzero(net != 0)
        self.z = (counts > self.level[:, None])[:, used].astype(np.int8)
        self.x = self.members[:, list(problem.allowed)].astype(np.int8)
        wants = np.asarray(net[used] > 0)
        self.t = (self.z == wants).astype(np.int8)
        right = (problem.patterns.matrix[used][:, list(problem.allowed)] == wants[:, None]).sum(1)
        asked = np.where(wants, self.level[:, None] + 1, (self.size - self.level)[:, None])
        nobody = np.zeros(self.x.shape, dtype=bool)
        self._decided = _words(np.hstack([self.x, self.t]))
        self._hopeless = _words(np.hstack([nobody, right < asked]))
        self._of_nogoods = _words(np.hstack([self.z, self.x]))
        pairs = np.stack([self.size, self.level], axis=1)
        self._pairs, self._pair = np.unique(pairs, axis=0, return_inverse=True)
        self.weights = np.abs(net[used].astype(np.float64))
        self.scale = objective_scale(net)
        self._floors: dict[tuple[float, float], int] = {}
        self._checked: set[int] = set()
        self._kept: list[object] = []

    def note(self, kind: str, broken: np.ndarray, what: str) -> None:
        self.seen[kind] += 1
        if broken.any() and len(self.wrong) < 20:
            first = int(np.flatnonzero(broken)[0])
            members = np.flatnonzero(self.members[first]).tolist()
            self.wrong.append(
                f"{what}: {int(broken.sum())} committees, such as {members} at "
                f"{int(self.level[first])}"
            )

    def below(self, bound: float, scale: float) -> int:
        """What a bound in floats says in whole units, rounding put right."""
        # Open nodes are looked at again after every round, with the same bounds.
        if (bound, scale) not in self._floors:
            largest = max(1.0, float(self.weights.max(initial=0.0)) / scale)
            room = ROOM * Fraction(max(largest, abs(bound)))
            self._floors[bound, scale] = math.floor(Fraction(scale) * (Fraction(bound) + room))
        return self._floors[bound, scale]

    # Nodes ------------------------------------------------------------------------------------

    def inside(self, node, those=slice(None)) -> np.ndarray:
        """Which committees decide as a node does, whatever their size and threshold."""
        asked, wanted = _words(node.decided != FREE), _words(node.decided == 1)
        other = (self._decided[those] ^ wanted) & asked
        # A pattern that a committee cannot get right may be asked to be right: it is in no row.
        return ~(other & ~(self._hopeless[those] & wanted)).any(axis=1)

    def bounded(self, node, bounds, scale, those=slice(None)) -> np.ndarray:
        """Each committee's bound in a node in units; a very low one for those not in it."""
        size, level, k = self.size[those], self.level[those], self.x.shape[1]
        told = np.full(len(size), -(2**62))
        by_pair = np.full((k + 1, k + 1), -(2**62))
        for (s, c), bound in zip(node.pairs.tolist(), bounds.tolist(), strict=True):
            by_pair[s, c] = max(self.below(bound, scale), -(2**62))
        where = self.inside(node, those)
        told[where] = by_pair[size[where], level[where]]
        return told

    def covered(self, nodes, bounded, best, what) -> None:
        """Check that every committee better than the best so far is in a node bounded above it."""
        left = np.flatnonzero(self.units > best)
        for node in nodes:
            if not left.size:
                break
            left = left[bounded(node, left) < self.units[left]]
        broken = np.zeros(len(self.units), dtype=bool)
        broken[left] = True
        self.note("nodes", broken, what)

    def nodes(self, nodes, scale, best, what="an open box") -> None:
        """Check that all that is better than the best of its size lies in an open node."""

        def bounded(node, those):
            return self.bounded(node, node.bounds, scale, those)

        self.covered(nodes, bounded, best, f"in no {what}")

    def judged(self, prices, judgement, node) -> None:
        told = self.bounded(node, judgement.bounds, self.scale)
        there = np.zeros((self.x.shape[1] + 1,) * 2, dtype=bool)
        there[tuple(node.pairs.T)] = True
        here = self.inside(node) & there[self.size, self.level]
        self.note("prices", here & (told < self.units), "prices bound a box below")

    def rows(self, program, _result, rows, *_) -> None:
        for row in rows:
            if id(row) in self._checked:
                continue
            self._checked.add(id(row))
            self._kept.append(row)  # so that nothing else gets its number
            if isinstance(row, LimitRow):
                had = self.x @ row.on_members + self.t @ row.on_patterns
                self.note("rows", had < row.least, "a limit's row cuts off")
                continue
            factor = np.array([row.factor(s, c) for s, c in self._pairs.tolist()])[self._pair]
            counted = (1 - self.x if row.away else self.x)[:, row.columns].sum(axis=1)
            asked = self.t[:, list(row.patterns)].sum(axis=1) - len(row.patterns) + 1
            self.note("rows", (factor > 0) & (counted < factor * asked), "a row cuts off")

    # Cells ------------------------------------------------------------------------------------

    def nogood_nodes(self, nodes, scale, best) -> None:
        """Check that all that is better lies in an open node of the nogoods."""

        def bounded(node, those):
            asked, wanted = _words(node.decided != FREE), _words(node.decided == 1)
            fine = ~((self._of_nogoods[those] ^ wanted) & asked).any(axis=1)
            return np.where(fine, max(self.below(node.bound, scale), -(2**62)), -(2**62))

        self.covered(nodes, bounded, best, "in no open node")

    def nogood(self, relaxation, _result, nogood) -> None:
        here = np.hstack([self.z, self.x])[:, list(nogood.variables)]
        self.note("nogoods", (here == np.array(nogood.values)).all(axis=1), "a nogood cuts off")

    def looked(self, relaxation, value, low, high, _latest) -> None:
        here = np.hstack([self.z, self.x])
        fine = ((low <= here) & (here <= high)).all(axis=1)
        told = self.below(value, self.scale)
        self.note("prices", fine & (self.units > told), "nogoods bound a node below")

    # Sizes of margins -------------------------------------------------------------------------

    def sized(self, sizes, bounds, *_) -> None:
        _, scale = Sizes.of(self.problem)
        largest = float(sizes.weights.max(initial=1.0))
        for size, bound in zip(sizes.all(), bounds.tolist(), strict=True):
            room = ROOM * Fraction(max(largest, abs(bound)))
            told = math.floor(Fraction(scale) * (Fraction(bound) + room))
            here = (self.size == size) & (self.units > told)
            self.note("prices", here, f"prices bound size {size} below")

    def queue(self, problem, run, queue) -> None:
        """Check that all that is better than the best lies at a size that is open."""
        best = run.incumbent.score
        told = {**queue.settled, **queue.waiting}
        bounds = np.array([told.get(int(size), -1) for size in self.size])
        better = self.units > (-(2**62) if best is None else best)
        self.note("nodes", better & (bounds < self.units), "at no open size")

    # Parts of ratios and curves ---------------------------------------------------------------

    def parts(self, own, _result, *_) -> None:
        """Check that all that is better lies in a part, and its summit is not below it."""
        incumbent, truth = own._incumbent, self.bad.truth
        sets, denominator = truth.sets, self.problem.patterns.denominator
        places = np.unique(sets.place[truth.code, truth.level])
        lost = np.zeros(len(self.units), dtype=bool)
        for point in (sets.points[place] for place in places):
            score = metric(self.bad.instance.objective, *point)
            if incumbent.score is not None and score <= incumbent.score:
                continue
            if not any(_holds(part, point, score, denominator, self.problem) for part in own.left):
                lost[:] = True
        self.note("nodes", lost, "in no part")

    # What is told -----------------------------------------------------------------------------

    def told(self, book) -> None:
        """Check a bound as the incumbent keeps it."""
        problem = book.problem
        self.seen["told"] += 1
        if problem.objective.kind == "margin" and problem.size_min != self.problem.size_min:
            return  # at one size, and about what is better than the best only
        kind = problem.objective.kind
        best = self._optimum(problem, kind == "curve")
        bound = book.bound if kind == "curve" else book.bound * book.problem.gains.unit
        if best is not None and bound < best and len(self.wrong) < 20:
            self.wrong.append(f"a bound of {float(bound)} is told, below {float(best)}")

    def _optimum(self, problem, scored):
        if not hasattr(self, "_best"):
            self._best: dict[int, tuple[object, Fraction | None]] = {}
        if id(problem) not in self._best:
            values = self.bad.truth
            if problem is not self.problem:
                linear = problem.objective.kind == "linear" and not scored
                objective = problem.weights if linear else self.bad.instance.objective
                values = self.bad.problem_values(
                    objective, problem.requests, problem.asked_diversity
                )
            here = (values.size >= problem.size_min) & (values.size <= problem.size_max)
            ranks = values.rank[here]
            best = values.ranked[int(ranks.max())] if len(ranks) else None
            self._best[id(problem)] = problem, best
        return self._best[id(problem)][1]


def _words(bits: np.ndarray) -> np.ndarray:
    """Bits along the last axis as machine words: there are many nodes to look through."""
    short = -bits.shape[-1] % 64
    padded = np.concatenate([bits, np.zeros((*bits.shape[:-1], short), dtype=bits.dtype)], axis=-1)
    return np.packbits(padded.astype(bool), axis=-1).view(np.uint64)


def _holds(part, point, score, denominator, problem) -> bool:
    """Tell whether a part allows for a committee with these counts."""
    for request in part.problem.requests[len(problem.requests) :]:
        value = metric(request.what, *point)
        if value < request.limit if isinstance(request, AtLeast) else value > request.limit:
            return False
    tp, _, _, fp = point
    inside = part.flat or all(
        plane.holds(tp * denominator, fp * denominator) for plane in part.outline.planes
    )
    return inside and part.summit.score >= score


@contextmanager
def watching(watch: Watch):
    """Hold everything that provers in this process say against the truth."""
    original = Incumbent._tell

    def tell(self):
        watch.told(self)
        original(self)

    def stock(campaign, *_):
        watch.seen["sizes"] += 1
        # Of a size that is not worked on nothing need be open.
        known = {size: incumbent.score for size, incumbent in campaign._incumbents.items()}
        scores = (known.get(int(size), 2**62) for size in watch.size)
        best = np.array([-(2**62) if score is None else score for score in scores])
        watch.nodes(campaign._nodes, campaign._scale, best)

    def nogood_nodes(refutation, *_):
        watch.seen["refutations"] += 1
        watch.nogood_nodes(refutation._nodes, refutation._scale, refutation._run.incumbent.score)

    def region(problem, run, region=None, settle=engine.settle):
        if region is not None:
            inside = (watch.size >= region.size_min) & (watch.size <= region.size_max)
            inside &= (watch.level >= region.level_min) & (watch.level <= region.level_max)
            better = watch.units > run.incumbent.score
            watch.note("nodes", better & ~inside, "outside what the solver is asked about")
        return settle(problem, run, region)

    def work_on(problem, run, queue, *rest, work_on=margins_exact._work_on):
        watch.queue(problem, run, queue)
        work_on(problem, run, queue, *rest)
        watch.queue(problem, run, queue)

    plain = watch.problem.objective.kind == "linear"
    patches = [mock.patch.object(Incumbent, "_tell", tell)]
    if plain:
        patches += [
            after(proving.SizesDriver, "_take_stock", stock),
            after(refuting.NogoodsDriver, "_take_stock", nogood_nodes),
            after(Prices, "judge", watch.judged),
            after(Program, "_append", watch.rows),
            after(Relaxation, "add", watch.nogood),
            after(Relaxation, "look", watch.looked),
            mock.patch.object(engine, "settle", region),
        ]
    elif watch.problem.objective.kind == "margin":
        patches += [
            after(Sizes, "bounds", watch.sized),
            mock.patch.object(margins_exact, "_work_on", work_on),
        ]
    else:
        patches += [after(parts.Parts, "_tell", watch.parts)]
    for patch in patches:
        patch.start()
    try:
        yield watch
    finally:
        for patch in reversed(patches):
            patch.stop()


def rows_of_all_kinds(levels, rng):
    """Rows of one pattern and of two, of who is there and who stays away, some left out."""
    k, rows = levels.n_classifiers, list(levels.basic_rows)
    for i in range(levels.n_patterns):
        out = rng.random(k) < 0.3
        right, wrong = levels.helps[i] & ~out, ~levels.helps[i] & ~out
        rows.append(Row((i,), right, levels.sides(i), -int((levels.helps[i] & out).sum())))
        rows.append(Row((i,), wrong, levels.sides(i), int(wrong.sum()), away=True))
        for j in range(i):
            both = levels.helps[i] & levels.helps[j]
            shift = -int((both & out).sum())
            rows.append(Row((i, j), both & ~out, levels.sides(i, j), shift))
    return rows
