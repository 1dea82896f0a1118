"""The tables' figures are those of the records, computed once more here with plain loops."""

import csv
import io
import math
from dataclasses import replace

import pytest

import synthetic_records as synthetic
from voteprune.exceptions import InputError
from voteprune_bench.report import collect, paper, render

RECORDS = synthetic.records(datasets=("bcw", "drd", "aps_part"), seeds=(10, 20, 30), folds=(0, 1))


@pytest.fixture(scope="module")
def facts():
    return collect(RECORDS)


def figure(facts, table, dataset, k, method):
    found = facts.tables[table]
    (line,) = (line for line in found.lines if line.keys == (dataset, str(k)))
    return line.entries[found.columns.index(method)]


def picked(dataset, k, method, records=RECORDS):
    return [
        r for r in records if (r.dataset, r.pool_size, r.method) == (dataset.lower(), k, method)
    ]


def accuracy(c):
    return (c.tp + c.tn) / (c.tp + c.fn + c.tn + c.fp)


def balanced(c):
    return (c.tp / (c.tp + c.fn) + c.tn / (c.tn + c.fp)) / 2


def average(values):
    total = 0.0
    for value in values:
        total += value
    return total / len(values)


def deviation(values):
    middle = average(values)
    return math.sqrt(sum((value - middle) ** 2 for value in values) / (len(values) - 1))


CELLS = [
    (d, k, m) for d in ("BCW", "DRD", "aps_part") for k in (40, 100) for m in ("F1", "FE", "KP")
]


@pytest.mark.parametrize(("dataset", "k", "method"), CELLS)
@pytest.mark.parametrize("measure", [accuracy, balanced])
def test_mean_and_spread(facts, dataset, k, method, measure):
    table = "accuracy" if measure is accuracy else "balanced_accuracy"
    entry = figure(facts, table, dataset, k, method)
    records = picked(dataset, k, method)
    assert entry.runs == len(records) == 6
    assert entry.ours == pytest.approx(average([measure(r.test) for r in records]), abs=1e-12)
    seeds = [average([measure(r.test) for r in records if r.seed == s]) for s in (10, 20, 30)]
    assert entry.spread == pytest.approx(deviation(seeds), abs=1e-12)
    runs = [measure(r.test) for r in records]
    assert entry.runs_spread == pytest.approx(deviation(runs), abs=1e-12)


@pytest.mark.parametrize(("dataset", "k", "method"), CELLS)
def test_overfitting_is_the_papers_ratio_of_means(facts, dataset, k, method):
    records = picked(dataset, k, method)
    inside = average([accuracy(r.validation) for r in records])
    outside = average([accuracy(r.test) for r in records])
    entry = figure(facts, "overfitting", dataset, k, method)
    assert entry.ours == pytest.approx((outside - inside) / inside, abs=1e-12)


def test_gaps_are_in_per_cent_and_only_of_methods_that_prove(facts):
    assert facts.tables["gaps"].columns == synthetic.PROVING
    for dataset, k, method in [("BCW", 40, "F1"), ("DRD", 100, "F3")]:
        gaps = [100 * (r.bound - r.value) / r.value for r in picked(dataset, k, method)]
        entry = figure(facts, "gaps", dataset, k, method)
        assert entry.ours == pytest.approx(average(gaps))
        assert entry.spread == pytest.approx(deviation(gaps))


def test_a_gap_that_is_not_finite_is_told_and_in_no_mean():
    """Without a bound, or of value 0 under a bound that is not."""
    runs = picked("BCW", 40, "F1")
    odd = [
        replace(runs[0], value=0.0, bound=0.5),
        replace(runs[1], bound=None, status="feasible"),
        replace(runs[2], value=0.0, bound=0.0),
        *runs[3:],
    ]
    lost = [replace(r, method="F2", key=r.key + "2", value=0.0, bound=0.5) for r in runs]
    table = collect([*odd, *lost]).tables["gaps"]
    assert table.columns == ("F1", "F2")
    (line,) = table.lines
    gaps = [0.0, *(100 * (r.bound - r.value) / r.value for r in runs[3:])]
    first, second = line.entries
    assert (first.ours, first.runs, first.lacking) == (pytest.approx(average(gaps)), 4, 2)
    assert (second.ours, second.runs, second.lacking) == (None, 0, 6)
    shown = table.stacked().rows[0][3:]
    assert shown == (
        f"{first.ours:.2f} ± {first.spread:.2f} (2 lacking)", "- (6 lacking)",
    )  # fmt: skip
    assert "In brackets: how many more runs have no finite gap" in table.note
    assert "<i>(2 lacking)</i>" in render(collect(odd), [])
    rows = list(csv.DictReader(io.StringIO(table.to_csv())))
    assert [(row["method_runs"], row["lacking"]) for row in rows] == [("4", "2"), ("0", "6")]
    whole = collect(runs).tables["gaps"]
    assert "In brackets" not in whole.note
    assert "lacking" not in whole.to_markdown()


