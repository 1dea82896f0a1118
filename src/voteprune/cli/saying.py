"""What the command line needs before it knows what is asked: exit codes, messages, its words."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from contextvars import ContextVar

from ..exceptions import message_of

PROVED, REFUTED, WRONG, UNPROVED, UNWRITTEN = 0, 1, 2, 3, 4
"""The exit codes, with `INTERRUPTED`."""

WORDS: ContextVar[Sequence[str]] = ContextVar("WORDS", default=())
"""The words after the program's name."""


def say(message: str) -> None:
    """Tell a person something, on stderr.

    Parameters
    ----------
    message
        One line, without its end.
    """
    print(f"voteprune: {message_of(message)}", file=sys.stderr)


def command() -> str:
    """Return the command that is being run, for a shell."""
    return shlex.join(["voteprune", *WORDS.get()])
