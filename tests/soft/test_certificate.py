"""What a soft certificate has on file, field by field."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from soft_oracle import draw
from voteprune.soft.certificate import ROOM, SoftCertificate
from voteprune.soft.nodes import Step
from voteprune.soft.problem import Budget, Group

NONE = np.zeros(0)


def step(decisions, fixed=(), branch=-1, weights=NONE, prices=NONE, intercepts=NONE, price=0.0):
    whole = np.zeros(4, dtype=np.int8)
    for k, value in dict(fixed).items():
        whole[k] = value
    at = np.array(decisions, dtype=np.int8)
    return Step(at, intercepts, weights, price, prices, 1.0, whole, branch)


def written(problem=None, **other):
    problem = problem or replace(draw(1, n=12, k=4, weighted=False), weights=np.ones(12))
    given = {
        "names": ("a", "b", "c", "d"), "kinds": ("vote",) * 4, "classes": (0, 1), "clip": 0.01,
        "digest": "d", "steps": (), "status": "optimal", "bound": 2.0, "tolerance": 1e-6,
    }  # fmt: skip
    return SoftCertificate(problem, **{**given, **other})._fields()


def test_weights_are_written_where_they_are_not_all_one():
    assert written()["data"]["row_weights"] is None
    problem = draw(1, n=12, k=4)
    heavy = replace(problem, weights=np.arange(12.0))
    assert written(heavy)["data"]["row_weights"] == list(range(12))
    assert written()["data"]["n_rows"] == 12


def test_bounds_are_lower_by_the_room_of_the_checker():
    grain = 12 * 2.0**-50
    assert written()["bound"] == 2.0 - 2.0 * ROOM - grain
    assert written(bound=-2.0)["bound"] == -2.0 - 2.0 * ROOM - grain
    assert written(bound=None)["bound"] is None
    problem = replace(draw(1, n=12, k=4), weights=np.full(12, 3.0))
    largest = np.abs(problem.answers).max(axis=0)
    seats = ((1, 3), (0.5, 2.0), (0.0,), 2.0)
    reach = 1 + 0.5 * (1 + largest[1]) + 2.0 * (1 + largest[3])
    told = written(problem, committee=seats)["bound"]
    assert 2.0 - told == pytest.approx(2.0 * ROOM + 3 * grain * reach, rel=1e-5)


def test_the_tolerance_is_as_much_more_as_the_bound_is_lower_for_little_loss():
    def told(loss, **other):
        seats = ((1,), (1.0,), (0.0,), loss)
        found = written(committee=seats, bound=loss * (1 - 0.9e-6), **other)
        gap = (loss - found["bound"]) / loss
        return found["objective"]["tolerance"], gap

    assert told(1.0)[0] == 1e-6
    tolerance, gap = told(1e-8)
    assert gap > 1.1e-6
    assert tolerance == pytest.approx(gap + 2 * ROOM)
    assert told(1e-8, status="feasible")[0] == 1e-6


@pytest.mark.parametrize("classes", [(0, 1), ("x", "y", "z")])
def test_columns_have_the_names_of_members_and_classes(classes):
    told = [one["columns"] for one in written(classes=classes)["data"]["members"]]
    if len(classes) == 2:
        assert told == [["a"], ["b"], ["c"], ["d"]]
    else:
        assert told[1] == ["b:x", "b:y", "b:z"]
    given = [["p"], ["q"], ["r"], ["s"]]
    assert [one["columns"] for one in written(columns=given)["data"]["members"]] == given


def test_limits_and_objective_are_written_as_they_are():
    costs = tuple(map(Fraction, (1, 2, 3, 4)))
    problem = replace(
        draw(1, n=12, k=4), size_min=2, size_max=3, required=(1,), forbidden=(3,),
        budgets=(Budget(costs, Fraction(9, 2)),), groups=(Group((0, 2), 1, 2),), penalty=7.0,
    )  # fmt: skip
    told = written(problem)
    limits = told["limits"]
    assert (limits["size_min"], limits["size_max"]) == (2, 3)
    assert (limits["required"], limits["forbidden"]) == ([1], [3])
    assert limits["groups"] == [{"members": [0, 2], "at_least": 1, "at_most": 2}]
    assert len(limits["costs"][0]["costs"]) == 4
    assert told["objective"] == {"loss": "log_loss", "penalty": 7.0, "tolerance": 1e-6}
    assert told["committee"] is None
    whole = written(committee=((0, 2), (1, 2), (0.5,), 3))["committee"]
    assert whole == {"members": [0, 2], "weights": [1, 2], "intercepts": [0.5], "loss": 3}


def test_nodes_are_those_from_the_root_on_each_before_its_heirs():
    """A branch, heirs of what was fixed, and steps of the same decisions one after the other."""
    weights = np.array([0.0, 1.5, 0.0, 2.0])
    steps = [
        step([0, 0, 0, 0], {1: -1}, 0, weights, np.array([0.0, 3.0]), np.array([0.25])),
        step([-1, -1, 0, 0], {2: 1, 3: 1}),
        step([-1, -1, 1, 1]),
        step([1, -1, 0, 0], weights=weights, intercepts=np.array([0.5])),
        step([1, -1, 0, 0]),
        step([1, 1, 1, 1]),  # nobody's heir
    ]
    problem = replace(draw(1, n=12, k=4), size_min=2, size_max=3)
    nodes = written(problem, steps=steps)["nodes"]
    assert len(nodes) == 5
    root = nodes[0]
    assert (root["branch"], root["in"], root["out"]) == (0, [], [1])
    assert root["point"] == [[0.25], [[1, 1.5], [3, 2.0]]]
    assert root["prices"] == [["size_min", 0, 3.0]]
    seated, other = (nodes[place] for place in root["heirs"])
    assert seated["point"][0] == [0.5]
    assert (seated["branch"], len(seated["heirs"])) == (None, 1)
    assert nodes[seated["heirs"][0]]["heirs"] == []
    assert nodes[seated["heirs"][0]]["point"] is None
    assert (other["in"], other["out"], other["point"]) == ([2, 3], [], None)
    assert nodes[other["heirs"][0]]["heirs"] == []
    alone = written(replace(problem, required=(0,), forbidden=(1,)), steps=steps)["nodes"]
    assert len(alone) == 2
    nothing = written(replace(problem, required=(2,)), steps=steps)["nodes"]
    assert nothing == []
    lonely = written(problem, steps=steps[:1])["nodes"]
    assert lonely[0]["heirs"] == [None, None]


def test_a_point_has_an_intercept_for_every_class_or_mu():
    weights = np.array([0.0, 1.5, 0.0, 2.0])
    three = draw(1, n=12, k=4, classes=3)
    made = step([0] * 4, weights=weights, intercepts=np.array([0.5, -1.0]), price=9.0)
    nodes = written(three, steps=[made], classes=(0, 1, 2))["nodes"]
    assert nodes[0]["point"][0] == [0.5, -1.0, 0.0]
    pooled = draw(1, n=12, k=4, loss="pool_brier")
    fields = written(pooled, steps=[replace(made, intercepts=NONE)])
    assert fields["nodes"][0]["point"][0] == [9.0]
    assert fields["objective"]["loss"] == "brier"
