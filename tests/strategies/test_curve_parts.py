"""Parts of all committees: whatever is cut, split or dropped, nothing better is lost."""

from fractions import Fraction

import numpy as np
import pytest

import voteprune as vp
from voteprune.problem.formulas import confusion_at
from voteprune.problem.outline import Outline
from voteprune.problem.problem import Problem
from voteprune.run.incumbent import Incumbent
from voteprune.strategies.curve_parts import Parts, _union

CURVES = ("f1", "mcc", "gmean", "precision", "jaccard", "npv", "cohen_kappa")
WANDERING = vp.Ratio(vp.Weights(tp=1, fp=-1, fn=1), vp.Weights(fp=1), zero_division=Fraction(1, 3))


class Pool:
    """A small problem, and what all its committees are worth."""

    def __init__(self, seed, objective, requests=(), weighted=False, steps=None):
        rng = np.random.default_rng(seed)
        labels = np.arange(10) % 2
        matrix = np.where(rng.random((10, 4)) < 0.7, labels[:, None], 1 - labels[:, None])
        weight = rng.integers(1, 3, 10) / 2 if weighted else np.ones(10)
        if steps:
            weight = np.where(labels, *steps)
        votes = vp.Votes(matrix, labels, sample_weight=weight)
        self.problem = Problem.of(votes, objective, requests)
        self.all, self._points, self._confusions = {}, {}, {}
        for code in range(1, 2**4):
            members = [k for k in range(4) if code >> k & 1]
            for level in range(len(members)):
                committee = self.problem.committee(members, level)
                if self.problem.allows(committee):
                    self.all[committee] = self.problem.score(committee)
                    told = self.problem.confusion(committee)
                    unit = self.problem.patterns.denominator
                    self._confusions[committee] = told
                    self._points[committee] = Fraction(told.tp) * unit, Fraction(told.fp) * unit
        self.best = max(self.all.values())

    def point(self, committee):
        """True and false positives, in units."""
        return self._points[committee]

    def most(self, part, weights):
        """The most that a weighted sum can be in a part; None where it is empty."""
        sums = (
            weights.value(self._confusions[one]) for one in self.all
            if part.problem.allows(one)
        )  # fmt: skip
        return max(sums, default=None)

    def lost(self, parts, incumbent):
        """Committees that beat the best one, and are in no part that admits it."""
        better = [
            one for one, score in self.all.items()
            if incumbent.score is None or score > incumbent.score
        ]  # fmt: skip
        return [one for one in better if not any(self.holds(part, one) for part in parts.left)]

    def holds(self, part, committee):
        if not part.problem.allows(committee) or part.summit.score < self.all[committee]:
            return False
        if part.flat:
            return part.summit.score == self.all[committee]
        planes = (*part.outline.planes, *part.own.planes)
        return all(plane.holds(*self.point(committee)) for plane in planes)


def highest(outline, floor=None):
    """The best score on the lattice inside, by trying all; None if none is above a floor."""
    p, n = Fraction(outline.positives), Fraction(outline.negatives)
    scores = [
        outline.formula.score(confusion_at((Fraction(tp), Fraction(fp)), p, n))
        for tp in range(0, outline.positives + 1, outline.steps[0])
        for fp in range(0, outline.negatives + 1, outline.steps[1])
        if all(plane.holds(Fraction(tp), Fraction(fp)) for plane in outline.planes)
    ]
    best = max(scores, default=None)
    return None if best is None or (floor is not None and best <= floor) else best


def direction(rng):
    return vp.Weights(tp=int(rng.integers(-1, 6)), fp=int(rng.integers(-6, 2)), tn=1)


def check(pool, parts, incumbent):
    """What must hold at any time; what is told is the highest of all that is left."""
    parts.tell_bound()
    assert not pool.lost(parts, incumbent)
    assert incumbent.bound >= pool.best
    assert incumbent.proved >= incumbent.bound
    known = [] if incumbent.score is None else [incumbent.score]
    if parts.left or known:
        assert incumbent.bound == max([*known, *(part.summit.score for part in parts.left)])
    for part in parts.left:
        assert part.proved >= part.summit.score
        assert part.flat or part.summit.score <= highest(part.outline)


