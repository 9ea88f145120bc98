"""A past recall: why it gave what it gave, and why it did not show something.

In: a connection that reads. Out: plain dicts and lists, the same for the template and for JSON. Invariant: every number
is a row or a view of the file, or what `memory-db why` says too.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_db.errors import InputError, NotFoundError
from memory_db.index.semantic import find_semantic
from memory_db.pages import weights
from memory_db.pages.cache import pooled, rows
from memory_db.pages.draw import filters as texts
from memory_db.pages.draw import marks
from memory_db.pages.draw import stacked_bar as bars
from memory_db.recall.brief.answer_log import take_in_now
from memory_db.recall.explain.association import earlier_prompts
from memory_db.recall.explain.why_not import why_not
from memory_db.recall.explain.why_shown import why_shown
from memory_db.recall.question_dates import read_as
from memory_db.store.dates import Window

RECALL = """
select r.*, p.name as profile, p.version as profile_version, p.weights,
    max(p.threshold, coalesce(r.context ->> 'threshold', 0.0)) as threshold,
    p.description as profile_description, j.name as project, s.uid as session_uid
from recalls r
join profiles p on p.id = r.profile_id
left join projects j on j.id = r.project_id
left join sessions s on s.id = coalesce(r.session_id, (select id from sessions where uid = r.session_uid))
where r.id in (select id from recalls where uid = :recall union all select id from recalls where id = :recall)
"""

HITS = """
select h.id as hit_id, h.position, h.rank, h.left_out_reason, h.shown_reason, h.logged_score, h.features,
    h.signals, h.entry_id, h.memory_version_id, c.score,
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
where h.recall_id = :recall and (h.rank is not null or h.id in
    (select id from hits where recall_id = :recall and rank is null order by position limit :most))
order by h.position
"""

LOGGED = """
select count(*) as logged, sum(abs(score - logged_score) > 1e-9) as disagreeing from recall_scores where recall_id = ?
"""

RANKED = """
select id, position, signals from hits where recall_id = :recall and (rank is not null or id in
    (select id from hits where recall_id = :recall and rank is null order by position limit :most))
order by position
"""

MOST_OTHERS = 60
"""Hits not shown that a why page reads, best first, and of those left out by a rule too; the table has them all."""

LISTED_OTHERS = 20
"""How many of those its list has.

Source: with these and `CARDS` a page of ten shown hits with long texts has 115 kB.
"""

CARDS, BRIEF_CARDS = 8, 32
"""Shown hits that a why page draws in full, and after them in a few words."""

MOST_RANKED = 200
"""Best hits that profiles are compared on: a recall keeps its best fifty, and few more that a rule left out."""

MOST_PREFERRED = 12
"""How many hits that only other profiles would have shown a why page compares."""

COMPARED = ("hit_id", "type", "uid", "rank", "heading", "ranks")
"""What the comparison of profiles says of a hit: the rest is in `hits` and `others`."""

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


def why(db: sqlite3.Connection, key: str) -> dict[str, Any]:
    """One recall of the past: its question, every logged hit explained, and what other profiles would have given.

    `hits` has those shown, in order, `why` of each says so in a sentence; `others` the best that were logged and not
    shown, of `others_count`; `ranks` of a hit is its place under the newest version of every profile, among the
    `ranked` best logged hits; `compared` has the headings and ranks of the shown ones and of those that some profile
    would have put among as many.

    Raises: NotFoundError.
    """
    found = rows(db, RECALL, {"recall": key})
    if not found:
        raise NotFoundError(f"No recall {key[:80]!r}. The latest ones are listed at /-/memory/recalls.")
    recall = found[0]
    for name in ("context", "features", "left_out", "weights"):
        recall[name] = json.loads(recall[name])
    window = recall["context"].pop("window", None)
    recall["window"] = {**window, "read_as": read_as(Window(**window))} if window else None
    weights = recall["weights"]
    ranks = ranks_by_hit(db, recall["id"])
    counts = rows(db, LOGGED, [recall["id"]])[0]
    logged = [logged_hit(row, ranks) for row in rows(db, HITS, {"recall": recall["id"], "most": MOST_OTHERS})]
    for hit in logged:
        hit["earlier_prompts"] = earlier_prompts(db, hit["features"], hit["memory_version_id"]) if hit["rank"] else []
        hit["why"] = why_shown(db, recall, hit) if hit["rank"] else None
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
        "others_count": counts["logged"] - len(shown),
        "listed_others": LISTED_OTHERS,
        "cards": CARDS,
        "most_cards": CARDS + BRIEF_CARDS,
        "ranked": min(len(ranks), counts["logged"]),
        "compared": [{name: hit[name] for name in COMPARED} for hit in shown + preferred[:MOST_PREFERRED]],
        "disagreeing": counts["disagreeing"] or 0,
        "brief": brief_lines(db, recall, shown),
        "sql": SIGNALS_SQL,
        "profiles_sql": PROFILES_SQL,
    }


def ranks_by_hit(db: sqlite3.Connection, recall_id: int) -> dict[int, dict[str, int]]:
    """For each logged hit, its place under the newest version of each profile; of many, for the shown and the best.

    As the view `profile_scores` has it, which takes twenty times as long.
    """
    asked = {"recall": recall_id, "most": MOST_RANKED}
    hits = [(row["id"], json.loads(row["signals"])) for row in db.execute(RANKED, asked)]
    ranks: dict[int, dict[str, int]] = {identifier: {} for identifier, _ in hits}
    for profile in db.execute("select name, weights from newest_profiles order by id") if hits else ():
        weights = json.loads(profile["weights"]).items()
        scores = [sum(weight * signals.get(name, 0.0) for name, weight in weights) for _, signals in hits]
        # Sorting keeps hits of the same score in the order of their positions.
        order = sorted(range(len(hits)), key=lambda place: -round(scores[place], 12))
        for place, number in enumerate(order, start=1):
            ranks[hits[number][0]][profile["name"]] = place
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
        "shown_reason": row["shown_reason"],
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


MOST_ASKED = 200
"""Characters of a uid or of words."""

HALF = 100
"""Units from the middle of a difference's bar to either end."""


