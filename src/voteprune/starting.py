"""Ctrl-C while the command line loads its modules ends it quietly, with exit code 130.

Loading takes a second or more, most of it before any function of the command line runs: so the
package imports this module first. Nothing has begun by then that would have to be cleaned up. In
every other program that imports the package, Ctrl-C is none of our business.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Sequence

INTERRUPTED = 130
"""The exit code of a command that Ctrl-C has ended."""


def is_command_line(words: Sequence[str]) -> bool:
    """Tell whether a process was started as ``voteprune`` or ``python -m voteprune.cli``.

    Parameters
    ----------
    words
        As in `sys.orig_argv`, which workers do not inherit.
    """
    rest = iter(words[1:])
    for word in rest:
        if word.startswith("-m"):
            return (word[2:] or next(rest, "")) == "voteprune.cli"
        if not word.startswith("-"):
            return os.path.basename(word) in ("voteprune", "voteprune.exe")  # noqa: PTH119 - quick
        if word in ("-X", "-W"):
            next(rest, "")
    return False


def loaded() -> None:
    """Give Ctrl-C its usual meaning back."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(*_: object) -> None:
    # An exception could be swallowed, or reported, by whatever module is just being loaded.
    os._exit(INTERRUPTED)


if (
    is_command_line(sys.orig_argv)
    and signal.getsignal(signal.SIGINT) is signal.default_int_handler  # nobody ignores it
):
    with contextlib.suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGINT, _leave)
