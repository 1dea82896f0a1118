"""Small examples worked out by hand, and the quantities behind the methods against plain loops."""

import math
from itertools import pairwise

import numpy as np
import pytest

import voteprune as vp
from heuristics.test_seven import random_votes
from voteprune.heuristics import evolutionary, ordering, quadratic
from voteprune.heuristics.checklist import joint_gains
from voteprune.heuristics.hill_climbing import by_margin_distance
from voteprune.heuristics.margineantu import by_kappa, swap_gains
from voteprune.heuristics.pool import Pool
from voteprune.heuristics.prefix import Prefix
from voteprune.problem.problem import Problem


def pool_of(rows, y):
    return Pool.of(Problem.of(vp.Votes(rows, y)))


def random_pool(seed):
    return Pool.of(Problem.of(random_votes(seed)))


def rows_of(pool):
    """Every pattern as (votes, label, weight), twice if both classes are behind it."""
    for votes, positive, negative in zip(pool.votes, pool.positive, pool.negative, strict=True):
        yield votes, True, int(positive)
        yield votes, False, int(negative)


def signatures(pool):
    """K lists of +1 and -1 over the weighted rows."""
    weight = np.array([w for _, _, w in rows_of(pool)])
    signs = np.array([np.where(votes == label, 1, -1) for votes, label, _ in rows_of(pool)])
    return signs.T, weight


def test_three_that_err_apart_beat_any_single():
    """Each errs on its own third: together they never do, and every method that looks sees it."""
    y = [1, 0, 1, 0, 1, 0]
    wrong = {0: (0, 1), 1: (2, 3), 2: (4, 5)}
    rows = [[label ^ (i in wrong[k]) for k in range(3)] for i, label in enumerate(y)]
    for method in ("hc-acc", "hc-com", "hc-con", "hc-uwa", "mdsq", "genetic", "pareto", "full"):
        found = vp.prune(rows, y, method=method, random_state=0)
        assert found.committee.members == (0, 1, 2), method
        assert found.value == 1


def test_checklist_finds_one_of_three():
    """A row is positive if anybody says so: only a threshold of 0 is right."""
    rows = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]]
    found = vp.prune(rows, [1, 1, 1, 0, 0], method="checklist")
    assert (found.committee.members, found.committee.threshold) == ((0, 1, 2), 0)
    assert found.value == 1


