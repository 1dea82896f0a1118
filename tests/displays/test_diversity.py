"""The cells are the measure's values, named and in place; the diagonal is empty."""

import itertools

import numpy as np
import pytest

import voteprune as vp
from heuristics.test_laws import pool


@pytest.mark.parametrize("measure", list(vp.MEASURES))
def test_the_cells_are_the_measure_and_dark_is_diverse(measure):
    votes = pool()
    display = vp.DiversityDisplay.from_votes(votes, measure=measure)
    drawn = np.asarray(display.image_.get_array().filled(np.nan))
    expected = vp.diversity_matrix(votes, measure=measure)
    off = ~np.eye(votes.n_classifiers, dtype=bool)
    assert drawn[off].tolist() == expected[off].tolist()
    assert np.isnan(drawn[~off]).all()
    assert [label.get_text() for label in display.ax_.get_xticklabels()] == list(votes.names)
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == list(votes.names)
    diverse = np.nanmax(drawn) if measure in ("fc", "disagreement") else np.nanmin(drawn)
    colours = display.image_.cmap(display.image_.norm([diverse, np.nanmedian(drawn)]))
    assert colours[0][:3].sum() <= colours[1][:3].sum()


def test_small_maps_tell_their_numbers():
    votes = pool().select(range(4))
    display = vp.DiversityDisplay.from_votes(votes)
    matrix = vp.diversity_matrix(votes)
    told = {text.get_position(): text.get_text() for text in display.texts_}
    assert told == {(j, i): f"{matrix[i, j]:.2f}" for i in range(4) for j in range(4) if i != j}


def test_similar_classifiers_stand_side_by_side():
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    kinds = [np.where(rng.random(80) < 0.7, y, 1 - y) for _ in range(3)]
    matrix = np.column_stack([kinds[i % 3] ^ (rng.random(80) < 0.03) for i in range(9)])
    votes = vp.Votes(matrix, y)
    display = vp.DiversityDisplay.from_votes(votes, order="similar")
    families = [int(name[1:]) % 3 for name in display.names]
    assert sum(a != b for a, b in itertools.pairwise(families)) == 2
    assert sorted(display.names) == sorted(votes.names)


def test_a_solution_shows_its_members_and_a_loaded_one_needs_the_votes():
    votes = pool()
    solution = vp.prune(votes, method="hc-uwa", constraints=vp.AtLeast("size", 3))
    display = vp.DiversityDisplay.from_solution(solution, measure="kappa")
    assert display.names == solution.committee.names
    again = vp.Solution.from_json(solution.to_json())
    with pytest.raises(vp.InputError, match="votes"):
        vp.DiversityDisplay.from_solution(again)
    same = vp.DiversityDisplay.from_solution(again, votes, measure="kappa")
    assert (same.matrix == display.matrix).all()
    with pytest.raises(vp.InputError, match="pool"):
        vp.DiversityDisplay.from_solution(again, votes.select(range(3)))


def test_wrong_requests_are_refused_by_name():
    with pytest.raises(vp.InputError, match="order"):
        vp.DiversityDisplay.from_votes(pool(), order="random")
    with pytest.raises(vp.InputError, match="measure"):
        vp.DiversityDisplay.from_votes(pool(), measure="distance")
    nothing = vp.prune([[0, 1], [1, 1]], [0, 1], constraints=[vp.Require(0), vp.Forbid(0)])
    with pytest.raises(vp.InputError, match="no committee"):
        vp.DiversityDisplay.from_solution(nothing)


def test_large_pools_are_drawn_without_names():
    rng = np.random.default_rng(0)
    y = np.arange(50) % 2
    display = vp.DiversityDisplay.from_votes(rng.random((50, 70)), y)
    assert display.texts_ == []
    assert display.ax_.get_xticklabels() == []
