"""Gurobi through gurobipy and its matrix interface."""

from __future__ import annotations

import numpy as np

from ..numbers.floats import Floats
from ..solvers.model import Model
from .protocol import Answer, LicenceLimit, Options, Report

NO_LICENCE, TOO_LARGE = 10009, 10010


def solve(model: Model, options: Options, start: Floats | None, report: Report) -> Answer:
    """Solve with Gurobi; bounds and incumbents are reported as they come."""
    import gurobipy

    try:
        with gurobipy.Env(params={"OutputFlag": 0}) as env, gurobipy.Model(env=env) as gurobi:
            return _solve(gurobi, model, options, start, report)
    except gurobipy.GurobiError as error:
        if error.errno in (NO_LICENCE, TOO_LARGE):
            raise LicenceLimit(f"{str(error).rstrip('.')}.") from None
        raise


def _solve(
    gurobi: object, model: Model, options: Options, start: Floats | None, report: Report
) -> Answer:
    from gurobipy import GRB

    for name, value in (
        ("MIPGap", 0.0),
        ("MIPGapAbs", 0.0),
        ("IntFeasTol", 1e-7),
        ("Threads", options.threads),
        ("Seed", options.seed % 2_000_000_000),
        ("Presolve", -1 if options.presolve else 0),
        ("TimeLimit", max(options.seconds_left, 1e-3)),
    ):
        gurobi.setParam(name, value)  # type: ignore[attr-defined]
    variables = gurobi.addMVar(  # type: ignore[attr-defined]
        model.n_variables,
        lb=model.low,
        ub=model.high,
        obj=model.objective,
        vtype=np.where(model.integer, GRB.INTEGER, GRB.CONTINUOUS),
    )
    gurobi.ModelSense = GRB.MAXIMIZE  # type: ignore[attr-defined]
    equal = model.row_low == model.row_high
    # A row with two sides becomes two rows; Gurobi would add a variable for a range.
    for sense, side, used in (
        (GRB.EQUAL, model.row_low, equal),
        (GRB.GREATER_EQUAL, model.row_low, ~equal & np.isfinite(model.row_low)),
        (GRB.LESS_EQUAL, model.row_high, ~equal & np.isfinite(model.row_high)),
    ):
        if used.any():
            gurobi.addMConstr(  # type: ignore[attr-defined]
                model.matrix[np.flatnonzero(used)], variables, sense, side[used]
            )
    if start is not None:
        variables.Start = start
    told = np.inf

    def watch(inner: object, where: int) -> None:
        nonlocal told
        get = inner.cbGet  # type: ignore[attr-defined]
        if where == GRB.Callback.MIPSOL:
            told = min(told, _finite(get(GRB.Callback.MIPSOL_OBJBND)))
            values = inner.cbGetSolution(variables)  # type: ignore[attr-defined]
            report(np.array(values, dtype=float), told)
        elif where == GRB.Callback.MIP:
            bound = _finite(get(GRB.Callback.MIP_OBJBND))
            if bound < told:
                told = bound
                report(None, told)

    gurobi.optimize(watch)  # type: ignore[attr-defined]

    status = gurobi.Status  # type: ignore[attr-defined]
    # All variables with a cost are bounded, so "infeasible or unbounded" is the former.
    if status in (GRB.INFEASIBLE, GRB.INF_OR_UNBD):
        return Answer("infeasible", None, -np.inf)
    bound = _finite(gurobi.ObjBound)  # type: ignore[attr-defined]
    if gurobi.SolCount == 0:  # type: ignore[attr-defined]
        return Answer("stopped", None, bound)
    solution = np.array(variables.X, dtype=float)
    return Answer(
        "optimal" if status == GRB.OPTIMAL else "stopped",
        solution,
        max(bound, float(model.objective @ solution)),
    )


def _finite(bound: float) -> float:
    """Return the bound, infinite where Gurobi says 1e100."""
    return float(bound) if abs(bound) < 1e100 else np.inf
