"""The map and the mathematics name files that exist."""

import re
from pathlib import Path

import pytest

import voteprune as vp

SOURCE = Path(vp.__file__).parent
ROOT = Path(__file__).parents[1]
FOLDERS = (SOURCE, SOURCE / "tree", ROOT / "src" / "voteprune_bench", ROOT)


def named(text):
    """Return the files and folders that a page names in code type."""
    return re.findall(r"`([\w./]+(?:\.py|/))`", text)


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/mathematics.md"])
def test_every_file_and_folder_that_a_page_names_exists(page):
    found = named((ROOT / page).read_text())
    assert len(found) > 20
    missing = [name for name in found if not any((folder / name).exists() for folder in FOLDERS)]
    assert missing == []


def test_every_package_has_its_row_on_the_map():
    rows = "\n".join(re.findall(r"^\|.*\|$", (ROOT / "CONTRIBUTING.md").read_text(), re.M))
    rooms = [
        f"{path.name}/" if path.is_dir() else path.name
        for path in SOURCE.iterdir()
        if path.name not in ("__init__.py", "__pycache__", "py.typed")
    ]
    assert [room for room in rooms if f"`{room}`" not in rows] == []
