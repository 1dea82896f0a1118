"""``voteprune verify``: a certificate against the votes it is about."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ..exceptions import FileFormatError, VotepruneError
from ..tables.file_bytes import import_polars, is_parquet, load
from ..tables.parquet import has_text, read_frame, unreadable
from ..verify import verify
from .console import PROVED, REFUTED
from .output import emit


def verify_command(certificate: Path, file: Path, /, *, target: str | None = None) -> int:
    """Check a certificate against the votes in FILE, in exact arithmetic.

    Recounts the committee, its limits, the minimum cut and every step of the proof, with none of
    the code that made them; of a soft committee its loss, its limits and every node of the tree.
    Says what holds, what fails, and what is taken on trust. The exit code
    is 0 if nothing fails, 1 if anything does, and 2 if a file cannot be read.

    Parameters
    ----------
    certificate
        What "voteprune prune --certificate" wrote.
    file
        The votes, or the probabilities where it is about a soft committee: CSV, plain or gzipped,
        or Parquet, which polars turns into CSV for the checker.
    target
        Label column; the one named in the certificate when omitted.
    """
    try:
        with _as_csv(file) as table:
            found = verify(certificate, table, target)
    except (VotepruneError, OSError):
        raise
    except Exception as error:
        # Python would end with 1, which says that the certificate does not hold.
        what = f"{certificate} could not be checked: {type(error).__name__}: {error}."
        raise VotepruneError(what) from error
    emit(found.summary() + "\n")
    return PROVED if found.holds else REFUTED


@contextlib.contextmanager
def _as_csv(file: Path) -> Iterator[Path]:
    """Give the checker a table of text: it has the standard library alone, which reads no Parquet.

    The votes have a digest in the certificate, so a table that came out wrong is refused.
    """
    if not is_parquet(file, _first_bytes(file)):
        yield file
        return
    pl = import_polars()
    frame = read_frame(file, load(file), pl)
    written = [name for name, kind in frame.schema.items() if has_text(kind, pl)]
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "votes.csv"
        try:
            frame.select(written).write_csv(table)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            raise unreadable(file, error) from None
        try:
            yield table
        except FileFormatError as error:
            if error.path != str(table):
                raise
            raise FileFormatError(file, error.message, error.line) from None


def _first_bytes(file: Path) -> bytes:
    """Return what tells a Parquet file; nothing where the checker is to say what is wrong."""
    try:
        with file.open("rb") as opened:
            return opened.read(4)
    except (OSError, ValueError):
        return b""
