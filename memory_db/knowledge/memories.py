"""What is known: kinds of knowledge, and the rows of memories.

In: texts with their kind, scope and source. Out: rows of `memories`, whose
triggers keep every version. Invariant: a memory's uid follows from its scope,
project and first text, so a rerun makes the same one.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from memory_db.errors import InputError
from memory_db.knowledge.evidence import STATED_WEIGHT, add_evidence
from memory_db.knowledge.succession import PERSON, memory_row, no_memory, supersede
from memory_db.models.tokens import count_tokens
from memory_db.redact.clean import clean, find_injection
from memory_db.store.connection import transaction
from memory_db.store.dates import normal_utc, utc_text
from memory_db.text.conditions import condition_of
from memory_db.text.normalise import content_hash, normalised

UID_DIGITS = 8
"""Hexadecimal digits of a memory's uid after its `m`; more only where two would be the same."""

TITLE_CHARACTERS = 80

CONDITION_CHARACTERS = 200

MOST_KEYS = 12
"""Words to find a memory by that are gathered when it is said again."""

INSERT_MEMORY = """
insert into memories (uid, kind, scope, project_id, importance, title, text, keys, context, condition, tokens, origin,
    content_hash, valid_from, changed_by, change_reason, created_at, updated_at)
values (:uid, :kind, :scope, :project_id, :importance, :title, :text, :keys, :context, :condition, :tokens, :origin,
    :content_hash, :created_at, :changed_by, :change_reason, :created_at, :now)
"""

SOURCES = """
select ms.quote, ms.created_at, e.uid as entry, e.role, e.kind, e.created_at as said_at, s.uid as session
from memory_sources ms
left join entries e on e.id = ms.entry_id
left join sessions s on s.id = e.session_id
where ms.memory_id = ? order by ms.id
"""

SUCCESSION = """
select o.uid, o.title, o.status, e.reason, e.created_by, e.created_at
from edges e join memories o on o.id = {other}
where e.kind = 'supersedes' and e.ended_at is null and {own} = ? order by e.created_at, e.id
"""


@dataclass(slots=True, frozen=True)
class NewMemory:
    """What a memory is made from; its text has been redacted."""

    text: str
    title: str
    kind: str
    scope: str
    project_id: int | None
    importance: int
    keys: Sequence[str]
    paths: Sequence[str]
    tags: Sequence[str]
    context: str
    origin: str
    changed_by: str
    reason: str
    created_at: str
    condition: str = ""


def memory_uid(db: sqlite3.Connection, *, scope: str, project_path: str | None, text: str) -> str:
    """A uid that follows from scope, project and text; a digit longer for each memory that has it already."""
    digest = sha256("|".join((scope, project_path or "", normalised(text))).encode()).hexdigest()
    for digits in range(UID_DIGITS, len(digest) + 1):
        uid = "m" + digest[:digits]
        if db.execute("select 1 from memories where uid = ?", [uid]).fetchone() is None:
            return uid
    raise InputError(f"A memory says this already: {text[:60]!r}. Change the text.")


def insert_memory(db: sqlite3.Connection, new: NewMemory, *, now: datetime) -> int:
    """Stores a memory with its paths and tags; its id. Within a transaction of the caller.

    What would steer an agent is left out beside the text, which whoever calls has judged.
    """
    project = None if new.scope == "user" else new.project_id
    path = db.execute("select canonical_path from projects where id = ?", [project]).fetchone()
    values = {
        "uid": memory_uid(db, scope=new.scope, project_path=path["canonical_path"] if path else None, text=new.text),
        "kind": new.kind,
        "scope": new.scope,
        "project_id": project,
        "importance": new.importance,
        "title": (harmless([new.title]) or [first_line(new.text)])[0],
        "text": new.text,
        "keys": json.dumps(harmless(new.keys), ensure_ascii=False),
        "context": new.context,
        "condition": "".join(harmless([new.condition])),
        "tokens": count_tokens(new.text),
        "origin": new.origin,
        "content_hash": content_hash(new.text),
        "created_at": new.created_at,
        "changed_by": new.changed_by,
        "change_reason": new.reason,
        "now": utc_text(now),
    }
    memory_id = int(db.execute(INSERT_MEMORY, values).lastrowid or 0)
    add_paths(db, memory_id, new.paths, now=now)
    db.executemany(
        "insert or ignore into tags (memory_id, tag, recorded_at) values (?, ?, ?)",
        [(memory_id, tag, utc_text(now)) for tag in harmless(new.tags)],
    )
    return memory_id


def add_paths(db: sqlite3.Connection, memory_id: int, paths: Iterable[str], *, now: datetime) -> None:
    """Binds a memory to files and folders, whose paths pass redaction first."""
    db.executemany(
        "insert or ignore into memory_paths (memory_id, path, recorded_at) values (?, ?, ?)",
        [(memory_id, clean(path)[0], utc_text(now)) for path in harmless(paths)],
    )


