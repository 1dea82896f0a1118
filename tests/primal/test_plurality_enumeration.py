"""All committees of several classes, tried 64 at a time: nothing is missed, nothing made up."""

import time
from itertools import combinations
from unittest import mock

import numpy as np
import pytest

import voteprune as vp
from pluralities import holds, known, random_node
from voteprune.primal import plurality_enumeration as trying
from voteprune.primal import plurality_sums
from voteprune.problem.plurality import PluralityProblem
from voteprune.problem.wins import Wins

SOON = 600.0


def run(listed, decided, sizes, target, seconds=SOON):
    return listed.run(decided, sizes, target, time.monotonic() + seconds)


def nothing_reaches(listed, decided, sizes, target):
    """Whether the sums alone say that nothing reaches a target, without a recount."""
    with mock.patch.object(trying._Trial, "_judge", side_effect=AssertionError("a sum too high")):
        return run(listed, decided, sizes, target).found == ()


@pytest.mark.slow
@pytest.mark.parametrize("tails", [1, 4, 20, 2**13])
def test_the_best_of_every_node_is_found_if_it_reaches_the_target_and_only_then(tails):
    for seed in range(60):
        case, rng = known(seed), np.random.default_rng(seed)
        with (
            mock.patch.object(trying, "_MOST_TAILS", tails),
            mock.patch.object(trying, "_FEWEST_TAILS", 1),
        ):
            listed = trying.Enumeration(case.wins)
        for _ in range(4):
            decided = random_node(rng, case.wins)
            low = int(rng.integers(case.wins.size_min, case.wins.size_max + 1))
            sizes = range(low, int(rng.integers(low, case.wins.size_max + 1)) + 1)
            inside = [
                score
                for members, score in case.scores.items()
                if len(members) in sizes and holds(decided, members)
            ]
            best = max(inside, default=None)
            for target in {0, (best or 0) - 1, best or 0, (best or 0) + 1}:
                tried = run(listed, decided, sizes, target)
                assert tried.done
                scores = [case.scores[members] for members in tried.found]
                assert scores == sorted(set(scores))
                if best is not None and best >= target:
                    assert scores[-1] == best
                else:
                    assert scores == []


@pytest.mark.slow
def test_words_are_filled_with_several_heads_and_several_words():
    """With 14 classifiers there are tails of many words, and heads that are worked on together."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 5, 40)
    named = np.where(rng.random((40, 14)) < 0.5, y[:, None], rng.integers(0, 5, (40, 14)))
    problem = PluralityProblem.of(vp.PluralityVotes(named, y), "balanced_accuracy")
    wins, _ = Wins.of(problem)
    chosen = (np.arange(1, 2**14)[:, None] >> np.arange(14)) & 1
    counts = np.stack([chosen @ (problem.codes == c).T for c in range(5)], axis=2)
    scores = problem.gain[np.arange(problem.n_patterns), counts.argmax(axis=2)].sum(axis=1)
    nothing = np.full(14, trying.FREE, dtype=np.int8)
    for tails in (64, 700, 2**13):
        with mock.patch.object(trying, "_MOST_TAILS", tails):
            listed = trying.Enumeration(wins)
        for size in range(1, 15):
            best = int(scores[chosen.sum(axis=1) == size].max())
            tried = run(listed, nothing, range(size, size + 1), 0)
            assert wins.score(tried.found[-1]) == best
            assert run(listed, nothing, range(size, size + 1), best + 1).found == ()


@pytest.mark.parametrize("many", [1, 2, 16])
@pytest.mark.parametrize("block", [1, 40, 2**17])
def test_piles_in_blocks_and_wins_with_many_unsure_duels_are_added_up_alike(block, many):
    """With nine classes a win has up to eight duels, and rows of a pile stand in many blocks."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 9, 60)
    named = np.where(rng.random((60, 9)) < 0.3, y[:, None], rng.integers(0, 9, (60, 9)))
    votes = vp.PluralityVotes(named, y, sample_weight=rng.integers(1, 8, 60))
    problem = PluralityProblem.of(votes, "accuracy")
    wins, _ = Wins.of(problem)
    nothing = np.full(9, trying.FREE, dtype=np.int8)
    with (
        mock.patch.object(trying, "_MOST_TAILS", 64),
        mock.patch.object(trying, "_BLOCK", block),
        mock.patch.object(trying, "_MANY", many),
    ):
        listed = trying.Enumeration(wins)
        for size in range(1, 10):
            best = max(problem.score(members) for members in combinations(range(9), size))
            for target in (0, best):
                tried = run(listed, nothing, range(size, size + 1), target)
                assert wins.score(tried.found[-1]) == best
            assert nothing_reaches(listed, nothing, range(size, size + 1), best + 1)


@pytest.mark.slow
def test_votes_of_more_classifiers_than_a_byte_counts_are_counted():
    rng = np.random.default_rng(0)
    k = 200
    y = rng.integers(0, 3, 25)
    # On some rows nearly all vote alike, on the others hardly more than a third.
    skill = rng.choice([0.05, 0.99], 25)[:, None]
    named = np.where(rng.random((25, k)) < skill, y[:, None], rng.integers(0, 3, (25, k)))
    decided = np.ones(k, dtype=np.int8)
    decided[rng.permutation(k)[:10]] = trying.FREE
    problem = PluralityProblem.of(vp.PluralityVotes(named, y), "accuracy")
    wins, _ = Wins.of(problem)
    listed, fixed = trying.Enumeration(wins), np.flatnonzero(decided == 1).tolist()
    free = np.flatnonzero(decided == trying.FREE).tolist()
    for more in (0, 4, 5, 10):
        best = max(problem.score([*fixed, *some]) for some in combinations(free, more))
        sizes = range(k - 10 + more, k - 10 + more + 1)
        for target in (0, best):
            assert wins.score(run(listed, decided, sizes, target).found[-1]) == best
        assert nothing_reaches(listed, decided, sizes, best + 1)


