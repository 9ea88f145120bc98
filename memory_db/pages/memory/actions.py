"""What a person does about a memory on its page: fields in, what was done as plain data out.

In: a path, a uid, the name of an action, the fields of a form or of a JSON body. Out: a dict for the answer.
Invariants: the page, a program and the command line go the same way; what cannot be done is refused in one line and
changes nothing.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from memory_db.errors import InputError, NotFoundError
from memory_db.knowledge import effects, locks, memories, suppressions
from memory_db.knowledge import evidence as beliefs
from memory_db.knowledge import retire as retiring
from memory_db.knowledge.succession import PERSON
from memory_db.knowledge.wording import reword
from memory_db.pages.forms import (
    Fields,
    bring_index_up_to_date,
    changing,
    check_known,
    first,
    flag,
    note_dry_run,
    undo_by,
)

REASON_CHARACTERS = 500

KNOWN_FIELDS = ("reason", "text", "version", "old", "pattern", "suppression", "next", "dry_run")
"""What may be sent with any action, since the page has one form with a button for each."""

OWN_PAGE = re.compile(r"/-/memory/preferences(?:\?(?:(?![#\\])[!-~])*)?(?:#[\w.-]*)?", re.ASCII)
"""Where a form may lead back to: pages with buttons of their own. Nothing else, so no link leads to another site."""

PATH = "/-/memory/memories"


@dataclass(frozen=True, slots=True)
class Done:
    """What came of an action: the uid to go on with, what to say, and how it is taken back, where it changed anything:
    an action of that memory, with its fields.
    """

    uid: str
    said: str
    undo: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)


Act = Callable[[sqlite3.Connection, str, Fields, str, datetime], Done]
"""Does something about a memory, for a reason. Raises: MemoryDBError."""


def act(path: Path, uid: str, action: str, fields: Fields, *, by: str, now: datetime) -> dict[str, Any]:
    """Does an action of `ACTIONS`; field `reason` says why, `text` the new words of it.

    `next` names the page to go back to, where that is not the memory's. With `dry_run` it is done and taken back.
    Raises: NotFoundError, InputError, DatabaseFileError.
    """
    if action not in ACTIONS:
        raise NotFoundError(f"No action {action[:40]!r}. There are: {', '.join(ACTIONS)}.")
    check_known(fields, KNOWN_FIELDS)
    dry_run, reason = flag(fields, "dry_run"), first(fields, "reason")
    if len(reason) > REASON_CHARACTERS:
        raise InputError(f"A reason of {len(reason):,} characters is too long. Give at most {REASON_CHARACTERS}.")
    back = first(fields, "next")
    if back and not OWN_PAGE.fullmatch(back):
        raise InputError(f"next {back[:60]!r} is no page with such buttons. Leave it out, to go to the memory.")
    with changing(path, dry_run=dry_run) as db:
        done = ACTIONS[action](db, uid, fields, reason or f"on the page, by {by}", now)
    bring_index_up_to_date(path, now, dry_run=dry_run)
    there = f"{PATH}/{quote(uid if dry_run else done.uid, safe='')}"
    undo = undo_by(f"{PATH}/{quote(done.uid, safe='')}/{done.undo}", **{**done.fields, "next": back})
    return {
        "ok": True, "uid": done.uid, "dry_run": dry_run, "said": note_dry_run(done.said, dry_run),
        "there": back or there, "undo": undo if done.undo else None,
    }  # fmt: skip


def confirm(db: sqlite3.Connection, uid: str, fields: Fields, reason: str, now: datetime) -> Done:
    """Counts that it holds."""
    is_new = beliefs.confirm(db, uid, note=reason, now=now)
    return (
        Done(uid, "Confirmed: this is evidence for it.", "unconfirm")
        if is_new
        else Done(uid, "Confirmed already today.")
    )


def unconfirm(db: sqlite3.Connection, uid: str, fields: Fields, reason: str, now: datetime) -> Done:
    """Takes the last confirming back: that day's evidence counts no more."""
    counted = beliefs.take_back_feedback(db, uid, "confirmed", last=True, now=now)
    if not counted:
        return Done(uid, "Nobody had confirmed it by hand.")
    return Done(uid, "The last confirmation counts no more.", "confirm")


def correct(db: sqlite3.Connection, uid: str, fields: Fields, reason: str, now: datetime) -> Done:
    """Puts other words in its place."""
    text = first(fields, "text")
    if not text:
        raise InputError("A correction needs the new words in the field text.")
    new = memories.correct(db, uid, text, reason=reason, by=PERSON, now=now)
    return Done(new, "Corrected: these words replace the old ones, which stay readable.", "uncorrect", {"old": uid})


