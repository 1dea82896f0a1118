"""Ranks, tests and the interval on unseen rows, against SciPy and examples made by hand."""

import gzip
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from synthetic_records import counts, record
from voteprune import InputError
from voteprune_bench.experiment.records import Record
from voteprune_bench.report import unseen
from voteprune_bench.report.generalisation import choose_candidate, generalisation_page
from voteprune_bench.report.unseen import Folds, duels, holm, interval, usual, wilcoxon_p

# With a dozen folds or fewer SciPy tries all permutations, which takes seconds.
SETS, SEEDS, FOLDS = ("bcw", "drd", "qsr"), (40, 50, 60), (0, 1)


def records(levels, seeds=SEEDS, salt=0, folds=FOLDS, **more):
    """Records of methods with some accuracy on all folds."""
    rng = np.random.default_rng(salt)
    made = []
    for dataset in SETS:
        for seed in seeds:
            for fold in folds:
                for method, level in levels.items():
                    plain = record(rng, dataset, seed, fold, 100, "HC-ACC")
                    parts = {name: getattr(plain, name) for name in Record.__slots__}
                    key = f"{dataset}-{seed}-{fold}-{method}-{more.get('votes_by')}"
                    parts |= {"key": key, "method": method, "test": counts(rng, 100, level)}
                    if method == "F1":
                        parts |= {"bound": plain.value, "status": "optimal"}
                    made.append(Record(**{**parts, **more}))
    return made


@pytest.fixture
def untested(monkeypatch):
    """Whatever is compared: the tests have tests of their own, and take SciPy a while."""
    monkeypatch.setattr(unseen, "wilcoxon_p", lambda gaps: 0.03)


LEVELS = {"soft": 0.9, "stacking": 0.89, "F1": 0.8, "greedy log loss": 0.85, "old default": 0.82}


@pytest.mark.slow
def test_holm_by_hand():
    # Sorted 0.01, 0.02, 0.04 times 3, 2, 1; none below the one before it.
    assert holm([0.02, 0.01, 0.04]) == pytest.approx([0.04, 0.03, 0.04])
    assert holm([0.6, 0.9]) == pytest.approx([1.0, 1.0])
    assert holm([0.03]) == [0.03]
    assert holm([]) == []


def test_wilcoxon_counts_zeros_and_needs_a_difference():
    gaps = np.concatenate([np.zeros(6), np.arange(1, 9) / 100, [-0.035, -0.015]])
    assert wilcoxon_p(gaps) == stats.wilcoxon(gaps, zero_method="pratt").pvalue
    assert wilcoxon_p(gaps) != stats.wilcoxon(gaps, zero_method="wilcox").pvalue
    assert wilcoxon_p(np.zeros(4)) == 1.0


def test_the_interval_is_students():
    gaps = np.array([1.0, 2.0, 3.0, 6.0])
    half = stats.t.ppf(0.975, 3) * gaps.std(ddof=1) / 2
    assert interval(gaps) == pytest.approx((3 - half, 3 + half))
    assert interval(np.array([0.5, 0.5])) == (0.5, 0.5)
    assert interval(np.array([0.5])) == (None, None)


def test_ranks_are_within_folds_and_ties_share_them():
    made = records({"a": 0.5, "b": 0.5, "c": 0.5}, seeds=(40,))
    folds = Folds(made)
    right = {(r.run, r.method): r.test.tp + r.test.tn for r in made}
    expected = np.mean(
        [
            stats.rankdata([-float(right[run, name]) for name in folds.methods])
            for run in folds.runs
        ],
        axis=0,
    )
    assert folds.ranks() == pytest.approx(expected)
    assert folds.ranks().sum() == pytest.approx(6)


def test_folds_that_lack_a_method_do_not_count():
    made = records(LEVELS)
    folds = Folds(made[:-1])
    assert len(folds.runs) == len(SETS) * len(SEEDS) * len(FOLDS) - 1
    assert made[-1].run not in folds.runs
    # Where all data sets and seeds must have the same folds, the others go without it as well.
    even = Folds(made[:-1], balanced=True)
    assert {run[2] for run in even.runs} == set(FOLDS) - {made[-1].run[2]}
    assert len(even.runs) == len(SETS) * len(SEEDS) * (len(FOLDS) - 1)
    # A seed of which no fold is done does not keep the others from counting.
    begun = [*made, *records({"soft": 0.9}, seeds=(70,))]
    assert Folds(begun, list(LEVELS), balanced=True).runs == Folds(made).runs
    assert not Folds(records({"soft": 0.9}), list(LEVELS), balanced=True).runs


