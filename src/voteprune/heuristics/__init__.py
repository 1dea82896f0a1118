"""The literature's pruning methods: fast, without a proof. One small module per family."""

from . import (
    baselines,
    caruana,
    checklist,
    evolutionary,
    hill_climbing,
    margineantu,
    ordering,
    quadratic,
)

HEURISTICS = (
    *baselines.METHODS,
    *margineantu.METHODS,
    *hill_climbing.METHODS,
    *ordering.METHODS,
    *caruana.METHODS,
    *quadratic.METHODS,
    *checklist.METHODS,
    *evolutionary.METHODS,
)
"""Every heuristic, as entries of the one registry of methods."""
