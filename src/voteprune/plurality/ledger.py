"""`PluralityLedger`: best committee and best bound of a run, every entry recounted."""

from __future__ import annotations

from collections.abc import Sequence

from ..ledger import Book, Callback
from .problem import PluralityProblem


class PluralityLedger(Book):
    """The book of a run that looks for a plurality committee.

    Parameters
    ----------
    problem
        What is being solved.
    callback, began
        As for every `Book`.
    """

    def __init__(
        self,
        problem: PluralityProblem,
        callback: Callback | None = None,
        began: float | None = None,
    ) -> None:
        super().__init__(problem.gains, callback, began)
        self.problem = problem
        self.members: tuple[int, ...] | None = None

    def offer(self, members: Sequence[int]) -> bool:
        """Recount a set of members; keep it if it is allowed and beats the best so far."""
        if not members or not self.problem.allows(members):
            return False
        units = self.problem.units(members)
        if self.units is not None and units <= self.units:
            return False
        self.members, self.units = tuple(sorted(members)), units
        self._heed(units > self.bound, units > self.proved)
        self._tell()
        return True
