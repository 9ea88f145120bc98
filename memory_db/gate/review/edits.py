"""What a person changes of memories beside their words: kind, where they hold, importance, lock, status, tags.

In: a memory and a change. Out: its columns and tags before and after, in words too. Invariants: what would not fit is
refused and changes nothing; taking a change back puts the values back, unless somebody changed them since.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_db.errors import ConflictError, InputError, NotFoundError
from memory_db.knowledge.effects import HISTORY
from memory_db.knowledge.memories import harmless
from memory_db.knowledge.retire import REPLACED, check_said_once
from memory_db.knowledge.succession import PERSON, memory_row
from memory_db.redact.clean import clean
from memory_db.store.dates import utc_text

COLUMNS = ("kind", "scope", "project_id", "importance", "lock_level", "status")

TAGS = "tags"

TAG_CHARACTERS = 60
"""Characters of a tag."""

SAME = """
select uid from memories where content_hash = ? and scope = ? and (scope = 'user' or project_id = ?)
    and status = 'active' and id <> ? limit 1
"""

UPDATE = f"""
update memories set {", ".join(f"{name} = :{name}" for name in COLUMNS)}, changed_by = :by, change_reason = :reason,
    updated_at = :now
where id = :id
"""

NAMES = {"kind": "kind", "importance": "importance", "lock_level": "lock", "status": "status"}


@dataclass(slots=True, frozen=True)
class Edit:
    """A change of many memories; None leaves a column as it is, and no tags are added or taken away.

    `project_id` and `scope` go together: a memory holds in one project, or in every one.
    """

    kind: str | None = None
    scope: str | None = None
    project_id: int | None = None
    importance: int | None = None
    lock_level: str | None = None
    status: str | None = None
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()
    reason: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether it changes nothing."""
        return self == Edit(reason=self.reason)


def check(db: sqlite3.Connection, edit: Edit) -> None:
    """Refuses a change that no memory could have. Raises: InputError."""
    if edit.is_empty:
        raise InputError("Nothing to change. Choose at least one of kind, project, importance, lock, status, tags.")
    kinds = [row["name"] for row in db.execute("select name from kinds order by rowid")]
    if edit.kind is not None and edit.kind not in kinds:
        raise InputError(f"No kind {edit.kind[:40]!r}. There are: {', '.join(kinds)}.")
    if edit.importance is not None and not 1 <= edit.importance <= 5:
        raise InputError(f"Importance {edit.importance} cannot be used. Give a whole number from 1 to 5.")
    if edit.lock_level not in (None, "none", "user"):
        raise InputError(f"No lock {edit.lock_level[:40]!r}. There are: user, none.")
    if edit.status not in (None, "active", "retired"):
        raise InputError(f"No status {edit.status[:40]!r}. There are: active, retired.")
    for tag in (*edit.add_tags, *edit.remove_tags):
        if len(tag) > TAG_CHARACTERS:
            raise InputError(f"Tag {tag[:40]!r} is too long. Give at most {TAG_CHARACTERS} characters.")
    if len(harmless(edit.add_tags)) < len(edit.add_tags):
        raise InputError("A tag looks like an instruction to the agent itself. Choose another word.")


def carry_out(db: sqlite3.Connection, uid: str, edit: Edit, *, now: datetime) -> dict[str, dict[str, Any]]:
    """Changes one memory; the values `before` and `after` of what changed. Within a transaction of the caller.

    Raises: NotFoundError; InputError where it does not fit, or nothing changes.
    """
    row = memory_row(db, uid)
    before = values_of(db, row)
    after = before | {name: value for name in COLUMNS if (value := getattr(edit, name)) is not None}
    if edit.scope == "user":
        after["project_id"] = None
    added = [clean(tag)[0] for tag in edit.add_tags]
    after[TAGS] = sorted({*before[TAGS], *added} - set(edit.remove_tags))
    changed = [name for name in before if before[name] != after[name]]
    if not changed:
        raise InputError(f"{uid} is so already.")
    check_fit(db, row, before, after)
    write(db, row["id"], after, edit.reason or "changed together with others", now)
    return {"before": {name: before[name] for name in changed}, "after": {name: after[name] for name in changed}}


