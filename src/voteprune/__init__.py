"""Prune ensembles of classifiers with proof.

Given the votes of K trained classifiers on a validation set, choose the committee that is best
for your criterion under your constraints, and learn how far from optimal it can be::

    import voteprune as vp

    votes = vp.Votes(predictions, y)
    solution = vp.prune(votes, objective="balanced_accuracy")
    print(solution.summary())
"""

from . import starting as _starting  # noqa: F401 - first of all, see there

# isort: split
from importlib import import_module as _import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING as _TYPE_CHECKING

from .committee import Committee
from .compare import compare
from .comparison import Comparison
from .confusion import Confusion
from .constraints import AtLeast, AtMost, Budget, Forbid, Require
from .displays import ConvergenceDisplay, DiversityDisplay, FrontDisplay
from .diversity import CONFIGURATIONS, Diversity
from .exceptions import (
    FileFormatError,
    InfeasibleError,
    InputError,
    OutputError,
    SolverError,
    SolverLicenceError,
    SolverNotInstalled,
    VotepruneError,
)
from .explanation import Explanation, MemberRole, Swap
from .formulas import Ratio, Weights
from .front import Front, FrontPoint, front
from .ledger import Progress
from .margins import Hinge, Ramp
from .measures import MEASURES, diversity_matrix
from .methods import methods
from .objectives import CURVES, METRICS, FBeta
from .pairwise import FailureCredit
from .patterns import Patterns
from .plurality import PluralityCommittee, PluralitySolution, PluralityVotes
from .prune import prune
from .solution import Solution
from .solvers import Solver, solvers
from .votes import Votes

if _TYPE_CHECKING:
    from .estimator import PrunedVotingClassifier, prune_ensemble, to_onnx

__version__ = _version("voteprune")

_ESTIMATORS = ("PrunedVotingClassifier", "prune_ensemble", "to_onnx")

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
    "ConvergenceDisplay",
    "Diversity",
    "DiversityDisplay",
    "Explanation",
    "FBeta",
    "FailureCredit",
    "FileFormatError",
    "Forbid",
    "Front",
    "FrontDisplay",
    "FrontPoint",
    "Hinge",
    "InfeasibleError",
    "InputError",
    "MemberRole",
    "OutputError",
    "Patterns",
    "PluralityCommittee",
    "PluralitySolution",
    "PluralityVotes",
    "Progress",
    "PrunedVotingClassifier",
    "Ramp",
    "Ratio",
    "Require",
    "Solution",
    "Solver",
    "SolverError",
    "SolverLicenceError",
    "SolverNotInstalled",
    "Swap",
    "VotepruneError",
    "Votes",
    "Weights",
    "compare",
    "diversity_matrix",
    "front",
    "methods",
    "prune",
    "prune_ensemble",
    "solvers",
    "to_onnx",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> object:
    # scikit-learn takes a second to import, which nobody who has votes already should wait for.
    if name in _ESTIMATORS:
        return getattr(_import_module(".estimator", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
