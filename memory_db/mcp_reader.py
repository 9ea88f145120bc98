"""Memory for any agent that speaks MCP: two tools over stdio that read.

In: tool calls. Out: short texts, at most about 4,000 bytes unless more is
asked for, and a way to read on. Knowledge is read through a read-only
connection; a second one writes the log of a recall and nothing else.
Invariants: nothing but the protocol goes to stdout, an answer never waits
for its log, and whatever goes wrong reaches the model as one line that says
what to do.

Every answer stands in a memory-brief block: importers leave those out, so
that memory does not feed on its own echo.
"""

from __future__ import annotations

import argparse
import logging
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from memory_db import __version__, brief, settings
from memory_db.brief import Answer, inert
from memory_db.connection import connect, explain
from memory_db.errors import InputError, MemoryDBError, ModelError, NotFoundError
from memory_db.projects import known_project, project_named
from memory_db.recall import Question

SURFACE = "mcp"

INSTRUCTIONS = "What earlier sessions said, decided and learned. Recall before you work on anything with a past."

DEFAULT_LIMIT = 5

HIT_TOKENS = 180
"""Tokens that each hit may take of a recall's answer. Source: five of them and the frame fit 4,000 bytes."""

PAGE_BYTES = 3_600
"""What one `get` gives, before its frame. Source: 4,000 bytes, about 1,000 tokens, is what an answer may cost."""

MOST_UIDS = 20

LOG_BUSY_MS = 1_000
"""How long a log waits for another writer: the model waits as long for its answer."""

READ_ONLY = ToolAnnotations(read_only_hint=True, open_world_hint=False)