@pytest.mark.parametrize("objective", [*CURVES, WANDERING])
@pytest.mark.parametrize("seed", range(3))
def test_nothing_better_is_lost_by_true_bounds(objective, seed):
    """Cut by what is so, exactly or with some room, split, and dropped where it is empty."""
    pool = Pool(seed, objective, weighted=seed == 1)
    rng = np.random.default_rng(seed)
    incumbent = Incumbent(pool.problem)
    committees = list(pool.all)
    if seed:
        worst = min(committees, key=pool.all.get)
        incumbent.offer(worst.members, worst.threshold)
    parts = Parts(incumbent)
    check(pool, parts, incumbent)
    splits = 0
    for turn in range(15):
        if not parts.left:
            break
        part = parts.highest()
        assert part.summit.score == max(other.summit.score for other in parts.left)
        if turn % 5 == 4 and not part.flat:
            before = list(parts.left)
            if parts.split(part):
                splits += 1
                assert part not in parts.left
                assert all(other in parts.left for other in before if other is not part)
            check(pool, parts, incumbent)
            continue
        weights = direction(rng)
        most = pool.most(part, weights)
        if most is None or (part.flat and turn > 10):
            if most is None:
                parts.drop(part)
            check(pool, parts, incumbent)
            continue
        if part.flat:
            continue
        room = Fraction(int(rng.integers(0, 3)))
        before, proved, floor = part.summit.score, part.proved, incumbent.score
        parts.cut(part, weights, most + room, most + room, ())
        told = highest(part.own, floor)
        assert (part in parts.left) == (told is not None)
        assert part.outline is part.own
        if told is not None:
            assert part.summit.score == min(before, told)
            assert part.proved == min(proved, told)
        check(pool, parts, incumbent)
        if turn % 7 == 6:
            some = committees[int(rng.integers(len(committees)))]
            incumbent.offer(some.members, some.threshold)
            check(pool, parts, incumbent)
    assert splits


@pytest.mark.parametrize("objective", ["f1", "mcc", "gmean"])
def test_what_rests_on_a_solvers_word_is_told_from_what_is_proved(objective):
    """Whatever it claims: what is proved is never below the best, and the claim has its name."""
    for seed in range(4):
        pool = Pool(seed, objective)
        rng = np.random.default_rng(seed)
        incumbent = Incumbent(pool.problem)
        parts = Parts(incumbent)
        whole = parts.left[0]
        own = whole.own
        claimed = whole.outline
        words = []
        for name in ("s", "t", "s"):
            weights = direction(rng)
            most = pool.most(whole, weights)
            lie = most - Fraction(int(rng.integers(0, 4)))
            parts.cut(whole, weights, lie, most + 1, (name,))
            own = own.below(weights, most + 1, 1)
            claimed = claimed.below(weights, lie, 1)
            words = list(dict.fromkeys([*words, name]))
            parts.tell_bound()
            assert whole.proved == highest(own) == incumbent.proved >= pool.best
            summit = highest(claimed)
            assert (summit is None) == (whole not in parts.left)
            if summit is None:
                # Nothing is left by the solvers' word alone: what is proved stays the bound.
                assert incumbent.proved == whole.proved
                break
            assert whole.by == tuple(words)
            assert whole.summit.score == summit == incumbent.bound
            if incumbent.bound < incumbent.proved:
                assert incumbent.trusted == tuple(words)
        if whole in parts.left and parts.split(whole):
            halves = parts.left + parts._believed
            assert all(half.by == tuple(words) for half in halves)
            parts.tell_bound()
            assert incumbent.proved >= pool.best
            assert incumbent.bound == max(
                (half.summit.score for half in parts.left), default=incumbent.proved
            )


def test_a_part_dropped_on_somebodys_word_is_remembered():
    pool = Pool(0, "f1")
    incumbent = Incumbent(pool.problem)
    parts = Parts(incumbent)
    assert parts.split(parts.highest())
    first = parts.highest()
    (second,) = (part for part in parts.left if part is not first)
    assert second.summit.score < first.summit.score
    first.proved, first.by = first.proved + 1, ("r",)
    proved = first.proved
    parts.drop(first, ("s", "r"))
    assert parts.left == [second]
    assert [part.by for part in parts._believed] == [("r", "s")]
    parts.tell_bound()
    assert incumbent.bound == second.summit.score
    assert incumbent.proved == min(proved, pool.problem.objective.ceiling)
    assert incumbent.trusted == ("r", "s")
    parts.drop(second)
    assert not parts.left
    assert len(parts._believed) == 1
    some = next(iter(pool.all))
    incumbent.offer(some.members, some.threshold)
    parts.clear()
    assert not parts._believed
    parts.tell_bound()
    assert incumbent.bound == incumbent.proved == incumbent.score


def test_a_part_that_claims_empty_is_believed_and_one_that_proofs_empty_is_gone():
    pool = Pool(0, "f1")
    for proved, remembered in ((Fraction(9), [("s",)]), (Fraction(-1), [])):
        parts = Parts(Incumbent(pool.problem))
        (whole,) = parts.left
        parts.cut(whole, vp.Weights(tp=1), Fraction(-1), proved, ("s",))
        assert not parts.left
        assert [part.by for part in parts._believed] == remembered


