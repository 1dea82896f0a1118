"""`to_onnx` and `to_voting_classifier`: a fitted committee as something that runs without us.

For an ONNX graph every member is converted by skl2onnx as it is; around them the graph counts the
votes for the positive class and compares the count with the threshold, in integers, as `predict`
does, or those for every class, or weighs the members' probabilities. A linear pool is also
scikit-learn's own `VotingClassifier`.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.ensemble import VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.utils.validation import check_is_fitted

from ..exceptions import InputError, not_installed
from ..soft.committee import SoftCommittee
from .answers import question_for
from .classifier import PrunedVotingClassifier
from .graph import Draft, member_graph
from .pool import speaks_sklearn
from .soft import takes_scores
from .voter import Voter


def to_onnx(clf: PrunedVotingClassifier, X: Any, *, target_opset: int | None = None) -> Any:
    """Convert a fitted committee to ONNX.

    Parameters
    ----------
    clf
        A fitted `PrunedVotingClassifier`, its members of kinds that skl2onnx converts, or of
        XGBoost or LightGBM. Members of a soft committee must not give mere scores.
    X
        A row or more, from which the names and types of the inputs are read. Graphs compute in the
        precision of their inputs, and many converters know single precision only: check the
        predictions on data of your own.
    target_opset
        Version of ONNX to write; the newest that skl2onnx knows when omitted.

    Returns
    -------
    onnx.ModelProto
        A graph with two outputs, "label", the class, and "votes", how many votes the positive
        class has, of more than two classes a column for each; of a soft committee "probabilities",
        a column for each class, in double precision.

    Raises
    ------
    InputError
        If skl2onnx is not installed, members may abstain, or one cannot be converted; it is named.
    """
    if find_spec("skl2onnx") is None:
        raise not_installed("skl2onnx", "convert", "onnx")
    check_is_fitted(clf)
    if isinstance(clf.committee_, SoftCommittee):
        check_convertible(clf)
    elif clf.committee_.abstentions is not None:
        raise InputError(
            "clf",
            "its members may abstain, and a member that is converted votes on every row. Fit it "
            "without abstentions=, or ship committee_ as JSON and count the votes yourself.",
        )
    parts = [member_graph(voter, X, target_opset) for voter in clf._voters]
    if isinstance(clf.committee_, SoftCommittee):
        return assemble_soft(clf, parts)
    return _assemble_plurality(clf, parts) if clf._positive is None else _assemble(clf, parts)


def _assemble(clf: PrunedVotingClassifier, parts: list[Any]) -> Any:
    """Join the members' graphs: count their votes, compare, name the class."""
    from onnx import TensorProto, helper

    draft, total = Draft(), ""
    for place, (voter, part) in enumerate(zip(clf._voters, parts, strict=True)):
        prefix = f"m{place}_"
        said = draft.join(voter, part, prefix, clf.n_features_in_)
        positive = draft.constant(f"{prefix}positive", voter.labels[[clf._positive]])
        agrees = draft.node("Equal", [said[0], positive], f"{prefix}agrees")
        vote = draft.node("Cast", [agrees], f"{prefix}vote", to=TensorProto.INT64)
        weight = draft.constant(f"{prefix}weight", [clf.committee_.multiplicities[place]])
        votes = draft.node("Mul", [vote, weight], f"{prefix}votes")
        total = draft.node("Add", [total, votes], f"{prefix}total") if total else votes
    draft.node("Identity", [total], "votes")
    threshold = draft.constant("threshold", [clf.committee_.threshold])
    enough = draft.node("Greater", ["votes", threshold], "enough")
    chosen = draft.node("Cast", [enough], "chosen", to=TensorProto.INT64)
    classes = clf.classes_ if clf._positive == 1 else clf.classes_[::-1]
    draft.node("Gather", [draft.constant("classes", classes), chosen], "label")
    kind = draft.constants[-1].data_type
    return draft.model(
        [
            helper.make_tensor_value_info("label", kind, [None]),
            helper.make_tensor_value_info("votes", TensorProto.INT64, [None]),
        ]
    )


def _assemble_plurality(clf: PrunedVotingClassifier, parts: list[Any]) -> Any:
    """Join the members' graphs: count their votes for every class, and name the first with most."""
    from onnx import TensorProto, helper

    draft, total = Draft(), ""
    for place, (voter, part) in enumerate(zip(clf._voters, parts, strict=True)):
        prefix = f"m{place}_"
        said = draft.votes(voter, draft.join(voter, part, prefix, clf.n_features_in_)[0], prefix)
        vote = draft.node("Cast", [said], f"{prefix}vote", to=TensorProto.INT64)
        total = draft.node("Add", [total, vote], f"{prefix}total") if total else vote
    draft.node("Identity", [total], "votes")
    chosen = draft.node("ArgMax", ["votes"], "chosen", axis=1, keepdims=0)  # of several the first
    draft.node("Gather", [draft.constant("classes", clf.classes_), chosen], "label")
    kind = draft.constants[-1].data_type
    return draft.model(
        [
            helper.make_tensor_value_info("label", kind, [None]),
            helper.make_tensor_value_info("votes", TensorProto.INT64, [None, len(clf.classes_)]),
        ]
    )


def check_convertible(clf: PrunedVotingClassifier) -> None:
    """Refuse members that have no probabilities in a graph; converters differ in their scores.

    Raises
    ------
    InputError
        Naming the member.
    """
    for voter in clf._voters:
        question = _question(clf, voter)
        if question == "decision_function":
            wrong = "gives scores, which are not converted"
        elif question == "predict_proba" and len(voter.model.classes_) != len(clf.classes_):
            wrong = "does not know all classes"
        else:
            continue
        raise InputError(
            "clf",
            f"the member {voter.name!r}, a {type(voter.model).__name__}, {wrong}. Forbid it, or "
            "calibrate it with CalibratedClassifierCV before the choice.",
        )


