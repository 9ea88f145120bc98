"""Memory for any agent that speaks MCP: what recall, get and timeline answer, over stdio or HTTP.

In: a file, the folder where a client works, and what it asks. Out: short texts, at most about 4,000 bytes unless more
is asked for, and a way to read on. Knowledge is read through a read-only connection; a second one writes the log of a
recall and nothing else. Invariants: an answer never waits for its log; what belongs to another project stands in an
answer only where the project or a uid of it was named, or the setting says always; no text that gives an agent orders
reaches it; whatever goes wrong reaches the model as one line that says what to do.

Every answer stands in a memory-brief block: importers leave those out, so that memory does not feed on its own echo.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from memory_db.agents.reader.access import may_read, place_of
from memory_db.agents.reader.client import Client
from memory_db.agents.reader.limits import DEFAULT_LIMIT
from memory_db.errors import InputError, NotFoundError
from memory_db.recall.brief.answer_log import take_in_now
from memory_db.recall.brief.for_model import NOTHING_ANSWERS, why_silent
from memory_db.recall.brief.select import Answer, inert
from memory_db.recall.search import Filters, Question
from memory_db.records import later
from memory_db.store import settings

if TYPE_CHECKING:
    from memory_db.recall.answer import AnswerData

HIT_TOKENS = 180
"""Tokens that each hit may take of a recall's answer. Source: five of them and the frame fit 4,000 bytes."""

PAGE_BYTES = 3_600
"""What one page gives, before its frame. Source: 4,000 bytes, about 1,000 tokens, is what an answer may cost."""

RESOURCE_BYTES = 16_000
"""What a resource gives: a person attaches it, knowing what it is. Source: four pages."""

MOST_UIDS = 20


class Reader(Client):
    """What a client is told, a text a call."""

    def recall(self, query: str, project: str = "", kind: str = "", limit: int = DEFAULT_LIMIT) -> str:
        """The brief for a question, and how to get more.

        Raises: MemoryDBError.
        """
        return self.recall_answer(query, project, kind, limit)[0]

    def recall_with_data(
        self, query: str, project: str = "", kind: str = "", limit: int = DEFAULT_LIMIT
    ) -> tuple[str, AnswerData]:
        """The same, and the answer as plain data, of which a program reads fields.

        Raises: MemoryDBError.
        """
        from memory_db.recall.answer import brief_data  # noqa: PLC0415  # start-up: brings a library of dates

        text, answer = self.recall_answer(query, project, kind, limit)
        return text, brief_data(answer, self.clock())

    def recall_answer(self, query: str, project: str, kind: str, limit: int) -> tuple[str, Answer]:
        """The text and the answer that it is made from, logged.

        Raises: MemoryDBError.
        """
        with self.reading() as db:
            place = place_of(db, self.folder, project)
            question = Question(
                query=query,
                profile=settings.get_text(db, "default_profile"),
                project_id=place.project_id,
                filters=Filters(only_project=place.only, kinds=(kind_named(db, kind),) if kind else ()),
                session_uid=self.session_uid,
                limit=limit,
                budget_tokens=HIT_TOKENS * max(limit, DEFAULT_LIMIT),
            )
            answer, notes = self.ask(db, question)
        notes += self.log(answer)
        return brief_with_notes(answer, [more_line(answer), place.note, *notes]), answer

    def get(self, uids: list[str], offset: int = 0) -> str:
        """Memories, entries, sessions, recalls and procedures in full, a page at a time.

        Raises: MemoryDBError.
        """
        # Start-up: bring a tokenizer and prices, which recall never needs.
        from memory_db.agents.reader.texts import text_of  # noqa: PLC0415
        from memory_db.recall.explain.lookup import whole_uid  # noqa: PLC0415

        wanted = list(dict.fromkeys(uid for text in uids if (uid := bare(text))))
        if not 1 <= len(wanted) <= MOST_UIDS:
            raise InputError(f"get was given {len(wanted)} uids. Give 1 to {MOST_UIDS}, as recall brackets them.")
        take_in_now(self.path, now=self.clock())
        with self.reading() as db:
            wanted = list(dict.fromkeys(whole_uid(db, uid) for uid in wanted))
            for uid in wanted:
                may_read(db, self.folder, uid)
            text = "\n\n".join(text_of(db, uid) for uid in wanted)
        return page(text, offset)

    def timeline(self, about: str = "", since: str = "", before: str = "", project: str = "", offset: int = 0) -> str:
        """What happened around a uid, on a topic, or in a span of time, a page at a time.

        Raises: MemoryDBError.
        """
        # Start-up: as above, and a library of dates.
        from memory_db.agents.reader import timeline as mcp_timeline  # noqa: PLC0415
        from memory_db.recall.explain.lookup import whole_uid  # noqa: PLC0415

        with self.reading() as db:
            named = whole_uid(db, bare(about)) if SHORT_UID.fullmatch(bare(about)) else bare(about)
            asked = mcp_timeline.TimelineRequest(named, since.strip(), before.strip(), project)
            answer, lines = mcp_timeline.lines_of(self, db, asked)
        notes = self.log(answer) if answer else []
        uid = answer.recall_uid if answer else None
        return page("\n".join([*lines, *notes]), offset, tool="timeline", recall_uid=uid)

    def propose(self, op: str, text: str, uid: str, other: str, kind: str, reason: str, project: str) -> str:
        """Puts a change before a person; what waits now, and how they decide.

        Raises: MemoryDBError.
        """
        from memory_db.agents.reader.propose import ProposalRequest, ask_a_person  # noqa: PLC0415  # start-up: brings the gate

        request = ProposalRequest(op, text, bare(uid), bare(other), kind, reason, project)
        return enclosed(ask_a_person(self, request))

    def resource(self, sort: str, uid: str) -> str:
        """A memory or a session as a person attaches it: its text, cut with a notice where it is long.

        Raises: MemoryDBError.
        """
        from memory_db.agents.reader.texts import text_of  # noqa: PLC0415  # start-up: as above

        with self.reading() as db:
            if db.execute(RESOURCES[sort], [uid]).fetchone() is None:
                raise NotFoundError(f"No {sort} has the uid {uid[:60]!r}. Take one that recall brackets.")
            may_read(db, self.folder, uid)
            return page(text_of(db, uid), 0, most_bytes=RESOURCE_BYTES, call=f"get(uids=[{uid!r}], ")


