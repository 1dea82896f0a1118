"""Ensembles that are already there: their members as voters, and smaller copies of them.

The kinds differ in what their members call the classes and in what they must be shown: all columns
or some, as an array or as given. Forests, bagging and voting train their members on class numbers,
AdaBoost on the labels themselves; what is frozen in a vote keeps what it was fitted on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.utils import Bunch

from ..exceptions import InputError
from .voter import Voter, labels_here


@dataclass(frozen=True, slots=True)
class Kind:
    """What must be known of a kind of ensemble.

    Parameters
    ----------
    members
        The voters of a fitted one.
    keep
        Cuts a copy of a fitted one down to the members at some places.
    """

    members: Callable[[Any], list[Voter]]
    keep: Callable[[Any, Sequence[int]], None]


def kind_of(ensemble: object) -> Kind:
    """Return the kind of an ensemble.

    Raises
    ------
    InputError
        If it is not an ensemble whose members vote.
    """
    for types, kind in _KINDS:
        if isinstance(ensemble, types):
            return kind
    raise InputError(
        "estimators",
        f"{type(ensemble).__name__} is not an ensemble whose members each vote for a class. Give a "
        "list of (name, estimator) pairs, or one random forest, extra trees, bagging, voting or "
        "AdaBoost classifier. The stages of gradient boosting are corrections, not votes: list "
        "whole boosted models instead.",
    )


def unwrap(estimator: object) -> Any:
    """Return what a FrozenEstimator holds, and anything else as it is."""
    return estimator.estimator if isinstance(estimator, FrozenEstimator) else estimator


def _labels(ensemble: Any) -> NDArray[Any]:
    classes = ensemble.classes_
    if isinstance(classes, list):
        raise InputError(
            "estimators",
            f"the {type(ensemble).__name__} has several outputs. Give an ensemble with one.",
        )
    return np.asarray(classes)


def _tree_voters(forest: Any) -> list[Voter]:
    numbers = np.arange(len(_labels(forest)))
    return [
        Voter(f"tree_{i}", tree, numbers, sees="single")
        for i, tree in enumerate(forest.estimators_)
    ]


def _bag_voters(bag: Any) -> list[Voter]:
    numbers = np.arange(len(_labels(bag)))
    everything = np.arange(bag.n_features_in_)
    return [
        Voter(
            f"bag_{i}",
            model,
            numbers,
            None if np.array_equal(columns, everything) else columns,
            sees="array",
        )
        for i, (model, columns) in enumerate(
            zip(bag.estimators_, bag.estimators_features_, strict=True)
        )
    ]


def _stage_voters(boosted: Any) -> list[Voter]:
    labels = _labels(boosted)
    return [
        Voter(f"stage_{i}", model, labels, sees="array")
        for i, model in enumerate(boosted.estimators_)
    ]


def _named_voters(voting: Any) -> list[Voter]:
    classes = _labels(voting)
    names = [name for name, estimator in voting.estimators if estimator != "drop"]
    return [
        Voter(name, model, labels_here(model, classes, name))
        for name, model in zip(names, voting.estimators_, strict=True)
    ]


def _keep_trees(forest: Any, places: Sequence[int]) -> None:
    forest.estimators_ = [forest.estimators_[place] for place in places]
    forest.n_estimators = len(places)
    # Scores on the rows left out were those of the whole forest.
    for stale in ("oob_score_", "oob_decision_function_"):
        vars(forest).pop(stale, None)


def _keep_bags(bag: Any, places: Sequence[int]) -> None:
    _keep_trees(bag, places)
    bag.estimators_features_ = [bag.estimators_features_[place] for place in places]
    bag._seeds = np.asarray(bag._seeds)[list(places)]


def _keep_stages(boosted: Any, places: Sequence[int]) -> None:
    _keep_trees(boosted, places)
    boosted.estimator_weights_ = boosted.estimator_weights_[list(places)]
    boosted.estimator_errors_ = boosted.estimator_errors_[list(places)]


def _keep_named(voting: Any, places: Sequence[int]) -> None:
    pairs = [pair for pair in voting.estimators if pair[1] != "drop"]
    if voting.weights is not None:
        weights = [
            weight
            for weight, pair in zip(voting.weights, voting.estimators, strict=True)
            if pair[1] != "drop"
        ]
        voting.weights = [weights[place] for place in places]
    voting.estimators = [pairs[place] for place in places]
    voting.estimators_ = [voting.estimators_[place] for place in places]
    names = [name for name, _ in voting.estimators]
    voting.named_estimators_ = Bunch(**dict(zip(names, voting.estimators_, strict=True)))


_KINDS: tuple[tuple[tuple[type, ...], Kind], ...] = (
    ((RandomForestClassifier, ExtraTreesClassifier), Kind(_tree_voters, _keep_trees)),
    ((BaggingClassifier,), Kind(_bag_voters, _keep_bags)),
    ((AdaBoostClassifier,), Kind(_stage_voters, _keep_stages)),
    ((VotingClassifier,), Kind(_named_voters, _keep_named)),
)
