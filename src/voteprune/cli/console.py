"""What a person is told on stderr: messages and the live line; exit codes, and the words asked.

The live line says how long a run has lasted, its incumbent, bound and gap. It is drawn only if
stderr is a terminal; pipes and files get nothing. It vanishes when the run ends. rich draws it and
comes with cyclopts, so it is imported late; so is the library, for help is to be there at once.
"""

from __future__ import annotations

import contextlib
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING

from ..exceptions import message_of

if TYPE_CHECKING:
    from ..run.incumbent import Progress

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


@contextlib.contextmanager
def live_line(*, losses: bool = False) -> Iterator[Callable[[Progress], None] | None]:
    """Show a live line on stderr while the block lasts, if a person may be looking.

    Parameters
    ----------
    losses
        Whether values are minus a loss, which is told as such.

    Yields
    ------
    callable or None
        The callback for `prune` that feeds the line; None where none is shown.
    """
    with _shown(losses=losses) as line:
        yield None if line is None else line.hear


@contextlib.contextmanager
def live_methods() -> Iterator[Callable[[str, Progress | None], None] | None]:
    """Show a live line on the method that is running, likewise.

    Yields
    ------
    callable or None
        The callback for `compare` that feeds the line; None where none is shown.
    """
    with _shown() as line:
        yield None if line is None else line.hear_of


@contextlib.contextmanager
def _shown(*, losses: bool = False) -> Iterator[_Line | None]:
    # Asked of the stream itself: rich would also believe environment variables.
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.live import Live

    line = _Line(losses=losses)
    with Live(
        line,  # type: ignore[arg-type]
        console=Console(stderr=True),
        refresh_per_second=4,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    ):
        yield line


class _Line:
    """Where the run stands, as one line that is redrawn while it lasts."""

    def __init__(self, *, losses: bool = False) -> None:
        self._sign = -1 if losses else 1
        self._began = time.perf_counter()
        self._latest: Progress | None = None
        self._method = ""

    def hear_of(self, method: str, progress: Progress | None) -> None:
        if progress is None:
            self._began, self._method = time.perf_counter(), method
        self._latest = progress

    def hear(self, progress: Progress) -> None:
        self._latest = progress

    def __rich__(self) -> object:
        from rich.text import Text

        words = [self._method] if self._method else []
        words.append(f"{time.perf_counter() - self._began:6.1f} s")
        if self._latest is not None:
            value, gap = self._latest.value, self._latest.gap
            words += [
                f"incumbent {'none' if value is None else f'{self._sign * value:.6g}'}",
                f"bound {self._sign * self._latest.bound + 0.0:.6g}",  # minus 0 is 0
                f"gap {'unknown' if gap is None else f'{100 * gap:.3g} %'}",
            ]
        return Text("   ".join(words), no_wrap=True, overflow="ellipsis")
