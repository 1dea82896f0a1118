"""Ctrl-C while the command line loads: exit code 130 and not a word."""

import os
import signal
import subprocess
import sys

import pytest

from voteprune.starting import is_command_line

SCRIPT = """
import re
import sys
from voteprune.cli import main
if __name__ == "__main__":
    sys.exit(main())
"""

MOMENTS = [
    "voteprune.starting",
    "numpy",
    "voteprune.problem.problem",
    "cyclopts",
    "voteprune.cli.shared_options",
]
"""Modules that have just been loaded, from the first of ours to the last before a command runs."""


@pytest.mark.parametrize("moment", MOMENTS)
def test_ctrl_c_while_modules_load_is_quiet(tmp_path, moment):
    """Python says what it has imported, so the moment is the same on every machine."""
    script, votes = tmp_path / "voteprune", tmp_path / "votes"
    script.write_text(SCRIPT)
    os.mkfifo(votes)  # nobody writes to it, so that no command comes to its end
    way = ["-m", "voteprune.cli"] if MOMENTS.index(moment) % 2 else [str(script)]
    # A handler here becomes the default in the child, even where the tests run with SIGINT ignored.
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process = subprocess.Popen(
            [sys.executable, "-X", "importtime", *way, "prune", votes],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    finally:
        signal.signal(signal.SIGINT, previous)
    for line in process.stderr:
        if line.rpartition("|")[2].strip() == moment:
            process.send_signal(signal.SIGINT)
            break
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert all(line.startswith("import time:") for line in err.splitlines())


@pytest.mark.parametrize(
    ("words", "ours"),
    [
        ("python /usr/bin/voteprune prune", True),
        ("python -m voteprune.cli", True),
        ("python -mvoteprune.cli solvers", True),
        ("python -I -X dev -W error -m voteprune.cli", True),
        ("python -X voteprune script.py", False),
        ("python script.py voteprune", False),
        ("python -m pytest voteprune.cli", False),
        ("python -c pass voteprune", False),
        ("python -m", False),
        ("python", False),
    ],
)
def test_only_the_command_line_is_ended(words, ours):
    assert is_command_line(words.split()) == ours


def test_a_program_that_uses_the_package_is_interrupted_as_ever():
    code = "import signal, voteprune; print(signal.getsignal(signal.SIGINT).__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "default_int_handler"
