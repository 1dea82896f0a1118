"""Whoever abstains counts for nothing, or for the first class; the optimum is found and proved."""

from unittest import mock

import numpy as np
import pytest

import voteprune as vp
from plurality_oracle import faults
from voteprune.strategies import exact_plurality as exact

RULES = ["skip", "against", None]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("block", range(2))
def test_the_optimum_is_found_and_proved(rule, block):
    for seed in range(16 * block, 16 * block + 16):
        assert list(faults(seed, rule, limited=True)) == [], seed


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("limited", [True, False])
def test_so_it_is_where_not_all_can_be_tried(rule, limited):
    """By the integer program under limits on decisions, by sizes otherwise."""
    with mock.patch.object(exact, "ENUMERATE", 0):
        for seed in range(1000, 1006):
            assert list(faults(seed, rule, limited=limited)) == [], seed


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("limited", [True, False])
def test_proofs_need_no_search_before_them(rule, limited):
    """Nor do they lean on the committees that it brings."""
    with (
        mock.patch.object(exact, "ENUMERATE", 0),
        mock.patch.object(exact.Searching, "search"),
        mock.patch.object(exact, "offer_openings"),
    ):
        for seed in range(2000, 2005):
            assert list(faults(seed, rule, limited=limited)) == [], seed


@pytest.mark.slow
@pytest.mark.parametrize("method", ["search", "hc-acc", "full", "best"])
def test_heuristics_recount_and_claim_nothing(method):
    for seed in range(3000, 3006):
        assert list(faults(seed, "skip", limited=True, method=method)) == [], seed


@pytest.mark.parametrize("enumerating", [True, False])
def test_a_class_that_is_never_named_has_no_precision(enumerating):
    """0 / 0 is 0, so a floor on it asks that the class is named at all, and a ceiling does not."""
    y = np.array(["a"] * 6 + ["b"] * 3 + ["c"] * 3)
    shy = np.where(y == "c", "b", y)
    bold = np.where(np.arange(12) < 4, "c", y)
    votes = vp.PluralityVotes(np.column_stack([shy, bold]), y, names=["shy", "bold"])
    limit = exact.ENUMERATE if enumerating else 0
    with mock.patch.object(exact, "ENUMERATE", limit):
        free, floor, ceiling = (
            vp.prune(votes, constraints=[vp.AtMost("size", 1), *asked])
            for asked in (
                [],
                [vp.AtLeast("precision", 0.1, of="c")],
                [vp.AtMost("precision", 0.1, of="c")],
            )
        )
    assert (free.committee.names, free.value) == (("shy",), 0.75)
    assert (floor.committee.names, floor.value) == (("bold",), 8 / 12)
    assert ceiling.committee.names == ("shy",)