def test_a_test_part_that_does_not_tell_is_lacking():
    runs = picked("BCW", 40, "F1")
    odd = replace(runs[0], test=replace(runs[0].test, tp=0, fn=0))
    facts = collect([odd, *runs[1:]])
    assert figure(facts, "accuracy", "BCW", 40, "F1").lacking == 0
    entry = figure(facts, "balanced_accuracy", "BCW", 40, "F1")
    assert (entry.runs, entry.lacking) == (5, 1)
    table = facts.tables["balanced_accuracy"]
    assert table.stacked().rows[0][3].endswith("(1 lacking)")
    assert "have a test part that does not tell" in table.note
    assert "In brackets" not in facts.tables["accuracy"].note


def test_a_proof_is_counted_of_the_runs_that_the_method_has():
    whole = [replace(r, value=1.0, bound=1.0, status="optimal") for r in picked("BCW", 40, "F1")]
    few = [replace(r, method="F2", key=r.key + "2") for r in whole[:2]]
    none = [replace(r, method="F2", key=r.key + "2", dataset="drd") for r in whole]
    made = [*whole, *few, *none]
    table = collect(made).tables["proved"]
    assert [row[4:] for row in table.stacked().rows] == [
        ("6", "2 of 2"), ("-", "6"), ("6 of 6", "8 of 8"),
    ]  # fmt: skip
    assert [line.keys[2] for line in table.lines] == ["6", "6", "12"]


def test_no_two_columns_of_a_csv_file_have_one_name(facts):
    for table in facts.tables.values():
        headings = next(csv.reader(io.StringIO(table.to_csv())))
        assert len(set(headings)) == len(headings)
    rows = csv.DictReader(io.StringIO(facts.tables["accuracy_ranks"].to_csv()))
    assert {(row["K"], row["runs"], row["method_runs"]) for row in rows} == {
        ("40", "12", "12"), ("100", "12", "12"), ("all", "24", "24"),
    }  # fmt: skip


def test_proofs_are_counted_where_there_are_bounds(facts):
    table = facts.tables["proved"]
    assert table.columns == synthetic.PROVING
    for dataset, k in [("BCW", 40), ("DRD", 100)]:
        (line,) = (line for line in table.lines if line.keys == (dataset, str(k), "6"))
        for method, entry in zip(table.columns, line.entries, strict=True):
            records = picked(dataset, k, method)
            assert entry.ours == sum(r.status == "optimal" for r in records)
    total = table.lines[-1]
    assert total.keys == ("all", "all", "36")
    for column, method in enumerate(table.columns):
        proved = [r for r in RECORDS if r.method == method and r.status == "optimal"]
        assert total.entries[column].ours == len(proved)
    # Of one data set and K there is nothing to sum up.
    (line,) = collect(picked("BCW", 40, "F1")).tables["proved"].lines
    assert not line.summary


def test_sizes_are_means_over_runs(facts):
    assert facts.tables["sizes"].columns == facts.methods
    for dataset, k, method in [("BCW", 40, "F1"), ("DRD", 100, "KP"), ("aps_part", 40, "FE")]:
        sizes = [len(r.members) for r in picked(dataset, k, method)]
        entry = figure(facts, "sizes", dataset, k, method)
        assert entry.ours == pytest.approx(average(sizes))
        assert entry.spread == pytest.approx(deviation(sizes))


