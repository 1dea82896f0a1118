"""Every guard of the checker for several classes has a forgery that it alone refuses."""

import json
from contextlib import nullcontext
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest

import voteprune as vp
from damaging import places_of, replaced
from pluralcerts import check, node, pool_of, put, said
from pluralities import known
from voteprune.exceptions import FileFormatError
from voteprune.problem.plurality import PluralityProblem
from voteprune.verify import plurality_table, plurality_tree, verify
from voteprune.verify.fields import COMMON_BITS
from voteprune.verify.plurality_document import Row, plurality_document_of
from voteprune.verify.plurality_pool import lead
from voteprune.verify.plurality_table import read_patterns
from voteprune.verify.plurality_tree import PluralityTree

TABLE = ["cbac a", "ccab c", "abcc a", "ccbb b", "cbcc c", "abbb b", "ccca a"]
WEIGHTS = [1, 2, 3, 1, 2, 1, 1]


def case_of(table=TABLE, classes="abc", **given):
    """A problem from rows of votes, each with the true class behind it."""
    votes, truth = zip(*(row.split() for row in table), strict=True)
    matrix = np.array([[None if v == "." else v for v in row] for row in votes], dtype=object)
    options = {"classes": list(classes), **given}
    constraints = options.pop("constraints", ())
    objective = options.pop("objective", "accuracy")
    read = vp.PluralityVotes(matrix, np.array(truth, dtype=object), **options)
    return SimpleNamespace(problem=PluralityProblem.of(read, objective, constraints))


CASE = case_of(sample_weight=WEIGHTS)
CEILING, BEST = 11, 9
"""What all rows weigh, and the most that a committee gets right."""


def whole():
    """A certificate that has every field, and holds."""
    found = said(CASE, CEILING)
    found["limits"]["costs"] = [{"costs": [1, 2, 0, 1], "most": 4}]
    found["rows"] = [
        [0, 0, "need", [], "1"],
        [1, 1, "duel", [0], "3"],
        [2, 2, "total", [0, 1], "1"],
    ]
    found["prices"] = [{"size": 4, "rows": [[2, 0.5]], "limits": [[0, 0.25]]}]
    found["nodes"] = [
        node(prices=0, tried=True), node(branch=3, heirs=[0, 2]), node(prices=0),
        node(decided=[[0, 1]], heirs=[2]),
    ]  # fmt: skip
    found["roots"] = [[1, 0], [4, 1]]
    found.update(
        status="feasible", committee={"members": [0], "value": 7}, trusted=[["highs", CEILING]]
    )
    return found


