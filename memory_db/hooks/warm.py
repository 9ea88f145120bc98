"""A prompt answered by a process that has the full model loaded already, where one runs.

In: a hook's run and its payload. Out: what the agent reads, or None: then the hook answers by itself, cold. The other
side is `agents.warm`, a thread of the MCP reader that the agent keeps running for its session.

    hook -> request -> (the warm process answers) -> answer -> "shown" -> (the warm process logs) -> "logged"

Invariants: one prompt has one answer, and one row: the warm process writes nothing before it has heard that its answer
is the one; who does not answer in time, is of another version, or may be somebody else, is not asked. The socket is the
user's alone (mode 0600, in a folder of 0700): the system tells who may connect, so no secret is passed.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import os
import stat
import time

from memory_db import __version__
from memory_db.hooks.trouble import write_spool
from memory_db.store.connection import SCHEMA_VERSION

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    import _socket
    from collections.abc import Callable

    from memory_db.hooks.run import HookRun

HOOKS = ("user-prompt",)
"""Hooks that ask for meaning; what the others look for is named in their payload."""

FOLDER = "~/.cache/memory-db/warm"

SOCKET, LOCK = "hook.sock", "hook.lock"

WAIT_SHARE = 1.3
"""How long a warm process has for its answer, as a share of the hook's deadline: 0.4 s on most machines.

Source: ours; it answers in a tenth of a second, and cold an answer takes as long again.
"""

MOST_PATH_BYTES = 100
"""A longer path is no socket's. Source: unix(7), 108 bytes with the end."""

ANSWER, REFUSAL, SHOWN, LOGGED = b"A", b"N", b"K", b"L"

LENGTH_BYTES = 4

MOST_BYTES = 5_000_000
"""What one side reads at most: a payload, and the names around it."""


def socket_path() -> str:
    """Where the warm process of this user listens."""
    return os.path.join(os.path.expanduser(FOLDER), SOCKET)


def is_mine(path: str) -> bool:
    """Whether a socket is there that nobody but this user can have put there, nor connect to."""
    try:
        folder, found = os.lstat(os.path.dirname(path)), os.lstat(path)
    except OSError:
        return False
    return (
        stat.S_ISSOCK(found.st_mode)
        and stat.S_ISDIR(folder.st_mode)
        and found.st_uid == folder.st_uid == os.getuid()
        and not (found.st_mode | folder.st_mode) & 0o077
        and len(os.fsencode(path)) <= MOST_PATH_BYTES
    )


class Answered:
    """An answer that waits until it is taken: then it is the only one, and the warm process logs it."""

    def __init__(self, text: str, connection: _socket.socket) -> None:
        self.text, self.connection = text, connection

    def take(self) -> None:
        """Says that this answer is shown. Raises: OSError where nobody hears it any more."""
        self.connection.sendall(SHOWN)

    def is_logged(self) -> bool:
        """Whether the warm process has written down what was shown."""
        try:
            return self.connection.recv(1) == LOGGED
        except OSError:
            return False


def answer(run: HookRun, payload: bytes, show: Callable[[str], object]) -> bool:
    """Whether the warm process answers: what it says is shown then, and logged there."""
    answered = None if run.is_dry else ask(run, payload)
    if answered is None:
        return False
    if not run.may_end():
        time.sleep(1)  # the deadline is ending the process
    try:
        answered.take()
    except OSError:
        return False
    show(answered.text)
    if not answered.is_logged():
        write_spool(run, "NotLoggedError", "the reader that answered ended before it logged what was shown")
    return True


def ask(run: HookRun, payload: bytes) -> Answered | None:
    """The answer of the warm process, or None where none answers in time."""
    path = socket_path()
    if run.hook not in HOOKS or not is_mine(path):
        return None
    import _socket  # noqa: PLC0415  # start-up: where nobody listens nothing is to be loaded for it

    try:
        connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        connection.settimeout(WAIT_SHARE * run.deadline_ms / 1000)
        connection.connect(path)
        names = "\0".join((version(), run.hook, os.path.realpath(run.path), run.project, f"{run.duration_ms():.1f}"))
        send(connection, names.encode(errors="surrogateescape"))
        send(connection, payload)
        kind, text = receive(connection)[:1], b""
        if kind == ANSWER:
            text = receive(connection)
    except (OSError, ValueError):
        return None
    if kind != ANSWER:
        connection.close()
        return None
    return Answered(text.decode(errors="replace"), connection)


def version() -> str:
    """What both sides must be of: a reader that began before an upgrade has old code."""
    return f"{__version__}/{SCHEMA_VERSION}"


def send(connection: _socket.socket, data: bytes) -> None:
    """Sends one part: its length, then its bytes. Raises: OSError."""
    connection.sendall(len(data).to_bytes(LENGTH_BYTES) + data)


def receive(connection: _socket.socket) -> bytes:
    """One part that the other side sent. Raises: OSError, ValueError where it ends early or is too long."""
    length = int.from_bytes(exactly(connection, LENGTH_BYTES))
    if length > MOST_BYTES:
        raise ValueError("too long")
    return exactly(connection, length)


def exactly(connection: _socket.socket, count: int) -> bytes:
    """So many bytes. Raises: OSError, ValueError where there are fewer."""
    parts = []
    while count:
        part = connection.recv(min(count, 1 << 16))
        if not part:
            raise ValueError("ended early")
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