def test_the_papers_figures_stand_beside_ours(facts):
    entry = figure(facts, "accuracy", "BCW", 100, "HC-UWA")
    published = paper.accuracy()["BCW", 100, "HC-UWA"]
    assert (entry.paper, entry.paper_spread) == (published.mean, published.std)
    assert entry.difference == entry.ours - published.mean
    assert figure(facts, "gaps", "DRD", 100, "F1").paper == 4.3
    # The paper has gaps at K = 100 only, and neither F2's nor F1-theta's.
    assert figure(facts, "gaps", "DRD", 40, "F1").paper is None
    assert figure(facts, "gaps", "DRD", 100, "F2").paper is None
    # F1-theta maximises balanced accuracy; the paper does not print its accuracy.
    assert figure(facts, "accuracy", "DRD", 100, "F1-theta").paper is None


def test_a_part_is_called_a_part_and_has_no_figure_of_the_paper(facts):
    for name in ("accuracy", "balanced_accuracy", "overfitting", "gaps"):
        table = facts.tables[name]
        assert "aps_part is a part of APS" in table.note
        lines = [line for line in table.lines if line.keys[0] == "aps_part"]
        assert len(lines) == 2
        assert all(entry.paper is None for line in lines for entry in line.entries)
    assert any("a part of APS" in row[0] for row in facts.listings["coverage"].rows)


def test_votes_made_in_another_way_are_apart_and_their_data_set_counts_once():
    own = [r for r in RECORDS if r.dataset == "aps_part"]
    own += [replace(r, key=r.key + "m", dataset="mine") for r in own]
    others = [replace(r, key=r.key + "o", votes_by="out of fold") for r in own]
    facts, alone = collect([*own, *others]), collect(own)
    assert set(facts.datasets) == {
        "aps_part", "aps_part, out of fold", "mine", "mine, out of fold",
    }  # fmt: skip
    for name in ("accuracy", "accuracy_ranks_all", "sizes"):
        summed = [line for line in facts.tables[name].lines if line.keys[0] not in facts.datasets]
        assert summed
        assert summed == [
            line for line in alone.tables[name].lines if line.keys[0] not in alone.datasets
        ]
    for name in ("accuracy", "accuracy_ranks_all"):
        told = "counts once: aps_part, out of fold; mine, out of fold."
        assert told in facts.tables[name].note
        assert "counts once" not in alone.tables[name].note
    duels, expected = (each.listings["duels_accuracy_k40"] for each in (facts, alone))
    assert duels.rows == expected.rows
    assert told in duels.note
    assert "counts once" not in expected.note
    averages = [point for point in facts.points if not point.dataset]
    assert averages == [point for point in alone.points if not point.dataset]
    (words,) = (tile.words for tile in facts.headline if tile.words.startswith("committees"))
    assert "on 2 data sets" in words
    assert words.count("aps_part is a part of APS") == 1
    rows = [row[0] for row in facts.listings["coverage"].rows]
    assert "aps_part, out of fold (a part of APS)" in rows


def test_averages_are_over_data_sets_the_paper_has_too(facts):
    table = facts.tables["accuracy"]
    (line,) = (line for line in table.lines if line.summary and line.keys[1] == "40")
    assert line.keys[0] == "average of 2"
    entry = line.entries[table.columns.index("KP")]
    parts = [figure(facts, "accuracy", dataset, 40, "KP") for dataset in ("BCW", "DRD")]
    assert entry.ours == pytest.approx(average([part.ours for part in parts]))
    assert entry.paper == pytest.approx(average([part.paper for part in parts]))


def loop_ranks(records, k, methods, measure):
    """Average ranks, the slow and obvious way."""
    by_dataset = {}
    for dataset in {r.dataset for r in records}:
        for seed in {r.seed for r in records}:
            for fold in {r.fold for r in records}:
                scores = {
                    r.method: measure(r.test)
                    for r in records
                    if (r.dataset, r.seed, r.fold, r.pool_size) == (dataset, seed, fold, k)
                    and r.method in methods
                }
                if len(scores) < len(methods):
                    continue
                ranks = []
                for mine in methods:
                    above = sum(scores[other] > scores[mine] for other in methods)
                    level = sum(scores[other] == scores[mine] for other in methods)
                    ranks.append(above + (level + 1) / 2)
                by_dataset.setdefault(dataset, []).append(ranks)
    means = [
        [average([line[i] for line in lines]) for i in range(len(methods))]
        for lines in by_dataset.values()
    ]
    return [average([line[i] for line in means]) for i in range(len(methods))]


