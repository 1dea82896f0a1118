"""Prune a real pool: 41 classifiers on the breast-cancer data that ships with scikit-learn.

Train on one part, choose committees on a second by what the classifiers say there, score them on a
third. One part has so few rows that chance decides, so this is done for five splits.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import AdaBoostClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import voteprune as vp

SPLITS = 5
SCORES = [f"svm_{i + 1}" for i in range(5)]


def pool() -> dict[str, Pipeline]:
    """Eight families of classifiers, five settings each, and one more."""
    families = {
        "tree": lambda i: DecisionTreeClassifier(max_depth=1 + i, random_state=i),
        "forest": lambda i: RandomForestClassifier(5 + 5 * i, max_depth=3, random_state=i),
        "extra": lambda i: ExtraTreesClassifier(5 + 5 * i, max_depth=4, random_state=i),
        "boost": lambda i: AdaBoostClassifier(n_estimators=5 + 5 * i, random_state=i),
        "logistic": lambda i: LogisticRegression(C=10.0 ** (i - 3)),
        "neighbours": lambda i: KNeighborsClassifier(1 + 4 * i),
        "svm": lambda i: SVC(C=10.0 ** (i - 2)),
        "network": lambda i: MLPClassifier((4 + 2 * i,), max_iter=150, random_state=i),
    }
    return {
        f"{name}_{i + 1}": make_pipeline(StandardScaler(), make(i))
        for name, make in families.items()
        for i in range(5)
    } | {"bayes_1": make_pipeline(GaussianNB())}


def fitted(X: np.ndarray, y: np.ndarray) -> dict[str, Pipeline]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return {name: model.fit(X, y) for name, model in pool().items()}


def votes_on(models: dict[str, Pipeline], X: np.ndarray) -> np.ndarray:
    return np.column_stack([model.predict(X) for model in models.values()])


def said_on(models: dict[str, Pipeline], X: np.ndarray) -> dict[str, np.ndarray]:
    """Probabilities; of support vector machines, which give none, the scores."""
    return {
        name: model.decision_function(X) if name in SCORES else model.predict_proba(X)[:, 1]
        for name, model in models.items()
    }


def main() -> None:
    X, benign = load_breast_cancer(return_X_y=True)
    y = 1 - benign  # 1 = malignant, the class one must not miss
    found: dict[str, list[tuple[float, int]]] = {}
    for split in range(SPLITS):
        X_rest, X_test, y_rest, y_test = train_test_split(
            X, y, test_size=0.25, stratify=y, random_state=split
        )
        X_train, X_valid, y_train, y_valid = train_test_split(
            X_rest, y_rest, test_size=0.5, stratify=y_rest, random_state=split
        )
        if split == 0:
            print(f"Training {len(pool())} classifiers on {len(y_train)} rows,")
            print(f"pruning on {len(y_valid)} rows that they have not seen ...")
        models = fitted(X_train, y_train)

        said = vp.Probabilities(said_on(models, X_valid), y_valid, scores=SCORES)
        soft = vp.prune(
            said, objective="log_loss", constraints=vp.AtMost("size", 10), random_state=0
        )

        votes = vp.Votes(votes_on(models, X_valid), y_valid, names=list(models))
        limits = [vp.AtLeast("recall", 0.95), vp.AtMost("size", 3)]
        hard = vp.prune(votes, objective="accuracy", constraints=limits, random_state=0)

        if split == 0:
            print("\nThe ten with the least log loss, weighted:\n")
            print(soft.summary())
            print(
                "\nThe most accurate three, by majority, that find 95 % of the malignant cases:\n"
            )
            print(hard.summary())

        unseen = votes_on(models, X_test)
        for name, predicted in {
            "all classifiers, majority": unseen.mean(axis=1) > 0.5,
            "ten, weighted": soft.committee.predict(said_on(models, X_test)),
            "three, recall >= 0.95": hard.committee.predict(unseen),
        }.items():
            missed = np.sum((y_test == 1) & (predicted == 0))
            found.setdefault(name, []).append((np.mean(predicted == y_test), missed))

    title = f"On {len(y_test)} rows nobody has seen, means of {SPLITS} splits"
    print(f"\n{title:<52} accuracy   missed, of {y_test.sum()}")
    for name, rows in found.items():
        accuracy, missed = np.mean(rows, axis=0)
        print(f"  {name:<50} {accuracy:.3f}      {missed:.1f}")


if __name__ == "__main__":
    main()