def test_what_is_only_begun_takes_no_fold_from_the_others():
    """Data sets, seeds and folds of which little is there."""
    made = records(LEVELS, folds=range(4))
    whole = Folds(made, balanced=True)
    assert len(whole.runs) == len(SETS) * len(SEEDS) * 4
    seed = records(LEVELS, seeds=(70, 80), folds=(0,))
    one_set = records(LEVELS, seeds=range(110, 200, 10))
    one_fold = records(LEVELS, seeds=(40,), folds=(7,))
    begun = [replace(r, dataset="spa") for r in made if r.run == ("bcw", 40, 0)]
    for more in (
        seed,
        [r for r in seed if r.dataset == "bcw"],
        [r for r in one_set if r.dataset == "bcw"],  # as when a run begins with many new seeds
        one_fold,
        begun,
    ):
        assert Folds([*made, *more], balanced=True).runs == whole.runs
    # A seed with most folds is in, and its last fold does not count.
    most = Folds([*made, *records(LEVELS, seeds=(70,), folds=range(3))], balanced=True)
    assert {run[1] for run in most.runs} == {*SEEDS, 70}
    assert {run[2] for run in most.runs} == {0, 1, 2}
    # Seeds that share no fold: one of them is better than none.
    apart = [*records(LEVELS, seeds=(40,), folds=(0,)), *records(LEVELS, seeds=(50,), folds=(1,))]
    assert len(Folds(apart, balanced=True).runs) == len(SETS)
    nowhere = [r for r in records(LEVELS) if SEEDS[SETS.index(r.dataset)] == r.seed]
    assert Folds(nowhere, balanced=True).runs == ()
    assert Folds([], balanced=True).runs == ()


def test_usual_methods_are_those_of_half_of_the_folds():
    made = records(LEVELS)
    rare = [replace(r, method="rare") for r in made if r.method == "F1" and r.dataset == "bcw"]
    half = [replace(r, method="half") for r in made if r.method == "F1" and r.fold == 0]
    names = [*LEVELS, "rare", "half"]
    assert usual([*made, *rare, *half], names) == [*LEVELS, "half"]
    assert usual([*rare, *half], ["rare"]) == ["rare"]
    assert usual([], names) == []


@pytest.mark.slow
def test_duels_are_over_folds_and_over_means_of_data_set_and_seed():
    folds = Folds(records(LEVELS))
    rivals = [name for name in folds.methods if name != "soft"]
    found = {duel.rival: duel for duel in duels(folds, "soft", rivals)}
    accuracy = folds.accuracy
    by_group = {}
    for run, line in zip(folds.runs, accuracy, strict=True):
        by_group.setdefault(run[:2], []).append(line)
    means = np.array([np.mean(lines, axis=0) for _, lines in sorted(by_group.items())])
    plain = {}
    for name, rows in (("folds", accuracy), ("means", means)):
        gaps = [rows[:, 0] - rows[:, folds.column(rival)] for rival in rivals]
        plain[name] = holm([wilcoxon_p(np.round(gap, 12)) for gap in gaps])
    for place, rival in enumerate(rivals):
        gap = means[:, 0] - means[:, folds.column(rival)]
        assert found[rival].gain == pytest.approx(gap.mean())
        assert (found[rival].low, found[rival].high) == pytest.approx(interval(gap))
        assert found[rival].p_folds == pytest.approx(plain["folds"][place])
        assert found[rival].p_means == pytest.approx(plain["means"][place])
    assert found["F1"].p_folds < found["stacking"].p_folds


def test_of_candidates_close_to_the_best_the_surest_is_chosen():
    accuracy, loss = np.array([90.0, 89.6, 89.4]), np.array([0.3, 0.2, 0.1])
    assert choose_candidate(accuracy, loss) == 1
    assert choose_candidate(accuracy, np.array([0.2, 0.3, 0.1])) == 0


