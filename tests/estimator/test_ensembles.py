"""Ensembles that are already there: members vote as they do inside, smaller ones as proved."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import voteprune as vp
from memberpools import data, members, share_right, words
from voteprune import PrunedVotingClassifier, prune_ensemble

X, Y = data(400)
FIT, CHOOSE = slice(0, 200), slice(200, 400)
ENSEMBLES = {
    "forest": RandomForestClassifier(9, max_depth=4, random_state=0),
    "extra": ExtraTreesClassifier(9, max_depth=4, random_state=0),
    "bagging": BaggingClassifier(
        DecisionTreeClassifier(max_depth=3), 9, max_features=0.5, random_state=0
    ),
    "bayes": BaggingClassifier(GaussianNB(), 9, max_features=0.5, random_state=0),
    "voting": VotingClassifier([*members(), ("out", "drop")], voting="hard"),
    "adaboost": AdaBoostClassifier(n_estimators=9, random_state=0),
}


def said(ensemble, kind, rows):
    """What each member says, as positive votes; definitions of scikit-learn's own documentation."""
    if kind in ("bagging", "bayes"):
        pairs = zip(ensemble.estimators_, ensemble.estimators_features_, strict=True)
        return np.column_stack([model.predict(rows[:, columns]) for model, columns in pairs]) == 1
    said = np.column_stack([model.predict(rows) for model in ensemble.estimators_])
    return said == ("yes" if kind == "adaboost" else 1)


@pytest.mark.parametrize("kind", ENSEMBLES)
def test_members_vote_as_they_do_inside_their_ensemble(kind):
    ensemble = clone(ENSEMBLES[kind]).fit(X[FIT], words(Y[FIT]))
    clf = PrunedVotingClassifier(ensemble, voting="hard", constraints=vp.AtLeast("size", 3))
    clf.fit(X[CHOOSE], words(Y[CHOOSE]))
    votes = said(ensemble, kind, X[CHOOSE])
    assert np.array_equal(clf.solution_.problem.votes.matrix, votes)
    assert clf.solution_.status == "optimal"
    assert clf.score(X[CHOOSE], words(Y[CHOOSE])) == share_right(clf.solution_)
    expected = clf.committee_.predict(said(ensemble, kind, X[FIT]))
    assert np.array_equal(clf.predict(X[FIT]), words(expected))
    assert all(any(m is seat for m in ensemble.estimators_) for seat in clf.estimators_)


@pytest.mark.parametrize("kind", ["forest", "bagging", "voting"])
def test_frames_reach_the_members_of_an_ensemble_without_a_warning(kind):
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    ensemble = clone(ENSEMBLES[kind]).fit(frame[:200], Y[FIT])
    clf = PrunedVotingClassifier(ensemble, voting="hard").fit(frame[200:], Y[CHOOSE])
    assert clf.score(frame[200:], Y[CHOOSE]) == share_right(clf.solution_)


@pytest.mark.parametrize("label", [words, lambda y: y + 1, lambda y: y])
@pytest.mark.parametrize("voting", ["soft", "hard"])
def test_frozen_members_of_a_vote_keep_their_own_labels(voting, label):
    labels = label(Y)
    frozen = [(name, FrozenEstimator(m.fit(X[FIT], labels[FIT]))) for name, m in members()[:3]]
    mixed = [*frozen, *members()[3:]]
    vote = VotingClassifier(mixed, voting="soft").fit(X[FIT], labels[FIT])
    clf = PrunedVotingClassifier(
        vote, voting=voting, constraints=vp.Require(0, 3), random_state=0
    ).fit(X[CHOOSE], labels[CHOOSE])
    plain = [(name, clone(m.estimator if name in dict(frozen) else m)) for name, m in mixed]
    expected = clone(clf).set_params(estimators=VotingClassifier(plain).fit(X[FIT], labels[FIT]))
    expected.fit(X[CHOOSE], labels[CHOOSE])
    assert clf.committee_ == expected.committee_
    assert np.array_equal(clf.predict(X), expected.predict(X))


def test_an_unfitted_forest_is_grown_without_the_hold_out():
    """Full trees know by heart what they were grown on, and guess where labels are a coin's."""
    forest = RandomForestClassifier(9, bootstrap=False, random_state=0)
    coin = np.random.default_rng(0).integers(0, 2, len(X))
    clf = PrunedVotingClassifier(forest, cv=0.25, random_state=0).fit(X, words(coin))
    assert clf.solution_.n_classifiers == 9
    assert not hasattr(forest, "estimators_")
    votes = clf.solution_.problem.votes
    assert votes.n_rows == 100
    right = (votes.matrix == votes.labels[:, None]).mean(axis=0)
    assert (right < 0.7).all()
    # The other 300 rows are what it was grown on.
    wrong = clf.predict(X) != words(coin)
    assert wrong.sum() == 100 - 100 * share_right(clf.solution_)


