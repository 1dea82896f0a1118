"""`voting="soft"`: members give probabilities, and so does the committee that `prune` chose."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import voteprune as vp
from memberpools import Counted, data, members, words
from voteprune import PrunedVotingClassifier

X, Y = data()
X3, Y3 = make_classification(
    240, n_features=8, n_informative=5, n_classes=3, flip_y=0.1, random_state=0
)
ANIMALS = np.array(["ant", "bee", "cow"])[Y3]


class Sure(Counted):
    """The same with a probability."""

    def predict_proba(self, X):
        second = 1 / (1 + np.exp(-np.asarray(X)[:, self.column]))
        return np.column_stack([1 - second, second])


@pytest.fixture
def fits():
    Counted.fits = Sure.fits = []
    return Counted.fits


def soft(estimators, **parameters):
    given = {"voting": "soft", "random_state": 0, "penalty": 3, **parameters}
    return PrunedVotingClassifier(estimators, **given)


def mixed():
    """Probabilities, scores and a mere vote."""
    return [*members(), ("ridge", RidgeClassifier()), ("voter", Counted(3))]


class Off(Sure):
    """Its sure probabilities are off by a little, as sums of floats may be."""

    def __init__(self, column=0, by=0.0):
        super().__init__(column)
        self.by = by

    def predict_proba(self, X):
        second = super().predict_proba(X)[:, 1].round(1)
        second[second > 0.8] = 1 + self.by
        second[second < 0.2] = -self.by
        return np.column_stack([1 - second, second])


class Masked(Sure):
    """Says nothing where it is not sure."""

    def predict_proba(self, X):
        said = super().predict_proba(X)
        return np.ma.array(said, mask=np.abs(said - 0.5) < 0.2)


class Silent(Sure):
    """The same with NaN."""

    def predict_proba(self, X):
        said = super().predict_proba(X)
        return np.where(np.abs(said - 0.5) < 0.2, np.nan, said)


def answers(models, X, positive=1):
    """What fitted members say about the positive class, by name, from their own methods."""
    said = {}
    for name, model in models.items():
        if hasattr(model, "predict_proba"):
            said[name] = model.predict_proba(X)[:, positive]
        elif hasattr(model, "decision_function"):
            said[name] = model.decision_function(X) * (1 if positive else -1)
        else:
            said[name] = (model.predict(X) == positive).astype(float)
    return said


def test_the_committee_is_the_one_prune_finds_on_out_of_fold_probabilities():
    folds = KFold(4, shuffle=True, random_state=1)
    clf = soft(mixed(), cv=folds, constraints=vp.AtMost("size", 3)).fit(X, Y)
    ask = {"ridge": "decision_function", "voter": "predict"}
    said = {}
    for name, model in mixed():
        method = ask.get(name, "predict_proba")
        column = cross_val_predict(model, X, Y, cv=folds, method=method)
        said[name] = column[:, 1] if column.ndim == 2 else column
    expected = vp.prune(
        vp.Probabilities(said, Y, scores=["ridge"]), constraints=vp.AtMost("size", 3), penalty=3,
        method="brute",
    )  # fmt: skip
    assert clf.solution_.status == "optimal"
    assert clf.committee_.members == expected.committee.members
    assert clf.solution_.penalised_loss == pytest.approx(expected.penalised_loss, rel=1e-6)
    np.testing.assert_allclose(clf.weights_, expected.committee.weights, rtol=1e-4)


@pytest.mark.parametrize("pos_label", ["no", "yes"])
@pytest.mark.parametrize("objective", ["log_loss", "pool_log_loss", "brier"])
def test_its_probabilities_are_the_committees_on_refitted_members(objective, pos_label):
    everybody = vp.Require(*(name for name, _ in mixed()))
    clf = soft(mixed(), objective=objective, pos_label=pos_label, cv=2, constraints=everybody)
    clf.fit(X, words(Y))
    refitted = {name: clone(model).fit(X, Y) for name, model in mixed()}
    positive = ["no", "yes"].index(pos_label)
    said = answers(refitted, X, positive)
    if objective != "log_loss":  # scores are of no use in a mean
        said["ridge"] = (refitted["ridge"].predict(X) == positive).astype(float)
    expected = clf.committee_.predict_proba(pd.DataFrame(said))
    given = clf.predict_proba(X)
    assert list(clf.classes_) == ["no", "yes"]
    np.testing.assert_allclose(given[:, positive], expected[:, 1], rtol=1e-12)
    np.testing.assert_allclose(given.sum(axis=1), 1)
    np.testing.assert_allclose(clf.transform(X), np.column_stack(list(said.values())))
    assert np.array_equal(clf.predict(X), clf.committee_.predict(pd.DataFrame(said)))
    assert np.array_equal(clf.predict(X) == "yes", clf.decision_function(X) > 0)
    assert list(clf.named_estimators_) == list(clf.committee_.names)
    # The order of the classes is no matter: the same committee either way.
    other = clone(clf).set_params(pos_label=["yes", "no"][positive]).fit(X, words(Y))
    np.testing.assert_allclose(other.predict_proba(X), given, rtol=1e-4)


@pytest.mark.parametrize("objective", ["log_loss", "brier"])
def test_a_probability_may_be_off_by_rounding(objective):
    exactly, off = (
        soft([("a", Off(0, by)), ("b", Off(1, by))], objective=objective, cv=2).fit(X, Y)
        for by in (0, 5e-7)
    )
    assert off.committee_ == exactly.committee_
    assert np.array_equal(off.predict_proba(X), exactly.predict_proba(X))
    assert off.transform(X).max() == 1
    with pytest.raises(vp.InputError, match="'a' gives") as caught:
        soft([("a", Off(0, 1e-5))], objective=objective, cv=2).fit(X, Y)
    assert "calibrate the member" in str(caught.value)


def test_a_masked_probability_says_nothing():
    masked, silent = (
        soft([("a", kind(0)), ("b", kind(1))], cv=2).fit(X, Y) for kind in (Masked, Silent)
    )
    assert masked.committee_ == silent.committee_
    np.testing.assert_array_equal(masked.transform(X), silent.transform(X))


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["log_loss", "brier"])
def test_three_classes_have_a_column_each(objective):
    pool = [*members(), ("ridge", RidgeClassifier()), ("sure", LogisticRegression())]
    clf = soft(pool, objective=objective, cv=3, constraints=vp.AtLeast("size", 7))
    clf.fit(X3, ANIMALS)
    said = {}
    for name, model in pool:
        fitted = clone(model).fit(X3, ANIMALS)
        if name != "ridge":
            said[name] = fitted.predict_proba(X3)
        elif objective == "log_loss":
            said[name] = fitted.decision_function(X3)
        else:
            said[name] = fitted.predict(X3)
    expected = clf.committee_.predict_proba(said)
    np.testing.assert_allclose(clf.predict_proba(X3), expected, rtol=1e-6)
    assert np.array_equal(clf.predict(X3), clf.classes_[expected.argmax(axis=1)])
    assert np.array_equal(clf.decision_function(X3), clf.predict_proba(X3))
    assert clf.transform(X3).shape == (240, 21)
    columns = clf.get_feature_names_out()
    assert list(columns[:3]) == [f"prunedvotingclassifier_tree1{place}" for place in range(3)]
    assert clf.score(X3, ANIMALS) > 0.6


def test_a_class_that_a_fold_never_saw_has_no_probability_there():
    y = np.array(["ant"] * 30 + ["bee"] * 30 + ["cow"] * 30)
    rows = np.random.default_rng(0).normal(np.repeat([0, 2, 4], 30)[:, None], 1, (90, 2))
    splits = [(np.arange(60), np.arange(60, 90)), (np.arange(30, 90), np.arange(30)),
              (np.r_[:30, 60:90], np.arange(30, 60))]  # fmt: skip
    pool = [("bayes", GaussianNB()), ("ridge", RidgeClassifier())]
    clf = soft(pool, cv=splits, constraints=vp.AtLeast("size", 2)).fit(rows, y)
    said = clf.solution_.problem.said
    assert said.kinds == ("probability", "score")
    np.testing.assert_allclose(said.log_odds[60:, 0, 2], np.log(said.clip))
    scores = RidgeClassifier().fit(rows[:60], y[:60]).decision_function(rows[60:])
    np.testing.assert_allclose(said.log_odds[60:, 1, 1], scores)
    np.testing.assert_allclose(said.log_odds[60:, 1, 2], np.minimum(scores, 0))
    below = RidgeClassifier().fit(rows[30:], y[30:]).decision_function(rows[:30])
    assert (below < 0).any()
    np.testing.assert_allclose(said.log_odds[:30, 1, 0], np.minimum(below, 0))


@pytest.mark.parametrize(("cv", "trained_on"), [(4, [180] * 4 + [240]), (0.25, [180, 240])])
def test_only_the_chosen_are_fitted_again(fits, cv, trained_on):
    pool = [(f"f{column}", Sure(column)) for column in range(6)]
    clf = soft(pool, cv=cv, constraints=vp.AtMost("size", 2)).fit(X, Y)
    chosen = set(clf.committee_.members)
    assert 1 <= len(chosen) <= 2
    for column in range(6):
        sizes = [rows for seen, rows in fits if seen == column]
        assert sizes == (trained_on if column in chosen else trained_on[:-1])


def test_prefit_and_frozen_members_answer_as_they_are(fits):
    pool = [(f"f{column}", Sure(column).fit(X, words(Y))) for column in range(4)]
    fits.clear()
    clf = soft(pool, cv="prefit").fit(X, words(Y))
    frozen = soft([(name, FrozenEstimator(model)) for name, model in pool], cv=3)
    frozen.fit(X, words(Y))
    assert fits == []
    assert all(model is dict(pool)[name] for name, model in clf.named_estimators_.items())
    assert clf.score(X, words(Y)) == pytest.approx(clf.solution_.accuracy)
    assert frozen.committee_ == clf.committee_
    np.testing.assert_array_equal(frozen.predict_proba(X), clf.predict_proba(X))


def test_constraints_are_kept():
    limits = [
        vp.AtMost("size", 3), vp.Require("bayes"), vp.Forbid("tree5"),
        vp.Group(["tree1", "tree2", "tree3"], at_most=1), vp.Budget([1, 1, 1, 1, 2], 3),
    ]  # fmt: skip
    clf = soft(members(), constraints=limits, cv=2).fit(X, Y)
    names = set(clf.named_estimators_)
    assert "bayes" in names
    assert "tree5" not in names
    assert len(names & {"tree1", "tree2", "tree3"}) <= 1
    assert clf.solution_.constraints == tuple(map(str, limits))


@pytest.mark.parametrize("pos_label", ["no", "yes"])
def test_a_limit_on_recall_is_kept_by_the_cutoff(pos_label):
    floor = vp.AtLeast("recall", 0.97)
    clf = soft(members(), constraints=floor, pos_label=pos_label, cv="prefit")
    clf.set_params(
        estimators=[(name, model.fit(X[:80], words(Y[:80]))) for name, model in members()]
    )
    rows, labels = X[80:], words(Y[80:])
    clf.fit(rows, labels)
    decided = clf.predict(rows)
    assert (decided[labels == pos_label] == pos_label).mean() >= 0.97
    assert clf.committee_.cutoff < 0.5
    likelier = clf.classes_[clf.predict_proba(rows).argmax(axis=1)]
    assert (likelier[labels == pos_label] == pos_label).mean() < 0.97
    assert np.array_equal(clf.decision_function(rows) > 0, decided == "yes")


def test_at_the_cutoff_itself_the_decision_is_against_the_positive_class():
    class Undecided:
        classes_ = np.array(["no", "yes"])

        def predict(self, X):
            return np.full(len(X), "no")

        def predict_proba(self, X):
            return np.where(X[:, :1] > 0, [[0.2, 0.8]], np.where(X[:, :1] < 0, [[0.8, 0.2]], 0.5))

    rows = np.array([[-1.0], [-1], [1], [1], [0], [0]])
    labels = words(np.array([0, 0, 1, 1, 0, 1]))
    for positive, expected in (("no", "yes"), ("yes", "no")):
        clf = soft([("u", Undecided())], objective="brier", cv="prefit", pos_label=positive)
        clf.fit(rows, labels)
        assert clf.predict_proba(rows)[4].tolist() == [0.5, 0.5]
        assert clf.predict(rows)[4] == expected
        assert (clf.decision_function(rows)[4] > 0) == (expected == "yes")


def test_limits_that_no_cutoff_keeps_and_clashing_ones_are_errors():
    both = [vp.AtLeast("recall", 1), vp.AtLeast("specificity", 1)]
    with pytest.raises(vp.InputError, match="no cut-off") as caught:
        soft(members(), constraints=both, cv=2).fit(X, Y)
    assert caught.value.argument == "constraints"
    clash = [vp.Require("bayes"), vp.Budget([1] * 5, limit=0)]
    with pytest.raises(vp.InfeasibleError, match="cost <= 0"):
        soft(members(), constraints=clash, cv=2).fit(X, Y)


def test_weights_count_as_repeated_rows_do_and_their_scale_does_not():
    """Repeated rows have the same loss; the ridge is a mean weight's, so it is scaled by it."""
    weight = np.random.default_rng(0).integers(0, 4, len(Y))
    pool = [(name, model.fit(X, Y)) for name, model in members()]
    clf = soft(pool, cv="prefit").fit(X, Y, sample_weight=weight)
    scaled = soft(pool, cv="prefit").fit(X, Y, sample_weight=weight / 7)
    ridge = 3 * weight.sum() / np.count_nonzero(weight)
    again = soft(pool, cv="prefit", penalty=ridge)
    again.fit(np.repeat(X, weight, axis=0), np.repeat(Y, weight))
    plain = soft(pool, cv="prefit").fit(X, Y)
    given = clf.predict_proba(X)
    np.testing.assert_allclose(scaled.predict_proba(X), given, rtol=1e-5)
    np.testing.assert_allclose(again.predict_proba(X), given, rtol=1e-5)
    assert np.abs(plain.predict_proba(X) - given).max() > 1e-3