ROW, PRICES = ("rows", 0), ("prices", 0)
ODD = [
    (("status",), "perfect", "none of optimal, feasible"),
    (("votes", "names"), ["a", "a", "b", "c"], "the same name"),
    (("votes", "names"), [], "there are none"),
    (("votes", "classes"), ["a", "a", "b"], "two classes are the same"),
    (("votes", "classes"), [], "or there are none"),
    (("votes", "abstentions"), "never", "none of skip, against"),
    (("votes", "target"), 5, "expected text"),
    (("votes", "row_weights"), [1], "expected 7 numbers"),
    (("votes", "row_weights"), [1, 2, 3, 1, 2, 1, -1], "below 0"),
    (("objective", "unit"), 0, "must be positive"),
    (("objective", "worths"), [[0, 0, 1], [0, 0, 1]], "distinct pairs of classes"),
    (("objective", "worths"), [[3, 0, 1]], "distinct pairs of classes"),
    (("objective", "worths"), [[0, 3, 1]], "distinct pairs of classes"),
    (("objective", "worths"), [[0, -1, 1]], "distinct pairs of classes"),
    (("objective", "worths"), [[0, 0]], "expected a list of"),
    (("objective", "worths", 0, 2), f"1/{2 ** (COMMON_BITS // 2)}", "more than 4096 bits"),
    (("limits", "required"), [4], "distinct classifiers"),
    (("limits", "forbidden"), [0, 0], "distinct classifiers"),
    (("limits", "costs", 0, "costs"), [1], "expected 4 numbers"),
    (("limits", "size_min"), 1.0, "expected a whole number"),
    (("committee", "members"), [4], "distinct classifiers"),
    (("committee", "value"), "5", "expected a whole number"),
    ((*ROW, 1), 3, "a class that is not there"),
    ((*ROW, 1), -1, "a class that is not there"),
    (("rows", 1, 3), [1], "its own rival"),
    (("rows", 2, 3), [3], "distinct classifiers"),
    ((*ROW, 2), "wish", "none of need, duel, total"),
    ((*ROW, 3), [1], "need has 1 rivals"),
    (("rows", 1, 3), [], "duel has 0 rivals"),
    (("rows", 1, 3), [0, 2], "duel has 2 rivals"),
    ((*ROW, 4), "10", "a classifier that is not there"),
    ((*ROW, 4), "-1", "a classifier that is not there"),
    ((*ROW, 4), 3, "expected text"),
    ((*PRICES, "size"), 0, "a size that no committee has"),
    ((*PRICES, "size"), 5, "a size that no committee has"),
    ((*PRICES, "rows"), [[0, -1.0]], "below 0"),
    ((*PRICES, "rows"), [[3, 1.0]], "on what is not there"),
    ((*PRICES, "rows"), [[-1, 1.0]], "on what is not there"),
    ((*PRICES, "limits"), [[1, 1.0]], "on what is not there"),
    ((*PRICES, "limits"), [[-1, 1.0]], "on what is not there"),
    (("roots",), [[1, 0], [1, 1]], "a size has two roots"),
    (("roots",), [[1, 4]], "a root is not there"),
    (("roots",), [[1, -1]], "a root is not there"),
    (("nodes", 3, "decided"), [[4, 1]], "distinct classifiers"),
    (("nodes", 3, "decided"), [[0, 1], [0, 0]], "distinct classifiers"),
    (("nodes", 3, "decided"), [[0, 2]], "sits or does not"),
    (("nodes", 3, "decided"), [[0, -1]], "sits or does not"),
    (("nodes", 3, "branch"), 1, "decides and is split"),
    (("nodes", 3, "tried"), True, "1 heirs, not 1, or was tried"),
    (("nodes", 3, "heirs"), [], "0 heirs, not 1"),
    (("nodes", 3, "heirs"), [1, 2], "2 heirs, not 1"),
    (("nodes", 1, "branch"), 4, "distinct classifiers"),
    (("nodes", 1, "branch"), -1, "distinct classifiers"),
    (("nodes", 1, "tried"), True, "2 heirs, not 2, or was tried"),
    (("nodes", 1, "heirs"), [0], "1 heirs, not 2"),
    (("nodes", 1, "heirs"), [0, 4], "an heir is not there"),
    (("nodes", 1, "heirs"), [0, -1], "an heir is not there"),
    (("nodes", 0, "heirs"), [1], "1 heirs, not 0"),
    (("nodes", 0, "prices"), 1, "there are no prices 1"),
    (("nodes", 0, "prices"), -1, "there are no prices -1"),
    (("nodes", 0, "tried"), 1, "true or false"),
    (("trusted",), [["highs"]], "expected a list of"),
]


def test_the_certificate_that_is_broken_here_holds(tmp_path):
    assert check(whole(), CASE, tmp_path).holds


@pytest.mark.parametrize(("path", "value", "complaint"), ODD)
def test_an_odd_field_is_refused(path, value, complaint):
    with pytest.raises(FileFormatError, match=complaint):
        plurality_document_of("c.json", replaced(whole(), path, value))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ((*PRICES, "size"), 1), (("rows", 0, 4), "f"), (("nodes", 1, "heirs"), [3, 0]),
        (("roots",), [[1, 3]]), (("objective", "worths"), [[2, 0, 1], [0, 2, 1]]),
        (("nodes", 3, "decided"), [[3, 0], [0, 1]]), (("rows", 2, 3), []),
    ],
)  # fmt: skip
def test_what_is_just_in_range_is_read(path, value):
    plurality_document_of("c.json", replaced(whole(), path, value))


