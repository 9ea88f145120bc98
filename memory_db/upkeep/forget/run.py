"""Forgetting for good: no row, no copy and no byte of it is left, and that is looked up rather than believed.

In: a `ForgetTarget`. Out: `Forgotten`: what went from where, what was kept and why, and what still holds it, which must
be nothing. Invariants: the rows go in one transaction, or none does; a locked memory is not touched, but where it was
named; an entry keeps its uid and place with nothing said, so that reading its transcript again does not bring it back;
the log tells that something was forgotten and never what.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from memory_db.index import association, grams, procedures, signatures
from memory_db.index import build as index
from memory_db.index.semantic import SORTS, embedded_models, has_llm_tables
from memory_db.knowledge.memories import CUT, first_line
from memory_db.models.tokens import count_tokens
from memory_db.recall.brief import spool
from memory_db.store.connection import id_list, transaction
from memory_db.store.dates import utc_text
from memory_db.text.normalise import content_hash
from memory_db.text.scrubbing import FORGOTTEN, flat_text, scrubbed_cell
from memory_db.upkeep.forget.chains import close_chains
from memory_db.upkeep.forget.copies import Trail, copies_holding, delete_copies, traces_in_bytes, trail_of
from memory_db.upkeep.forget.details import Detail, details_left, details_of, numbers_with, resting, scrub_details
from memory_db.upkeep.forget.exported import clean_exports, exports_holding
from memory_db.upkeep.forget.outside import files_outside
from memory_db.upkeep.forget.places import (
    asked_with,
    briefs_showing,
    copies_in,
    delete_recalls,
    numbers_of,
    recalls_asking,
    scrub_rows,
    scrub_shown,
    sharing,
    traces_in_rows,
    uids_shown,
    whole_rows,
)
from memory_db.upkeep.forget.target import KEEPS, LOCKED, Fate, ForgetTarget, fates_of
from memory_db.upkeep.forget.tombstones import bury
from memory_db.upkeep.scan import REDACTED_MEMORY

VERSIONS = "select id from memory_versions where memory_id in ({memories})"

CANDIDATES = """
select c.id from candidates c where c.entry_id in ({entries}) or c.session_id in ({sessions})
    or (c.id in (select candidate_id from memory_sources where memory_id in ({memories})
            union select candidate_id from decisions where memory_id in ({memories}))
        and not exists (select 1 from memory_sources s where s.candidate_id = c.id and s.memory_id not in ({memories}))
        and not exists (select 1 from decisions d where d.candidate_id = c.id and d.memory_id not in ({memories})))
