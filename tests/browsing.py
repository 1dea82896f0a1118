"""Pages in a real browser: a fixture, and what every page of ours must be.

Needs Chromium and its driver (Debian: chromium, chromium-driver); `make test` installs them where
it may.
"""

import re
import shutil

import pytest

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
DRIVER = shutil.which("chromedriver")

ABLE = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (BROWSER and DRIVER),
        reason="no Chromium with its driver here; on Debian: apt-get install chromium "
        "chromium-driver",
    ),
]
"""What a module of such tests is marked with."""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(word)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


def visit(browser, page, width=1280, scheme="light"):
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(page.as_uri())
    browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")


def cells(browser, table):
    """The table's lines, each cell as its pieces of text."""
    return browser.execute_script(
        """return [...document.querySelectorAll(`[data-table="${arguments[0]}"] tbody tr`)].map(
            row => [...row.querySelectorAll('td')].map(
                cell => cell.innerText.split('\\n').map(text => text.trim())))""",
        table,
    )


def assert_it_loads_alone(browser, page):
    """Nothing on the console, and nothing from the network."""
    browser.get_log("performance")
    visit(browser, page)
    assert browser.get_log("browser") == []
    asked = re.findall(
        r'"Network\.requestWillBeSent".*?"url":"([^"]+)"',
        "\n".join(entry["message"] for entry in browser.get_log("performance")),
    )
    assert [url for url in asked if not url.startswith(("data:", page.as_uri()))] == []


def assert_links_lead_somewhere(browser, page):
    visit(browser, page)
    lost = browser.execute_script(
        """return [...document.querySelectorAll('a[href^="#"]')].map(a => a.getAttribute('href'))
            .filter(href => !document.getElementById(href.slice(1)))"""
    )
    assert lost == []
    twice = browser.execute_script(
        """const ids = [...document.querySelectorAll('[id]')].map(node => node.id);
           return ids.filter((id, place) => ids.indexOf(id) !== place)"""
    )
    assert twice == []


def assert_it_fits(browser, page, width):
    """The page never scrolls sideways."""
    visit(browser, page, width)
    window, inner, outer = browser.execute_script(
        """const root = document.documentElement;
           return [window.innerWidth, root.scrollWidth, root.clientWidth]"""
    )
    assert window == width
    assert inner <= outer  # which is the window without its upright scroll bar


CONTRAST = """
const parse = text => text.match(/[\\d.]+/g).map(Number);
const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const page = light(parse(getComputedStyle(document.body).backgroundColor));
const ratio = colour => {
    const ink = light(parse(colour));
    return (Math.max(ink, page) + 0.05) / (Math.min(ink, page) + 0.05);
};
const worst = (selector, property) => Math.min(...[...document.querySelectorAll(selector)]
    .map(node => ratio(getComputedStyle(node)[property])));
return {page: page, words: worst('p, h1, h2, h3, td, th, small, i, dt, dd, summary', 'color'),
        pictures: worst('figure svg text', 'fill')};
"""


def assert_it_can_be_read(browser, page, scheme):
    """Light or dark, all text stands out."""
    visit(browser, page, scheme=scheme)
    found = browser.execute_script(CONTRAST)
    assert (found["page"] > 0.5) == (scheme == "light")
    # 4.5 to 1 is what the web's guidelines ask of body text; 3 to 1 of large text and pictures.
    assert found["words"] >= 4.5
    assert found["pictures"] >= 3
