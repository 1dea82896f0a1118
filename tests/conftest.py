"""The quick choice of tests, for the inner loop: `make quick`; and a browser for pages."""

import gc
import os

import pytest

from browsing import browser  # noqa: F401 - a fixture

# Tests have a process per core already: with threads of linear algebra on top, which wait by
# spinning, small products take several times as long. Read when NumPy is imported, so set here.
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Keep from looking for garbage: thousands of tests are collected, and none of them is any."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quick",
        action="store_true",
        help="one case of every test, less what is marked slow",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--quick"):
        return
    seen: set[str] = set()
    chosen, left = [], []
    for item in items:
        name = item.nodeid.partition("[")[0]
        slow = item.get_closest_marker("slow") is not None
        (left if slow or name in seen else chosen).append(item)
        if not slow:
            seen.add(name)
    items[:] = chosen
    config.hook.pytest_deselected(items=left)
