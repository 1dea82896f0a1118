"""Pictures show the facts, are the same file for the same facts, and take the page's colours."""

import re
from dataclasses import replace
from itertools import islice
from xml.etree import ElementTree

import pytest
import scikit_posthocs

import synthetic_records as synthetic
from voteprune.web.pictures import VARIABLES
from voteprune_bench.report import collect, draw_all
from voteprune_bench.report.results import Results
from voteprune_bench.report.series import gap_lines

pytestmark = pytest.mark.slow

RECORDS = synthetic.records(
    datasets=("bcw", "drd", "qsr"), pool_sizes=(40,), seeds=(10,), folds=(0, 1)
)


@pytest.fixture(scope="module")
def facts():
    return collect(RECORDS)


@pytest.fixture(scope="module")
def pictures(facts):
    return {picture.kind: picture for picture in draw_all(facts)}


def texts(picture):
    root = ElementTree.fromstring(picture.svg)
    return [node.text for node in root.iter() if node.tag.endswith("text")]


def test_all_pictures_are_drawn(pictures):
    assert set(pictures) == {
        "critical_difference_accuracy",
        "critical_difference_balanced_accuracy",
        "difference_from_paper",
        "size",
        "in_and_out",
        "gap_over_time",
        "diversity",
        "families",
        "selected",
        "time",
    }


def test_the_heat_map_holds_the_differences(facts, pictures):
    table = facts.tables["accuracy"]
    expected = [
        f"{100 * entry.difference:+.2f}"
        for line in table.lines
        for entry in line.entries
        if entry.difference is not None
    ]
    shown = texts(pictures["difference_from_paper"])
    assert sorted(expected) == sorted(
        text for text in shown if re.fullmatch(r"[+-]\d+\.\d\d", text)
    )


def test_the_critical_difference_diagram_names_ranks_and_difference(facts, pictures):
    shown = " ".join(texts(pictures["critical_difference_accuracy"]))
    verdict = facts.tests[0].verdict
    for name, rank in zip(verdict.methods, verdict.ranks, strict=True):
        assert f"{name}  {rank:.2f}" in shown or f"{rank:.2f}  {name}" in shown
    assert f"critical difference {verdict.critical_difference:.2f}" in shown


def test_its_bars_join_what_is_not_told_apart_at_five_per_cent(facts, monkeypatch):
    drawn, wrapped = [], scikit_posthocs.critical_difference_diagram

    def seen(ranks, pairs, *, alpha, **options):
        drawn.append((tuple(ranks.values()), alpha))
        return wrapped(ranks, pairs, alpha=alpha, **options)

    monkeypatch.setattr(scikit_posthocs, "critical_difference_diagram", seen)
    first_two = islice(draw_all(facts), 2)
    assert all(picture.kind.startswith("critical_difference") for picture in first_two)
    assert drawn == [(test.verdict.ranks, 0.05) for test in facts.tests]


def test_its_bars_are_drawn_in_one_order_whatever_the_order_of_a_set(facts, monkeypatch):
    """Else the file would be another in every process."""
    bars, wrapped = [], scikit_posthocs.critical_difference_diagram

    def seen(*args, **options):
        drawn = wrapped(*args, **options)
        bars.extend(bar for found in drawn["crossbars"] for bar in found)
        return drawn

    monkeypatch.setattr(scikit_posthocs, "critical_difference_diagram", seen)
    assert len(list(islice(draw_all(facts), 2))) == 2
    assert any(len(bar.get_xdata()) > 5 for bar in bars)
    assert all(list(bar.get_xdata()) == sorted(bar.get_xdata()) for bar in bars)


def test_the_same_facts_are_the_same_files(facts, pictures):
    again = {picture.kind: picture.svg for picture in draw_all(facts)}
    assert again == {kind: picture.svg for kind, picture in pictures.items()}


def test_inside_a_page_a_picture_has_its_own_ids_and_the_pages_colours(pictures):
    ids = []
    for picture in pictures.values():
        found = re.findall(r'\bid="([^"]+)"', picture.inline)
        ids += found
        assert all(name.startswith(picture.name) for name in found)
        used = re.findall(r'(?:href="#|url\(#)([^")]+)', picture.inline)
        assert set(used) <= set(found)
        # A colour that the page does not know would not turn with it.
        assert re.findall(r"#[0-9a-f]{6}\b", picture.inline) == []
        assert set(re.findall(r"var\((--\w+)\)", picture.inline)) <= set(VARIABLES.values())
    assert len(set(ids)) == len(ids)


