"""Every error voteprune raises on purpose.

::

    VotepruneError
    ├── InputError (also a ValueError)      an argument is wrong; `.argument` names it
    │   ├── FileFormatError                 a file is wrong; `.path` and `.line` say where
    │   └── InfeasibleError                 no committee meets the constraints
    ├── OutputError (also an OSError)       a file cannot be written; `.path` names it
    └── SolverError (also a RuntimeError)   the solver asked for cannot do the work
        ├── SolverNotInstalled              `.cure` is the command that installs it
        └── SolverLicenceError              the model is larger than the licence allows

Messages have three beats: what is wrong, what is allowed, what to do. They quote what users bring,
so they are one line of printable characters, and short, whatever that was.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path

LONGEST = 1000
"""Characters of a message; what is longer is cut in the middle."""


def shown(text: str) -> str:
    """Return a text on one line, with escapes for what a terminal would obey rather than print.

    That is all that `str.isprintable` refuses: control characters, marks that turn the direction
    of writing, line ends and halves of surrogate pairs. Printable text comes back as it is.
    """
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


def message_of(text: str) -> str:
    """Return a text as a message: shown, and cut where it is longer than `LONGEST`.

    The middle is left out, because a message begins with what is wrong and ends with what to do.
    """
    if len(text) <= LONGEST and len(whole := shown(text)) <= LONGEST:
        return whole
    cut = f" [… {len(text)} characters, cut …] "
    tail = (LONGEST - len(cut)) // 3
    head = LONGEST - len(cut) - tail
    return shown(text[:head])[:head] + cut + shown(text[-tail:])[-tail:]


def likely(word: object, names: Iterable[str]) -> str:
    """Ask whether a name that is nearly the same was meant; nothing where none is."""
    near = difflib.get_close_matches(word, list(names), 1) if isinstance(word, str) else []
    return f"Did you mean {near[0]!r}? " if near else ""


class VotepruneError(Exception):
    """Base of all errors raised on purpose by this package."""


class InputError(VotepruneError, ValueError):
    """An argument is wrong.

    Parameters
    ----------
    argument
        Name of the offending argument, as the caller wrote it.
    message
        What is wrong, what is allowed, what to do.
    """

    def __init__(self, argument: str, message: str) -> None:
        self.argument = message_of(argument)
        self.message = message_of(message)
        super().__init__(f"{self.argument}: {self.message}")

    def __reduce__(self) -> tuple[type[InputError], tuple[str, str]]:
        # Exceptions cross process borders in parallel runs; the default would lose an argument.
        return type(self), (self.argument, self.message)


def not_installed(package: str, purpose: str, extra: str) -> InputError:
    """Return what to raise where a package of an extra is missing: "is needed to ..."."""
    return InputError(
        package, f"is needed to {purpose}. Install it: pip install 'voteprune[{extra}]'"
    )


class FileFormatError(InputError):
    """A file cannot be read as what it claims to be.

    Parameters
    ----------
    path
        The file, or a word for it when the text came from elsewhere.
    message
        What is wrong, what is allowed, what to do.
    line
        One-based line number where the trouble starts, when there is one.
    """

    def __init__(self, path: str | Path, message: str, line: int | None = None) -> None:
        where = f"{path}, line {line}" if line is not None else str(path)
        super().__init__(where, message)
        self.path = str(path)
        self.line = line

    def __reduce__(self) -> tuple[type[FileFormatError], tuple[str, str, int | None]]:  # type: ignore[override]
        return type(self), (self.path, self.message, self.line)


class InfeasibleError(InputError):
    """No committee meets the constraints; the message names those that clash.

    Raised where there is nothing to return without a committee, as by an estimator's `fit`;
    `prune` itself returns a solution that says so.
    """


class OutputError(VotepruneError, OSError):
    """A file could not be written; what was to be in it is not lost, where anybody can hold it.

    Parameters
    ----------
    path
        The file, or a word for where the output was to go.
    reason
        Why, in the words of the operating system.
    """

    def __init__(self, path: str | Path, reason: str) -> None:
        super().__init__(message_of(f"{path}: cannot be written: {reason}."))
        self.path = str(path)
        self.strerror = reason

    def __reduce__(self) -> tuple[type[OutputError], tuple[str, str]]:
        return type(self), (self.path, self.strerror or "")


class SolverError(VotepruneError, RuntimeError):
    """The solver that was asked for cannot do the work."""


class SolverNotInstalled(SolverError):  # noqa: N818 - reads as the sentence it is
    """The solver is not importable, or its release is known to be wrong."""

    def __init__(self, message: str, cure: str = "") -> None:
        super().__init__(f"{message} {cure}".strip())
        self.cure = cure


class SolverLicenceError(SolverError):
    """The model is larger than the solver's licence allows."""
