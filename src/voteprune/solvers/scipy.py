"""HiGHS as SciPy ships it, through `scipy.optimize.milp`: no warm start, nothing on the way."""

from __future__ import annotations

import numpy as np

from ..numbers.floats import Floats
from ..solvers.model import Model
from .protocol import Answer, Options, Report


def solve(model: Model, options: Options, start: Floats | None, report: Report) -> Answer:
    """Solve with `scipy.optimize.milp`, which always runs on one thread."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    result = milp(
        -model.objective,
        integrality=model.integer.astype(int),
        bounds=Bounds(model.low, model.high),
        constraints=LinearConstraint(model.matrix, model.row_low, model.row_high),
        options={
            "time_limit": max(options.seconds_left, 1e-3),
            "presolve": options.presolve,
            "mip_rel_gap": 0.0,
        },
    )
    if result.status in (2, 4) and result.x is None:
        # Status 4 is "unbounded or infeasible"; with all variables bounded it is the latter.
        return Answer("infeasible", None, -np.inf)
    bound = np.inf if result.mip_dual_bound is None else -float(result.mip_dual_bound)
    return Answer("optimal" if result.status == 0 else "stopped", result.x, bound)