def test_sample_weights_reach_the_members():
    weight = np.random.default_rng(1).uniform(0.1, 3, len(Y))
    clf = soft(members(), cv=3).fit(X, Y, sample_weight=weight)
    expected = cross_val_predict(
        GaussianNB(), X, Y, cv=3, params={"sample_weight": weight}, method="predict_proba"
    )[:, 1].clip(1e-4, 1 - 1e-4)
    said = clf.solution_.problem.said
    np.testing.assert_allclose(said.log_odds[:, 4], np.log(expected / (1 - expected)), rtol=1e-9)
    np.testing.assert_array_equal(said.weights, weight)


def test_routing_gives_weights_to_those_who_ask_and_groups_to_the_splitter():
    groups, weight = np.arange(len(Y)) % 6, np.linspace(0.1, 1, len(Y))
    with sklearn.config_context(enable_metadata_routing=True):
        asking = GaussianNB().set_fit_request(sample_weight="importance")
        clf = soft([("asking", asking), ("tree", members()[1][1])], cv=GroupKFold(3))
        clf.fit(X, Y, importance=weight, groups=groups)
    expected = np.empty(len(Y))
    for train, test in GroupKFold(3).split(X, Y, groups):
        model = GaussianNB().fit(X[train], Y[train], sample_weight=weight[train])
        expected[test] = model.predict_proba(X[test])[:, 1]
    said = 1 / (1 + np.exp(-clf.solution_.problem.said.log_odds[:, 0]))
    np.testing.assert_allclose(said, expected.clip(1e-4, 1 - 1e-4), rtol=1e-9)