def test_what_trying_takes_is_learned():
    case = known(3, most_rows=30)
    nothing = np.full(case.wins.n_classifiers, trying.FREE, dtype=np.int8)
    listed, sizes = trying.Enumeration(case.wins), range(1, case.wins.size_max + 1)
    first = listed.seconds(nothing, sizes)
    for _ in range(12):
        # Every look at the clock is 0.7 s after the one before.
        with mock.patch.object(trying.time, "thread_time", side_effect=[0.0, 0.7]):
            run(listed, nothing, sizes, 0)
    assert first < 0.1
    assert listed.seconds(nothing, sizes) == pytest.approx(0.7, rel=0.01)
    with mock.patch.object(trying.time, "thread_time", side_effect=[0.0, 99.0]):
        run(listed, nothing, sizes, 0, seconds=-1)
    assert listed.seconds(nothing, sizes) == pytest.approx(0.7, rel=0.01)


@pytest.mark.parametrize("largest", [2**30, 10**25])
def test_gains_that_are_too_long_are_rounded_up_and_recounted(largest):
    rng = np.random.default_rng(7)
    for _ in range(10):
        y = rng.integers(0, 3, 15)
        named = np.where(rng.random((15, 7)) < 0.5, y[:, None], rng.integers(0, 3, (15, 7)))
        worths = {c: int(rng.integers(2**30)) * (largest // 2**30) + 1 for c in range(3)}
        weights = rng.integers(1, 10**6, 15)
        problem = PluralityProblem.of(vp.PluralityVotes(named, y, sample_weight=weights), worths)
        wins, _ = Wins.of(problem)
        sums = trying.Sums.of(wins)
        exact = [int(w) * sums.worths[g] for w, g in zip(sums.weights, sums.group, strict=True)]
        assert all(e * sums.divisor >= u for e, u in zip(exact, wins.units.tolist(), strict=True))
        best = max(problem.score([k for k in range(7) if code >> k & 1]) for code in range(1, 2**7))
        nothing = np.full(7, trying.FREE, dtype=np.int8)
        for target in (0, best):
            tried = run(trying.Enumeration(wins), nothing, range(1, 8), target)
            assert wins.score(tried.found[-1]) == best
        assert run(trying.Enumeration(wins), nothing, range(1, 8), best + 1).found == ()


def test_without_time_it_says_that_not_all_were_tried():
    case = known(5)
    nothing = np.full(case.wins.n_classifiers, trying.FREE, dtype=np.int8)
    tried = run(trying.Enumeration(case.wins), nothing, range(1, 9), 0, seconds=-1)
    assert not tried.done


def test_what_the_wins_say_of_a_committee_is_what_the_problem_counts():
    for seed in range(40):
        case = known(seed)
        for members, score in case.scores.items():
            assert case.wins.score(members) == score
            assert case.wins.affords(members)


@pytest.mark.parametrize("seed", range(5))
def test_sums_bit_by_bit_are_sums(seed):
    rng = np.random.default_rng(seed)
    cases = 192
    numbers = rng.integers(0, 2**12, (int(rng.integers(0, 40)), cases))
    planes = [[plurality_sums.packed((numbers >> place & 1).astype(bool))] for place in range(12)]
    total = numbers.sum(axis=0)
    rows = plurality_sums.add(planes, cases // 64)
    read = sum(
        (plurality_sums.unpacked(row).astype(np.int64) << place for place, row in enumerate(rows)),
        np.zeros(cases, dtype=np.int64),
    )
    assert np.array_equal(read, total)
    several = (-1, 0, 1, int(np.median(total)), int(total.max()), int(total.max()) + 1, 2**40)
    shape = (len(several), cases // 64)
    planes = [np.broadcast_to(row, shape) for row in rows]
    told = plurality_sums.at_least(planes, np.array(several, dtype=object), shape)
    for least, bits in zip(several, plurality_sums.unpacked(told), strict=True):
        assert np.array_equal(bits, total >= least)


def test_budgets_are_judged_exactly_where_floats_cannot_tell():
    """A committee a unit over its budget must not raise the target that others have to reach."""
    missed = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 3, 30)
        named = np.where(rng.random((30, 6)) < 0.5, y[:, None], rng.integers(0, 3, (30, 6)))
        cost = 2**60 + 1
        problem = PluralityProblem.of(
            vp.PluralityVotes(named, y), "accuracy", [vp.Budget([cost] * 6, limit=3 * cost - 1)]
        )
        wins, _ = Wins.of(problem)
        scores = {
            members: wins.score(members)
            for size in (1, 2, 3)
            for members in combinations(range(6), size)
        }
        best = max(score for members, score in scores.items() if len(members) < 3)
        missed += best < max(scores.values())
        listed = trying.Enumeration(wins)
        tried = run(listed, np.full(6, trying.FREE, dtype=np.int8), range(1, 4), 0)
        assert tried.done
        assert max(scores[members] for members in tried.found) == best
        assert all(len(members) < 3 for members in tried.found)
    assert missed > 2