def missing(db: sqlite3.Connection, recall: str, name: str) -> dict[str, Any] | None:
    """Why the recall did not show what is named by a uid or by words; None where nothing is.

    Raises: NotFoundError, InputError.
    """
    if not name:
        return None
    if len(name) > MOST_ASKED:
        raise InputError(f"{len(name):,} characters were asked for. Give a uid, or at most {MOST_ASKED} characters.")
    answer = why_not(db, recall, name, semantic=lambda: find_semantic(db).index)
    differences = answer.get("differences") or []
    greatest = max((abs(each["cost"]) for each in differences), default=0.0)
    for each in differences:
        each["colour"], each["meaning"] = bars.colour(each["signal"]), bars.meaning(each["signal"])
        each["width"] = round(HALF * abs(each["cost"]) / greatest, 1)
    return answer


NAMED = re.compile(r"\[([a-z][0-9a-f-]{8,36})\]")
"""How a line of a brief names what it shows."""

CAME_OF_IT = """
select m.uid, e.kind from evidence e join memories m on m.id = e.memory_id
where e.recall_id = ? and e.withdrawn_at is null order by e.id
"""


def brief_lines(
    db: sqlite3.Connection, recall: dict[str, Any], shown: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """What the agent read, line by line: its `text`, the `anchor` and `rank` of the hit that it shows, and what came of
    that."""
    came: dict[str, list[str]] = {}
    for uid, kind in db.execute(CAME_OF_IT, [recall["id"]]).fetchall():
        came.setdefault(uid, []).append(kind)
    lines = []
    for text in (recall["shown_text"] or "").splitlines():
        named = NAMED.search(text)
        hit = next((hit for hit in shown if named and is_named(hit, named[1])), None)
        kinds = ", ".join(dict.fromkeys(came.get(hit["uid"], ()))) if hit else ""
        anchor, rank = (f"{hit['type']}-{hit['uid']}", hit["rank"]) if hit else ("", None)
        lines.append({"text": text, "anchor": anchor, "rank": rank, "came_of_it": kinds})
    return lines


def is_named(hit: dict[str, Any], name: str) -> bool:
    """Whether a name in a brief is that of a hit: an entry's is the letter e and the beginning of its uid."""
    return hit["uid"] == name or (hit["type"] == "entry" and f"e{hit['uid'].replace('-', '')}".startswith(name))


def why_page(path: Path, key: str, missed: str, now: datetime) -> dict[str, Any]:
    """All of a why page: the recall by its number or uid, why it did not show what `missed` names, and the sliders.

    Raises: NotFoundError, InputError.
    """
    take_in_now(path, now=now)
    with pooled(path) as db:
        data = why(db, key)
        marks.add_beliefs(db, [*data["hits"], *data["others"]])
        return {**data, "missing": missing(db, key, missed), "panel": weights.panel_of_recall(data)}
