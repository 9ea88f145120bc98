"""The rows behind the home page, the list of recalls and a why page.

In: a connection that reads. Out: plain dicts and lists, the same for the
template and for JSON. Invariant: every number is a row or a view of the
file; nothing is worked out here that a `select` could not tell.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from memory_db import samples
from memory_db.dates import Window
from memory_db.errors import NotFoundError
from memory_db.pages import bars, marks, texts
from memory_db.question_dates import read_as

TOTALS = """
select (select count(*) from projects) as projects,
    (select count(*) from sessions) as sessions,
    (select count(*) from entries) as entries,
    (select count(*) from candidates) as candidates,
    (select count(*) from memories where status = 'active') as memories,
    (select count(*) from recalls) as recalls,
    (select coalesce(sum(shown_tokens), 0) from recalls) as shown_tokens,
    (select count(*) from source_problems) as problems,
    (select count(*) from at_risk_transcripts) as at_risk,
    (select count(*) from never_recalled) as never_recalled
"""

KINDS = """
select k.name, k.description, count(m.id) as memories
from kinds k left join memories m on m.kind = k.name and m.status = 'active'
group by k.name order by memories desc, k.name
"""

PROJECTS = """
with activity as (
    select s.project_id, count(distinct s.id) as sessions, count(e.id) as entries, max(e.created_at) as last_at
    from sessions s left join entries e on e.session_id = s.id group by s.project_id
), known as (
    select project_id, count(*) as memories from memories where status = 'active' group by project_id
), costs as (
    select project, sum(tokens) as tokens, sum(output_tokens) as output_tokens, sum(cost_nanocents) as cost_nanocents,
        sum(calls_without_price) as calls_without_price
    from project_costs group by project
)
select p.name, p.canonical_path, coalesce(a.sessions, 0) as sessions, coalesce(a.entries, 0) as entries,
    coalesce(k.memories, 0) as memories, c.tokens, c.output_tokens, c.cost_nanocents, c.calls_without_price, a.last_at
from projects p
left join activity a on a.project_id = p.id
left join known k on k.project_id = p.id
left join costs c on c.project = p.name
order by a.last_at desc, p.name
"""

RUNS = """
select r.stage, r.started_at, r.duration_ms, r.error
from runs r where r.id = (select max(id) from runs where stage = r.stage) order by r.started_at desc
"""

SUGGESTIONS = """
select title from current_memories where kind <> 'episode'
order by importance desc, evidence_for desc, memory_id limit 4
"""

RECALLS = """
select r.id, r.uid, r.query, r.surface, r.scope, r.abstained, r.considered_count, r.shown_tokens, r.asked_at,
    r.duration_ms, p.name as profile, p.version as profile_version, j.name as project,
    (select count(*) from hits h where h.recall_id = r.id and h.rank is not null) as shown,
    (select count(*) from query_sets s join labelled_queries q on q.query_set_id = s.id
        join judgements u on u.labelled_query_id = q.id
        where s.name = 'own' and q.query = r.query and q.project_id is r.project_id) as judged
from recalls r
join profiles p on p.id = r.profile_id
left join projects j on j.id = r.project_id
order by r.id desc limit ?
"""

RECALL = """
select r.*, p.name as profile, p.version as profile_version, p.weights, p.threshold, p.description as
    profile_description, j.name as project, s.uid as session_uid
from recalls r
join profiles p on p.id = r.profile_id
left join projects j on j.id = r.project_id
left join sessions s on s.id = r.session_id
where ?1 in (r.uid, cast(r.id as text))
"""

HITS = """
select h.id as hit_id, h.position, h.rank, h.left_out_reason, h.logged_score, h.features, h.signals,
    h.entry_id, h.memory_version_id, c.score,
    m.uid as memory_uid, v.version as memory_version, v.title as memory_title, v.text as memory_text,
    v.kind as memory_kind, v.valid_from,
    e.uid as entry_uid, e.text as entry_text, e.kind as entry_kind, e.role, e.created_at, p.name as project,
    coalesce(s.uid, (select f.uid from memory_sources q join entries g on g.id = q.entry_id
        join sessions f on f.id = g.session_id where q.memory_id = v.memory_id order by q.id limit 1)) as session_uid
from hits h
join recall_scores c on c.hit_id = h.id
left join memory_versions v on v.id = h.memory_version_id
left join memories m on m.id = v.memory_id
left join entries e on e.id = h.entry_id
left join sessions s on s.id = e.session_id
left join projects p on p.id = coalesce(v.project_id, s.project_id)
where h.recall_id = ? order by h.position
"""

RANKS = """
select hit_id, profile, rank() over (partition by profile order by score desc, position) as place, score
from profile_scores where recall_id = ?
"""

MOST_PREFERRED = 12
"""How many hits that only other profiles would have shown a why page compares."""

SIGNALS_SQL = """select rank, hit_id, signal, value, weight, contribution
from hit_signals
where recall_id = :recall
order by hit_id, contribution desc"""
"""The query that explains a recall, as its page offers it."""

PROFILES_SQL = """select profile, hit_id, rank as shown_as, score,
    rank() over (partition by profile order by score desc) as place