def assemble_soft(clf: PrunedVotingClassifier, parts: Sequence[Any]) -> Any:
    """Join the members' graphs: weigh what they say, and name the class."""
    from onnx import TensorProto, helper

    draft, committee = Draft(), clf.committee_
    pool = committee.rule == "linear_pool"
    weights = np.array(committee.weights)
    weights = weights / weights.sum() if pool else weights
    total = ""
    for place, (voter, part) in enumerate(zip(clf._voters, parts, strict=True)):
        prefix = f"m{place}_"
        said = _shares(draft, clf, voter, part, prefix)
        if pool:
            term = _pool_share(draft, committee, said, prefix)
        else:
            term = _odds(draft, committee, committee.kinds[place], said, prefix)
        weight = draft.numbers(f"{prefix}weight", weights[place])
        term = draft.node("Mul", [term, weight], f"{prefix}term")
        total = draft.node("Add", [total, term], f"{prefix}total") if total else term
    if not pool:
        intercepts = draft.numbers("intercepts", [committee.intercepts])
        total = draft.node("Add", [total, intercepts], "scores")
        if clf._positive is None:
            total = draft.node("Softmax", [total], "shares", axis=1)
        else:
            total = draft.node("Sigmoid", [total], "shares")
    label = _decide(draft, clf, total)
    kind = next(item.data_type for item in draft.constants if item.name == "classes")
    return draft.model(
        [
            helper.make_tensor_value_info(label, kind, [None]),
            helper.make_tensor_value_info(
                "probabilities", TensorProto.DOUBLE, [None, len(clf.classes_)]
            ),
        ]
    )


def _question(clf: PrunedVotingClassifier, voter: Voter) -> str:
    return question_for(voter.model, takes_scores(clf.solution_.objective))


def _shares(draft: Draft, clf: PrunedVotingClassifier, voter: Voter, part: Any, prefix: str) -> str:
    """Write what a member says: a column per class, or of two that of the positive one."""
    from onnx import TensorProto

    outputs = draft.join(voter, part, prefix, clf.n_features_in_)
    if _question(clf, voter) == "predict":
        answer = draft.votes(voter, outputs[0], prefix)
    else:
        answer = outputs[1]
    # In double precision from here on, whatever the members compute in.
    whole = draft.node("Cast", [answer], f"{prefix}whole", to=TensorProto.DOUBLE)
    if clf._positive is None:
        return whole
    positive = draft.constant(f"{prefix}positive", [clf._positive])
    return draft.node("Gather", [whole, positive], f"{prefix}share", axis=1)


def _clipped(draft: Draft, committee: SoftCommittee, said: str, prefix: str) -> str:
    most = 1 - (len(committee.classes) - 1) * committee.clip
    low = draft.numbers(f"{prefix}low", committee.clip)
    high = draft.numbers(f"{prefix}high", most)
    raised = draft.node("Max", [said, low], f"{prefix}raised")
    return draft.node("Min", [raised, high], f"{prefix}clipped")


def _odds(draft: Draft, committee: SoftCommittee, kind: str, said: str, prefix: str) -> str:
    """Write a member's log-odds, as `odds_of_kind` has them."""
    two = len(committee.classes) == 2
    if kind == "vote":
        if not two:
            return said
        centre = draft.node("Sub", [said, draft.numbers(f"{prefix}half", 0.5)], f"{prefix}centre")
        return draft.node("Mul", [centre, draft.numbers(f"{prefix}two", 2.0)], f"{prefix}odds")
    share = _clipped(draft, committee, said, prefix)
    if two:
        rest = draft.node("Sub", [draft.numbers(f"{prefix}one", 1.0), share], f"{prefix}rest")
        share = draft.node("Div", [share, rest], f"{prefix}ratio")
    return draft.node("Log", [share], f"{prefix}odds")


def _pool_share(draft: Draft, committee: SoftCommittee, said: str, prefix: str) -> str:
    """Write a member's part in a linear pool, as `shares_of` has it."""
    n_classes = len(committee.classes)
    share = _clipped(draft, committee, said, prefix)
    if n_classes == 2:
        return share
    ones = draft.numbers(f"{prefix}ones", np.ones((n_classes, n_classes)))
    sums = draft.node("MatMul", [share, ones], f"{prefix}sums")
    return draft.node("Div", [share, sums], f"{prefix}normal")


def _decide(draft: Draft, clf: PrunedVotingClassifier, total: str) -> str:
    """Write the probabilities in the order of the classes, and the class that is decided on."""
    from onnx import TensorProto

    classes = clf.classes_
    if clf._positive is None:
        draft.node("Identity", [total], "probabilities")
        chosen = draft.node("ArgMax", ["probabilities"], "chosen", axis=1, keepdims=0)
    else:
        rest = draft.node("Sub", [draft.numbers("one", 1.0), total], "rest")
        pair = [rest, total] if clf._positive == 1 else [total, rest]
        draft.node("Concat", pair, "probabilities", axis=1)
        cutoff = draft.numbers("cutoff", clf.committee_.cutoff)
        above = draft.node("Greater", [total, cutoff], "above")
        whole = draft.node("Cast", [above], "whole", to=TensorProto.INT64)
        chosen = draft.node("Reshape", [whole, draft.constant("flat", [-1])], "chosen")
        classes = classes if clf._positive == 1 else classes[::-1]
    return draft.node("Gather", [draft.constant("classes", classes), chosen], "label")


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
        no more than ``clf.committee_.clip``, 0.0001.

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
