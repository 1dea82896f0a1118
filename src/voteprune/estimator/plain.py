"""`to_voting_classifier`: a linear pool as scikit-learn's own `VotingClassifier`."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.utils.validation import check_is_fitted

from ..exceptions import InputError
from ..soft.committee import SoftCommittee
from .classifier import PrunedVotingClassifier
from .pool import speaks_sklearn
from .voter import Voter


def to_voting_classifier(clf: PrunedVotingClassifier) -> Any:
    """Return a fitted soft committee as an ordinary `sklearn.ensemble.VotingClassifier`.

    Parameters
    ----------
    clf
        A fitted `PrunedVotingClassifier` whose committee is a linear pool, as with
        ``voting="soft", objective="brier"`` or "pool_log_loss", of members that give
        probabilities.

    Returns
    -------
    VotingClassifier
        With ``voting="soft"``, the committee's weights and its fitted members, frozen. Where the
        cut-off is not 1/2, inside a `sklearn.model_selection.FixedThresholdClassifier`. Members'
        probabilities are not clipped there: of two classes its own differ from the committee's by
        no more than ``clf.committee_.clip``, 0.001.

    Raises
    ------
    InputError
        If the committee is no linear pool, or a member cannot sit in a `VotingClassifier`; it is
        named.
    """
    check_is_fitted(clf)
    committee = clf.committee_
    if not isinstance(committee, SoftCommittee) or committee.rule != "linear_pool":
        raise InputError(
            "clf",
            "is no weighted mean of probabilities, which is all a VotingClassifier has. Choose "
            "with voting='soft' and objective='brier' or 'pool_log_loss'.",
        )
    for voter, kind in zip(clf._voters, committee.kinds, strict=True):
        _check_member(voter, kind, len(clf.classes_))
    vote = VotingClassifier(
        [(voter.name, FrozenEstimator(voter.model)) for voter in clf._voters],
        voting="soft",
        weights=list(committee.weights),
        n_jobs=clf.n_jobs,
    )
    # Fitting what is frozen fits nothing; the classes are read.
    rows = np.zeros((len(clf.classes_), clf.n_features_in_))
    vote.fit(rows, clf.classes_)
    if clf._positive is None or committee.cutoff == 0.5:
        return vote
    fixed = FixedThresholdClassifier(
        FrozenEstimator(vote),
        # A committee is positive above its cut-off, scikit-learn from the threshold on.
        threshold=float(np.nextafter(committee.cutoff, 1)),
        pos_label=clf.classes_[clf._positive],
        response_method="predict_proba",
    )
    return fixed.fit(rows, clf.classes_)


def _check_member(voter: Voter, kind: str, n_classes: int) -> None:
    model = voter.model
    if kind != "probability" or not speaks_sklearn(model):
        wrong = "is no scikit-learn classifier that gives probabilities"
    elif voter.features is not None:
        wrong = "sees some of the columns only"
    elif len(model.classes_) != n_classes:
        wrong = "does not know all classes"
    else:
        return
    raise InputError(
        "clf",
        f"the member {voter.name!r}, a {type(model).__name__}, {wrong}, and cannot sit in a "
        "VotingClassifier. Forbid it, or keep the committee as it is.",
    )
