"""Every exact path against brute force from the definitions; `make proof` runs thousands more."""

import pytest

from instances import random_instance
from proof import KINDS, check, exact_paths

PATHS = exact_paths()
SEEDS = range(10_000, 10_030)
FEWER = range(10_000, 10_015)
"""For the integer programs, which are the same whoever solves them."""


@pytest.mark.parametrize("name", PATHS)
def test_every_exact_path_finds_the_optimum_and_never_bounds_below_it(name):
    # Smaller than in the long run, so that eight solver paths fit into a minute.
    wrong = [
        line
        for seed in (SEEDS if PATHS[name]["method"] in ("brute", "exact") else FEWER)
        for line in check(
            random_instance(seed, most_classifiers=7, most_rows=30), {name: PATHS[name]}
        )
    ]
    assert wrong == []


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "weighted sums"])
@pytest.mark.slow
def test_other_kinds_of_problems_are_part_of_the_long_proof(kind):
    # Bad starts have a test of their own; these are small ones.
    for seed in (2, 3) if kind.startswith("bad") else (20_000, 20_001):
        paths, wrong, _ = KINDS[kind](seed)
        assert len(paths) > 2
        assert wrong == []