def test_fractions_with_a_common_denominator_that_is_too_long_are_refused():
    """Each of them is short enough by itself."""
    for path in (("objective", "worths"), ("limits", "costs"), ("votes", "row_weights")):
        odd = [f"1/{2**4000 + place}" for place in (1, 3, 5)]
        value = {
            "worths": [[0, place, one] for place, one in enumerate(odd)],
            "costs": [{"costs": [*odd[:2], 0, 1], "most": odd[2]}],
            "row_weights": [*odd, 1, 1, 1, 1],
        }[path[1]]
        with pytest.raises(FileFormatError, match="the common denominator of all"):
            plurality_document_of("c.json", replaced(whole(), path, value))


def test_a_field_that_is_missing_is_named():
    named = [path for path in places_of(whole()) if isinstance(path[-1], str)]
    for path in named:
        if path[-1] in ("format", "schema", "version"):
            continue  # looked at before
        holder = other = whole()
        for key in path[:-1]:
            holder = holder[key]
        del holder[path[-1]]
        with pytest.raises(FileFormatError, match="lacks the field"):
            plurality_document_of("c.json", other)


# What is said of the committee ------------------------------------------------------------------


def true_of(members=(0, 1, 2), value=BEST, **changes):
    """A certificate of a committee under a bound that needs no tree."""
    found = said(CASE, CEILING)
    found.update(status="feasible", committee={"members": list(members), "value": value})
    for name, change in changes.items():
        if name in found:
            found[name] = change
        else:
            found["limits"][name] = change
    return found


def values():
    """What every committee of the case is worth, straight from the definition."""
    votes = CASE.problem.votes
    found = {}
    for size in range(1, 5):
        for who in combinations(range(4), size):
            right = 0
            for row, truth, weight in zip(votes.matrix, votes.labels, WEIGHTS, strict=True):
                counts = [sum(row[k] == label for k in who) for label in range(3)]
                right += weight * (counts.index(max(counts)) == truth)
            found[who] = int(right)
    return found


def test_the_case_is_what_it_is_said_to_be(tmp_path):
    assert max(values().values()) == BEST
    assert sum(WEIGHTS) == CEILING
    pool = pool_of(true_of(), CASE, tmp_path)
    assert {who: pool.value(who) for who in values()} == values()
    assert check(true_of(value=values()[0, 1, 2]), CASE, tmp_path).proved


FAULTS = [
    ({"value": 4}, "it is worth 7/11"),
    ({"bound": 4}, "it is worth more than the bound"),
    ({"status": "infeasible"}, "there is one, although"),
    ({"status": "optimal"}, "called optimal, but the bound is higher"),
    ({"size_min": 2}, "it has 1 members"),
    ({"size_max": 0}, "it has 1 members"),
    ({"members": (), "value": 5, "size_min": 0}, "it has 0 members"),
    ({"required": [1]}, "somebody who must sit does not"),
    ({"forbidden": [0]}, "somebody sits who must not"),
    ({"costs": [{"costs": ["1/2", 0, 0, 0], "most": "1/3"}]}, "it breaks limit 0 on costs"),
    (
        {"costs": [{"costs": [1, 0, 0, 0], "most": 1}, {"costs": [3, 0, 0, 0], "most": 2}]},
        "it breaks limit 1 on costs",
    ),
]