@pytest.mark.parametrize(
    "ensemble",
    [
        RandomForestClassifier(20, max_depth=4, random_state=0),
        BaggingClassifier(DecisionTreeClassifier(max_depth=3), 9, max_features=0.5, random_state=0),
        AdaBoostClassifier(n_estimators=9, random_state=0),
    ],
)
def test_members_of_an_ensemble_answer_as_they_do_inside(ensemble):
    ensemble.fit(X[:120], words(Y[:120]))
    clf = soft(ensemble, constraints=vp.AtMost("size", 4)).fit(X[120:], words(Y[120:]))
    columns = getattr(ensemble, "estimators_features_", [slice(None)] * 20)
    said = np.column_stack([
        model.predict_proba(X[:, seen])[:, 1]
        for model, seen in zip(ensemble.estimators_, columns, strict=False)
    ])  # fmt: skip
    expected = clf.committee_.predict_proba(said)
    np.testing.assert_allclose(clf.predict_proba(X), expected, rtol=1e-6)
    assert all(any(m is seat for m in ensemble.estimators_) for seat in clf.estimators_)
    assert clf.solution_.status == "optimal"


def test_an_unfitted_forest_is_grown_without_the_hold_out():
    forest = RandomForestClassifier(9, random_state=0)
    clf = soft(forest, cv=0.25).fit(X, words(Y))
    assert clf.solution_.n_rows == 60
    assert clf.predict_proba(X).shape == (240, 2)


