"""Prune ensembles of classifiers with proof.

Given the votes of K trained classifiers on a validation set, choose the committee that is best
for your criterion under your constraints, and learn how far from optimal it can be::

    import voteprune as vp

    votes = vp.Votes(predictions, y)
    solution = vp.prune(votes, objective="balanced_accuracy")
    print(solution.summary())
"""

from importlib.metadata import version as _version

from .committee import Committee
from .compare import compare
from .comparison import Comparison
from .confusion import Confusion
from .constraints import AtLeast, AtMost, Budget, Forbid, Require
from .diversity import CONFIGURATIONS, Diversity
from .exceptions import (
    FileFormatError,
    InputError,
    SolverError,
    SolverLicenceError,
    SolverNotInstalled,
    VotepruneError,
)
from .formulas import Ratio, Weights
from .ledger import Progress
from .measures import MEASURES, diversity_matrix
from .methods import methods
from .objectives import CURVES, METRICS, FBeta
from .pairwise import FailureCredit
from .patterns import Patterns
from .prune import prune
from .solution import Solution
from .solvers import Solver, solvers
from .votes import Votes

__version__ = _version("voteprune")

__all__ = [
    "CONFIGURATIONS",
    "CURVES",
    "MEASURES",
    "METRICS",
    "AtLeast",
    "AtMost",
    "Budget",
    "Committee",
    "Comparison",
    "Confusion",
    "Diversity",
    "FBeta",
    "FailureCredit",
    "FileFormatError",
    "Forbid",
    "InputError",
    "Patterns",
    "Progress",
    "Ratio",
    "Require",
    "Solution",
    "Solver",
    "SolverError",
    "SolverLicenceError",
    "SolverNotInstalled",
    "VotepruneError",
    "Votes",
    "Weights",
    "compare",
    "diversity_matrix",
    "methods",
    "prune",
    "solvers",
]