@pytest.mark.parametrize(("changes", "complaint"), FAULTS)
def test_a_committee_that_is_not_what_it_is_said_to_be(changes, complaint, tmp_path):
    given = {"members": (0,), "value": values()[0,], **changes}
    found = check(true_of(**given), CASE, tmp_path).failed
    assert any(line.startswith("the committee: ") and complaint in line for line in found)
    # Nothing else is wrong with it, but for what follows from the claim that there is none.
    assert len(found) == 1 or changes.keys() & {"status", "bound"}


@pytest.mark.parametrize(
    "changes",
    [
        {"bound": values()[0,]}, {"size_min": 1, "size_max": 1}, {"required": [0]},
        {"forbidden": [1, 2, 3]}, {"costs": [{"costs": ["1/2", 9, 9, 9], "most": "1/2"}]},
        {"status": "optimal", "bound": values()[0,], "size_max": 1, "forbidden": [1, 2, 3]},
    ],
)  # fmt: skip
def test_a_committee_that_just_keeps_its_limits(changes, tmp_path):
    found = check(true_of((0,), values()[0,], **changes), CASE, tmp_path)
    assert not [line for line in found.failed if line.startswith("the committee")]
    assert "the committee: 1 members, worth " in " ".join(found.checked)


@pytest.mark.parametrize("status", ["optimal", "feasible"])
def test_a_status_that_needs_a_committee(status, tmp_path):
    found = said(CASE, CEILING)
    assert check({**found, "status": "unknown"}, CASE, tmp_path).proved
    (failed,) = check({**found, "status": status}, CASE, tmp_path).failed
    assert failed == f"the status is {status}, but there is no committee"


def test_rows_votes_and_units_that_are_not_those_of_the_table(tmp_path):
    found = true_of((0,), values()[0,])
    rows = replaced(found, ("votes", "n_rows"), 8)
    rows["votes"]["row_weights"].append(0)
    (failed,) = check(rows, CASE, tmp_path).failed
    assert failed == "the file has 7 rows, the certificate is about 8"
    fewer = replaced(found, ("votes", "n_rows"), 6)
    fewer["votes"]["row_weights"].pop()
    (failed,) = check(fewer, CASE, tmp_path).failed
    assert failed == "the file has 7 rows, the certificate is about 6"
    other = replaced(found, ("votes", "row_weights", 0), 2)
    assert "these are not the votes" in check(other, CASE, tmp_path).failed[0]
    unit = replaced(found, ("objective", "unit"), "2/11")
    (failed,) = check(unit, CASE, tmp_path).failed
    assert "no whole multiples" in failed


@pytest.mark.parametrize("rule", [None, "skip", "against"])
@pytest.mark.parametrize("cell", ["", "NA", "d"])
def test_only_what_is_missing_is_an_abstention(rule, cell, tmp_path):
    """A word that is no class would otherwise count as a vote that nobody gave."""
    (tmp_path / "v.csv").write_text(f"one,two,label\na,{cell},a\nb,b,b\n")
    asked = SimpleNamespace(
        names=("one", "two"), classes=("a", "b", "c"), abstentions=rule, row_weights=None
    )
    if rule is None or cell == "d":
        with pytest.raises(FileFormatError, match="is none of the classes"):
            read_patterns(tmp_path / "v.csv", asked, "label")
    else:
        _, (first, _) = read_patterns(tmp_path / "v.csv", asked, "label")
        assert tuple(first.codes) == (0, 3 if rule == "skip" else 0)


# The tree ---------------------------------------------------------------------------------------


def tree(nodes, bound=BEST, roots=None, **changes):
    """A certificate of a bound by a tree, the same for every size."""
    found = said(CASE, bound)
    found["nodes"] = nodes
    found["roots"] = [[size, 0] for size in range(1, 5)] if roots is None else roots
    return {**found, "status": "unknown", "committee": None, **changes}


TRIED = [node(tried=True)]


