"""Why a past recall showed what it showed.

In: a recall's uid (or id) and perhaps one hit. Out: plain dicts of what was
logged. A hit beyond what is kept is computed again, and says so.
"""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from memory_db.errors import NotFoundError
from memory_db.recall.brief.placement import Placement
from memory_db.recall.explain.asked_again import Missed, look_again
from memory_db.recall.explain.association import EarlierPrompt, earlier_prompts
from memory_db.recall.explain.procedures import shown_in
from memory_db.recall.question_dates import read_as
from memory_db.recall.search import Semantic
from memory_db.records import later
from memory_db.store.dates import Window

SHORTEST_PREFIX = 8
"""Characters of an entry's uid that pages show, and that name it where no other begins with them."""

SHORT_ENTRY = later(r"e[0-9a-f]{8}")
"""What names an entry in a line of a brief."""

HITS = """
select h.*, s.score, coalesce(m.uid, e.uid) as uid, coalesce(v.text, e.text) as text
from hits h
join recall_scores s on s.hit_id = h.id
left join memory_versions v on v.id = h.memory_version_id
left join memories m on m.id = v.memory_id
left join entries e on e.id = h.entry_id
where h.recall_id = ?
order by h.rank is null, h.rank, h.position
"""


def find_recall(db: sqlite3.Connection, name: str) -> sqlite3.Row:
    """The row of a recall by uid or id, with its profile.

    Raises: NotFoundError.
    """
    row: sqlite3.Row | None = db.execute(
        "select r.*, p.name as profile, p.version, p.weights from recalls r join profiles p on p.id = r.profile_id"
        " where r.uid = :name or cast(r.id as text) = :name",
        {"name": name},
    ).fetchone()
    if row is None:
        raise NotFoundError(f"No recall {name!r}. `memory-db recall` prints the uid of each; recalls keeps them all.")
    return row


def last_recall(db: sqlite3.Connection) -> str:
    """The uid of the last recall of a file, whoever asked.

    Raises: NotFoundError where none is logged.
    """
    row = db.execute("select uid from recalls order by id desc limit 1").fetchone()
    if row is None:
        raise NotFoundError("No recall is logged yet. Ask something first: `memory-db recall 'a question'`.")
    return str(row["uid"])


def explain_recall(db: sqlite3.Connection, name: str) -> dict[str, Any]:
    """One recall with its kept hits: query, profile, hits with scores and strongest signals, and what was left out.

    Raises: NotFoundError.
    """
    row = find_recall(db, name)
    weights: dict[str, float] = json.loads(row["weights"])
    context: dict[str, Any] = json.loads(row["context"])
    hits = [hit_summary(hit, weights) for hit in db.execute(HITS, [row["id"]])]
    return {
        "recall": row["uid"],
        "query": row["query"],
        "asked_at": row["asked_at"],
        "surface": row["surface"],
        "scope": row["scope"],
        "context": context,
        "read_as": read_as(Window(**context["window"])) if context.get("window") else None,
        "features": json.loads(row["features"]),
        "profile": f"{row['profile']}@{row['version']}",
        "weights": weights,
        "considered_count": row["considered_count"],
        "left_out": json.loads(row["left_out"]),
        "shown_count": sum(hit["rank"] is not None for hit in hits),
        "shown_text": row["shown_text"],
        "shown_tokens": row["shown_tokens"],
        "duration_ms": row["duration_ms"],
        "procedures": shown_in(db, row["id"]),
        "hits": hits,
    }


def hit_summary(hit: sqlite3.Row, weights: dict[str, float]) -> dict[str, Any]:
    """One kept hit: where it stood, its score logged and derived again, its signals."""
    signals: dict[str, float] = json.loads(hit["signals"])
    parts = sorted(((weights.get(name, 0.0) * value, name) for name, value in signals.items()), reverse=True)
    return {
        "uid": hit["uid"],
        "type": "memory" if hit["memory_version_id"] else "entry",
        "rank": hit["rank"],
        "position": hit["position"],
        "left_out_reason": hit["left_out_reason"],
        "score": hit["score"],
        "logged_score": hit["logged_score"],
        "strongest": ", ".join(f"{name} {part:.3f}" for part, name in parts[:3] if part > 0),
        "signals": signals,
        "features": json.loads(hit["features"]),
        "text": hit["text"],
    }