def add_condition(db: sqlite3.Connection, memory_id: int, condition: str, by: str, *, now: datetime) -> None:
    """Gives a memory a condition that has none; one that it has is kept, and a locked one is left as it is."""
    if condition and harmless([condition]):
        db.execute(
            "update memories set condition = ?, changed_by = ?, change_reason = 'said again, with when it applies',"
            " updated_at = ? where id = ? and condition = '' and lock_level = 'none'",
            [condition, by, utc_text(now), memory_id],
        )


def add_keys(db: sqlite3.Connection, memory_id: int, keys: Iterable[str], by: str, *, now: datetime) -> None:
    """Gives a memory further words to find it by, up to MOST_KEYS; a locked one is left as it is."""
    row = db.execute("select keys from memories where id = ? and lock_level = 'none'", [memory_id]).fetchone()
    known: list[str] = json.loads(row["keys"]) if row else []
    written = {key.casefold() for key in known}
    new = list({key.casefold(): key for key in harmless(keys) if key.casefold() not in written}.values())
    merged = [*known, *new][: max(MOST_KEYS, len(known))]
    if row and len(merged) > len(known):
        db.execute(
            "update memories set keys = ?, changed_by = ?, change_reason = 'said again, with more words to find it by',"
            " updated_at = ? where id = ?",
            [json.dumps(merged, ensure_ascii=False), by, utc_text(now), memory_id],
        )


def one_line(text: str) -> str:
    """A phrase on one line, cut where it is too long for one."""
    return " ".join(text.split())[:CONDITION_CHARACTERS].rstrip(" .,;:")


def add_source(
    db: sqlite3.Connection,
    memory_id: int,
    *,
    candidate_id: int | None,
    entry_id: int | None,
    quote: str,
    created_at: str,
    now: datetime,
) -> bool:
    """Ties a memory to the entry and words it comes from; whether that was new."""
    cursor = db.execute(
        "insert or ignore into memory_sources (memory_id, candidate_id, entry_id, quote, created_at, recorded_at)"
        " values (?, ?, ?, ?, ?, ?)",
        [memory_id, candidate_id, entry_id, quote, created_at, utc_text(now)],
    )
    return cursor.rowcount > 0


ADDED_ON = """
select 1 from evidence where memory_id = ? and kind = 'stated' and source = ? and substr(recorded_at, 1, 10) = ?
"""


def add_memory(
    db: sqlite3.Connection,
    *,
    text: str,
    kind: str,
    title: str | None = None,
    scope: str,
    project_id: int | None = None,
    tags: Sequence[str] = (),
    paths: Sequence[str] = (),
    keys: Sequence[str] = (),
    importance: int = 3,
    origin: str = "user",
    changed_by: str = "user",
    reason: str = "added by hand",
    now: datetime,
    created_at: str | None = None,
    condition: str | None = None,
) -> str:
    """Stores what a person or program wants remembered; its uid, or that of the memory that says it already.

    The text is redacted first. `created_at`: when it was said, if not now. `condition`: the task or moment that it is
    for; if not given it is read from the text, '' is none.
    Raises: InputError for an unknown kind or scope, an empty text, or one that tries to steer an agent.
    """
    cleaned = clean(text)[0].strip()
    check_new(db, cleaned, kind=kind, scope=scope, project_id=project_id, importance=importance)
    check_steering("\n".join((title or "", *keys, *tags, *paths, reason)))
    applies = condition_of(cleaned, kind) if condition is None else one_line(clean(condition)[0])
    check_steering(applies)
    said_at = normal_utc(created_at) if created_at else utc_text(now)
    new = NewMemory(
        text=cleaned, title=clean(title or first_line(cleaned))[0][:TITLE_CHARACTERS], kind=kind, scope=scope,
        project_id=project_id, importance=importance, keys=[clean(key)[0] for key in keys], paths=paths,
        tags=[clean(tag)[0] for tag in tags], context="", origin=origin, changed_by=clean(changed_by)[0],
        reason=clean(reason)[0], created_at=said_at,
        condition=applies,
    )  # fmt: skip
    with transaction(db):
        known = find_same(db, cleaned, scope=scope, project_id=project_id)
        if known is not None:
            if origin == "user" and changed_by == PERSON:
                confirm(db, known, now)
            return known
        memory_id = insert_memory(db, new, now=now)
        weight = STATED_WEIGHT["user" if origin == "user" else "assistant"]
        add_evidence(db, memory_id, "stated", "for", weight, new.changed_by, created_at=said_at, now=now)
        return str(db.execute("select uid from memories where id = ?", [memory_id]).fetchone()["uid"])


def confirm(db: sqlite3.Connection, uid: str, now: datetime) -> None:
    """Counts that a person says anew what is known, once a day.

    On the day on which they added it nothing counts: whoever runs a command again that was stopped says one thing once.
    """
    moment = utc_text(now)
    number = db.execute("select id from memories where uid = ?", [uid]).fetchone()["id"]
    if not db.execute(ADDED_ON, [number, PERSON, moment[:10]]).fetchone():
        add_evidence(db, number, "confirmed", None, None, f"{PERSON} {moment[:10]}", created_at=moment, now=now)