def test_trees_are_counted(tmp_path):
    found = check(tree(TRIED), CASE, tmp_path)
    assert found.proved
    # All four sit in one way only, which is bounded without being tried.
    assert "the tree: 1 nodes, 1 parts closed, 3 tried" in found.checked
    split = [node(branch=0, heirs=[1, 1]), node(tried=True)]
    # Two parts of each size, of which one of four members is empty.
    assert (
        "the tree: 2 nodes, 6 parts closed, 2 tried" in check(tree(split), CASE, tmp_path).checked
    )


def test_what_was_tried_is_tried_again(tmp_path):
    (failed,) = check(tree(TRIED, BEST - 1), CASE, tmp_path).failed
    assert failed.startswith("the tree: node 0 was tried, but members [")


DECIDED_TWICE = [
    [node(branch=0, heirs=[1, 2]), node(branch=0, heirs=[2, 2]), node(tried=True)],
    [node(branch=0, heirs=[2, 1]), node(branch=0, heirs=[2, 2]), node(tried=True)],
    [node(branch=0, heirs=[2, 1]), node(decided=[[0, 1]], heirs=[2]), node(tried=True)],
]


@pytest.mark.parametrize("nodes", DECIDED_TWICE)
def test_nobody_is_decided_on_twice(nodes, tmp_path):
    (failed,) = check(tree(nodes), CASE, tmp_path).failed
    assert failed.endswith("decides on member 0, which is decided")


@pytest.mark.parametrize("limits", [{"forbidden": [0]}, {"required": [0]}])
def test_nobody_is_decided_on_whom_limits_decide(limits, tmp_path):
    found = tree([node(branch=0, heirs=[1, 1]), node(tried=True)])
    found["limits"].update(limits)
    (failed,) = check(found, CASE, tmp_path).failed
    assert failed == "the tree: node 0 decides on member 0, which is decided"


def test_a_size_without_a_root_is_not_bounded(tmp_path):
    for size in range(1, 4):
        roots = [[other, 0] for other in range(1, 5) if other != size]
        (failed,) = check(tree(TRIED, roots=roots), CASE, tmp_path).failed
        assert failed == f"the tree: 1 parts are not bounded, of size {size}"
        for limits in ({"size_max": size - 1}, {"size_min": size + 1}):
            found = tree(TRIED, roots=roots)
            found["limits"].update(limits)
            assert check(found, CASE, tmp_path).proved
        found["limits"].update(size_min=size, size_max=size)
        assert not check(found, CASE, tmp_path).holds


def test_rows_about_nothing_and_rows_that_count_too_many(tmp_path):
    patterns = len(pool_of(tree(TRIED), CASE, tmp_path).wins)
    for pattern in (-1, patterns):
        found = tree(TRIED, rows=[[pattern, 0, "need", [], "0"]])
        (failed,) = check(found, CASE, tmp_path).failed
        assert failed == "the tree: a row is about a pattern that is not there"
    pool = pool_of(tree(TRIED), CASE, tmp_path)
    for pattern, there in enumerate(pool.voters):
        for label in range(3):
            rival = (label + 1) % 3
            mine, theirs = there.get(label, 0), there.get(rival, 0)
            may = {"need": mine, "duel": mine | theirs, "total": 15 & ~theirs}
            for kind, who in may.items():
                rivals = () if kind == "need" else (rival,)
                for k in range(4):
                    row = Row(pattern, label, kind, rivals, 1 << k)
                    with (
                        nullcontext()
                        if who >> k & 1
                        else pytest.raises(ValueError, match="must not")
                    ):
                        pool.coefficients(row)
    found = tree(TRIED, rows=[[0, 0, "need", [], "8"]])
    (failed,) = check(found, CASE, tmp_path).failed
    assert failed == "the tree: a row counts somebody it must not count"


@pytest.mark.parametrize(("claim", "believed"), [(BEST - 1, True), (BEST, True), (BEST + 1, False)])
def test_whose_word_a_bound_is(claim, believed, tmp_path):
    """Somebody who claims more than the bound does not back it."""
    found = check(tree([node()], trusted=[["highs", claim], ["scip", BEST + 1]]), CASE, tmp_path)
    assert found.holds == believed
    assert not found.proved
    if believed:
        assert found.trusted == ("the bound, which highs claims and nobody can check",)


