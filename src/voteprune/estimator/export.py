"""`to_onnx`: a fitted committee as one ONNX graph, if its members convert.

Every member is converted by skl2onnx as it is; around them the graph counts the votes for the
positive class and compares the count with the threshold, in integers, as `predict` does, or those
for every class, or weighs the members' probabilities.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from sklearn.utils.validation import check_is_fitted

from ..exceptions import InputError
from ..soft.committee import SoftCommittee
from .classifier import PrunedVotingClassifier
from .export_soft import assemble_soft, check_convertible
from .graph import Draft, member_graph


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
        raise InputError(
            "skl2onnx", "is needed to convert. Install it: pip install 'voteprune[onnx]'"
        )
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
