"""Is what would be released whole? ``make release-check`` builds, installs and uses it.

The wheel and the source distribution are built and looked into; each is installed into a clean
environment outside the checkout, where it prunes a file, makes a soft committee, and (the wheel)
runs the tiny experiment. Several minutes, most of them for installing.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]

APS = re.compile(r"(^|/)data/(.*[/_-])?aps|(^|[/_-])aps[^/]*\.(csv|parquet|txt|zip)")
"""Rows of APS, whole or in part. Plans for it, and counts of what was decided, are none."""

STATE = re.compile(r"\.(jsonl|pyc|lock|sqlite)$|(^|/)\.(?!gitignore|ci)|__pycache__")
"""Files that runs leave behind."""

ELSEWHERE = re.compile(rb"/(home|root|work|Users|tmp)/[\w.-]+/")
"""Paths of the machine on which something was written."""

SOFT = """
import numpy as np, voteprune as vp
rng = np.random.default_rng(0)
y = rng.integers(0, 2, 200)
said = np.clip(0.5 + (y[:, None] - 0.5) * 0.4 + rng.normal(0, 0.25, (200, 8)), 0, 1)
soft = vp.prune(vp.Probabilities(said, y), objective="log_loss", constraints=vp.AtMost("size", 3))
assert soft.status == "optimal" and 1 <= len(soft.committee.members) <= 3, soft
assert soft.committee.predict_proba(said).shape == (200, 2)
print(vp.__version__, vp.__file__)
"""


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="release-") as name:
        folder = Path(name)
        run([sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)], folder)
        (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
        check_wheel(wheel)
        check_source(source)
        use(folder / "from-wheel", f"{wheel}[cli,bench,report]", experiment=True)
        use(folder / "from-source", f"{source}[cli]", experiment=False)
    print(f"voteprune {VERSION} is whole.")


def check_wheel(wheel: Path) -> None:
    """Look for what must not be in a wheel, and for what must."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        for name in names:
            top = name.split("/")[0]
            allowed = top in ("voteprune", "voteprune_bench") or top.endswith(".dist-info")
            assert allowed, f"{name} is no part of the package"
            assert not STATE.search(name), f"{name} is left over from a run"
            assert not name.endswith((".csv.gz", ".parquet")), f"{name} is data"
            found = ELSEWHERE.search(archive.read(name))
            assert not found, f"{name} names a path of a machine: {found and found[0]!r}"
    for needed in ("voteprune/py.typed", "voteprune_bench/experiment/plans/tiny.toml"):
        assert needed in names, f"{needed} is missing"
    assert f"-{VERSION}-" in wheel.name, wheel.name
    print(f"{wheel.name}: {len(names)} files")


def check_source(source: Path) -> None:
    """Look for the small data sets and the tests, and for files that runs leave behind."""
    with tarfile.open(source) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    for name in names:
        assert not STATE.search(name) or name == ".gitignore", f"{name} is left over from a run"
        assert not APS.search(name), f"{name} is data under another licence, which stays out"
    for needed in ("data/SOURCES.md", "data/drd.csv.gz", "tests/oracle.py", "LICENSE", "Makefile"):
        assert needed in names, f"{needed} is missing"
    print(f"{source.name}: {len(names)} files")


def use(home: Path, what: str, *, experiment: bool) -> None:
    """Install it in an environment of its own, and do what a new user does."""
    venv.create(home, with_pip=True)
    python = str(home / "bin" / "python")
    run([python, "-m", "pip", "--disable-pip-version-check", "-q", "install", what], home)
    run([python, "-c", SOFT], home)
    rows = [f"{i % 2},{i % 2},{(i // 3) % 2},{(i % 5) % 2}" for i in range(60)]
    (home / "votes.csv").write_text("\n".join(["y,a,b,c", *rows]) + "\n")
    told = run([str(home / "bin" / "voteprune"), "prune", "votes.csv", "--target", "y"], home)
    assert "Optimal" in told, told
    if experiment:
        voteprune = str(home / "bin" / "voteprune")
        run([voteprune, "bench", "run", "tiny", "tiny-run"], home)
        run([voteprune, "report", "tiny-run", "--output", "report.html"], home)
        assert (home / "report.html").stat().st_size > 10_000


def run(command: list[str], folder: Path) -> str:
    """Run a command where no checkout is in reach, and return what it says."""
    print("$", " ".join(Path(word).name if "/" in word else word[:60] for word in command[:6]))
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(command, cwd=folder, env=kept, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


if __name__ == "__main__":
    main()
