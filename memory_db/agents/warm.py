"""The warm side of the prompt's hook: a thread of the MCP reader that answers with the full formula.

In: requests over a socket that is the user's alone. Out: the brief that the cold hook would log and print, by the
profile and the model that other surfaces use; `hooks.warm` is the side that asks. Invariants: at most one process of a
user holds the model for hooks (a lock decides, and the next one takes over when it ends); it answers for its own file
alone; nothing is logged of an answer that was not taken; whatever goes wrong is a refusal, and the hook answers cold.
"""

from __future__ import annotations

import os
import socket
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memory_db.errors import MemoryDBError
from memory_db.hooks import run as hooks
from memory_db.hooks import warm
from memory_db.recall.brief.deepened import deepened
from memory_db.store import settings
from memory_db.store.connection import connect

try:
    import fcntl
except ModuleNotFoundError:  # as on Windows, where prompts are answered cold
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from memory_db.index.semantic import EmbeddingIndex
    from memory_db.recall.search import Question

TAKEN_WITHIN_S = 1.0
"""How long an answer waits to be taken. Source: ours; the hook has it already, and only prints it then."""

RETRY_S = 60
"""How often a file is looked at again that has no text embedded yet. Source: ours; the first import takes minutes."""

WARMING = "warming up"
"""A text that is embedded once, so that the first prompt need not wait for the model to load."""


class NotTakenError(MemoryDBError):
    """An answer that came too late: the hook has answered by itself."""


def load(path: Path) -> None:
    """Loads what a recall needs, and the full model where one answers for the file; nothing where that fails."""
    from memory_db.agents.reader import reader  # noqa: F401, PLC0415  # a recall is answered by it next

    with suppress(OSError, sqlite3.Error, MemoryDBError):
        is_loaded(path)


def serve(path: Path, clock: Callable[[], datetime], begin: Callable[[], None]) -> None:
    """Waits until no other process answers, then answers until this one ends; not at all where that is turned off.

    `begin` is called in between and loads the model: of several that start at once only one does.
    """
    with suppress(OSError, sqlite3.Error, MemoryDBError):
        if fcntl is None or not is_on(path):
            return
        address = Path(warm.socket_path())
        address.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock_path = address.with_name(warm.LOCK)
        lock_path.touch(mode=0o600)
        with lock_path.open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            begin()
            while not is_loaded(path):
                time.sleep(RETRY_S)
            with closing(listening(address)) as listener:
                answer_all(listener, path, clock)


def is_on(path: Path) -> bool:
    """Whether prompts may be answered warm: the setting says so. Raises: MemoryDBError, sqlite3.Error."""
    with closing(connect(path)) as db:
        return bool(settings.get_integer(db, "warm_hook"))


def is_loaded(path: Path) -> bool:
    """Whether a full model answers for the file: it is loaded now. Raises: MemoryDBError, sqlite3.Error."""
    from memory_db.index.semantic import open_semantic  # noqa: PLC0415  # start-up: numpy, for one server of all

    with closing(connect(path)) as db:
        index = open_semantic(db)
        if index:
            index.embed_query(WARMING)
        return index is not None


def listening(address: Path) -> socket.socket:
    """A socket at that place, for this user alone. Raises: OSError, as where the path is too long."""
    with suppress(FileNotFoundError):
        address.unlink()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(address))
    address.chmod(0o600)
    listener.listen()
    return listener


def answer_all(listener: socket.socket, path: Path, clock: Callable[[], datetime]) -> None:
    """Answers one hook after another."""
    while True:
        connection, _ = listener.accept()
        with closing(connection), suppress(OSError, ValueError):
            connection.settimeout(TAKEN_WITHIN_S)
            try:
                answer(connection, path, clock)
            except hooks.TROUBLES:
                warm.send(connection, warm.REFUSAL)


def answer(connection: socket.socket, path: Path, clock: Callable[[], datetime]) -> None:
    """One request, answered and logged, or refused. Raises: one of `hooks.TROUBLES`."""
    from memory_db.index.semantic import open_semantic  # noqa: PLC0415  # start-up: as above

    names = warm.receive(connection).decode(errors="surrogateescape").split("\0")
    payload = warm.receive(connection)
    version, hook, asked, project, elapsed_ms = names
    if version != warm.version() or hook not in warm.HOOKS or asked != os.path.realpath(path):
        raise MemoryDBError("This process does not answer that.")

    def show(text: str) -> None:
        warm.send(connection, warm.ANSWER)
        warm.send(connection, text.encode())
        if connection.recv(1) != warm.SHOWN:
            raise NotTakenError("The hook answered by itself.")

    with closing(connect(path)) as db:
        index = open_semantic(db)
        if index is None or not settings.get_integer(db, "warm_hook"):
            raise MemoryDBError("No model answers.")
        run = hooks.HookRun(str(path), clock(), time.perf_counter() - float(elapsed_ms) / 1000, hook, project)
        run.warm = Warm(index)
        try:
            _, starts_work = hooks.respond(run, payload, is_own=False, show=show)
            connection.sendall(warm.LOGGED)
            hooks.finish(run, starts_work)
        finally:
            if run.db is not None:
                run.db.close()


@dataclass(frozen=True, slots=True)
class Warm:
    """What a warm process adds to a prompt's question: the model, and the formula of other surfaces."""

    semantic: EmbeddingIndex

    def deepened(self, db: sqlite3.Connection, question: Question, now: datetime) -> Question:
        """The question as it is asked with the model. Raises: MemoryDBError, sqlite3.Error."""
        return deepened(db, question, self.semantic, now)
