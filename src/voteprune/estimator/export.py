"""`to_onnx`: a fitted committee as one ONNX graph, if its members convert.

Every member is converted by skl2onnx as it is; around them the graph counts the votes for the
positive class and compares the count with the threshold, in integers, as `predict` does.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..exceptions import InputError
from ..soft.committee import SoftCommittee
from .classifier import PrunedVotingClassifier
from .ensembles import unwrap
from .voter import Voter


def to_onnx(clf: PrunedVotingClassifier, X: Any, *, target_opset: int | None = None) -> Any:
    """Convert a fitted committee to ONNX.

    Parameters
    ----------
    clf
        A fitted `PrunedVotingClassifier` of two classes, its members of kinds that skl2onnx
        converts.
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
        class has.

    Raises
    ------
    InputError
        If skl2onnx is not installed, or a member cannot be converted; it is named.
    """
    if find_spec("skl2onnx") is None:
        raise InputError(
            "skl2onnx", "is needed to convert. Install it: pip install 'voteprune[onnx]'"
        )
    check_is_fitted(clf)
    if isinstance(clf.committee_, SoftCommittee):
        raise InputError(
            "clf",
            "is a soft committee, which is not converted yet. Convert the members one by one and "
            "apply the JSON of clf.committee_ to what they say, or choose with voting='hard'.",
        )
    if len(clf.classes_) > 2:
        raise InputError(
            "clf",
            f"decides between {len(clf.classes_)} classes by plurality, which is not converted. "
            "Convert committees of two classes.",
        )
    parts = [_member_graph(voter, X, target_opset) for voter in clf._voters]
    return _assemble(clf, parts)


def _member_graph(voter: Voter, X: Any, target_opset: int | None) -> Any:
    """Return the graph of one member, on the columns it sees."""
    from skl2onnx import to_onnx as convert

    model = unwrap(voter.model)
    seen = X if voter.sees == "given" else np.asarray(X)
    if voter.features is not None:
        seen = seen[:, voter.features]
    options = {id(model): {"zipmap": False}} if hasattr(model, "predict_proba") else None
    try:
        return convert(model, seen[:1], options=options, target_opset=target_opset)
    except Exception as error:
        # skl2onnx has no common error for what it cannot convert.
        raise InputError(
            "clf",
            f"the member {voter.name!r}, a {type(model).__name__}, cannot be converted to ONNX "
            f"({type(error).__name__}: {str(error).splitlines()[0]}). Register a converter with "
            "skl2onnx.update_registered_converter, or Forbid such members.",
        ) from error


def _assemble(clf: PrunedVotingClassifier, parts: list[Any]) -> Any:
    """Join the members' graphs: count their votes, compare, name the class."""
    from onnx import TensorProto, checker, compose, helper

    draft, total = _Draft(), ""
    inputs: dict[str, Any] = {}
    opsets: dict[str, int] = {}
    for place, (voter, part) in enumerate(zip(clf._voters, parts, strict=True)):
        prefix = f"m{place}_"
        graph = compose.add_prefix(part, prefix).graph
        for given in graph.input:
            name = given.name.removeprefix(prefix)
            if voter.features is None:
                inputs.setdefault(name, _renamed(given, name))
                draft.node("Identity", [name], given.name)
            else:
                inputs.setdefault(name, _renamed(given, name, clf.n_features_in_))
                columns = draft.constant(f"{prefix}columns", voter.features)
                draft.node("Gather", [name, columns], given.name, axis=1)
        draft.nodes.extend(graph.node)
        draft.constants.extend(graph.initializer)
        for opset in part.opset_import:
            opsets[opset.domain] = max(opset.version, opsets.get(opset.domain, 1))
        positive = draft.constant(f"{prefix}positive", voter.labels[[clf._positive]])
        agrees = draft.node("Equal", [graph.output[0].name, positive], f"{prefix}agrees")
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
    outputs = [
        helper.make_tensor_value_info("label", kind, [None]),
        helper.make_tensor_value_info("votes", TensorProto.INT64, [None]),
    ]
    graph = helper.make_graph(
        draft.nodes, "committee", list(inputs.values()), outputs, draft.constants
    )
    model = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid(*opset) for opset in opsets.items()],
        ir_version=parts[0].ir_version,
        producer_name="voteprune",
    )
    checker.check_model(model)
    return model


class _Draft:
    """Nodes and constants of a graph that is being written."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def node(self, kind: str, takes: list[str], gives: str, **attributes: Any) -> str:
        """Add a node and return the name of what it gives."""
        from onnx import helper

        self.nodes.append(helper.make_node(kind, takes, [gives], f"{gives}_node", **attributes))
        return gives

    def constant(self, name: str, values: Any) -> str:
        """Add labels or numbers as ONNX has them, text or whole numbers; return their name."""
        from onnx import TensorProto, helper

        array = np.asarray(values)
        kind, cells = TensorProto.INT64, array.tolist()
        if array.dtype.kind in "OUS":
            kind, cells = TensorProto.STRING, [str(cell).encode() for cell in cells]
        self.constants.append(helper.make_tensor(name, kind, array.shape, cells))
        return name


def _renamed(given: Any, name: str, n_columns: int | None = None) -> Any:
    """Return a member's input by another name, and with so many columns if it saw only some."""
    import onnx

    whole = onnx.ValueInfoProto()
    whole.CopyFrom(given)
    whole.name = name
    if n_columns is not None:
        whole.type.tensor_type.shape.dim[1].dim_value = n_columns
    return whole
