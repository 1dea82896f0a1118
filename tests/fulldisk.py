"""Disks that are full: a real one where one may be mounted, else one on which nothing can be kept.

A file system of one page is mounted and filled; only root may. On some, not even an empty file can
be made. Elsewhere the system call that forces a file to the disk fails as it would there.
"""

import contextlib
import errno
import os
import shutil
import subprocess

from voteprune.files import outfile


def no_space(*_):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@contextlib.contextmanager
def full_disk(folder, monkeypatch, empty_files=True):
    """Make a new folder whose disk is full."""
    folder.mkdir()
    mount = shutil.which("mount")
    words = [mount, "-t", "tmpfs", "-o", "size=4k,nr_inodes=3", "tmpfs", str(folder)]
    done = mount and subprocess.run(words, capture_output=True, check=False)
    if done and done.returncode == 0:
        try:
            (folder / "filling").write_bytes(bytes(4096))
            if not empty_files:
                (folder / "last").touch()
            yield folder
        finally:
            subprocess.run(["umount", str(folder)], check=True)
    else:
        with monkeypatch.context() as patch:
            patch.setattr(outfile.os, "fsync", no_space)
            yield folder