from profile_scores
where recall_id = :recall
order by profile, place"""
"""The query that compares profiles on a recall, as its page offers it."""


def rows(db: sqlite3.Connection, sql: str, arguments: Sequence[object] = ()) -> list[dict[str, Any]]:
    """The rows of a query as dicts."""
    return [dict(row) for row in db.execute(sql, arguments)]


def home(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
    """What is in the file, what can be asked of it, and how fresh it is."""
    runs = rows(db, RUNS)
    for run in runs:
        run["ago"] = texts.ago(run["started_at"], now)
    projects = rows(db, PROJECTS)
    for project in projects:
        project["ago"] = texts.ago(project["last_at"], now)
    return {
        "sample": samples.is_sample(db),
        "totals": rows(db, TOTALS)[0],
        "kinds": rows(db, KINDS),
        "projects": projects,
        "runs": runs,
        "sources": rows(db, "select * from source_health order by format, state"),
        "recalls": latest_recalls(db, now, limit=5),
        "suggestions": [row["title"] for row in rows(db, SUGGESTIONS)],
    }


def latest_recalls(db: sqlite3.Connection, now: datetime, *, limit: int) -> list[dict[str, Any]]:
    """The latest recalls, newest first."""
    found = rows(db, RECALLS, [limit])
    for row in found:
        row["ago"] = texts.ago(row["asked_at"], now)
    return found


def why(db: sqlite3.Connection, key: str) -> dict[str, Any]:
    """One recall of the past: its question, every logged hit explained, and what other profiles would have given.

    `hits` has those shown, in order; `others` what was logged and not shown; `ranks` of a hit is its
    place under the newest version of every profile, among the logged hits; `compared` has the shown ones and
    those that some profile would have put among as many.

    Raises: NotFoundError.
    """
    found = rows(db, RECALL, [key])
    if not found:
        raise NotFoundError(f"No recall {key[:80]!r}. The latest ones are listed at /-/memory/recalls.")
    recall = found[0]
    for name in ("context", "features", "left_out", "weights"):
        recall[name] = json.loads(recall[name])
    window = recall["context"].pop("window", None)
    recall["window"] = {**window, "read_as": read_as(Window(**window))} if window else None
    weights = recall["weights"]
    ranks = ranks_by_hit(db, recall["id"])
    logged = [logged_hit(row, ranks) for row in rows(db, HITS, [recall["id"]])]
    add_looks(logged, weights)
    profiles = sorted({name for places in ranks.values() for name in places})
    shown = sorted((hit for hit in logged if hit["rank"]), key=lambda hit: hit["rank"])
    others = [hit for hit in logged if not hit["rank"]]
    preferred = [hit for hit in others if min(hit["ranks"].values(), default=len(logged)) <= len(shown)]
    return {
        "recall": recall,
        "judging": marks.mark(db, logged, recall["query"], recall["project_id"], recall["id"]),
        "legend": bars.legend(weights),
        "scale": bars.scale_for(hit["score"] for hit in logged),
        "profiles": profiles,
        "hits": shown,
        "others": others,
        "compared": shown + preferred[:MOST_PREFERRED],
        "disagreeing": sum(abs(hit["score"] - hit["logged_score"]) > 1e-9 for hit in logged),
        "sql": SIGNALS_SQL,
        "profiles_sql": PROFILES_SQL,
    }


def ranks_by_hit(db: sqlite3.Connection, recall_id: int) -> dict[int, dict[str, int]]:
    """For each logged hit, its place under each profile."""
    ranks: dict[int, dict[str, int]] = {}
    for row in db.execute(RANKS, [recall_id]):
        ranks.setdefault(row["hit_id"], {})[row["profile"]] = row["place"]
    return ranks


def logged_hit(row: dict[str, Any], ranks: dict[int, dict[str, int]]) -> dict[str, Any]:
    """A logged hit in the shape that pages show."""
    features = json.loads(row["features"])
    is_memory = row["memory_version_id"] is not None
    return {
        "type": "memory" if is_memory else "entry",
        "hit_id": row["hit_id"],
        "uid": row["memory_uid"] if is_memory else row["entry_uid"],
        "title": row["memory_title"] if is_memory else row["role"],
        "text": (row["memory_text"] if is_memory else row["entry_text"]) or "",
        "kind": row["memory_kind"] if is_memory else row["entry_kind"],
        "project": row["project"],
        "session_uid": row["session_uid"],
        "entry_id": row["entry_id"],
        "memory_version_id": row["memory_version_id"],
        "created_at": row["valid_from"] if is_memory else row["created_at"],
        "age_days": features.get("age_days"),
        "position": row["position"],
        "rank": row["rank"],
        "left_out_reason": row["left_out_reason"],
        "score": row["score"],
        "logged_score": row["logged_score"],
        "features": features,
        "signals": json.loads(row["signals"]),
        "ranks": ranks.get(row["hit_id"], {}),
    }


def add_looks(hits: Iterable[dict[str, Any]], weights: dict[str, float]) -> None:
    """Gives every hit its `heading` and its `segments`, all in one scale."""
    hits = list(hits)
    for hit in hits:
        hit["heading"] = texts.heading(hit["title"] if hit["type"] == "memory" else "", hit["text"])
    scale = bars.scale_for(hit["score"] for hit in hits)
    for hit in hits:
        hit["segments"] = [segment.as_dict() for segment in bars.segments(weights, hit["signals"], scale)]
