"""Which nodes are sharpened: when a region is made, of which nodes, and who keeps what."""

import time
from dataclasses import replace

import numpy as np
import pytest

from soft_oracle import committees, draw
from voteprune.soft import sharpening
from voteprune.soft.curvature import Curvature
from voteprune.soft.newton import fit
from voteprune.soft.nodes import Node
from voteprune.soft.polytope import Polytope
from voteprune.soft.problem_loss import loss_of
from voteprune.soft.sharpening import Sharpened, Sharpening

ROOT = np.zeros(6, dtype=np.int8)


class Case:
    """A problem whose ridge is small, its sharpening, and a node to relax."""

    def __init__(self, allowed=True, loss="log_loss"):
        self.problem = replace(draw(4, n=160, k=6, loss=loss), penalty=0.3, size_max=2)
        self.loss = loss_of(self.problem)
        self.curvature = Curvature(self.loss, self.problem)
        self.made = Sharpening(self.problem, self.loss, self.curvature, allowed)
        ridge = self.problem.ridge
        sets = committees(self.problem)
        self.best = min(fit(self.loss, ridge, np.array(s)).value for s in sets)

    def node(self, decisions=ROOT, **more):
        return Node(decisions, -np.inf, np.zeros(self.loss.n_intercepts), np.zeros(6), **more)

    def relaxed(self, node=None, others=(), latest=np.inf, incumbent=None, cutoff=None):
        node = node or self.node()
        inside, free = np.flatnonzero(node.decisions == 1), np.flatnonzero(node.decisions == 0)
        polytope = Polytope.at(*self.problem.rows, inside, free)
        incumbent = self.best * 1.02 if incumbent is None else incumbent
        cutoff = incumbent if cutoff is None else cutoff
        return self.made.relaxed(
            node, inside, free, polytope, cutoff, np.inf, incumbent, list(others), latest
        )


@pytest.fixture(scope="module")
def ready():
    return Case()


@pytest.fixture
def case(ready):
    ready.made.begin()
    return ready


def test_nobody_is_sharpened_before_the_tree_has_so_many_nodes(case):
    for _ in range(sharpening._PATIENCE - 1):
        found, sharp = case.relaxed()
        assert sharp is None
    plain = found.bound.value
    found, sharp = case.relaxed()
    assert isinstance(sharp, Sharpened)
    assert found.bound.value > plain
    assert found.bound.value <= case.best * (1 + 1e-9)
    case.made.begin()
    assert case.relaxed()[1] is None


@pytest.mark.parametrize("kind", [{"allowed": False}, {"loss": "pool_log_loss"}])
def test_other_losses_and_proofs_on_file_are_left_alone(kind, monkeypatch):
    monkeypatch.setattr(sharpening, "_PATIENCE", 1)
    assert Case(**kind).relaxed()[1] is None


def test_without_an_incumbent_and_above_the_cutoff_there_is_no_need(case, monkeypatch):
    monkeypatch.setattr(sharpening, "_PATIENCE", 1)
    assert case.relaxed(incumbent=np.inf, cutoff=np.inf)[1] is None
    assert case.relaxed(cutoff=-1e9)[1] is None
    assert case.made._region is None
    assert case.relaxed()[1] is not None


def test_time_and_work_are_minded(case, monkeypatch):
    monkeypatch.setattr(sharpening, "_PATIENCE", 1)
    assert case.relaxed(latest=time.monotonic())[1] is None
    rows = len(case.loss.weights)
    monkeypatch.setattr(sharpening, "_WORK", rows * 36 - 1)
    assert case.relaxed()[1] is None
    monkeypatch.setattr(sharpening, "_WORK", rows * 36)
    monkeypatch.setattr(sharpening, "_PACE", rows * 36 / 100)  # a hundred seconds
    assert case.relaxed(latest=time.monotonic() + 90)[1] is None
    assert case.relaxed(latest=time.monotonic() + 200)[1] is not None


