"""What a person does while an agent runs: about a line it was shown, about what was just said, or pausing memory.

In: fields of a form or of a JSON body. Out: what was done, and where to go on. Invariant: each is what exists under
another name (feedback, judgement, suppression, add, pause), with the same refusals and rows.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_db.errors import InputError, NotFoundError
from memory_db.hooks.pauses import end_pauses, pause, read_length
from memory_db.knowledge import evidence, suppressions
from memory_db.knowledge.succession import PERSON
from memory_db.pages.api import writing
from memory_db.pages.cache import pooled
from memory_db.pages.evaluations import judge
from memory_db.pages.forms import Fields, changing, check_known, first, flag, note_dry_run, undo_by
from memory_db.pages.review.items import in_words

HERE = "/-/memory/live"

FIELDS = ("uid", "recall", "pattern", "text", "project", "session", "length", "dry_run")

TAKEN_BACK = "That counts no more."

Undo = dict[str, Any] | None

Done = Callable[[Path, Fields, str, datetime], tuple[str, Undo]]
"""Does it; what to say, and how it is taken back where it changed anything. Raises: MemoryDBError."""


def act(path: Path, name: str, fields: Fields, *, by: str, now: datetime) -> dict[str, Any]:
    """Does an action of `ACTIONS`. Raises: NotFoundError, InputError, DatabaseFileError."""
    if name not in ACTIONS:
        raise NotFoundError(f"No action {name[:40]!r}. There are: {', '.join(ACTIONS)}.")
    check_known(fields, FIELDS)
    dry_run = flag(fields, "dry_run")
    line, undo = ACTIONS[name](path, fields, by, now)
    said = note_dry_run(line, dry_run)
    with pooled(path) as db:
        (flash,) = in_words(db, said)
    return {"ok": True, "action": name, "dry_run": dry_run, "said": said, "there": HERE, "flash": flash, "undo": undo}


def wrong(path: Path, fields: Fields, by: str, now: datetime) -> tuple[str, Undo]:
    """Evidence against a memory: it was shown there and did harm."""
    uid, recall = needed(fields, "uid"), needed(fields, "recall")
    with changing(path, dry_run=flag(fields, "dry_run")) as db:
        is_new = evidence.give_feedback(db, uid, "wrong", recall=recall, note=f"said live, by {by}", now=now)
    if not is_new:
        return "That was said already.", None
    return f"{uid} counts as wrong there: evidence against it.", undo_by(f"{HERE}/right", uid=uid, recall=recall)


def right(path: Path, fields: Fields, by: str, now: datetime) -> tuple[str, Undo]:
    """Takes `wrong` back: that evidence is withdrawn."""
    uid, recall = needed(fields, "uid"), needed(fields, "recall")
    with changing(path, dry_run=flag(fields, "dry_run")) as db:
        counted = evidence.take_back_feedback(db, uid, "wrong", recall=recall, now=now)
    return (TAKEN_BACK, undo_by(f"{HERE}/wrong", uid=uid, recall=recall)) if counted else ("It did not count.", None)


def not_now(path: Path, fields: Fields, by: str, now: datetime) -> tuple[str, Undo]:
    """A judgement: it is no answer to that prompt. The memory itself counts as much as before."""
    recall, hit = needed(fields, "recall"), f"memory:{needed(fields, 'uid')}"
    sent = {"recall": [recall], "not_relevant": [hit]}
    if flag(fields, "dry_run"):
        sent["dry_run"] = ["1"]
    judge(path, sent, judged_by=by, now=now)
    undo = undo_by("/-/memory/judge", recall=recall, undo=hit)
    return "Noted: it was no answer to that prompt. Tuning reads such judgements.", undo


def never(path: Path, fields: Fields, by: str, now: datetime) -> tuple[str, Undo]:
    """A suppression for questions with the distinctive words of field `pattern`."""
    uid, pattern = needed(fields, "uid"), needed(fields, "pattern")
    with changing(path, dry_run=flag(fields, "dry_run")) as db:
        number = suppressions.suppress(db, uid, pattern, reason=f"said live, by {by}", by=PERSON, now=now)
    undo = undo_by(f"/-/memory/memories/{uid}/unsuppress", suppression=str(number))
    return f"{uid} is no longer shown where all of these words are asked: {pattern}. Its page takes that back.", undo


def remember(path: Path, fields: Fields, by: str, now: datetime) -> tuple[str, Undo]:
    """A memory in a person's words: of one project, else of every one."""
    project = first(fields, "project")
    sent = {"text": [needed(fields, "text")], **({"project": [project]} if project else {"user": ["1"]})}
    if flag(fields, "dry_run"):
        sent["dry_run"] = ["1"]
    added = writing.add(path, sent, by=by, now=now)
    undo = undo_by(f"/-/memory/memories/{added['uid']}/retire", reason="taken back") if added["is_new"] else None
    return str(added["said"]), undo


def hold(path: Path, fields: Fields, by: str, now: datetime) -> tuple[str, Undo]:
    """A pause of the hooks, for a session or for all; for as long as field `length` says, else until it ends."""
    length, session = first(fields, "length"), first(fields, "session") or None
    with changing(path, dry_run=flag(fields, "dry_run")) as db:
        pause(db, by=PERSON, now=now, length=read_length(length) if length else None, session_uid=session)
    said = f"Memory says nothing {'in that session' if session else 'anywhere'}{f' for {length}' if length else ''}."
    return said, undo_by(f"{HERE}/resume", session=session or "")


def go_on(path: Path, fields: Fields, by: str, now: datetime) -> tuple[str, Undo]:
    """Ends pauses: of a session, or all."""
    with changing(path, dry_run=flag(fields, "dry_run")) as db:
        ended = end_pauses(db, now=now, session_uid=(session := first(fields, "session")) or None)
    return (
        ("Memory speaks again.", undo_by(f"{HERE}/pause", session=session)) if ended else ("Nothing was paused.", None)
    )


ACTIONS: dict[str, Done] = {
    "wrong": wrong, "right": right, "later": not_now, "never": never, "remember": remember, "pause": hold,
    "resume": go_on,
}  # fmt: skip
"""What can be done from the page, by the end of its address."""


def needed(fields: Fields, name: str) -> str:
    """A field that must be there. Raises: InputError."""
    if not (value := first(fields, name)):
        raise InputError(f"{name} is missing. Send it with the action.")
    return value
