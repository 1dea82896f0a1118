"""The paper's seven pick the very committee the definitions say, ties and weights included."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

import voteprune as vp
from heuristics.reference import REFERENCES, Data, cohen_kappa

N_INSTANCES = 45


def random_votes(seed):
    """A small pool: the smaller, the more ties. Every third has weights, some rows repeat."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(4, 25)), int(rng.integers(1, 9))
    y = rng.random(n) < 0.5
    y[:2] = [True, False]
    skill = rng.uniform(0.4, 0.95, size=k)
    matrix = np.where(rng.random((n, k)) < skill, y[:, None], ~y[:, None])
    if rng.random() < 0.3:
        matrix[:, rng.integers(k)] = rng.random() < 0.5
    if rng.random() < 0.3:
        matrix[:, rng.integers(k)] = matrix[:, rng.integers(k)]
    weights = rng.integers(1, 5, size=n) if seed % 3 == 0 else None
    return vp.Votes(matrix, y, sample_weight=weights)


@pytest.mark.parametrize("method", REFERENCES)
def test_picks_what_the_definition_says(method):
    for seed in range(N_INSTANCES):
        votes = random_votes(seed)
        found = vp.prune(votes, method=method, random_state=0)
        expected = REFERENCES[method](Data(votes))
        assert list(found.committee.members) == expected, f"instance {seed}"
        assert found.committee.threshold == len(expected) // 2


def test_reference_kappa_is_scikit_learns():
    for seed in range(20):
        votes = random_votes(seed)
        ours = vp.diversity_matrix(votes, measure="kappa")
        data = Data(votes)
        for k in range(votes.n_classifiers):
            for other in range(k + 1, votes.n_classifiers):
                mine = float(cohen_kappa(data, k, other))
                assert ours[k, other] == pytest.approx(mine, abs=1e-12)
                columns = votes.matrix[:, k], votes.matrix[:, other]
                if len(np.unique(np.concatenate(columns))) == 2:
                    theirs = cohen_kappa_score(*columns, sample_weight=votes.weights)
                    assert mine == pytest.approx(theirs, abs=1e-12)
