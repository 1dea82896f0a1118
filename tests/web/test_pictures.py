"""Pictures inside a page: ids of their own, the page's colours, and names that stay as they are."""

import re
from xml.etree import ElementTree

import pytest

from voteprune.web.pictures import INK, inline, new_figure, styled, to_svg

pytest.importorskip("matplotlib")

NAMES = ("#33383d", 'id="x', "url(#a)", 'href="#b', "a<b>c", "#d1495b & more", "-->", '" id="y"')


def test_only_attributes_are_rewritten():
    with styled("some"):
        figure = new_figure(4, 3)
        ax = figure.subplots()
        ax.plot([0, len(NAMES)], color=INK)
        for place, name in enumerate(NAMES):
            ax.text(0, place, name)
        body = inline(to_svg(figure), "some", 'A "label" & <more>')
    root = ElementTree.fromstring(body)
    texts = [node.text for node in root.iter() if node.tag.endswith("text")]
    assert [text for text in texts if text in NAMES] == list(NAMES)
    assert root.get("aria-label") == 'A "label" & <more>'
    attributes = [value for node in root.iter() for value in node.attrib.values()]
    assert not [value for value in attributes if re.search("#[0-9a-f]{6}", value)]
    assert any("var(--ink)" in value for value in attributes)
    ids = [node.get("id") for node in root.iter() if node.get("id")]
    assert ids
    assert all(found.startswith("some-") for found in ids)
    used = {found for value in attributes for found in re.findall(r"url\(#([^)]+)", value)}
    assert used
    assert used <= set(ids)