"""
"""Candidates of what goes, and those that led to it and to no other memory."""

RECALLS = (
    "select id from recalls where session_id in ({sessions})"
    " or session_uid in (select uid from sessions where id in ({sessions})) or id in ({asked})"
)

DECISIONS = "select id from decisions where candidate_id in ({candidates}) or memory_id in ({memories})"

PROCEDURES = """
select distinct l.procedure_id from procedure_actions l join actions a on a.id = l.action_id
where a.session_id in (select session_id from entries where id in ({entries}))
"""
"""Procedures that rest on the sessions of some entries: what came before a command stands in them too."""

SHOWN_PROCEDURES = """
select recall_id, text from recall_procedures
where procedure_id in ({procedures}) or procedure_id is null and '{entries}' <> ''
"""
"""Lines that told such a procedure, or one of which nobody knows any more what it rested on."""

STEPS: tuple[tuple[str, str], ...] = (
    ("hits", f"delete from hits where memory_version_id in ({VERSIONS}) or entry_id in ({{entries}})"),
    ("portraits", "delete from portraits where id in (select portrait_id from portrait_sources"
                  f" where memory_version_id in ({VERSIONS}))"),
    ("candidates", "update memory_sources set candidate_id = null where candidate_id in ({candidates})"),
    ("decisions", f"update decisions set reverts_id = null where reverts_id in ({DECISIONS})"
                  f" and id not in ({DECISIONS})"),
    ("decisions", f"delete from decisions where id in ({DECISIONS})"),
    ("candidates", "delete from candidates where id in ({candidates})"),
    ("contradictions", "delete from contradictions where id in ({contradictions})"),
    ("proposals", "delete from proposals where id in ({proposals})"),
    ("memories", "delete from memories where id in ({memories})"),
    ("memory_sources", "delete from memory_sources where entry_id in ({entries}) and memory_id not in ({locked})"),
    ("memory_sources", "delete from removed_parts where part = 'source'"
                       " and json_extract(value, '$.entry_id') in ({entries}) and memory_id not in ({locked})"),
    ("evidence", "update evidence set note = null, withdrawn_at = coalesce(withdrawn_at, :now)"
                 " where entry_id in ({entries}) and memory_id not in ({locked})"),
    ("weak_labels", "delete from weak_labels where entry_id in ({entries}) and memory_id not in ({locked})"),
    ("recall_procedures", "delete from recall_procedures where procedure_id in ({procedures})"
                          " or procedure_id is null and '{entries}' <> ''"),
    ("procedures", "delete from procedures where id in ({procedures})"),
    ("project_mentions", "delete from project_mentions where entry_id in ({entries})"),
    ("actions", "update actions set target = null, input = '{{}}', excerpt = null"
                " where entry_id in ({entries}) or result_entry_id in ({entries})"),
    ("model_calls", "update model_calls set answer = '', left_out = '[]' where session_id in ({sessions})"
                    " or exists (select 1 from entries e where e.id in ({entries})"
                    " and e.session_id = model_calls.session_id"
                    " and e.id between model_calls.first_entry_id and model_calls.last_entry_id)"),
    ("sessions", "update sessions set title = :forgotten, git_branch = null"
                 " where id in ({sessions}) and title is not null"),
    ("sessions", "update sessions set title = :forgotten where id in ({titled})"),
    ("entries", "update entries set text = :forgotten where id in ({entries})"),
    ("entities", "delete from entities where id not in (select entity_id from memory_entities)"),
)  # fmt: skip
"""What happens to the rows, in an order that foreign keys allow: the table it counts for, and the statement."""

KEPT_WITHOUT = {"sessions": "title", "entries": "words", "actions": "target and output", "model_calls": "answer"}
"""What a row loses that is emptied and stays, by table; the rows of the other tables are deleted."""


@dataclass(slots=True)
class Forgotten:
    """What went.

    `rows`: rows that were deleted or emptied, by table. `repetitions`: texts elsewhere that had a copy taken out, by
    `table.column`. `fates`: what became of each memory and entry. `left`: places of the file that still hold it;
    `locked`: memories that do and were kept for their lock; `copies`: files that memory-db made and that do.
    `deleted_copies` are gone, `new_copy` stands instead. `sharing`: uids, by sort, of what
    shares a phrase with it and was not touched. `outside`: files that memory-db did not write or does not open, which
    may still hold it. `exports`: files that were written for others and do; `cleaned_exports` lost it. `run_id` is the
    row of the log.
    """

    what: str
    rows: dict[str, int] = field(default_factory=dict)
    repetitions: dict[str, int] = field(default_factory=dict)
    fates: list[Fate] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    locked: list[str] = field(default_factory=list)
    copies: list[str] = field(default_factory=list)
    deleted_copies: list[str] = field(default_factory=list)
    new_copy: str | None = None
    sharing: dict[str, list[str]] = field(default_factory=dict)
    outside: list[str] = field(default_factory=list)
    exports: list[str] = field(default_factory=list)
    cleaned_exports: list[str] = field(default_factory=list)
    passages: int = 0
    is_words: bool = False
    run_id: int | None = None

    @property
    def is_gone(self) -> bool:
        """Whether nothing of memory-db's holds it any more."""
        return not (self.left or self.locked or self.copies or self.exports)