@dataclass(frozen=True, slots=True)
class Reader:
    """One file, read for one client.

    Each call opens the file anew: it may appear, be replaced or be migrated while the server runs, and between
    calls nothing of it is held. `folder` is where the client works: its project is the context of every recall.
    """

    path: Path
    folder: Path
    clock: Callable[[], datetime]

    def recall(self, query: str, project: str, kind: str, limit: int) -> str:
        """The brief for a question, and how to get more.

        Raises: MemoryDBError.
        """
        with self.reading() as db:
            here = known_project(db, self.folder)
            question = Question(
                query=query,
                profile=settings.get_text(db, "default_profile"),
                project_id=project_named(db, project) if project else here,
                only_project=bool(project),
                kinds=(kind_named(db, kind),) if kind else (),
                limit=limit,
                budget_tokens=HIT_TOKENS * max(limit, DEFAULT_LIMIT),
            )
            answer, notes = self.ask(db, question)
        notes += self.log(answer)
        return brief_with_notes(answer, [more_line(answer), *notes])

    def get(self, uids: list[str], offset: int) -> str:
        """Memories, entries, sessions and recalls in full, a page at a time.

        Raises: MemoryDBError.
        """
        from memory_db.mcp_texts import text_of  # noqa: PLC0415  # start-up: brings a tokenizer that recall never needs

        wanted = list(dict.fromkeys(uid.strip(" []\n\t,") for uid in uids if uid.strip(" []\n\t,")))
        if not 1 <= len(wanted) <= MOST_UIDS:
            raise InputError(f"get was given {len(wanted)} uids. Give 1 to {MOST_UIDS}, as recall brackets them.")
        with self.reading() as db:
            text = "\n\n".join(text_of(db, uid) for uid in wanted)
        return page(text, offset)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A read-only connection. Raises: MemoryDBError."""
        try:
            with closing(connect(self.path)) as db:
                yield db
        except sqlite3.Error as error:
            raise explain(error, self.path) from error

    def ask(self, db: sqlite3.Connection, question: Question) -> tuple[Answer, list[str]]:
        """The answer, not logged yet, with notes on what it had to do without.

        Raises: QueryError, InputError, NotFoundError.
        """
        # Start-up: numpy and a library of dates, a fifth of a second.
        from memory_db.question_dates import with_window  # noqa: PLC0415
        from memory_db.semantic import open_semantic  # noqa: PLC0415
        from memory_db.zones import user_zone  # noqa: PLC0415

        now = self.clock()
        question = with_window(db, question, now, user_zone(db))
        try:
            return brief.ask(db, question, surface=SURFACE, now=now, semantic=open_semantic(db), log=False), []
        except ModelError as error:
            answer = brief.ask(db, question, surface=SURFACE, now=now, log=False)
            return answer, [f"Without likeness of meaning: {error}"]

    def log(self, answer: Answer) -> list[str]:
        """Logs a recall through a connection of its own; a note where the file cannot be written."""
        try:
            with closing(connect(self.path, write=True, busy_ms=LOG_BUSY_MS)) as db:
                brief.log_recall(db, answer, surface=SURFACE, now=self.clock())
        except sqlite3.Error as error:
            return [f"This recall was not logged: {explain(error, self.path)}"]
        except MemoryDBError as error:
            return [f"This recall was not logged: {error}"]
        return []


def kind_named(db: sqlite3.Connection, name: str) -> str:
    """A kind that there is. Raises: NotFoundError."""
    kinds = [row["name"] for row in db.execute("select name from kinds order by rowid")]
    if name.strip().lower() not in kinds:
        raise NotFoundError(f"No kind {name!r}. Leave it out, or name one of: {', '.join(kinds)}.")
    return name.strip().lower()


def more_line(answer: Answer) -> str:
    """How to get more than was shown."""
    shown, considered = len(answer.shown), answer.considered_count
    if shown:
        return (
            f"{shown} shown of {considered} considered. get(uids) gives whole texts with their sources; "
            "a larger limit shows more."
        )
    narrowed = "" if not (answer.question.kinds or answer.question.only_project) else ", or without project and kind"
    return f"Nothing to show ({considered} considered). Ask with other words{narrowed}."


def brief_with_notes(answer: Answer, notes: list[str]) -> str:
    """The brief with further lines at its end, inside its block."""
    return enclosed("\n".join([*answer.text.splitlines()[1:-1], *notes]), answer.recall_uid)


def enclosed(text: str, recall_uid: str | None = None) -> str:
    """A text in a block that importers know as our own."""
    name = f' recall="{recall_uid}"' if recall_uid else ""
    return f"<memory-brief{name}>\n{inert(text)}\n</memory-brief>"


def page(text: str, offset: int) -> str:
    """One page of a text from a character on, with the offset of the next one.

    Raises: InputError for an offset outside the text.
    """
    if not 0 <= offset < len(text):
        raise InputError(f"Offset {offset:,} is outside the text of {len(text):,} characters. Start with offset 0.")
    part = text[offset:].encode()[:PAGE_BYTES].decode(errors="ignore")
    end = offset + len(part)
    if end < len(text):
        part += f"\n(characters {offset:,} to {end:,} of {len(text):,}; the same get with offset={end} goes on)"
    return enclosed(part)


@contextmanager
def told_to_the_model() -> Iterator[None]:
    """Turns what a model can mend into a tool error with the same words. Raises: ToolError."""
    try:
        yield
    except MemoryDBError as error:
        raise ToolError(str(error)) from error


def build_server(reader: Reader) -> MCPServer:
    """The server with its tools, for any transport.

    Tools run on the event loop, one at a time: there is one client, and SQLite's connections (that to the word
    vectors is kept) belong to one thread.
    """
    server = MCPServer("memory-db", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING")

    @server.tool(annotations=READ_ONLY, structured_output=False)
    async def recall(
        query: str, project: str = "", kind: str = "", limit: Annotated[int, Field(ge=1, le=50)] = DEFAULT_LIMIT
    ) -> str:
        """Search memories and past sessions. project, kind (decision, fix, preference...) narrow it."""
        with told_to_the_model():
            return reader.recall(query, project, kind, limit)

    @server.tool(annotations=READ_ONLY, structured_output=False)
    async def get(uids: list[str], offset: int = 0) -> str:
        """Whole texts by the uids in brackets: memories with quotes and belief, entries, sessions, recalls."""
        with told_to_the_model():
            return reader.get(uids, offset)

    return server


def serve(path: Path) -> None:
    """Serves a file over stdin and stdout until stdin ends."""
    # A handler of our own, before the SDK adds one that prints tracebacks with the values of locals.
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="memory-db mcp: %(message)s")
    with suppress(KeyboardInterrupt):
        build_server(Reader(path, Path.cwd(), lambda: datetime.now(UTC))).run()


def main() -> None:
    """Serves the file that is named, that MEMORY_DB names, or the default one."""
    parser = argparse.ArgumentParser(prog="python -m memory_db.mcp_reader", description="Serves memory over stdio.")
    default = os.environ.get("MEMORY_DB") or Path.home() / ".memory-db" / "memory.db"
    parser.add_argument("-d", "--database", type=Path, default=Path(default), help="the file to read")
    serve(parser.parse_args().database)


if __name__ == "__main__":
    main()
