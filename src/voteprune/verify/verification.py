"""`Verification`: what came of a check, and the notes it is made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from .document import Claim, VotesClaim
from .fields import number, plain

TOO_LARGE = "everything: the table is too large to check here"
"""What is said where nothing is looked at."""


@dataclass(frozen=True)
class Verification:
    """What came of a check.

    Parameters
    ----------
    statement
        What the certificate claims, in words.
    checked
        What was found to hold.
    trusted
        What the claim rests on and nobody can check here.
    failed
        What does not hold.
    """

    statement: tuple[str, ...]
    checked: tuple[str, ...]
    trusted: tuple[str, ...]
    failed: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing failed."""
        return not self.failed

    @property
    def proved(self) -> bool:
        """Whether the claim holds and rests on nothing that must be believed."""
        return self.holds and not self.trusted

    def summary(self) -> str:
        """Return all of it as text."""
        if self.failed:
            verdict = "The certificate does NOT hold."
        elif self.trusted:
            verdict = "Nothing is wrong, but part of the claim is taken on trust."
        else:
            verdict = "The certificate holds: every part of it was checked."
        lines = [verdict]
        for word, items in (
            ("claim", self.statement),
            ("checked", self.checked),
            ("on trust", self.trusted),
            ("FAILED", self.failed),
        ):
            lines += [f"  {word:<10} {item}" for item in items]
        return "\n".join(lines)


@dataclass
class Notes:
    """What a check has found so far."""

    checked: list[str] = field(default_factory=list)
    trusted: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def conclusion(self, statement: Iterable[str]) -> Verification:
        """Return what came of it all, for a claim in words."""
        return Verification(
            tuple(statement), tuple(self.checked), tuple(self.trusted), tuple(self.failed)
        )


def units(claim: VotesClaim, amount: int) -> str:
    """Write an amount that a certificate tells in its own units."""
    return number(amount * claim.unit)


def as_many_rows(claim: Claim, found: int, notes: Notes) -> bool:
    """Tell whether a file has as many rows as its certificate is about; note it where not."""
    if found != claim.n_rows:
        notes.failed.append(
            f"the file has {found} rows, the certificate is about {number(claim.n_rows)}"
        )
    return found == claim.n_rows


def is_about(claim: Claim, digest: str, what: str, size: str, notes: Notes) -> None:
    """Note whether a file with this digest is what the claim is about, and how large it is."""
    if digest != claim.digest:
        notes.failed.append(f"these are not the {what} that the certificate is about")
    else:
        notes.checked.append(f"the {what}: {size}")


def no_committee(claim: Claim, notes: Notes) -> None:
    """Note where a committee should be and is not."""
    if claim.status in ("optimal", "feasible"):
        notes.failed.append(f"the status is {claim.status}, but there is no committee")


def judged(faults: Sequence[str], told: str, notes: Notes) -> None:
    """Note what is wrong with the committee, or what it is if nothing is."""
    notes.failed += [f"the committee: {fault}" for fault in faults]
    if not faults:
        notes.checked.append(f"the committee: {told}, within all limits")


def listed(words: Sequence[str], most: int) -> str:
    """List words, so many at the most, and say how many more there are."""
    more = len(words) - most
    return ", ".join([*words[:most], *([f"{more} more"] if more > 0 else [])])


def value_faults(claim: VotesClaim, value: int) -> Iterator[str]:
    """Yield what is wrong with a claim whose committee is worth so much."""
    if value != claim.value:
        yield f"it is worth {units(claim, value)}"
    if value > claim.bound:
        yield "it is worth more than the bound"
    if claim.status == "infeasible":
        yield "there is one, although the certificate says that there is none"
    if claim.status == "optimal" and value < claim.bound:
        yield "it is called optimal, but the bound is higher"


def believed(claim: VotesClaim) -> str:
    """Say what rests on the word of solvers, and whose; nothing if none has claimed it."""
    backing = [plain(who) for who, bound in claim.trusted if bound <= claim.bound]
    what = "the bound"
    if claim.status == "infeasible":
        what = "that no committee meets the limits"
    return f"{what}, which {', '.join(backing)} claims and nobody can check" if backing else ""


def weights_of(claim: VotesClaim) -> Iterator[str]:
    """Say what rows weigh, where the certificate lists it."""
    if claim.row_weights is not None:
        counted = sum(weight > 0 for weight in claim.row_weights)
        yield (
            f"where rows weigh what the certificate lists: {counted} of {claim.n_rows} weigh more "
            f"than 0, {number(sum(claim.row_weights, Fraction(0)))} in all"
        )


def labels_of(own: str | None, asked: str | None) -> Iterator[str]:
    """Say whose word it is what the truth is, where it is the certificate's own."""
    if own is not None and asked is None:
        yield f"where column '{plain(own)}' is the truth"
