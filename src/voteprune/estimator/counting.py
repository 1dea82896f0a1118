"""Counting hard votes as the committee counts them, abstentions included."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..problem.committee import Committee
from ..problem.plurality_committee import PluralityCommittee
from .voter import ABSTAINS, Codes


def votes_ahead(
    committee: Committee | PluralityCommittee, codes: Codes, positive: int | None, n_classes: int
) -> NDArray[np.float64]:
    """Return how far ahead the second of two classes is, or the votes for every class of more.

    Parameters
    ----------
    committee
        Whose rule it is.
    codes
        The number of the class each member votes for, `ABSTAINS` where it says nothing.
    positive
        The number of the positive class; None where there are more than two.
    n_classes
        How many there are.
    """
    if positive is None:
        votes = np.column_stack([(codes == place).sum(axis=1) for place in range(n_classes)])
        if committee.abstentions == "against":
            votes[:, 0] += (codes == ABSTAINS).sum(axis=1)
        return votes * 1.0
    mine = codes == positive
    if isinstance(committee, Committee):
        ahead = mine @ np.array(committee.multiplicities) - (committee.threshold + 0.5)
    else:
        # Those who vote decide, and a tie is negative.
        ahead = mine.sum(axis=1) - (codes == 1 - positive).sum(axis=1) - 0.5
    return np.asarray(ahead if positive == 1 else -ahead)


def votes_told(codes: Codes, positive: int | None, gaps: bool) -> NDArray[np.int64 | np.float64]:
    """Return the members' votes as numbers: 1 for the positive class, or the class's number.

    Parameters
    ----------
    codes, positive
        As for `votes_ahead`.
    gaps
        Whether members may abstain, which is NaN then.
    """
    votes = np.asarray(codes if positive is None else codes == positive, dtype=np.int64)
    return np.where(codes == ABSTAINS, np.nan, votes) if gaps else votes