@pytest.mark.parametrize("k", [40, 100])
def test_ranks(facts, k):
    """Beside the paper's, they are over data sets that the paper has, not over a part of one."""
    records = [r for r in RECORDS if r.dataset != "aps_part"]
    table = facts.tables["accuracy_ranks"]
    assert "Only data sets of the paper" in table.note
    assert "F1-theta" not in table.columns  # the paper ranks it by balanced accuracy alone
    (line,) = (line for line in table.lines if line.keys[0] == str(k))
    expected = loop_ranks(records, k, table.columns, accuracy)
    assert [entry.ours for entry in line.entries] == pytest.approx(expected)
    assert sum(expected) == pytest.approx(55)
    assert line.entries[0].paper == {40: 5.16, 100: 5.20}[k]
    balanced_table = facts.tables["balanced_accuracy_ranks"]
    assert set(balanced_table.columns) == {*table.columns, "F1-theta"} - {"F2", "F3"}
    (line,) = (line for line in balanced_table.lines if line.keys[0] == str(k))
    expected = loop_ranks(records, k, balanced_table.columns, balanced)
    assert [entry.ours for entry in line.entries] == pytest.approx(expected)
    everyone = facts.tables["accuracy_ranks_all"]
    (line,) = (line for line in everyone.lines if line.keys[0] == str(k))
    expected = loop_ranks(RECORDS, k, everyone.columns, accuracy)
    assert [entry.ours for entry in line.entries] == pytest.approx(expected)


def test_a_run_without_a_data_set_of_the_paper_is_ranked_alone():
    own = [r for r in RECORDS if r.dataset == "aps_part"]
    table = collect(own).tables["accuracy_ranks"]
    assert "Only data sets" not in table.note
    (line,) = (line for line in table.lines if line.keys[0] == "40")
    expected = loop_ranks(own, 40, table.columns, accuracy)
    assert [entry.ours for entry in line.entries] == pytest.approx(expected)
    assert all(entry.paper is None for line in table.lines for entry in line.entries)


def test_data_sets_the_paper_has_not_are_ranked_though_all_methods_are_the_papers():
    methods = {method for _, method in paper.accuracy_ranks()}
    papers = [r for r in RECORDS if r.method in methods and r.pool_size == 40]
    mixed, own = collect(papers), [r for r in papers if r.dataset == "aps_part"]
    table = mixed.tables["accuracy_ranks_all"]
    expected = loop_ranks(papers, 40, table.columns, accuracy)
    assert [entry.ours for entry in table.lines[0].entries] == pytest.approx(expected)
    assert "Over other data sets than the paper's" in table.note
    assert "Among other methods" not in table.note
    # What would be the same table once more is none.
    for runs in (own, [r for r in papers if r.dataset != "aps_part"]):
        assert "accuracy_ranks_all" not in collect(runs).tables


def test_runs_that_lack_a_method_are_not_ranked():
    lame = [r for r in RECORDS if not (r.method == "BFT" and r.seed == 20 and r.dataset == "drd")]
    facts = collect(lame)
    table = facts.tables["accuracy_ranks"]
    (line,) = (line for line in table.lines if line.keys[0] == "40")
    assert line.keys == ("40", "2", "10")
    papers = [r for r in lame if r.dataset != "aps_part"]
    assert [entry.ours for entry in line.entries] == pytest.approx(
        loop_ranks(papers, 40, table.columns, accuracy)
    )
    rows = {row[:2]: row for row in facts.listings["coverage"].rows}
    assert rows["DRD", "40"][-1] == "BFT 2"
    assert rows["BCW", "40"][-1] == "nothing"


