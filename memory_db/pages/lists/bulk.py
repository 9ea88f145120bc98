"""Many memories of a list changed at once: shown beforehand, done, undone as a batch of the review.

In: a path, the fields of a form or of a JSON body. Out: plain dicts for the answer. Invariants: a preview is the change
itself, done and rolled back; what the fields of a list mean is what the list shows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from memory_db.errors import InputError
from memory_db.gate.review import batches
from memory_db.gate.review.edits import Edit
from memory_db.pages.ask import whole
from memory_db.pages.draw.filters import plural
from memory_db.pages.forms import Fields, bring_index_up_to_date, check_known, first, flag, note_dry_run
from memory_db.pages.lists.memories import KNOWN_FIELDS, PATH, matching_uids
from memory_db.pages.review.actions import describe_left
from memory_db.pages.review.items import texts_of
from memory_db.store.connection import connect
from memory_db.transcripts.projects import project_named

EVERYWHERE = "*"
"""The value of `set_project` for what applies to every project."""

SET = ("set_kind", "set_project", "set_importance", "set_lock", "set_status", "add_tag", "remove_tag", "reason")
"""What is changed."""

REASON_CHARACTERS = 500

ALL_FIELDS = (*KNOWN_FIELDS, *SET, "item", "all", "dry_run")


def edit(path: Path, fields: Fields, *, by: str, now: datetime) -> dict[str, Any]:
    """Changes the memories of the fields `item`, or with `all` those that the list's filters match (up to 200 at once).

    Fields of what changes: `SET`; an empty one leaves that as it is. `batch` names what was done, for `review/undo`.
    Raises: InputError, NotFoundError, DatabaseFileError.
    """
    check_known(fields, ALL_FIELDS)
    is_dry_run = flag(fields, "dry_run")
    uids = uids_of(path, fields, now)[: batches.MOST_ITEMS]
    with closing(connect(path, write=True)) as db:
        change = change_of(db, fields)
        batch = batches.edit(db, uids, change, by=by, now=now, is_dry_run=is_dry_run)
    if not batch.done and not is_dry_run:
        raise InputError(batch.outcomes[0].left)
    bring_index_up_to_date(path, now, dry_run=is_dry_run)
    said = f"{plural(len(batch.done), 'memory', 'memories')} changed." + describe_left(
        [each for each in batch.outcomes if each.left]
    )
    done = {} if batch.number is None else {"done": [str(batch.number)]}
    return {
        "ok": True, "batch": batch.number, "dry_run": is_dry_run, "items": batches.as_dicts(batch.outcomes),
        "said": note_dry_run(said, is_dry_run), "there": list_address({**filters_of(fields), **done}),
    }  # fmt: skip


def preview(path: Path, fields: Fields, *, now: datetime) -> dict[str, Any]:
    """What a change would do to each of the memories, exactly: it is done and rolled back.

    Raises: InputError, NotFoundError, DatabaseFileError.
    """
    check_known(fields, ALL_FIELDS)
    meant = uids_of(path, fields, now)
    if not meant:
        raise InputError("Nothing is selected. Select memories in the list, or choose all that match.")
    taken = meant[: batches.MOST_ITEMS]
    with closing(connect(path, write=True)) as db:
        batch = batches.edit(db, taken, change_of(db, fields), now=now, is_dry_run=True)
        texts = texts_of(db, taken)
    outcomes = [each | {"text": texts.get(each["item"], "")} for each in batches.as_dicts(batch.outcomes)]
    kept = [(name, value) for name, values in filters_of(fields).items() for value in values]
    changes = [(name, value) for name in SET for value in fields.get(name, ()) if value.strip()]
    return {
        "items": outcomes,
        "doing": [each for each in outcomes if "left" not in each],
        "leaving": [each for each in outcomes if "left" in each],
        "more": len(meant) - len(taken), "kept": kept, "changes": changes, "back": list_address(filters_of(fields)),
    }  # fmt: skip


def uids_of(path: Path, fields: Fields, now: datetime) -> list[str]:
    """The memories that a request means: those it names, or with the field `all` every one that the list has.

    Raises: InputError, NotFoundError.
    """
    named = [item for item in fields.get("item", ()) if item]
    if named or not flag(fields, "all"):
        return list(dict.fromkeys(named))
    return matching_uids(path, filters_of(fields), now=now)


def filters_of(fields: Fields) -> dict[str, Sequence[str]]:
    """The fields of the list alone."""
    return {name: [value for value in fields.get(name, ()) if value] for name in KNOWN_FIELDS if fields.get(name)}


def list_address(fields: Mapping[str, Sequence[str]]) -> str:
    """The list with these fields."""
    query = urlencode([(name, value) for name, values in fields.items() for value in values if name != "offset"])
    return PATH + (f"?{query}" if query else "")


def change_of(db: sqlite3.Connection, fields: Fields) -> Edit:
    """The change that the fields tell. Raises: InputError, NotFoundError."""
    project, importance, reason = (first(fields, name) for name in ("set_project", "set_importance", "reason"))
    if len(reason) > REASON_CHARACTERS:
        raise InputError(f"A reason of {len(reason):,} characters is too long. Give at most {REASON_CHARACTERS}.")
    is_everywhere = project == EVERYWHERE
    return Edit(
        kind=first(fields, "set_kind") or None,
        scope="user" if is_everywhere else "project" if project else None,
        project_id=project_named(db, project) if project and not is_everywhere else None,
        importance=whole(importance, "set_importance", 5) if importance else None,
        lock_level=first(fields, "set_lock") or None,
        status=first(fields, "set_status") or None,
        add_tags=tags_of(fields, "add_tag"),
        remove_tags=tags_of(fields, "remove_tag"),
        reason=reason,
    )


def tags_of(fields: Fields, name: str) -> tuple[str, ...]:
    """Tags of a field, which may have several, each after a comma."""
    found = [tag.strip() for value in fields.get(name, ()) for tag in value.split(",")]
    return tuple(dict.fromkeys(tag for tag in found if tag))