RESOURCES = {
    "memory": "select 1 from memories where uid = ?",
    "session": "select 1 from sessions where uid = ?",
}
"""What may be attached as a resource, and how it is found."""


SHORT_UID = later(r"e?[0-9a-f]{8}")
"""What names an entry or a session in a line of a brief."""


def bare(uid: str) -> str:
    """A uid without the brackets that a brief puts around it."""
    return uid.strip(" []\n\t,")


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
            f"{shown} shown of {considered} considered. get(uids) gives whole texts with their sources;"
            " timeline(about=uid) what came before and after; a larger limit shows more."
        )
    narrowed = ", or without kind" if answer.question.filters.kinds else ""
    if answer.procedures:
        return "get(uids) gives a command with every time it was run."
    why = why_silent(answer)
    counted = f"{considered} considered{f'; {why}' if why else ''}"
    return f"{NOTHING_ANSWERS} ({counted}). Ask with other words{narrowed}, or name another project."


def brief_with_notes(answer: Answer, notes: list[str]) -> str:
    """The brief with further lines at its end, inside its block."""
    shown = [note for note in notes if note]
    return enclosed("\n".join([*answer.text.splitlines()[1:-1], *shown]), answer.recall_uid)


def enclosed(text: str, recall_uid: str | None = None) -> str:
    """A text in a block that importers know as our own."""
    name = f' recall="{recall_uid}"' if recall_uid else ""
    return f"<memory-brief{name}>\n{inert(text)}\n</memory-brief>"


def page(
    text: str,
    offset: int,
    *,
    tool: str = "get",
    most_bytes: int = PAGE_BYTES,
    call: str = "",
    recall_uid: str | None = None,
) -> str:
    """One page of a text from a character on, with how to get the next one.

    Raises: InputError for an offset outside the text.
    """
    if not 0 <= offset < len(text):
        raise InputError(f"Offset {offset:,} is outside the text of {len(text):,} characters. Start with offset 0.")
    part = text[offset:].encode()[:most_bytes].decode(errors="ignore")
    line_end = part.rfind("\n") + 1
    if offset + len(part) < len(text) and line_end > len(part) // 2:
        part = part[:line_end]
    end = offset + len(part)
    if end < len(text):
        how = f"{call}offset={end}) goes on" if call else f"the same {tool} with offset={end} goes on"
        part += f"\n(characters {offset:,} to {end:,} of {len(text):,}; {how})"
    return enclosed(part, recall_uid)
