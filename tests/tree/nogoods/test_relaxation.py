"""The pool knows by how much a solution breaks each of its rows, however many there are."""

import numpy as np
import pytest

from voteprune.tree.nogoods.relaxation import Pool


@pytest.mark.parametrize("n_rows", [0, 1, 64, 65, 700])
def test_it_agrees_with_the_dense_matrix(n_rows):
    random = np.random.default_rng(n_rows)
    rows = random.integers(-1, 2, (n_rows, 30)).astype(float)
    rows[::7] = 0.0  # a row may ask for something of nothing
    least = random.normal(size=n_rows)
    pool = Pool(30)
    for row, asked in zip(rows, least, strict=True):
        places = np.flatnonzero(row).astype(np.int32)
        pool.add(places, row[places], asked)
    solution = random.random(30)
    np.testing.assert_allclose(pool.lacking(solution), least - rows @ solution, atol=1e-12)
    for first in (0, n_rows // 2, n_rows):
        np.testing.assert_allclose(
            pool.lacking(solution, first), pool.lacking(solution)[first:], atol=1e-12
        )
    assert len(pool) == len(pool.least) == n_rows
    for number in range(n_rows):
        places, factors = pool.row(number)
        np.testing.assert_array_equal(rows[number][places], factors)
        assert len(places) == np.count_nonzero(rows[number])
