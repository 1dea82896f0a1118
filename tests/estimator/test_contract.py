"""The estimator is what scikit-learn's users expect, and its committee is that of `prune`."""

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    cross_val_predict,
    cross_val_score,
    train_test_split,
)
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import voteprune as vp
from memberpools import Counted, data, members, neighbours, share_right, words
from voteprune import PrunedVotingClassifier


@pytest.fixture
def fits():
    Counted.fits = []
    return Counted.fits


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def _total(clf):
    counts = clf.solution_.confusion
    return counts.positives + counts.negatives


def test_the_committee_is_the_one_prune_finds_on_out_of_fold_votes():
    X, y = data()
    folds = KFold(4, shuffle=True, random_state=1)
    clf = PrunedVotingClassifier(
        members(), objective="balanced_accuracy", cv=folds, random_state=3
    ).fit(X, y)
    votes = np.column_stack([cross_val_predict(m, X, y, cv=folds) for _, m in members()])
    expected = vp.prune(vp.Votes(votes, y), objective="balanced_accuracy")
    assert clf.solution_.status == "optimal"
    assert clf.solution_.value == expected.value
    assert np.array_equal(clf.solution_.problem.votes.matrix, votes == 1)
    assert clf.solution_.problem.votes.names == tuple(name for name, _ in members())


def test_predictions_are_the_committees_on_refitted_members():
    X, y = data()
    three = vp.AtLeast("size", 3)
    clf = PrunedVotingClassifier(members(), voting="hard", constraints=three).fit(X, y)
    refitted = {name: clone(m).fit(X, y) for name, m in members() if name in clf.committee_.names}
    votes = pd.DataFrame({name: model.predict(X) for name, model in refitted.items()})
    assert np.array_equal(clf.predict(X), clf.committee_.predict(votes))
    assert np.array_equal(clf.transform(X), votes.to_numpy())
    assert list(clf.named_estimators_) == list(clf.committee_.names)
    assert clf.estimators_ == list(clf.named_estimators_.values())


@pytest.mark.parametrize(("cv", "trained_on"), [(4, [180] * 4 + [240]), (0.25, [180, 240])])
def test_only_the_chosen_are_fitted_again(fits, cv, trained_on):
    X, y = data()
    pool = [(f"f{column}", Counted(column)) for column in range(6)]
    clf = PrunedVotingClassifier(pool, cv=cv, constraints=vp.AtMost("size", 2)).fit(X, y)
    chosen = set(clf.committee_.members)
    for column in range(6):
        sizes = [rows for seen, rows in fits if seen == column]
        assert sizes == (trained_on if column in chosen else trained_on[:-1])


def test_without_refit_the_members_of_the_hold_out_stay(fits):
    X, y = data()
    pool = [(f"f{column}", Counted(column)) for column in range(3)]
    clf = PrunedVotingClassifier(pool, cv=0.25, refit=False, random_state=5).fit(X, y)
    assert [rows for _, rows in fits] == [180, 180, 180]
    seed = clf.solution_.seed
    train, held = train_test_split(np.arange(240), test_size=0.25, stratify=y, random_state=seed)
    assert len(train) == 180
    assert clf.solution_.n_rows == len(held)
    assert clf.score(X[held], y[held]) == share_right(clf.solution_)


def test_prefit_members_vote_as_they_are(fits):
    X, y = data()
    pool = [(f"f{column}", Counted(column).fit(X, y)) for column in range(4)]
    fits.clear()
    clf = PrunedVotingClassifier(pool, cv="prefit").fit(X, y)
    assert fits == []
    assert all(model is dict(pool)[name] for name, model in clf.named_estimators_.items())
    assert clf.score(X, y) == share_right(clf.solution_)


def test_a_frozen_member_is_never_trained_even_among_others(fits):
    X, y = data()
    frozen = FrozenEstimator(Counted(0).fit(X, words(y)))
    fits.clear()
    pool = [("frozen", frozen), ("other", Counted(1))]
    clf = PrunedVotingClassifier(pool, cv=3, constraints=vp.Require("frozen", "other"))
    clf.fit(X, words(y))
    assert {column for column, _ in fits} == {1}
    assert set(clf.predict(X)) <= {"no", "yes"}


class Wrapped:
    """What a user puts around a booster: no more than predict."""

    def __init__(self, column):
        self.column = column

    def predict(self, X):
        return np.where(np.asarray(X)[:, self.column] > 0, "yes", "no")


