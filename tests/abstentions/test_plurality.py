"""Whoever abstains counts for nothing, or for the first class; the optimum is found and proved."""

from contextlib import contextmanager
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
@pytest.mark.parametrize("searching", [True, False])
def test_so_it_is_by_the_integer_program(rule, searching):
    """With search, and without, so that nothing is owed to the committees it brings."""
    with mock.patch.object(exact, "ENUMERATE", 0), _search(searching):
        for seed in range(1000, 1015):
            assert list(faults(seed, rule, limited=True)) == [], seed


@contextmanager
def _search(there):
    if there:
        with mock.patch.multiple(exact, _FIRST_SEARCH=0.05, _LONG_SEARCH=0.05):
            yield
    else:
        with (
            mock.patch.object(exact.Searching, "search"),
            mock.patch.object(exact, "offer_openings"),
        ):
            yield


@pytest.mark.parametrize("method", ["search", "hc-acc", "full", "best"])
def test_heuristics_recount_and_claim_nothing(method):
    for seed in range(3000, 3015):
        assert list(faults(seed, "skip", limited=True, method=method)) == [], seed
