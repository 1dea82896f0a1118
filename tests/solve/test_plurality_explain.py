"""What is said of a plurality committee is what trying all committees gives."""

import numpy as np
import pytest

import voteprune as vp
from instances import drawn
from plurality_oracle import all_values, random_case, winner

SEEDS = range(16)


def explained(seed, time_limit):
    def draw(seed):
        case = random_case(seed)
        return case, dict(all_values(*case))

    case, values = drawn(seed, draw, lambda found: bool(found[1]))
    matrix, y, weights, classes, objective, constraints = case
    votes = vp.PluralityVotes(matrix, y, sample_weight=weights, classes=classes)
    request = {"objective": objective, "constraints": constraints}
    solution = vp.prune(votes, random_state=0, **request)
    return solution, solution.explain(time_limit=time_limit), values


@pytest.mark.parametrize("time_limit", [0, 30])
@pytest.mark.parametrize("seed", SEEDS)
def test_members_and_swaps_are_what_all_committees_say(seed, time_limit):
    solution, told, values = explained(seed, time_limit)
    members, names = solution.committee.members, solution.problem.votes.names
    own = values[members]
    for role in told.members:
        rest = tuple(k for k in members if k != role.member)
        alone = values.get(rest)
        assert role.without == (None if alone is None else float(alone))
        best = max((v for who, v in values.items() if role.member not in who), default=None)
        assert role.best is None or role.best <= float(best)
        assert role.bound is not None or best is None
        assert best is None or role.bound >= float(best)
        assert role.verdict != "needed" or best is None or best < own
        assert role.verdict != "replaceable" or best >= own
        if time_limit:
            assert role.verdict == ("replaceable" if best is not None and best >= own else "needed")
            assert (role.best, role.bound) == ((None, None) if best is None else (float(best),) * 2)
    expected = {}
    for out in members:
        for join in set(range(len(names))) - set(members):
            value = values.get(tuple(sorted({*members, join} - {out})))
            if value is not None and value >= own:
                expected[names[out], names[join]] = float(value)
    assert {(swap.out, swap.join): swap.value for swap in told.swaps} == expected


@pytest.mark.parametrize("seed", range(20))
def test_rows_are_wrong_where_it_says_so(seed):
    matrix, y, weights, classes, objective, _ = random_case(seed)
    votes = vp.PluralityVotes(matrix, y, sample_weight=weights, classes=classes)
    solution = vp.prune(votes, objective=objective, random_state=0)
    told = solution.explain(time_limit=0)
    values = dict(all_values(matrix, y, weights, classes, objective, ()))
    wrong = {
        who: [winner([row[k] for k in who], classes) != t for row, t in zip(matrix, y, strict=True)]
        for who in values
    }
    counted = np.flatnonzero(np.asarray(weights) > 0).tolist()
    assert list(told.hopeless) == [r for r in counted if all(w[r] for w in wrong.values())]
    assert all(w[a] or w[b] for w in wrong.values() for a, b in told.disputed)
    paired = [row for pair in told.disputed for row in pair]
    assert len(set(paired)) == len(paired)
    assert not set(paired) & set(told.hopeless)
    for who, value in values.items():
        if value >= values[solution.committee.members]:
            assert all(wrong[who][row] for row in told.sacrificed)


def test_rows_on_which_all_vote_alike_are_disputed():
    votes = vp.PluralityVotes([["a", "b"]] * 5, ["a", "a", "b", "b", "b"])
    told = vp.prune(votes).explain()
    assert told.disputed == ((0, 2), (1, 3))
    assert told.least_wrong == 2


def test_a_solution_from_a_file_needs_its_votes():
    matrix, y, weights, classes, _, constraints = random_case(12)
    votes = vp.PluralityVotes(matrix, y, sample_weight=weights, classes=classes)
    worth = {classes[0]: 2, classes[1]: 1}
    for objective in ("accuracy", worth):
        solution = vp.prune(votes, objective=objective, constraints=constraints)
        again = vp.PluralitySolution.from_json(solution.to_json())
        given = {"constraints": constraints, "objective": None if objective != worth else worth}
        assert again.explain(votes, **given) == solution.explain()
        with pytest.raises(vp.InputError, match="votes"):
            again.explain()
        with pytest.raises(vp.InputError, match="constraints"):
            again.explain(votes, **{**given, "constraints": [vp.AtMost("size", 6)]})
    with pytest.raises(vp.InputError, match="objective"):
        again.explain(votes, constraints=constraints)


def test_a_solution_of_skipped_abstentions_from_a_file_is_explained_by_the_same_votes():
    rng = np.random.default_rng(5)
    y = np.arange(40) % 2
    right = np.where(rng.random((40, 5)) < 0.7, y[:, None], 1 - y[:, None])
    said = np.array(["good", "bad"], dtype=object)[right]
    said[rng.random((40, 5)) < 0.3] = None
    bad, good = (
        vp.Votes(said, np.where(y, "bad", "good"), positive=positive, abstentions="skip")
        for positive in ("bad", "good")
    )
    solution = vp.prune(bad, constraints=vp.AtMost("size", 3))
    again = vp.PluralitySolution.from_json(solution.to_json())
    for votes in (bad, good):
        assert again.explain(votes, constraints=vp.AtMost("size", 3)) == solution.explain()
    with pytest.raises(vp.InputError, match="votes"):
        again.explain(bad.take(range(30)), constraints=vp.AtMost("size", 3))
    against = vp.Votes(said, np.where(y, "bad", "good"), positive="bad", abstentions="against")
    with pytest.raises(vp.InputError, match="votes"):
        again.explain(against, constraints=vp.AtMost("size", 3))