def test_whose_word_it_is_that_there_is_nobody(tmp_path):
    found = check(tree([node()], status="infeasible", trusted=[["highs", BEST]]), CASE, tmp_path)
    (trusted,) = found.trusted
    assert trusted.startswith("that no committee meets the limits, which highs claims")
    assert not check(tree(TRIED, status="infeasible"), CASE, tmp_path).holds
    costs = [{"costs": [1, 1, 1, 1], "most": "1/2"}]
    found = tree(TRIED, status="infeasible")
    found["limits"]["costs"] = costs
    assert check(found, CASE, tmp_path).proved


def test_what_takes_too_long_is_taken_on_trust(tmp_path, monkeypatch):
    monkeypatch.setattr(plurality_tree, "MOST", 10)
    found = check(tree(TRIED), CASE, tmp_path)
    assert found.trusted == ("the bound: 1 nodes are too large to check here",)
    monkeypatch.undo()
    monkeypatch.setattr(plurality_tree, "MOST_TRIED", 0)
    found = check(tree(TRIED), CASE, tmp_path)
    assert found.trusted == (
        "the bound: all committees of 3 parts were tried, too large to try again here",
    )
    monkeypatch.undo()
    monkeypatch.setattr(plurality_table, "MOST_CELLS", 27)
    found = check(tree(TRIED), CASE, tmp_path)
    assert found.trusted == ("everything: the table is too large to check here",)
    monkeypatch.setattr(plurality_table, "MOST_CELLS", 28)
    assert check(tree(TRIED), CASE, tmp_path).proved


def test_work_is_counted_as_it_is_done(tmp_path, monkeypatch):
    """Ten for every duel and one for every classifier, at each part and at each bound of one."""
    found = tree([node(branch=0, heirs=[1, 2]), node(prices=0), node(prices=0)], CEILING)
    found["rows"] = [[0, 0, "need", [], "0"]]
    found["prices"] = [{"size": 4, "rows": [[0, 1.0], [0, 1.0]], "limits": []}]
    pool = pool_of(found, CASE, tmp_path)
    duels = sum(len(wins) * len(wins) for wins in pool.wins)  # itself, and its rivals
    each = 10 * duels + 4
    # Four roots; both heirs of sizes 1 to 3, one of size 4 whose other is empty at once.
    parts, bounds, prices = 4 + 2 * 4, 2 * 3 + 1, 4 * 2 * (30 + 4)
    spent = each * (parts + bounds) + prices
    monkeypatch.setattr(plurality_tree, "MOST", spent)
    assert PluralityTree(pool, CEILING + 1).run().unproved == []
    monkeypatch.setattr(plurality_tree, "MOST", spent - 1)
    with pytest.raises(plurality_tree.TooLargeError):
        PluralityTree(pool, CEILING + 1).run()


def test_trying_stops_at_its_limit_and_not_before(tmp_path, monkeypatch):
    pool = pool_of(tree(TRIED), CASE, tmp_path)
    steps = [PluralityTree(pool, BEST + 1)._trying.work(pool.root(size)) for size in range(1, 4)]
    for most, untried in ((sum(steps), 0), (sum(steps) - 1, 1), (min(steps) - 1, 3)):
        monkeypatch.setattr(plurality_tree, "MOST_TRIED", most)
        outcome = PluralityTree(pool, BEST + 1).run()
        assert (outcome.tried, outcome.untried) == (3 - untried, untried)


