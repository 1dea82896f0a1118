"""SCIP through PySCIPOpt. Plain SCIP runs on one thread, whatever it is offered."""

from __future__ import annotations

import time
from operator import mul

import numpy as np

from ..numbers.floats import Floats
from ..solvers.model import Model
from .protocol import Answer, Options, Report

PAUSE = 0.1
"""Seconds between two looks at the bound; SCIP solves thousands of nodes in a second."""


def solve(model: Model, options: Options, start: Floats | None, report: Report) -> Answer:
    """Solve with SCIP; bounds and incumbents are reported as they come."""
    from pyscipopt import SCIP_EVENTTYPE, SCIP_PARAMSETTING, Eventhdlr
    from pyscipopt import Model as Scip

    scip = Scip()
    scip.hideOutput()
    variables = _build(scip, model)
    scip.setParam("numerics/feastol", 1e-7)
    scip.setParam("randomization/randomseedshift", options.seed % 2**31)
    if not options.presolve:
        scip.setPresolve(SCIP_PARAMSETTING.OFF)
    if start is not None:
        first = scip.createSol()
        for variable, value in zip(variables, start, strict=True):
            scip.setSolVal(first, variable, float(value))
        scip.addSol(first)

    def bound() -> float:
        value = scip.getDualbound()
        return np.inf if scip.isInfinity(abs(value)) else float(value)

    def best() -> Floats:
        # Not getSolVal(None, ...), which is the node's relaxation and not the new incumbent.
        found = scip.getBestSol()
        return np.array([scip.getSolVal(found, variable) for variable in variables])

    class Watch(Eventhdlr):  # type: ignore[misc]
        """Tell every new incumbent, and now and then the bound."""

        events = (SCIP_EVENTTYPE.BESTSOLFOUND, SCIP_EVENTTYPE.NODESOLVED)
        told = -np.inf

        def eventinit(self) -> None:
            for event in self.events:
                self.model.catchEvent(event, self)

        def eventexit(self) -> None:
            for event in self.events:
                self.model.dropEvent(event, self)

        def eventexec(self, event: object) -> None:
            improved = event.getType() == SCIP_EVENTTYPE.BESTSOLFOUND  # type: ignore[attr-defined]
            if improved or time.monotonic() > self.told + PAUSE:
                self.told = time.monotonic()
                report(best() if improved else None, bound())

    scip.includeEventhdlr(Watch(), "watch", "tells incumbents and bounds")
    scip.setParam("limits/gap", 0.0)
    scip.setParam("limits/time", max(options.seconds_left, 1e-3))
    scip.optimizeNogil()

    status = scip.getStatus()
    # All variables with a cost are bounded, so "infeasible or unbounded" is the former.
    if status in ("infeasible", "inforunbd"):
        return Answer("infeasible", None, -np.inf)
    if scip.getNSols() == 0:
        return Answer("stopped", None, bound())
    solution = best()
    return Answer(
        "optimal" if status == "optimal" else "stopped",
        solution,
        max(bound(), float(model.objective @ solution)),
    )


def _build(scip: object, model: Model) -> list[object]:
    """Fill a PySCIPOpt model and return its variables."""
    from pyscipopt import ExprCons, quicksum

    def finite(value: float) -> float | None:
        return value if np.isfinite(value) else None

    add_variable, add_row = scip.addVar, scip.addCons  # type: ignore[attr-defined]
    variables = [
        add_variable(vtype="I" if whole else "C", lb=finite(low), ub=finite(high), obj=cost)
        for whole, low, high, cost in zip(
            model.integer.tolist(),
            model.low.tolist(),
            model.high.tolist(),
            model.objective.tolist(),
            strict=True,
        )
    ]
    scip.setMaximize()  # type: ignore[attr-defined]
    ends = model.matrix.indptr.tolist()
    columns, values = model.matrix.indices.tolist(), model.matrix.data.tolist()
    for i, (low, high) in enumerate(zip(model.row_low, model.row_high, strict=True)):
        if np.isinf(low) and np.isinf(high):
            continue
        inside = slice(ends[i], ends[i + 1])
        terms = map(mul, values[inside], (variables[j] for j in columns[inside]))
        # Made by hand: a comparison of expressions can state one side only.
        add_row(ExprCons(quicksum(terms), finite(low), finite(high)))
    return variables