def check_fit(db: sqlite3.Connection, row: sqlite3.Row, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    """Raises: InputError where a memory cannot become so."""
    uid = row["uid"]
    if before["status"] == "superseded" and after["status"] != "superseded":
        raise InputError(f"{uid} was replaced by another memory: its status stays.")
    if after["lock_level"] != before["lock_level"] and after["status"] != "active":
        raise InputError(f"{uid} is {after['status']}: lock one that is in use.")
    if after["status"] == "retired" and before["status"] == "active" and before["lock_level"] != "none":
        raise InputError(f"{uid} is locked: retire it on its own page.")
    if after["status"] == "active" and before["status"] == "retired" and db.execute(REPLACED, [row["id"]]).fetchone():
        raise InputError(f"{uid} was replaced by another memory: it does not come back.")
    comes_back = after["status"] == "active" != before["status"]
    if comes_back or (after["scope"], after["project_id"]) != (before["scope"], before["project_id"]):
        same = db.execute(SAME, [row["content_hash"], after["scope"], after["project_id"], row["id"]]).fetchone()
        if same is not None:
            raise InputError(f"{uid} would say the same as {same['uid']} there.")


def write(db: sqlite3.Connection, memory_id: int, values: Mapping[str, Any], reason: str, now: datetime) -> None:
    """Gives a memory columns and tags, as one version with the reason."""
    known = {name: values[name] for name in COLUMNS}
    moment = utc_text(now)
    db.execute(UPDATE, known | {"id": memory_id, "by": PERSON, "reason": clean(reason)[0], "now": moment})
    there = tags_of(db, memory_id)
    db.executemany(
        "delete from tags where memory_id = ? and tag = ?",
        [(memory_id, tag) for tag in there if tag not in values[TAGS]],
    )
    db.executemany(
        "insert or ignore into tags (memory_id, tag, recorded_at) values (?, ?, ?)",
        [(memory_id, tag, moment) for tag in values[TAGS] if tag not in there],
    )


def put_back(db: sqlite3.Connection, uid: str, changed: Mapping[str, Mapping[str, Any]], *, now: datetime) -> list[str]:
    """Takes a change of one memory back; what it is again, in words. Within a transaction of the caller.

    Raises: NotFoundError where it was forgotten; ConflictError where a value was changed since, or where another
    memory says the same as one that would come back.
    """
    try:
        row = memory_row(db, uid)
    except NotFoundError as error:
        raise NotFoundError(f"{uid} is gone: it was forgotten.") from error
    current = values_of(db, row)
    for name, value in changed["after"].items():
        if current[name] != value:
            raise ConflictError(
                f"{uid}: its {NAMES.get(name, name).replace('_id', '')} was changed since. {HISTORY.format(uid=uid)}"
            )
    if changed["before"].get("status") == "active":
        check_said_once(db, row)
    write(db, row["id"], {**current, **changed["before"]}, "a change of many was taken back", now)
    return told(db, {"before": changed["after"], "after": changed["before"]})


def values_of(db: sqlite3.Connection, row: sqlite3.Row) -> dict[str, Any]:
    """What can be changed of a memory: its columns, and its tags in order."""
    return {name: row[name] for name in COLUMNS} | {TAGS: tags_of(db, row["id"])}


def tags_of(db: sqlite3.Connection, memory_id: int) -> list[str]:
    """The tags of a memory, in order."""
    return [row["tag"] for row in db.execute("select tag from tags where memory_id = ? order by tag", [memory_id])]


def told(db: sqlite3.Connection, changed: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """A change in words, a line for each thing."""
    before, after = changed["before"], changed["after"]
    lines = [f"{NAMES[name]}: {before[name]} becomes {after[name]}" for name in NAMES if name in after]
    if "scope" in after or "project_id" in after:
        lines.append(f"applies to: {place(db, before)} becomes {place(db, after)}")
    if TAGS in after:
        added, gone = (sorted(set(one[TAGS]) - set(other[TAGS])) for one, other in ((after, before), (before, after)))
        lines += [f"tag {tag} is added" for tag in added] + [f"tag {tag} goes" for tag in gone]
    return lines


def place(db: sqlite3.Connection, values: Mapping[str, Any]) -> str:
    """Where a memory holds, in a word."""
    found = db.execute("select name from projects where id = ?", [values.get("project_id")]).fetchone()
    return str(found["name"]) if found else "every project"
