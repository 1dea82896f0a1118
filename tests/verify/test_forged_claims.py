"""False claims about votes, committees, cuts and bounds; a guard refuses each of them."""

from fractions import Fraction

import pytest

from forging import RIGHT, Truth, check, claim, digest_of, proof, seat
from oracle import FLOORS, Oracle, pfc
from voteprune.verify.measures import SIGNS

ONE = ["1 1"]
"""One classifier that is right: the optimum is 1."""

TWO = ["10 1", "01 0"]
"""The first alone gets both right, nobody else more than 1. Pattern 0 is 01, pattern 1 is 10."""

MIXED = ["110 1", "100 1", "011 1", "111 1", "001 0", "010 0", "100 0", "000 0", "110 0"]
"""Three classifiers of different diversity, by every measure."""

MIXED_ROWS = [([int(vote) for vote in row[:3]], int(row[-1])) for row in MIXED]
MIXED_VALUE = sum((sum(votes) > 1) == label for votes, label in MIXED_ROWS)
"""What all three are worth by majority."""


@pytest.fixture
def nothing_tried(monkeypatch):
    monkeypatch.setattr("voteprune.verify.trying.MOST", 0)


def only_failure(document, rows, folder):
    found = check(document, rows, folder)
    assert not found.holds
    assert found.summary().startswith("The certificate does NOT hold.")
    (failed,) = found.failed
    return failed


LIMITS = {
    "its size is not too small": ({"size_min": 2}, seat([0], 0, 2), "size 1 is not in 2 .. 99"),
    "its size is not too large": ({"size_max": 1}, seat([0, 1], 0, 1), "size 2 is not in 1 .. 1"),
    "somebody sits": (
        {"size_min": 0, "diversity": {"measure": "fc", "tau": 0, "gamma": 0}}, seat([], 0, 1),
        "size 0 is not in",
    ),
    "its threshold is not below 0": ({}, seat([0], -1, 1), "threshold -1 is not below"),
    "its threshold is below its size": ({}, seat([0], 1, 1), "threshold 1 is not below its size"),
    "who is required sits": ({"required": [1]}, seat([0], 0, 2), "'c1' is required"),
    "who is forbidden does not sit": ({"forbidden": [0]}, seat([0], 0, 2), "'c0' is forbidden"),
    "it costs no more than it may": (
        {"costs": [{"costs": ["3/2", 1], "most": "4/3"}]}, seat([0], 0, 2),
        r"it costs 3/2 (1.5), above 4/3",
    ),
    "a limited criterion is high enough": (
        {"criteria": [{"weights": {"tp": 1, "fn": 0, "tn": 0, "fp": "-1/3"}, "least": 1}]},
        seat([0, 1], 0, 1), "a limited criterion is 2/3 (0.66666667), below 1",
    ),
}  # fmt: skip


@pytest.mark.parametrize("law", LIMITS)
def test_a_committee_is_refused_unless(law, tmp_path):
    limits, committee, complaint = LIMITS[law]
    allowed = claim(TWO, 2, status="feasible", committee=seat([0], 0, 2))
    found = check(allowed, TWO, tmp_path)
    assert found.proved
    assert "the committee: 1 members, threshold 0, worth 2, within all limits" in found.checked
    document = claim(TWO, 2, limits=limits, status="feasible", committee=committee)
    assert complaint in only_failure(document, TWO, tmp_path)


def test_a_committee_that_just_meets_every_limit_is_allowed(tmp_path):
    limits = {
        "size_min": 2,
        "size_max": 2,
        "required": [0, 1],
        "costs": [{"costs": ["1/3", "1/6"], "most": "1/2"}],
        "criteria": [{"weights": {**RIGHT, "tp": 0}, "least": 1}],
        "diversity": {"measure": "disagreement", "tau": 1, "gamma": 1},
    }
    document = claim(TWO, 2, limits=limits, status="feasible", committee=seat([0, 1], 1, 1))
    assert check(document, TWO, tmp_path).proved


