"""Where a value in one of Datasette's tables leads: a memory, a session, an entry or a recall has a page of ours,
and so has a project, a profile or a job.

In: a value, the column and the table or query that it stands in. Out: what it names, the address of its page and what
it is about, for who points at the link. Invariants: what leads nowhere stays as Datasette shows it; a number leads
somewhere only where its column's name says of what.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from memory_db.pages.cache import cached
from memory_db.pages.draw.filters import visible

MEMORY_UID = re.compile(r"m[0-9a-f]{8,32}")
"""A memory's uid, which is like nothing else that a column holds."""

UIDS = re.compile(rf"{MEMORY_UID.pattern}(?:,\s*{MEMORY_UID.pattern})+")
"""Several of them, as SQL joins them."""

MEMORY, SESSION, ENTRY, RECALL, PROJECT = "memory", "session", "entry", "recall", "project"
PROFILE, JOB = "profile", "job"

PAGES = {
    MEMORY: "/-/memory/memories/{0}",
    SESSION: "/-/memory/sessions/{0}",
    ENTRY: "/-/memory/entries/{0}",
    RECALL: "/-/memory/recalls/{0}",
    PROJECT: "/-/memory/projects/{0}",
    PROFILE: "/-/memory/compare?profile={0}",
    JOB: "/-/memory/health?job={0}#jobs",
}

TABLES = {
    "memories": MEMORY, "sessions": SESSION, "session_summaries": SESSION, "entries": ENTRY, "recalls": RECALL,
}  # fmt: skip
"""What the uid of a table's rows is of."""

COLUMNS = {
    "memory_id": MEMORY, "from_memory_id": MEMORY, "to_memory_id": MEMORY, "other_memory_id": MEMORY,
    "session_id": SESSION, "session_uid": SESSION, "session": SESSION, "agent_session": SESSION,
    "entry_id": ENTRY, "entry_uid": ENTRY, "result_entry_id": ENTRY,
    "recall_id": RECALL, "recall_uid": RECALL, "recall": RECALL,
    "project_id": PROJECT, "project": PROJECT,
    "profile_id": PROFILE, "profile": PROFILE,
    "job_id": JOB, "job": JOB,
}  # fmt: skip
"""Columns of any table or query that name something, by its uid or its number."""

LISTS = {"session_uids": SESSION, "uids_alike": MEMORY}
"""Columns that hold several uids with commas between them, to be read rather than cited."""

MOST_CHARACTERS = 200
"""A longer value names nothing, unless it is a list of uids."""

MOST_NAMED = 50
"""So many uids of a list are links."""


@dataclass(frozen=True, slots=True)
class Named:
    """What a cell names: a thing of a sort, by uid or number; `shown` is what stands in the cell.

    `is_listed`: it is one of several memories or sessions, which their titles tell apart better than their uids.
    """

    what: str
    key: str | int
    shown: str
    is_listed: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """Where a cell leads, and what is there."""

    path: str
    about: str


def all_named(value: object, column: str, table: str | None) -> list[Named]:
    """What a value names, which may be several memories; nothing where it names nothing."""
    if isinstance(value, str) and UIDS.fullmatch(value):
        uids = MEMORY_UID.findall(value)
        return [Named(MEMORY, uid, uid, column in LISTS) for uid in uids] if len(uids) <= MOST_NAMED else []
    if isinstance(value, str) and column in LISTS:
        uids = value.split(",")
        return [Named(LISTS[column], uid, visible(uid), True) for uid in uids if uid] if len(uids) <= MOST_NAMED else []
    one = named(value, column, table)
    return [one] if one else []


def named(value: object, column: str, table: str | None) -> Named | None:
    """What a value names; None for nothing. `table` is None for the rows of a query.

    Datasette gives the value of a foreign key together with its label.
    """
    shown: object = value
    if isinstance(value, Mapping) and set(value) == {"value", "label"}:
        shown, value = value["label"] or value["value"], value["value"]
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    text = str(value)
    if MEMORY_UID.fullmatch(text):
        what = MEMORY
    else:
        what = COLUMNS.get(column, TABLES.get(table or "", "") if column == "uid" else "")
    if not what or not text.strip() or len(text) > MOST_CHARACTERS:
        return None
    return Named(what, value, visible(str(shown)))


KNOWN = {
    MEMORY: "select id, uid, kind || ': ' || coalesce(nullif(title, ''), substr(text, 1, 120)) from memories",
    SESSION: "select id, uid, coalesce(nullif(title, ''), 'a session without a title') from sessions",
    PROJECT: "select id, cast(id as text), canonical_path from projects union all"
    " select name, cast(max(id) as text), max(canonical_path) from projects group by name having count(*) = 1",
    PROFILE: "select id, name || '@' || version, coalesce(nullif(description, ''), 'its weights') from profiles"
    " union all select name, name, max(coalesce(nullif(description, ''), 'its weights')) from profiles group by name",
    JOB: "select id, cast(id as text), kind || ' ' || key || ', ' || state from jobs",
}

IN_GENERAL = {ENTRY: "Read it in its session", RECALL: "Why it gave what it gave"}


def target(path: Path, thing: Named) -> Target | None:
    """Where it leads; None for a memory, session or project that the file does not know. Raises: DatabaseFileError."""
    uid, about = str(thing.key), IN_GENERAL.get(thing.what, "")
    if thing.what in KNOWN:
        known = cached(path, ("about", thing.what), lambda db: all_of(db, KNOWN[thing.what]))
        if thing.key not in known:
            return None
        uid, about = known[thing.key]
    return Target(PAGES[thing.what].format(quote(uid, safe="")), visible(about))


def all_of(db: sqlite3.Connection, sql: str) -> dict[str | int, tuple[str, str]]:
    """Uid and subject of each thing of a sort, by its number and by its uid."""
    rows = db.execute(sql).fetchall()
    return {key: (uid, text) for number, uid, text in rows for key in (number, uid)}


def made_visible(value: object, most_characters: int) -> str | None:
    """A text in which control and direction characters are shown as signs; None where it has none: it may stay."""
    text = value.get("label") if isinstance(value, Mapping) else value
    if not isinstance(text, str) or (shown := visible(text)) == text:
        return None
    return f"{shown[:most_characters]}…" if 0 < most_characters < len(shown) else shown
