"""A repository that a person asked for: what its files say becomes memories, and what they no longer say is retired.

In: a folder. Out: candidates decided by the gate, evidence that the person asked, memories retired with the reason.
Invariants: a file that did not change is not read; a second run changes no row; what a person declined, retired or
locked stays as it is; the run after a killed one ends with the same rows; what asks something risky of an agent waits
for a person; nothing counts as typed by the user.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from memory_db.errors import InputError
from memory_db.extract.files.facts import FileFact
from memory_db.extract.files.git_log import PATH as GIT_LOG
from memory_db.extract.files.repository import BINARY, facts_in, files_in, git_facts, git_head, is_readable, text_of
from memory_db.gate import run as gate
from memory_db.gate.apply import CANDIDATE, carry_out, write
from memory_db.gate.from_files import WAS_SHOWN
from memory_db.gate.review.queue import PENDING, meant
from memory_db.index import build as index
from memory_db.knowledge.evidence import add_evidence
from memory_db.knowledge.retire import restore, retire, said_by_another
from memory_db.knowledge.succession import memory_row
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.store.ignored import ignored_folders, why_ignored
from memory_db.transcripts.project_names import at_home
from memory_db.transcripts.projects import resolve_project
from memory_db.upkeep.onboard_rows import (
    KnownFile,
    add_facts,
    finish_run,
    known_files,
    note_settled,
    put_source,
    session_of,
    start_run,
)

BY = "onboard"

CONFIRMED = "confirmed"

FORGOTTEN_REASON = "you had it forgotten; --even-forgotten keeps it again"

LAST = """
select c.id, c.uid, d.action, d.decided_by, d.reason, d.memory_id, m.uid as memory, m.status, m.changed_by, m.lock_level
from candidates c left join decisions d on d.id = (select max(id) from decisions where candidate_id = c.id)
left join memories m on m.id = d.memory_id
where c.uid = ?
"""

STILL_BACKED = """
select 1 from evidence where memory_id = ? and withdrawn_at is null and id not in (select id from evidence
    where memory_id = ? and source = ?)
and (kind = 'confirmed' or (kind in ('stated', 'repeated') and weight >= 1))
"""
"""Whether a person's word, or another file that was asked for, says it too."""


@dataclass(slots=True, frozen=True)
class FactState:
    """A fact and what became of it: `state` is kept, known, waits, refused or gone; `item` its name in review."""

    fact: FileFact
    state: str
    reason: str = ""
    memory: str | None = None
    item: str | None = None


@dataclass(slots=True, frozen=True)
class GoneFact:
    """What a file no longer says: the memory, its text and what became of it."""

    path: str
    memory: str | None
    text: str
    state: str


@dataclass(slots=True)
class Onboarded:
    """What one run did. `unchanged` and `skipped` are files; `skipped` are pairs of path and reason."""

    project: str = ""
    read: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    facts: list[FactState] = field(default_factory=list)
    gone: list[GoneFact] = field(default_factory=list)

    def counts(self) -> dict[str, int]:
        """Numbers of files and of facts, by what became of them."""
        states = [each.state for each in self.facts]
        return {
            "files_read": len(self.read), "files_unchanged": len(self.unchanged), "files_skipped": len(self.skipped),
            **{state: states.count(state) for state in ("kept", "known", "waits", "refused")}, "gone": len(self.gone),
        }  # fmt: skip


@dataclass(slots=True, frozen=True)
class ReadFile:
    """A file that was read, or git's log: its facts, and what tells that it changed."""

    path: str
    stamp: tuple[int, int]
    facts: list[FileFact]
    head: str = ""


