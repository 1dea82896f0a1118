"""Some of the rows stand for all: for first committees and for Hessians, never for bounds."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .loss import Loss
from .losses import loss_of
from .problem import Places, SoftProblem

_FEWEST = 50
"""Rows of a class that are taken at least, if there are as many."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A smaller problem with the same ridge, whose classes weigh what they did.

    Parameters
    ----------
    problem, loss
        Of these rows alone.
    rows
        Their places among the rows that carry weight.
    """

    problem: SoftProblem
    loss: Loss
    rows: Places


def sample_of(problem: SoftProblem, n_rows: int) -> Sample:
    """Return about so many rows of a problem, drawn class by class, always the same ones."""
    random = np.random.default_rng(0)
    carrying = np.flatnonzero(problem.weights > 0)
    labels, weights = problem.labels[carrying], problem.weights[carrying]
    drawn, scaled = [], []
    for label in np.flatnonzero(np.bincount(labels)):
        own = np.flatnonzero(labels == label)
        wanted = min(len(own), max(_FEWEST, round(n_rows * len(own) / len(labels))))
        some = np.sort(random.choice(own, wanted, replace=False))
        drawn.append(some)
        scaled.append(weights[some] * (weights[own].sum() / weights[some].sum()))
    rows, heavy = np.concatenate(drawn), np.concatenate(scaled)
    part = replace(
        problem,
        answers=problem.answers[carrying[rows]],
        labels=labels[rows],
        weights=heavy,
        penalty=problem.ridge * len(rows) / float(heavy.sum()),
    )
    return Sample(part, loss_of(part), rows)
