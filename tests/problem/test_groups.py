"""Limits on groups mean what they say, whoever honours them, and are shown by their names."""

from fractions import Fraction

import numpy as np
import pytest

import voteprune as vp
from badproblems import bad_problem
from certified import write_votes
from instances import drawn, random_instance
from oracle import Oracle
from voteprune.cli.app import main
from voteprune.primal.guards import Groups, Guards
from voteprune.problem.infeasible import nobody_fits
from voteprune.problem.problem import Problem
from voteprune.verify import verify

NAMES = ["a_1", "a_2", "a_3", "b_1", "b_2", "c"]


def pool(seed=0, n=40, names=NAMES):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    matrix = np.where(rng.random((n, len(names))) < 0.7, labels[:, None], 1 - labels[:, None])
    return vp.Votes(matrix, labels, names=names)


def has_groups(instance):
    return any(isinstance(c, vp.Group) for c in instance.constraints)


@pytest.mark.parametrize("method", ["exact", "merged", "paper", "brute", "search"])
@pytest.mark.parametrize("seed", range(8))
def test_every_method_that_honours_groups_finds_the_optimum(method, seed):
    instance = drawn(seed, lambda s: random_instance(s, 6, 25), has_groups)
    oracle = Oracle(instance.matrix, instance.labels, instance.sample_weight)
    best = oracle.best(**instance.request())
    found = vp.prune(
        instance.votes, **instance.request(), method=method, random_state=0,
        time_limit=0.1 if method == "search" else 30,
    )  # fmt: skip
    if best is None:
        assert found.status in ("infeasible", "unknown")
        return
    assert found.value == pytest.approx(float(best), abs=1e-12)
    assert method == "search" or found.status == "optimal"
    for group in (c for c in instance.constraints if isinstance(c, vp.Group)):
        seated = len(set(group.members) & set(found.committee.members))
        assert (group.at_least or 0) <= seated <= (group.at_most or 99)


@pytest.mark.parametrize("method", ["hc-uwa", "caruana", "full", "best"])
def test_a_method_that_would_ignore_a_group_refuses_it_by_name(method):
    with pytest.raises(vp.InputError, match="at most 1 of team a"):
        vp.prune(pool(), method=method, constraints=vp.Group([0, 1], at_most=1, name="team a"))


def test_groups_are_proved_for_fronts_margins_and_pluralities():
    votes, groups = pool(n=12), vp.Group.by_prefix(NAMES, at_most=1)
    teams = [{0, 1, 2}, {3, 4}, {5}]
    front = vp.front(votes, constraints=groups)
    for point in front.points:
        assert (point.committee is None) == (point.size > 3)
    named = np.array(["x", "y", "z"])[np.random.default_rng(1).integers(0, 3, (10, 6))]
    plural = vp.PluralityVotes(named, named[:, 0], names=NAMES)
    for answer in (
        vp.prune(votes, objective=vp.Ramp(1), constraints=groups),
        vp.prune(plural, constraints=groups),
    ):
        assert answer.status == "optimal"
        assert all(len(team & set(answer.committee.members)) <= 1 for team in teams)


@pytest.mark.parametrize("seed", range(12))
def test_what_counting_rules_out_is_not_there(seed):
    rng, k = np.random.default_rng(seed), 6
    requests = [vp.AtMost("size", int(rng.integers(2, 5))), vp.AtLeast("size", 2)]
    for members in (rng.permutation(k)[:3].tolist(), rng.permutation(k)[:2].tolist()):
        limit = int(rng.integers(1, 3))
        most, least = (limit, None) if rng.random() < 0.5 else (None, limit)
        requests.append(vp.Group(members, at_most=most, at_least=least))
    requests += [vp.Forbid(int(rng.integers(k)))] if rng.random() < 0.5 else []
    problem = Problem.of(pool(0, 10), "accuracy", requests)
    allowed = any(
        problem.allows_members([i for i in range(k) if code >> i & 1]) for code in range(2**k)
    )
    assert not (allowed and nobody_fits(problem))