def test_a_method_that_most_runs_lack_changes_no_figure_of_the_others():
    """It is told, line by line, and neither ranked nor averaged; notes say so."""
    few = [
        replace(r, key=r.key + "m", method="mine")
        for r in RECORDS
        if r.method == "FE" and r.fold == 0 and r.seed == 10 and r.dataset != "drd"
    ]
    facts, alone = collect([*RECORDS, *few]), collect(RECORDS)
    assert facts.tables["accuracy_ranks"] == alone.tables["accuracy_ranks"]
    for name in ("accuracy", "balanced_accuracy", "overfitting", "sizes", "accuracy_ranks_all"):
        table, expected = facts.tables[name], alone.tables[name]
        place = table.columns.index("mine")
        others = [
            replace(line, entries=line.entries[:place] + line.entries[place + 1 :])
            for line in table.lines
        ]
        assert others == list(expected.lines)
        for line in table.lines:
            is_told = line.keys[0] in ("BCW", "aps_part")
            assert (line.entries[place].ours is not None) == is_told
        assert any(line.summary for line in table.lines)
        told = "most runs lack it: mine, K = 40, 100."
        assert told in table.note
        assert told not in expected.note
    averages = [point for point in facts.points if not point.dataset]
    assert averages == [point for point in alone.points if not point.dataset]


def test_over_all_k_are_the_methods_and_data_sets_of_each_k():
    """Else a difference of K would be one of data sets, or of who else is ranked."""
    fewer = [
        r
        for r in RECORDS
        if (r.dataset, r.pool_size) != ("drd", 40) and (r.method, r.pool_size) != ("KP", 100)
    ]
    table = collect(fewer).tables["accuracy_ranks"]
    *by_size, over_all = table.lines
    assert [line.keys for line in by_size] == [("40", "1", "6"), ("100", "2", "12")]
    assert over_all.keys == ("all", "1", "12")
    assert "ranked once more" in table.note
    shared = [name for name in table.columns if name != "KP"]
    bcw = [r for r in fewer if r.dataset == "bcw"]
    at = [loop_ranks(bcw, k, shared, accuracy) for k in (40, 100)]
    expected = dict(zip(shared, map(average, zip(*at, strict=True)), strict=True))
    for name, entry in zip(table.columns, over_all.entries, strict=True):
        assert entry.ours == (pytest.approx(expected[name]) if name in shared else None)
        assert entry.paper is None  # the paper's are among other methods
    assert "ranked once more" not in collect(RECORDS).tables["accuracy_ranks"].note


@pytest.mark.parametrize("lacking", ["dataset", "method"])
def test_over_all_k_there_is_no_line_where_the_sizes_share_nothing(lacking):
    first, second = ("bcw", "drd") if lacking == "dataset" else ("F1", "FE")
    apart = [
        r
        for r in RECORDS
        if getattr(r, lacking) in (first, second)
        and (getattr(r, lacking) == first) == (r.pool_size == 40)
    ]
    tables = collect(apart).tables
    for name in ("accuracy_ranks", "accuracy", "sizes"):
        assert not [line for line in tables[name].lines if "all" in line.keys]


def test_averages_over_all_k_are_over_what_is_averaged_at_each(facts):
    """QSR is there at one K, KP at the other."""
    more = synthetic.records(datasets=("qsr",), pool_sizes=(40,), seeds=(10,), folds=(0,))
    fewer = [*more, *(r for r in RECORDS if (r.method, r.pool_size) != ("KP", 100))]
    table = collect(fewer).tables["accuracy"]
    summed = {line.keys: line for line in table.lines if line.summary}
    assert list(summed) == [
        ("average of 3", "40"), ("average of 2", "100"), ("average of 4", "all"),
    ]  # fmt: skip
    for place, method in enumerate(table.columns):
        entry = summed["average of 4", "all"].entries[place]
        if method == "KP":
            assert entry.ours is None
            continue
        pairs = [figure(facts, "accuracy", d, k, method) for d in ("BCW", "DRD") for k in (40, 100)]
        assert entry.ours == pytest.approx(average([pair.ours for pair in pairs]))
        assert entry.runs == 24