def write(folder, made):
    text = "".join(one.to_json() + "\n" for one in made)
    (folder / "results.check.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    return folder


@pytest.mark.slow
@pytest.mark.usefixtures("untested")
def test_the_page_shows_the_check_the_choice_and_what_is_apart(tmp_path):
    soft = {"test_auc": 0.9, "test_log_loss": 0.25}
    candidates = {"soft 5, 10, 0.01": 0.7, "soft 7, 100, 0.001": 0.9, "old default": 0.8}
    made = [
        *records({**LEVELS, "soft 3": 0.88}, **soft),
        *records(LEVELS, seeds=(30,), salt=1, **soft),
        *records({**LEVELS, **candidates}, seeds=(10, 20), salt=2, **soft),
        *records(LEVELS, seeds=(10,), salt=3, votes_by="out of fold", **soft),
    ]
    page = generalisation_page(write(tmp_path, made))
    sections = [line for line in page.splitlines() if line.startswith("## ")]
    assert sections == [
        "## The choice", "## The check", "## Seed 30, apart", "## The seeds that were chosen on",
        "## Out-of-fold votes, chosen on",
    ]  # fmt: skip
    assert "soft 7, 100, 0.001 (chosen)" in page
    check = page[page.index("## The check") : page.index("## Seed 30")]
    folds = Folds([one for one in made if one.seed in SEEDS], list(LEVELS))
    place = folds.column("F1")
    line = f"| F1 | {folds.ranks()[place]:.2f} | {100 * folds.accuracy[:, place].mean():.2f} |"
    assert line in check
    assert f"{len(folds.runs)} folds of 3 data sets, seeds 40, 50, 60" in check
    assert "| soft 3 | - |" in check  # told, not ranked
    assert "Proved best on the votes, of 18 folds: F1 18." in check
    assert "soft 7, 100" not in check
    assert "no check of it" not in check
    assert page.count("no check of it") == 2
    first = check[check.index("### Tests") :]
    assert all(f"| {name} |" in first for name in LEVELS if name != "soft")
    small = sum(folds.table(lambda one: one.size).mean(axis=0) <= 10)
    assert f"Mean rank among the {small} methods of at most ten members on average: place" in check


@pytest.mark.slow
@pytest.mark.usefixtures("untested")
def test_the_second_check_has_other_folds_and_secondary_tests(tmp_path):
    first = records(LEVELS, test_auc=0.9)
    losses = {"soft": 0.2, "stacking": 0.3, "greedy log loss": 0.4}
    second = [
        replace(
            one,
            test_log_loss=losses.get(one.method),
            test_auc={"soft": 0.95, "F1": 0.85}.get(one.method, 0.9),
        )
        for one in records(LEVELS, salt=1, folds=(3, 4, 5))
        if (*one.run, one.method) != ("qsr", 50, 5, "F1")
    ]
    page = generalisation_page(write(tmp_path, [*first, *second]))
    check = page[page.index("## The check") : page.index("## The second check")]
    other = page[page.index("## The second check") :]
    assert "18 folds of 3 data sets, seeds 40, 50, 60, folds 0, 1 of each" in check
    # Fold 5 lacks one record, so it does not count at all.
    assert "18 folds of 3 data sets, seeds 40, 50, 60, folds 3, 4 of each" in other
    folds = Folds([r for r in second if r.fold in (3, 4)], list(LEVELS))
    assert f"| {100 * folds.accuracy[:, folds.column('F1')].mean():.2f} |" in other
    assert "### Tests by" not in check
    auc = other[other.index("### Tests by AUC") : other.index("### Tests by log loss")]
    assert "| F1 | +0.1000 | +0.1000 to +0.1000 |" in auc
    assert sum(f"| {name} |" in auc for name in LEVELS) == len(LEVELS) - 1
    loss = other[other.index("### Tests by log loss") : other.index("### By data set")]
    assert "| stacking | -0.1000 |" in loss
    assert "| greedy log loss | -0.2000 |" in loss
    assert "| F1 |" not in loss
    assert "all 2 rivals" in loss


@pytest.mark.slow
@pytest.mark.usefixtures("untested")
def test_what_is_only_begun_is_left_out_of_the_page_and_told(tmp_path):
    made = [*records(LEVELS), *records(LEVELS, folds=(3, 4), test_auc=0.9, test_log_loss=0.2)]
    plain = generalisation_page(write(tmp_path, made))
    begun = records(LEVELS, seeds=(70,), folds=(0, 3))
    begun = [r for r in begun if r.dataset == "bcw" or r.fold == 3]
    few = [
        replace(r, method=name, key=r.key + name)
        for name in ("mine", "soft 3")
        for r in made
        if r.method == "F1" and r.run in (("bcw", 40, 0), ("qsr", 50, 4))
    ]
    page = generalisation_page(write(tmp_path, [*made, *begun, *few]))
    told = " Left out, since most folds lack it: mine."
    apart = (
        " Left out, so that every data set has the same seeds and every seed the same folds: "
        "seeds 70."
    )
    hidden = " Not told, since some of these folds lack it: soft 3."
    assert page.count(told) == page.count(apart) == page.count(hidden) == 2
    assert page.replace(told, "").replace(apart, "").replace(hidden, "") == plain


@pytest.mark.slow
@pytest.mark.usefixtures("untested")
def test_no_section_that_has_records_goes_without_a_word(tmp_path):
    one, other = "soft 5, 10, 0.01", "soft 7, 100, 0.001"
    made = [
        *records(LEVELS),
        *records({"F1": 0.8}, folds=(3, 4)),
        *(r for r in records(LEVELS, seeds=(30,)) if r.dataset == "bcw" or r.method != "soft"),
        *records({one: 0.7}, seeds=(10,), folds=(0,)),
        *records({other: 0.7}, seeds=(10,), folds=(1,)),
    ]
    page = generalisation_page(write(tmp_path, made))
    sections = dict(part.split("\n\n", 1) for part in page.split("\n## ")[1:])
    assert list(sections) == ["The choice", "The check", "The second check", "Seed 30, apart"]
    lost = "No figures: there are records on {} folds, but no fold has all "
    assert sections["The choice"].startswith(lost.format(6) + "candidates")
    second = sections["The second check"]
    assert second.startswith(lost.format(18) + "methods and one called 'soft'")
    assert sections["Seed 30, apart"].startswith("2 folds of 1 data sets, seeds 30")


@pytest.mark.slow
@pytest.mark.usefixtures("untested")
def test_a_candidate_that_was_hardly_tried_takes_nothing_from_the_choice(tmp_path):
    candidates = {"soft 5, 10, 0.01": 0.7, "soft 7, 100, 0.001": 0.9, "old default": 0.8}
    made = [*records(LEVELS), *records(candidates, seeds=(10,), test_log_loss=0.3)]
    plain = generalisation_page(write(tmp_path, made))
    rare = [
        replace(r, method="soft 9, 9, 0.9", key=r.key + "9")
        for r in made
        if r.run == ("bcw", 10, 0) and r.method == "old default"
    ]
    page = generalisation_page(write(tmp_path, [*made, *rare]))
    assert page.replace(" Left out, since most folds lack it: soft 9, 9, 0.9.", "", 1) == plain


@pytest.mark.slow
@pytest.mark.usefixtures("untested")
def test_secondary_tests_are_with_those_that_have_the_score_on_every_fold(tmp_path):
    made = records(LEVELS)
    second = records(LEVELS, folds=(3, 4), test_auc=0.9, test_log_loss=0.2)
    lame = [
        replace(r, test_auc=None, bound=None)
        if (*r.run, r.method) == ("bcw", 40, 3, "F1")
        else replace(r, bound=None)
        for r in second
    ]
    page = generalisation_page(write(tmp_path, [*made, *lame]))
    assert "nan" not in page
    other = page[page.index("## The second check") :]
    auc = other[other.index("### Tests by AUC") : other.index("### Tests by log loss")]
    assert "| F1 |" not in auc
    assert "all 3 rivals. Left out, since some folds have no AUC of it: F1." in auc
    loss = other[other.index("### Tests by log loss") : other.index("### By data set")]
    assert "all 4 rivals." in loss
    assert "Left out" not in loss
    # Nothing is said of proofs where nobody proves.
    assert "Proved best" not in other
    assert "Proved best on the votes, of 18 folds: F1 18." in page
    # Without the champion's there are no tests.
    lame = [replace(r, test_auc=None) if r.method == "soft" else r for r in second]
    page = generalisation_page(write(tmp_path, [*made, *lame]))
    assert "nan" not in page
    assert "### Tests by AUC\n\nNone: soft and a rival must have it on every fold.\n" in page


@pytest.mark.slow
def test_the_goal_is_said_to_be_missed_where_it_is(tmp_path):
    worse = {**LEVELS, "soft": 0.7, "F1": 0.95}
    made = records(worse, seeds=range(40, 110, 10))
    found = {duel.rival: duel for duel in duels(Folds(made), "soft", ["F1", "stacking"])}
    assert max(found["F1"].p_folds, found["F1"].p_means) < 0.05  # surely worse is not better
    page = generalisation_page(write(tmp_path, made))
    assert "with p < 0.05 by both tests: none of 1" in page
    assert "does not stay above" in page
    assert "place 1." not in page


def test_a_run_without_the_check_is_refused(tmp_path):
    with pytest.raises(InputError, match="no fold has all methods and one called 'soft'"):
        generalisation_page(write(tmp_path, records(LEVELS, seeds=(10,))))
    apart = [r for r in records(LEVELS) if SEEDS[SETS.index(r.dataset)] == r.seed]
    with pytest.raises(InputError, match="no fold of a seed has all methods on all data sets"):
        generalisation_page(write(tmp_path, apart))


def test_a_champion_without_rivals_has_figures_and_no_tests(tmp_path):
    page = generalisation_page(write(tmp_path, records({"soft": 0.9})))
    assert "| soft | 1.00 |" in page
    assert "### Tests" not in page
