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
import sys as _sys
from importlib import import_module as _import_module
from importlib.metadata import version as _version
from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING as _TYPE_CHECKING

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

if _TYPE_CHECKING:
    from .compare import compare
    from .displays import ConvergenceDisplay, DiversityDisplay, FrontDisplay
    from .estimator import (
        PrunedVotingClassifier,
        prune_ensemble,
        to_onnx,
        to_voting_classifier,
    )
    from .front import front
    from .partners.autogluon import PrunedPredictor, prune_autogluon
    from .problem.committee import Committee
    from .problem.confusion import Confusion
    from .problem.constraints import AtLeast, AtMost, Budget, Forbid, Group, Require
    from .problem.diversity import CONFIGURATIONS, Diversity
    from .problem.diversity_measures import MEASURES, diversity_matrix
    from .problem.formulas import Ratio, Weights
    from .problem.margin import Hinge, Ramp
    from .problem.metrics import CURVES, METRICS, FBeta
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

__version__ = _version("voteprune")

_NAMES = {
    ".compare": "compare",
    ".displays": "ConvergenceDisplay DiversityDisplay FrontDisplay",
    ".estimator": "PrunedVotingClassifier prune_ensemble to_onnx to_voting_classifier",
    ".front": "front",
    ".partners.autogluon": "PrunedPredictor prune_autogluon",
    ".problem.committee": "Committee",
    ".problem.confusion": "Confusion",
    ".problem.constraints": "AtLeast AtMost Budget Forbid Group Require",
    ".problem.metrics": "CURVES METRICS FBeta",
    ".problem.diversity": "CONFIGURATIONS Diversity",
    ".problem.formulas": "Ratio Weights",
    ".problem.margin": "Hinge Ramp",
    ".problem.diversity_measures": "MEASURES diversity_matrix",
    ".problem.pairwise": "FailureCredit",
    ".problem.plurality_committee": "PluralityCommittee",
    ".prune": "prune",
    ".run.incumbent": "Progress",
    ".soft.committee": "SoftCommittee",
    ".soft.probabilities": "Probabilities",
    ".solve.comparison": "Comparison",
    ".solve.explanation": "Explanation MemberRole Swap",
    ".solve.fronts": "Cheapest Front FrontPoint",
    ".solve.plurality_solution": "PluralitySolution",
    ".solve.promise": "Promise occam_bound promise",
    ".solve.soft_explain": "SoftExplanation",
    ".solve.soft_solution": "SoftSolution",
    ".solve.solution": "Solution",
    ".solvers": "Solver solvers",
    ".strategies.registry": "methods",
    ".votes.patterns": "Patterns",
    ".votes.plurality": "PluralityVotes",
    ".votes.votes": "Votes",
}
"""The public names by the modules they live in. Each is imported when it is first asked for: SciPy
and scikit-learn take a second, for which nobody should wait who asks for ``voteprune --help``."""

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
    "PrunedPredictor",
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
    "prune_autogluon",
    "prune_ensemble",
    "solvers",
    "to_onnx",
    "to_voting_classifier",
]


def __dir__() -> list[str]:
    return __all__


class _Package(_ModuleType):
    """The package, with its public names as properties.

    Of some names, `prune` for one, there is a function and the module in which it lives. Importing
    the module binds it to the package under that name; a property stays what it is.
    """


def _late(home: str, name: str) -> property:
    def get(package: _ModuleType) -> object:
        own = package.__dict__
        return own[name] if name in own else getattr(_import_module(home, __name__), name)

    def bind(package: _ModuleType, value: object) -> None:
        if not isinstance(value, _ModuleType):
            package.__dict__[name] = value

    return property(get, bind)


for _home, _names in _NAMES.items():
    for _name in _names.split():
        setattr(_Package, _name, _late(_home, _name))
_sys.modules[__name__].__class__ = _Package