def onboard(db: sqlite3.Connection, folder: Path, *, now: datetime, even_forgotten: bool = False) -> Onboarded:
    """Reads what changed of a repository since the last time; what became of each of its facts.

    What a person had forgotten is refused; with `even_forgotten` all is read again, and it is kept like the rest.
    Raises: InputError for a path that is no folder or cannot be read.
    """
    root = at_home(folder).absolute()
    if not root.is_dir():
        raise InputError(f"{folder} is not a folder. Name the top of a repository.")
    top = next((each for each in root.parents if (each / ".git").exists()), None)
    if top is not None and not (root / ".git").exists():
        raise InputError(f"{folder} is inside the repository at {top}. Name that one: its files are read below it too.")
    if not is_readable(root):
        raise InputError(f"{folder} cannot be read. Check its permissions.")
    if place := why_ignored(str(root), ignored_folders(db)):
        raise InputError(f"{folder} is ignored by {place}. `memory-db project unignore {place}`, or remove that file.")
    done = Onboarded()
    known = known_files(db, root)
    project_id = resolve_project(db, str(root), now=now)
    project = db.execute("select name, canonical_path from projects where id = ?", [project_id]).fetchone()
    done.project, canonical = project["name"], project["canonical_path"]
    changed = read_changed(db, root, known, done, now, is_all=even_forgotten)
    taken = commands_known(db, known, {each.path for each in changed})
    changed = [ReadFile(one.path, one.stamp, without_taken(one.facts, taken), one.head) for one in changed]
    with transaction(db):
        run_id, added = start_run(db, now), 0
        session_id = session_of(db, project_id, canonical, project["name"])
        source_ids = []
        for one in changed:
            before = known.get(one.path, KnownFile(one.path)).lines
            lines = {fact.uid_in(canonical): fact.line for fact in one.facts}
            for uid in before.keys() - lines.keys():
                note_gone(db, uid, one.path, done, now)
            source_id = put_source(db, root, one.path, one.stamp, lines, now=now, head=one.head)
            source_ids.append(source_id)
            added += add_facts(
                db, one.facts, run_id=run_id, source_id=source_id, session_id=session_id, project_id=project_id,
                root=canonical, now=now, even_forgotten=even_forgotten,
            )  # fmt: skip
        note_gone_files(db, root, known, done, now)
        finish_run(db, run_id, added, now)
    gate.run(db, now=now)
    with transaction(db):
        for one in changed:
            done.facts += [settled(db, fact, fact.uid_in(canonical), now) for fact in one.facts]
    index.run(db, now=now, entries=False)
    with transaction(db):
        note_settled(db, source_ids)
    return done


def read_changed(
    db: sqlite3.Connection, root: Path, known: dict[str, KnownFile], done: Onboarded, now: datetime, *,
    is_all: bool = False,
) -> list[ReadFile]:  # fmt: skip
    """Reads the files that changed, those that define commands before those that tell of them; notes the others.

    With `is_all` those that did not change are read too.
    """
    found: list[ReadFile] = []
    for file in sorted(
        files_in(root), key=lambda file: (file.path.lower().endswith(("md", "mdc", "rst", "txt")), file.path)
    ):
        reason, stamp = file.skipped, (0, 0)
        if not reason:
            stat = file.place.stat()
            stamp = stat.st_size, stat.st_mtime_ns
            if not is_all and file.path in known and known[file.path].is_unchanged(stamp):
                done.unchanged.append(file.path)
                continue
            try:
                text = text_of(file.place.read_bytes())
                reason = BINARY if text is None else ""
            except OSError as error:
                text, reason = None, error.strerror or str(error)
        if reason or text is None:
            done.skipped.append((file.path, reason))
            lines = known[file.path].lines if file.path in known else {}
            if file.path not in known or known[file.path].state != "unreadable":
                put_source(db, root, file.path, stamp, lines, now=now, state="unreadable", reason=reason)
            continue
        done.read.append(file.path)
        found.append(ReadFile(file.path, stamp, facts_in(text, file.path, root)))
    head = git_head(root)
    if head and (
        is_all or GIT_LOG not in known or not known[GIT_LOG].is_unchanged((0, 0)) or known[GIT_LOG].head != head
    ):
        done.read.append(GIT_LOG)
        found.append(ReadFile(GIT_LOG, (0, 0), git_facts(root), head))
    elif head:
        done.unchanged.append(GIT_LOG)
    return found


def commands_known(db: sqlite3.Connection, known: dict[str, KnownFile], changed: set[str]) -> set[str]:
    """The commands that files which did not change tell already."""
    found: set[str] = set()
    for file in known.values():
        for uid in file.lines if file.path not in changed and file.state == "read" else ():
            row = db.execute(
                "select keys ->> '$[0]' from candidates where uid = ? and rule like '%: command'", [uid]
            ).fetchone()
            found |= {row[0]} if row else set()
    return found


def without_taken(facts: Iterable[FileFact], taken: set[str]) -> list[FileFact]:
    """Facts without commands that another file told; those that are told here are taken from now on."""
    kept = []
    for fact in facts:
        if fact.sort == "command" and fact.keys:
            if fact.keys[0] in taken:
                continue
            taken.add(fact.keys[0])
        kept.append(fact)
    return kept


