"""What would be released is looked into; the figures that name a version agree."""

import importlib.util
import re
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def checks():
    spec = importlib.util.spec_from_file_location("check", ROOT / "tools" / "release_check.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def wheel(tmp_path, checks):
    def make(**more):
        path = tmp_path / f"voteprune-{checks.VERSION}-py3-none-any.whl"
        files = {
            "voteprune/py.typed": "", "voteprune_bench/experiment/plans/tiny.toml": "x = 1", **more
        }  # fmt: skip
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
        return path

    return make


def test_a_sound_wheel_passes(checks, wheel):
    checks.check_wheel(wheel())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tests/oracle.py", ""),
        ("data/drd.csv", ""),
        ("voteprune/data/drd.csv.gz", ""),
        ("voteprune/.proof.jsonl", ""),
        ("voteprune/a.pyc", ""),
        ("voteprune/where.py", "HOME = '/home/somebody/votes'"),
    ],
)
def test_what_does_not_belong_into_a_wheel_is_found(checks, wheel, name, text):
    with pytest.raises(AssertionError, match=re.escape(name)):
        checks.check_wheel(wheel(**{name: text}))


def test_the_citation_names_the_version_and_the_paper():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(rf"^version: {re.escape(version)}$", text, flags=re.M)
    assert "Ensemble pruning via an integer programming approach with diversity constraints" in text
