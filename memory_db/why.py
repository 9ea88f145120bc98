"""Why a past recall showed what it showed.

In: a recall's uid (or id) and perhaps one hit. Out: plain dicts of what was
logged. A hit beyond what is kept is computed again, and says so.
"""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from memory_db.dates import Window, parse_utc
from memory_db.errors import NotFoundError
from memory_db.question_dates import read_as
from memory_db.recall import Question, Semantic, complete, recall
from memory_db.succession import told_succession

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

    What was not kept is computed again with the same question, weights and moment on the file of today;
    `recomputed` says so. Raises: NotFoundError.
    """
    row = find_recall(db, recall_name)
    weights: dict[str, float] = json.loads(row["weights"])
    for hit in db.execute(HITS, [row["id"]]):
        if hit["uid"] == uid:
            outcome = f"shown at rank {hit['rank']}" if hit["rank"] else f"not shown: {hit['left_out_reason']}"
            return {
                "uid": uid,
                "recomputed": False,
                "outcome": f"{outcome} (position {hit['position']} by score)",
                "score": hit["score"],
                "logged_score": hit["logged_score"],
                "features": json.loads(hit["features"]),
                "parts": parts_of(weights, json.loads(hit["signals"])),
            }
    return recompute_hit(db, row, weights, uid, semantic)


def recompute_hit(
    db: sqlite3.Connection, row: sqlite3.Row, weights: dict[str, float], uid: str, semantic: Semantic | None
) -> dict[str, Any]:
    """A hit that was not kept, from the question asked again. Raises: NotFoundError."""
    ids = db.execute(
        "select (select v.id from memory_versions v join memories m on m.id = v.memory_id"
        " where m.uid = :uid and v.recorded_to is null) as version_id,"
        " (select id from entries where uid = :uid) as entry_id",
        {"uid": uid},
    ).fetchone()
    if ids["version_id"] is None and ids["entry_id"] is None:
        raise NotFoundError(f"No memory or entry {uid!r}. `memory-db why {row['uid']}` lists what was considered.")
    born = db.execute(
        "select min(v.recorded_from) from memories m join memory_versions v on v.memory_id = m.id where m.uid = ?",
        [uid],
    ).fetchone()[0]
    if born is not None and born > row["asked_at"]:
        return unexplained(uid, "not known yet: it was recorded after this question was asked")
    question = asked_again(row)
    used = semantic if semantic and semantic.model == row["semantic_model"] else None
    recalled = recall(db, question, now=parse_utc(row["asked_at"]), semantic=used)
    for hit in recalled.hits:
        if (hit.memory_version_id or -1) == ids["version_id"] or (hit.entry_id or -1) == ids["entry_id"]:
            complete(db, recalled, [hit])
            return {
                "uid": uid,
                "recomputed": True,
                "outcome": f"not kept in the log; asked again today it stands at position {hit.position}",
                "score": hit.score,
                "logged_score": None,
                "features": hit.features.as_dict(),
                "parts": parts_of(weights, hit.signals),
            }
    if (replaced := told_succession(db, uid, row["as_of"])) is not None:
        return unexplained(uid, f"not shown: {replaced}; what meets it brings its successor")
    return unexplained(uid, "not considered: no term is shared, the meaning is not near, or a filter left it out")


def unexplained(uid: str, outcome: str) -> dict[str, Any]:
    """What can be said of a hit that has no numbers."""
    return {
        "uid": uid,
        "recomputed": True,
        "outcome": outcome,
        "score": None,
        "logged_score": None,
        "features": {},
        "parts": [],
    }


def asked_again(row: sqlite3.Row) -> Question:
    """The question of a logged recall."""
    context: dict[str, Any] = json.loads(row["context"])
    if context.get("window"):
        context["window"] = Window(**context["window"])
    for name in ("kinds", "tags", "paths"):
        context[name] = tuple(context.get(name, ()))
    return Question(
        query=row["query"],
        scope=row["scope"],
        profile=f"{row['profile']}@{row['version']}",
        project_id=row["project_id"],
        session_id=row["session_id"],
        as_of=row["as_of"],
        **context,
    )


def parts_of(weights: dict[str, float], signals: dict[str, float]) -> list[dict[str, Any]]:
    """Signals with their weights and parts of the score, greatest part first."""
    parts = [
        {"signal": name, "weight": weights.get(name, 0.0), "value": value, "part": weights.get(name, 0.0) * value}
        for name, value in signals.items()
    ]
    return sorted(parts, key=lambda part: (-part["part"], part["signal"]))