# What values there can be -----------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_what_values_there_can_be_above_a_bound(seed, tmp_path):
    case = known(seed)
    pool = pool_of(said(case, 0), case, tmp_path)
    scores = sorted(set(case.scores.values()))
    gains = [[win.gain for win in wins] for wins in pool.wins]
    assert pool.floor == sum(map(min, gains))
    assert pool.step == (np.gcd.reduce([g - of[0] for of in gains for g in of]) or 1)
    assert all(score >= pool.floor and (score - pool.floor) % pool.step == 0 for score in scores)
    for bound in {score + more for score in scores for more in (-1, 0, 1)}:
        above = pool.above(bound)
        assert bound < above <= bound + pool.step
        assert (above - pool.floor) % pool.step == 0


@pytest.mark.parametrize("seed", range(6))
def test_fewest_votes_that_a_class_wins_with(seed, tmp_path):
    """Of as many voters as it likes of its own: whoever else sits votes for rivals, or for none."""
    case = known(seed, most_classifiers=6)
    pool = pool_of(said(case, 0), case, tmp_path)
    nobody = len(pool.document.classes)
    for pattern, there in enumerate(pool.voters[:6]):
        for win in pool.wins[pattern]:
            rivals = [other for other in pool.wins[pattern] if other is not win]
            counts = [(other.mine.bit_count(), lead(other.label, win.label)) for other in rivals]
            silent = there.get(nobody, 0).bit_count()
            for size in range(1, len(pool.document.names) + 1):
                fits = (
                    votes
                    for votes in range(max((lead for _, lead in counts), default=0), size + 1)
                    if reach(votes, counts, silent, size)
                )
                assert pool.fewest(pattern, size)[win.label] == min(fits)


def reach(votes, counts, silent, size):
    """Whether some rivals' votes and silent members fill the seats, with the class ahead."""
    sums = {0}
    for count, ahead in counts:
        sums = {s + v for s in sums for v in range(min(count, votes - ahead) + 1)}
    return any(s + v + votes == size for s in sums for v in range(silent + 1))


# What is said in words --------------------------------------------------------------------------


def test_the_statement_says_everything(tmp_path):
    case = case_of(
        ["a.bc a", "abbc b", "bbca c", "caab a"], sample_weight=[1, 2, 0, 0.5],
        abstentions="against",
    )  # fmt: skip
    found = said(case, 7)
    found["limits"] |= {
        "size_min": 1, "size_max": 3, "required": [1], "forbidden": [0, 2],
        "costs": [{"costs": [1, 1, 1, 1], "most": "5/2"}],
    }  # fmt: skip
    found.update(status="feasible", committee={"members": [1, 3], "value": 0})
    names = case.problem.votes.names
    put(found, case.problem.votes, tmp_path)
    told = verify(tmp_path / "c.json", tmp_path / "v.csv").statement
    assert told[1:] == (
        "from 4 classifiers, 1 to 3 of them; most votes win",
        "where the classes are a, b, c, and of equals the first wins",
        "where column 'y' is the truth",
        "where a missing vote counts for a vote for a",
        "where rows weigh what the certificate lists: 3 of 4 weigh more than 0, 7/2 (3.5) in all",
        f"with {names[1]}",
        f"without {names[0]}, {names[2]}",
        "costing at most 5/2 (2.5), as the certificate lists the costs",
        f"{names[1]}, {names[3]}: 0",
        told[-1],
    )
    assert told[0].startswith("maximise accuracy: ")
    assert "for a row of b decided as b" in told[0]
    assert told[-1].startswith("no such committee exceeds ")
    assert len(verify(tmp_path / "c.json", tmp_path / "v.csv", "y").statement) == len(told) - 1


def test_long_lists_are_cut(tmp_path):
    found = json.loads(json.dumps(said(CASE, CEILING)))
    classes = [f"k{place}" for place in range(22)]
    found["votes"]["classes"] = [*"abc", *classes]
    put(found, CASE.problem.votes, tmp_path)
    told = verify(tmp_path / "c.json", tmp_path / "v.csv").statement[2]
    assert told.endswith(", k16, 5 more, and of equals the first wins")
