"""Whatever the prices, no bound of the checker is below a committee it bounds."""

import json
from fractions import Fraction
from functools import partial
from itertools import combinations

import numpy as np
import pytest

from certified import best_of, document_of, gainful_problem, write_votes
from voteprune.strategies.certificate import Certificate
from voteprune.verify.charges import FINE, Charges, Standing, sound_row
from voteprune.verify.document import Row, read_document
from voteprune.verify.limits import Limits
from voteprune.verify.pool import Pool, merge
from voteprune.verify.table import read_table

problem_of = partial(gainful_problem, most_classifiers=5, most_rows=14)

SEEDS = [seed for seed in range(20) if problem_of(seed) is not None]


def setting(seed, tmp_path):
    """A small problem as the checker sees it: document, pool and limits."""
    problem = problem_of(seed)
    certificate = Certificate(problem, "feasible", best_of(problem), problem.gains.ceiling)
    (tmp_path / "c.json").write_text(json.dumps(document_of(certificate)))
    write_votes(tmp_path / "v.csv", problem)
    document = read_document(tmp_path / "c.json")
    table = read_table(tmp_path / "v.csv", document.names, "label")
    pool = Pool.of(document, merge(table, document.row_weights))
    return document, pool, Limits(document, pool)


def random_rows(rng, document, pool, limits):
    """Rows of every kind, with random amounts."""
    everyone = (1 << len(pool.seats)) - 1
    rows = []
    for _ in range(12):
        i = int(rng.integers(len(pool.used)))
        some = int(rng.integers(everyone + 1))
        rows.append(Row((i,), pool.helps[i] & some))
        rows.append(Row((i,), pool.helps[i]))
        rows.append(Row((i,), everyone & ~pool.helps[i] & some, away=True))
        j = int(rng.integers(len(pool.used)))
        if i != j:
            rows.append(Row((i, j), pool.helps[i] & pool.helps[j] & some))
    rows += [Row(limit=("cost", i)) for i in range(len(document.costs))]
    rows += [Row(limit=("criterion", i)) for i in range(len(document.criteria))]
    if document.diversity is not None:
        rows += [Row(limit=("member", k)) for k in range(len(pool.seats))]
    largest = max(pool.weights)
    amounts = rng.random(len(rows)) * largest * (rng.random(len(rows)) < 0.4)
    return [
        (sound_row(row, pool, limits), Fraction(float(amount)))
        for row, amount in zip(rows, amounts, strict=True)
    ]


def allowed_committees(document, pool, limits):
    for size in range(1, len(pool.seats) + 1):
        for places in combinations(range(len(pool.seats)), size):
            members = [pool.seats[place] for place in places]
            for level in range(size):
                if not any(limits.faults(members, level)):
                    yield set(places), level, pool.value(members, level)


@pytest.mark.parametrize("seed", SEEDS)
def test_any_prices_bound_every_allowed_committee_in_every_box_it_is_in(seed, tmp_path):
    document, pool, limits = setting(seed, tmp_path)
    rng = np.random.default_rng(seed)
    k, n = len(pool.seats), len(pool.used)
    committees = list(allowed_committees(document, pool, limits))
    for _ in range(4):
        charges = Charges(pool, random_rows(rng, document, pool, limits))
        decided = {i: int(rng.integers(2)) for i in range(k) if rng.random() < 0.2}
        patterns = {i: int(rng.integers(2)) for i in range(n) if rng.random() < 0.1}
        box, root = (Standing(pool, charges, *d) for d in ((decided, patterns), ({}, {})))
        for places, level, value in committees:
            look = root.look(len(places), level)
            assert look is not None
            assert look.bound >= value * FINE
            for place in range(k):
                forced = look.with_member(place, int(place in places))
                assert forced is not None
                assert value * FINE <= forced <= look.bound
            right = [
                len(places & {p for p in range(k) if pool.helps[i] >> p & 1})
                >= pool.needed(i, len(places), level)
                for i in range(n)
            ]
            fits = all((place in places) == bool(v) for place, v in decided.items())
            fits &= all(
                right[i] == bool(v)
                for i, v in patterns.items()
                # A pattern that must be right says nothing where it cannot be.
                if root.reach[i] >= pool.needed(i, len(places), level) or not v
            )
            if fits:
                inside = box.look(len(places), level)
                assert inside is not None
                assert inside.bound >= value * FINE


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        (Row((0,), 1 << 40), "must not count"),
        (Row((0, 0), 0), "two that differ"),
        (Row((0, 1), 0, away=True), "one pattern"),
        (Row((10**6,), 0), "not there"),
        (Row(limit=("cost", 5)), "not there"),
    ],
)
def test_a_row_that_does_not_hold_is_refused(row, complaint, tmp_path):
    _, pool, limits = setting(SEEDS[0], tmp_path)
    with pytest.raises(ValueError, match=complaint):
        sound_row(row, pool, limits)
