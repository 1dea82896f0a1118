"""Whatever prices are put on whatever rows, the checker believes nothing false of several classes.

Rows of every kind, counting anybody they may, prices found at any size and carried to any other,
prices on costs: no committee is above a bound, and no member is decided on without reason.
"""

from itertools import combinations

import numpy as np
import pytest

from pluralcerts import check, node, pool_of, proved, said
from pluralities import known
from pluralparts import KINDS, committees, inside, random_row, standing
from voteprune.verify.plurality_document import plurality_document_of
from voteprune.verify.plurality_pool import PluralityPool, Standing, bits
from voteprune.verify.plurality_prices import Charges, Counter
from voteprune.verify.plurality_trying import Trying


def random_prices(rng, found, case):
    """Prices on some rows and on limits, now low, now high."""
    top = rng.choice([0.1, 1.0, 10.0]) * max(1, case.scale)
    return {
        "size": int(rng.integers(1, len(found["votes"]["names"]) + 1)),
        "rows": [
            [row, float(rng.random() * top)]
            for row in range(len(found["rows"]))
            if rng.random() < 0.3
        ],
        "limits": [
            [place, float(rng.random() * top)] for place in range(len(found["limits"]["costs"]))
        ],
    }


def with_random_prices(rng, case, bound=0):
    found = said(case, bound)
    found["rows"] = [random_row(rng, case) for _ in range(25)]
    found["prices"] = [random_prices(rng, found, case) for _ in range(4)]
    return found


@pytest.mark.parametrize("seed", range(8))
def test_no_committee_is_above_a_bound_in_any_part(seed, tmp_path):
    rng, case = np.random.default_rng(seed), known(seed)
    pool = pool_of(with_random_prices(rng, case), case, tmp_path)
    counter = Counter(pool)
    for members, value in committees(case):
        assert pool.value(members) == value
        whole = Standing(len(members), sum(1 << k for k in members), 0)
        assert not pool.empty(whole)
        parts = [whole, standing(rng, pool, len(members), rng.random())]
        for part in parts:
            if inside(part, members):
                for prices in (None, *pool.document.prices):
                    bound = counter.bound(counter.charges(prices, part.size), part)
                    assert bound.most >= value << counter.shift
        # With everybody decided and nothing priced nothing is left open.
        bound = counter.bound(counter.charges(None, whole.size), whole)
        assert bound.most == value << counter.shift


def test_what_it_takes_to_have_a_member_otherwise():
    """The bound with one in, or out, is the best sum of pay that has it so."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        case = known(int(rng.integers(1000)))
        found = said(case, 0)
        pool = PluralityPool(plurality_document_of("c.json", found), [])
        counter = Counter(pool)
        size = int(rng.integers(1, len(case.problem.allowed) + 1))
        part = standing(rng, pool, size, 0.2)
        if pool.root(size).seats < 0 or not 0 <= part.seats <= part.free.bit_count():
            continue
        pay = tuple(rng.integers(-20, 20, len(found["votes"]["names"])).tolist())
        bound = counter.bound(Charges(pay, {}, 0), part)
        free, sure = bits(part.free), sum(pay[k] for k in bits(part.sits))
        sums = [
            (set(who), sure + sum(pay[k] for k in who)) for who in combinations(free, part.seats)
        ]
        assert bound.most == max(total for _, total in sums)
        for k in free:
            for sits in (False, True):
                there = [total for who, total in sums if (k in who) == sits]
                assert bound.having(k, sits=sits) == max(there, default=None)


def decided_without_reason(case, found, rng):
    """Decide that everybody sits as in a committee that is not the best, at a size with others.

    Only that deciding is false: what is left was tried, and is no better than is said.
    """
    sizes = {len(members) for members, _ in committees(case)}
    for size in sorted(sizes, reverse=True):
        scores = [(who, score) for who, score in committees(case) if len(who) == size]
        best = max(score for _, score in scores)
        tops = [set(who) for who, score in scores if score == best]
        required = set(found["limits"]["required"])
        free = [int(k) for k in case.problem.allowed if k not in required]
        for who in combinations(rng.permutation(free).tolist(), size - len(required)):
            if required | set(who) in tops:
                continue
            found["limits"] |= {"size_min": size, "size_max": size}
            found["bound"] = best - 1
            found["roots"] = [[size, 0]]
            decided = [[k, int(k in who)] for k in rng.permutation(free).tolist()]
            found["nodes"] = [node(decided=decided, heirs=[1]), node(tried=True)]
            return True
    return False


@pytest.mark.parametrize("honest", [False, True])
def test_nobody_is_decided_on_without_reason(honest, tmp_path):
    seen = dict.fromkeys((*KINDS, "limits"), 0)
    for seed in range(40):
        rng, case = np.random.default_rng(seed), known(seed)
        found = proved(case, 0.0) if honest else with_random_prices(rng, case)
        found.update(status="unknown", committee=None)
        if not decided_without_reason(case, found, rng):
            continue
        for place, prices in list(enumerate(found["prices"]))[:4]:
            found["nodes"][0]["prices"] = place
            (failed,) = check(found, case, tmp_path).failed
            assert failed.startswith("the tree: node 0 decides on member ")
            assert failed.endswith(" without reason")
            for row, _ in prices["rows"]:
                seen[found["rows"][row][2]] += 1
            seen["limits"] += len(prices["limits"])
    # On pools as small as these honest proofs have hardly a row of the third kind.
    assert min(seen[what] for what in seen if not honest or what != "total") >= 5, seen


@pytest.mark.parametrize("seed", range(8))
def test_trying_finds_whatever_is_better_in_a_part(seed, tmp_path):
    rng, case = np.random.default_rng(seed), known(seed)
    pool = pool_of(said(case, 0), case, tmp_path)
    for goal in {score + more for score in case.scores.values() for more in (0, 1)}:
        trying = Trying(pool, goal)
        for size in {len(members) for members in case.scores}:
            part = standing(rng, pool, size, 0.3)
            there = [
                list(who) for who, score in committees(case) if score >= goal and inside(part, who)
            ]
            told = trying.better(part)
            assert told in there if there else told is None


def split(nodes, free):
    """Add nodes that are split on everybody in turn; return the place of the first of all."""
    said = node()
    if free:
        heirs = [split(nodes, free[1:]), split(nodes, free[1:])]
        said = node(branch=free[0], heirs=heirs)
    nodes.append(said)
    return len(nodes) - 1


def test_a_tree_split_to_the_end_needs_no_prices(tmp_path):
    """Everybody is decided on in turn; nothing was tried, and each leaf is bounded by itself."""
    for seed in range(6):
        case = known(seed, most_classifiers=5)
        best = max(case.scores.values())
        found = said(case, best)
        found["nodes"], found["roots"] = [], []
        required = found["limits"]["required"]
        free = [int(k) for k in case.problem.allowed if k not in required]

        root = split(found["nodes"], free)
        # The same tree serves every size: what is said of a node is said of it where it stands.
        found["roots"] = [[size, root] for size in range(1, len(found["votes"]["names"]) + 1)]
        assert check(found, case, tmp_path).proved
        found["bound"] -= 1
        (failed,) = check(found, case, tmp_path).failed
        assert "parts are not bounded" in failed
