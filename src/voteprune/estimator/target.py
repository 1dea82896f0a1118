"""`Target`: labels as class numbers, and which class is the positive one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from ..exceptions import InputError
from ..problem.constraints import Constraint, check_constraints
from ..problem.limits import about_positive


@dataclass(frozen=True, slots=True)
class Target:
    """The labels of a data set, numbered.

    Parameters
    ----------
    classes
        The distinct labels, sorted.
    codes
        The place in `classes` of each row's label.
    positive
        The place of the positive class; None where there are more than two.
    """

    classes: NDArray[Any]
    codes: NDArray[np.intp]
    positive: int | None

    def about_positive(self, constraints: object) -> tuple[Constraint, ...]:
        """Return constraints on classes as the votes have them, which know of two no labels.

        Raises
        ------
        InputError
            If one is no constraint, or names a class that `y` does not have.
        """
        requests = check_constraints(constraints)
        if self.positive is None:
            return requests
        labels = self.classes.tolist()
        of_two = (labels[1 - self.positive], labels[self.positive])
        return tuple(about_positive(request, of_two) for request in requests)


def read_target(y: object, pos_label: object) -> Target:
    """Give every label its number.

    Raises
    ------
    InputError
        If there is one class only, or `pos_label` is not one of two.
    """
    # scikit-learn's own words for what no classifier takes: missing, continuous, two-dimensional.
    labels = check_array(column_or_1d(y, warn=True), ensure_2d=False, dtype=None, input_name="y")
    check_classification_targets(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) == 1:
        raise InputError(
            "y",
            f"has one class only, {classes.tolist()[0]!r}, so there is nothing to choose between. "
            "Give rows of two classes or more.",
        )
    return Target(classes, codes, _place_of(pos_label, classes))


def check_weights(sample_weight: NDArray[Any], target: Target) -> NDArray[Any]:
    """Return weights of rows as they are, if they can be such.

    Raises
    ------
    InputError
        If one is below 0, or one class alone carries weight.
    """
    if (sample_weight < 0).any():
        place = int(np.argmax(sample_weight < 0))
        raise InputError(
            "sample_weight",
            f"is {sample_weight[place]:g} for row {place}. Weights are 0 or above: give 0 to a row "
            "that is not to count.",
        )
    left = np.unique(target.codes[sample_weight > 0])
    if len(left) == 1:
        raise InputError(
            "sample_weight",
            f"is 0 for every row but those of class {target.classes.tolist()[left[0]]!r}, so there "
            "is nothing to choose between. Give rows of two classes or more a weight above 0.",
        )
    return sample_weight


def _place_of(pos_label: object, classes: NDArray[Any]) -> int | None:
    if len(classes) > 2:
        if pos_label is not None:
            raise InputError(
                "pos_label",
                f"is {pos_label!r}, but y has {len(classes)} classes, none of which is positive: "
                "the class with most votes wins. Leave it out, or give two classes.",
            )
        return None
    if pos_label is None:
        return 1
    places = [place for place, label in enumerate(classes.tolist()) if label == pos_label]
    if not places:
        listed = ", ".join(repr(label) for label in classes.tolist())
        raise InputError(
            "pos_label",
            f"is {pos_label!r}, but y has the classes {listed}. Give one of them, or None for "
            "the last.",
        )
    return places[0]
