"""The fingerprint of what members said, which a certificate is known by."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def digest_of(
    names: Sequence[str],
    classes: Sequence[Any],
    labels: NDArray[Any],
    members: Sequence[NDArray[Any]],
) -> str:
    """Return the fingerprint of what members said, before clipping and logarithms.

    `verify.soft_table.digest` computes the same of a file, and docs/certificate.md defines it.

    Parameters
    ----------
    names, classes
        Of the members, and in the order of the last axis.
    labels
        Places of the true classes.
    members
        What each said: n answers for two classes, n x C for more; NaN where one is missing.
    """
    found = hashlib.sha256(json.dumps([list(names), list(classes)]).encode() + b"\n")
    found.update(np.asarray(labels).astype("<f8").tobytes())
    for member in members:
        said = np.asarray(member, dtype=np.float64).reshape(len(labels), -1) + 0.0
        said[np.isnan(said)] = np.nan
        for column in said.T:
            found.update(column.astype("<f8").tobytes())
    return found.hexdigest()
