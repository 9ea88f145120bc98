"""The log of a recall: its row, its hits, what redaction found, the name that an agent can cite, and what was shown.

In: an answer. Out: rows, written in one transaction, which joins that of a caller who has more to write; and read back,
what a session was shown. Invariant: where logging fails the answer is as it was.

Who must answer before the log is written gives the answer its name first (`name_recall`), prints it, and logs it then:
as rows, or where the file is busy as a record in the spool, which holds all that the rows would.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from datetime import datetime
from itertools import count

from memory_db.recall.brief.allowed import Shown
from memory_db.recall.brief.render import brief_text, estimated_tokens
from memory_db.redact.clean import RULES_VERSION
from memory_db.store.connection import rows_there, transaction
from memory_db.store.dates import parse_utc, utc_text
from memory_db.store.json_text import dumps

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from typing import Any

    from memory_db.recall.brief.placement import Placement
    from memory_db.recall.brief.select import Answer
    from memory_db.recall.search import Question, Recalled

MOST_BRIEFS = 100
"""Briefs of a session that are looked back at, the last: what fills 40,000 tokens is hardly in mind any longer."""

PUSHED = ("hook", "session-start", "pre-tool-use", "brief")
"""Surfaces that put a brief before an agent unasked, or print such a one: they say nothing twice in a session."""


def moment_of(question: Question, now: datetime) -> datetime:
    """The moment that ages in a brief are counted to."""
    return parse_utc(question.filters.as_of) if question.filters.as_of else now


def free_uid(db: sqlite3.Connection, query: str, asked_at: str) -> str:
    """A name that no recall has yet."""
    number = int(db.execute("select coalesce(max(id), 0) from recalls").fetchone()[0])
    while name_is_taken(db, uid := recall_uid(query, asked_at, number)):
        number += 1
    return uid


def name_is_taken(db: sqlite3.Connection, uid: str) -> bool:
    """Whether a recall has that name."""
    return db.execute("select 1 from recalls where uid = ?", [uid]).fetchone() is not None


def recall_uid(query: str, asked_at: str, number: int) -> str:
    """A name for a recall that an agent can cite: r and eight hexadecimal digits."""
    return f"r{zlib.crc32(f'{asked_at}|{number}|{query}'.encode()):08x}"


NAMED = count()
"""Recalls that this process named before it wrote them."""


def name_recall(db: sqlite3.Connection, answer: Answer, *, now: datetime) -> None:
    """Gives an answer its name, and the text that carries it, before it is logged; the file is only read.

    Others may name theirs at the same moment and with the same words, so the process and its count are in the name.
    """
    asked_at = f"{utc_text(now)}|{os.getpid()}|{next(NAMED)}"
    uid = free_uid(db, answer.question.query, asked_at)
    answer.recall_uid, answer.text, answer.tokens = uid, *text_named(answer, uid, now)


def text_named(answer: Answer, uid: str, now: datetime) -> tuple[str, int]:
    """The text of an answer under a name, and its price in tokens."""
    text = brief_text(answer.shown, uid, moment_of(answer.question, now), answer.before, answer.after)
    return text, estimated_tokens(text)


def log_recall(db: sqlite3.Connection, answer: Answer, *, surface: str, now: datetime) -> None:
    """Writes the recall with its hits in one transaction, under its name or a new one; then its text carries that.

    Named inside the transaction unless it has a name: two recalls at once cannot take the same one. Where it fails the
    answer is as it was.
    """
    with transaction(db):
        if (uid := answer.recall_uid) is None or name_is_taken(db, uid):
            uid = free_uid(db, answer.question.query, utc_text(now))
        text, tokens = text_named(answer, uid, now)
        recall_id = insert_record(db, record_of(answer, uid, text, tokens, surface=surface, now=now))
    answer.recall_id, answer.recall_uid, answer.text, answer.tokens = recall_id, uid, text, tokens


def record_of(
    answer: Answer, uid: str, text: str, tokens: int, *, surface: str, now: datetime
) -> dict[str, dict[str, object] | list[list[object]]]:
    """All that is logged of an answer as plain data: columns of its `recall`, `hits`, `findings` and `procedures`."""
    recalled, question = answer.recalled, answer.question
    values = (
        uid, question.query, question.scope, surface, question.project_id, question.session_id, answer.profile.id,
        dumps(question.context()), dumps(logged_features(recalled)), recalled.semantic_model,
        recalled.static_model, answer.considered_count, dumps(answer.left_out), int(answer.abstained),
        text, tokens, question.filters.as_of, utc_text(now), answer.duration_ms, question.session_uid,
    )  # fmt: skip
    return {
        "recall": dict(zip(RECALL_COLUMNS, values, strict=True)),
        "hits": [hit_row(hit) for hit in answer.hits],
        "findings": [
            [finding.rule, finding.category, RULES_VERSION, finding.start, finding.hint] for finding in answer.findings
        ],
        "procedures": [[told.uid, told.text, told.tokens, told.reason] for told in answer.procedures],
    }


def logged_features(recalled: Recalled) -> dict[str, object]:
    """What is kept of a question's own numbers and words, and of its first hits together."""
    asked = recalled.query_features
    features: dict[str, object] = {
        "terms": list(asked.terms),
        "best_bm25_memories": asked.best_bm25_memories,
        "best_bm25_entries": asked.best_bm25_entries,
        "known_words": asked.known_words,
    }
    features |= {name: value for name in ("literals", "variants", "corrected") if (value := getattr(asked, name))}
    features |= {"first_hits": recalled.verdict.as_dict()} if recalled.verdict else {}
    features |= {"worth": {term: round(value, 3) for term, value in asked.worth.items()}} if asked.worth else {}
    features |= {"alike_prompts": asked.alike_prompts} if asked.alike_prompts else {}
    features |= {"is_young": True} if asked.is_young else {}
    return features | ({} if asked.window_days is None else {"window_days": asked.window_days})


