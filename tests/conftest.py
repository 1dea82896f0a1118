"""The quick choice of tests, for the inner loop: `make quick`; and a browser for pages."""

from collections import Counter

import pytest

from browsing import browser  # noqa: F401 - a fixture

CASES = 2
"""How many cases of every test are quick; one where they differ by numbers alone, such as seeds."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quick",
        action="store_true",
        help=f"leave out what is marked slow, and all but {CASES} cases of every test, or all but "
        "one where cases differ by numbers alone",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--quick"):
        return
    seen: Counter[str] = Counter()
    chosen, left = [], []
    for item in items:
        name = item.nodeid.partition("[")[0]
        slow = item.get_closest_marker("slow") is not None
        seen[name] += not slow
        (left if slow or seen[name] > _most(item) else chosen).append(item)
    items[:] = chosen
    config.hook.pytest_deselected(items=left)


def _most(item: pytest.Item) -> int:
    """Return how many cases of a test are quick."""
    case = getattr(item, "callspec", None)
    values = () if case is None else case.params.values()
    return 1 if all(type(value) is int for value in values) else CASES