def test_swap_gains_are_what_swapping_gains():
    for seed in range(40):
        pool = random_pool(seed)
        prefix = Prefix(pool)
        for k in range(pool.size // 2):
            prefix.add(k)
        if not prefix.size:
            continue
        outside, before = prefix.left_out, prefix.value()
        gains = swap_gains(prefix, outside)
        for place in range(prefix.size):
            for column, k in enumerate(outside):
                swapped = Prefix(pool)
                for member in [*prefix.members[:place], int(k), *prefix.members[place + 1 :]]:
                    swapped.add(member)
                assert gains[place, column] == swapped.value() - before


def test_flip_values_are_what_flipping_gives():
    for seed in range(40):
        pool = random_pool(seed)
        members = np.arange(pool.size) % 2 == 0
        counts = pool.votes[:, members].sum(axis=1, dtype=np.int32)
        values = evolutionary.flip_values(pool, counts, members)
        for k in range(pool.size):
            flipped = members.copy()
            flipped[k] = not flipped[k]
            if flipped.any():
                assert values[k] == pool.majority_values(flipped[None, :])[0]


def test_joint_gains_are_those_of_every_threshold():
    for seed in range(20):
        pool = random_pool(seed)
        prefix = Prefix(pool)
        prefix.add(0)
        gains = joint_gains(prefix)
        for level in range(2):
            for k in range(1, pool.size):
                decided = prefix.counts + pool.votes[:, k] > level
                assert gains[level, k] == pool.net[decided].sum()


def test_margin_distance_is_minimised():
    for seed in range(20):
        pool = random_pool(seed)
        signs, weight = signatures(pool)
        prefix, step = Prefix(pool), by_margin_distance(pool, None)
        while prefix.size < pool.size:
            outside = prefix.left_out
            margins = signs[prefix.members].sum(axis=0) if prefix.size else np.zeros(len(weight))
            distances = [
                # 0.075 is the authors' point; in fortieths, so that ties stay ties.
                (weight * (3 * pool.size - 40 * (margins + signs[k])) ** 2).sum()
                for k in outside
            ]
            step(prefix)
            assert prefix.members[-1] == outside[int(np.argmin(distances))]


def test_orientation_sorts_by_angle():
    for seed in range(20):
        pool = random_pool(seed)
        signs, weight = signatures(pool)
        ensemble = signs.mean(axis=0)
        ones = np.ones(len(weight))
        if not (weight * ensemble**2).sum():
            continue
        factor = -(weight * ensemble).sum() / (weight * ensemble**2).sum()
        reference = ones + factor * ensemble
        products = signs @ (weight * reference)
        order = ordering.by_orientation(pool, None)
        assert sorted(order) == list(range(pool.size))
        assert all(products[a] >= products[b] - 1e-9 for a, b in pairwise(order))


def test_contribution_follows_its_three_cases():
    for seed in range(20):
        pool = random_pool(seed)
        scores = []
        for k in range(pool.size):
            score = 0
            for votes, label, weight in rows_of(pool):
                right = int((votes == label).sum())
                wrong = pool.size - right
                most, least = max(right, wrong), min(right, wrong)
                if votes[k] != label:
                    score += weight * (right - wrong - most)
                elif right > wrong:
                    score += weight * least
                else:
                    score += weight * (2 * most - right)
            scores.append(score)
        expected = sorted(range(pool.size), key=lambda k: (-scores[k], k))
        assert ordering.by_contribution(pool, None) == expected


@pytest.mark.parametrize("size", [1, 2, 7, 20])
def test_margin_and_diversity_are_weighed_one_to_four(size):
    """Alpha is the authors' 0.2; a margin and a share of nothing count as one classifier's."""
    correct = np.arange(size + 1)
    worth = ordering.margin_and_diversity(correct, size, correct > size / 2)
    for right, found in zip(correct.tolist(), worth.tolist(), strict=True):
        margin, share = max(abs(2 * right - size), 1) / size, max(right, 1) / size
        expected = -0.2 * math.log(margin) - 0.8 * math.log(share)
        assert found / 2**20 == pytest.approx(expected, abs=2.0**-20)


def test_margin_and_diversity_prefers_close_rows():
    """Two candidates of equal accuracy: one is right where nobody else is."""
    y = [1, 1, 1, 0]
    rows = [[1, 1, 0, 0, 0], [1, 1, 1, 1, 0], [1, 1, 1, 0, 1], [0, 0, 0, 0, 0]]
    order = ordering.by_margin_and_diversity(pool_of(rows, y), None)
    assert order[:2] == [0, 1]
    assert order.index(2) < order.index(3)


def test_kappa_brings_in_the_most_different_pair_first():
    rows = [[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 1, 1]]
    assert by_kappa(pool_of(rows, [1, 1, 0, 0]), None)[:2] == [0, 2]


def test_clusters_silence_twins_first():
    rows = [[1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 1, 0], [0, 0, 0, 0], [1, 1, 1, 1]]
    order = ordering.by_clusters(pool_of(rows, [1, 1, 0, 0, 1]), None)
    assert sorted(order) == [0, 1, 2, 3]
    assert order[-1] == 1


def test_drep_starts_with_the_best_and_adds_a_different_one():
    rows = [[1, 1, 0], [1, 1, 1], [0, 0, 0], [0, 0, 1], [1, 1, 0]]
    pool = pool_of(rows, [1, 1, 0, 0, 1])
    prefix, step = Prefix(pool), ordering.by_regularised_diversity(pool, None)
    step(prefix)
    step(prefix)
    assert prefix.members == [0, 2]


def test_projection_is_the_nearest_point():
    rng = np.random.default_rng(0)
    for _ in range(50):
        point, size = rng.normal(size=6), int(rng.integers(1, 6))
        found = quadratic.project(point, size)
        assert found.sum() == pytest.approx(size)
        assert found.min() >= 0
        assert found.max() <= 1
        for _ in range(50):
            other = quadratic.project(rng.normal(size=6), size)
            assert ((point - found) ** 2).sum() <= ((point - other) ** 2).sum() + 1e-9


def test_quadratic_program_is_solved_up_to_swaps():
    """No single swap of the rounded answer lowers x' Q x."""
    for seed in range(20):
        matrix = quadratic.error_matrix(random_pool(seed))
        size = max(1, len(matrix) // 2)
        members = quadratic.improve(matrix, np.arange(size))
        inside = np.isin(np.arange(len(matrix)), members)
        cost = inside @ matrix @ inside
        for k in members:
            for other in np.flatnonzero(~inside):
                swapped = inside.copy()
                swapped[[k, other]] = [False, True]
                assert swapped @ matrix @ swapped >= cost - 1e-9


def test_the_archive_keeps_the_front_only():
    votes = random_votes(11)
    pool = Pool.of(Problem.of(votes))

    class Incumbent:
        def offer(self, members, threshold):
            pass

    class Run:
        incumbent, threshold = Incumbent(), "majority"

    archive = evolutionary.Archive(pool, Run())
    rng = np.random.default_rng(0)
    sets = rng.random((200, pool.size)) < 0.5
    sets[:, 0] = True
    values = pool.majority_values(sets)
    for members, value in zip(sets, values, strict=True):
        archive.enter(members, int(value))
    front = sorted((size, value) for size, (value, _) in archive.sets.items())
    assert [value for _, value in front] == sorted({value for _, value in front})
    for members, value in zip(sets, values, strict=True):
        assert any(size <= members.sum() and kept >= value for size, kept in front)