def forget(
    db: sqlite3.Connection, path: Path, target: ForgetTarget, *, now: datetime, beside: Path | None = None,
    with_copies: bool = False, with_exports: bool = False,
) -> Forgotten:  # fmt: skip
    """Removes a target from a file and from every derived place, rewrites the file, and looks whether it is gone.

    `beside` is the file whose copies and spool are looked at, where `path` is a temporary copy of it: these are then
    told and not changed. `with_copies` deletes the copies that memory-db made and that hold it, after a new one;
    `with_exports` takes it out of exports that are as they were written.
    Raises: sqlite3.Error where another process keeps the file; what was removed by then is removed, and
    `finish` does the rest. MemoryDBError where the bytes cannot be read, or the new copy not be made.
    """
    started = time.perf_counter()
    if beside is None:
        with suppress(OSError):  # what cannot be taken in is searched where it is
            spool.take_in(db, path, now=now)
    done = Forgotten(target.what, passages=len(target.passages.texts), fates=fates_of(db, target),
                     is_words=target.is_words)  # fmt: skip
    done.outside = files_outside(db, target)
    trail, shown = trail_of(db, target), uids_shown(done.fates)
    db.execute("pragma secure_delete = on")
    with transaction(db):
        details = remove(db, target, done, shown, now=now)
        counts = {name.replace(".", " "): number for name, number in (done.rows | done.repetitions).items()}
        done.run_id = db.execute(
            "insert into runs (stage, started_at, duration_ms, counts) values ('forget', ?, 0, ?)",
            [utc_text(now), json.dumps(counts)],
        ).lastrowid
    finish(db)
    done.locked = [fate.uid for fate in done.fates if fate.what == KEEPS and LOCKED in fate.why]
    pairs = [where for where, _ in grams.unlike(db)]
    done.left = [*traces_in_rows(db, target), *details_left(db, details), *pairs,
                 *traces_in_bytes(db, path, beside or path, target)]  # fmt: skip
    done.sharing = sharing(db, target)
    holding = copies_holding(db, beside or path, trail)
    if with_copies and holding and beside is None:
        made, gone = delete_copies(db, path, holding, now=now)
        done.new_copy, done.deleted_copies = str(made), [str(each) for each in gone]
        holding = copies_holding(db, path, trail)
    done.copies = [f"{copy} ({held})" for copy, held in holding.items()]
    look_into_exports(db, beside or path, trail, done, is_cleaning=with_exports and beside is None)
    took_ms = (time.perf_counter() - started) * 1000
    with transaction(db):
        db.execute("update runs set duration_ms = ? where id = ?", [took_ms, done.run_id])
    return done


def remove(
    db: sqlite3.Connection, target: ForgetTarget, done: Forgotten, shown: set[str], *, now: datetime
) -> list[Detail]:
    """Takes a target out of every row, and notes in `done` what went; what other rows quoted of it.

    Within a transaction of the caller. `shown` are the marks of lines in briefs that showed it.
    """
    details = details_of(db, target)
    vectors = remove_vectors(db, target, done.fates)
    association.drop(db, target.entry_ids | target.source_ids)
    done.rows = remove_rows(db, target, now) | ({"embeddings": vectors} if vectors else {})
    found = copies_in(db, target)
    done.rows |= whole_rows(found)
    done.repetitions = numbers_with(db, target, details, numbers_of(found, briefs_showing(db, shown)))
    redact_titles(db, target)
    redact_memories(db, target, now)
    for each in found:
        if each.goes_whole and each.sought.table == "recalls":
            bury(db, "recall", id_list(row[1] for row in each.rows), now=now)
    scrub_rows(db, found)
    scrub_details(db, details)
    scrub_shown(db, shown)
    procedures.refresh(db)
    return details


def look_into_exports(db: sqlite3.Connection, path: Path, trail: Trail, done: Forgotten, *, is_cleaning: bool) -> None:
    """Tells which remembered exports hold it, once it was taken out of them where that is asked for."""
    held, missing = exports_holding(db, path, trail)
    if is_cleaning and held:
        done.cleaned_exports = [str(each) for each in clean_exports(db, path, held, trail)]
        held, missing = exports_holding(db, path, trail)
    done.exports = [each.line for each in held]
    done.outside += [missing] if missing else []


