"""What running agents are told: prompt, brief, what came of it, tools and cost so far, newest session first.

In: an open file, the folders of transcripts, a moment. Out: a dict for the template and for JSON. Invariants: reads
only; where no agent runs, the page has the last sessions as they ended, and says so.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from memory_db.hooks.pauses import list_pauses
from memory_db.pages.cache import rows
from memory_db.pages.live.transcript import Running, cost_of, running
from memory_db.store.dates import utc_text

RUNNING_MINUTES = 30
"""How long after its last hook a session that did not end counts as running. Source: ours; a long build takes less."""

MOST_SESSIONS, MOST_TURNS = 4, 8
"""Sessions on the page, and prompts of each, the last ones."""

LAST_SEEN = """
with seen(uid, at) as (
    select session_uid, max(started_at) from (
        select session_uid, started_at from hook_runs where session_uid is not null order by id desc limit 2000)
    group by session_uid
)
select seen.uid, seen.at as last_at, s.title, p.name as project, s.id as session_id,
    (select r.project_id from recalls r where r.session_uid = seen.uid order by r.id desc limit 1) as asked_project,
    (select h.hook from hook_runs h where h.session_uid = seen.uid order by h.started_at desc, h.id desc limit 1)
        as last_hook
from seen left join sessions s on s.uid = seen.uid left join projects p on p.id = s.project_id
order by seen.at desc limit ?
"""

TURNS = """
select h.id, h.hook, h.started_at, h.outcome, h.reason, h.error, h.duration_ms, h.shown_tokens, h.answered_by,
    h.recall_id, r.uid as recall_uid, r.query, r.surface
from hook_runs h left join recalls r on r.id = h.recall_id
where h.session_uid = ? and h.hook in ('session-start', 'user-prompt', 'pre-tool-use')
    and (h.hook <> 'pre-tool-use' or h.outcome in ('shown', 'asked', 'denied'))
order by h.started_at desc, h.id desc limit ?
"""

SHOWN = """
select h.rank, m.uid, m.title, m.kind, coalesce(h.shown_tokens, v.tokens) as tokens, v.text, e.uid as entry_uid,
    (select group_concat(distinct d.kind) from evidence d where d.memory_id = m.id and d.recall_id = :recall
        and d.withdrawn_at is null) as came,
    (select count(*) from suppressions x where x.memory_id = m.id and x.ended_at is null) as suppressed
