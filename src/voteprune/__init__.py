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

from .compare import compare
from .displays import ConvergenceDisplay, DiversityDisplay, FrontDisplay
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
from .front import front
from .problem.committee import Committee
from .problem.confusion import Confusion
from .problem.constraints import AtLeast, AtMost, Budget, Forbid, Group, Require
from .problem.criteria import CURVES, METRICS, FBeta
from .problem.diversity import CONFIGURATIONS, Diversity
from .problem.formulas import Ratio, Weights
from .problem.margin import Hinge, Ramp
from .problem.measures import MEASURES, diversity_matrix
from .problem.pairwise import FailureCredit
from .problem.plurality_committee import PluralityCommittee
from .prune import prune
from .run.incumbent import Progress
from .soft.committee import SoftCommittee
from .soft.probabilities import Probabilities
from .solve.comparison import Comparison
from .solve.explanation import Explanation, MemberRole, Swap
from .solve.fronts import Cheapest, Front, FrontPoint
from .solve.plurality_solution import PluralitySolution
from .solve.promise import Promise, occam_bound, promise
from .solve.soft_explain import SoftExplanation
from .solve.soft_solution import SoftSolution
from .solve.solution import Solution
from .solvers import Solver, solvers
from .strategies.registry import methods
from .votes.patterns import Patterns
from .votes.plurality import PluralityVotes
from .votes.votes import Votes

if _TYPE_CHECKING:
    from .estimator import (
        PrunedVotingClassifier,
        prune_ensemble,
        to_onnx,
        to_voting_classifier,
    )

__version__ = _version("voteprune")

_ESTIMATORS = ("PrunedVotingClassifier", "prune_ensemble", "to_onnx", "to_voting_classifier")

__all__ = [
    "CONFIGURATIONS",
    "CURVES",
    "MEASURES",
    "METRICS",
    "AtLeast",
    "AtMost",
    "Budget",
    "Cheapest",
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
    "Group",
    "Hinge",
    "InfeasibleError",
    "InputError",
    "MemberRole",
    "OutputError",
    "Patterns",
    "PluralityCommittee",
    "PluralitySolution",
    "PluralityVotes",
    "Probabilities",
    "Progress",
    "Promise",
    "PrunedVotingClassifier",
    "Ramp",
    "Ratio",
    "Require",
    "SoftCommittee",
    "SoftExplanation",
    "SoftSolution",
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
    "occam_bound",
    "promise",
    "prune",
    "prune_ensemble",
    "solvers",
    "to_onnx",
    "to_voting_classifier",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> object:
    # scikit-learn takes a second to import, which nobody who has votes already should wait for.
    if name in _ESTIMATORS:
        return getattr(_import_module(".estimator", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
