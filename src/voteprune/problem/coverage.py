"""`Coverage`: on which rows at least one member of a committee votes, and on how many it must."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..numbers.exact import IntArray, ceil_div, sum_by_group, total
from ..votes.patterns import sorted_rows
from ..votes.plurality import PluralityVotes
from ..votes.votes import Votes
from .constraints import AtLeast, Constraint


@dataclass(frozen=True, eq=False)
class Coverage:
    """Who votes where, rows on which the same classifiers vote merged.

    Parameters
    ----------
    voted
        Who votes, G x K.
    weight
        Weight of the rows behind each line, in the unit of the votes' weights.
    least
        Weight of the rows on which a member must vote.
    """

    voted: NDArray[np.bool_]
    weight: IntArray
    least: int = 0

    @classmethod
    def of(cls, votes: Votes | PluralityVotes) -> Coverage | None:
        """Return the coverage of votes; None where everybody votes everywhere."""
        kept = votes.weights > 0
        if votes.voted is None or votes.voted[kept].all():
            return None
        order, new = sorted_rows(votes.voted[kept])
        groups = np.cumsum(new) - 1
        weight = sum_by_group(votes.weights[kept][order], groups, int(groups[-1]) + 1)
        return cls(votes.voted[kept][order[new]], weight)

    def under(self, requests: Sequence[Constraint]) -> Coverage:
        """Return it with as much to be covered as constraints ask for."""
        shares = [
            item.limit for item in requests if isinstance(item, AtLeast) and item.what == "coverage"
        ]
        return replace(self, least=ceil_div(max(shares, default=Fraction(0)) * total(self.weight)))

    def covered(self, members: Sequence[int]) -> int:
        """Return the weight of the rows on which at least one of these votes."""
        return total(self.weight[self.voted[:, list(members)].any(axis=1)])

    def share(self, members: Sequence[int]) -> float:
        """Return the share of the rows on which at least one of these votes."""
        return float(Fraction(self.covered(members), total(self.weight)))

    def meets(self, members: Sequence[int]) -> bool:
        """Tell exactly whether these vote on as many rows as they must."""
        return not self.least or self.covered(members) >= self.least