def test_the_default_is_log_loss_with_few_members_at_penalty_30():
    clf = PrunedVotingClassifier(members(), voting="soft", cv=2).fit(X, Y)
    assert (clf.solution_.objective, clf.solution_.penalty) == ("log_loss", 30)
    assert clf.solution_.constraints == ("size <= 10",)
    named = PrunedVotingClassifier(members(), voting="soft", cv=2, objective="log_loss").fit(X, Y)
    assert named.solution_.constraints == ()
    own = soft(members(), constraints=vp.AtMost("size", 2), cv=2).fit(X, Y)
    assert own.solution_.constraints == ("size <= 2",)


@pytest.mark.parametrize(
    ("pool", "wishes", "is_soft"),
    [
        (members(), {}, True),
        ([*members(), ("ridge", RidgeClassifier())], {"penalty": 5}, True),
        (RandomForestClassifier(3), {"cv": 0.4}, False),
        (RandomForestClassifier(3), {"cv": 0.4, "objective": "log_loss"}, True),
        (members(), {"objective": "brier"}, True),
        (members(), {"constraints": vp.AtLeast("recall", 0.5)}, False),
        (members(), {"constraints": vp.Budget({"bayes": 1}, 3)}, True),
        (members(), {"constraints": vp.Budget({"bayes": -1}, 3)}, False),
        (members(), {"constraints": vp.Budget([1, 1, 1, 1, -1], 3)}, False),
        (members(), {"constraints": vp.AtLeast("coverage", 0.9)}, False),
        (BaggingClassifier(Counted(), 3), {"cv": 0.4}, False),
        (mixed(), {}, False),
        (members(), {"objective": "f1"}, False),
        (members(), {"diversity": "F2"}, False),
        (members(), {"threshold": "majority"}, False),
        (members(), {"method": "hc-uwa"}, False),
    ],
)
def test_auto_is_soft_where_nothing_is_in_the_way(pool, wishes, is_soft):
    clf = PrunedVotingClassifier(pool, **{"cv": 2, **wishes})
    assert hasattr(clf, "predict_proba") == is_soft
    clf.fit(X, Y)
    assert isinstance(clf.solution_, vp.SoftSolution) == is_soft
    assert hasattr(clf, "predict_proba") == is_soft
    assert hasattr(clf, "weights_") == is_soft