@pytest.mark.parametrize("measure", SIGNS)
def test_each_limit_on_diversity_stands_by_itself(measure, tmp_path):
    """One that is met exactly, one that is met by far, and one that is missed by a hair."""
    table = Oracle(*zip(*MIXED_ROWS, strict=True), [1] * len(MIXED)).measured(measure)
    means = [Fraction(mean) for mean in pfc(table, [0, 1, 2])]
    up = 1 if measure in FLOORS else -1
    worst, mean = min(up * mean for mean in means), up * sum(means) / 3
    assert worst < mean
    hair, far = Fraction(1, 10**9), 100
    # Means of correlations, which are roots, are known to some hundred digits.
    met = Fraction(1, 10**50) if measure == "correlation" else 0
    for tau, gamma, complaint in (
        (worst - met, mean - met, None),
        (worst + hair, mean - far, "the committee: a member's mean"),
        (worst - far, mean + hair, "the committee: the mean"),
    ):
        diversity = {"measure": measure, "tau": str(up * tau), "gamma": str(up * gamma)}
        limits = {"diversity": diversity}
        committee = seat([0, 1, 2], 1, MIXED_VALUE)
        document = claim(MIXED, len(MIXED), limits=limits, status="feasible", committee=committee)
        if complaint is None:
            assert check(document, MIXED, tmp_path).proved
        else:
            assert only_failure(document, MIXED, tmp_path).startswith(complaint)


def test_one_member_alone_has_no_diversity_to_keep(tmp_path):
    diversity = {"measure": "disagreement", "tau": 1, "gamma": 1}
    document = claim(
        TWO, 2, limits={"diversity": diversity}, status="optimal", committee=seat([0], 0, 2)
    )
    assert check(document, TWO, tmp_path).proved


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"status": "optimal"}, "the status is optimal, but there is no committee"),
        ({"status": "feasible"}, "the status is feasible, but there is no committee"),
        ({"status": "feasible", "committee": seat([0], 0, 1)}, "it is worth 2"),
        ({"status": "optimal", "committee": seat([1], 0, 0)}, "called optimal, but the bound is"),
        ({"objective": {"name": "x", "weights": RIGHT, "unit": 2}}, "no whole multiples"),
        ({"objective": {"name": "x", "weights": {**RIGHT, "fn": "1/2"}, "unit": 1}}, "no whole"),
    ],
)
def test_a_claim_does_not_contradict_itself(changes, complaint, tmp_path):
    assert check(claim(TWO, 2), TWO, tmp_path).proved
    assert complaint in only_failure(claim(TWO, 2, **changes), TWO, tmp_path)


def test_a_certificate_is_about_as_many_rows_as_it_says(tmp_path):
    document = claim(TWO, 2)
    document["votes"]["n_rows"] = 3
    assert "the file has 2 rows" in only_failure(document, TWO, tmp_path)


@pytest.mark.parametrize(
    "others", [["10 1", "01 1"], ["01 1", "10 0"], ["10 1", "10 1"], ["11 1", "01 0"]]
)
def test_a_certificate_is_about_its_votes_and_no_others(others, tmp_path):
    assert "not the votes" in only_failure(claim(TWO, 2), others, tmp_path)


def test_a_certificate_is_about_its_names(tmp_path):
    document = claim(TWO, 2)
    document["votes"]["names"] = ["c1", "c0"]
    assert "not the votes" in only_failure(document, TWO, tmp_path)


def test_the_order_of_rows_does_not_matter_and_rows_of_weight_0_count_for_nothing(tmp_path):
    assert check(claim(TWO, 2), TWO[::-1], tmp_path).proved
    document = claim([*TWO, "11 0"], 2)
    names = document["votes"]["names"]
    document["votes"].update(row_weights=[1, 1, 0], digest=digest_of(names, TWO))
    found = check(document, [*TWO, "11 0"], tmp_path)
    assert found.proved
    assert "2 patterns" in found.checked[0]
    assert any("2 of 3 weigh more than 0, 2 in all" in line for line in found.statement)


@pytest.mark.usefixtures("nothing_tried")
@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"status": "feasible", "committee": seat([0], 0, 2)}, "it is worth more than the bound"),
        ({"status": "infeasible", "committee": seat([1], 0, 0)}, "the certificate says that there"),
    ],
)
def test_what_a_solver_claims_is_not_believed_against_a_committee(changes, complaint, tmp_path):
    document = claim(TWO, 1, trusted=[["highs", 1]], **changes)
    assert complaint in only_failure(document, TWO, tmp_path)


@pytest.mark.usefixtures("nothing_tried")
@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"trusted": [["highs", 1]]}, "highs"),
        ({"trusted": [["highs", 0], ["scip", 2]]}, "highs"),
        ({}, "too large to try again here"),
        ({"status": "infeasible"}, "that no committee meets the limits: too large to try"),
    ],
)
def test_what_nobody_can_check_is_said_to_be_on_trust(changes, word, tmp_path):
    found = check(claim(TWO, 1, **changes), TWO, tmp_path)
    assert found.holds
    assert not found.proved
    (trusted,) = found.trusted
    assert word in trusted
    assert "scip" not in trusted
    assert "taken on trust" in found.summary().splitlines()[0]


