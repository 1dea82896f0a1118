"""`Verification`: what came of a check, and the notes it is made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .showing import plain


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


def labels_of(own: str | None, asked: str | None) -> Iterator[str]:
    """Say whose word it is what the truth is, where it is the certificate's own."""
    if own is not None and asked is None:
        yield f"where column '{plain(own)}' is the truth"
