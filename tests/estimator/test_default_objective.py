"""What is not asked for: soft committees of few where members give probabilities; where they vote a
margin if one can be had, elsewhere accuracy. The answer says which."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict

import voteprune as vp
from memberpools import data, members, words
from voteprune import PrunedVotingClassifier

RAMP, FEW = "ramp(theta=1)", "size <= 7"
LOSS, TEN = "log_loss", "size <= 10"


class Reader:
    """Votes by the sign of one column."""

    def __init__(self, column):
        self.column = column

    def predict(self, rows):
        return (rows[:, self.column] > 0).astype(int)


def chosen(**wishes):
    X, y = data()
    pool = [(f"c{column}", Reader(column)) for column in range(8)]
    return PrunedVotingClassifier(pool, cv="prefit", random_state=0, **wishes).fit(X, y).solution_


def test_it_is_the_ramp_with_few_members_on_the_same_votes():
    X, y = data()
    clf = PrunedVotingClassifier(members(), voting="hard", cv=3, random_state=0).fit(X, y)
    votes = np.column_stack([cross_val_predict(m, X, y, cv=3) for _, m in members()])
    expected = vp.prune(
        vp.Votes(votes, y), objective=vp.Ramp(1), constraints=vp.AtMost("size", 7), method="brute"
    )
    assert (clf.solution_.objective, clf.solution_.constraints) == (RAMP, (FEW,))
    assert clf.solution_.status == "optimal"
    assert clf.solution_.value == expected.value
    assert clf.get_params()["objective"] == "auto"
    assert clf.get_params()["constraints"] == ()


def test_it_is_the_soft_committee_of_few_on_the_same_probabilities():
    X, y = data()
    clf = PrunedVotingClassifier(members(), cv=3, random_state=0).fit(X, y)
    said = {
        name: cross_val_predict(member, X, y, cv=3, method="predict_proba")[:, 1]
        for name, member in members()
    }
    expected = vp.prune(
        vp.Probabilities(said, y, clip=0.0001),
        penalty=30,
        constraints=vp.AtMost("size", 10),
        method="brute",
    )
    assert (clf.solution_.objective, clf.solution_.constraints) == (LOSS, (TEN,))
    assert clf.solution_.penalty == 30
    assert clf.solution_.status == "optimal"
    assert clf.solution_.value == pytest.approx(expected.value, rel=1e-6)
    assert clf.committee_.clip == 0.0001
    assert clf.get_params()["voting"] == "auto"
    np.testing.assert_allclose(clf.predict_proba(X).sum(axis=1), 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("constraints", "limited"),
    [
        (vp.AtLeast("size", 8), True),
        (vp.Forbid("c1"), True),
        (vp.AtMost("size", 12), False),
        (vp.AtMost("size", 2), False),
        (vp.AtLeast("size", 11), False),
        (vp.Require(*(f"c{column}" for column in range(11))), False),
    ],
)
def test_a_limit_of_ten_is_added_unless_the_size_is_limited_or_more_are_asked_for(
    constraints, limited
):
    X, y = data()
    pool = [(f"c{place}", LogisticRegression(C=10.0**-place).fit(X, y)) for place in range(12)]
    clf = PrunedVotingClassifier(
        pool, cv="prefit", constraints=constraints, method="search", time_limit=1
    )
    found = clf.fit(X, y).solution_
    assert found.objective == LOSS
    assert found.constraints == ((str(constraints), TEN) if limited else (str(constraints),))


SEVEN = vp.Require(*(f"c{column}" for column in range(7)))
ALL = vp.Require(*(f"c{column}" for column in range(8)))


@pytest.mark.parametrize(
    ("constraints", "limited"),
    [
        (vp.AtLeast("size", 3), True),
        (vp.Forbid("c1"), True),
        (SEVEN, True),
        (vp.Budget([1] * 8, 4), True),
        (vp.AtMost("size", 8), False),
        (vp.AtMost("size", 2), False),
        (vp.AtLeast("size", 8), False),
        (ALL, False),
        # Below zero a member pays for others, and it may take all of them.
        (vp.Budget([-1] * 8, -8), False),
        (vp.Budget({"c1": -1}, -1), False),
    ],
)
def test_a_limit_of_seven_is_added_unless_the_size_is_limited_or_more_are_asked_for(
    constraints, limited
):
    found = chosen(constraints=constraints, method="search")
    assert found.objective == RAMP
    assert found.constraints == ((str(constraints), FEW) if limited else (str(constraints),))


@pytest.mark.parametrize("wishes", [{"method": "brute"}, {"solver": "brute"}, {"method": "search"}])
def test_methods_that_know_margins_are_given_one(wishes):
    assert chosen(threshold="majority", **wishes).objective == RAMP


@pytest.mark.parametrize(
    ("wishes", "objective"),
    [
        ({"method": "hc-uwa"}, "accuracy"),
        ({"method": "merged"}, "accuracy"),
        ({"threshold": "tuned", "method": "hc-uwa"}, "accuracy"),
        ({"diversity": "F2"}, "accuracy"),
        ({"diversity": "F1-theta"}, "balanced_accuracy"),
        ({"constraints": [vp.AtLeast("recall", 0.5)]}, "accuracy"),
    ],
)
def test_where_no_margin_can_be_had_it_is_accuracy_with_nothing_added(wishes, objective):
    found = chosen(**wishes)
    assert found.objective == objective
    assert found.constraints == tuple(str(item) for item in wishes.get("constraints", ()))


def test_a_floor_that_no_majority_reaches_is_still_reached():
    """Two members that each find half of the positives find all of them with a threshold of 0."""
    labels = np.array([1, 1, 1, 1, 0, 0, 0, 0])
    X = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [0, 0], [0, 0], [0, 0], [0, 0]])
    pool = [("first", Reader(0)), ("second", Reader(1))]
    floor = vp.AtLeast("recall", 1)
    clf = PrunedVotingClassifier(pool, cv="prefit", constraints=floor).fit(X, labels)
    assert clf.solution_.value == 1


def test_an_ensemble_of_trees_is_not_held_to_seven():
    X, y = data()
    forest = RandomForestClassifier(15, max_depth=3, random_state=0).fit(X[:120], y[:120])
    found = PrunedVotingClassifier(forest, method="search", time_limit=1, random_state=0)
    assert found.fit(X[120:], y[120:]).solution_.constraints == ()
    assert found.solution_.objective == RAMP


def test_a_vote_of_different_models_is_a_list():
    X, y = data()
    vote = VotingClassifier(members()).fit(X[:120], y[:120])
    for voting, expected in (("hard", (RAMP, (FEW,))), ("auto", (LOSS, (TEN,)))):
        found = PrunedVotingClassifier(vote, voting=voting, random_state=0)
        found = found.fit(X[120:], y[120:]).solution_
        assert (found.objective, found.constraints) == expected


def test_votes_on_three_classes_get_accuracy_and_probabilities_log_loss():
    X, _ = data()
    y = np.arange(len(X)) % 3
    for voting, expected in (("hard", ("accuracy", ())), ("auto", (LOSS, (TEN,)))):
        found = PrunedVotingClassifier(members(), voting=voting, cv=2).fit(X, y).solution_
        assert (found.objective, found.constraints) == expected


@pytest.mark.parametrize("pos_label", ["no", "yes"])
def test_weights_and_the_positive_class_are_those_of_the_user(pos_label):
    X, y = data()
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    for voting, objective in (("hard", RAMP), ("auto", LOSS)):
        clf = PrunedVotingClassifier(
            members(), voting=voting, cv=2, pos_label=pos_label, random_state=0
        )
        found = clf.fit(X, words(y), sample_weight=weight).solution_
        assert found.objective == objective
        assert found.confusion.positives == weight[words(y) == pos_label].sum()


def test_a_grid_may_hold_it_beside_others():
    X, y = data()
    grid = {"objective": ["auto", "accuracy", vp.Hinge(1), vp.Weights(tp=2, tn=1)]}
    clf = PrunedVotingClassifier(members(), cv=2, random_state=0)
    search = GridSearchCV(clf, grid, cv=2, error_score="raise").fit(X, y)
    assert len(search.cv_results_["params"]) == 4