@pytest.mark.usefixtures("nothing_tried")
@pytest.mark.parametrize("changes", [{"trusted": [["highs", 2]]}, {"proof": proof()}])
def test_a_bound_that_nothing_supports_is_refused(changes, tmp_path):
    assert "nothing in the certificate" in only_failure(claim(TWO, 1, **changes), TWO, tmp_path)


CUTS = {
    # Flows are [from a pattern that gains as positive, to one that gains as negative, amount].
    "nobody is right on both": (TWO, [[1, 0, 1]], "can both be decided right"),
    "it leads to a gain as negative": (["10 1", "01 1"], [[1, 0, 1]], "does not lead from"),
    "it leads from a gain as positive": (["10 0", "01 0"], [[1, 0, 1]], "does not lead from"),
    "it takes no more than there is to lose as positive": (
        ["100 1", "110 0", "110 0"], [[0, 1, 2]], "the cut takes 2 from pattern 0",
    ),
    "it takes no more than there is to lose as negative": (
        ["100 1", "100 1", "110 0"], [[0, 1, 2]], "the cut takes 2 from pattern 1",
    ),
    "what nobody gets right is not lost twice as positive": (
        ["00 1", "10 0"], [[0, 1, 1]], "is no flow",
    ),
    "what nobody gets right is not lost twice as negative": (
        ["11 0", "10 1"], [[0, 1, 1]], "is no flow",
    ),
    "nothing flows back": (
        # 010 lies in 110, and 100 in 101 and 110; what flows back makes room for more.
        ["100 1", *["010 1"] * 3, *["101 0"] * 3, "110 0"],
        [[1, 2, 3], [0, 3, 3], [1, 3, -2]], "is no flow",
    ),
}  # fmt: skip


@pytest.mark.parametrize("law", CUTS)
def test_a_cut_is_refused_unless(law, tmp_path):
    rows, flow, complaint = CUTS[law]
    lost = sum(amount for *_, amount in flow)
    hopeless = sum(row in ("00 1", "11 0") for row in rows)
    document = claim(rows, len(rows) - hopeless - lost, flow=flow)
    assert Truth(rows).contradicts(document), "the claim itself must be false"
    # What is refused is not counted, so more may be wrong with the rest.
    assert any(complaint in failed for failed in check(document, rows, tmp_path).failed)


@pytest.mark.parametrize("flow", [[[-1, 1, 1]], [[0, -1, 1]], [[2, 1, 1]], [[0, 2, 1]]])
def test_a_cut_is_about_patterns_that_there_are(flow, tmp_path):
    rows = ["100 1", "110 0"]
    assert check(claim(rows, 1, flow=[[0, 1, 1]]), rows, tmp_path).proved
    assert "is no flow" in only_failure(claim(rows, 1, flow=flow), rows, tmp_path)


def test_a_cut_bounds_by_what_it_says(tmp_path):
    document = claim(TWO, 2)
    document["cut"]["bound"] = 1
    assert "it bounds by 2 only" in only_failure(document, TWO, tmp_path)


@pytest.mark.parametrize("worth", [1, 2, "7/3"])
def test_trying_everything_finds_what_is_one_step_above_the_bound(worth, tmp_path):
    """Whatever a step is worth, and whatever lies between two of them."""
    unit = Fraction(worth) / 2
    objective = {"name": "x", "weights": {**RIGHT, "tp": worth, "tn": worth}, "unit": str(unit)}
    for bound in (2, 3):  # in units, of which a step has two
        document = claim(TWO, bound, objective=objective)
        document["cut"]["bound"] = 4
        assert "members (0,) with threshold 0 exceed it" in only_failure(document, TWO, tmp_path)
    document = claim(TWO, 4, objective=objective)
    document["cut"]["bound"] = 4
    assert check(document, TWO, tmp_path).proved


def test_trying_everything_counts_all_who_have_more_votes_than_a_threshold(tmp_path):
    """One vote is enough for the best committee, and some patterns have two."""
    rows = ["10 1", "01 1", "11 1", "00 0"]
    assert "members (0, 1) with threshold 0 exceed it" in only_failure(
        claim(rows, 3), rows, tmp_path
    )


def test_what_is_left_open_is_counted(tmp_path):
    """Nothing is closed, so all of (1, 0), (2, 0) and (2, 1) is open, and the cut bounds it."""
    rows = ["10 1", "01 0", "00 0"]
    found = check(claim(rows, 3, proof=proof()), rows, tmp_path)
    assert found.proved
    assert any("3 pairs left open and bounded" in words for words in found.checked)


