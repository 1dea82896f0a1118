"""The other side of the wall: a process that imports one solver and runs it on request.

A solver that crashes takes this process with it and nothing else; one that hangs is killed from
outside; two solvers that cannot be imported together never meet. Started by `isolated`, it talks
in pickled frames over its standard streams, to its parent alone.
"""

from __future__ import annotations

import importlib
import os
import pickle
import queue
import struct
import sys
import threading
from typing import IO, Any

from .protocol import LicenceLimit


def send(stream: IO[bytes], message: object) -> None:
    """Write one frame: its length, then the pickle."""
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(struct.pack("<Q", len(data)) + data)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read one frame; EOFError when the other side is gone."""
    header = stream.read(8)
    if len(header) < 8:
        raise EOFError
    (length,) = struct.unpack("<Q", header)
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return pickle.loads(data)


def _requests(stream: IO[bytes]) -> queue.SimpleQueue[Any]:
    """Read requests on a thread of their own, so that a dead parent is noticed at once."""
    inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def read() -> None:
        try:
            while True:
                inbox.put(receive(stream))
        except (EOFError, OSError):
            os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    return inbox


def main(module_name: str) -> None:
    """Serve requests for one solver until the parent closes the pipe."""
    # Solvers print; what they print must not get between the frames.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    inbox = _requests(sys.stdin.buffer)
    module = importlib.import_module(module_name)
    send(replies, ("ready",))
    lock = threading.Lock()

    def report(*content: object) -> None:
        with lock:
            send(replies, ("report", *content))

    while True:
        request = inbox.get()
        try:
            answer = module.solve(*request, report)
            reply: tuple[str, Any] = ("answer", answer)
        except LicenceLimit as limit:
            reply = ("licence", str(limit))
        except Exception as error:
            reply = ("error", f"{type(error).__name__}: {error}")
        with lock:
            send(replies, reply)