def test_what_is_not_there_is_not_drawn():
    alone = synthetic.records(
        datasets=("bcw",), pool_sizes=(20,), seeds=(10,), folds=(0,), methods=("FE",)
    )
    kinds = {picture.kind for picture in draw_all(collect(alone))}
    # No paper at K = 20, no test on one data set, no bound, nobody selected.
    assert kinds == {"size", "in_and_out", "diversity", "families", "time"}


def test_the_median_gap_counts_runs_without_a_gap_as_far_away(facts):
    model = RECORDS[0]
    traces = (
        ((1.0, 0.5, 1.0), (10.0, 0.8, 1.0)),
        ((2.0, 0.5, 1.0), (10.0, 1.0, 1.0)),
        ((5.0, None, 1.0), (10.0, 0.5, 1.0)),
    )
    runs = [
        replace(model, fold=fold, trace=trace, seconds=20, value=trace[-1][1], bound=trace[-1][2])
        for fold, trace in enumerate(traces)
    ]
    (line,) = gap_lines(Results(runs))
    steps = dict(zip(line.seconds, line.per_cent, strict=True))
    # One run of three has a gap before 2 s, so there is no median yet; then it is 100 %.
    assert min(steps) >= 2.0
    assert steps[min(steps)] == pytest.approx(100)
    # At the end the gaps are 25 %, 0 and 100 %. Nothing changed from 10 s to the end of the runs.
    assert line.seconds[-1] == pytest.approx(20)
    assert line.per_cent[-1] == pytest.approx(25)


def test_shares_of_seats(facts):
    (heat,) = facts.families
    for name, row in zip(heat.lines, heat.cells, strict=True):
        seats = [f for r in RECORDS if r.method == name for f in r.families]
        expected = [seats.count(family) / len(seats) for family in heat.columns]
        assert list(row) == pytest.approx(expected)
    chosen = [r for r in RECORDS if r.method != "FE"]
    for seat in facts.seats:
        assert seat.share == sum(seat.name in r.names for r in chosen) / len(chosen)
    assert [seat.share for seat in facts.seats] == sorted(
        (seat.share for seat in facts.seats), reverse=True
    )


def test_a_name_is_shown_as_it_is():
    strange = "a $b$ <c> & \\d_e"
    records = [replace(r, dataset=strange) for r in RECORDS if r.dataset == "bcw"]
    found = {}
    for picture in draw_all(collect(records)):
        found[picture.kind] = picture
        if {"in_and_out", "diversity"} <= set(found):
            break
    assert strange in texts(found["in_and_out"])
    assert strange in texts(found["diversity"])


def test_the_median_gap_counts_runs_that_never_have_one_as_far_away():
    """Those without a bound, and those whose value stays 0 under a bound that is not."""
    model = RECORDS[0]
    closed, lost, none = (
        {"value": 1.0, "bound": 1.0, "trace": ((1.0, 1.0, 1.0),)},
        {"value": 0.0, "bound": 0.5, "trace": ((1.0, 0.0, 0.5),)},
        {"value": 0.5, "bound": None, "trace": ((1.0, 0.5, None),)},
    )

    def line_of(*runs):
        return gap_lines(Results(replace(model, fold=i, **run) for i, run in enumerate(runs)))

    (line,) = line_of(closed, closed, lost)
    assert set(line.per_cent) == {0.0}
    (line,) = line_of(closed, lost, none)
    assert line.per_cent == ()  # the median run has no gap, so there is nothing to draw
    assert line_of(lost, none) == ()
    # A value that becomes 0 has no finite gap any more.
    (line,) = line_of({**lost, "trace": ((1.0, -1.0, 0.5), (9.0, 0.0, 0.5))})
    assert set(line.per_cent) == {150.0}
    assert max(line.seconds) < 9.0


def test_a_run_without_a_trace_has_its_gap_at_its_end():
    run = replace(RECORDS[0], value=1.0, bound=1.5, trace=(), seconds=3.0)
    (line,) = gap_lines(Results([run]))
    assert set(line.per_cent) == {50.0}
    assert min(line.seconds) == pytest.approx(3.0)