def test_a_region_is_about_what_all_open_nodes_agree_on(case, monkeypatch):
    monkeypatch.setattr(sharpening, "_PATIENCE", 1)
    here = np.array([1, -1, 0, 1, 0, 0], dtype=np.int8)
    others = [np.array(row, dtype=np.int8) for row in ([1, -1, 0, -1, 0, 1], [1, -1, -1, 0, 0, 0])]
    wide = replace(case.problem, size_max=3)
    monkeypatch.setattr(case, "problem", wide)
    monkeypatch.setattr(case.made, "_problem", wide)
    case.relaxed(case.node(here), others, incumbent=1e4)
    assert case.made._region.scope.tolist() == [1, -1, 0, 0, 0, 0]
    assert case.made._region.scope.dtype == np.int8
    # A node that does not agree goes on without.
    assert case.relaxed(case.node(), incumbent=1e4)[1] is None


def test_an_heir_keeps_its_loss_while_it_is_near_and_has_not_served_too_often(case, monkeypatch):
    monkeypatch.setattr(sharpening, "_PATIENCE", 1)
    monkeypatch.setattr(sharpening, "_SERVES", 4)
    _, first = case.relaxed()
    assert first.served == 1
    for served in (2, 3):
        _, sharp = case.relaxed(case.node(sharp=first))
        assert sharp is first
        assert first.served == served
    _, sharp = case.relaxed(case.node(sharp=first))
    assert sharp is not first
    assert sharp.served == 1
    monkeypatch.setattr(Sharpened, "near", lambda *_: False)
    _, other = case.relaxed(case.node(sharp=sharp))
    assert other is not sharp


def test_the_better_of_both_bounds_is_told(case, monkeypatch):
    monkeypatch.setattr(sharpening, "_PATIENCE", 1)
    plain = case.relaxed(incumbent=np.inf, cutoff=case.best * 1.02)[0]
    # A ridge that is not raised at all gives what there was.
    monkeypatch.setattr(Sharpened, "_diagonal", lambda self, members, curves: members * 0.0)
    found, sharp = case.relaxed()
    assert sharp is not None
    assert found.bound.value >= plain.bound.value


def test_points_of_sharpened_relaxations_are_points_of_the_problem(case, monkeypatch):
    monkeypatch.setattr(sharpening, "_PATIENCE", 1)
    found, sharp = case.relaxed()
    z = case.loss.scores(
        found.point.intercepts, case.loss.gather(found.point.members), found.point.weights
    )
    np.testing.assert_allclose(found.point.z, z, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(found.dual.slope, case.loss.dual(z).slope, rtol=1e-6, atol=1e-6)
    assert sharp.units.max() > 1


def test_shared_hessians_are_bent_as_the_loss_is(case, monkeypatch):
    monkeypatch.setattr(sharpening, "_PATIENCE", 1)
    _, sharp = case.relaxed()
    plain = Curvature(case.loss, case.problem)
    point = fit(case.loss, case.problem.ridge, np.arange(6))
    plain.centre(point.z)
    bent = sharpening._Bent(sharp, plain)
    members = np.array([1, 4])
    weights = np.zeros(6)
    weights[point.members] = point.weights
    columns = sharp.gather(np.arange(6))
    z = sharp.scores(point.intercepts, columns, weights * sharp.units)
    exact = sharp.derivatives(z, columns[members])[1]
    np.testing.assert_allclose(bent.shared(members), exact, rtol=1e-9, atol=1e-9)
    for shares in (True, False):
        monkeypatch.setattr(plain, "shares", lambda *_, told=shares: told)
        assert bent.shares(z, 2) == shares


def test_the_first_relaxation_is_the_centre_of_all_hessians():
    case = Case()
    assert not case.curvature.centred
    found, _ = case.relaxed()
    assert case.curvature.centred
    centre = case.curvature._centre
    np.testing.assert_array_equal(centre, found.point.z)
    decisions = ROOT.copy()
    decisions[1] = -1
    case.relaxed(case.node(decisions))
    assert case.curvature._centre is centre