def test_a_method_called_by_voteprunes_own_name_is_the_papers_unless_both_are_there():
    own = [replace(r, method="kappa") if r.method == "KP" else r for r in RECORDS]
    assert collect(own).tables == collect(RECORDS).tables
    twins = [replace(r, key=r.key + "k", method="kappa") for r in RECORDS if r.method == "KP"]
    methods = collect([*RECORDS, *twins]).methods
    assert {"KP", "kappa"} <= set(methods)


def test_a_data_set_is_the_papers_only_where_one_spelling_of_it_occurs():
    mine = [replace(r, key=r.key + "m", dataset="BCW") for r in picked("BCW", 40, "KP")]
    mine = [replace(r, test=replace(r.test, tp=0, fn=r.test.positives)) for r in mine]
    facts = collect([*picked("BCW", 40, "KP"), *mine])
    assert set(facts.datasets) == {"BCW", "bcw"}
    assert "stand twice" not in facts.listings["coverage"].note
    for dataset, records in (("bcw", picked("BCW", 40, "KP")), ("BCW", mine)):
        entry = figure(facts, "accuracy", dataset, 40, "KP")
        assert entry.ours == pytest.approx(average([accuracy(r.test) for r in records]))
        assert (entry.paper is None) == (dataset == "bcw")


def test_the_papers_ranks_are_shown_only_beside_ranks_among_the_same_methods():
    some = [r for r in RECORDS if r.method != "KP"]
    table = collect(some).tables["accuracy_ranks"]
    assert "Not in this run: KP" in table.note
    assert all(entry.paper is None for line in table.lines for entry in line.entries)
    assert "nine data sets" not in table.note
    assert "nine data sets" in collect(RECORDS).tables["accuracy_ranks"].note


@pytest.mark.parametrize("measure", ["accuracy", "balanced_accuracy"])
def test_the_main_texts_ranks_are_among_its_own_methods_and_averaged_over_k(facts, measure):
    table = facts.tables[f"{measure}_ranks_main"]
    published = getattr(paper, f"main_{measure}_ranks")()
    assert set(table.columns) == {method for _, method in published}
    *by_size, over_all = table.lines
    assert [line.keys[0] for line in table.lines] == ["40", "100", "all"]
    count = len(table.columns)
    for line in table.lines:
        assert sum(cell.ours for cell in line.entries) == pytest.approx(count * (count + 1) / 2)
    for place, method in enumerate(table.columns):
        ours = [line.entries[place].ours for line in by_size]
        assert over_all.entries[place].ours == pytest.approx(sum(ours) / 2)
        theirs = [published[k, method].mean for k in (40, 100)]
        assert over_all.entries[place].paper == pytest.approx(sum(theirs) / 2)


def test_averages_over_all_k_are_those_of_all_pairs(facts):
    table = facts.tables["accuracy"]
    *_, over_all = table.lines
    assert over_all.keys == ("average of 4", "all")  # two data sets that the paper has, two K
    pairs = [line for line in table.lines if line.keys[0] in ("BCW", "DRD")]
    for place in range(len(table.columns)):
        ours = [line.entries[place].ours for line in pairs]
        assert over_all.entries[place].ours == pytest.approx(sum(ours) / len(ours))


def test_how_often_a_formulation_beats_every_benchmark(facts):
    table = facts.tables["beaten"]
    for line in table.lines:
        measure = accuracy if line.keys[0] == "accuracy" else balanced
        published = paper.accuracy() if measure is accuracy else paper.balanced_accuracy()
        rivals = paper.BENCHMARKS if line.keys[1] == "all seven" else paper.MAIN_BENCHMARKS
        bold = "bold" in line.keys[1]
        assert line.keys[2] == "4"  # two data sets that the paper has, two K
        for method, entry in zip(table.columns, line.entries, strict=True):
            ours = theirs = 0
            for dataset in ("BCW", "DRD"):
                for k in (40, 100):
                    means = {
                        m: average([measure(r.test) for r in picked(dataset, k, m)])
                        for m in (method, *rivals)
                    }
                    ours += all(means[method] > means[m] for m in rivals)
                    if (dataset, k, method) in published:
                        mine = published[dataset, k, method].mean
                        above = all(mine > published[dataset, k, m].mean for m in rivals)
                        marked = (dataset, k, method) in paper.bold(line.keys[0])
                        theirs += marked if bold else above
            assert entry.ours == ours
            if (("BCW", 40, method)) in published:
                assert entry.paper == theirs
            else:
                assert entry.paper is None