def test_a_frozen_forest_survives_a_grid_search():
    forest = FrozenEstimator(clone(ENSEMBLES["forest"]).fit(X[FIT], Y[FIT]))
    grid = {"constraints": [vp.AtMost("size", 1), vp.AtMost("size", 5)]}
    search = GridSearchCV(PrunedVotingClassifier(forest, cv="prefit"), grid, cv=2)
    search.fit(X[CHOOSE], Y[CHOOSE])
    assert search.best_estimator_.estimators_[0] in forest.estimator.estimators_


@pytest.mark.parametrize("kind", ["forest", "extra", "bagging"])
@pytest.mark.parametrize("pos_label", ["no", "yes"])
@pytest.mark.parametrize("objective", ["accuracy", vp.Weights(tp=5, tn=1), vp.Weights(tp=1, tn=5)])
def test_the_smaller_forest_decides_exactly_as_its_committee(kind, pos_label, objective):
    ensemble = clone(ENSEMBLES[kind]).fit(X[FIT], words(Y[FIT]))
    before = ensemble.predict_proba(X)
    wishes = {"objective": objective, "constraints": vp.AtLeast("size", 4), "pos_label": pos_label}
    small = prune_ensemble(ensemble, X[CHOOSE], words(Y[CHOOSE]), **wishes)
    committee = PrunedVotingClassifier(FrozenEstimator(ensemble), cv="prefit", **wishes)
    committee.fit(X[CHOOSE], words(Y[CHOOSE]))
    assert type(small).__module__.startswith("sklearn.")
    assert np.array_equal(small.predict(X), committee.predict(X))
    assert small.solution_.value == committee.solution_.value
    assert np.array_equal(ensemble.predict_proba(X), before)


@pytest.mark.parametrize("kind", ENSEMBLES)
def test_by_its_own_rule_a_smaller_ensemble_is_one_of_its_kind(kind):
    ensemble = clone(ENSEMBLES[kind]).fit(X[FIT], words(Y[FIT]))
    small = prune_ensemble(
        ensemble, X[CHOOSE], words(Y[CHOOSE]), decide="own", constraints=vp.AtMost("size", 3)
    )
    assert type(small) is type(ensemble)
    assert len(small.estimators_) == small.solution_.committee.size <= 3
    assert len(clone(small).fit(X[FIT], Y[FIT]).estimators_) == len(small.estimators_)


def test_the_mean_of_the_probabilities_is_that_of_the_chosen_trees():
    forest = clone(ENSEMBLES["forest"]).fit(X[FIT], Y[FIT])
    small = prune_ensemble(forest, X[CHOOSE], Y[CHOOSE], decide="own")
    chosen = [forest.estimators_[k] for k in small.solution_.committee.members]
    mean = np.mean([tree.predict_proba(X) for tree in chosen], axis=0)
    assert np.allclose(small.predict_proba(X), mean)


@pytest.mark.parametrize(
    ("ensemble", "wishes", "argument"),
    [
        (RandomForestClassifier(), {}, "ensemble"),
        (GaussianNB(), {}, "estimators"),
        (clone(ENSEMBLES["forest"]).fit(X, Y), {"decide": "somehow"}, "decide"),
        (clone(ENSEMBLES["adaboost"]).fit(X, Y), {}, "decide"),
        (clone(ENSEMBLES["bayes"]).fit(X, Y), {"decide": "committee"}, "decide"),
        (clone(ENSEMBLES["forest"]).fit(X, Y), {"abstentions": "skip"}, "abstentions"),
        (clone(ENSEMBLES["forest"]).fit(X, Y), {"cv": 5}, "cv"),
        (clone(ENSEMBLES["forest"]).fit(X, Y), {"cv": 0.3, "decide": "own"}, "cv"),
        (clone(ENSEMBLES["forest"]).fit(X, words(Y)), {}, "y"),
        (clone(ENSEMBLES["forest"]).fit(X, np.column_stack([Y, Y])), {}, "estimators"),
    ],
)
def test_what_cannot_be_pruned_is_refused(ensemble, wishes, argument):
    with pytest.raises(vp.InputError) as caught:
        prune_ensemble(ensemble, X, Y, **wishes)
    assert caught.value.argument == argument


@pytest.mark.slow
def test_a_thousand_trees_are_pruned():
    forest = RandomForestClassifier(1000, max_depth=3, random_state=0, n_jobs=1)
    forest.fit(X[FIT], Y[FIT])
    small = prune_ensemble(
        forest, X[CHOOSE], Y[CHOOSE], objective="accuracy", method="search", time_limit=0.7,
        constraints=vp.AtMost("size", 20), random_state=0,
    )  # fmt: skip
    assert len(small.solution_.committee.members) <= 20
    assert small.score(X[CHOOSE], Y[CHOOSE]) == small.solution_.value
    assert small.solution_.value >= forest.score(X[CHOOSE], Y[CHOOSE])
