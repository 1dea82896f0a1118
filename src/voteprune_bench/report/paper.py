"""What the paper published, and under which names.

The figures lie beside this module, in ``published/``; ``SOURCE.md`` there says whose they are.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

DATASETS = ("PRK", "BCW", "MSK", "QSR", "DRD", "SPA", "DEF", "BMK", "APS")
"""The paper's data sets, smallest first."""

POOL_SIZES = (40, 60, 80, 100)
"""The paper's values of K."""

FORMULATIONS = ("F1", "F2", "F3", "F1-theta")
"""The paper's own configurations."""

BENCHMARKS = ("KP", "BFT", "HC-ACC", "HC-CON", "HC-COM", "HC-UWA", "FE")
"""What it compares them with, in the order of the supplement's tables."""

MAIN_BENCHMARKS = ("BFT", "HC-CON", "HC-UWA", "FE")
"""The four of them that its main text reports on."""

PARTS = MappingProxyType({"APS_PART": "APS"})
"""Data sets that are only a part of one of the paper's. They have no figure of their own there."""

_ALIASES = {"kappa": "KP", "backfitting": "BFT", "full": "FE"}
_ALIASES |= {name.lower(): name for name in BENCHMARKS if name.startswith("HC-")}


@dataclass(frozen=True, slots=True)
class Published:
    """A figure of the paper.

    Parameters
    ----------
    mean
        As printed.
    std
        Its standard deviation; None where the paper prints none.
    """

    mean: float
    std: float | None = None


Key = tuple[str, int, str]
"""Data set, K, method."""


def dataset_name(name: str) -> str:
    """Return the paper's name of a data set, or the name as it is where the paper has none.

    Parameters
    ----------
    name
        As in the records, in any case.
    """
    upper = name.upper()
    return upper if upper in DATASETS else name


def method_name(label: str) -> str:
    """Return the paper's name of a method, or the label as it is where the paper has none.

    Parameters
    ----------
    label
        As in the records; voteprune's own names of the paper's benchmarks are known.
    """
    return _ALIASES.get(label, label)


def whole_of(dataset: str) -> str | None:
    """Return the paper's data set of which this one is only a part."""
    return PARTS.get(dataset.upper())


@cache
def accuracy() -> Mapping[Key, Published]:
    """Return the out-of-sample accuracies."""
    return _by_method("accuracy")


@cache
def balanced_accuracy() -> Mapping[Key, Published]:
    """Return the out-of-sample balanced accuracies."""
    return _by_method("balanced_accuracy")


@cache
def overfitting() -> Mapping[Key, Published]:
    """Return (out-of-sample - in-sample) / in-sample accuracy."""
    return _by_method("overfitting")


@cache
def accuracy_ranks() -> Mapping[tuple[int, str], Published]:
    """Return the average ranks by accuracy: K and method to rank."""
    return _ranks("accuracy_ranks")


@cache
def balanced_accuracy_ranks() -> Mapping[tuple[int, str], Published]:
    """Return the average ranks by balanced accuracy: K and method to rank."""
    return _ranks("balanced_accuracy_ranks")


@cache
def main_accuracy_ranks() -> Mapping[tuple[int, str], Published]:
    """Return the main text's average ranks by accuracy, among seven methods."""
    return _ranks("main_accuracy_ranks")


@cache
def main_balanced_accuracy_ranks() -> Mapping[tuple[int, str], Published]:
    """Return the main text's average ranks by balanced accuracy, among six methods."""
    return _ranks("main_balanced_accuracy_ranks")


@cache
def bold(measure: str) -> frozenset[Key]:
    """Return the figures that the main text prints in bold: above its four benchmarks.

    Parameters
    ----------
    measure
        "accuracy" or "balanced accuracy".
    """
    return frozenset(
        (row["dataset"], int(row["k"]), row["method"])
        for row in _rows("bold")
        if row["measure"] == measure
    )


@cache
def gaps() -> Mapping[Key, Published]:
    """Return the optimality gaps in per cent, of F1 and F3 at K = 100."""
    return MappingProxyType(
        {
            (row["dataset"], 100, method): Published(
                float(row[f"gap_{method.lower()}_mean"]), float(row[f"gap_{method.lower()}_std"])
            )
            for row in _rows("gaps")
            for method in ("F1", "F3")
        }
    )


def _by_method(table: str) -> Mapping[Key, Published]:
    return MappingProxyType(
        {
            (row["dataset"], int(row["k"]), row["method"]): Published(
                float(row["mean"]), float(row["std"])
            )
            for row in _rows(table)
        }
    )


def _ranks(table: str) -> Mapping[tuple[int, str], Published]:
    return MappingProxyType(
        {
            (int(row["k"]), method): Published(float(rank))
            for row in _rows(table)
            for method, rank in row.items()
            if method != "k"
        }
    )


def _rows(table: str) -> list[dict[str, str]]:
    text = (files(__package__) / "published" / f"{table}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
