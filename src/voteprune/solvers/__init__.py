"""Solvers behind one small protocol, each in a process of its own."""

from .isolated import OutOfTime, SolverFailure, Worker, call, end_workers, give_up, prepare, solve
from .protocol import Answer, LicenceLimit, Options, Report
from .registry import SOLVERS, Solver, SolverInfo, solvers, whose_word

__all__ = [
    "SOLVERS",
    "Answer",
    "LicenceLimit",
    "Options",
    "OutOfTime",
    "Report",
    "Solver",
    "SolverFailure",
    "SolverInfo",
    "Worker",
    "call",
    "end_workers",
    "give_up",
    "prepare",
    "solve",
    "solvers",
    "whose_word",
]
