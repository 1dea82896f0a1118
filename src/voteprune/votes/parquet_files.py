"""Which Parquet files a path, a folder or a pattern names."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..exceptions import FileFormatError, InputError


def parquet_files(source: object) -> list[str]:
    """Return the files that a path, a folder, a pattern or several of them name."""
    if isinstance(source, str | Path):
        source = [source]
    if not isinstance(source, Iterable) or hasattr(source, "columns"):
        raise InputError(
            "source",
            f"is a {type(source).__name__}; expected Parquet files, a polars LazyFrame or a Dask "
            "data frame. A frame in memory goes to vp.Votes.",
        )
    found: list[str] = []
    for path in source:
        if not isinstance(path, str | Path):
            raise InputError("source", f"holds {path!r:.60}; expected paths.")
        place = Path(path)
        if place.is_dir():
            inside = sorted(map(str, [*place.glob("*.parquet"), *place.glob("*.pq")]))
        elif any(mark in str(path) for mark in "*?["):
            inside = sorted(
                map(str, Path(place.anchor or ".").glob(str(place.relative_to(place.anchor))))
            )
        else:
            inside = [str(path)] if place.exists() else []
        if not inside:
            raise FileFormatError(path, "names no Parquet file that exists.")
        found += inside
    return found
