"""Whom to split on: the rule in plain words, member by member."""

import numpy as np
import pytest

from voteprune.soft.nodes import Pseudocosts


def by_hand(notes, members, gains, shares, distance):
    """The mean rise of each side, or that of all, or 1; between a hair and what closes."""
    rises = np.zeros((2, len(members)))
    for side in (0, 1):
        every = [max(rise, 0.0) for _, sits, rise in notes if sits == side]
        for place, member in enumerate(members):
            own = [max(rise, 0.0) for k, sits, rise in notes if sits == side and k == member]
            mean = np.mean(own) if own else np.mean(every) if every else 1.0
            rises[side, place] = mean
    if distance == np.inf:
        distance = max(rises.max(), 1e-300)
    product = np.prod(np.clip(rises, 1e-6 * distance, distance) / distance, axis=0)
    found = []
    for worth, gain, share in zip(product, gains, shares, strict=True):
        if 1e-6 < share < 1 - 1e-6:
            worth = 1 + worth * (max(gain, 0) / max(gains.max(), 1e-300)) ** 8
        found.append(worth)
    return np.array(found)


@pytest.mark.parametrize("distance", [0.3, 5.0, np.inf])
@pytest.mark.parametrize("seed", range(6))
def test_scores_are_the_rule(seed, distance):
    random = np.random.default_rng(seed)
    costs = Pseudocosts(9)
    notes = [
        (int(random.integers(9)), bool(random.integers(2)), float(random.normal(0.3)))
        for _ in range(5 * seed)
    ]
    for note in notes:
        costs.note(*note)
    members = np.array([0, 2, 3, 5, 8])
    gains = random.normal(size=5) - (seed == 3) * 10
    shares = np.array([0.0, 0.5, 1.0, 0.2, 1 - 1e-7])
    told = costs.scores(members, gains, shares, distance)
    np.testing.assert_allclose(told, by_hand(notes, members, gains, shares, distance), rtol=1e-12)


def test_one_side_that_was_never_tried_counts_as_one():
    costs = Pseudocosts(2)
    costs.note(0, True, 3.0)
    costs.note(0, True, 5.0)
    told = costs.scores(np.arange(2), np.ones(2), np.full(2, 0.5), 8.0)
    np.testing.assert_allclose(told, 1 + 0.5 * 0.125)
