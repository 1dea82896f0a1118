"""Files are written whole or not at all; what cannot be written is named."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

from ..exceptions import InputError, OutputError


def write_text(path: str | Path, text: str) -> None:
    """Write a file so that a reader sees the old content or the new, never a part.

    It is UTF-8, but for names of files that are not, which stay the bytes they are.

    Raises
    ------
    OutputError
        If it cannot be written.
    """
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise OutputError(path, str(error)) from None
    write_bytes(path, data)


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write a file of bytes, whole or not at all.

    Raises
    ------
    OutputError
        If it cannot be written: the disk is full, the folder read-only.
    """
    target = Path(path)
    try:
        if target.is_relative_to("/dev") or (target.exists() and not target.is_file()):
            # A device, a pipe or a stream of this process is written to, never replaced by a file.
            with target.open("ab") as stream:
                stream.write(data)
        else:
            _replace(target.resolve(), data)  # a link stays, and the file it leads to changes
    except OSError as error:
        raise OutputError(path, error.strerror or str(error)) from None


def make_folder(path: Path) -> None:
    """Make a folder, and those above it, where there is none; OutputError if that cannot be."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(path, error.strerror or str(error)) from None


def check_folder(path: Path, argument: str) -> None:
    """Refuse a file that cannot be written to, before the work rather than after it.

    A disk that is full is not refused: it may have room when there is something to write.
    """
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return
        raise InputError(
            argument,
            f"cannot write to the directory {path.parent}: {error.strerror}. Name a file in a "
            "directory that exists and may be written to.",
        ) from None


def _replace(target: Path, data: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        # Temporary files are private; the result is as readable as any file written plainly.
        mask = os.umask(0)
        os.umask(mask)
        Path(temporary).chmod(target.stat().st_mode if target.exists() else 0o666 & ~mask)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