def correct(db: sqlite3.Connection, old: str, text: str, *, reason: str, by: str, now: datetime) -> str:
    """Stores a text in the place of the memory `old`, which it supersedes; the uid of the new one.

    Kind, scope, project, tags, paths, importance and lock are those of the old one, and so is the condition where the
    text names none.
    Raises: NotFoundError, InputError as `add_memory` and `supersede` do, and where the text says the same.
    """
    with transaction(db):
        row = memory_row(db, old)
        tags = [found[0] for found in db.execute("select tag from tags where memory_id = ?", [row["id"]])]
        paths = [found[0] for found in db.execute("select path from memory_paths where memory_id = ?", [row["id"]])]
        uid = add_memory(
            db, text=text, kind=row["kind"], scope=row["scope"], project_id=row["project_id"], tags=tags, paths=paths,
            importance=row["importance"], changed_by=by, reason=reason, now=now,
            condition=condition_of(text, row["kind"]) or row["condition"],
        )  # fmt: skip
        if uid == old:
            raise InputError(f"Memory {old} says this already. Say what is true now, or mend its wording instead.")
        supersede(db, old, uid, reason=reason, by=by, now=now)
        db.execute(
            "update memories set lock_level = ?, updated_at = ? where uid = ? and lock_level = 'none'",
            [row["lock_level"], utc_text(now), uid],
        )
    return uid


def check_new(
    db: sqlite3.Connection, text: str, *, kind: str, scope: str, project_id: int | None, importance: int
) -> None:
    """Refuses what cannot become a memory. Raises: InputError."""
    if not any(character.isalnum() for character in text):
        raise InputError("The text of the memory is empty. Say what should be remembered.")
    kinds = [row["name"] for row in db.execute("select name from kinds order by rowid")]
    if kind not in kinds:
        raise InputError(f"No kind {kind!r}. There are: {', '.join(kinds)}.")
    if scope not in ("project", "user"):
        raise InputError(f"No scope {scope!r}. There are: project, user.")
    if scope == "project" and db.execute("select 1 from projects where id = ?", [project_id]).fetchone() is None:
        raise InputError("A memory of scope 'project' needs a project. Name one, or use scope 'user'.")
    if not 1 <= importance <= 5:
        raise InputError(f"Importance {importance} is not between 1 and 5.")
    check_steering(text)


def check_steering(text: str) -> None:
    """Refuses what would steer an agent. Raises: InputError."""
    found = find_injection(text)
    if found:
        raise InputError(
            f"The text looks like an instruction to the agent itself ({found[0].rule}). Put it in plain words."
        )


def harmless(texts: Iterable[str]) -> list[str]:
    """Those texts that would steer no agent."""
    return [text for text in texts if not find_injection(text)]


CUT = "… ."
"""What ends a title that was cut from a text."""


def first_line(text: str) -> str:
    """The first line of a text, cut at a word where it is too long for a title."""
    line = text.strip().splitlines()[0].rstrip(".!")
    if len(line) <= TITLE_CHARACTERS:
        return line
    return line[: TITLE_CHARACTERS - 1].rsplit(" ", 1)[0] + "…"


def find_same(db: sqlite3.Connection, text: str, *, scope: str, project_id: int | None) -> str | None:
    """The uid of a memory with the same words, in this scope and project."""
    row = db.execute(
        "select uid from memories where content_hash = ? and scope = ? and (scope = 'user' or project_id = ?)"
        " and status = 'active' order by id limit 1",
        [content_hash(text), scope, project_id],
    ).fetchone()
    return str(row["uid"]) if row else None


def get_memory(db: sqlite3.Connection, uid: str) -> dict[str, Any]:
    """A memory with all that is known of it: its columns, project, paths, tags, versions, sources, evidence, belief.

    Raises: NotFoundError.
    """
    row = db.execute(
        "select m.*, p.name as project, p.canonical_path from memories m left join projects p on p.id = m.project_id"
        " where m.uid = ?",
        [uid],
    ).fetchone()
    if row is None:
        raise no_memory(uid)

    def rows(sql: str) -> list[dict[str, Any]]:
        return [dict(found) for found in db.execute(sql, [row["id"]])]

    belief = db.execute("select * from beliefs where memory_id = ?", [row["id"]]).fetchone()
    return dict(row) | {
        "keys": json.loads(row["keys"]),
        "paths": [found["path"] for found in rows("select path from memory_paths where memory_id = ? order by path")],
        "tags": [found["tag"] for found in rows("select tag from tags where memory_id = ? order by tag")],
        "replaces": rows(SUCCESSION.format(other="e.to_memory_id", own="e.from_memory_id")),
        "replaced_by": rows(SUCCESSION.format(other="e.from_memory_id", own="e.to_memory_id")),
        "versions": rows("select * from memory_versions where memory_id = ? order by version"),
        "sources": rows(SOURCES),
        "evidence": rows("select * from evidence where memory_id = ? order by created_at, id"),
        "belief": dict(belief) if belief else None,
    }
