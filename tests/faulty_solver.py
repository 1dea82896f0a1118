"""A solver with every vice; which one, the seed says.

`VICES` show: what they claim is refuted by a recount. `LIES` are claims that no recount refutes as
long as nobody has found anything better.
"""

import os
import signal
import time

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from voteprune.solvers import Answer

VICES = (
    "crash", "crash after a report", "exit", "hang", "raise", "nonsense", "wrong shape",
    "bound too low", "false optimum", "false infeasible", "optimum without a solution", "nan",
)  # fmt: skip
LIES = (
    "start as optimum", "optimum too early", "infeasible without a start", "contradicts itself",
)  # fmt: skip


def seed_of(vice):
    """The seed that makes it so."""
    return (*VICES, *LIES).index(vice)


def somewhat_good(model, gap):
    """A solution of the model that is no farther than this from the optimum."""
    answer = milp(
        -model.objective,
        integrality=model.integer,
        bounds=Bounds(model.low, model.high),
        constraints=LinearConstraint(model.matrix, model.row_low, model.row_high),
        options={"mip_rel_gap": gap},
    )
    return answer.x


def solve(model, options, start, report):
    vice = (*VICES, *LIES)[options.seed]
    print("solvers talk on stdout, which must not disturb anyone")
    perfect = model.high.copy()
    match vice:
        case "crash after a report":
            report(start, 1e6)
            os.kill(os.getpid(), signal.SIGSEGV)
        case "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "exit":
            os._exit(7)
        case "hang":
            time.sleep(1000)
        case "raise":
            raise ValueError("I do not feel like it")
        case "nonsense":
            return "42"
        case "wrong shape":
            return Answer("optimal", np.zeros(3), 1.0)
        case "bound too low":
            return Answer("optimal", start, -1e6)
        case "false optimum":
            # Claims that every pattern is decided at its best, whatever the members.
            return Answer("optimal", perfect, float(np.abs(model.objective).sum()))
        case "false infeasible":
            return Answer("infeasible", None, -np.inf)
        case "optimum without a solution":
            return Answer("optimal", None, float(np.abs(model.objective).sum()))
        case "nan":
            return Answer("optimal", start, np.nan)
        case "start as optimum":
            if start is not None:
                return Answer("optimal", start, float(model.objective @ start))
            return Answer("infeasible", None, -np.inf)
        case "optimum too early":
            early = somewhat_good(model, 0.5)
            if early is None:
                return Answer("infeasible", None, -np.inf)
            return Answer("optimal", early, float(model.objective @ early))
        case "infeasible without a start":
            if start is None:
                return Answer("infeasible", None, -np.inf)
            best = somewhat_good(model, 0.0)
            return Answer("optimal", best, float(model.objective @ best))
        case "contradicts itself":
            report(start, float(model.objective @ start))
            better = somewhat_good(model, 0.0)
            return Answer("optimal", better, float(model.objective @ better))
    raise AssertionError(vice)
