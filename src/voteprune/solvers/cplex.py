"""CPLEX through its own Python interface."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..numbers.floats import Floats
from ..solvers.model import Model
from .protocol import Answer, LicenceLimit, Options, Report

TOO_LARGE = 1016


def solve(model: Model, options: Options, start: Floats | None, report: Report) -> Answer:
    """Solve with CPLEX; bounds and incumbents are reported as they come."""
    import cplex  # the library: imports are absolute, this file does not hide it
    from cplex.exceptions import CplexSolverError

    with cplex.Cplex() as program:
        for silence in (
            program.set_log_stream,
            program.set_results_stream,
            program.set_warning_stream,
            program.set_error_stream,
        ):
            silence(None)
        _set_parameters(program.parameters, options)
        try:
            _build(program, model)
            if start is not None:
                program.MIP_starts.add(
                    [list(range(model.n_variables)), start.tolist()],
                    program.MIP_starts.effort_level.auto,
                )
            program.set_callback(_Watch(report), cplex.callbacks.Context.id.global_progress)
            program.parameters.timelimit.set(max(options.seconds_left, 1e-3))
            program.solve()
        except CplexSolverError as error:
            if error.args[2] == TOO_LARGE:
                raise LicenceLimit(
                    "The model is too large for the edition of CPLEX that comes without a licence "
                    f"(error {TOO_LARGE})."
                ) from None
            raise
        return _answer(program, model)


class _Watch:
    """Called when the bound or the incumbent of the whole search has moved.

    It only looks on. A callback on candidate solutions would make CPLEX expect rejections.
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self._value = -np.inf
        self._bound = np.inf

    def invoke(self, context: object) -> None:
        """Report what has moved."""
        get = context.get_double_info  # type: ignore[attr-defined]
        info = context.info  # type: ignore[attr-defined]
        value, bound = get(info.best_solution), _finite(get(info.best_bound))
        if value > self._value and abs(value) < 1e20:
            self._value, self._bound = value, min(self._bound, bound)
            point = context.get_incumbent()  # type: ignore[attr-defined]
            self._report(np.array(point, dtype=np.float64), self._bound)
        elif bound < self._bound:
            self._bound = bound
            self._report(None, bound)


def _set_parameters(parameters: object, options: Options) -> None:
    mip = parameters.mip.tolerances  # type: ignore[attr-defined]
    mip.mipgap.set(0.0)
    mip.absmipgap.set(0.0)
    mip.integrality.set(1e-7)
    parameters.threads.set(options.threads)  # type: ignore[attr-defined]
    parameters.randomseed.set(options.seed % 2_000_000_000)  # type: ignore[attr-defined]
    parameters.preprocessing.presolve.set(int(options.presolve))  # type: ignore[attr-defined]


def _build(program: object, model: Model) -> None:
    program.objective.set_sense(program.objective.sense.maximize)  # type: ignore[attr-defined]
    program.variables.add(  # type: ignore[attr-defined]
        obj=model.objective.tolist(),
        lb=np.maximum(model.low, -1e20).tolist(),
        ub=np.minimum(model.high, 1e20).tolist(),
        types="".join("I" if whole else "C" for whole in model.integer),
    )
    ends = model.matrix.indptr.tolist()
    columns, values = model.matrix.indices.tolist(), model.matrix.data.tolist()
    low, high = model.row_low, model.row_high
    two_sided = np.isfinite(low) & np.isfinite(high)
    senses = np.where(low == high, "E", np.where(two_sided, "R", np.where(high < np.inf, "L", "G")))
    # A range row is rhs <= row <= rhs + range; a row without any side is one above -1e20.
    rhs = np.where(two_sided, low, np.where(high < np.inf, high, np.maximum(low, -1e20)))
    program.linear_constraints.add(  # type: ignore[attr-defined]
        lin_expr=[[columns[a:b], values[a:b]] for a, b in pairwise(ends)],
        senses="".join(senses),
        rhs=rhs.tolist(),
        range_values=np.where(senses == "R", high - np.where(two_sided, low, 0.0), 0.0).tolist(),
    )


def _answer(program: object, model: Model) -> Answer:
    result = program.solution  # type: ignore[attr-defined]
    status, codes = result.get_status(), result.status
    # All variables with a cost are bounded, so "infeasible or unbounded" is the former.
    if status in (codes.MIP_infeasible, codes.MIP_infeasible_or_unbounded):
        return Answer("infeasible", None, -np.inf)
    bound = _finite(result.MIP.get_best_objective())
    if not result.is_primal_feasible():
        return Answer("stopped", None, bound)
    solution = np.array(result.get_values(), dtype=float)
    proved = status in (codes.MIP_optimal, codes.optimal_tolerance)
    return Answer(
        "optimal" if proved else "stopped",
        solution,
        max(bound, float(model.objective @ solution)),
    )


def _finite(bound: float) -> float:
    """Return the bound, infinite where CPLEX has none yet and says 1e20 or more."""
    return float(bound) if abs(bound) < 1e20 else np.inf
