"""Constraints say what they mean and refuse what they cannot mean."""

import pytest

import voteprune as vp

VOTES = vp.Votes([[0, 1, 1], [1, 1, 0], [1, 0, 1], [0, 0, 1]], [0, 1, 1, 0], names=["a", "b", "c"])


@pytest.mark.parametrize(
    ("constraint", "words"),
    [
        (vp.AtLeast("size", 3), "size >= 3"),
        (vp.AtMost("fp", 50), "fp <= 50"),
        (vp.AtLeast("recall", 0.9), "recall >= 0.9"),
        (vp.Require("a", 2), "require a, 2"),
        (vp.Forbid(1), "forbid 1"),
        (vp.Budget([1, 2, 3], 2.5), "cost <= 2.5"),
    ],
)
def test_constraints_read_as_sentences(constraint, words):
    assert str(constraint) == words


def test_constraints_are_values():
    assert vp.AtLeast("recall", 0.9) == vp.AtLeast("recall", 0.9)
    assert vp.AtLeast("recall", 0.9) != vp.AtMost("recall", 0.9)
    assert len({vp.Require(1), vp.Require(1), vp.Forbid(1)}) == 2


def test_members_go_by_name_or_index():
    by_name = vp.prune(VOTES, method="brute", constraints=[vp.Require("c"), vp.Forbid("a")])
    by_index = vp.prune(VOTES, method="brute", constraints=[vp.Require(2), vp.Forbid(0)])
    assert by_name.committee == by_index.committee
    assert "c" in by_name.committee.names
    assert "a" not in by_name.committee.names


def test_a_budget_by_name_leaves_the_others_free():
    named = vp.Budget({"c": 5}, 4).for_pool(VOTES.names)
    assert named == vp.Budget([0, 0, 5], 4).for_pool(VOTES.names)


@pytest.mark.parametrize(
    "make",
    [
        lambda: vp.AtLeast("size", 0),
        lambda: vp.AtMost("size", 2.5),
        lambda: vp.AtLeast("recal", 0.9),
        lambda: vp.AtLeast("recall", float("nan")),
        lambda: vp.AtLeast("recall", 90),
        lambda: vp.AtMost("false_positive_rate", 5),
        lambda: vp.AtLeast("precision", -0.1),
        lambda: vp.AtMost("fp", "many"),
        lambda: vp.Require(),
        lambda: vp.Require(1.5),
        lambda: vp.Forbid(True),
        lambda: vp.Budget(3, 1),
        lambda: vp.Budget([1, float("inf")], 1),
        lambda: vp.Budget([1, 2], None),
    ],
)
def test_a_constraint_that_means_nothing_cannot_be_made(make):
    with pytest.raises(vp.InputError):
        make()


@pytest.mark.parametrize(
    "constraints",
    [
        "recall",
        [("recall", 0.9)],
        [vp.Require("nobody")],
        [vp.Forbid(3)],
        [vp.Require(-1)],
        [vp.Budget([1, 2], 3)],
        [vp.Budget({"nobody": 1}, 3)],
        [vp.AtLeast("size", 3), vp.AtMost("size", 2)],
        [vp.AtLeast("size", 4)],
    ],
)
def test_a_constraint_that_does_not_fit_the_pool_is_refused(constraints):
    with pytest.raises(vp.InputError):
        vp.prune(VOTES, constraints=constraints)


def test_a_single_constraint_needs_no_list():
    assert vp.prune(VOTES, method="brute", constraints=vp.AtMost("size", 1)).committee.size == 1
