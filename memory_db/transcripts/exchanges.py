"""What somebody asked a model and what it answered, as entries of a session.

In: a prompt and a response as they were said. Out: rows of `sessions` and `entries`, written the way an import writes
them. Invariants: no text reaches the file before it is redacted and freed of our own briefs; the same exchange of the
same session is one pair of entries however often it is given; a session that an import owns is never added to.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from memory_db.errors import ConflictError, InputError, NotFoundError
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.transcripts.lines import parse
from memory_db.transcripts.records import Entry, Item, Session, cleaned, digest, identifier, moment, named, title_line
from memory_db.transcripts.writer import ImportCounts, Origin, write_items

ASK, CAPTURE = "ask", "capture"
FORMATS = (ASK, CAPTURE)
"""The formats of sessions that are said here and read from no file: our own questions, and those of other programs."""

MOST_CHARACTERS = 1_000_000
"""A longer text is nobody's question. Source: ours; about 250,000 tokens, more than most models take."""

TITLE_CHARACTERS = 80

FIELDS = ("prompt", "response", "model", "session", "cwd", "title", "said_at", "answered_at")
"""What an exchange in JSON may have; all of it text, and the first two it must have."""

LAST_POSITION = """
select coalesce(max(se.position), 0) from session_entries se join sessions s on s.id = se.session_id where s.uid = ?
"""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A session of entries that are said here. `cwd` is the folder that it belongs to, None for no project."""

    uid: str
    format: str
    cwd: str | None = None
    title: str | None = None


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message: `uid` is the natural key of its entry, `at` a moment as the file keeps it."""

    uid: str
    role: str
    kind: str
    text: str
    at: str
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """A prompt and the response to it, from another program.

    Without `session_uid` it is a session of its own. Times are ISO-8601 or None for the present; `said_at` tells two
    exchanges of the same words in one session apart.
    """

    prompt: str
    response: str
    model: str | None = None
    session_uid: str | None = None
    cwd: str | None = None
    title: str | None = None
    said_at: str | None = None
    answered_at: str | None = None


@dataclass(slots=True)
class Captured:
    """What came of an exchange: the uids of its session and entries, and counts of what is new."""

    session_uid: str
    entry_uids: tuple[str, ...]
    entries_added: int
    entries_known: int
    findings: int
    entry_ids: tuple[int, ...] = field(default=(), repr=False)

    def as_dict(self) -> dict[str, object]:
        """The values by name."""
        return {
            "session": self.session_uid, "entries": list(self.entry_uids), "entries_added": self.entries_added,
            "entries_known": self.entries_known, "findings": self.findings,
        }  # fmt: skip


def read_exchange(text: str) -> Exchange:
    """An exchange from a JSON object of `FIELDS`.

    Raises: InputError for what is no such object.
    """
    try:
        values = parse(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"The exchange is no JSON ({error}). Give an object with prompt and response.") from error
    if not isinstance(values, dict):
        raise InputError("The exchange is no JSON object. Give one with prompt and response.")
    if unknown := sorted(set(values) - set(FIELDS)):
        raise InputError(f"An exchange has no {unknown[0]!r}. It may have: {', '.join(FIELDS)}.")
    given = {name: value for name, value in values.items() if value is not None}
    for name, value in given.items():
        if not isinstance(value, str):
            raise InputError(f"{name} of an exchange is {json.dumps(value)[:80]}, which is no text. Give it as a text.")
    session_uid = given.pop("session", None)
    return Exchange(**{"prompt": "", "response": "", **given}, session_uid=session_uid)


def capture(db: sqlite3.Connection, exchange: Exchange, *, now: datetime) -> Captured:
    """Takes in one exchange; given again, nothing changes.

    Raises: InputError for an exchange without words, too long, or with times that are none; ConflictError for a
    session that was imported.
    """
    for name in ("prompt", "response"):
        checked_text(getattr(exchange, name), name)
    said_at, answered_at = (stored_time(exchange, name) for name in ("said_at", "answered_at"))
    key = "\x1f".join((exchange.prompt, exchange.response, said_at or ""))
    uid = session_named(exchange.session_uid) or f"{CAPTURE}-{short_digest(exchange.cwd or '', key)}"
    talk = Conversation(uid, CAPTURE, exchange.cwd, exchange.title)
    said_at = said_at or answered_at or utc_text(now)
    said = [
        ChatMessage(short_digest(uid, "prompt", key), "user", "prompt", exchange.prompt, said_at),
        ChatMessage(short_digest(uid, "reply", key), "assistant", "reply", exchange.response, answered_at or said_at,
             exchange.model),
    ]  # fmt: skip
    with transaction(db):
        return add(db, talk, said, now=now)