def test_a_bound_that_only_trying_proves_is_proved(tmp_path):
    rows = ["10 1", "01 1", "01 1"]
    for bound, proved in ((1, False), (2, True)):
        found = check(claim(rows, bound, limits={"size_max": 1}), rows, tmp_path)
        assert found.proved == found.holds == proved


ALLOWED = {
    "size": {"size_min": 2, "size_max": 2},
    "required": {"required": [0, 1]},
    "forbidden": {"forbidden": [1]},
    "cost": {"costs": [{"costs": ["1/2", "1/2"], "most": "1/2"}]},
    "criterion, met at the second threshold": {
        "size_min": 2, "criteria": [{"weights": {**RIGHT, "tp": 0}, "least": 1}]
    },
    "criterion, met at the first threshold": {
        "size_min": 2, "criteria": [{"weights": {**RIGHT, "tn": 0}, "least": 1}]
    },
    "diversity": {"size_min": 2, "diversity": {"measure": "disagreement", "tau": 1, "gamma": 1}},
}  # fmt: skip


@pytest.mark.parametrize("limits", ALLOWED.values(), ids=ALLOWED)
def test_a_committee_that_is_just_allowed_refutes_that_there_is_none(limits, tmp_path):
    document = claim(TWO, 2, limits=limits, status="infeasible")
    assert "exceed it" in only_failure(document, TWO, tmp_path)


def test_pairs_are_measured_as_they_come_up(tmp_path):
    """Of many classifiers but the last disagrees with the others."""
    rows = ["1" * 69 + "0 1"]
    diversity = {"measure": "disagreement", "tau": 1, "gamma": 1}
    for forbidden, holds in (([], False), ([69], True)):
        limits = {"size_min": 2, "size_max": 2, "forbidden": forbidden, "diversity": diversity}
        document = claim(rows, 1, limits=limits, status="infeasible")
        assert check(document, rows, tmp_path).holds == holds


FORBIDDEN = {
    "size": {"size_min": 3},
    "no size": {"size_max": 0},
    "required and forbidden": {"required": [0], "forbidden": [0]},
    "required and too large": {"required": [0, 1], "size_max": 1},
    "cost": {"costs": [{"costs": [1, 1], "most": "1/2"}]},
    "criterion": {"size_min": 2, "criteria": [{"weights": RIGHT, "least": "3/2"}]},
    "diversity": {"size_min": 2, "diversity": {"measure": "kappa", "tau": 0, "gamma": -2}},
    "everybody forbidden": {"forbidden": [0, 1]},
}  # fmt: skip


@pytest.mark.parametrize("limits", FORBIDDEN.values(), ids=FORBIDDEN)
def test_that_there_is_none_is_proved_by_trying(limits, tmp_path):
    found = check(claim(TWO, 2, limits=limits, status="infeasible"), TWO, tmp_path)
    assert found.proved, found.summary()
    assert "tried" in found.checked[-1]


def test_all_that_is_claimed_is_said(tmp_path):
    """Who reads "holds" must be told what does."""
    limits = {
        "size_max": 1,
        "required": [0],
        "forbidden": [1],
        "costs": [{"costs": [1, 1], "most": "3/2"}],
        "criteria": [{"weights": {**RIGHT, "fp": -1}, "least": 1}],
        "diversity": {"measure": "fc", "tau": "1/4", "gamma": "1/3"},
    }
    document = claim(TWO, 2, limits=limits, status="optimal", committee=seat([0], 0, 2))
    problem = (
        "maximise rows right: 1 tp + 1 tn",
        "from 2 classifiers, 1 to 1 of them",
        "where column 'label' is the truth",
        "with c0",
        "without c1",
        "costing at most 3/2 (1.5), as the certificate lists the costs",
        "where 1 tp + 1 tn + -1 fp is at least 1",
        "where fc is limited by 1/4 (0.25) for every member",
        "and by 1/3 (0.33333333) in the mean",
    )
    found = check(document, TWO, tmp_path)
    seated = "c0 with more than 0 votes: 2"
    assert found.statement == (*problem, seated, "no such committee exceeds 2")
    assert found.summary().startswith("The certificate holds: every part of it was checked.")
    document.update(status="infeasible", committee=None)
    assert check(document, TWO, tmp_path).statement == (*problem, "there is no such committee")
    plain = claim(TWO, 2)
    assert check(plain, TWO, tmp_path).statement == (
        problem[0], "from 2 classifiers, 1 to 99 of them", problem[2],
        "no such committee exceeds 2",
    )  # fmt: skip
