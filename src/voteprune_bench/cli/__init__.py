"""The commands ``voteprune bench``, ``data`` and ``report``, found by an entry point."""

from __future__ import annotations

from typing import Any


def add_commands(app: Any) -> None:
    """Add the commands to the command line.

    Parameters
    ----------
    app
        The cyclopts app of ``voteprune``.
    """
    from cyclopts import App

    from .bench import run_command, status_command
    from .data import check_command, download_command, import_command, list_command
    from .report import report_command

    bench = App(name="bench", help="Run the paper's experiments, or a plan of your own.")
    bench.command(
        run_command,
        name="run",
        help_epilogue="Examples:\n\n"
        "voteprune bench run tiny my-run\n\n"
        "voteprune bench run paper paper-run --shard 2/8 --data-dir data --dry-run",
    )
    bench.command(
        status_command, name="status", help_epilogue="Example: voteprune bench status my-run"
    )
    app.command(bench)
    data = App(name="data", help="The data sets of the paper's experiments.")
    data.command(list_command, name="list", help_epilogue="Example: voteprune data list")
    data.command(check_command, name="check", help_epilogue="Example: voteprune data check drd")
    data.command(
        import_command,
        name="import",
        help_epilogue="Example: voteprune data import prk parkinsons.data --data-dir data",
    )
    data.command(
        download_command,
        name="download",
        help_epilogue="Example: voteprune data download prk qsr --data-dir data",
    )
    app.command(data)
    app.command(
        report_command,
        name="report",
        help_epilogue="Examples:\n\n"
        "voteprune report results/demo --output report.html\n\n"
        "voteprune report results/demo --only accuracy,accuracy_ranks --format latex",
    )