def test_of_two_halves_one_may_be_empty_by_somebodys_word():
    pool = Pool(0, "f1")
    incumbent = Incumbent(pool.problem)
    parts = Parts(incumbent)
    (whole,) = parts.left
    # Claimed: at most 2 true positives, and 2 false ones at least; so (2, 2) is the highest.
    whole.by = ("s",)
    whole.outline = whole.outline.below(vp.Weights(tp=1), Fraction(2), 1)
    whole.outline = whole.outline.below(vp.Weights(fp=1), Fraction(-2), 1, sign=-1)
    whole.summit = whole.outline.lattice_summit(None)
    assert whole.summit.point == (2, 2)
    # One true positive is worth 1/4 there, and 1/3 by what is proved.
    incumbent.score = Fraction(3, 10)
    assert parts.split(whole)
    (high,), (low,) = parts.left, parts._believed
    assert (high.summit.score, high.proved) == (Fraction(4, 9), 1)
    assert (low.summit.score, low.proved) == (Fraction(1, 3), Fraction(1, 3))
    assert high.by == low.by == ("s",)


def test_without_a_committee_and_without_parts_there_is_nothing_to_tell():
    pool = Pool(0, "f1")
    incumbent = Incumbent(pool.problem)
    parts = Parts(incumbent)
    parts.clear()
    parts.tell_bound()
    assert incumbent.bound == pool.problem.objective.ceiling
    assert not incumbent.trace


@pytest.mark.parametrize("by", [(), ("s",)])
@pytest.mark.parametrize("objective", ["f1", "mcc"])
def test_what_is_foretold_is_what_a_cut_would_say_of_the_polygon(objective, by):
    for seed in range(4):
        pool = Pool(seed, objective)
        rng = np.random.default_rng(seed)
        incumbent = Incumbent(pool.problem)
        parts = Parts(incumbent)
        parts.split(parts.highest())
        if by:
            parts.left[0].by = ("r",)
        kept = [(part.outline, part.own, part.summit, part.proved) for part in parts.left]
        part = parts.highest()
        others = [other for other in parts.left if other is not part]
        weights = direction(rng)
        most = pool.most(part, weights)
        if most is None:
            continue
        claim = most if by else most + 1
        parts.foretell_bound(part, weights, claim, most + 1, by)
        assert kept == [(one.outline, one.own, one.summit, one.proved) for one in parts.left]
        told = []
        for outline, bound, known in (
            (part.outline, claim, part.summit.score), (part.own, most + 1, part.proved),
        ):  # fmt: skip
            summit = outline.below(weights, bound, 1).summit()
            ends = [other.summit.score if bound == claim else other.proved for other in others]
            told.append(max([*ends, *([] if summit is None else [min(known, summit.score)])]))
        assert incumbent.proved == min(told[1], pool.problem.objective.ceiling)
        assert incumbent.bound == min(told[0], incumbent.proved) >= pool.best
        if incumbent.bound < incumbent.proved:
            assert incumbent.trusted == ("r", "s")


@pytest.mark.parametrize("objective", ["f1", "mcc"])
def test_what_is_foretold_as_proved_does_not_rest_on_what_a_solver_said_before(objective):
    for seed in range(4):
        pool = Pool(seed, objective)
        incumbent = Incumbent(pool.problem)
        parts = Parts(incumbent)
        part = parts.highest()
        # It was told that nobody has a true positive, which is a lie.
        part.by, part.outline = ("r",), part.outline.below(vp.Weights(tp=1), Fraction(0), 1)
        weights = direction(np.random.default_rng(seed))
        most = pool.most(part, weights)
        parts.foretell_bound(part, weights, most, most, ())
        assert incumbent.bound < pool.best <= incumbent.proved
        assert incumbent.trusted == ("r",)


def test_others_and_what_is_believed_count_in_what_is_foretold():
    pool = Pool(1, "f1")
    incumbent = Incumbent(pool.problem)
    parts = Parts(incumbent)
    assert parts.split(parts.left[0])
    assert parts.split(parts.left[0])
    high = parts.highest()
    gone = next(part for part in parts.left if part is not high)
    gone.proved = Fraction(2)
    parts.drop(gone, ("r",))
    weights = vp.Weights(tp=1)
    parts.foretell_bound(high, weights, Fraction(-1), Fraction(-1), ())
    left = [part.summit.score for part in parts.left if part is not high]
    assert incumbent.proved == pool.problem.objective.ceiling  # no more than is known anyway
    assert incumbent.bound == max(left)
    assert incumbent.trusted == ("r",)