from hits h left join memory_versions v on v.id = h.memory_version_id left join memories m on m.id = v.memory_id
left join entries e on e.id = h.entry_id
where h.recall_id = :recall and h.rank is not null order by h.rank
"""

ENTRY_TEXT = "select e.text, e.uid from hits h join entries e on e.id = h.entry_id where h.recall_id = ? and h.rank = ?"

STOPPED = """
select count(*) from hook_runs where session_uid = ? and hook in ('stop', 'session-end') and started_at > ?
"""

STORED_COST = """
select count(*) as calls, sum(c.cost_nanocents) as cost, sum(c.cost_nanocents is null) as without
from call_costs c join sessions s on s.id = c.session_id
where s.id = :id or s.parent_session_id = :id
"""

STORED_TOOLS = """
select tool, target, created_at as at, coalesce(is_error, 0) as is_error from actions where session_id = ?
order by id desc limit 12
"""

CAME = {
    "wrong": "said to be wrong", "contradicted": "contradicted", "repeated": "corrected again", "cited": "cited",
    "used": "used", "confirmed": "confirmed", "weak": "of little help", "ignored": "ignored",
}  # fmt: skip
"""What came of a line, by the kind of evidence; the first that there is tells most."""


def live(db: sqlite3.Connection, folders: Sequence[Path], now: datetime) -> dict[str, Any]:
    """The running sessions, else the last ones: `sessions`, `is_running`, `pauses` that are on, `at`."""
    found = [dict(row) for row in db.execute(LAST_SEEN, [MOST_SESSIONS])]
    since = utc_text(now - timedelta(minutes=RUNNING_MINUTES))
    for each in found:
        each["is_running"] = each["last_at"] >= since and each["last_hook"] != "session-end"
    active = [each for each in found if each["is_running"]]
    names = {row["id"]: row["name"] for row in db.execute("select id, name from projects")}
    pauses = [each for each in list_pauses(db, now=now) if each["is_on"]]
    sessions = [session_of(db, each, folders, names, pauses) for each in active or found[:2]]
    return {
        "sessions": sessions, "is_running": bool(active), "pauses": pauses, "at": utc_text(now),
        "running_minutes": RUNNING_MINUTES, "projects": sorted(set(names.values())),
    }  # fmt: skip


def session_of(
    db: sqlite3.Connection,
    seen: dict[str, Any],
    folders: Sequence[Path],
    names: dict[int, str],
    pauses: Sequence[dict[str, object]],
) -> dict[str, Any]:
    """One session with its turns, newest first, its tools and what it cost so far."""
    transcript = running(seen["uid"], folders)
    turns = [turn_of(db, dict(row), seen["uid"]) for row in db.execute(TURNS, [seen["uid"], MOST_TURNS])]
    return {
        "uid": seen["uid"], "title": seen["title"], "project": seen["project"] or names.get(seen["asked_project"]),
        "is_running": seen["is_running"], "last_at": seen["last_at"], "last_hook": seen["last_hook"],
        "is_known": seen["session_id"] is not None, "turns": turns,
        "is_paused": any(each["session_uid"] in (None, seen["uid"]) for each in pauses),
        "brief_tokens": sum(turn["shown_tokens"] for turn in turns), **so_far(db, seen["session_id"], transcript),
    }  # fmt: skip


def so_far(db: sqlite3.Connection, session_id: int | None, transcript: Running | None) -> dict[str, Any]:
    """Tools, errors and cost: of the transcript where it lies at hand, else what was imported of it."""
    if transcript is not None:
        cost, without = cost_of(db, list(transcript.calls.values()))
        return {
            "tools": list(reversed(transcript.tools)), "tool_calls": transcript.tool_calls,
            "errors": transcript.errors, "calls": len(transcript.calls), "cost_nanocents": cost,
            "calls_without_price": without, "is_whole": transcript.is_whole, "from": "transcript",
        }  # fmt: skip
    if session_id is None:
        return {
            "tools": [], "tool_calls": None, "errors": None, "calls": None, "cost_nanocents": None,
            "calls_without_price": 0, "is_whole": False, "from": "nothing",
        }  # fmt: skip
    row = db.execute(STORED_COST, {"id": session_id}).fetchone()
    counts = db.execute(
        "select count(*) as calls, coalesce(sum(is_error), 0) as errors from actions where session_id = ?", [session_id]
    ).fetchone()
    return {
        "tools": rows(db, STORED_TOOLS, [session_id]), "tool_calls": counts["calls"], "errors": counts["errors"],
        "calls": row["calls"], "cost_nanocents": row["cost"], "calls_without_price": row["without"] or 0,
        "is_whole": True, "from": "file",
    }  # fmt: skip


def turn_of(db: sqlite3.Connection, turn: dict[str, Any], session_uid: str) -> dict[str, Any]:
    """One hook's answer with the lines that it showed, each with what came of it."""
    turn["lines"] = []
    if turn["recall_id"] is None:
        return turn
    is_over = bool(db.execute(STOPPED, [session_uid, turn["started_at"]]).fetchone()[0])
    for row in db.execute(SHOWN, {"recall": turn["recall_id"]}):
        line = dict(row)
        if line["uid"] is None:
            entry = db.execute(ENTRY_TEXT, [turn["recall_id"], line["rank"]]).fetchone()
            line["text"] = entry["text"] if entry else ""
        kinds = (line.pop("came") or "").split(",")
        told = next((words for kind, words in CAME.items() if kind in kinds), "")
        line["came"] = told or ("no feedback" if is_over else "waiting")
        turn["lines"].append(line)
    return turn
