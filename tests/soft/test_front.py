"""`front` on probabilities: every size against fits of every subset."""

import numpy as np
import pytest

import voteprune as vp
from soft_oracle import pool
from voteprune.soft import relaxation
from voteprune.soft.newton import minimise
from voteprune.soft.pruning import SoftPruning
from voteprune.solve.size_front import SoftFront


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("objective", ["log_loss", "brier"])
def test_every_size_has_its_optimum_and_a_bound_below_its_loss(objective, n_classes):
    said = vp.Probabilities(*pool(3, k=6, n_classes=n_classes))
    front = vp.front(said, objective=objective, constraints=vp.AtMost("size", 4), penalty=0.5)
    assert front.sizes == (1, 2, 3, 4)
    assert list(front.values) == sorted(front.values)
    assert list(front.bounds) == sorted(front.bounds)
    for point in front.points:
        brute = vp.prune(
            said,
            objective=objective,
            constraints=vp.AtMost("size", point.size),
            penalty=0.5,
            method="brute",
        )
        assert point.optimal
        assert point.committee.size <= point.size
        assert point.value == pytest.approx(brute.value, rel=2e-6)
        assert point.bound >= brute.value - 1e-12
    assert "4 sizes, 4 of them proved optimal" in repr(front)
    assert front.at_most(3).value == front.values[2]


@pytest.mark.slow
def test_limits_hold_at_every_size_and_sizes_without_a_committee_say_so():
    said = vp.Probabilities(*pool(3, k=6))
    limits = [vp.Group(["c0", "c1", "c2"], at_least=2), vp.AtMost("size", 4), vp.Forbid("c0")]
    front = vp.front(said, constraints=limits, penalty=0.5)
    assert front.points[0].bound is None
    assert front.points[0].committee is None
    for point in front.points[1:]:
        assert {1, 2} <= set(point.committee.members)
        exact = vp.prune(
            said, constraints=[*limits[::2], vp.AtMost("size", point.size), limits[0]], penalty=0.5
        )
        assert point.value == pytest.approx(exact.value, rel=2e-6)


def test_a_fit_at_a_kink_of_the_penalty_ends(monkeypatch):
    """A group that must sit while one of it may not: its steps would be short for ever."""
    asked = []

    def counted(loss, penalty, *request):
        def evaluated(weights):
            asked[-1] += 1
            return penalty(weights)

        asked.append(0)
        return minimise(loss, evaluated, *request)

    monkeypatch.setattr(relaxation, "minimise", counted)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    shares = np.clip(0.5 + (y[:, None] - 0.5) * 0.4 + rng.normal(0, 0.3, (60, 6)), 0.01, 0.99)
    limits = [vp.Group([0, 1, 2], at_least=2), vp.AtMost("size", 4), vp.Forbid(0)]
    front = vp.front(vp.Probabilities(shares, y), constraints=limits)
    assert all(point.optimal for point in front.points[1:])
    assert 0 < max(asked) < 600  # 1816 where it went on


def test_no_time_and_a_callback_that_stops_leave_true_bounds():
    said = vp.Probabilities(*pool(3, k=8))
    limits = vp.AtMost("size", 4)
    whole = vp.front(said, constraints=limits, penalty=0.1)
    for request in ({"time_limit": 0}, {"callback": lambda front: True}):
        front = vp.front(said, constraints=limits, penalty=0.1, **request)
        assert front.sizes == whole.sizes
        for point, best in zip(front.points, whole.points, strict=True):
            assert point.bound is not None
            assert point.bound >= best.value
            assert point.value is None or point.value <= best.bound


def test_a_bound_for_one_size_holds_for_smaller_ones():
    """The largest alone was worked on."""
    said = vp.Probabilities(*pool(3, k=8))
    problem = SoftPruning.of(said, "log_loss", [vp.AtMost("size", 3)], 1.0)
    trees = SoftFront(problem, 0.0, np.inf)
    for size in (1, 2, 3):
        trees._begin(size)
    trees._work(3, np.inf)
    one, two, three = trees.front().points
    assert one.bound == two.bound == three.bound < 0
    assert one.committee.size == two.committee.size == 1 < three.committee.size


def test_nothing_is_begun_that_would_be_late():
    said = vp.Probabilities(*pool(3, k=6))
    problem = SoftPruning.of(said, "log_loss", [vp.AtMost("size", 2)], 1.0)
    trees = SoftFront(problem, 5.0, 20.0)
    for size in (1, 2):
        trees._begin(size)
    assert [(tree.latest, tree.search.deadline) for tree in trees._trees.values()] == [(25, 25)] * 2


@pytest.mark.parametrize(
    ("wrong", "argument"),
    [({"objective": "f1"}, "objective"), ({"penalty": 0}, "penalty"), ({"y": [1]}, "y")],
)
def test_what_makes_no_sense_is_refused_by_name(wrong, argument):
    with pytest.raises(vp.InputError, match=argument):
        vp.front(vp.Probabilities(*pool(3)), **wrong)


def test_a_penalty_is_for_probabilities():
    predictions, y = pool(3)
    with pytest.raises(vp.InputError, match=r"vp\.Probabilities only"):
        vp.front(predictions > 0.5, y, penalty=3)
