"""A solver with every vice; which one, the seed says."""

import os
import signal
import time

import numpy as np

from voteprune.solvers import Answer

VICES = (
    "crash", "crash after a report", "exit", "hang", "raise", "nonsense", "wrong shape",
    "bound too low", "false optimum", "false infeasible", "optimum without a solution", "nan",
)  # fmt: skip


def solve(model, options, start, report):
    vice = VICES[options.seed]
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
    raise AssertionError(vice)
