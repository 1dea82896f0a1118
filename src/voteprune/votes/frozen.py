"""`Frozen`, `HardVotes`: what tables of votes and probabilities are made of, filled once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..numbers.exact import IntArray
from .abstaining import Abstentions
from .picking import read_columns


class Frozen:
    """Values in slots that nothing can change; it crosses the borders of processes unvalidated."""

    __slots__: tuple[str, ...] = ()

    labels: NDArray[Any]
    names: tuple[str, ...]

    @property
    def n_rows(self) -> int:
        """Number of rows n."""
        return len(self.labels)

    @property
    def n_classifiers(self) -> int:
        """Number of classifiers K."""
        return len(self.names)

    @classmethod
    def _made(cls, **values: Any) -> Self:
        """Return one of what is to be in its slots, which has been validated before."""
        made = cls.__new__(cls)
        made._fill(**values)
        return made

    @classmethod
    def _slots(cls) -> set[str]:
        """Return the slots of the class and of those it is made from."""
        return {slot for kind in cls.__mro__ for slot in getattr(kind, "__slots__", ())}

    def _but(self, **values: Any) -> Self:
        """Return the same but for some slots."""
        return self._made(**{slot: getattr(self, slot) for slot in self._slots()} | values)

    def _fill(self, **values: Any) -> None:
        assert values.keys() == self._slots()
        for slot, value in values.items():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
            object.__setattr__(self, slot, value)

    def __setattr__(self, name: str, value: object) -> None:
        kind = type(self).__name__
        raise AttributeError(f"{kind} is immutable; build a new one instead of setting {name!r}.")

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), {slot: getattr(self, slot) for slot in self._slots()})


class HardVotes(Frozen):
    """What `Votes` and `PluralityVotes` are made of alike; each says what its attributes mean."""

    __slots__ = (
        "abstentions", "classes", "cutoff", "denominator", "labels", "matrix", "names", "voted",
        "weights",
    )  # fmt: skip

    matrix: NDArray[Any]
    weights: IntArray
    denominator: int
    classes: tuple[Any, ...]
    abstentions: Abstentions | None
    cutoff: float
    voted: NDArray[np.bool_] | None

    def select(self, columns: Sequence[int] | Sequence[str] | NDArray[Any]) -> Self:
        """Return the votes of some of the classifiers, in the order given.

        Parameters
        ----------
        columns
            Their places or names, or a truth value for each classifier.
        """
        chosen = read_columns(columns, self.names)
        return self._but(
            matrix=np.ascontiguousarray(self.matrix[:, chosen]),
            names=tuple(self.names[k] for k in chosen),
            voted=None if self.voted is None else self.voted[:, chosen],
        )


def _restore(kind: type[Frozen], values: dict[str, Any]) -> Frozen:
    return kind._made(**values)
