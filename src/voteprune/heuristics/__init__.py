"""The literature's pruning methods: fast, without a proof. One small module per family."""

from . import (
    backfitting,
    baselines,
    hill_climbing,
    kappa,
    ordering,
)

HEURISTICS = (
    *baselines.METHODS,
    *backfitting.METHODS,
    *kappa.METHODS,
    *hill_climbing.METHODS,
    *ordering.METHODS,
)
"""Every heuristic, as entries of the one registry of methods."""