def remove_rows(db: sqlite3.Connection, target: ForgetTarget, now: datetime) -> dict[str, int]:
    """Deletes or empties the rows of a target; how many, by table."""
    names = names_of(db, target)
    counts: Counter[str] = Counter()
    close_chains(db, names["memories"], utc_text(now))
    bury(db, "memory", names["memories"], now=now)
    bury(db, "candidate", names["candidates"], now=now)
    bury(db, "recall", RECALLS.format(**names), now=now)
    for recall_id, text in db.execute(SHOWN_PROCEDURES.format(**names)).fetchall():
        db.execute(
            "update recalls set shown_text = replace(shown_text, ?, ?) where id = ?", [text, FORGOTTEN, recall_id]
        )
    counts["recalls"] = delete_recalls(db, RECALLS.format(**names))
    for table, statement in STEPS:
        values = {"now": utc_text(now), "forgotten": FORGOTTEN}
        done = db.execute(statement.format(**names), {k: v for k, v in values.items() if f":{k}" in statement})
        if (
            statement.startswith((f"delete from {table} ", f"update {table} set "))
            and "reverts_id = null" not in statement
        ):
            counts[table] += done.rowcount
    return {table: number for table, number in counts.items() if number}


def names_of(db: sqlite3.Connection, target: ForgetTarget) -> dict[str, str]:
    """What the statements of `STEPS` are filled in with: ids, listed."""
    locked = "select id from memories where lock_level <> 'none' and id not in ({})"
    names = {
        "memories": id_list(target.memory_ids),
        "entries": id_list(target.entry_ids),
        "sessions": id_list(target.session_ids),
        "asked": id_list([*asked_with(db, target.entry_ids), *recalls_asking(db, target)]),
        "locked": id_list(row[0] for row in db.execute(locked.format(id_list(target.memory_ids)))),
    }
    names |= resting(details_of(db, target))
    names["titled"] = id_list(titled_by(db, target))
    names["procedures"] = id_list(row[0] for row in db.execute(PROCEDURES.format(**names)))
    return names | {"candidates": id_list(row[0] for row in db.execute(CANDIDATES.format(**names)))}


def titled_by(db: sqlite3.Connection, target: ForgetTarget) -> set[int]:
    """Sessions that stay, of which the title was cut from an entry that goes: on one line, perhaps at a limit."""
    rows = db.execute(TITLED_BY.format(entries=id_list(target.entry_ids), sessions=id_list(target.session_ids)))
    titles = ((row["id"], flat_text(row["title"]).rstrip(CUT), row["text"]) for row in rows)
    return {number for number, title, text in titles if len(title) >= FEWEST_OF_TITLE and title in flat_text(text)}


TITLED_BY = """
select s.id, s.title, e.text from sessions s join entries e on e.session_id = s.id
where s.title is not null and e.id in ({entries}) and s.id not in ({sessions})
"""

FEWEST_OF_TITLE = 4
"""Characters of a title from which on it is a copy of the text that holds it: "go" stands in many."""


def remove_vectors(db: sqlite3.Connection, target: ForgetTarget, fates: list[Fate]) -> int:
    """Removes the vectors of what goes, or loses a passage: of a vector, words can be guessed. How many llm had, which
    keeps the text beside each."""
    found = vectorised(db, target, fates)
    for sort, column in (("memories", "memory_version_id"), ("entries", "entry_id")):
        for table in ("static_vectors", "token_signs"):
            db.execute(f"delete from {table} where {column} in ({id_list(found[sort])})")
    return db.execute(f"delete from embeddings where {embedded(found)}").rowcount if has_llm_tables(db) else 0


