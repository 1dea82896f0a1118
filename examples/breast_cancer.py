"""Prune a real pool: forty classifiers on the breast-cancer data that ships with scikit-learn.

Train on one part, collect votes on a second, choose the committee there, score it on a third.
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
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import voteprune as vp


def pool() -> dict[str, object]:
    """Forty classifiers of eight families, five settings each."""
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
    } | {"bayes_1": GaussianNB()}


def main() -> None:
    X, benign = load_breast_cancer(return_X_y=True)
    y = 1 - benign  # 1 = malignant, the class one must not miss
    X_rest, X_test, y_rest, y_test = train_test_split(
        X, y, test_size=0.25, stratify=y, random_state=0
    )
    X_train, X_valid, y_train, y_valid = train_test_split(
        X_rest, y_rest, test_size=0.5, stratify=y_rest, random_state=0
    )

    models = pool()
    print(f"Training {len(models)} classifiers on {len(y_train)} rows ...")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for model in models.values():
            model.fit(X_train, y_train)

    def votes_on(X: np.ndarray) -> np.ndarray:
        return np.column_stack([model.predict(X) for model in models.values()])

    votes = vp.Votes(votes_on(X_valid), y_valid, names=list(models))
    print(f"Pruning on {votes.n_rows} rows they have not seen ...\n")

    solution = vp.prune(votes, objective="balanced_accuracy", time_limit=60, random_state=0)
    print(solution.summary())

    limits = [vp.AtLeast("recall", 0.98), vp.AtMost("size", 3)]
    careful = vp.prune(votes, constraints=limits, random_state=0)
    print(
        "\nThe most accurate committee of at most three that finds 98 % of the malignant cases:\n"
    )
    print(careful.summary())

    unseen = votes_on(X_test)
    majority = (unseen.sum(axis=1) > unseen.shape[1] // 2).astype(int)
    print(f"\n{f'On {len(y_test)} rows nobody has seen':<34} accuracy   malignant cases missed")
    for name, predicted in (
        ("all classifiers, majority", majority),
        ("best for balanced accuracy", solution.committee.predict(unseen)),
        ("at most three, recall >= 0.98", careful.committee.predict(unseen)),
    ):
        missed = int(((y_test == 1) & (predicted == 0)).sum())
        print(f"  {name:<32} {np.mean(predicted == y_test):.4f}     {missed} of {y_test.sum()}")


if __name__ == "__main__":
    main()
