"""Old rows again when the rules change: secrets out, attacks named, memories that steer an agent put aside.

In: a file. Out: texts made clean where they stand, rows of `scan_findings`, and memories in quarantine: retired with
their reason, never deleted, until a person restores them. Invariants: the places are those of `scan_places`; a portion
and how far it reached are one transaction, so that a killed scan goes on where it stopped; a second scan by the same
rules changes nothing; what a person restored, or locked, stays.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime

from memory_db.index import llm_rows
from memory_db.knowledge.graph import entities
from memory_db.knowledge.memories import first_line
from memory_db.models.tokens import count_tokens
from memory_db.redact.clean import RULES_VERSION, Finding, find_injection
from memory_db.store import jobs
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.text.normalise import content_hash
from memory_db.upkeep import set_aside as setting_aside
from memory_db.upkeep.scan_places import PLACES, WAYS, ScannedTable

Progress = Callable[[str, int, int | None], None]

RESCAN = "rescan"
"""Kind of the job; its key names the version of the rules."""

PORTION = 1_000
"""Rows looked at between two commits at most; fewer where that takes long, for others want to write too."""

SCANNER = "scan"
"""Who changed what a scan changed."""

QUARANTINED = "quarantined: "
"""What the reason of a memory that was put aside begins with; the name of the rule follows."""

CUT = "…"
"""What a title ends with that is the beginning of a text."""

OURS = "place like 'texts of %'"
"""Rows of `scan_progress` that are of scans."""

FULL_TEXTS = {
    "entry_fts": "entries", "memory_fts": "memory_versions", "memory_now_fts": "memories",
    "entry_gram_fts": "entries", "memory_gram_fts": "memory_versions",
}  # fmt: skip
"""Each full text, and the table whose texts it has."""

EMBEDDED = {"entries": "entries", "memory_versions": "memories"}
"""Tables whose texts llm shows a copy of, and the sort by which their embeddings go."""

FOUND_SINCE = """
select rule, count(*) as count from scan_findings where id > ? group by rule order by count(*) desc, rule
"""

INSERT_FINDING = """
insert or ignore into scan_findings (rule, category, rules_version, place, entry_id, memory_id, field, start, hint,
    found_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""

BEGIN_PLACE = """
insert into scan_progress (place, rules_version, last_id, started_at) values (:place, :version, 0, :now)
on conflict (place) do update set rules_version = excluded.rules_version, last_id = 0, texts_scanned = 0,
    texts_changed = 0, started_at = excluded.started_at, finished_at = null
where rules_version < excluded.rules_version
"""

STEP = """
update scan_progress set last_id = ?, texts_scanned = texts_scanned + ?, texts_changed = texts_changed + ?,
    finished_at = ? where place = ?
"""

NAMED = "select e.name from memory_entities m join entities e on e.id = m.entity_id where m.memory_id = ?"

MARK_REASON = """
update edges set reason = replace(reason, :name, :mark)
where created_by = 'rules' and (from_memory_id = :id or to_memory_id = :id) and instr(reason, :name)
"""

REDACTED_MEMORY = """
update memories set title = :title, text = :text, keys = :keys, context = :context, condition = :condition,
    tokens = :tokens, content_hash = :content_hash, changed_by = :changed_by, change_reason = :change_reason,
    updated_at = :now
where id = :id
"""


def waiting_places(db: sqlite3.Connection) -> list[ScannedTable]:
    """Places that were not scanned to their end by the rules of today, in order.

    What was never scanned by itself was scanned as it was written, by the rules that the file began with.
    """
    rows = db.execute("select place, rules_version from scan_progress where finished_at is not null or place = 'file'")
    versions: dict[str, int] = dict(rows.fetchall())
    begun = {row[0] for row in db.execute("select place from scan_progress where finished_at is null")}
    of_file = versions.get("file", 0)

    def is_done(each: ScannedTable) -> bool:
        return each.name not in begun and versions.get(each.name, of_file) >= RULES_VERSION

    return [each for each in PLACES if not is_done(each)]


def is_due(db: sqlite3.Connection) -> bool:
    """Whether some place was not scanned to its end by the rules of today, or old entries are to be put right."""
    return bool(waiting_places(db)) or setting_aside.is_due(db)


def enqueue_if_due(db: sqlite3.Connection, *, now: datetime) -> bool:
    """Makes a scan due if the rules changed since the last one; whether that is so."""
    if not is_due(db):
        return False
    jobs.enqueue(db, RESCAN, job_key(), {}, now)
    return True


def job_key() -> str:
    """The name of the job for the rules of today."""
    return f"rules {RULES_VERSION}"


@jobs.handles(RESCAN)
def rescan_portion(db: sqlite3.Connection, job: jobs.Job, now: datetime, progress: Progress | None) -> bool:
    """Scans one portion; True when nothing is left. A job for older rules has nothing left."""
    return job.key != job_key() or scan_portion(db, now=now) is None


def scan(
    db: sqlite3.Connection, *, now: datetime, thorough: bool = False, progress: Progress | None = None
) -> dict[str, int]:
    """Scans what the rules of today have not seen, or everything again: counts of texts, changes and quarantines."""
    if thorough:
        with transaction(db):
            db.execute(f"delete from scan_progress where {OURS} or place = 'file'")
    quarantined = count_quarantined(db)
    before = dict(db.execute(f"select place, texts_changed from scan_progress where {OURS}").fetchall())
    scanned = 0
    while (portion := scan_portion(db, now=now)) is not None:
        scanned += portion
        if progress:
            progress("scanned places", len(PLACES) - len(waiting_places(db)), len(PLACES))
    after = db.execute(f"select place, texts_changed from scan_progress where {OURS}").fetchall()
    changed = sum(count - (before.get(name, 0) if count >= before.get(name, 0) else 0) for name, count in after)
    db.execute("update jobs set state = 'done', leased_until = null where kind = ? and state = 'due'", [RESCAN])
    return {"scanned": scanned, "redacted": changed, "quarantined": count_quarantined(db) - quarantined}


def newest_finding(db: sqlite3.Connection) -> int:
    """The id of the newest finding; 0 without any."""
    return int(db.execute("select coalesce(max(id), 0) from scan_findings").fetchone()[0])


def found_since(db: sqlite3.Connection, finding_id: int) -> dict[str, int]:
    """How many findings came after one, by rule, the most frequent first."""
    return {row["rule"]: row["count"] for row in db.execute(FOUND_SINCE, [finding_id])}


def count_quarantined(db: sqlite3.Connection) -> int:
    """Versions of memories that a scan put aside."""
    sql = "select count(*) from memory_versions where changed_by = ? and change_reason like ? and status = 'retired'"
    return int(db.execute(sql, [SCANNER, f"{QUARANTINED}%"]).fetchone()[0])


def scan_portion(db: sqlite3.Connection, *, now: datetime) -> int | None:
    """Scans the next rows of the first place that is not finished: how many texts; None when all places are.

    What nobody said is set aside before that.
    """
    if (looked_at := setting_aside.portion(db, now=now)) is not None:
        return looked_at
    for each in waiting_places(db)[:1]:
        values = {"place": each.name, "version": RULES_VERSION, "now": utc_text(now)}
        db.execute("pragma secure_delete = on")  # what is taken out must not stay in a free page of the file
        with transaction(db) as lock:
            db.execute(BEGIN_PLACE, values)
            last = db.execute("select last_id from scan_progress where place = ?", [each.name]).fetchone()[0]
            rows, reached = next_rows(db, each, last)
            changed = 0
            for number, found in enumerate(rows):
                if number and lock.is_long() and found["scan_key"] != rows[number - 1]["scan_key"]:
                    rows, reached = rows[:number], rows[number - 1]["scan_key"]
                    break
                changed += clean_row(db, each, found, now)
            is_last = reached is None
            if is_last and has_changed(db, each, changed):
                forget_words(db, each)
            texts = len(rows) * len(each.ways)
            db.execute(STEP, [last if is_last else reached, texts, changed, utc_text(now) if is_last else None,
                              each.name])  # fmt: skip
        return texts
    return None


def next_rows(db: sqlite3.Connection, each: ScannedTable, last: int) -> tuple[list[sqlite3.Row], int | None]:
    """The rows of a place after a key, and the key they reach; None where there are none."""
    key, table = each.key, each.table
    keys = f"select distinct {key} as k from {table} where {key} > ? order by k limit {PORTION}"
    reached = db.execute(f"select max(k) from ({keys})", [last]).fetchone()[0]
    if reached is None:
        return [], None
    columns = ", ".join(dict.fromkeys([f"{key} as scan_key", *each.ways, *OTHER_COLUMNS.get(table, ())]))
    sql = f"select {columns} from {table} where {key} > ? and {key} <= ? order by {key}"
    return db.execute(sql, [last, reached]).fetchall(), int(reached)


OTHER_COLUMNS = {"entries": ("uid",), "memories": ("uid", "status", "lock_level"), "memory_versions": ("memory_id",)}
"""What else is asked of a row than its texts."""


def has_changed(db: sqlite3.Connection, each: ScannedTable, changed: int) -> bool:
    """Whether anything was taken out of a place, in this portion or before."""
    sql = "select texts_changed from scan_progress where place = ?"
    return bool(changed or db.execute(sql, [each.name]).fetchone()[0])


def forget_words(db: sqlite3.Connection, each: ScannedTable) -> None:
    """Merges a full text whose texts changed, so that the words that were taken out are gone from it too."""
    for index, table in FULL_TEXTS.items():
        if each.table == table:
            db.execute(f"insert into {index}({index}) values ('optimize')")


def clean_row(db: sqlite3.Connection, each: ScannedTable, row: sqlite3.Row, now: datetime) -> int:
    """Makes one row clean and notes what was found in it; how many of its texts changed."""
    cleaned: dict[str, str] = {}
    found: list[tuple[str, Finding]] = []
    for column, way in each.ways.items():
        text = row[column]
        if not isinstance(text, str) or not text:
            continue
        new, findings = WAYS[way](text)
        if new != text:
            cleaned[column] = new
            found += [(column, finding) for finding in findings]
        if column in each.steers:
            found += [(column, finding) for finding in find_injection(new)]
    cleaned |= drawn_anew(each, row, cleaned)
    if cleaned and each.table == "memories":
        redact_memory(db, row, cleaned, now)
        name_anew(db, row["scan_key"], f"[redacted:{found[0][1].rule}]" if found else "", now)
    elif cleaned:
        redact_row(db, each, row, cleaned)
    note_findings(db, each, row, found, now)
    if each.table == "memories":
        quarantine(db, row, [finding for _, finding in found if finding.category in ("injection", "invisible")], now)
    return len(cleaned)


def drawn_anew(each: ScannedTable, row: sqlite3.Row, cleaned: dict[str, str]) -> dict[str, str]:
    """Keys and a cut title without what they have only from a text that was made clean, such as the name of an address.

    By themselves they look clean. What no text had before, as a person's own keys, stays.
    """
    sources = [column for column, way in each.ways.items() if way == "text" and column != "title"]
    if "keys" not in each.ways or not cleaned.keys() & set(sources):
        return {}
    before = "\n".join(row[column] or "" for column in sources)
    after = "\n".join(cleaned.get(column, row[column]) or "" for column in sources)

    def is_gone(words: str) -> bool:
        whole = re.compile(rf"(?<!\w){re.escape(words)}(?!\w)", re.IGNORECASE)
        return bool(words) and bool(whole.search(before)) and not whole.search(after)

    try:
        keys = json.loads(cleaned.get("keys", row["keys"]))
    except ValueError:  # a row changed by hand, which `check` names
        keys = []
    kept = [key for key in keys if not is_gone(key)]
    changed = {} if kept == keys else {"keys": json.dumps(kept, ensure_ascii=False)}
    if row["title"].endswith(CUT) and is_gone(row["title"].removesuffix(CUT)):
        changed["title"] = first_line(cleaned.get("text", row["text"]))
    return changed


def redact_row(db: sqlite3.Connection, each: ScannedTable, row: sqlite3.Row, cleaned: dict[str, str]) -> None:
    """Writes clean texts where they stand. What becomes like another row, and must differ, is numbered."""
    for column, text in cleaned.items():
        where = f"where {each.key} = ? and {column} = ?"
        if each.key != "id":  # part of the key: two that become alike are one
            db.execute(f"update or replace {each.table} set {column} = ? {where}", [text, row["scan_key"], row[column]])
            continue
        update = f"update or ignore {each.table} set {column} = ? {where}"
        for put in (text, f"{text} ({row['scan_key']})"):
            if db.execute(update, [put, row["scan_key"], row[column]]).rowcount:
                break
    if sort := EMBEDDED.get(each.table):
        llm_rows.forget_words(db, sort, [row["scan_key"]])
    if each.table == "memory_versions":
        db.execute("delete from static_vectors where memory_version_id = ?", [row["scan_key"]])


def redact_memory(db: sqlite3.Connection, row: sqlite3.Row, cleaned: dict[str, str], now: datetime) -> None:
    """A new version of a memory with what may be stored; the one before is made clean when its turn comes."""
    columns = ("title", "text", "keys", "context", "condition")
    values = {column: cleaned.get(column, row[column]) for column in columns}
    values |= {"tokens": count_tokens(values["text"]), "content_hash": content_hash(values["text"])}
    is_text = bool(cleaned.keys() & set(columns))
    reason = f"redacted by {job_key()}" if is_text else cleaned.get("change_reason", row["change_reason"])
    by = SCANNER if is_text else cleaned.get("changed_by", row["changed_by"])
    values |= {"changed_by": by, "change_reason": reason, "now": utc_text(now), "id": row["scan_key"]}
    db.execute(REDACTED_MEMORY, values)


def name_anew(db: sqlite3.Connection, memory_id: int, mark: str, now: datetime) -> None:
    """Reads again which entities a memory names; one that went has a mark in the reasons of edges that name it."""
    before = {row["name"] for row in db.execute(NAMED, [memory_id])}
    entities.refresh(db, [memory_id], now=now)
    gone = before - {row["name"] for row in db.execute(NAMED, [memory_id])}
    for name in sorted(gone, key=len, reverse=True):  # the longer one first, for another may be a part of it
        db.execute(MARK_REASON, {"id": memory_id, "name": name, "mark": mark})


def note_findings(
    db: sqlite3.Connection, each: ScannedTable, row: sqlite3.Row, found: Sequence[tuple[str, Finding]], now: datetime
) -> None:
    """Leaves a row for each thing found, as those who wrote the text would have done."""
    key = row["scan_key"]
    where = f"{each.table} {key}"
    if each.table in ("entries", "memories"):
        where = row["uid"] if each.table == "entries" else f"memory {row['uid']}"
    entry_id = key if each.table == "entries" else None
    memory_id = row["memory_id"] if each.table == "memory_versions" else key if each.table == "memories" else None
    db.executemany(
        INSERT_FINDING,
        [[finding.rule, finding.category, RULES_VERSION, where, entry_id, memory_id, column, finding.start,
          finding.hint, utc_text(now)] for column, finding in found],
    )  # fmt: skip


def quarantine(db: sqlite3.Connection, row: sqlite3.Row, found: Sequence[Finding], now: datetime) -> None:
    """Puts a memory aside that would steer an agent, unless a person locked it or restored it from the same rule."""
    if not found or row["status"] == "retired" or row["lock_level"] == "user":
        return
    reason = QUARANTINED + found[0].rule
    before = "select 1 from memory_versions where memory_id = ? and status = 'retired' and change_reason = ?"
    if db.execute(before, [row["scan_key"], reason]).fetchone():
        return
    db.execute(
        "update memories set status = 'retired', changed_by = ?, change_reason = ?, updated_at = ? where id = ?",
        [SCANNER, reason, utc_text(now), row["scan_key"]],
    )
