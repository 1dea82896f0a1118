"""Fetch data sets.

This is the only module of the package that uses the network, and only when
``voteprune data download`` is called.
"""

from __future__ import annotations

import http.client
import urllib.request
from pathlib import Path

from voteprune.exceptions import InputError

from .datasets import Dataset
from .raw import clean

MOST = 512 * 2**20
"""No data set comes near this; anything larger is not one."""


def download(dataset: Dataset, folder: Path, mirror: str | None = None) -> Path:
    """Fetch a data set, check it, and put its clean copy into the data folder.

    Parameters
    ----------
    dataset
        Which.
    folder
        The data folder.
    mirror
        Address of a folder with clean copies, ``ID.csv.gz``; the UCI repository when omitted.

    Raises
    ------
    InputError
        If it cannot be fetched, or is not what the catalogue's checksum says; nothing is written
        then.
    """
    address = _address(dataset, mirror)
    copy = clean(dataset, _fetch(dataset, address), address)
    if dataset.sha256 and not copy.known:
        raise InputError(
            dataset.id,
            f"what {address} holds has the right numbers of rows but not the checksum "
            f"{dataset.sha256[:12]}..., so a value or its spelling differs. If you trust it, save "
            f"it yourself and import it: voteprune data import {dataset.id} FILE",
        )
    return copy.save(folder)


def _address(dataset: Dataset, mirror: str | None) -> str:
    if mirror is not None:
        address = f"{mirror.rstrip('/')}/{dataset.id}.csv.gz"
    else:
        address = (dataset.raw or {}).get("url", "")
    if not address:
        raise InputError(
            dataset.id,
            "has no address that a program could read. Fetch it by hand and import it "
            f"(voteprune data import {dataset.id} FILE), or name a mirror with --mirror.",
        )
    if not address.startswith(("http://", "https://")):
        raise InputError("mirror", f"is {mirror!r}; give an address that begins with http.")
    return address


def _fetch(dataset: Dataset, address: str) -> bytes:
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            expected = answer.headers.get("Content-Length")
            data: bytes = answer.read(MOST + 1)
    except (OSError, http.client.HTTPException, ValueError) as error:  # an address may be none
        reason = getattr(error, "reason", error)
        raise InputError(dataset.id, f"cannot be fetched from {address}: {reason}.") from None
    if len(data) > MOST or (expected is not None and len(data) != int(expected)):
        raise InputError(dataset.id, f"{address} sent {len(data)} bytes, {expected} announced.")
    return data