def test_hard_committees_give_no_probabilities():
    clf = PrunedVotingClassifier(members(), voting="hard", cv=2)
    assert not hasattr(clf, "predict_proba")
    assert isinstance(clf.fit(X, Y).solution_, vp.Solution)
    again = clf.set_params(voting="soft").fit(X, Y)
    assert again.predict_proba(X).shape == (240, 2)
    assert not hasattr(again.set_params(voting="hard").fit(X, Y), "weights_")


@pytest.mark.slow
def test_scikit_learn_takes_it_for_a_classifier_with_probabilities_by_default():
    clf = PrunedVotingClassifier(members(), cv=2, random_state=0)
    assert cross_val_score(clf, X, Y, cv=2, scoring="roc_auc").mean() > 0.75
    assert cross_val_score(clf, X, Y, cv=2, scoring="neg_log_loss").mean() > np.log(0.5)
    assert cross_val_predict(clf, X, Y, cv=2, method="predict_proba").shape == (240, 2)
    calibrated = CalibratedClassifierCV(clf, cv=2).fit(X, words(Y))
    np.testing.assert_allclose(calibrated.predict_proba(X).sum(axis=1), 1)
    tuned = TunedThresholdClassifierCV(clf, cv=2, scoring="balanced_accuracy").fit(X, Y)
    assert 0 < tuned.best_threshold_ < 1
    grid = {"voting": ["soft", "auto"], "penalty": [1, 100], "tree5__max_depth": [4]}
    search = GridSearchCV(clf, grid, cv=2, scoring="neg_log_loss", error_score="raise").fit(X, Y)
    assert len(search.cv_results_["params"]) == 4
    assert clone(search.best_estimator_).get_params()["tree5__max_depth"] == 4