def test_a_prefit_member_needs_no_more_than_predict():
    X, y = data()
    pool = [(f"f{column}", Wrapped(column)) for column in range(4)]
    clf = PrunedVotingClassifier(pool, cv="prefit").fit(X, words(y))
    assert clf.score(X, words(y)) == share_right(clf.solution_)


@pytest.mark.parametrize("pos_label", ["no", "yes", None])
def test_recall_is_that_of_the_positive_class(pos_label):
    X, y = data()
    clf = PrunedVotingClassifier(
        members(), constraints=vp.AtLeast("recall", 0.8), pos_label=pos_label, cv=0.4, refit=False,
        random_state=0,
    ).fit(X, words(y))  # fmt: skip
    counts = clf.solution_.confusion
    assert counts.tp >= 0.8 * counts.positives
    positive = "yes" if pos_label is None else pos_label
    assert clf.solution_.problem.votes.labels.sum() == pytest.approx(
        (words(y) == positive).sum() * 0.4, abs=1
    )
    ahead = clf.decision_function(X) > 0
    assert np.array_equal(ahead, clf.predict(X) == "yes")


def test_sample_weights_count_in_the_choice_and_reach_the_members():
    X, y = data()
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    clf = PrunedVotingClassifier(members(), voting="hard", cv=3)
    clf.fit(X, y, sample_weight=weight)
    assert _total(clf) == weight.sum()
    expected = [
        cross_val_predict(m, X, y, cv=3, params={"sample_weight": weight}) for _, m in members()
    ]
    assert np.array_equal(clf.solution_.problem.votes.matrix, np.column_stack(expected) == 1)


def test_routing_gives_weights_to_those_who_ask_and_groups_to_the_splitter(routing):
    X, y = data()
    groups, weight = np.arange(len(y)) % 6, np.linspace(0, 1, len(y))
    # One asks under a name of its own, one does not want weights.
    asking = DecisionTreeClassifier(max_depth=2).set_fit_request(sample_weight="importance")
    name, knn = neighbours()
    pool = [("asking", asking), (name, knn)]
    clf = PrunedVotingClassifier(pool, voting="hard", cv=GroupKFold(3))
    clf.fit(X, y, importance=weight, groups=groups)
    folds = list(GroupKFold(3).split(X, y, groups))
    plain = DecisionTreeClassifier(max_depth=2).set_fit_request(sample_weight=True)
    expected = cross_val_predict(plain, X, y, cv=folds, params={"sample_weight": weight})
    assert np.array_equal(clf.solution_.problem.votes.matrix[:, 0], expected == 1)
    assert np.array_equal(
        clf.solution_.problem.votes.matrix[:, 1],
        cross_val_predict(knn, X, y, cv=folds, params={}) == 1,
    )
    # Nobody passed sample_weight, so every row counts once in the choice.
    assert _total(clf) == len(y)


def test_splits_that_come_one_by_one_are_read_once(routing):
    X, y = data()
    asking = DecisionTreeClassifier(max_depth=2).set_fit_request(sample_weight=True)
    folds = list(KFold(3).split(X))
    expected = PrunedVotingClassifier([("tree", asking)], voting="hard", cv=folds)
    expected.fit(X, y, sample_weight=1 + y)
    clf = PrunedVotingClassifier([("tree", asking)], voting="hard", cv=(fold for fold in folds))
    clf.get_metadata_routing()
    clf.fit(X, y, sample_weight=1 + y)
    assert _total(clf) == (1 + y).sum()
    assert clf.solution_.value == expected.solution_.value
    with pytest.raises(vp.InputError, match="generator is used up") as caught:
        clf.fit(X, y, sample_weight=1 + y)
    assert caught.value.argument == "cv"


def test_a_share_may_be_any_real_number(routing):
    X, y = data()
    asking = DecisionTreeClassifier(max_depth=2).set_fit_request(sample_weight=True)
    clf = PrunedVotingClassifier([("tree", asking)], voting="hard", cv=np.float32(0.25))
    assert clf.fit(X, y, sample_weight=np.ones(len(y))).solution_.n_rows == 60


@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_splits_may_be_masks_or_an_array(voting):
    X, y = data()
    folds = list(KFold(3).split(X))
    masks = [tuple(np.isin(np.arange(len(y)), part) for part in fold) for fold in folds]
    one, *others = (
        PrunedVotingClassifier(members(), voting=voting, cv=cv, random_state=0).fit(X, y)
        for cv in (folds, masks, np.array(folds, dtype=object))
    )
    for other in others:
        assert one.committee_ == other.committee_
        assert one.solution_.value == other.solution_.value


