"""The live line: a terminal has one, a pipe has none, and Ctrl-C keeps the incumbent."""

import os
import pty
import select
import signal
import subprocess
import sys
import time

import pytest

import voteprune as vp
from voteprune.cli.console import _Line

COMMAND = [sys.executable, "-m", "voteprune.cli"]


def start(*words, stderr):
    # A handler here becomes the default in the child, even where the tests run with SIGINT ignored.
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(
            [*COMMAND, *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=stderr,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
        )
    finally:
        signal.signal(signal.SIGINT, previous)


def read_until(descriptor, word, seconds=120.0):
    """Return what a terminal shows until a word appears."""
    shown, deadline = b"", time.monotonic() + seconds
    while word not in shown:
        ready, _, _ = select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))
        assert ready, f"{word!r} did not appear in {shown!r}"
        shown += os.read(descriptor, 4096)
    return shown.decode()


@pytest.mark.slow
def test_ctrl_c_on_a_terminal_prints_and_saves_the_incumbent(hard, tmp_path):
    saved = tmp_path / "committee.json"
    ours, theirs = pty.openpty()
    words = ("prune", hard, "--time-limit", 600, "--json", "--output", saved)
    process = start(*words, stderr=theirs)
    os.close(theirs)
    # The live line is there, and by then there is an incumbent.
    shown = read_until(ours, b"gap")
    assert "incumbent" in shown
    assert "bound" in shown
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=120)
    os.close(ours)
    assert process.returncode == 130
    solution = vp.Solution.from_json(out.decode())
    assert solution.termination == "interrupted"
    assert solution.status == "feasible"
    assert vp.Solution.load(saved) == solution


@pytest.mark.slow
def test_a_pipe_gets_no_live_line(hard):
    process = start("prune", hard, "--time-limit", 1, "--json", stderr=subprocess.PIPE)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, b"")
    assert vp.Solution.from_json(out.decode()).status == "feasible"


@pytest.mark.slow
def test_a_comparison_shows_which_method_is_running(hard):
    ours, theirs = pty.openpty()
    process = start("compare", hard, "--methods", "full,exact", "--time-limit", 1, stderr=theirs)
    os.close(theirs)
    assert "exact" in read_until(ours, b"gap")
    out, _ = process.communicate(timeout=120)
    os.close(ours)
    assert process.returncode == 0
    assert b"full" in out


def test_a_loss_is_told_as_a_loss():
    """Soft committees maximise minus a loss; nobody wants to read that."""
    text = []
    for losses in (False, True):
        line = _Line(losses=losses)
        line.hear(vp.Progress(seconds=1.0, value=-0.25, bound=0.0))
        text.append(str(line.__rich__()))
    assert "incumbent -0.25   bound 0 " in text[0]
    assert "incumbent 0.25   bound 0 " in text[1]
