"""The checker's measures of diversity are those of the oracle."""

from fractions import Fraction

import numpy as np
import pytest

from oracle import measure_of_pair
from voteprune.verify.measures import SIGNS, Measure, _over_root
from voteprune.verify.pool import merge
from voteprune.verify.table import Table


@pytest.mark.parametrize("name", SIGNS)
def test_every_measure_is_what_the_textbook_says(name):
    rng = np.random.default_rng(4)
    for _ in range(30):
        n = int(rng.integers(2, 12))
        votes, labels = rng.integers(0, 2, (n, 3)), rng.integers(0, 2, n)
        votes[:, 2] = votes[:, 0]
        table = Table(tuple("".join(map(str, row)) for row in votes), tuple(labels == 1))
        measure = Measure(name, merge(table, None))
        for k, other in ((0, 1), (0, 2)):
            truth = measure_of_pair(name, labels, [Fraction(1)] * n, votes[:, k], votes[:, other])
            score = measure.score(k, other) * SIGNS[name]
            if isinstance(truth, Fraction) and name != "correlation":
                assert score == truth
            else:
                assert float(score) == pytest.approx(float(truth), abs=1e-12)


@pytest.mark.parametrize("top", [Fraction(1), Fraction(1, 7), Fraction(3), Fraction(-1)])
def test_a_quotient_by_a_root_is_never_too_large(top):
    for square in range(2, 200):
        found = _over_root(top, Fraction(square))
        assert (found < 0) == (top < 0)
        least = found**2 * square
        assert least >= top**2 if top < 0 else least <= top**2
