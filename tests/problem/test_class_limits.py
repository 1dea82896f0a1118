"""Whoever abstains counts for nothing, or for the first class; the optimum is found and proved."""

from unittest import mock

import pytest

from plurality_oracle import faults
from voteprune.strategies import exact_plurality as exact

RULES = ["skip", "against", None]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("block", range(2))
def test_the_optimum_is_found_and_proved(rule, block):
    for seed in range(40 * block, 40 * block + 40):
        assert list(faults(seed, rule, limited=True)) == [], seed


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("limited", [True, False])
def test_so_it_is_where_not_all_can_be_tried(rule, limited):
    """By the integer program under limits on decisions, by sizes otherwise."""
    with mock.patch.object(exact, "ENUMERATE", 0):
        for seed in range(1000, 1010):
            assert list(faults(seed, rule, limited=limited)) == [], seed


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("limited", [True, False])
def test_proofs_need_no_search_before_them(rule, limited):
    """Nor do they lean on the committees that it brings."""
    with (
        mock.patch.object(exact, "ENUMERATE", 0),
        mock.patch.object(exact.Searching, "search"),
        mock.patch.object(exact, "offer_openings"),
    ):
        for seed in range(2000, 2008):
            assert list(faults(seed, rule, limited=limited)) == [], seed


@pytest.mark.parametrize("method", ["search", "hc-acc", "full", "best"])
def test_heuristics_recount_and_claim_nothing(method):
    for seed in range(3000, 3015):
        assert list(faults(seed, "skip", limited=True, method=method)) == [], seed
