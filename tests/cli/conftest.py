"""Votes to prune, and the command line in this process."""

import pytest

from votefiles import write_votes
from voteprune import cli
from voteprune.cli import pruning


@pytest.fixture
def votes(tmp_path):
    return write_votes(tmp_path / "votes.csv")


@pytest.fixture
def hard(tmp_path):
    """Votes that no solver proves within a test's time."""
    return write_votes(tmp_path / "hard.csv", 400, 60, n_test=0, skill=0.5)


@pytest.fixture
def run(capsys):
    """Run the command line in this process; return exit code, stdout and stderr."""

    def call(*words):
        code = cli.main([str(word) for word in words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture
def no_solving(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("solving was started")

    monkeypatch.setattr(pruning, "prune", refuse)
