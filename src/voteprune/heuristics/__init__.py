"""The literature's pruning methods: fast, without a proof. One small module per family."""

from . import (
    backfitting,
    baselines,
    caruana,
    checklist,
    cluster,
    drep,
    genetic,
    hill_climbing,
    kappa,
    ordering,
    pareto,
    quadratic,
)

HEURISTICS = (
    *baselines.METHODS,
    *backfitting.METHODS,
    *kappa.METHODS,
    *hill_climbing.METHODS,
    *ordering.METHODS,
    *drep.METHODS,
    *cluster.METHODS,
    *caruana.METHODS,
    *quadratic.METHODS,
    *checklist.METHODS,
    *genetic.METHODS,
    *pareto.METHODS,
)
"""Every heuristic, as entries of the one registry of methods."""