@pytest.mark.parametrize("voting", ["hard", "soft"])
@pytest.mark.parametrize("how", [{"cv": 3}, {"cv": 0.3}, {"cv": 0.3, "refit": False}])
def test_members_that_take_kernels_are_shown_the_kernels_of_their_rows(voting, how):
    X, y = data()
    by_rows, by_kernel = (
        PrunedVotingClassifier(
            [("one", SVC(kernel=kernel)), ("other", SVC(kernel=kernel, C=0.01))],
            voting=voting, random_state=0, **how,
        )
        for kernel in ("linear", "precomputed")
    )  # fmt: skip
    by_rows.fit(X, y)
    by_kernel.fit(X @ X.T, y)
    assert by_kernel.committee_.members == by_rows.committee_.members
    assert by_kernel.solution_.value == pytest.approx(by_rows.solution_.value, rel=1e-3)
    assert np.array_equal(by_kernel.predict(X[:50] @ X.T), by_rows.predict(X[:50]))
    # What is frozen knows its own columns.
    frozen = FrozenEstimator(SVC(kernel="precomputed").fit(X @ X.T, y))
    clf = clone(by_kernel).set_params(estimators=[("f", frozen)]).fit(X @ X.T, y)
    said = frozen.predict if voting == "hard" else frozen.decision_function
    assert np.array_equal(clf.transform(X @ X.T)[:, 0], said(X @ X.T))


def test_nested_parameters_are_reached_and_members_dropped():
    clf = PrunedVotingClassifier(members())
    clf.set_params(tree5__max_depth=7, bayes="drop", objective="recall")
    assert clf.get_params()["tree5__max_depth"] == 7
    assert clf.get_params(deep=False)["objective"] == "recall"
    X, y = data()
    assert clf.fit(X, y).solution_.n_classifiers == 4
    assert clone(clf).get_params()["tree5__max_depth"] == 7


@pytest.mark.slow
def test_grid_search_runs_over_objectives_constraints_and_members():
    X, y = data()
    grid = {
        "pruned__objective": ["accuracy", "balanced_accuracy"],
        "pruned__constraints": [(), [vp.AtMost("size", 1)]],
        "pruned__tree5__max_depth": [4],
    }
    pipeline = make_pipeline(StandardScaler(), PrunedVotingClassifier(members(), cv=3))
    pipeline.steps[-1] = ("pruned", pipeline.steps[-1][1])
    search = GridSearchCV(pipeline, grid, cv=2, scoring="roc_auc", error_score="raise").fit(X, y)
    assert len(search.cv_results_["params"]) == 4
    assert search.best_estimator_[-1].solution_.status == "optimal"


def test_frames_keep_their_names_and_set_output_gives_them_to_votes():
    X, y = data()
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    clf = PrunedVotingClassifier(members(), cv=3).set_output(transform="pandas").fit(frame, y)
    assert list(clf.feature_names_in_) == list(frame.columns)
    votes = clf.transform(frame)
    assert list(votes.columns) == [f"prunedvotingclassifier_{n}" for n in clf.named_estimators_]
    assert list(votes.index) == list(frame.index)
    with pytest.raises(ValueError, match="feature names"):
        clf.predict(frame.rename(columns={"x0": "other"}))


def test_text_reaches_members_that_read_text():
    texts = ["good fine nice", "bad awful poor", "nice good", "poor bad", "fine", "awful"] * 5
    y = ["up", "down"] * 15
    reader = make_pipeline(CountVectorizer(), MultinomialNB())
    clf = PrunedVotingClassifier([("text", reader)], cv=3).fit(texts, y)
    assert clf.predict(["good nice", "poor poor"]).tolist() == ["up", "down"]


def test_the_picture_shows_the_pool():
    html = PrunedVotingClassifier(members())._repr_html_()
    assert "tree5" in html
    assert "GaussianNB" in html


def test_jobs_do_not_change_the_answer():
    X, y = data()
    with joblib.parallel_config(backend="threading"):
        one, two = (
            PrunedVotingClassifier(members(), n_jobs=jobs, random_state=0).fit(X, y)
            for jobs in (1, 2)
        )
    assert one.committee_ == two.committee_
    assert np.array_equal(one.decision_function(X), two.decision_function(X))


def test_it_is_scored_like_any_classifier():
    X, y = data()
    pool = [*members(), ("logistic", LogisticRegression())]
    scores = cross_val_score(PrunedVotingClassifier(pool, cv=0.3, random_state=0), X, y, cv=3)
    assert scores.mean() > 0.7
