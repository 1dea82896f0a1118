"""`prune_ensemble`: a smaller ordinary scikit-learn ensemble out of a fitted one.

A committee counts votes; ensembles decide by rules of their own, forests by the mean of their
trees' probabilities. A smaller forest of the chosen trees therefore need not decide as the
committee does. Trees can be made to: with every leaf sure of its majority class, the mean of the
probabilities is the share of the votes, and the committee's threshold is a threshold on it.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.tree import DecisionTreeClassifier

from ..exceptions import InputError
from ..problem.committee import Committee
from .classifier import PrunedVotingClassifier
from .ensembles import kind_of, unwrap
from .pool import is_fitted
from .soft import HARD


def prune_ensemble(
    ensemble: Any,
    X: Any,
    y: Any,
    *,
    decide: str = "committee",
    sample_weight: Any = None,
    pos_label: Any = None,
    **arguments: Any,
) -> Any:
    """Prune a fitted ensemble to a smaller one of scikit-learn's own kind.

    Parameters
    ----------
    ensemble
        A fitted random forest, extra trees, bagging, voting or AdaBoost classifier. It is left as
        it is.
    X, y
        Rows the ensemble was not trained on, and their labels.
    decide
        How the smaller ensemble decides. "committee": exactly as the committee that was chosen, so
        that the solution's value and bound are its own; for forests, and bagging of trees, whose
        leaves are made sure of their majority class. Where the threshold is not a majority, the
        forest comes inside a `sklearn.model_selection.FixedThresholdClassifier` with it.
        "own": by the ensemble's own rule over the chosen members as they are, a forest by the mean
        of their probabilities. The solution's value and threshold are not its own then: score it
        before you trust it, and choose with an objective that keeps to the majority.
    sample_weight, pos_label
        As in `PrunedVotingClassifier`.
    **arguments
        Its further parameters: `objective`, `constraints`, `method`, `time_limit`, ... but those
        that make no sense here: `voting`, `penalty`, `abstentions`, `cv` and `refit`.

    Returns
    -------
    estimator
        An ordinary fitted scikit-learn classifier, with the choice and its proof as `solution_`.

    Raises
    ------
    InputError
        If the ensemble is not fitted or of no known kind, cannot decide as asked, or an
        argument is wrong.
    InfeasibleError
        If no committee meets the constraints.
    """
    if arguments.get("voting", HARD) != HARD:
        raise InputError(
            "voting",
            f"is {arguments['voting']!r}, but a smaller ensemble has no weights for its members. "
            "Leave it out, or use PrunedVotingClassifier(FrozenEstimator(ensemble), "
            "voting='soft').",
        )
    if arguments.get("abstentions") is not None:
        raise InputError(
            "abstentions",
            f"is {arguments['abstentions']!r}, but the members of scikit-learn's ensembles vote on "
            "every row. Leave it out.",
        )
    cv = arguments.pop("cv", "prefit")
    if not isinstance(cv, str) or cv != "prefit":
        raise InputError(
            "cv",
            f"is {cv!r}, but the members vote as they are on all rows of X. Leave it "
            "out, and give rows that the ensemble was not trained on.",
        )
    whole = unwrap(ensemble)
    kind = kind_of(whole)
    if not is_fitted(whole):
        raise InputError("ensemble", f"the {type(whole).__name__} is not fitted. Fit it first.")
    if decide not in ("committee", "own"):
        raise InputError("decide", f"is {decide!r}. Give 'committee' or 'own'.")
    if decide == "committee" and not _of_trees(whole):
        raise InputError(
            "decide",
            f"a {type(whole).__name__} of such members cannot be made to count votes as the "
            "committee does. Use PrunedVotingClassifier(FrozenEstimator(ensemble)), which can, or "
            "decide='own'.",
        )
    chosen = PrunedVotingClassifier(
        FrozenEstimator(whole), cv="prefit", pos_label=pos_label, **{**arguments, "voting": HARD}
    ).fit(X, y, sample_weight=sample_weight)
    committee = chosen.committee_
    places: Sequence[int] = committee.members
    if decide == "committee" and isinstance(committee, Committee):
        # Trees with several votes in the committee stand in the forest as often.
        places = committee.ballots
    small = copy.copy(whole)
    kind.keep(small, places)
    if decide == "committee":
        small.estimators_ = [_sure(tree) for tree in small.estimators_]
        small = _with_threshold(small, chosen)
    small.solution_ = chosen.solution_
    return small


def _of_trees(ensemble: Any) -> bool:
    if isinstance(ensemble, RandomForestClassifier | ExtraTreesClassifier):
        return True
    return isinstance(ensemble, BaggingClassifier) and all(
        isinstance(member, DecisionTreeClassifier) for member in ensemble.estimators_
    )


def _sure(tree: Any) -> Any:
    """Return a copy of a tree in which every node is sure of the class it would predict."""
    surer = copy.deepcopy(tree)
    values = surer.tree_.value
    winners = values.argmax(axis=2)
    values[...] = winners[:, :, None] == np.arange(values.shape[2])
    return surer


def _with_threshold(forest: Any, chosen: PrunedVotingClassifier) -> Any:
    """Return a forest of sure trees that decides at the committee's threshold."""
    if chosen._positive is None:
        # The likeliest class is the one with most votes, and the first of several in both.
        return forest
    committee, positive = chosen.committee_, chosen.classes_[chosen._positive]
    if _majority_decides_alike(committee.n_votes, committee.threshold, chosen._positive):
        return forest
    # Half-way between too few votes and enough, so that rounding cannot matter.
    share = (committee.threshold + 0.5) / committee.n_votes
    wrapped = FixedThresholdClassifier(
        FrozenEstimator(forest),
        threshold=share,
        pos_label=positive,
        response_method="predict_proba",
    )
    # Fitting the wrapper fits nothing; it reads the classes.
    rows = np.zeros((len(forest.classes_), forest.n_features_in_))
    return wrapped.fit(rows, forest.classes_)


def _majority_decides_alike(votes: int, threshold: int, positive: int) -> bool:
    """Whether the class with more votes, the first on a tie, is what the threshold says."""
    needed = votes // 2 + 1 if positive == 1 else (votes + 1) // 2
    return threshold + 1 == needed
