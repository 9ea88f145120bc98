"""The lines of a client over stdin and stdout.

In: the two streams of the process. Out: lines, and what sends them. Invariants: while the server runs nothing but the
protocol goes to stdout, whatever a library prints, and nothing but the server reads stdin; a line of any length is
taken or passed over as one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

TYPE_CHECKING = False  # as in typing, which takes several milliseconds to load
if TYPE_CHECKING:
    from typing import BinaryIO

STDIN, STDOUT, STDERR = 0, 1, 2

MOST_LINE_BYTES = 64_000_000
"""The longest line that is taken. Source: ours; what an agent asks has some kilobytes, and a line is held whole."""


@contextmanager
def wire() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """What the client writes and what it reads. Meanwhile the process has an empty stdin, and stderr as its stdout."""
    asked, answers = os.dup(STDIN), os.dup(STDOUT)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, STDIN)
    os.dup2(STDERR, STDOUT)
    os.close(nothing)
    try:
        # Not closed: a thread may still write while the process ends, and must not find another file there.
        yield os.fdopen(asked, "rb", closefd=False), os.fdopen(answers, "wb", buffering=0, closefd=False)
    finally:
        os.dup2(asked, STDIN)
        os.dup2(answers, STDOUT)


def lines(stream: BinaryIO, most_bytes: int = MOST_LINE_BYTES) -> Iterator[bytes | None]:
    """Lines until the stream ends; None for one that is longer."""
    while line := stream.readline(most_bytes):
        if len(line) < most_bytes or line.endswith(b"\n"):
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(most_bytes)
        yield None


def sending(stream: BinaryIO) -> Callable[[bytes], None]:
    """What sends a line whole; nothing where nobody reads any more."""

    def send(line: bytes) -> None:
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[stream.write(rest) :]
        except OSError:
            return  # the client is gone; stdin ends next

    return send
