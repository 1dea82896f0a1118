"""ONNX graphs: members converted one by one, and joined by what is written around them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from ..exceptions import InputError, not_installed
from .ensembles import unwrap
from .voter import Voter


def member_graph(voter: Voter, X: Any, target_opset: int | None) -> Any:
    """Return the graph of one member, on the columns it sees."""
    from skl2onnx import __max_supported_opset__ as newest
    from skl2onnx import to_onnx as convert

    model = unwrap(voter.model)
    opset: Any = target_opset
    if know_boosters(model):
        # Their converters write trees as the third version of these operators has them.
        opset = {"": newest if target_opset is None else target_opset, "ai.onnx.ml": 3}
    seen = X if voter.sees == "given" else np.asarray(X)
    if voter.features is not None:
        seen = seen[:, voter.features]
    options = {id(model): {"zipmap": False}} if hasattr(model, "predict_proba") else None
    try:
        return convert(model, seen[:1], options=options, target_opset=opset)
    except Exception as error:
        # skl2onnx has no common error for what it cannot convert.
        raise InputError(
            "clf",
            f"the member {voter.name!r}, a {type(model).__name__}, cannot be converted to ONNX "
            f"({type(error).__name__}: {str(error).splitlines()[0]}). Register a converter with "
            "skl2onnx.update_registered_converter, or Forbid such members.",
        ) from error


def know_boosters(model: Any) -> bool:
    """Tell skl2onnx how members of XGBoost and LightGBM are converted, which onnxmltools knows.

    Returns
    -------
    bool
        Whether it is such a member.

    Raises
    ------
    InputError
        If it is such a member, and onnxmltools is not installed.
    """
    package = type(model).__module__.partition(".")[0]
    if package not in ("lightgbm", "xgboost"):
        return False
    if find_spec("onnxmltools") is None:
        raise not_installed("onnxmltools", f"convert members of {package}", "onnx")
    from skl2onnx import update_registered_converter
    from skl2onnx.common.shape_calculator import calculate_linear_classifier_output_shapes

    if package == "lightgbm":
        from onnxmltools.convert.lightgbm.operator_converters.LightGbm import convert_lightgbm

        alias, convert = "LightGbmLGBMClassifier", convert_lightgbm
    else:
        from onnxmltools.convert.xgboost.operator_converters.XGBoost import convert_xgboost

        alias, convert = "XGBoostXGBClassifier", convert_xgboost
    update_registered_converter(
        type(model),
        alias,
        calculate_linear_classifier_output_shapes,
        convert,
        overwrite=True,
        options={"nocl": [True, False], "zipmap": [True, False, "columns"]},
    )
    return True


class Draft:
    """A graph that is being written: nodes, constants, and the inputs the members share."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: dict[str, Any] = {}
        self.opsets: dict[str, int] = {}
        self.ir_version = 0

    def join(self, voter: Voter, part: Any, prefix: str, n_features: int) -> list[str]:
        """Add a member's graph, fed by the inputs all members share; return its outputs' names."""
        from onnx import compose

        graph = compose.add_prefix(part, prefix).graph
        for given in graph.input:
            name = given.name.removeprefix(prefix)
            if voter.features is None:
                self.inputs.setdefault(name, _renamed(given, name))
                self.node("Identity", [name], given.name)
            else:
                self.inputs.setdefault(name, _renamed(given, name, n_features))
                columns = self.constant(f"{prefix}columns", voter.features)
                self.node("Gather", [name, columns], given.name, axis=1)
        self.nodes.extend(graph.node)
        self.constants.extend(graph.initializer)
        for opset in part.opset_import:
            self.opsets[opset.domain] = max(opset.version, self.opsets.get(opset.domain, 1))
        self.ir_version = self.ir_version or part.ir_version
        return [output.name for output in graph.output]

    def model(self, outputs: Sequence[Any]) -> Any:
        """Return the finished model, checked."""
        from onnx import checker, helper

        graph = helper.make_graph(
            self.nodes, "committee", list(self.inputs.values()), list(outputs), self.constants
        )
        model = helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid(*opset) for opset in self.opsets.items()],
            ir_version=self.ir_version,
            producer_name="voteprune",
        )
        checker.check_model(model)
        return model

    def node(self, kind: str, takes: list[str], gives: str, **attributes: Any) -> str:
        """Add a node and return the name of what it gives."""
        from onnx import helper

        self.nodes.append(helper.make_node(kind, takes, [gives], f"{gives}_node", **attributes))
        return gives

    def votes(self, voter: Voter, label: str, prefix: str) -> str:
        """Add a member's votes, true in the column of the class it names; return their name."""
        as_column = self.constant(f"{prefix}as_column", [-1, 1])
        column = self.node("Reshape", [label, as_column], f"{prefix}column")
        labels = self.constant(f"{prefix}labels", voter.labels[None, :])
        return self.node("Equal", [column, labels], f"{prefix}votes")

    def constant(self, name: str, values: Any) -> str:
        """Add labels or numbers as ONNX has them, text or whole numbers; return their name."""
        from onnx import TensorProto, helper

        array = np.asarray(values)
        kind, cells = TensorProto.INT64, array.tolist()
        if array.dtype.kind in "OUS":
            kind, cells = TensorProto.STRING, [str(cell).encode() for cell in cells]
        self.constants.append(helper.make_tensor(name, kind, array.shape, cells))
        return name

    def numbers(self, name: str, values: Any) -> str:
        """Add fractional numbers; return their name."""
        from onnx import TensorProto, helper

        array = np.asarray(values, dtype=np.float64)
        self.constants.append(
            helper.make_tensor(name, TensorProto.DOUBLE, array.shape, array.ravel().tolist())
        )
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