def explain_hit(
    db: sqlite3.Connection, recall_name: str, uid: str, *, semantic: Semantic | None = None
) -> dict[str, Any]:
    """One hit of one recall, shown or not: every signal with weight and part, and the score to the last digit.

    What was not kept is computed again with the same question, weights and moment; `recomputed` says so.
    Raises: NotFoundError.
    """
    row = find_recall(db, recall_name)
    weights: dict[str, float] = json.loads(row["weights"])
    missed = find_missed(db, uid)
    if missed is None:
        raise NotFoundError(f"No memory or entry {uid!r}. `memory-db why {row['uid']}` lists what was considered.")
    hit = logged_hit(db, row["id"], missed)
    if hit is not None:
        outcome = f"shown at rank {hit['rank']}" if hit["rank"] else f"not shown: {hit['left_out_reason']}"
        return {
            "uid": uid,
            "recomputed": False,
            "outcome": f"{outcome} (position {hit['position']} by score)",
            "score": hit["score"],
            "logged_score": hit["logged_score"],
            "features": json.loads(hit["features"]),
            "earlier_prompts": earlier_prompts(db, json.loads(hit["features"]), hit["memory_version_id"]),
            "parts": parts_of(weights, json.loads(hit["signals"])),
        }
    again = look_again(db, row, missed, semantic)
    return {
        "uid": uid,
        "recomputed": True,
        "outcome": f"{again.sentence} ({again.how})" if again.how else again.sentence,
        "score": again.hit.score if again.hit else None,
        "logged_score": None,
        "features": again.hit.features.as_dict() if again.hit else {},
        "earlier_prompts": prompts_of(db, again.hit),
        "parts": parts_of(weights, again.hit.signals) if again.hit else [],
    }


def prompts_of(db: sqlite3.Connection, hit: Placement | None) -> list[EarlierPrompt]:
    """The earlier prompts behind a hit that was computed again."""
    return earlier_prompts(db, hit.features.as_dict(), hit.memory_version_id) if hit else []


def find_missed(db: sqlite3.Connection, name: str) -> Missed | None:
    """The memory or the entry that a uid names, brackets around it or not; an entry also by its first characters."""
    uid = name.strip().strip("[]")
    for kind, table in (("memory", "memories"), ("entry", "entries")):
        found = db.execute(f"select id, uid from {table} where uid = ?", [uid]).fetchone()
        if found:
            return Missed(kind, found["id"], found["uid"])
    if SHORT_ENTRY.fullmatch(uid):
        uid = uid[1:]
    if len(uid) < SHORTEST_PREFIX or " " in uid:
        return None
    begins = db.execute(
        "select id, uid from entries where uid >= ? and uid < ? limit 2", [uid, uid + chr(0x10FFFF)]
    ).fetchall()
    return Missed("entry", begins[0]["id"], begins[0]["uid"]) if len(begins) == 1 else None


def logged_hit(db: sqlite3.Connection, recall_id: int, missed: Missed) -> sqlite3.Row | None:
    """The row that the log of a recall has of something, as `HITS` gives it."""
    which = "v.memory_id = ?" if missed.type == "memory" else "h.entry_id = ?"
    sql = HITS.replace("where h.recall_id = ?", f"where h.recall_id = ? and {which}")
    row: sqlite3.Row | None = db.execute(sql, [recall_id, missed.id]).fetchone()
    return row


def parts_of(weights: dict[str, float], signals: dict[str, float]) -> list[dict[str, Any]]:
    """Signals with their weights and parts of the score, greatest part first."""
    parts = [
        {"signal": name, "weight": weights.get(name, 0.0), "value": value, "part": weights.get(name, 0.0) * value}
        for name, value in signals.items()
    ]
    return sorted(parts, key=lambda part: (-part["part"], part["signal"]))
