"""Who fits beside whom, and first committees where limits leave no choice."""

from dataclasses import replace
from itertools import combinations

import pytest

from soft_oracle import draw
from voteprune.soft.problem_loss import loss_of
from voteprune.soft.search import Search


def test_who_does_not_fit_is_whom_a_budget_or_a_group_has_no_room_for():
    seen = 0
    for seed in range(60):
        problem = draw(seed, n=8, limits=True)
        for inside in (who for size in range(4) for who in combinations(range(6), size)):
            free = [k for k in range(6) if k not in inside]
            told = problem.misfits(inside, free)
            for k in free:
                there = {*inside, k}
                dear = any(sum(b.costs[m] for m in there) > b.limit for b in problem.budgets)
                full = any(
                    k in group.members
                    and group.at_most is not None
                    and len(there.intersection(group.members)) > group.at_most
                    for group in problem.groups
                )
                assert (k in told) == (dear or full)
                seen += (dear and not full) + 1000 * (full and not dear)
    assert seen % 1000 > 20
    assert seen > 20_000


@pytest.mark.parametrize("loss", ["log_loss", "pool_log_loss", "pool_brier"])
def test_a_first_committee_is_found_where_all_seats_are_required(loss):
    problem = replace(draw(0, loss=loss), size_max=2, required=(1, 2))
    found = Search(problem, loss_of(problem)).greedy()
    assert found is not None
    assert found.members.tolist() == [1, 2]
