"""Hessians that are shared are those of the members that are asked for."""

import numpy as np
import pytest

from soft_oracle import draw
from voteprune.soft import curvature
from voteprune.soft.losses import loss_of


@pytest.mark.parametrize("most", [0, 600])
@pytest.mark.parametrize("loss", ["log_loss", "pool_log_loss"])
def test_a_shared_hessian_is_that_of_its_members(loss, most, monkeypatch):
    """Of all at once in small pools; of who was asked for so far in large ones."""
    monkeypatch.setattr(curvature, "_ALL", most)
    problem = draw(1, loss=loss)
    told = loss_of(problem)
    found = curvature.Curvature(told, problem)
    for turn in range(2):
        weights = np.full(6, (1 + turn) / 6)
        z = told.scores(np.zeros(told.n_intercepts), told.gather(np.arange(6)), weights)
        found.centre(z)
        for members in ([2, 4], [4], [0, 2, 5], [1]):
            at = np.array(members)
            assert np.allclose(found.shared(at), found.own(z, at), rtol=1e-12, atol=0)
