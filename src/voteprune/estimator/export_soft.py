"""Soft committees as ONNX graphs: the members' probabilities, weighted as the committee does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..exceptions import InputError
from ..soft.committee import SoftCommittee
from .answers import question_for
from .classifier import PrunedVotingClassifier
from .graph import Draft
from .soft import takes_scores
from .voter import Voter


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
        write = _pool_share if pool else _odds
        term = write(draft, committee, committee.kinds[place], said, prefix)
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


def _pool_share(draft: Draft, committee: SoftCommittee, kind: str, said: str, prefix: str) -> str:
    """Write a member's part in a linear pool, as `shares_of` has it."""
    n_classes = len(committee.classes)
    if kind == "vote":
        # Sure for whom it votes: above 1/2 or above 0, with one column or several.
        least = draft.numbers(f"{prefix}least", 0.5 if n_classes == 2 else 0.0)
        above = draft.node("Greater", [said, least], f"{prefix}above")
        sure = draft.numbers(f"{prefix}sure", 1.0)
        none = draft.numbers(f"{prefix}none", 0.0)
        if n_classes == 2:
            # On new rows it may be undecided.
            below = draft.node("Less", [said, least], f"{prefix}below")
            none = draft.node("Where", [below, none, least], f"{prefix}otherwise")
        said = draft.node("Where", [above, sure, none], f"{prefix}sharp")
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
