"""What a solver says is held against what recounts, and against nothing else."""

import numpy as np

import voteprune as vp
from voteprune.solvers import Answer

RNG = np.random.default_rng(5)
LABELS = np.arange(70) % 2
MATRIX = np.where(RNG.random((70, 9)) < 0.7, LABELS[:, None], 1 - LABELS[:, None])


def test_members_that_do_not_recount_are_cut_off_and_the_rest_still_proves(monkeypatch):
    """After the cut the solver need not know the incumbent, which sits among the cut-off."""
    truth = vp.prune(MATRIX, LABELS, method="brute")
    asked = []

    def solve(info, model, options, start, report):
        asked.append(model.n_rows)
        if len(asked) == 1:
            # Claims for these members more than they are worth: every pattern at its best.
            boast = np.where(model.objective > 0, 1.0, np.where(model.objective < 0, 0.0, start))
            return Answer("optimal", boast, float(model.objective @ boast))
        alone = np.zeros(model.n_variables)
        alone[0] = 1.0
        return Answer("optimal", alone, float(model.objective @ alone))

    monkeypatch.setattr("voteprune.mip.solve.solve", solve)
    solution = vp.prune(MATRIX, LABELS, method="merged", start=truth.committee)
    assert asked == [asked[0], asked[0] + 1]
    assert (solution.status, solution.value, solution.incidents) == ("optimal", truth.value, ())
