"""CPU seconds of this process and of all it has started, on Linux."""

from __future__ import annotations

import os
import resource
import time
from pathlib import Path


def cpu() -> float:
    """Return the CPU seconds of this process, its workers, and those that have ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = time.process_time() + ended.ru_utime + ended.ru_stime
    for listed in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = listed.read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        if int(fields[1]) == os.getpid():
            # Its own time and its children's, which have ended.
            spent += sum(int(ticks) for ticks in fields[11:15]) / os.sysconf("SC_CLK_TCK")
    return spent
