"""More than two classes: committees that decide by plurality.

Every member names one class, the class named most often wins, and of several named equally often
the first in the order of the classes. There is no threshold. Two classes belong to `Votes`, which
knows faster ways.
"""

from .committee import PluralityCommittee
from .problem import PluralityCriterion
from .prune import Wishes, check_plurality_plan, prune_plurality
from .solution import PluralitySolution
from .votes import PluralityVotes

__all__ = [
    "PluralityCommittee",
    "PluralityCriterion",
    "PluralitySolution",
    "PluralityVotes",
    "Wishes",
    "check_plurality_plan",
    "prune_plurality",
]
