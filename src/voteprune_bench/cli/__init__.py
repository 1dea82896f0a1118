"""The commands ``voteprune bench``, ``data`` and ``report``, found by an entry point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_BENCH = (
    (
        "bench:run_command",
        "run",
        "Run PLAN and keep everything in the folder RUN; go on where an earlier run stopped.",
        "Examples:\n\n"
        "voteprune bench run tiny my-run\n\n"
        "voteprune bench run paper paper-run --shard 2/8 --data-dir data --dry-run",
    ),
    (
        "bench:status_command",
        "status",
        "Say what is done, failed and left in the folder RUN.",
        "Example: voteprune bench status my-run",
    ),
)

_DATA = (
    (
        "data:list_command",
        "list",
        "List the data sets, their sizes in the paper's table, and where they are.",
        "Example: voteprune data list",
    ),
    (
        "data:check_command",
        "check",
        "Read data sets and compare them with the paper's table and the known checksums.",
        "Example: voteprune data check drd",
    ),
    (
        "data:import_command",
        "import",
        "Turn a published FILE into the clean copy of a data set.",
        "Example: voteprune data import prk parkinsons.data --data-dir data",
    ),
    (
        "data:download_command",
        "download",
        "Fetch data sets. No other command uses the network.",
        "Example: voteprune data download prk qsr --data-dir data",
    ),
)

_REPORT = (
    "report:report_command",
    "report",
    "Report on the run in the folder RUN, the paper's figures beside ours.",
    "Examples:\n\n"
    "voteprune report results/demo --output report.html\n\n"
    "voteprune report results/demo --only accuracy,accuracy_ranks --format latex",
)


def add_commands(app: Any, add: Callable[[Any, str, str, str, str], None]) -> None:
    """Add the commands to the command line.

    Parameters
    ----------
    app
        The cyclopts app of ``voteprune``.
    add
        Adds a command to an app: path of its function, name, first sentence, examples.
    """
    from cyclopts import App

    bench = App(name="bench", help="Run the paper's experiments, or a plan of your own.")
    data = App(name="data", help="The data sets of the paper's experiments.")
    for home, commands in ((bench, _BENCH), (data, _DATA), (app, (_REPORT,))):
        for path, *told in commands:
            add(home, f"{__name__}.{path}", *told)
    app.command(bench)
    app.command(data)
