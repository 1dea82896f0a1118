"""What a run over soft committees found and proved."""

from __future__ import annotations

from dataclasses import dataclass

from .problem import Floats


@dataclass(frozen=True, slots=True, eq=False)
class SoftResult:
    """A committee with its weights, its loss, and how much less any other could have.

    Parameters
    ----------
    members
        Who sits, in rising order.
    weights
        Their weights, zero or above.
    intercepts
        One for two classes, one per class for more (the last is 0), none for linear pools.
    penalised_loss
        Loss plus lambda / 2 times the sum of squared weights, a weighted sum over the rows.
    loss
        The loss alone, a weighted sum over the rows.
    lower_bound
        No allowed committee has a penalised loss below it.
    total_weight
        Sum of the rows' weights; figures divided by it are means.
    nodes
        How many nodes the tree has worked on.
    proved
        Whether no other set of members is better by more than the tolerance.
    tolerance
        Share of the penalised loss.
    """

    members: tuple[int, ...]
    weights: Floats
    intercepts: Floats
    penalised_loss: float
    loss: float
    lower_bound: float
    total_weight: float
    nodes: int
    proved: bool
    tolerance: float

    @property
    def mean_loss(self) -> float:
        """The loss per unit of row weight."""
        return self.loss / self.total_weight

    @property
    def gap(self) -> float:
        """How much less another committee could have, as a share of the penalised loss."""
        if self.penalised_loss <= 0:
            return 0.0
        return max(0.0, (self.penalised_loss - self.lower_bound) / self.penalised_loss)
