"""`SoftSolution.explain`: what each member is worth, against fits of every subset."""

import json

import pytest

import voteprune as vp
from soft_oracle import pool

SIZE = vp.AtMost("size", 3)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("objective", ["log_loss", "brier"])
def test_without_a_member_the_best_of_the_others_is_found_and_bounded(objective, n_classes):
    said = vp.Probabilities(*pool(6, k=6, n_classes=n_classes))
    request = {"objective": objective, "penalty": 0.5}
    solution = vp.prune(said, constraints=SIZE, **request)
    found = solution.explain()
    weights = dict(zip(solution.committee.members, solution.committee.weights, strict=True))
    assert {role.member: role.weight for role in found.members} == weights
    for role in found.members:
        limits = [SIZE, vp.Forbid(role.name)]
        brute = vp.prune(said, constraints=limits, method="brute", **request)
        assert role.best == pytest.approx(brute.value, rel=2e-6)
        assert role.bound >= brute.value - 1e-12
        assert role.without is None or role.without <= role.best + 1e-9
        better = brute.value >= solution.value - 1e-6 * abs(solution.value)
        assert role.verdict == ("replaceable" if better else "needed")
    assert all(role.name in found.summary() for role in found.members)
    assert json.loads(found.to_json())["value"] == solution.value


def test_a_twin_makes_a_member_replaceable():
    predictions, y = pool(6, k=4)
    twins = predictions[:, [0, 1, 2, 3, 0, 1, 2, 3]]
    solution = vp.prune(vp.Probabilities(twins, y), constraints=vp.AtMost("size", 2))
    found = solution.explain(near=1e-9)
    assert {role.verdict for role in found.members} == {"replaceable"}
    assert found.others
    for other in found.others:
        assert other.value == pytest.approx(solution.value, rel=1e-8)
        assert other.members != solution.committee.members
        assert {k % 4 for k in other.members} == {k % 4 for k in solution.committee.members}


def test_nobody_can_go_where_all_are_required():
    said = vp.Probabilities(*pool(6))
    solution = vp.prune(said, constraints=[vp.Require("c0", "c1"), vp.AtMost("size", 2)])
    for role in solution.explain().members:
        assert (role.verdict, role.bound, role.best) == ("needed", None, None)
    assert "none" in solution.explain().summary()


def test_the_heaviest_come_first_and_no_more_than_ten_others_are_told():
    solution = vp.prune(vp.Probabilities(*pool(6, k=8)), constraints=SIZE, penalty=0.1)
    found = solution.explain(near=10.0)
    weights = [role.weight for role in found.members]
    assert weights == sorted(weights, reverse=True)
    assert weights != sorted(weights)
    assert len(found.others) == 10
    values = [other.value for other in found.others]
    assert values == sorted(values, reverse=True)


def test_that_nobody_can_take_a_place_is_not_said_before_it_is_known():
    """Without one of three that must be three, the others alone are not allowed."""
    limits = [vp.AtLeast("size", 3), SIZE]
    solution = vp.prune(vp.Probabilities(*pool(6, k=8)), constraints=limits, penalty=0.1)
    for role in solution.explain(time_limit=0).members:
        assert role.without is None
        assert role.bound is not None
        assert role.verdict == "open"


def test_no_time_claims_nothing_that_is_not_so():
    said = vp.Probabilities(*pool(6, k=8))
    solution = vp.prune(said, constraints=SIZE, penalty=0.1)
    whole = {role.member: role for role in solution.explain().members}
    again = vp.prune(said, constraints=SIZE, penalty=0.1)
    for role in again.explain(time_limit=0).members:
        assert role.bound >= whole[role.member].best - 1e-12
        assert role.verdict in ("open", whole[role.member].verdict)


def test_what_cannot_be_explained_is_refused(tmp_path):
    said = vp.Probabilities(*pool(6))
    solution = vp.prune(said)
    with pytest.raises(vp.InputError, match="near"):
        solution.explain(near=-1)
    solution.save(tmp_path / "s.json")
    with pytest.raises(vp.InputError, match="from a file"):
        vp.SoftSolution.load(tmp_path / "s.json").explain()
    nobody = vp.prune(said, constraints=[vp.Require("c1"), vp.Budget([1] * 6, limit=0)])
    with pytest.raises(vp.InputError, match="no committee"):
        nobody.explain()
