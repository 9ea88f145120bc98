"""The MCP server over stdio, as an agent starts it.

In: a file. Out: answers on stdout until stdin ends. Invariants: nothing but the protocol goes to stdout; nothing that
takes long is loaded before a client asks for it, or has nothing to ask for a moment.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from memory_db.agents.mcp.dispatch import Dispatcher
from memory_db.agents.mcp.stdio import MOST_LINE_BYTES, lines, sending, wire

TYPE_CHECKING = False  # as in typing, which takes several milliseconds to load
if TYPE_CHECKING:
    from memory_db.agents.reader.reader import Reader

QUIET_S = 0.2
"""How long a client has nothing to ask before the model is loaded, which takes the processor for a second.

Source: ours; agents list tools at once after the handshake, and ask seconds later.
"""

MOST_QUIET_S = 2.0
"""After that it is loaded though the client goes on asking. Source: ours; a recall with it is worth the wait then."""

ENDING_S = 5.0
"""How long answers that were asked for may still take when stdin ends. Source: ours; then a client ends the process."""


def clock() -> datetime:
    """The present."""
    return datetime.now(UTC)


class Model:
    """The full model, loaded as soon as the client is quiet; until then recalls are answered cold.

    Where another process of this user has it for the hooks it takes 200 MB more, so it is loaded only when this client
    asks for a recall, or when that process has ended and this one answers the hooks.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.heard_at = path, time.monotonic()
        self._is_loaded, self._is_asked, self._loading = threading.Event(), threading.Event(), threading.Lock()

    def is_loaded(self) -> bool:
        """Whether what a recall needs is there, or could not be had; a recall asks that."""
        self._is_asked.set()
        return self._is_loaded.is_set()

    def hear(self) -> None:
        """Notes that the client said something."""
        self.heard_at = time.monotonic()

    def start(self, dispatcher: Dispatcher) -> None:
        """Loads in the background, and answers the hooks of this user as soon as no other process does."""
        for name, work in (("hooks", self._answer_hooks), ("model", self._load_when_asked)):
            threading.Thread(target=work, args=(dispatcher,), name=name, daemon=True).start()

    def _answer_hooks(self, dispatcher: Dispatcher) -> None:
        self._wait_for_quiet(dispatcher)
        from memory_db.agents import warm  # noqa: PLC0415  # start-up: what a recall and a hook load

        warm.serve(self.path, clock, self._load)
        self._load()  # where no hook is answered: that is turned off, or there are no such locks

    def _load_when_asked(self, dispatcher: Dispatcher) -> None:
        self._is_asked.wait()
        self._wait_for_quiet(dispatcher)
        self._load()

    def _load(self) -> None:
        from memory_db.agents import warm  # noqa: PLC0415  # start-up: as above

        with self._loading:
            try:
                if not self._is_loaded.is_set():
                    warm.load(self.path)
            finally:
                self._is_loaded.set()

    def _wait_for_quiet(self, dispatcher: Dispatcher) -> None:
        until = time.monotonic() + MOST_QUIET_S
        while (now := time.monotonic()) < until and (now < self.heard_at + QUIET_S or dispatcher.workers.are_busy()):
            time.sleep(QUIET_S / 4)


def serve(path: Path, *, write: bool = False, structured: bool = False) -> None:
    """Serves a file over stdin and stdout until stdin ends; with `write` an agent may propose changes.

    With `structured` a recall answers with data beside its text.

    Claude Code tells a server the folder and the name of its session.
    """
    folder = Path(os.environ.get("CLAUDE_PROJECT_DIR") or Path.cwd())
    session = os.environ.get("CLAUDE_CODE_SESSION_ID") or None
    model = Model(path)

    def reader() -> Reader:
        from memory_db.agents.reader.reader import Reader  # noqa: PLC0415  # start-up: what a tool loads

        return Reader(path, folder, clock, session, is_warm=model.is_loaded)

    with wire() as (asked, answers), suppress(KeyboardInterrupt):
        dispatcher = Dispatcher(reader, sending(answers), write=write, structured=structured)
        model.start(dispatcher)
        for line in lines(asked):
            if line is None:
                dispatcher.refuse(f"The line has more than {MOST_LINE_BYTES:,} bytes.")
            else:
                dispatcher.receive(line)
            model.hear()
        dispatcher.workers.finish(ENDING_S)


def main() -> None:
    """Serves the file that is named, that MEMORY_DB names, or the default one."""
    import argparse  # noqa: PLC0415  # start-up: an agent's command comes by way of `memory-db mcp`

    parser = argparse.ArgumentParser(
        prog="python -m memory_db.agents.mcp.server", description="Serves memory over stdio."
    )
    default = os.environ.get("MEMORY_DB") or Path.home() / ".memory-db" / "memory.db"
    parser.add_argument("-d", "--database", type=Path, default=Path(default), help="the file to read")
    parser.add_argument("--write", action="store_true", help="let the agent propose changes")
    parser.add_argument("--structured", action="store_true", help="answer a recall with data beside its text")
    given = parser.parse_args()
    serve(given.database, write=given.write, structured=given.structured)


if __name__ == "__main__":
    main()
