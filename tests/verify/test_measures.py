"""The checker's measures of diversity are those of the oracle."""

from fractions import Fraction

import numpy as np
import pytest

from oracle import measure_of_pair
from voteprune.verify.measures import SIGNS, Measure
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
