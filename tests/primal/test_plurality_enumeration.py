"""All committees of several classes, tried 64 at a time: nothing is missed, nothing made up."""

import time
from unittest import mock

import numpy as np
import pytest

import voteprune as vp
from pluralities import holds, known, random_node
from voteprune.primal import bitsums
from voteprune.primal import plurality_enumeration as trying
from voteprune.problem.plurality import PluralityProblem
from voteprune.problem.wins import Wins

SOON = 600.0


def run(listed, decided, sizes, target, seconds=SOON):
    return listed.run(decided, sizes, target, time.monotonic() + seconds)


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
    planes = [[bitsums.packed((numbers >> place & 1).astype(bool))] for place in range(12)]
    total = numbers.sum(axis=0)
    rows = bitsums.add(planes, cases // 64)
    read = sum(
        (bitsums.unpacked(row).astype(np.int64) << place for place, row in enumerate(rows)),
        np.zeros(cases, dtype=np.int64),
    )
    assert np.array_equal(read, total)
    for least in (-1, 0, 1, int(np.median(total)), int(total.max()), int(total.max()) + 1, 2**40):
        told = bitsums.at_least(
            [row[None] for row in rows], np.array([least], dtype=object), (1, cases // 64)
        )
        assert np.array_equal(bitsums.unpacked(told)[0], total >= least)