def test_committees_that_0_divides_are_a_part_of_their_own():
    pool = Pool(2, "precision")
    parts = Parts(Incumbent(pool.problem))
    flat = [part for part in parts.left if part.flat]
    assert [part.summit.score for part in flat] == [0]
    assert flat[0].proved == 0
    divided = [one for one in pool.all if sum(pool.point(one)) == 0]
    for committee in pool.all:
        assert flat[0].problem.allows(committee) == (committee in divided)
    pool = Pool(2, WANDERING)
    parts = Parts(Incumbent(pool.problem))
    flat, divides = (
        next(part for part in parts.left if part.flat is wanted) for wanted in (True, False)
    )
    assert (flat.summit.score, flat.proved) == (Fraction(1, 3), Fraction(1, 3))
    for committee in pool.all:
        zero = pool.point(committee)[1] == 0
        assert flat.problem.allows(committee) == zero
        assert divides.problem.allows(committee) == (not zero)
    assert {pool.point(one)[1] == 0 for one in pool.all} == {True, False}
    # Nothing can be 0 below a weighted sum of all rows: one part.
    everywhere = vp.Ratio(vp.Weights(tp=1), vp.Weights(tp=1, fn=1, tn=1, fp=1))
    assert [part.flat for part in Parts(Incumbent(Pool(2, everywhere).problem)).left] == [False]


def test_limits_of_the_problem_are_limits_of_every_part():
    requests = (vp.AtLeast("recall", 0.5), vp.AtMost("size", 2))
    pool = Pool(0, "f1", requests)
    parts = Parts(Incumbent(pool.problem))
    outline = parts.left[0].outline
    assert all(outline.planes == part.own.planes for part in parts.left if not part.flat)
    for committee in pool.all:
        assert all(plane.holds(*pool.point(committee)) for plane in outline.planes)
    assert min(point[0] for point in outline.corners()) == 3  # of five
    parts.split(parts.left[0])
    for part in parts.left:
        assert part.problem.requests[:2] == requests
        assert part.problem.size_max == 2


@pytest.mark.parametrize("steps", [None, (2, 3), (3, 1)])
def test_a_part_is_split_at_its_summit_into_all_that_it_was(steps):
    pool = Pool(1, "f1", weighted=True, steps=steps)
    incumbent = Incumbent(pool.problem)
    parts = Parts(incumbent)
    whole = parts.left[0]
    whole.asked_at = Fraction(1, 7)
    denominator = pool.problem.patterns.denominator
    summit = int(whole.summit.point[0])
    step = whole.outline.steps[0]
    least, most = whole.outline.tp_range()
    assert parts.split(whole)
    low, high = (part for part in parts.left if not part.flat)
    edges = [part.problem.requests[-1] for part in (low, high)]
    assert [type(edge) for edge in edges] == [vp.AtMost, vp.AtLeast]
    assert [edge.what for edge in edges] == ["tp", "tp"]
    at = min(max(summit // step * step, least), most - step)
    assert [edge.limit * denominator for edge in edges] == [at, at + step]
    assert (low.asked_at, high.asked_at) == (Fraction(1, 7), Fraction(1, 7))
    assert low.outline.tp_range() == (least, at)
    assert high.outline.tp_range() == (at + step, most)
    for part in (low, high):
        assert part.own.planes == part.outline.planes
    for committee in pool.all:
        admitted = [part.problem.allows(committee) for part in (low, high)]
        assert sum(admitted) == 1
    # One column can be split no further.
    while not (narrow := parts.highest()).flat and parts.split(narrow):
        pass
    if not narrow.flat:
        low, high = narrow.outline.tp_range()
        assert low == high
        assert narrow in parts.left


def test_names_are_listed_once():
    assert _union() == _union((), ()) == ()
    assert _union(("b", "a"), ("a", "c"), ("b",)) == ("b", "a", "c")


def test_when_time_is_over_polygons_speak():
    """And what they say is not above what was known before."""
    pool = Pool(0, "f1")
    incumbent = Incumbent(pool.problem)
    parts = Parts(incumbent, deadline=0.0)
    part = parts.left[0]
    assert (
        part.summit.score == Outline.of(part.outline.formula, pool.problem.patterns).summit().score
    )
    sharp = Parts(incumbent).left[0]
    parts.left = [sharp]
    known = sharp.summit.score, sharp.proved
    parts.cut(sharp, vp.Weights(tp=1, fp=-1), Fraction(5), Fraction(5), ())
    assert (sharp.summit.score, sharp.proved) <= known
