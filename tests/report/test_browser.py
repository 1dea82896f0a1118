"""The page in a real browser: it loads alone and shows the data, light and dark, narrow and wide.

Needs Chromium and its driver (Debian: chromium, chromium-driver); `make test` installs them where
it may.
"""

import pytest

import synthetic_records as synthetic
from browsing import (
    ABLE,
    assert_it_can_be_read,
    assert_it_fits,
    assert_it_loads_alone,
    assert_links_lead_somewhere,
    cells,
    visit,
)
from voteprune_bench.report import collect, draw_all, render

pytestmark = ABLE

RECORDS = synthetic.records(
    datasets=("bcw", "drd", "def", "aps_part"), seeds=(10, 20), folds=(0,), pool_sizes=(40, 100)
)
REASON = "OSError: <b>disk</b> full & gone, at/a/very/long/path/without/any/space/in/it/" + "x" * 90


@pytest.fixture(scope="module")
def facts():
    # One method is missing on one data set, and one task has failed.
    found = [r for r in RECORDS if (r.dataset, r.method) != ("drd", "KP")]
    return collect(found, [synthetic.failure(reason=REASON)], synthetic.ABOUT, "seeds = [10, 20]")


@pytest.fixture(scope="module")
def page(facts, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render(facts, list(draw_all(facts))), encoding="utf-8")
    return path


def test_it_loads_alone_and_says_nothing_on_the_console(browser, page):
    assert_it_loads_alone(browser, page)
    assert browser.title == "Ensemble pruning, measured"


def test_every_table_holds_the_figures_of_the_data(browser, page, facts):
    visit(browser, page)
    for name, table in facts.tables.items():
        shown = cells(browser, name)
        assert len(shown) == len(table.lines), name
        for row, line in zip(shown, table.lines, strict=True):
            assert tuple(cell[0] for cell in row[: len(line.keys)]) == line.keys
            figures = row[-len(table.columns) :]
            for pieces, entry in zip(figures, line.entries, strict=True):
                assert pieces[0].split()[0] == table.shown(entry.ours), (name, line.keys)
                if entry.spread is not None:
                    assert float(pieces[0].split("±")[1]) == float(table.shown(entry.spread))
                if entry.paper is not None:
                    assert pieces[1].split()[0] == table.shown(entry.paper)
                    assert pieces[2] == table.shown(entry.difference, signed=True)


def test_words_are_words_whatever_is_in_them(browser, page, facts):
    visit(browser, page)
    for name, listing in facts.listings.items():
        if listing.rows:
            shown = cells(browser, name)
            assert [[cell[0] for cell in row] for row in shown] == [list(r) for r in listing.rows]
    assert REASON in browser.find_element("css selector", "[data-table=failures]").text
    assert "1 task of this run has no result" in browser.find_element("css selector", ".warn").text


def test_every_link_leads_somewhere(browser, page):
    assert_links_lead_somewhere(browser, page)


@pytest.mark.parametrize("width", [360, 768, 1280, 1920])
def test_the_page_never_scrolls_sideways(browser, page, width):
    assert_it_fits(browser, page, width)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_can_be_read_in_light_and_in_dark(browser, page, scheme):
    assert_it_can_be_read(browser, page, scheme)
