"""The log of a recall: its row, its hits, what redaction found, the name that an agent can cite, and what was shown.

In: an answer. Out: rows, written in one transaction, which joins that of a caller who has more to write; and read back,
what a session was shown. Invariant: where logging fails the answer is as it was.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from datetime import datetime

from memory_db.brief_text import brief_text, estimated_tokens
from memory_db.connection import transaction
from memory_db.dates import parse_utc, utc_text
from memory_db.redact import RULES_VERSION

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from memory_db.brief import Answer
    from memory_db.hits import ScoredHit
    from memory_db.recall import Question

MOST_BRIEFS = 100
"""Briefs of a session that are looked back at, the last: what fills 40,000 tokens is hardly in mind any longer."""

PUSHED = ("hook", "session-start", "pre-tool-use", "brief")
"""Surfaces that put a brief before an agent unasked, or print such a one: they say nothing twice in a session."""


def moment_of(question: Question, now: datetime) -> datetime:
    """The moment that ages in a brief are counted to."""
    return parse_utc(question.as_of) if question.as_of else now


def free_uid(db: sqlite3.Connection, query: str, asked_at: str) -> str:
    """A name that no recall has yet."""
    number = int(db.execute("select coalesce(max(id), 0) from recalls").fetchone()[0])
    while db.execute("select 1 from recalls where uid = ?", [uid := recall_uid(query, asked_at, number)]).fetchone():
        number += 1
    return uid


def recall_uid(query: str, asked_at: str, number: int) -> str:
    """A name for a recall that an agent can cite: r and eight hexadecimal digits."""
    return f"r{zlib.crc32(f'{asked_at}|{number}|{query}'.encode()):08x}"


def log_recall(db: sqlite3.Connection, answer: Answer, *, surface: str, now: datetime) -> None:
    """Names the recall and writes it with its hits in one transaction; then its text carries that name.

    Named inside the transaction: two recalls at once cannot take the same name. Where it fails the answer is as it was.
    """
    recalled, question = answer.recalled, answer.question
    features = {
        "terms": list(recalled.query_features.terms),
        "best_bm25_memories": recalled.query_features.best_bm25_memories,
        "best_bm25_entries": recalled.query_features.best_bm25_entries,
        "known_words": recalled.query_features.known_words,
    }
    for name in ("literals", "variants", "corrected"):
        if asked := getattr(recalled.query_features, name):
            features[name] = asked
    if recalled.query_features.window_days is not None:
        features["window_days"] = recalled.query_features.window_days
    with transaction(db):
        uid = free_uid(db, question.query, utc_text(now))
        text = brief_text(answer.shown, uid, moment_of(question, now), answer.before, answer.after)
        tokens = estimated_tokens(text)
        cursor = db.execute(
            INSERT_RECALL,
            [uid, question.query, question.scope, surface, question.project_id, question.session_id,
             answer.profile.id, json.dumps(question.context()), json.dumps(features), recalled.semantic_model,
             recalled.static_model, answer.considered_count, json.dumps(answer.left_out), int(answer.abstained),
             text, tokens, question.as_of, utc_text(now), answer.duration_ms, question.session_uid],
        )  # fmt: skip
        db.executemany(INSERT_HIT, [hit_row(cursor.lastrowid, hit) for hit in answer.hits])
        db.executemany(
            INSERT_FINDING,
            [[finding.rule, finding.category, RULES_VERSION, f"recall {uid}", finding.start,
              finding.hint, utc_text(now)] for finding in answer.findings],
        )  # fmt: skip
    answer.recall_id, answer.recall_uid, answer.text, answer.tokens = cursor.lastrowid, uid, text, tokens


INSERT_RECALL = """
insert into recalls (uid, query, scope, surface, project_id, session_id, profile_id, context, features,
    semantic_model, static_model, considered_count, left_out, abstained, shown_text, shown_tokens, as_of, asked_at,
    duration_ms, session_uid)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""

INSERT_HIT = """
insert into hits (recall_id, memory_version_id, entry_id, position, rank, left_out_reason, logged_score, features,
    signals, role, shown_reason, shown_tokens)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""

INSERT_FINDING = """
insert or ignore into scan_findings (rule, category, rules_version, place, field, start, hint, found_at)
values (?, ?, ?, ?, 'query', ?, ?, ?)
"""


def hit_row(recall_id: int | None, hit: ScoredHit) -> list[object]:
    """One hit as it is logged."""
    return [
        recall_id,
        hit.memory_version_id,
        hit.entry_id,
        hit.position,
        hit.rank,
        hit.left_out_reason,
        hit.score,
        json.dumps(hit.features.as_dict()),
        json.dumps(hit.signals),
        hit.role or None,
        hit.shown_reason or None,
        hit.shown_tokens if hit.rank is not None else None,
    ]


def shown_earlier(
    db: sqlite3.Connection, question: Question, surface: str, before: tuple[int, str] | None = None
) -> frozenset[tuple[int | None, int | None]]:
    """Versions of memories, and entries, that stood in a brief which this session still has before it.

    `before` is the id of a recall and when it was asked, for what was so then; without it, what is so now.
    What was shown before the agent's context was made smaller is gone from there; a title alone said nothing; and of
    two that contradict each other neither is told without the other. Versions that are not current are no hits anyway.
    """
    if not question.session_uid or surface not in PUSHED:
        return frozenset()
    places = ", ".join(f"'{name}'" for name in PUSHED)
    values: dict[str, object] = {"session": question.session_uid}
    told, compacted = "", COMPACTED
    if before is not None:
        values |= {"id": before[0], "moment": before[1]}
        told, compacted = " and id < :id", COMPACTED.replace(":session", ":session and started_at <= :moment")
    rows = db.execute(EARLIER.format(surfaces=places, most=MOST_BRIEFS, told=told, compacted=compacted), values)
    return frozenset((row[0], row[1]) for row in rows)


EMPTIED = ("clear", "compact")
"""Why a session starts without what it had read before. Source: Claude Code's documentation of hooks."""

COMPACTED = f"""coalesce((select max(started_at) from hook_runs where session_uid = :session
        and (hook = 'pre-compact' or (hook = 'session-start' and reason in {EMPTIED}))), '')"""
"""When a session's context was made smaller last."""

EARLIER = """
with told as materialized (select id, asked_at from recalls
    where session_uid = :session and surface in ({surfaces}){told} order by id desc limit {most})
select h.memory_version_id, h.entry_id from told r cross join hits h indexed by hits_shown on h.recall_id = r.id
where h.rank is not null and h.role is not 'index' and r.asked_at >= {compacted}
    and not exists (select 1 from contradictions c join memory_versions v on v.id = h.memory_version_id
        where c.state = 'open' and (c.memory_id = v.memory_id or c.other_memory_id = v.memory_id))
"""