def test_a_pickled_committee_says_the_same_and_leaves_the_answers_behind():
    clf = soft(mixed(), cv=2).fit(X, words(Y))
    kept = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(kept.predict_proba(X), clf.predict_proba(X))
    assert kept.solution_ == clf.solution_
    assert kept.solution_.problem is None
    assert clf.solution_.problem is not None


class Untouchable(Counted):
    """Fails the test if anybody trains it."""

    def fit(self, X, y):
        raise AssertionError("trained before the request was checked")


@pytest.mark.parametrize(
    ("wrong", "argument", "cure"),
    [
        ({"voting": "loud"}, "voting", "'hard', 'soft' or 'auto'"),
        ({"voting": None}, "voting", "'hard', 'soft' or 'auto'"),
        ({"voting": "hard"}, "penalty", "voting='soft'"),
        ({"voting": "auto", "objective": "f1"}, "penalty", "voting='soft'"),
        ({"penalty": 0}, "penalty", "above 0"),
        ({"penalty": "much"}, "penalty", "above 0"),
        ({"objective": "accuracy"}, "objective", "Known are log_loss"),
        ({"objective": vp.Ramp(1)}, "objective", "Known are log_loss"),
        ({"method": "hc-uwa"}, "method", "exact"),
        ({"diversity": "F2"}, "diversity", "Leave it out"),
        ({"threshold": "majority"}, "threshold", "cut-off"),
        ({"solver": "highs"}, "solver", "Leave it out"),
        ({"constraints": vp.Require("z")}, "Require", "'z'"),
        ({"constraints": vp.AtLeast("size", 3)}, "constraints", "2 classifiers"),
        ({"constraints": vp.Budget([1, -1], 3)}, "Budget(costs)", "voting='hard'"),
        ({"time_limit": -1}, "time_limit", "seconds"),
    ],
)
def test_a_wrong_argument_is_named_before_anything_is_trained(wrong, argument, cure):
    with pytest.raises(vp.InputError) as caught:
        soft([("a", Untouchable()), ("b", Untouchable())], **wrong).fit(X, Y)
    assert caught.value.argument == argument
    assert cure in str(caught.value)


def test_limits_on_criteria_are_for_two_classes():
    with pytest.raises(vp.InputError, match="recall") as caught:
        soft([("a", Untouchable())], constraints=vp.AtLeast("recall", 0.5)).fit(X3, Y3)
    assert caught.value.argument == "constraints"


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (lambda X: X[:, 0], "one column for each class"),
        (lambda X: X[:, :3], "one column for each class"),
        (lambda X: X[:, :2] * 9, "between 0 and 1"),
    ],
)
def test_members_whose_probabilities_are_none_are_named(answer, sentence):
    model = Sure(0).fit(X, Y)
    model.predict_proba = answer
    with pytest.raises(vp.InputError, match=sentence) as caught:
        soft([("strange", model)], cv="prefit").fit(X, Y)
    assert caught.value.argument == "estimators"
    assert "'strange'" in str(caught.value)


def test_a_smaller_ensemble_has_no_weights():
    forest = RandomForestClassifier(3, random_state=0).fit(X, Y)
    with pytest.raises(vp.InputError, match="voting"):
        vp.prune_ensemble(forest, X, Y, voting="soft")


@pytest.mark.parametrize("floor", [(), vp.AtLeast("recall", 0.95)])
@pytest.mark.parametrize("pos_label", ["no", "yes"])
def test_a_linear_pool_becomes_a_plain_voting_classifier(pos_label, floor):
    clf = soft(members(), objective="brier", cv=2, pos_label=pos_label, constraints=floor)
    clf.fit(X, words(Y))
    plain = vp.to_voting_classifier(clf)
    assert type(plain).__module__.startswith("sklearn.")
    given = clf.predict_proba(X)
    np.testing.assert_allclose(plain.predict_proba(X), given, atol=clf.committee_.clip)
    # Where clipping cannot matter, decisions are the same.
    clear = np.abs(clf.decision_function(X)) > clf.committee_.clip
    assert clear.mean() > 0.9
    assert np.array_equal(plain.predict(X)[clear], clf.predict(X)[clear])


def test_a_linear_pool_of_three_classes_becomes_a_plain_voting_classifier():
    clf = soft(members(), objective="pool_log_loss", cv=2).fit(X3, ANIMALS)
    plain = vp.to_voting_classifier(clf)
    np.testing.assert_allclose(plain.predict_proba(X3), clf.predict_proba(X3), atol=3e-3)
    assert np.mean(plain.predict(X3) == clf.predict(X3)) > 0.98