def vectorised(db: sqlite3.Connection, target: ForgetTarget, fates: list[Fate]) -> dict[str, list[int]]:
    """Whose vectors go: versions of memories, and entries."""
    entries = json.dumps([fate.uid for fate in fates if fate.sort == "entry"])
    memories = id_list(target.memory_ids | target.redacted_ids)
    return {
        "memories": [row[0] for row in db.execute(VERSIONS.format(memories=memories))],
        "entries": [row[0] for row in db.execute(ENTRIES_NAMED, [entries])],
    }


def embedded(found: dict[str, list[int]]) -> str:
    """The condition for rows of llm's embeddings that are of them."""
    return " or ".join(
        f"collection_id in (select id from collections where name = '{sort}/' || model)"
        f" and id in ({', '.join(repr(str(number)) for number in found[sort]) or 'null'})"
        for sort in SORTS
    )


ENTRIES_NAMED = "select id from entries where uid in (select value from json_each(?))"


def redact_memories(db: sqlite3.Connection, target: ForgetTarget, now: datetime) -> None:
    """Takes the passages out of memories that say them among other words: the present is a new version without them.

    The versions before it lose them with all other rows.
    """
    columns = ("title", "text", "keys", "context", "condition")
    for version_id, context in target.contexts.items():
        db.execute("update memory_versions set context = ? where id = ?", [context, version_id])
    rows = db.execute(
        "select m.*, v.context as kept from memories m join memory_versions v on v.memory_id = m.id"
        f" and v.recorded_to is null where m.id in ({id_list(target.redacted_ids)})"
    ).fetchall()
    for row in rows:
        said = dict(row) | {"context": row["kept"]}
        values: dict[str, object] = {column: scrubbed_cell(target.passages, said[column]) for column in columns}
        text = str(values["text"])
        values["title"] = title_without(target, said["title"], said["text"])
        values |= {"tokens": count_tokens(text), "content_hash": content_hash(text)}
        reason = "a passage was forgotten"
        db.execute(
            REDACTED_MEMORY,
            values | {"changed_by": "user", "change_reason": reason, "now": utc_text(now), "id": row["id"]},
        )


def title_without(target: ForgetTarget, title: str, text: str) -> str:
    """A title without the passages; one that is the beginning of its text begins as that does without them."""
    passages = target.passages
    if passages.repeats(text) and flat_text(text).startswith(title.rstrip(CUT)):
        return first_line(passages.scrub(text))
    return passages.scrub(title)


TITLED = """
select 'memory_versions' as place, id, title, text from memory_versions where memory_id in ({memories})
union all select 'candidates', id, title, text from candidates
union all select 'sessions', s.id, s.title, e.text from sessions s join entries e on e.session_id = s.id
    where s.title is not null and e.id in ({entries})
"""


def redact_titles(db: sqlite3.Connection, target: ForgetTarget) -> None:
    """Takes the passages out of titles that were cut from a text which says them."""
    losing = target.source_ids | target.saying_ids
    sql = TITLED.format(memories=id_list(target.redacted_ids), entries=id_list(losing))
    for row in db.execute(sql).fetchall() if target.is_everywhere else ():
        new = title_without(target, row["title"], row["text"])
        if row["place"] == "sessions":
            rest, title = flat_text(target.quoted.scrub(row["text"])), flat_text(row["title"]).rstrip(CUT)
            was_cut = title in flat_text(row["text"]) and title not in rest
            new = FORGOTTEN if was_cut else row["title"]
        if new != row["title"]:
            db.execute(f"update {row['place']} set title = ? where id = ?", [new, row["id"]])


# ----------------------------------------------------------- no byte left


def finish(db: sqlite3.Connection) -> None:
    """Rewrites full text and the file, so that no free page and no log keeps what was deleted.

    Raises: sqlite3.Error.
    """
    grams.fill(db)
    for table in ("entry_fts", "memory_fts", "memory_now_fts", *(each.table for each in grams.GRAM_TEXTS.values())):
        db.execute(f"insert into {table} ({table}) values ('optimize')")
    for model in embedded_models(db):
        index.remove_stale(db, model)
    signatures.refresh(db)
    db.execute("vacuum")
    db.execute("pragma wal_checkpoint(truncate)")
