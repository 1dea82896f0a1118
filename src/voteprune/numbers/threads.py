"""How many threads the libraries of linear algebra may take, said without looking for them anew."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController


def threadpool_limits(threads: int, api: str | None = None) -> AbstractContextManager[object]:
    """Limit the threads of libraries that are loaded, as threadpoolctl's function of this name.

    That one reads the memory map of the process at every call: milliseconds, more than many a
    small problem takes to solve.

    Parameters
    ----------
    threads
        How many a library may take.
    api
        "blas" or "openmp" for libraries of one kind alone.
    """
    found: AbstractContextManager[object] = _libraries(len(sys.modules)).limit(
        limits=threads, user_api=api
    )
    return found


@lru_cache(maxsize=1)
def _libraries(modules: int) -> Any:
    """Return the libraries that are loaded; they come with modules, so these are counted."""
    return ThreadpoolController()
