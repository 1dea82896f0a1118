"""`Yardstick`: what committees of a problem are worth, as fractions that compare exactly.

Weighted sums and margins are counted in units; other formulas have a score, which is the value or
its square with a sign. Whatever it is, more is better, and it can be read as the value that users
know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..numbers.exact import float_above
from ..problem.committee import Committee
from ..problem.formulas import Ratio
from ..problem.problem import Problem
from ..run.incumbent import Account, Ledger, best_by_score

Seated = tuple[Committee, Fraction]
"""A committee and its score."""


@dataclass(frozen=True, slots=True)
class Yardstick:
    """What a problem's committees are measured by.

    Parameters
    ----------
    problem
        The judge.
    """

    problem: Problem

    def score(self, committee: Committee) -> Fraction:
        """Return what a committee is worth."""
        if self.problem.formula is None:
            return Fraction(self.problem.units(committee))
        return self.problem.formula.score(self.problem.confusion(committee))

    def best(self, members: Sequence[int]) -> Seated | None:
        """Return these members with the best threshold that is allowed; None if none is."""
        if self.problem.formula is not None:
            return best_by_score(self.problem, self.problem.formula, members)
        found = self.problem.best_threshold(members)
        return None if found is None else (found[0], Fraction(found[1]))

    def read(self, score: Fraction) -> float:
        """Return the value that a score stands for."""
        if self.problem.formula is None:
            return float(score * self.problem.gains.unit)
        return self.problem.formula.read(score)

    def read_above(self, score: Fraction) -> float:
        """Return a float that is not below the value a score stands for."""
        if self.problem.formula is None:
            return float_above(score * self.problem.gains.unit)
        return self.problem.formula.read_above(score)

    def score_of(self, value: float) -> Fraction:
        """Return the score of a value, exactly."""
        exact = Fraction(value)
        if self.problem.formula is None:
            return exact / self.problem.gains.unit
        return exact if isinstance(self.problem.formula, Ratio) else exact * abs(exact)

    def standing(self, ledger: Ledger) -> tuple[Fraction | None, Fraction]:
        """Return the best score in a ledger of this problem, and the bound."""
        if isinstance(ledger, Account):
            return ledger.score, ledger.top
        return None if ledger.units is None else Fraction(ledger.units), Fraction(ledger.bound)

    def tighten(self, ledger: Ledger, bound: Fraction, by: Sequence[str]) -> None:
        """Enter a bound into a ledger of this problem, if it is lower than what it has.

        A solver's word that the best committee there refutes is not entered.

        Parameters
        ----------
        ledger, bound
            Where it goes, and what no committee exceeds.
        by
            The solvers whose word that is; none for what voteprune has proved.
        """
        best = self.standing(ledger)[0]
        if by and best is not None and best > bound:
            return
        if isinstance(ledger, Account):
            lower = min(ledger.top, bound)
            ledger.bound_by(lower, ledger.proved_top if by else lower, by)
        else:
            ledger.tighten(bound, by)
