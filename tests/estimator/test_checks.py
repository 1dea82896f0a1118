"""scikit-learn's own checks hold for the estimator, whatever its pool."""

import warnings

from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import voteprune as vp
from voteprune import PrunedVotingClassifier

POOL = [
    ("stump", DecisionTreeClassifier(max_depth=1, random_state=0)),
    ("tree", DecisionTreeClassifier(max_depth=3, random_state=0)),
    ("logistic", LogisticRegression()),
]
INSTANCES = [
    PrunedVotingClassifier(POOL, cv=3),
    PrunedVotingClassifier(
        [*POOL, ("bayes", GaussianNB())],
        objective="balanced_accuracy",
        constraints=[vp.AtMost("size", 2)],
        cv=0.4,
        random_state=0,
    ),
]


@parametrize_with_checks(INSTANCES)
def test_scikit_learns_checks(estimator, check):
    with warnings.catch_warnings():
        # Tiny data sets of the checks: too few rows for the folds, or for convergence.
        warnings.simplefilter("ignore")
        check(estimator)
