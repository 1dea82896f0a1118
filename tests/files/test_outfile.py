"""What is written is whole, and nothing but a regular file is ever replaced."""

import os
import stat
import threading
from pathlib import Path

import pytest

from voteprune import OutputError
from voteprune.files.outfile import write_bytes, write_text


def test_a_link_stays_and_the_file_it_leads_to_changes(tmp_path):
    real, link = tmp_path / "elsewhere" / "real.json", tmp_path / "link.json"
    real.parent.mkdir()
    real.write_text("old")
    link.symlink_to(real)
    write_text(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert [path.name for path in real.parent.iterdir()] == ["real.json"]


def test_a_link_to_nothing_yet_makes_the_file(tmp_path):
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    write_text(tmp_path / "link.json", "new")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").read_text() == "new"


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    pipe, heard = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: heard.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_bytes(pipe, b"said")
    reader.join(timeout=30)
    assert heard == [b"said"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="this system has no /dev/fd")
def test_a_stream_of_the_process_is_written_to(tmp_path):
    """As /dev/stdout is, also where it leads to a file that the shell has opened."""
    with (tmp_path / "out").open("wb") as out:
        out.write(b"before ")
        out.flush()
        write_bytes(f"/dev/fd/{out.fileno()}", b"after")
    assert (tmp_path / "out").read_bytes() == b"before after"


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(OutputError, match="directory"):
        write_bytes(tmp_path, b"x")
