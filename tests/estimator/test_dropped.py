"""Members set to "drop": places and costs are those of `estimators`, whoever is dropped."""

import pytest
from sklearn.model_selection import GridSearchCV

import voteprune as vp
from memberpools import data, members
from voteprune import PrunedVotingClassifier

X, Y = data()
COSTS = {"tree2": 1, "tree3": 1, "tree5": 2, "bayes": 1}


def without(*gone):
    return [(name, "drop" if name in gone else member) for name, member in members()]


def fitted(estimators, constraints, **parameters):
    clf = PrunedVotingClassifier(
        estimators, voting="hard", objective="accuracy", constraints=constraints, cv=3,
        random_state=0, **parameters,
    )  # fmt: skip
    return clf.fit(X, Y)


@pytest.mark.parametrize(
    ("by_place", "by_name"),
    [
        (vp.Budget([9, 1, 1, 2, 1], 3), vp.Budget(COSTS, 3)),
        (vp.Forbid(3, name="no"), vp.Forbid("tree5", name="no")),
        (vp.Require(1, 4), vp.Require("tree2", "bayes")),
        (vp.Group([0, 1, 3], at_most=1), vp.Group(["tree2", "tree5"], at_most=1)),
        (vp.Group([0, 1, 3], at_least=2), vp.Group(["tree2", "tree5"], at_least=2)),
    ],
)
def test_places_are_those_of_the_list(by_place, by_name):
    pool = [pair for pair in members() if pair[0] != "tree1"]
    most = vp.AtMost("size", 4)
    expected = fitted(pool, [by_name, most])
    clf = fitted(without("tree1"), [by_place, most])
    assert clf.committee_ == expected.committee_
    assert clf.solution_.value == expected.solution_.value
    assert clf.solution_.constraints == expected.solution_.constraints


@pytest.mark.parametrize(
    "idle",
    [
        vp.Forbid(0),
        vp.Forbid("tree1"),
        vp.Group(["tree1"], at_most=0),
        vp.Budget({"tree1": 5}, 2),
        vp.Budget([5, 0, 0, 0, 0], 2),
    ],
)
def test_limits_on_those_who_are_dropped_are_idle(idle):
    free = fitted(without("tree1"), ())
    assert fitted(without("tree1"), idle).committee_ == free.committee_


@pytest.mark.parametrize(
    ("wrong", "argument", "words"),
    [
        (vp.Require(0), "Require", "'tree1' is set to 'drop'"),
        (vp.Require("tree1"), "Require", "'tree1' is set to 'drop'"),
        (vp.Group([0, 1], at_least=2), "Group(at_least)", "only 1 of tree1, tree2"),
        (vp.Group([0], at_least=1), "Group(at_least)", "only 0 of tree1"),
        (vp.Budget([1, 2, 3, 4], 4), "Budget(costs)", "4 costs for 5 classifiers"),
        (vp.Forbid(5), "Forbid", "0 .. 4"),
        (vp.Forbid("nobody"), "Forbid", "'nobody'"),
    ],
)
def test_what_cannot_be_is_refused(wrong, argument, words):
    with pytest.raises(vp.InputError) as caught:
        fitted(without("tree1"), wrong)
    assert caught.value.argument == argument
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("start", "first"),
    [([0, 2], {"tree3"}), (["tree1", "tree3"], {"tree3"}), ((4, "tree2"), {"bayes", "tree2"})],
)
def test_a_start_goes_by_the_list_too(start, first):
    clf = fitted(without("tree1"), (), start=start, callback=lambda _: True, time_limit=0)
    assert set(clf.committee_.names) == first
    assert fitted(without("tree1"), (), start=[0]).solution_.status == "optimal"
    with pytest.raises(vp.InputError) as caught:
        fitted(without("tree1"), (), start=[5])
    assert caught.value.argument == "start"


def test_a_search_over_members_keeps_its_costs():
    grid = {"tree1": ["drop", members()[0][1]], "bayes": ["drop"]}
    clf = PrunedVotingClassifier(members(), constraints=vp.Budget([1, 5, 1, 1, 1], 2), cv=2)
    search = GridSearchCV(clf, grid, cv=2, error_score="raise").fit(X, Y)
    assert "tree2" not in search.best_estimator_.named_estimators_
