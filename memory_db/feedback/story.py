"""A session as it is read for feedback: what was said, done and shown in it, in its order.

In: the id of a session. Out: its events, and the memories that its recalls had shown, as they were worded then.
Invariant: reads only; what memory itself told an agent through a tool is no event, for it would pass for a source.
"""

from __future__ import annotations

import re
import sqlite3
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from memory_db.store.findable import findable
from memory_db.text.statements import Reading, reading
from memory_db.text.verbatim import COMMAND_TOOLS, Literal, done_in, grams, literals_of, words_of

OWN_TOOLS = re.compile(r"^mcp__[\w-]*memory")
"""Tools by which an agent asks memory itself."""

LOOKS_ON = frozenset({"fix", "failure", "issue", "quirk", "episode"})
"""Kinds that tell what happened: a command in them is seldom one to run."""

ENTRIES = f"""
select id, uid, role, kind, text, created_at from entries
where session_id = ? and is_sidechain = 0 and {findable("entries")} order by created_at, id
"""

ACTIONS = """
select a.entry_id, a.result_entry_id, a.tool, a.input, a.is_error from actions a where a.session_id = ? order by a.id
"""

SHOWN = """
select r.id as recall_id, r.asked_at, r.query, v.memory_id, v.text, m.uid, m.kind
from recalls r join hits h on h.recall_id = r.id and h.rank is not null
join memory_versions v on v.id = h.memory_version_id
join memories m on m.id = v.memory_id
where r.session_id = ? order by r.asked_at, r.id, h.rank
"""


@dataclass(slots=True)
class Known:
    """A memory as an agent was shown it: its words, where each run of them begins, and its literals."""

    memory_id: int
    uid: str
    kind: str
    recall_id: int
    query: str
    words: list[str]
    starts: dict[tuple[str, ...], int]
    literals: tuple[Literal, ...]
    text: str

    @property
    def claim(self) -> Reading:
        """What it claims: read only where the user says something of it."""
        return reading(self.text)

    @property
    def to_use(self) -> list[tuple[str, ...]]:
        """What it tells to use, to the letter; nothing where it tells what happened."""
        distinctive = [each.words for each in self.literals if not each.is_forbidden and each.is_distinctive]
        return [] if self.kind in LOOKS_ON else distinctive

    @property
    def to_leave(self) -> list[tuple[str, ...]]:
        """What it tells not to use."""
        distinctive = [each.words for each in self.literals if each.is_forbidden and each.is_distinctive]
        return [] if self.kind in LOOKS_ON else distinctive


@dataclass(slots=True)
class SessionEvent:
    """One thing in a session: `what` is prompt, reply, action, other (a source of words) or shown.

    `before` is what stood in a file before an action; `is_command` tells a command from an edit.
    """

    what: str
    at: str
    entry_id: int = 0
    entry_uid: str = ""
    text: str = ""
    before: str = ""
    is_command: bool = False
    shown: list[Known] = field(default_factory=list)


def story(db: sqlite3.Connection, session_id: int) -> list[SessionEvent]:
    """The events of a session in their order; empty where nothing was shown in it.

    A recall of the moment of a prompt answers it, and what the agent did in that moment comes after both.
    """
    shown = list(shown_events(db, session_id))
    if not shown:
        return []
    said = list(said_events(db, session_id))
    times = [event.at for event in said]
    placed: dict[int, list[SessionEvent]] = {}
    for event in shown:
        first, end = bisect_left(times, event.at), bisect_right(times, event.at)
        prompts = [index for index in range(first, end) if said[index].what == "prompt"]
        placed.setdefault(prompts[-1] + 1 if prompts else first, []).append(event)
    events: list[SessionEvent] = []
    for index in range(len(said) + 1):
        events += placed.get(index, [])
        events += said[index : index + 1]
    return events


def said_events(db: sqlite3.Connection, session_id: int) -> Iterator[SessionEvent]:
    """What was said and done."""
    actions: dict[int, list[sqlite3.Row]] = {}
    own_results = set()
    for action in db.execute(ACTIONS, [session_id]):
        actions.setdefault(action["entry_id"], []).append(action)
        if OWN_TOOLS.match(action["tool"]):
            own_results.add(action["result_entry_id"])
    for row in db.execute(ENTRIES, [session_id]):
        if row["id"] in own_results:
            continue
        event = SessionEvent(what_of(row), row["created_at"], row["id"], row["uid"], row["text"])
        done = actions.get(row["id"], ())
        if event.text and not (done and event.what == "other"):
            yield event
        for action in done:
            if action["is_error"] == 0 and not OWN_TOOLS.match(action["tool"]):
                new, old = done_in(action["tool"], action["input"])
                if new:
                    is_command = action["tool"] in COMMAND_TOOLS
                    yield SessionEvent("action", row["created_at"], row["id"], row["uid"], new, old, is_command)


def what_of(row: sqlite3.Row) -> str:
    """What an entry is in a story."""
    if row["role"] == "user" and row["kind"] == "prompt":
        return "prompt"
    return "reply" if row["role"] == "assistant" and row["kind"] == "reply" else "other"


def shown_events(db: sqlite3.Connection, session_id: int) -> Iterator[SessionEvent]:
    """What recalls had shown, an event a recall."""
    event: SessionEvent | None = None
    recall_id = None
    for row in db.execute(SHOWN, [session_id]):
        if event is None or row["recall_id"] != recall_id:
            if event is not None:
                yield event
            event, recall_id = SessionEvent("shown", row["asked_at"]), row["recall_id"]
        event.shown.append(known(row))
    if event is not None:
        yield event


def known(row: sqlite3.Row) -> Known:
    """A memory as it was shown."""
    words = words_of(row["text"])
    return Known(
        row["memory_id"], row["uid"], row["kind"], row["recall_id"], row["query"], words,
        {gram: index for index, gram in reversed(list(enumerate(grams(words))))},
        literals_of(row["text"]), row["text"],
    )  # fmt: skip