@pytest.mark.parametrize(
    ("pool", "wishes", "sentence"),
    [
        (members(), {"voting": "hard", "penalty": None}, "no weighted mean"),
        (members(), {}, "no weighted mean"),
        (
            [*members(), ("voter", Counted())],
            {"objective": "brier", "constraints": vp.Require("voter")},
            "'voter', a Counted",
        ),
    ],
)
def test_what_no_voting_classifier_can_carry_is_refused(pool, wishes, sentence):
    clf = soft(pool, cv=2, **wishes).fit(X, Y)
    with pytest.raises(vp.InputError, match=sentence):
        vp.to_voting_classifier(clf)


@pytest.fixture
def runtime():
    pytest.importorskip("skl2onnx", reason="skl2onnx is not installed")
    return pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")


def run(runtime, clf, rows):
    session = runtime.InferenceSession(
        vp.to_onnx(clf, rows[:1]).SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(["label", "probabilities"], {session.get_inputs()[0].name: rows})


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["log_loss", "brier"])
@pytest.mark.parametrize("kind", ["no", "yes", "three"])
def test_the_onnx_graph_says_what_the_committee_says(runtime, objective, kind):
    """Trees grown to the end only vote; floors move the cut-off of two classes."""
    rows, y = (X3, ANIMALS) if kind == "three" else (X, words(Y))
    rows = rows.astype(np.float32)
    grown = ("grown", DecisionTreeClassifier(random_state=0))
    pool = [*members(), ("linear", LogisticRegression()), grown]
    if objective == "brier":
        # Without use for its scores it is asked for votes.
        pool.append(("ridge", RidgeClassifier()))
    limits = [vp.Require(*(name for name, _ in pool))]
    if kind != "three":
        limits.append(vp.AtLeast("recall", 0.95))
    clf = soft(pool, objective=objective, cv=2, constraints=limits)
    clf.set_params(pos_label=None if kind == "three" else kind).fit(rows, y)
    assert clf.committee_.kinds[-1] == "vote"
    label, given = run(runtime, clf, rows)
    np.testing.assert_allclose(given, clf.predict_proba(rows), atol=1e-4)
    assert np.mean(label == clf.predict(rows)) > 0.99


def test_the_onnx_graph_of_a_bagging_ensemble_sees_the_columns_its_members_do(runtime):
    rows = X.astype(np.float32)
    bag = BaggingClassifier(DecisionTreeClassifier(max_depth=3), 6, max_features=0.5)
    clf = soft(bag.set_params(random_state=0).fit(rows[:120], Y[:120])).fit(rows[120:], Y[120:])
    label, given = run(runtime, clf, rows)
    np.testing.assert_allclose(given, clf.predict_proba(rows), atol=1e-5)
    assert np.array_equal(label, clf.predict(rows))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("objective", ["log_loss", "brier"])
def test_who_only_voted_so_far_may_be_undecided_in_the_graph_too(runtime, objective, n_classes):
    """A tree with pure leaves where the committee was chosen, and a leaf of one half elsewhere."""
    leaves = np.tile(np.arange(n_classes + 1), 4)
    y = np.where(leaves < n_classes, leaves, np.repeat([0, 1], 2 * (n_classes + 1)))
    rows = leaves[:, None].astype(np.float32)
    tree = DecisionTreeClassifier(random_state=0).fit(rows, y)
    pure = leaves < n_classes
    clf = soft([("tree", tree)], objective=objective, cv="prefit").fit(rows[pure], y[pure])
    assert clf.committee_.kinds == ("vote",)
    label, given = run(runtime, clf, rows)
    assert tree.predict_proba(rows)[n_classes].tolist()[:2] == [0.5, 0.5]
    np.testing.assert_allclose(given, clf.predict_proba(rows), atol=1e-6)
    assert np.array_equal(label, clf.predict(rows))


def test_a_member_with_scores_alone_is_not_converted_and_named(runtime):
    clf = soft([("ridge", RidgeClassifier())], cv=2).fit(X, Y)
    with pytest.raises(vp.InputError, match="'ridge', a RidgeClassifier, gives scores"):
        vp.to_onnx(clf, X[:1])