def test_counting_sees_that_teams_have_too_few_seats():
    teams = vp.Group.by_prefix(NAMES, at_most=1)
    for size, hopeless in ((3, False), (4, True)):
        problem = Problem.of(pool(0, 10), "accuracy", [*teams, vp.AtLeast("size", size)])
        assert nobody_fits(problem) == hopeless
    each = vp.Group.by_prefix(NAMES, at_least=1)
    for size, hopeless in ((3, False), (2, True)):
        problem = Problem.of(pool(0, 10), "accuracy", [*each, vp.AtMost("size", size)])
        assert nobody_fits(problem) == hopeless


def test_groups_come_from_labels_and_prefixes():
    by_prefix = vp.Group.by_prefix(NAMES, at_most=1)
    assert [group.name for group in by_prefix] == ["a", "b", "c"]
    assert [group.indices(NAMES) for group in by_prefix] == [(0, 1, 2), (3, 4), (5,)]
    labels = ["a", "a", "a", "b", "b", None]
    by_place = vp.Group.by_label(labels, at_most=1)
    by_name = vp.Group.by_label(dict(zip(NAMES, labels, strict=True)), at_most=1)
    for one, other, third in zip(by_place, by_name, by_prefix, strict=False):
        assert one.name == other.name
        assert one.range(NAMES) == other.range(NAMES) == third.range(NAMES)


def test_a_group_is_plain_data_for_a_pool():
    assert vp.Group(["b_1", 0, "a_1"], at_least=1).range(NAMES) == ((0, 3), 1, 2)
    assert vp.Group(["b_1", 0], at_most=5).range(NAMES) == ((0, 3), 0, 2)


def test_a_group_that_allows_anything_limits_nothing():
    idle = Problem.of(pool(), "accuracy", [vp.Group([0, 1], at_most=2, at_least=0)])
    assert idle.cost_limits == ()


@pytest.mark.parametrize(
    ("constraints", "clash"),
    [
        (
            [vp.Require(0, 1), vp.Forbid(5), vp.Group([0, 1], at_most=1, name="team a")],
            "no committee meets require 0, 1 and at most 1 of team a together",
        ),
        (
            [vp.Forbid(0, 1), vp.Group([0, 1], at_least=1, at_most=2, name="team a")],
            "no committee meets forbid 0, 1 and 1 to 2 of team a together",
        ),
        (
            [*vp.Group.by_prefix(NAMES, at_most=1), vp.AtLeast("size", 4)],
            "no committee meets at most 1 of a, at most 1 of b and size >= 4 together",
        ),
        (
            [vp.AtLeast("size", 2), vp.Budget([1] * 6, 1, name="latency")],
            "no committee meets size >= 2 and latency <= 1 together",
        ),
    ],
)
@pytest.mark.parametrize("certificate", [False, True])
def test_a_clash_names_the_groups(constraints, clash, certificate):
    solution = vp.prune(pool(), constraints=constraints, certificate=certificate)
    assert solution.status == "infeasible"
    assert clash in solution.explanation


@pytest.mark.parametrize("objective", ["accuracy", "balanced_accuracy"])
@pytest.mark.parametrize(
    "groups",
    [
        vp.Group.by_prefix(NAMES, at_most=1),
        (vp.Group([0, 1, 2], at_least=2, at_most=2), vp.Group([2, 3, 4], at_least=1)),
        (vp.Group([0, 1], at_least=1), vp.Forbid(0, 1)),
    ],
)
def test_certificates_under_groups_hold(objective, groups, tmp_path):
    votes = pool(3)
    solution = vp.prune(votes, objective=objective, constraints=groups,
                        certificate=tmp_path / "proof.json")  # fmt: skip
    write_votes(tmp_path / "votes.csv", Problem.of(votes))
    verdict = verify(tmp_path / "proof.json", tmp_path / "votes.csv", target="label")
    assert verdict.proved
    assert solution.status in ("optimal", "infeasible")
    said = "\n".join(verdict.statement)
    for limit in (c for c in groups if isinstance(c, vp.Group)):
        listed = ", ".join(votes.names[k] for k in limit.indices(votes.names))
        if limit.at_most is not None and limit.at_most < len(limit.members):
            assert f"with at most {limit.at_most} of {listed}" in said
        if limit.at_least:
            assert f"with at least {limit.at_least} of {listed}" in said