def scored(method, right, fold=0, dataset="bcw", k=40):
    """A record that is right on so many of the positives and of the negatives."""
    record = picked(dataset.upper(), k, "FE")[0]
    key = f"{dataset}-{k}-{fold}-{method}"
    test = replace(record.test, tp=right, fn=20 - right, tn=right, fp=20 - right)
    return replace(record, key=key, method=method, fold=fold, test=test)


def test_only_runs_that_have_all_tell_who_beats_whom():
    """F1 is below every benchmark where it has a result, and they are poor where it has none."""
    made = [scored(name, 9, fold=0) for name in paper.BENCHMARKS]
    made += [scored(name, 1, fold=1) for name in paper.BENCHMARKS]
    made += [scored("F1", 8, fold=0), scored("F2", 9, fold=0), scored("F2", 2, fold=1)]
    # One benchmark lacks a run in which F3 is better than the others.
    made += [scored("F3", 8, fold=0), scored("F3", 20, fold=2)]
    made += [scored(name, 1, fold=2) for name in paper.BENCHMARKS[1:]]
    table = collect(made).tables["beaten"]
    assert table.columns == ("F1", "F2", "F3")
    for line in table.lines:
        # The main text's four have that run.
        expected = [0, 1, 0] if line.keys[1] == "all seven" else [0, 1, 1]
        assert [cell.ours for cell in line.entries] == expected


def test_a_missing_cell_is_a_dash_and_no_figure():
    lame = [r for r in RECORDS if not (r.method == "F2" and r.dataset == "bcw")]
    facts = collect(lame)
    entry = figure(facts, "accuracy", "BCW", 40, "F2")
    assert (entry.ours, entry.spread, entry.difference, entry.runs) == (None, None, None, 0)
    assert entry.paper is not None
    table = facts.tables["accuracy"]
    rows = table.stacked().rows
    place = 3 + table.columns.index("F2")
    assert rows[0][:3] == ("BCW", "40", "ours")
    assert rows[0][place] == rows[2][place] == "-"
    # No average over data sets of which some lack a figure.
    assert not [line for line in table.lines if line.summary]


def test_one_seed_has_no_spread():
    entry = figure(collect([r for r in RECORDS if r.seed == 10]), "accuracy", "DRD", 40, "F1")
    assert entry.spread is None
    assert entry.ours is not None


def test_a_test_part_of_one_class_has_no_balanced_accuracy():
    record = RECORDS[0]
    odd = replace(record, test=replace(record.test, tp=0, fn=0))
    facts = collect([odd])
    assert facts.tables["accuracy"].lines[0].entries[0].ours is not None
    assert facts.tables["balanced_accuracy"].lines[0].entries[0].ours is None


def test_of_a_task_that_stands_twice_the_later_result_counts():
    record = picked("BCW", 40, "F1")[0]
    again = replace(record, key="other", test=replace(record.test, tp=0, fn=record.test.positives))
    facts = collect([record, again])
    assert facts.tables["accuracy"].lines[0].entries[0].ours == accuracy(again.test)
    assert "1 tasks stand twice" in facts.listings["coverage"].note
    # Later is what was finished later, in whatever order they come.
    timed = [replace(record, finished="2026-01-01"), replace(again, finished="2026-01-02")]
    for runs in (timed, timed[::-1]):
        table = collect(runs).tables["accuracy"]
        assert table.lines[0].entries[0].ours == accuracy(again.test)


@pytest.mark.slow
def test_failures_are_listed_with_their_reasons():
    facts = collect(RECORDS, [synthetic.failure(reason="OSError: disk <full> & gone | really")])
    assert facts.failures == 1
    assert facts.listings["failures"].rows[0][-1] == "OSError: disk <full> & gone | really"
    assert "failures" not in collect(RECORDS).listings


def test_no_records_no_report():
    with pytest.raises(InputError, match="nothing to report"):
        collect([])


