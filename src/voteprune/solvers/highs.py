"""HiGHS through highspy."""

from __future__ import annotations

import numpy as np

from ..numbers.floats import Floats
from ..solvers.model import Model
from .protocol import Answer, Options, Report


def solve(model: Model, options: Options, start: Floats | None, report: Report) -> Answer:
    """Solve with HiGHS; bounds and incumbents are reported as they come."""
    import highspy

    # The scheduler is global and keeps its first thread count otherwise.
    highspy.Highs.resetGlobalScheduler(True)
    highs = highspy.Highs()
    highs.silent()
    for name, value in (
        ("threads", options.threads),
        ("random_seed", options.seed % 2**31),
        ("presolve", "choose" if options.presolve else "off"),
        # The default of 1e-4 can hide a whole row at N = 11 000.
        ("mip_rel_gap", 0.0),
        ("mip_feasibility_tolerance", 1e-7),
        ("time_limit", max(options.seconds_left, 1e-3)),
    ):
        highs.setOptionValue(name, value)
    highs.passModel(_to_highs(model))
    if start is not None:
        begin = highspy.HighsSolution()
        begin.col_value = start
        highs.setSolution(begin)

    def improved(event: object) -> None:
        out = event.data_out  # type: ignore[attr-defined]
        report(np.array(out.mip_solution, dtype=float), float(out.mip_dual_bound))

    def ticked(event: object) -> None:
        report(None, float(event.data_out.mip_dual_bound))  # type: ignore[attr-defined]

    highs.cbMipImprovingSolution += improved
    highs.cbMipInterrupt += ticked
    highs.run()

    status = highs.getModelStatus()
    info = highs.getInfo()
    if status in (
        highspy.HighsModelStatus.kInfeasible,
        highspy.HighsModelStatus.kUnboundedOrInfeasible,
    ):
        return Answer("infeasible", None, -np.inf)
    found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    solution = np.array(highs.getSolution().col_value, dtype=float) if found else None
    proved = status == highspy.HighsModelStatus.kOptimal
    return Answer("optimal" if proved else "stopped", solution, float(info.mip_dual_bound))


def _to_highs(model: Model) -> object:
    import highspy

    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = model.n_variables, model.n_rows
    lp.col_cost_ = model.objective
    lp.col_lower_, lp.col_upper_ = model.low, model.high
    lp.row_lower_, lp.row_upper_ = model.row_low, model.row_high
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = model.matrix.indptr
    lp.a_matrix_.index_ = model.matrix.indices
    lp.a_matrix_.value_ = model.matrix.data
    kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
    lp.integrality_ = [kinds[int(flag)] for flag in model.integer]
    lp.sense_ = highspy.ObjSense.kMaximize
    return lp