def mend(db: sqlite3.Connection, uid: str, fields: Fields, reason: str, now: datetime) -> Done:
    """Words it otherwise, or with field `version` as that one did: the same memory, with its sources and evidence."""
    before = memories.get_memory(db, uid)
    earlier = {str(each["version"]): each["text"] for each in before["versions"]}
    version = first(fields, "version")
    if version and version not in earlier:
        raise NotFoundError(f"No version {version[:20]!r} of memory {uid}. Its page lists them.")
    text = earlier[version] if version else first(fields, "text")
    if not text:
        raise InputError("Mending a memory's wording needs the new words in the field text.")
    if not reword(db, uid, text, reason=reason, by=PERSON, now=now):
        return Done(uid, "It is worded like this already.")
    said = (
        "Restored: the memory has its earlier words again." if version
        else "Reworded: the same memory in these words. Its edits have the old ones."
    )  # fmt: skip
    return Done(uid, said, "reword", {"version": str(before["versions"][-1]["version"])})


def uncorrect(db: sqlite3.Connection, uid: str, fields: Fields, reason: str, now: datetime) -> Done:
    """Takes a correction back: the memory of field `old` holds again, and the one that replaced it is retired."""
    old = first(fields, "old")
    effects.take_correction_back(db, old, uid, reason=reason, by=PERSON, now=now)
    return Done(old, "The old words hold again; the others are retired.")


def lock(db: sqlite3.Connection, uid: str, fields: Fields, reason: str, now: datetime) -> Done:
    """Makes it a constraint."""
    is_new = locks.lock(db, uid, by=PERSON, reason=reason, now=now)
    if not is_new:
        return Done(uid, "Locked already.")
    return Done(uid, "Locked: always shown where it applies; only you can change it.", "unlock")


def unlock(db: sqlite3.Connection, uid: str, fields: Fields, reason: str, now: datetime) -> Done:
    """Makes it a memory like others."""
    was_locked = locks.unlock(db, uid, by=PERSON, reason=reason, now=now)
    return Done(uid, "Unlocked.", "lock") if was_locked else Done(uid, "It was not locked.")


def retire(db: sqlite3.Connection, uid: str, fields: Fields, reason: str, now: datetime) -> Done:
    """Takes it out of use."""
    is_new = retiring.retire(db, uid, by=PERSON, reason=reason, now=now)
    if not is_new:
        return Done(uid, "Retired already.")
    return Done(uid, "Retired: it is no longer shown. You can restore it.", "restore")


def restore(db: sqlite3.Connection, uid: str, fields: Fields, reason: str, now: datetime) -> Done:
    """Takes it into use again."""
    return Done(uid, f"Restored: it is {retiring.restore(db, uid, by=PERSON, reason=reason, now=now)}.", "retire")


def suppress(db: sqlite3.Connection, uid: str, fields: Fields, reason: str, now: datetime) -> Done:
    """Holds it back for a sort of question, named by its distinctive words in field `pattern`."""
    pattern = first(fields, "pattern")
    number = suppressions.suppress(db, uid, pattern, reason=reason, by=PERSON, now=now)
    said = "Suppressed: it is no longer shown for questions with all of these words."
    return Done(uid, said, "unsuppress", {"suppression": str(number)})


def unsuppress(db: sqlite3.Connection, uid: str, fields: Fields, reason: str, now: datetime) -> Done:
    """Ends what holds it back, by the number in field `suppression`."""
    number = first(fields, "suppression")
    known = {row["id"]: str(row["pattern"]) for row in suppressions.list_suppressions(db) if row["uid"] == uid}
    if not number.isascii() or not number.isdigit() or int(number) not in known:
        raise NotFoundError(f"No suppression {number[:20]!r} of memory {uid}. Its page lists the active ones.")
    is_ended = suppressions.end_suppression(db, int(number), now=now)
    if not is_ended:
        return Done(uid, "It was already removed.")
    back = {"pattern": known[int(number)]}
    return Done(uid, "Removed: it is shown for such questions again.", "suppress", back)


ACTIONS: dict[str, Act] = {
    "confirm": confirm, "unconfirm": unconfirm, "correct": correct, "uncorrect": uncorrect, "reword": mend,
    "lock": lock, "unlock": unlock, "retire": retire, "restore": restore, "suppress": suppress,
    "unsuppress": unsuppress,
}  # fmt: skip
"""What can be done about a memory, by name; to forget it is asked twice for, elsewhere."""
