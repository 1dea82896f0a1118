"""Bad input: a typed error that names the argument and says what to do, before anything trains."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import voteprune as vp
from memberpools import data, members, neighbours
from voteprune import PrunedVotingClassifier


class Untouchable(ClassifierMixin, BaseEstimator):
    """Fails the test if anybody trains it."""

    def fit(self, X, y, sample_weight=None):
        raise AssertionError("trained before the request was checked")

    def predict(self, X):
        raise AssertionError("asked before the request was checked")


POOL = [("a", Untouchable()), ("b", Untouchable())]


def refusal(estimators=POOL, y=None, fit=None, **parameters):
    X, labels = data(60)
    with pytest.raises(vp.InputError) as caught:
        PrunedVotingClassifier(estimators, **parameters).fit(
            X, labels if y is None else y, **(fit or {})
        )
    return caught.value


@pytest.mark.parametrize(
    ("parameters", "argument", "cure"),
    [
        ({"objective": "beauty"}, "objective", "Known are accuracy"),
        ({"objective": "accuracy", "voting": "soft"}, "objective", "voting='hard'"),
        ({"method": "magic"}, "method", "Known are"),
        ({"diversity": "F9"}, "diversity", "F1"),
        ({"constraints": [vp.Budget([1, 2, 3], 4)]}, "Budget(costs)", "3 costs for 2 classifiers"),
        ({"constraints": [vp.Budget({"z": 1}, 4)]}, "Budget(costs)", "'z'"),
        ({"constraints": [vp.Require("z")]}, "Require", "'z'. Give one of 'a', 'b'"),
        ({"constraints": [vp.AtLeast("size", 3)]}, "constraints", "the pool has 2 classifiers"),
        ({"constraints": "recall"}, "constraints", "list of constraints"),
        ({"cv": "fit"}, "cv", "'prefit'"),
        ({"cv": 1}, "cv", "from 2 on"),
        ({"cv": 1.5}, "cv", "between 0 and 1"),
        ({"cv": True}, "cv", "between 0 and 1"),
        ({"cv": 0.001}, "cv", "Give another share, or folds"),
        ({"cv": 0.999}, "cv", "Give another share, or folds"),
        ({"cv": object()}, "cv", "a list of splits"),
        ({"cv": []}, "cv", "has no splits"),
        ({"cv": [1, 2]}, "cv", "1 is not a split"),
        ({"cv": [(range(30, 60), range(31)), (range(30), range(31, 61))]}, "cv", "the 60 rows"),
        ({"cv": [(np.ones(9, bool), np.ones(9, bool))]}, "cv", "the 60 rows"),
        ({"refit": False}, "refit", "cv=0.3"),
        ({"refit": False, "cv": np.ones((2, 2, 30), int)}, "refit", "cv=0.3"),
        ({"cv": "prefit"}, "estimators", "'a' is not fitted"),
        ({"pos_label": 2}, "pos_label", "classes 0, 1"),
        ({"time_limit": -1}, "time_limit", "seconds"),
        ({"n_jobs": 0}, "n_jobs", "but 0"),
        ({"estimators": []}, "estimators", "non-empty list"),
        ({"estimators": [Untouchable()]}, "estimators", "(string, estimator)"),
        ({"estimators": [*POOL, POOL[0]]}, "estimators", "not unique"),
        ({"estimators": [("cv", Untouchable())]}, "estimators", "conflict"),
        ({"estimators": [("a", "drop")]}, "estimators", "'drop'"),
        (
            {"estimators": [*POOL, ("s", StandardScaler())]},
            "estimators",
            "type StandardScaler",
        ),
        ({"estimators": [*POOL, ("r", LinearRegression())]}, "estimators", "regressor"),
        ({"estimators": [*POOL, ("c", Untouchable)]}, "estimators", "Untouchable()"),
        (
            {"estimators": [*POOL, ("f", FrozenEstimator(DecisionTreeClassifier()))]},
            "estimators",
            "'f' is not fitted",
        ),
        (
            {"estimators": FrozenEstimator(RandomForestClassifier()), "cv": 0.3},
            "estimators",
            "not fitted, but a FrozenEstimator",
        ),
        ({"estimators": GradientBoostingClassifier()}, "estimators", "corrections, not votes"),
        ({"estimators": RandomForestClassifier(3)}, "estimators", "cv=0.3"),
    ],
)
def test_a_wrong_argument_is_named_before_anything_is_trained(parameters, argument, cure):
    error = refusal(**parameters)
    assert error.argument == argument
    assert cure in str(error)


def test_members_without_fit_need_prefit():
    class Oracle:
        def predict(self, X):
            return np.zeros(len(X))

    error = refusal([("oracle", Oracle())])
    assert "cv='prefit'" in str(error)


@pytest.mark.parametrize(
    ("option", "argument"),
    [
        ({"objective": "f1"}, "objective"),
        ({"constraints": [vp.AtLeast("recall", 0.5)]}, "constraints"),
        ({"diversity": "F2"}, "diversity"),
        ({"threshold": "majority"}, "threshold"),
        ({"pos_label": 1}, "pos_label"),
        ({"method": "hc-uwa"}, "method"),
        ({"constraints": [vp.Budget([1, 2, 3], 4)]}, "Budget(costs)"),
    ],
)
def test_three_classes_refuse_what_is_for_two_before_anything_is_trained(option, argument):
    assert refusal(y=np.arange(60) % 3, **option).argument == argument


def test_one_class_is_refused():
    assert "has one class only, 1.0, so" in str(refusal(y=np.ones(60)))
    assert "has one class only, 'yes', so" in str(refusal(y=np.array(["yes"] * 60)))


def test_an_infeasible_recall_floor_says_so():
    X, y = data()
    stump = [("stump", DecisionTreeClassifier(max_depth=1))]
    with pytest.raises(vp.InfeasibleError) as caught:
        PrunedVotingClassifier(stump, constraints=vp.AtLeast("recall", 1)).fit(X, y)
    assert caught.value.argument == "constraints"
    assert "recall >= 1" in str(caught.value)
    assert "Relax" in str(caught.value)


def test_weights_for_members_that_take_none_name_the_member():
    weight = np.ones(60)
    for name, member in (neighbours(), ("pipe", make_pipeline(StandardScaler(), members()[0][1]))):
        error = refusal([(name, member)], fit={"sample_weight": weight})
        assert error.argument == "sample_weight"
        assert repr(name) in str(error)
        assert "set_fit_request" in str(error)


@pytest.mark.parametrize("voting", ["auto", "hard"])
def test_weights_below_zero_or_of_one_class_are_refused_before_anything_is_trained(voting):
    weight = np.ones(60)
    weight[2] = -0.5
    error = refusal(fit={"sample_weight": weight}, voting=voting)
    assert error.argument == "sample_weight"
    assert "is -0.5 for row 2" in str(error)
    two = np.array(["no", "yes"])[np.arange(60) % 2]
    error = refusal(y=two, fit={"sample_weight": np.arange(60) % 2}, voting=voting)
    assert error.argument == "sample_weight"
    assert "those of class 'yes'" in str(error)


def test_other_metadata_needs_routing():
    assert "enable_metadata_routing" in str(refusal(fit={"groups": np.ones(60)}))


def test_splits_that_are_no_partition_are_refused():
    assert "exactly one test part" in str(refusal(cv=ShuffleSplit(3, random_state=0)))


def test_members_that_know_other_classes_are_refused():
    X, y = data(60)
    tree = DecisionTreeClassifier().fit(X, np.array(["cat", "dog"])[y])
    error = refusal([("tree", tree)], cv="prefit")
    assert "'tree' was fitted on the classes ['cat', 'dog']" in str(error)


class Miscounting(ClassifierMixin, BaseEstimator):
    """Answers once too often, or once for all rows."""

    def __init__(self, once=False):
        self.once = once

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[0] if self.once else np.repeat(self.classes_[0], len(X) + 1)


class Sure(Miscounting):
    """The same with a probability."""

    def predict_proba(self, X):
        return np.full((len(X) + 1, 2), 0.5)


@pytest.mark.parametrize("voting", ["hard", "soft"])
@pytest.mark.parametrize("cv", [2, 0.5])
@pytest.mark.parametrize(
    ("member", "number"), [(Miscounting(), 31), (Miscounting(once=True), 1), (Sure(), 31)]
)
def test_a_member_answers_once_for_every_row(voting, cv, member, number):
    error = refusal([("a", member)], cv=cv, voting=voting)
    assert error.argument == "estimators"
    assert f"of 'a' gives {number} answers for 30 rows" in str(error)


def test_scores_are_not_votes():
    class Scores:
        def predict(self, X):
            return X[:, 0]

    error = refusal([("scores", Scores())], cv="prefit")
    assert "'scores' predicts" in str(error)
    assert "wrapper" in str(error)
