"""The MCP server over stdio, as an agent starts it.

In: a file. Out: answers on stdout until stdin ends. Invariant: nothing but the protocol goes to stdout.
"""

from __future__ import annotations

import argparse
import gc
import logging
import os
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from memory_db.agents import warm
from memory_db.agents.reader.reader import Reader


def serve(path: Path, *, write: bool = False, structured: bool = False) -> None:
    """Serves a file over stdin and stdout until stdin ends; with `write` an agent may propose changes.

    With `structured` a recall answers with data beside its text.

    Claude Code tells a server the folder and the name of its session.
    """
    # Start-up: the SDK makes a great many objects that live as long as the process; looking through them for garbage
    # takes a tenth of the time until the first answer.
    gc.disable()
    from memory_db.agents.mcp.tools import build_server  # noqa: PLC0415  # start-up: as said

    gc.enable()
    # A handler of our own, before the SDK adds one that prints tracebacks with the values of locals.
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="memory-db mcp: %(message)s")
    folder = Path(os.environ.get("CLAUDE_PROJECT_DIR") or Path.cwd())
    session = os.environ.get("CLAUDE_CODE_SESSION_ID") or None
    with suppress(KeyboardInterrupt):
        reader = Reader(path, folder, lambda: datetime.now(UTC), session)
        server = build_server(reader, write=write, structured=structured)
        warm.start(path, reader.clock)
        server.run()


def main() -> None:
    """Serves the file that is named, that MEMORY_DB names, or the default one."""
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
