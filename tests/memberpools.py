"""Small data and pools the tests of the estimator share."""

from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier


def data(n=240, seed=0):
    """Two classes, 0 and 1, with some noise in the labels."""
    return make_classification(
        n, n_features=8, n_informative=4, flip_y=0.1, random_state=seed, shuffle=True
    )


def words(y):
    """The labels as words; "no" is class 0 and "yes" class 1."""
    return np.array(["no", "yes"])[y]


def members():
    """Five quick classifiers that all take weights."""
    trees = [
        (f"tree{depth}", DecisionTreeClassifier(max_depth=depth, random_state=depth))
        for depth in (1, 2, 3, 5)
    ]
    return [*trees, ("bayes", GaussianNB())]


def neighbours():
    """A member that takes no weights."""
    return ("knn", KNeighborsClassifier(5))


def share_right(solution):
    """The share of the votes' rows that a committee of two classes gets right."""
    counts = solution.confusion
    return float((counts.tp + counts.tn) / (counts.positives + counts.negatives))


class Counted(ClassifierMixin, BaseEstimator):
    """Votes by one feature, has no probabilities, and counts how often it is fitted."""

    fits: ClassVar[list] = []

    def __init__(self, column=0):
        self.column = column

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        type(self).fits.append((self.column, len(X)))
        return self

    def predict(self, X):
        return self.classes_[(np.asarray(X)[:, self.column] > 0).astype(int)]
