"""``voteprune data``: which data sets are there, are they right, and how to get them."""

from __future__ import annotations

from pathlib import Path

from voteprune.cli.console import PROVED, UNPROVED, say
from voteprune.cli.output import aligned, emit
from voteprune.exceptions import InputError

from ..experiment.datasets import (
    Dataset,
    catalogue,
    data_folder,
    fingerprint_of,
    load,
    locate,
)
from ..experiment.download import download
from ..experiment.raw import clean


def list_command(*, data_dir: Path | None = None) -> int:
    """List the data sets, their sizes in the paper's table, and where they are.

    theta is N1 / N; features are the columns that classifiers see.

    Parameters
    ----------
    data_dir
        Folder with the data sets; $VOTEPRUNE_DATA when omitted, or else ./data.
    """
    folder = data_folder(data_dir)
    rows = [["id", "N", "N0", "N1", "theta", "features", "where", "name"]]
    for dataset in catalogue().values():
        counts = (dataset.rows, dataset.negatives, dataset.positives)
        told = [*map(str, counts), f"{dataset.theta:.2f}", str(dataset.features)]
        rows.append([dataset.id, *told, _where(dataset, folder), dataset.name])
    emit(aligned(rows))
    return PROVED


def check_command(*ids: str, data_dir: Path | None = None) -> int:
    """Read data sets and compare them with the paper's table and the known checksums.

    Parameters
    ----------
    ids
        Which; all that are there when none is named.
    data_dir
        Folder with the data sets; $VOTEPRUNE_DATA when omitted, or else ./data.
    """
    folder = data_folder(data_dir)
    rows = [["id", "N, N0, N1", "checksum"]]
    wrong = 0
    for dataset in _chosen(ids, folder):
        try:
            path = locate(dataset, folder)
            load(dataset, path)
            same = not dataset.sha256 or fingerprint_of(path) == dataset.sha256
            word = "none known" if not dataset.sha256 else "right" if same else "DIFFERS"
            rows.append([dataset.id, "right", word])
            wrong += not same
        except InputError as error:
            rows.append([dataset.id, f"WRONG: {error.message}", ""])
            wrong += 1
    emit(aligned(rows))
    return UNPROVED if wrong else PROVED


def import_command(dataset: str, file: Path, /, *, data_dir: Path | None = None) -> int:
    """Turn a published FILE into the clean copy of a data set.

    Parameters
    ----------
    dataset
        Its id, see "voteprune data list".
    file
        What UCI publishes, the table or the ZIP archive with it; or a clean copy.
    data_dir
        Folder with the data sets; $VOTEPRUNE_DATA when omitted, or else ./data.
    """
    (known,) = _chosen((dataset,), Path())
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InputError("FILE", f"{file} cannot be read: {error.strerror}.") from None
    copy = clean(known, data, str(file))
    path = copy.save(data_folder(data_dir))
    if known.sha256 and not copy.known:
        say("N, N0 and N1 are right, but the text is not the one whose checksum is known.")
    say(f"{known.id} is in {path}")
    return PROVED


def download_command(*ids: str, mirror: str | None = None, data_dir: Path | None = None) -> int:
    """Fetch data sets. No other command uses the network.

    Parameters
    ----------
    ids
        Which, see "voteprune data list".
    mirror
        Address of a folder with clean copies, ID.csv.gz; the UCI repository when omitted.
    data_dir
        Folder to put them in; $VOTEPRUNE_DATA when omitted, or else ./data.
    """
    if not ids:
        raise InputError("IDS", "name the data sets to fetch, see voteprune data list.")
    folder = data_folder(data_dir)
    for dataset in _chosen(ids, folder):
        if dataset.id == "bcw":
            say("bcw comes with scikit-learn; there is nothing to fetch.")
            continue
        say(f"{dataset.id} is in {download(dataset, folder, mirror)}")
    return PROVED


def _chosen(ids: tuple[str, ...], folder: Path) -> list[Dataset]:
    known = catalogue()
    for name in ids:
        if name not in known:
            raise InputError("IDS", f"{name!r} is not known. Known are {', '.join(known)}.")
    if ids:
        return [known[name] for name in ids]
    return [dataset for dataset in known.values() if _where(dataset, folder) != "missing"]


def _where(dataset: Dataset, folder: Path) -> str:
    try:
        path = locate(dataset, folder)
    except InputError:
        return "missing"
    return "scikit-learn" if path is None else str(path)