def add(db: sqlite3.Connection, talk: Conversation, said: Sequence[ChatMessage], *, now: datetime) -> Captured:
    """Writes messages at the end of a conversation, which is made where it is new. Runs in the caller's transaction.

    Raises: ConflictError for a session that was imported.
    """
    row = db.execute("select format from sessions where uid = ?", [talk.uid]).fetchone()
    if row is not None and row["format"] not in FORMATS:
        raise ConflictError(
            f"Session {talk.uid} was imported from {row['format']}, which says what is in it. Name another session."
        )
    known = known_uids(db, [each.uid for each in said])
    position = int(db.execute(LAST_POSITION, [talk.uid]).fetchone()[0])
    items = []
    for number, each in enumerate((each for each in said if each.uid not in known), start=1):
        item = Item(number)
        item.sessions = [session_of(talk, each, item)] if number == 1 else []
        item.entry = Entry(each.uid, talk.uid, each.role, each.kind, "", each.at, position + number)
        item.entry.text = cleaned(each.text, "text", item.entry.findings)
        item.entry.model = named(each.model)
        items.append(item)
    counts = ImportCounts()
    if items:
        write_items(db, Origin(None, f"session {talk.uid}", talk.format), items, counts, now)
    ids = known_uids(db, [each.uid for each in said])
    return Captured(
        talk.uid, tuple(each.uid for each in said), len(items), len(known), counts.findings,
        tuple(ids[each.uid] for each in said),
    )  # fmt: skip


def session_of(talk: Conversation, first: ChatMessage, item: Item) -> Session:
    """What is said of a conversation with its first new message; the writer keeps what is known already."""
    title = title_line(cleaned(talk.title, "title", item.findings), TITLE_CHARACTERS)
    asked = title_line(cleaned(first.text, "text", []), TITLE_CHARACTERS) if first.kind == "prompt" else ""
    return Session(talk.uid, title=title or None, prompt_title=asked or None, cwd=named(talk.cwd))


def known_uids(db: sqlite3.Connection, uids: Sequence[str]) -> dict[str, int]:
    """The ids of those entries that are rows already, by uid."""
    rows = db.execute("select uid, id from entries where uid in (select value from json_each(?))", [json.dumps(uids)])
    return {row["uid"]: row["id"] for row in rows}


def conversation(db: sqlite3.Connection, uid: str | None) -> Conversation:
    """A conversation to go on with: that of a uid, or the last one that `ask` has led.

    Raises: NotFoundError where there is none.
    """
    rows = db.execute(
        "select s.uid, s.format, s.cwd, s.title from sessions s where (? is null and s.format = ?) or s.uid = ?"
        " order by (select max(entry_id) from session_entries se where se.session_id = s.id) desc, s.id desc limit 1",
        [uid, ASK, uid],
    ).fetchone()
    if rows is None and uid is None:
        raise NotFoundError("There is no conversation to go on with yet. Leave out -c: that begins one.")
    if rows is None:
        raise NotFoundError(f"No session {uid!r}. The table sessions lists them, those of `ask` with that format.")
    if rows["format"] not in FORMATS:
        raise ConflictError(
            f"Session {uid} was imported from {rows['format']}: only its own program can go on with it."
        )
    return Conversation(rows["uid"], rows["format"], rows["cwd"], rows["title"])


def checked_text(text: str, what: str) -> str:
    """A text that can be somebody's words. Raises: InputError."""
    if not text.strip():
        raise InputError(f"The {what} is empty. Give some words.")
    if len(text) > MOST_CHARACTERS:
        raise InputError(
            f"The {what} has {len(text):,} characters; {MOST_CHARACTERS:,} can be taken. Give the part that matters."
        )
    return text


def stored_time(exchange: Exchange, name: str) -> str | None:
    """A moment of an exchange as the file keeps it. Raises: InputError for one that is none."""
    value = getattr(exchange, name)
    if value is None:
        return None
    found = moment(value)
    if found is None:
        raise InputError(f"{name} {value!r} is no time. Give it as in 2026-11-01T12:00:00Z.")
    return found


def session_named(uid: str | None) -> str | None:
    """A session's uid as it may be stored. Raises: InputError for an empty one."""
    if uid is None:
        return None
    found = identifier(uid.strip())
    if found is None:
        raise InputError("The session's name is empty. Give one, or leave it out.")
    return found


def short_digest(*parts: str) -> str:
    """24 hexadecimal characters that follow from the parts."""
    return digest(*(part.encode("utf-8", "replace") for part in parts))[:24]


__all__ = [
    "ASK",
    "CAPTURE",
    "FIELDS",
    "FORMATS",
    "Captured",
    "ChatMessage",
    "Conversation",
    "Exchange",
    "add",
    "capture",
    "checked_text",
    "conversation",
    "read_exchange",
    "short_digest",
]