def insert_record(db: sqlite3.Connection, record: Any, *, insert_hit: str = "") -> int | None:
    """Writes what `record_of` gave, in the transaction of the caller; the recall's id. Raises: sqlite3.Error."""
    recall = record["recall"]
    recall_id = db.execute(INSERT_RECALL, [recall[name] for name in RECALL_COLUMNS]).lastrowid
    db.executemany(insert_hit or INSERT_HIT, [[recall_id, *row] for row in record["hits"]])
    place, found_at = f"recall {recall['uid']}", recall["asked_at"]
    for rule, category, version, start, hint in record["findings"]:
        db.execute(INSERT_FINDING, [rule, category, version, place, start, hint, found_at])
    for uid, *told in record.get("procedures", ()):  # a line of the spool may be older than procedures are
        db.execute(INSERT_PROCEDURE, [recall_id, uid, uid, *told])
    return recall_id


RECALL_COLUMNS = (
    "uid", "query", "scope", "surface", "project_id", "session_id", "profile_id", "context", "features",
    "semantic_model", "static_model", "considered_count", "left_out", "abstained", "shown_text", "shown_tokens",
    "as_of", "asked_at", "duration_ms", "session_uid",
)  # fmt: skip

INSERT_RECALL = f"""
insert into recalls ({", ".join(RECALL_COLUMNS)}) values ({", ".join("?" * len(RECALL_COLUMNS))})
"""

HIT_COLUMNS = (
    "recall_id", "memory_version_id", "entry_id", "position", "rank", "left_out_reason", "logged_score", "features",
    "signals", "role", "shown_reason", "shown_tokens",
)  # fmt: skip

INSERT_HIT = f"""
insert into hits ({", ".join(HIT_COLUMNS)}) values ({", ".join("?" * len(HIT_COLUMNS))})
"""

INSERT_FINDING = """
insert or ignore into scan_findings (rule, category, rules_version, place, field, start, hint, found_at)
values (?, ?, ?, ?, 'query', ?, ?, ?)
"""

INSERT_PROCEDURE = """
insert into recall_procedures (recall_id, procedure_id, uid, text, tokens, reason)
values (?, (select id from procedures where uid = ?), ?, ?, ?, ?)
"""


