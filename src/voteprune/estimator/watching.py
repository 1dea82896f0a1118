"""Sign of life: what a fit prints while it trains and proves, and whom it tells."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from sklearn.utils._user_interface import _print_elapsed_time

from ..exceptions import InputError
from ..run.incumbent import Progress
from ..solve.request import check_callback, check_start
from ..strategies.registry import METHODS

SOURCE = "PrunedVotingClassifier"
"""Who speaks."""

_PAUSE = 1.0
"""Seconds between two lines on a proof."""


def check_verbose(verbose: object) -> bool:
    """Return whether to print, as in `sklearn.ensemble.VotingClassifier`.

    Raises
    ------
    InputError
        If it is neither a truth value nor a number.
    """
    if not isinstance(verbose, bool | int):
        raise InputError("verbose", f"is {verbose!r}. Give True or False.")
    return bool(verbose)


def timed(verbose: bool, place: int, total: int, words: str) -> AbstractContextManager[Any]:
    """Print how long a block took, one of several, if that is wanted."""
    if not verbose:
        return nullcontext()
    return _print_elapsed_time(SOURCE, f"({place + 1} of {total}) {words}")  # type: ignore[no-any-return]


def watcher(
    verbose: bool, callback: Callable[[Progress], object] | None, *, losses: bool
) -> Callable[[Progress], object] | None:
    """Return what hears of the proof: the user's own function, lines of text, both or neither.

    Parameters
    ----------
    verbose
        Whether to print.
    callback
        The user's own function; None where there is none.
    losses
        Whether values are minus a loss, which is told as such.

    Raises
    ------
    InputError
        If the user's function cannot be called.
    """
    check_callback(callback)
    if not verbose:
        return callback
    latest = -_PAUSE

    def hear(progress: Progress) -> object:
        nonlocal latest
        now = time.monotonic()
        if now - latest >= _PAUSE or progress.value == progress.bound:
            latest = now
            print(f"[{SOURCE}] {_words(progress, losses)}", flush=True)
        return callback is not None and callback(progress)

    return hear


def _words(progress: Progress, losses: bool) -> str:
    sign, limit = (-1, "is below") if losses else (1, "exceeds")
    best = "no committee yet" if progress.value is None else f"best {sign * progress.value:.6g}"
    # Minus 0 is 0.
    return f"{progress.seconds:.1f} s: {best}, none {limit} {sign * progress.bound + 0.0:.6g}"


def read_start(start: Any, names: Sequence[str] | None, method: object) -> Any:
    """Return a committee to start from as `prune` takes it; members may go by their names.

    Parameters
    ----------
    start
        What was given.
    names
        The pool's names; None where only training makes its members.
    method
        The method's name.

    Raises
    ------
    InputError
        If it is no committee of this pool, or the method starts from none.
    """
    if start is None:
        return None
    known = METHODS.get(str(method))
    if known is not None and not known.proves:
        raise InputError("start", f"{known.name} starts from no committee. Leave it out.")
    if not hasattr(start, "members") and isinstance(start, list | tuple):
        if (texts := [each for each in start if isinstance(each, str)]) and names is None:
            raise InputError("start", "members of an ensemble go by their places. Give those.")
        if unknown := [each for each in texts if each not in (names or ())]:
            raise InputError("start", f"there is no member {unknown[0]!r}. Name those of the pool.")
        start = [names.index(each) if names and isinstance(each, str) else each for each in start]
    if names is not None:
        check_start(start, len(names), names)
    return start
