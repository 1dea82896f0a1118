"""Soft committees find their members by name or by place, or say who is missing."""

import numpy as np
import pandas as pd
import pytest

import voteprune as vp
from voteprune.soft.committee import SoftCommittee

SAID = np.array([[0.9, 0.2, 0.6, 0.5], [0.3, 0.8, 0.1, 0.5], [0.6, 0.6, 0.7, 0.5]])


@pytest.fixture
def committee():
    return SoftCommittee(
        members=(0, 2), names=("a", "c"), weights=(1.0, 0.5), intercepts=(0.25,),
        classes=("no", "yes"), kinds=("probability", "probability"), clip=1e-3, pool_size=4,
    )  # fmt: skip


def test_members_are_found_by_name_and_by_place(committee):
    odds = np.log(SAID / (1 - SAID))
    right = 1 / (1 + np.exp(-(odds[:, 0] + 0.5 * odds[:, 2] + 0.25)))
    frame = pd.DataFrame(SAID[:, ::-1], columns=list("dcba"))
    for given in (SAID, SAID[:, [0, 2]], frame, {name: frame[name] for name in "cab"}):
        shares = committee.predict_proba(given)
        assert shares[:, 1] == pytest.approx(right)
        assert shares.sum(axis=1) == pytest.approx(1)
        assert list(committee.predict(given)) == ["yes" if p > 0.5 else "no" for p in right]


def test_a_member_who_is_missing_is_named(committee):
    frame = pd.DataFrame(SAID[:, :2], columns=["a", "b"])
    for given in (frame, dict(frame)):
        with pytest.raises(vp.InputError, match="has no column for the member 'c'"):
            committee.predict_proba(given)
    with pytest.raises(vp.InputError, match="has 3 columns, the pool has 4 classifiers"):
        committee.predict_proba(SAID[:, :3])
