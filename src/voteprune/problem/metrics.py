"""Criteria by name: the metrics that are weighted sums of confusion counts, and those that are not.

`METRICS` are linear in (tp, fn, tn, fp) once the class totals are known, which they are: the
labels are given. `CURVES` are ratios of such sums, and what has a square root in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from ..exceptions import InputError, likely
from ..numbers.exact import exact
from .formulas import Curve, Formula, GeometricMean, Matthews, Ratio, Weights

__all__ = [
    "CURVES",
    "METRICS",
    "Criterion",
    "CurvedMetric",
    "FBeta",
    "Metric",
    "Weights",
    "check_criterion",
    "check_limited",
    "formula_of",
    "resolve",
    "theta_weights",
]

Criterion = str | Formula
"""What users may ask for: a name or a formula of their own."""


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


def FBeta(beta: object = 1) -> Ratio:  # noqa: N802 - reads as the value it makes
    """Return the F-beta score: recall counts beta times as much as precision."""
    square = exact(beta, "FBeta(beta)") ** 2
    if square <= 0 or exact(beta, "FBeta(beta)") < 0:
        raise InputError("FBeta(beta)", f"is {beta!r}; give a number above 0, 1 for F1.")
    return Ratio(Weights(tp=1 + square), Weights(tp=1 + square, fn=square, fp=1))


@dataclass(frozen=True, slots=True)
class CurvedMetric:
    """A named criterion that is no weighted sum.

    Parameters
    ----------
    name
        The name it goes by.
    meaning
        One line for people.
    formula
        Function of the positive and the negative total that gives its formula.
    """

    name: str
    meaning: str
    formula: Callable[[Fraction, Fraction], Curve]


CURVES: dict[str, CurvedMetric] = {
    metric.name: metric
    for metric in (
        CurvedMetric("f1", "harmonic mean of precision and recall", lambda _p, _n: FBeta(1)),
        CurvedMetric("f2", "F-beta, recall twice as important", lambda _p, _n: FBeta(2)),
        CurvedMetric("f0.5", "F-beta, recall half as important", lambda _p, _n: FBeta(0.5)),
        CurvedMetric(
            "jaccard",
            "true positives among all that are or are called positive",
            lambda _p, _n: Ratio(Weights(tp=1), Weights(tp=1, fn=1, fp=1)),
        ),
        CurvedMetric(
            "precision",
            "share of true ones among those called positive; 0 if none is",
            lambda _p, _n: Ratio(Weights(tp=1), Weights(tp=1, fp=1)),
        ),
        CurvedMetric(
            "npv",
            "share of true ones among those called negative; 0 if none is",
            lambda _p, _n: Ratio(Weights(tn=1), Weights(tn=1, fn=1)),
        ),
        CurvedMetric(
            "cohen_kappa",
            "agreement of labels and decisions beyond chance",
            lambda p, n: Ratio(Weights(tp=2 * n, fp=-2 * p), Weights(tp=n, fp=n, fn=p, tn=p)),
        ),
        CurvedMetric(
            "mcc",
            "Matthews' correlation of labels and decisions; 0 if all are decided alike",
            lambda _p, _n: Matthews(),
        ),
        CurvedMetric(
            "gmean", "geometric mean of recall and specificity", lambda _p, _n: GeometricMean()
        ),
    )
}
"""Every criterion by name that is no weighted sum."""

_BETA = re.compile(r"f(\d+(?:\.\d+)?)")


def check_criterion(criterion: object, argument: str) -> Criterion:
    """Return a criterion's name or formula, or say what is known."""
    if isinstance(criterion, Formula):
        return criterion
    if isinstance(criterion, str):
        if criterion in METRICS or criterion in CURVES:
            return criterion
        beta = _BETA.fullmatch(criterion)
        if beta and Fraction(beta[1]) > 0:
            return criterion
    names = [*METRICS, *CURVES]
    raise InputError(
        argument,
        f"unknown criterion {criterion!r}. {likely(criterion, names)}Known are "
        f"{', '.join(names)}, f with any beta as in 'f3', any vp.Weights(tp=..., fn=..., tn=..., "
        "fp=...), and any vp.Ratio(weights, weights); an objective may also be a margin, 'margin' "
        "or vp.Ramp(1). Losses of soft committees, such as 'log_loss', are for vp.Probabilities.",
    )


def formula_of(criterion: Criterion, positives: Fraction, negatives: Fraction) -> Formula:
    """Return the formula of a criterion for data with these class totals."""
    if isinstance(criterion, Formula):
        return criterion
    if criterion in METRICS:
        return METRICS[criterion].weights(positives, negatives)
    if criterion in CURVES:
        return CURVES[criterion].formula(positives, negatives)
    return FBeta(Fraction(criterion[1:]))


def check_limited(criterion: object, argument: str) -> Criterion:
    """Return a criterion that a limit can be put on: limits must come to weighted sums."""
    one = Fraction(1)
    names = ["size", "coverage", *METRICS]
    names += [name for name in CURVES if isinstance(formula_of(name, one, one), Ratio)]
    allowed = (
        f"Limits go on {', '.join(names)}, f with any beta as in 'f3', and any vp.Weights or "
        "vp.Ratio."
    )
    try:
        known = check_criterion(criterion, argument)
    except InputError:
        meant = likely(criterion, names)
        raise InputError(argument, f"unknown {criterion!r}. {meant}{allowed}") from None
    if isinstance(formula_of(known, one, one), Weights | Ratio):
        return known
    raise InputError(argument, f"a limit on {known} is no weighted sum of counts. {allowed}")


def resolve(criterion: Criterion, positives: Fraction, negatives: Fraction) -> Weights:
    """Return the weights of a criterion that is a weighted sum."""
    formula = formula_of(criterion, positives, negatives)
    if not isinstance(formula, Weights):
        raise InputError("criterion", f"{criterion} is no weighted sum. Ask for its formula.")
    return formula
