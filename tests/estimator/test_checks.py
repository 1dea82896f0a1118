"""scikit-learn's own checks hold for the estimator, whatever its pool."""

import warnings

from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import voteprune as vp
from voteprune import PrunedVotingClassifier

# No deep trees: equal splits are told apart by the order of the rows, so that a row counted twice
# and a row given twice may grow different trees. None where the committee may be one tree alone,
# which takes missing values when asked, though its pool as a whole could not be trained on them.
POOL = [("counts", BernoulliNB()), ("logistic", LogisticRegression()), ("bayes", GaussianNB())]
INSTANCES = [
    PrunedVotingClassifier(POOL, cv=3),
    PrunedVotingClassifier(
        [("stump", DecisionTreeClassifier(max_depth=1, random_state=0)), *POOL],
        voting="hard",
        objective="balanced_accuracy",
        constraints=[vp.AtMost("size", 2)],
        cv=0.4,
        random_state=0,
    ),
    PrunedVotingClassifier(
        [("counts", BernoulliNB()), ("ridge", RidgeClassifier()), ("bayes", GaussianNB())],
        voting="soft",
        cv=2,
    ),
]


def exceptions(estimator):
    """Return the checks that are not to hold, and why.

    The ridge of soft committees is that of a row of mean weight, so that the scale of the weights
    does not matter; test_soft.py has what holds for weights and repeated rows instead.
    """
    if estimator.voting == "hard":
        return {}
    return {"check_sample_weight_equivalence_on_dense_data": "the penalty is per mean weight"}


@parametrize_with_checks(INSTANCES, expected_failed_checks=exceptions)
def test_scikit_learns_checks(estimator, check):
    with warnings.catch_warnings():
        # Tiny data sets of the checks: too few rows for the folds, or for convergence.
        warnings.simplefilter("ignore")
        check(estimator)
