"""The bytes of a file, unpacked where they are gzip, and never more than can be worked with."""

from __future__ import annotations

import contextlib
import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from ..exceptions import FileFormatError, InputError, not_installed

MOST_BYTES = 2**30
"""Text of a table, once unpacked; in Parquet, its cells at eight bytes each. Reading takes several
times as much memory. What is larger is refused before it is all in memory."""

_PIECE = 2**24
"""Bytes that are read at once."""


def load(path: str | Path) -> bytes:
    """Return a file's bytes, no longer compressed and no more than `MOST_BYTES`; ``-`` is stdin."""
    try:
        if str(path) == "-":
            return unpack("stdin", _all_of("stdin", sys.stdin.buffer))
        with Path(path).open("rb") as file:
            return unpack(path, _all_of(path, file))
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise FileFormatError(path, f"cannot be read: {reason}.") from None


def unpack(path: str | Path, data: bytes) -> bytes:
    """Return what gzip has packed, or the data if it has not; no more than `MOST_BYTES`."""
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            return _all_of(path, cast("BinaryIO", file))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FileFormatError(path, f"is not a whole gzip file: {error}.") from None


def _all_of(path: str | Path, file: BinaryIO) -> bytes:
    """Read to the end, piece by piece, so that what has no end is noticed."""
    pieces, size = [], 0
    while piece := file.read(_PIECE):
        pieces.append(piece)
        size += len(piece)
        if size > MOST_BYTES:
            raise too_large(path)
    return b"".join(pieces)


def too_large(path: str | Path) -> FileFormatError:
    """Return the error for a table beyond `MOST_BYTES`."""
    return FileFormatError(
        path,
        f"is larger than {MOST_BYTES / 2**30:g} GiB once unpacked, the most that is read. Leave "
        "out rows or columns, or put it into a folder as Parquet: folders of Parquet files are "
        "scanned (voteprune prune FOLDER --target y), whatever their size.",
    )


@contextlib.contextmanager
def enough_memory(path: str | Path) -> Iterator[None]:
    """Say of which file there is too much where memory does not suffice."""
    try:
        yield
    except MemoryError:
        raise FileFormatError(
            path,
            "needs more memory than there is. Leave out rows or columns, or hand the votes to "
            "voteprune.prune as an array.",
        ) from None


def import_polars() -> Any:
    """Return the module polars, as late as can be."""
    try:
        import polars
    except ImportError:
        raise not_installed("polars", "read tables", "cli") from None
    return polars


def is_parquet(path: str | Path, data: bytes) -> bool:
    """Tell a Parquet file by its first bytes, or by its name."""
    return data[:4] == b"PAR1" or Path(path).suffix.lower() in (".parquet", ".pq")