def note_gone_files(
    db: sqlite3.Connection, root: Path, known: dict[str, KnownFile], done: Onboarded, now: datetime
) -> None:
    """Notes the files that are there no more, with all that they said."""
    there = {*done.read, *done.unchanged, *(path for path, _ in done.skipped)}
    for file in known.values():
        if file.path not in there and file.state != "missing":
            for uid in file.lines:
                note_gone(db, uid, file.path, done, now)
            put_source(db, root, file.path, file.stamp, {}, now=now, state="missing", reason="not there any more")


def note_gone(db: sqlite3.Connection, uid: str, path: str, done: Onboarded, now: datetime) -> None:
    """Takes back that a file says a fact, and retires its memory where nothing else says it."""
    row = db.execute(LAST, [uid]).fetchone()
    if row is None:
        return
    text = db.execute("select text from candidates where uid = ?", [uid]).fetchone()[0]
    why, state = f"no longer in {path}", "kept"
    if row["action"] in PENDING:
        write(db, row["id"], "reject", None, why, {}, by=BY, now=now)
        done.gone.append(GoneFact(path, None, text, "no longer waits"))
        return
    if row["memory_id"] is None:
        return
    source = f"file {path}"
    db.execute(
        "update evidence set withdrawn_at = ? where memory_id = ? and source = ? and withdrawn_at is null",
        [utc_text(now), row["memory_id"], source],
    )
    is_backed = db.execute(STILL_BACKED, [row["memory_id"], row["memory_id"], source]).fetchone()
    if row["status"] == "active" and row["lock_level"] == "none" and not is_backed:
        retire(db, row["memory"], by=BY, reason=why, now=now)
        state = "retired"
    done.gone.append(GoneFact(path, row["memory"], text, state))


def settled(db: sqlite3.Connection, fact: FileFact, uid: str, now: datetime) -> FactState:
    """What became of a fact that stands in a file: its memory is confirmed, or why it has none."""
    row = db.execute(LAST, [uid]).fetchone()
    if row is None:
        return FactState(fact, "refused", FORGOTTEN_REASON)
    item = f"c{row['id']}"
    was_shown = row["action"] in ("propose", "reject") and row["decided_by"] == gate.DECIDED_BY
    was_shown = was_shown and WAS_SHOWN in str(row["reason"])
    came_back = row["action"] == "reject" and row["decided_by"] == BY
    if (was_shown or came_back) and not fact.risk:
        row = kept_after_all(db, row, uid, now)
    if row["action"] in PENDING:
        return FactState(fact, "waits", row["reason"], None, item)
    if row["memory_id"] is None:
        return FactState(fact, "refused", row["reason"], None, item)
    went_out = row["status"] == "retired" and row["changed_by"] == BY
    if went_out and not said_by_another(db, memory_row(db, row["memory"])):
        restore(db, row["memory"], by=BY, reason=f"in {fact.place} again", now=now)
        row = db.execute(LAST, [uid]).fetchone()
    if row["status"] != "active":
        return FactState(fact, "known", f"{row['memory']} is {row['status']}", row["memory"])
    is_new = confirm(db, row["memory_id"], fact, now) and row["action"] != "duplicate"
    return FactState(fact, "kept" if is_new else "known", row["reason"], row["memory"])


def kept_after_all(db: sqlite3.Connection, row: sqlite3.Row, uid: str, now: datetime) -> sqlite3.Row:
    """Keeps what waited because an agent was shown it, now that a person asked for its repository.

    What would change another memory goes on waiting.
    """
    candidate = db.execute(f"{CANDIDATE} where c.id = ?", [row["id"]]).fetchone()
    try:
        decision = meant(db, candidate)
    except InputError:
        return row
    if decision.action in ("add", "duplicate"):
        carry_out(db, candidate, decision, by=BY, now=now)
    found: sqlite3.Row = db.execute(LAST, [uid]).fetchone()
    return found


def confirm(db: sqlite3.Connection, memory_id: int, fact: FileFact, now: datetime) -> bool:
    """Counts that a file says it whose repository a person asked for, and notes where; whether that was new."""
    source = f"file {fact.path}"
    note = f"{fact.place}{', ' + fact.note if fact.note else ''}; its repository was asked for"
    added = add_evidence(
        db, memory_id, CONFIRMED, None, None, source, created_at=utc_text(now), now=now, note=note
    )  # fmt: skip
    if not added:
        db.execute(
            "update evidence set note = ? where memory_id = ? and kind = ? and source = ? and withdrawn_at is null"
            " and note is not ?",
            [note, memory_id, CONFIRMED, source, note],
        )
    return added
