"""Criteria: weights on the confusion counts, and the metrics that are such weights.

Every criterion here is linear in (tp, fn, tn, fp) once the class totals are known, which they
are: the labels are given. Ratios such as F1 are built from linear ones by their own methods.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from .confusion import Confusion
from .exact import exact, show
from .exceptions import InputError


@dataclass(frozen=True, slots=True)
class Weights:
    """A weighted sum of confusion counts, ``W_tp tp + W_fn fn + W_tn tn + W_fp fp``.

    Any finite numbers, negative ones too: ``Weights(tp=1, tn=1, fp=-5)`` says that a false
    alarm costs five times what a correct answer earns.
    """

    tp: Fraction = Fraction(0)
    fn: Fraction = Fraction(0)
    tn: Fraction = Fraction(0)
    fp: Fraction = Fraction(0)

    def __init__(self, tp: object = 0, fn: object = 0, tn: object = 0, fp: object = 0) -> None:
        for name, value in (("tp", tp), ("fn", fn), ("tn", tn), ("fp", fp)):
            object.__setattr__(self, name, exact(value, f"weight {name}"))

    def value(self, confusion: Confusion) -> Fraction:
        """Return the weighted sum for these counts, exactly."""
        return (
            self.tp * confusion.tp
            + self.fn * confusion.fn
            + self.tn * confusion.tn
            + self.fp * confusion.fp
        )

    def at_stake(self, confusion: Confusion) -> float:
        """Return all that is added up; gains and losses may all but cancel in the value."""
        positives = (abs(self.tp) + abs(self.fn)) * confusion.positives
        return float(positives + (abs(self.tn) + abs(self.fp)) * confusion.negatives)

    def __str__(self) -> str:
        pairs = ((name, getattr(self, name)) for name in ("tp", "fn", "tn", "fp"))
        return "weights(" + ", ".join(f"{name}={show(w)}" for name, w in pairs if w) + ")"


@dataclass(frozen=True, slots=True)
class Metric:
    """A named criterion, linear once the class totals are known.

    Parameters
    ----------
    name
        The name it goes by, scikit-learn's where scikit-learn has one.
    meaning
        One line for people.
    weights
        Function of the positive and the negative total that gives its weights.
    """

    name: str
    meaning: str
    weights: Callable[[Fraction, Fraction], Weights]


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(
            "accuracy",
            "share of rows decided correctly",
            lambda p, n: Weights(tp=1 / (p + n), tn=1 / (p + n)),
        ),
        Metric(
            "balanced_accuracy",
            "mean of recall and specificity; the paper's theta weights in another unit",
            lambda p, n: Weights(tp=1 / (2 * p), tn=1 / (2 * n)),
        ),
        Metric("recall", "share of positive rows found", lambda p, _: Weights(tp=1 / p)),
        Metric("specificity", "share of negative rows spared", lambda _, n: Weights(tn=1 / n)),
        Metric("false_positive_rate", "1 - specificity", lambda _, n: Weights(fp=1 / n)),
        Metric("false_negative_rate", "1 - recall", lambda p, _: Weights(fn=1 / p)),
        Metric("tp", "number of true positives", lambda _p, _n: Weights(tp=1)),
        Metric("fn", "number of false negatives", lambda _p, _n: Weights(fn=1)),
        Metric("tn", "number of true negatives", lambda _p, _n: Weights(tn=1)),
        Metric("fp", "number of false positives", lambda _p, _n: Weights(fp=1)),
    )
}
"""Every linear criterion by name."""


def theta_weights(positives: Fraction, negatives: Fraction) -> Weights:
    """Return the paper's theta-weighted objective: W_tp = 1 - theta, W_tn = theta.

    With theta the share of positives, it is balanced accuracy times the constant
    ``2 positives negatives / (positives + negatives)`` (the paper's theorem 1).
    """
    theta = positives / (positives + negatives)
    return Weights(tp=1 - theta, tn=theta)


def check_criterion(criterion: object, argument: str) -> str | Weights:
    """Return a metric's name or weights, or say what is known."""
    if isinstance(criterion, Weights) or (isinstance(criterion, str) and criterion in METRICS):
        return criterion
    raise InputError(
        argument,
        f"unknown criterion {criterion!r}. Known are {', '.join(METRICS)}, "
        "and any vp.Weights(tp=..., fn=..., tn=..., fp=...).",
    )


def resolve(criterion: str | Weights, positives: Fraction, negatives: Fraction) -> Weights:
    """Return the weights of a criterion for data with these class totals."""
    if isinstance(criterion, Weights):
        return criterion
    return METRICS[criterion].weights(positives, negatives)
