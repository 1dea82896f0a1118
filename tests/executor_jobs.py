"""Work for the tests of executors, in a module that workers can import."""

import os
import signal
import time
from pathlib import Path


def double(number):
    return 2 * number


def die_once(path):
    """Kill the worker, the first time."""
    if not Path(path).exists():
        Path(path).write_text("died")
        os.kill(os.getpid(), signal.SIGKILL)
    return "lived"


def die_if(number):
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def slow(number):
    time.sleep(0.2)
    return number, os.getpid()
