"""What a broken limit on a criterion costs a walk."""

from __future__ import annotations

import numpy as np

from ..formulation.model import Floats

_PENALTY = 4.0
"""What a violated limit on a criterion weighs against the objective."""


def price_of(limited: Floats, net: Floats) -> float:
    """Return what a walk pays for each unit that is missing.

    Parameters
    ----------
    limited
        What each pattern adds to the criterion when it is called positive.
    net
        What it adds to the objective.
    """
    return float(_PENALTY * max(np.abs(net).sum(), 1.0) / max(np.abs(limited).sum(), 1.0))
