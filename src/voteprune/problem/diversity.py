"""`Diversity`: limits on how much the members of a committee differ, pair by pair.

A member's diversity is the mean of a pairwise measure over the other members, the committee's the
mean over all pairs. Limits bind on the side that is less diverse: floors for failure credit and
disagreement, of which there should be much, ceilings for double faults, Q, correlation and kappa,
of which there should be little.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..exceptions import InputError
from ..numbers.exact import exact

CONFIGURATIONS = ("F1", "F2", "F3", "F1-theta")
"""The paper's named configurations; F1-theta is F1 on balanced accuracy."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Where the values of a measure lie, and which end of them is diverse.

    Parameters
    ----------
    word
        What a person calls a member's mean.
    low, high
        The least and the largest value there can be.
    more_is_diverse
        Whether limits are floors; else they are ceilings.
    """

    word: str
    low: int
    high: int
    more_is_diverse: bool

    @property
    def worst(self) -> Fraction:
        """The value that is least diverse, which as a limit binds nobody."""
        return Fraction(self.low if self.more_is_diverse else self.high)

    @property
    def sign(self) -> int:
        """The factor that makes more more diverse, and a ceiling a floor."""
        return 1 if self.more_is_diverse else -1


SCALES = {
    "fc": Scale("PFC", 0, 1, more_is_diverse=True),
    "disagreement": Scale("disagreement", 0, 1, more_is_diverse=True),
    "double_fault": Scale("double fault", 0, 1, more_is_diverse=False),
    "q": Scale("Q", -1, 1, more_is_diverse=False),
    "correlation": Scale("correlation", -1, 1, more_is_diverse=False),
    "kappa": Scale("kappa", -1, 1, more_is_diverse=False),
}
"""Every measure of `voteprune.measures`, by name."""


@dataclass(frozen=True, slots=True, init=False)
class Diversity:
    """Limits on the members' diversity.

    Parameters
    ----------
    tau
        Limit on every single member's mean over the other members; none when omitted.
    gamma
        Limit on the committee's mean over all pairs, at least as strict as `tau`: the committee's
        mean is never worse than its worst member's, so omitting it is the same as ``gamma=tau``.
    measure
        "fc" for the paper's failure credit, whose mean is the PFC, or "disagreement": then the
        limits are floors, in [0, 1]. "double_fault", in [0, 1], or "q", "correlation" or
        "kappa", in [-1, 1]: then they are ceilings.

    Notes
    -----
    A committee of one has no pairs and meets every limit. Limits are compared exactly, those on
    the correlation too, which is a fraction over a square root.
    """

    tau: Fraction
    gamma: Fraction
    measure: str

    def __init__(self, tau: object = None, gamma: object = None, measure: str = "fc") -> None:
        scale = SCALES[check_measure(measure)]
        worst = scale.worst if tau is None else exact(tau, "tau")
        mean = worst if gamma is None else exact(gamma, "gamma")
        for name, value in (("tau", worst), ("gamma", mean)):
            if not scale.low <= value <= scale.high:
                raise InputError(
                    name,
                    f"is {float(value):g}; limits on {measure} lie in [{scale.low}, {scale.high}].",
                )
        if scale.sign * mean < scale.sign * worst:
            side, extreme = ("below", "least") if scale.more_is_diverse else ("above", "largest")
            raise InputError(
                "gamma",
                f"is {float(mean):g}, {side} tau = {float(worst):g}. The mean is never {side} the "
                f"{extreme}, so gamma must not be {side} tau.",
            )
        object.__setattr__(self, "tau", worst)
        object.__setattr__(self, "gamma", mean)
        object.__setattr__(self, "measure", measure)

    @property
    def scale(self) -> Scale:
        """Where the measure's values lie."""
        return SCALES[self.measure]

    @property
    def limits_members(self) -> bool:
        """Whether `tau` binds anybody."""
        return self.tau != self.scale.worst

    @property
    def limits_mean(self) -> bool:
        """Whether `gamma` asks for more than `tau` does."""
        return self.gamma != self.tau

    @property
    def idle(self) -> bool:
        """Whether every committee meets the limits."""
        return self.gamma == self.scale.worst

    def __str__(self) -> str:
        sign = ">=" if self.scale.more_is_diverse else "<="
        word = self.scale.word
        every = "every PFC" if self.measure == "fc" else f"every member's mean {word}"
        parts = [f"{every} {sign} {float(self.tau):.4g}"] if self.limits_members else []
        if self.limits_mean:
            parts.append(f"mean {word} {sign} {float(self.gamma):.4g}")
        return " and ".join(parts) or "no diversity limit"


def check_measure(measure: object) -> str:
    """Return a measure's name, or say which there are."""
    if not isinstance(measure, str) or measure not in SCALES:
        raise InputError("measure", f"{measure!r} is not known. Known are {', '.join(SCALES)}.")
    return measure


def check_diversity(diversity: object) -> str | Diversity | None:
    """Return a configuration's name or limits, or say what is allowed."""
    if diversity is None or isinstance(diversity, Diversity):
        return diversity
    if isinstance(diversity, str) and diversity in CONFIGURATIONS:
        return diversity
    raise InputError(
        "diversity",
        f"{diversity!r} is not known. Give one of {', '.join(CONFIGURATIONS)}, "
        "vp.Diversity(tau=..., gamma=..., measure=...), or None.",
    )