def test_search_alone_gets_on_where_exactly_one_of_each_team_sits():
    """Nobody could be exchanged if nobody could leave first."""
    names = [f"{team}_{i}" for team in "abcd" for i in range(3)]
    votes = pool(5, 100, names)
    groups = vp.Group.by_prefix(names, at_least=1, at_most=1)
    best = vp.prune(votes, constraints=groups, method="brute")
    found = vp.prune(votes, constraints=groups, method="search", time_limit=0.3, random_state=0)
    assert found.value == best.value


def test_what_is_fitted_keeps_groups_and_sizes():
    names = [f"{team}_{i}" for team in "abcde" for i in range(4)]
    requests = [
        *vp.Group.by_prefix(names, at_least=1, at_most=2),
        vp.Require(0),
        vp.AtMost("size", 6),
    ]
    problem = Problem.of(pool(1, 20, names), "accuracy", requests)
    rng = np.random.default_rng(0)
    for _ in range(50):
        chosen = Groups(problem).fit(rng.random(20) < rng.random(), rng.random(20))
        assert problem.allows_members(np.flatnonzero(chosen).tolist())


def test_walks_keep_groups_but_for_one_step_of_an_exchange():
    """Only what makes a fault less moves; where exactly so many sit, one may leave first."""
    names = [f"{team}_{i}" for team in "abc" for i in range(3)]
    requests = [
        vp.Group(names[:3], at_least=2, at_most=2),
        vp.Group(names[3:6], at_least=1),
        vp.Group(names[5:], at_most=2),
    ]
    problem = Problem.of(pool(1, 20, names), "accuracy", requests)
    ranges = [group.range(names) for group in requests]
    sets = (np.arange(2**9)[:, None] >> np.arange(9) & 1).astype(bool)

    def missing(chosen):
        seated = [(int(chosen[list(who)].sum()), low, high) for who, low, high in ranges]
        return sum(max(n - high, 0) + max(low - n, 0) for n, low, high in seated)

    told, forbidden = Guards(problem).keep_groups(sets), Groups(problem).forbid(sets)
    for chosen, kept, refused in zip(sets, told, forbidden, strict=True):
        before = missing(chosen)
        assert kept == (before == 0)
        for k in range(9):
            after = chosen.copy()
            after[k] = not after[k]
            exchange = before == 0 and missing(after) == 1 and chosen[k] and k < 3
            assert refused[k] == (0 < missing(after) >= before and not exchange)


def test_groups_bind_from_a_bad_start():
    """The instances of tests/test_badstart.py have groups that cost something."""
    bad = bad_problem(1, "group")
    free = bad.problem_values(bad.instance.objective, (), None)
    assert bad.truth.best < free.best
    assert isinstance(bad.truth.best, Fraction | int)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "votes.csv"
    write_votes(path, Problem.of(pool()))
    return str(path)


@pytest.mark.parametrize(
    ("options", "subject"),
    [
        (["--group", "team=a_1,a_2:1"], "at most 1 of team"),
        (["--group", "team=a*:1-2", "--group", "other=b_?:1-"], "1 to 2 of team; at least 1 of"),
        (["--group-by", "_:1"], "at most 1 of a; at most 1 of b; at most 1 of c"),
    ],
)
def test_groups_on_the_command_line(options, subject, table, capsys):
    assert main(["prune", table, "--target", "label", *options]) == 0
    assert f"subject to   {subject}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--group", "a_1,a_2:1"], "is not name=members:number"),
        (["--group", "team=a_1,a_2"], "is not name=members:number"),
        (["--group", "team=a_1,a_2:few"], "is not how many"),
        (["--group", "team=z*:1"], "called like 'z*'"),
        (["--group", "team=z:1"], "called 'z'"),
        (["--group", "team=a_1:2-"], "2 cannot sit of 1 classifier"),
        (["--group-by", "1"], "is not separator:number"),
        (["--group-by", "#:1"], "no two names share"),
        (["--group-by", "_:-"], "is not how many"),
    ],
)
def test_groups_that_mean_nothing_are_refused_in_one_line(options, complaint, table, capsys):
    assert main(["prune", table, "--target", "label", *options]) == 2
    said = capsys.readouterr()
    assert complaint in said.err
    assert said.err.startswith("voteprune: --group")
    assert said.err.count("\n") == 1
    assert said.out == ""