def hit_row(hit: Placement) -> list[object]:
    """One hit as it is logged, without the recall that it is of."""
    return [
        hit.memory_version_id,
        hit.entry_id,
        hit.position,
        hit.rank,
        hit.left_out_reason,
        hit.score,
        dumps(hit.features.as_dict() | weighed(hit)),
        dumps(hit.signals),
        hit.role or None,
        hit.shown_reason or None,
        hit.shown_tokens if hit.rank is not None else None,
    ]


def weighed(hit: Placement) -> dict[str, float]:
    """What a brief found of a hit beside its features: its evidence, its lead and that which it needs, where known."""
    numbers = {"evidence": hit.evidence or None, "lead": hit.lead, "lead_needed": hit.lead_needed}
    return {name: round(value, 4) for name, value in numbers.items() if value is not None}


def shown_earlier(
    db: sqlite3.Connection, question: Question, surface: str, before: tuple[int, str] | None = None
) -> dict[tuple[int | None, int | None], Shown]:
    """Versions of memories, and entries, that stood in a brief which this session still has before it, and how.

    `before` is the id of a recall and when it was asked, for what was so then; without it, what is so now.
    What was shown before the agent's context was made smaller is gone from there; a title alone said nothing; and of
    two that contradict each other neither is told without the other. Versions that are not current are no hits anyway.
    """
    if not question.session_uid or surface not in PUSHED:
        return {}
    places = ", ".join(f"'{name}'" for name in PUSHED)
    values: dict[str, object] = {"session": question.session_uid}
    older, compacted = "", COMPACTED
    if before is not None:
        values |= {"id": before[0], "moment": before[1]}
        older, compacted = " and id < :id", COMPACTED_BY
    sql = EARLIER.format(surfaces=places, most=MOST_BRIEFS, told=older, compacted=compacted)
    rows = rows_there(db, sql, values)
    return {(row[0], row[1]): Shown(row[2] or 0.0, row[3], bool(row[4])) for row in rows}


EMPTIED = ("clear", "compact")
"""Why a session starts without what it had read before. Source: Claude Code's documentation of hooks."""

COMPACTED = f"""coalesce((select max(started_at) from hook_runs where session_uid = :session
        and (hook = 'pre-compact' or (hook = 'session-start' and reason in {EMPTIED}))), '')"""
"""When a session's context was made smaller last."""

COMPACTED_BY = COMPACTED.replace(":session", ":session and started_at <= :moment")
"""The same before a moment."""

EARLIER = """
with told as materialized (select id, asked_at, context, query = '' as is_start from recalls
    where session_uid = :session and surface in ({surfaces}){told} order by id desc limit {most})
select h.memory_version_id, h.entry_id, max(json_extract(h.features, '$.evidence')),
    coalesce(max(json_extract(r.context, '$.session_bytes')), (select min(json_extract(b.context, '$.session_bytes'))
        from told b where b.asked_at >= {compacted})), max(r.is_start)
from told r cross join hits h indexed by hits_shown on h.recall_id = r.id
where h.rank is not null and h.role is not 'index' and r.asked_at >= {compacted}
    and not exists (select 1 from contradictions c join memory_versions v on v.id = h.memory_version_id
        where c.state = 'open' and (c.memory_id = v.memory_id or c.other_memory_id = v.memory_id))
group by h.memory_version_id, h.entry_id
"""
"""A transcript is long before anything is said in it: what a session began with counts from the first length known."""


def as_said_here(db: sqlite3.Connection, question: Question, hit: Placement, moment: datetime) -> Shown | None:
    """How what the asking session said itself stood before it at a moment; None for what it did not, or was gone then.

    Only a prompt is so asked: who asks for a brief, or works on a file, is told it again.
    """
    is_prompt = question.is_unasked and question.least_evidence is not None
    if not (is_prompt and question.session_uid and question.session_uid == hit.session_uid):
        return None
    values = {"session": question.session_uid, "said_at": hit.created_at, "moment": utc_text(moment)}
    row = next(iter(rows_there(db, SAID_HERE, values)), None)
    return Shown(session_bytes=row[1], is_at_start=True) if row and hit.created_at >= row[0] else None


SAID_HERE = f"""
select {COMPACTED_BY}, (select json_extract(context, '$.session_bytes') from recalls
    where session_uid = :session and asked_at >= :said_at and json_extract(context, '$.session_bytes') is not null
    order by id limit 1)
"""