def test_csv_has_every_figure_with_all_digits(facts):
    for table in facts.tables.values():
        rows = list(csv.DictReader(io.StringIO(table.to_csv())))
        assert len(rows) == len(table.lines) * len(table.columns)
        entries = [entry for line in table.lines for entry in line.entries]
        for row, entry in zip(rows, entries, strict=True):
            for name, value in (
                ("ours", entry.ours),
                ("std", entry.spread),
                ("std_runs", entry.runs_spread),
                ("paper", entry.paper),
                ("difference", entry.difference),
            ):
                assert row[name] == ("" if value is None else repr(value))


def tiles(records):
    return {tile.words: tile.figure for tile in collect(records).headline}


def test_who_shares_the_best_rank_is_named_together():
    models = [picked("BCW", 40, method)[0] for method in ("F1", "FE", "KP")]
    level = [replace(record, test=models[0].test) for record in models[:2]]
    worse = replace(models[2], test=replace(models[0].test, tp=0, fn=models[0].test.positives))
    found = tiles([*level, worse])
    (words,) = (words for words in found if "best average rank" in words)
    assert found[words] == "F1 and FE"
    assert words.startswith(
        "have the best average rank by accuracy at K = 40: 1.50 among 3 methods"
    )
    both = tiles([r for r in RECORDS if r.dataset == "bcw" and r.method in ("F1", "FE", "KP")])
    (words,) = (words for words in both if "best average rank" in words)
    assert "the best average rank by accuracy over all K: " in words
    (words,) = (words for words in both if words.startswith("committees"))
    assert "K = 40 and 100" in words


@pytest.mark.parametrize(
    ("right", "figure", "who", "papers"),
    [
        # The paper prints no accuracy of F1-theta, which may win all the same.
        ((8, 8, 9), "1 of 1", "F1-theta is", ""),
        ((9, 9, 8), "1 of 1", "F1 and F2 are each", " The paper: 0 for F1 and 1 for F2."),
        ((8, 9, 8), "1 of 1", "F2 is", " The paper: 1."),
        ((8, 7, 8), "0 of 1", "F1, F2 and F1-theta are each", " The paper: 0 for F1 and 1 for F2."),
    ],
)
def test_who_beats_every_benchmark_most_often_is_named_with_all_who_tie(right, figure, who, papers):
    made = [scored(name, 8) for name in paper.BENCHMARKS]
    made += [scored(*pair) for pair in zip(("F1", "F2", "F1-theta"), right, strict=True)]
    told = (
        f"pairs of data set and K on which {who} more accurate than every benchmark, the most of "
        f"the paper's formulations.{papers}"
    )
    assert tiles(made)[told] == figure


def test_without_all_seven_benchmarks_the_headline_tells_of_the_four():
    made = [scored(name, 8) for name in paper.MAIN_BENCHMARKS]
    (told,) = (told for told in tiles([*made, scored("F1", 9)]) if "more accurate" in told)
    assert "more accurate than each of the four of the main text, the most" in told


@pytest.mark.slow
def test_the_headlines_figures():
    found = tiles(RECORDS)
    (agreement,) = (words for words in found if "minus the paper's" in words)
    gaps = []
    for dataset in ("BCW", "DRD"):
        for k in (40, 100):
            for method in synthetic.PAPERS:
                if (dataset, k, method) in paper.accuracy():
                    mine = average([accuracy(r.test) for r in picked(dataset, k, method)])
                    gaps.append(100 * (mine - paper.accuracy()[dataset, k, method].mean))
    assert found[agreement] == f"{average(gaps):+.2f}"
    assert f"over {len(gaps)} pairs" in agreement
    assert f"{sum(abs(gap) <= 1 for gap in gaps)} of them are within one point" in agreement
    bounded = [r for r in RECORDS if r.bound is not None]
    (proofs,) = (words for words in found if "proved optimal" in words)
    share = sum(r.status == "optimal" for r in bounded) / len(bounded)
    assert found[proofs] == f"{100 * share:.0f} %"


def test_where_the_paper_has_no_pair_nothing_is_counted():
    alone = synthetic.records(datasets=("aps_part",), pool_sizes=(40,), seeds=(10,), folds=(0,))
    facts = collect(alone)
    assert "beaten" not in facts.tables
    assert "±" not in facts.tables["accuracy"].note
