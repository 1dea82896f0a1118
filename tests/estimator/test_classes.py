"""More than two classes: the estimator decides by plurality, as `prune` chose."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_predict
from sklearn.tree import DecisionTreeClassifier

import voteprune as vp
from memberpools import members
from voteprune import AtLeast, InputError, PrunedVotingClassifier, prune_ensemble

X, CODES = make_classification(
    300, n_features=8, n_informative=5, n_classes=3, flip_y=0.1, random_state=0
)
Y = np.array(["ant", "bee", "cow"])[CODES]


def plurality(votes):
    """The class named most often; the first in sorted order of several."""
    return np.array([max(sorted(set(row)), key=list(row).count) for row in votes.tolist()])


@pytest.mark.parametrize("objective", ["accuracy", "balanced_accuracy"])
def test_the_committee_is_the_one_prune_finds_on_out_of_fold_votes(objective):
    clf = PrunedVotingClassifier(members(), objective=objective, cv=3, random_state=0).fit(X, Y)
    votes = np.column_stack([cross_val_predict(m, X, Y, cv=3) for _, m in members()])
    expected = vp.prune(vp.PluralityVotes(votes, Y), objective=objective, method="brute")
    assert clf.solution_.status == "optimal"
    assert clf.solution_.value == expected.value


def test_it_decides_by_plurality_of_its_members():
    four = vp.AtLeast("size", 4)
    clf = PrunedVotingClassifier(members(), voting="hard", constraints=four, cv=3).fit(X, Y)
    said = np.column_stack([clf.classes_[m.predict(X)] for m in clf.estimators_])
    assert np.array_equal(clf.predict(X), plurality(said))
    assert np.array_equal(clf.classes_[clf.transform(X)], said)
    assert clf.decision_function(X).shape == (300, 3)
    assert (clf.decision_function(X).sum(axis=1) == clf.committee_.size).all()


def test_a_smaller_forest_decides_exactly_as_its_committee():
    forest = RandomForestClassifier(9, max_depth=4, random_state=0).fit(X[:150], Y[:150])
    small = prune_ensemble(forest, X[150:], Y[150:], constraints=vp.AtLeast("size", 4))
    assert type(small) is RandomForestClassifier
    chosen = [forest.estimators_[k] for k in small.solution_.committee.members]
    said = np.column_stack([forest.classes_[tree.predict(X).astype(int)] for tree in chosen])
    assert np.array_equal(small.predict(X), plurality(said))
    assert small.score(X[150:], Y[150:]) == small.solution_.value


@pytest.mark.parametrize("voting", ["hard", "soft"])
@pytest.mark.parametrize("labels", [(1, 2), (0, 1), ("ham", "spam")])
def test_limits_on_a_class_speak_of_the_labels(labels, voting):
    features, target = make_classification(300, flip_y=0.05, random_state=3)
    y = np.array(labels)[target]
    trees = [(f"t{d}", DecisionTreeClassifier(max_depth=d, random_state=d)) for d in (1, 2, 4)]
    for pos_label in labels:
        for of in labels:
            clf = PrunedVotingClassifier(
                trees, voting=voting, pos_label=pos_label, random_state=0,
                objective="accuracy" if voting == "hard" else "log_loss",
                constraints=AtLeast("recall", 0.85, of=of),
            ).fit(features, y)  # fmt: skip
            counts = clf.solution_.confusion
            hits = counts.tp / counts.positives if of == pos_label else counts.tn / counts.negatives
            assert hits >= 0.85
    strange = AtLeast("recall", 0.9, of="toast")
    with pytest.raises(InputError, match="'toast' is none of the classes"):
        PrunedVotingClassifier(trees, constraints=strange).fit(features, y)
