"""The page of an answer in a real browser: alone, on a phone, in the dark, and on paper."""

import base64

import pytest

from answers import ANSWERS
from browsing import (
    ABLE,
    assert_it_can_be_read,
    assert_it_fits,
    assert_it_loads_alone,
    assert_links_lead_somewhere,
    cells,
    visit,
)

pytestmark = ABLE


@pytest.fixture(scope="module", params=list(ANSWERS))
def page(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / f"{request.param}.html"
    command = f"voteprune prune {'a_long_file_name_' * 12}.csv --target '<y>'"
    path.write_text(ANSWERS[request.param]().to_html(time_limit=1, command=command), "utf-8")
    return path


def test_it_loads_alone_and_every_link_leads_somewhere(browser, page):
    assert_it_loads_alone(browser, page)
    assert_links_lead_somewhere(browser, page)
    assert browser.title.startswith("A committee of ")


def test_it_shows_who_is_asked_and_how_to_run_it_again(browser, page):
    visit(browser, page)
    answer = ANSWERS[page.stem]()
    shown = [row[0][0] for row in cells(browser, "members")]
    names = [name.replace("\x1b", "\\x1b") for name in answer.committee.names]
    assert shown[: len(names)] == names
    again = browser.find_element("css selector", ".command").text
    assert again.endswith("--target '<y>'")


@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_never_scrolls_sideways(browser, page, width):
    assert_it_fits(browser, page, width)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_can_be_read(browser, page, scheme):
    assert_it_can_be_read(browser, page, scheme)


def test_paper_shows_what_is_folded_on_the_screen(browser, page):
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    browser.get(page.as_uri())
    heights = browser.execute_script(
        """return [...document.querySelectorAll('details > :not(summary)')]
            .map(node => node.getBoundingClientRect().height)"""
    )
    assert all(height > 0 for height in heights)
    assert not browser.find_element("css selector", "nav").is_displayed()
    sheet = browser.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})
    assert base64.b64decode(sheet["data"]).startswith(b"%PDF")
