"""A memory with all that is known of it: words, quotes, belief over time, neighbours, recalls, history.

In: a connection that reads, a uid, perhaps a moment. Out: a plain dict for the template and for JSON. Invariant: what
is shown as of a moment is what the file said then.
"""

from __future__ import annotations

import re
import sqlite3
from datetime import datetime
from typing import Any
from urllib.parse import quote

from memory_db.knowledge.as_of import memory_as_of
from memory_db.knowledge.memories import get_memory
from memory_db.pages.cache import rows
from memory_db.pages.draw import line as lines
from memory_db.pages.draw.diff import word_diff
from memory_db.pages.draw.filters import moment
from memory_db.pages.forms import Fields, first
from memory_db.pages.recalls import missing
from memory_db.recall.checkpoints import read_moment
from memory_db.recall.explain.history import MemoryEvent, history
from memory_db.store.dates import parse_utc
from memory_db.store.settings import user_zone

SHOWN = 50
"""Rows that each part of the page has at most; the tables have all of them."""

BELIEF = """
select b.*, v.note, v.recall_id, e.uid as entry, s.uid as session from belief_history b
left join evidence v on v.id = b.evidence_id left join entries e on e.id = v.entry_id
left join sessions s on s.id = e.session_id where b.memory_id = ? order by b.step
"""

INTERVAL = """
with b as materialized (select *, 0.08 + 2.5 * variance as a from beliefs where memory_id = ?)
select max(0.0, confidence - 1.645 * deviation) as low, min(1.0, confidence + 1.645 * deviation) as high, tier
from (select *, (e + variance / e) / 2 as deviation
    from (select *, (d + variance / d) / 2 as e
        from (select *, (c + variance / c) / 2 as d
            from (select *, (a + variance / a) / 2 as c from b))))
"""
"""As the view `belief_intervals`, of one memory: the view works out all of them first."""

NEIGHBOURS = """
select other_uid as uid, other_title as title, kind, direction, score, reason from memory_neighbours
where memory_id = ? order by score desc, edge_id limit ?
"""

RECALLS = """
select r.id, r.uid, r.query, r.surface, r.asked_at, h.rank, h.left_out_reason, h.logged_score, p.name as profile,
    (select group_concat(distinct v.kind) from evidence v where v.recall_id = r.id and v.memory_id = :memory
        and v.withdrawn_at is null) as came_of_it
from hits h join recalls r on r.id = h.recall_id join profiles p on p.id = r.profile_id
where h.memory_version_id in (select id from memory_versions where memory_id = :memory) and h.rank is {rank}
order by r.id desc limit :most
"""

MET = """
select count(*) as met, count(h.rank) as shown from hits h
where h.memory_version_id in (select id from memory_versions where memory_id = ?)
"""

CONTRADICTIONS = """
select iif(c.memory_id = :memory, o.uid, m.uid) as uid,
    iif(c.memory_id = :memory, o.text, m.text) as text, c.state, c.reason, c.found_at,
    iif(c.state = 'open' and m.status = 'active' and o.status = 'active', 'x' || c.id, null) as item
from contradictions c join memories m on m.id = c.memory_id join memories o on o.id = c.other_memory_id
where :memory in (c.memory_id, c.other_memory_id) order by c.id desc limit :most
"""
"""What contradicts a memory; `item` is what waits for it in review, if something does."""

SUPPRESSED = """
select id, pattern, reason, created_by, created_at from suppressions where memory_id = ? and ended_at is null
order by id
"""

AROUND = """
select q.id, q.quote, e.uid as entry, e.role, e.kind, e.created_at as said_at, e.text, s.uid as session,
    s.title as session_title
from memory_sources q left join entries e on e.id = q.entry_id left join sessions s on s.id = e.session_id
where q.memory_id = ? order by q.id limit ?
"""

AROUND_CHARACTERS = 240
"""How much of an entry stands on each side of a quote."""

MOST_VERSIONS = 10
"""Versions, the newest, that are told with what changed in them."""

MOST_LEFT_OUT = 20
"""Recalls that left it out which are listed, the newest."""

LATEST = """
select r.id, r.query, r.surface, r.asked_at
from (select id, query, surface, asked_at from recalls order by asked_at desc, id desc limit 200) r
where r.query <> '' and r.id not in (select h.recall_id from memory_versions v
    cross join hits h on h.memory_version_id = v.id where v.memory_id = :memory and h.rank is not null)
order by r.asked_at desc, r.id desc limit :most
"""
"""The latest recalls that did not show a memory."""

MOST_LATEST = 25

LONG_UID = re.compile(r"\b([0-9a-f]{8})(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:/[0-9a-f]+)?|\b([0-9a-f]{8})[0-9a-f]{24,}\b")
"""Uids of entries, sessions and candidates; their first eight characters tell them apart on a page."""

NAMED = re.compile(r"\b(?P<memory>m[0-9a-f]{8})\b|\bentry (?P<entry>[^\s,]+)")
"""What the detail of an event names that has a page."""

SAME = re.compile(r"^(\w+) (same_\w+) it$|^(same_\w+) (\w+)$")
"""An edge of a kind that goes both ways, as the history has it."""

TICK = 5
"""Half the height of the mark of one piece of evidence."""


def memory(db: sqlite3.Connection, uid: str, fields: Fields, now: datetime) -> dict[str, Any]:
    """A memory, as of a moment if field `as_of` names one (a date, words such as 'last week', a checkpoint).

    Raises: NotFoundError, InputError.
    """
    named = first(fields, "as_of")
    found = get_memory(db, uid)
    memory_id = found["id"]
    as_of = read_moment(db, named, now=now, zone=user_zone(db)) if named else None
    shown = found | memory_as_of(db, uid, as_of) if as_of else found
    beliefs = rows(db, BELIEF, [memory_id])
    if as_of:
        beliefs = [row for row in beliefs if row["created_at"] <= as_of]
    return {
        "memory": shown,
        "named_moment": named,
        "as_of": as_of,
        "interval": next(iter(rows(db, INTERVAL, [memory_id])), None),
        "beliefs": beliefs[-SHOWN:],
        "belief_line": belief_line(beliefs, parse_utc(as_of) if as_of else now),
        "quotes": [around(row) for row in rows(db, AROUND, [memory_id, SHOWN])],
        "neighbours": joined(rows(db, NEIGHBOURS, [memory_id, SHOWN])),
        "contradictions": rows(db, CONTRADICTIONS, {"memory": memory_id, "most": SHOWN}),
        "versions": versions(shown["versions"]),
        "met": rows(db, MET, [memory_id])[0],
        "recalls": rows(db, RECALLS.format(rank="not null"), {"memory": memory_id, "most": SHOWN}),
        "left_out": rows(db, RECALLS.format(rank="null"), {"memory": memory_id, "most": MOST_LEFT_OUT}),
        "latest": rows(db, LATEST, {"memory": memory_id, "most": MOST_LATEST}),
        "why_not": why_not(db, uid, fields),
        "suppressions": rows(db, SUPPRESSED, [memory_id]),
        "events": [in_words(event) for event in history(db, uid)[-SHOWN:][::-1]],
    }


def why_not(db: sqlite3.Connection, uid: str, fields: Fields) -> dict[str, Any] | None:
    """Why the recall that field `recall` names did not show it. Raises: NotFoundError."""
    recall = first(fields, "recall")
    return missing(db, recall, uid) if recall else None


def versions(kept: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The versions, newest first: each with its text as parts beside the one before, and what else was changed."""
    shown = []
    for number, each in enumerate(kept):
        before = kept[number - 1] if number else None
        others = [
            {"what": name.replace("_", " "), "old": to_read(name, before[name]), "new": to_read(name, each[name])}
            for name in ALSO_CHANGED if before is not None and before[name] != each[name]
        ]  # fmt: skip
        shown.append({
            "version": each["version"], "recorded_from": each["recorded_from"], "changed_by": each["changed_by"],
            "change_reason": each["change_reason"], "is_first": before is None, "others": others,
            "is_worded_now": each["text"] == kept[-1]["text"],
            "parts": word_diff(before["text"] if before else each["text"], each["text"]),
        })  # fmt: skip
    return shown[-MOST_VERSIONS:][::-1]


def to_read(name: str, value: Any) -> Any:
    """The value of a column, a time to the minute."""
    return moment(value) if value and name.startswith("valid_") else value


ALSO_CHANGED = (
    "status", "kind", "scope", "lock_level", "importance", "layer_override", "condition", "valid_from", "valid_to",
)  # fmt: skip
"""What is told of a version besides its words; the history has the rest."""


def in_words(event: MemoryEvent) -> dict[str, Any]:
    """An event with `told` and `who`: its detail and who did it, without underscores and with long uids cut short, in
    `parts`, of which those that name something have a `path`."""
    detail = event.detail
    if event.what.startswith("edge"):
        detail = SAME.sub(lambda found: f"{found[2] or found[3]} as {found[1] or found[4]}", detail).replace("_", " ")
    return event.as_dict() | {"told": parts_of(detail), "who": parts_of(event.by.replace(",", ", "))}


def parts_of(text: str) -> list[dict[str, str]]:
    """A text in parts: each its `text`, with long uids cut short, and the `path` of the memory or entry that it names,
    or an empty one."""
    parts, end = [], 0
    for found in NAMED.finditer(text):
        memory, entry = found["memory"], found["entry"]
        path = f"/-/memory/memories/{quote(memory)}" if memory else f"/-/memory/entries/{quote(entry, safe='')}"
        parts += [{"text": short_uids(text[end : found.start()]), "path": ""}]
        parts += [{"text": short_uids(found[0]), "path": path}]
        end = found.end()
    return [part for part in [*parts, {"text": short_uids(text[end:]), "path": ""}] if part["text"]]


def short_uids(text: str) -> str:
    """A text with long uids cut to what tells them apart."""
    return LONG_UID.sub(lambda found: found[1] or found[2], text)


def joined(neighbours: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each neighbour once, by its surest edge; `also` has the kinds of the others."""
    by_uid: dict[str, dict[str, Any]] = {}
    for row in neighbours:
        first_row = by_uid.setdefault(row["uid"], row | {"also": []})
        if first_row["kind"] != row["kind"] and row["kind"] not in first_row["also"]:
            first_row["also"].append(row["kind"])
    return list(by_uid.values())


def belief_line(beliefs: list[dict[str, Any]], until: datetime) -> dict[str, Any]:
    """Confidence over time as a path, with its first and last day and a mark for each of the last `SHOWN` steps."""
    steps = sorted((row for row in beliefs if row["created_at"]), key=lambda row: (row["created_at"], row["step"]))
    points = [(parse_utc(row["created_at"]), float(row["confidence"])) for row in steps]
    first_at = points[0][0] if points else until
    last_at = max(until, points[-1][0]) if points else until
    marks = [
        {
            "x": lines.place(moment, first_at, last_at), "y": round((1 - value) * lines.HEIGHT, 1),
            "direction": row["direction"], "told": f"{row['created_at'][:10]} {row['kind']}: {value:.2f}",
        }
        for row, (moment, value) in zip(steps, points, strict=True) if row["direction"]
    ]  # fmt: skip
    return {
        "path": lines.steps(points, until),
        "marks": marks[-SHOWN:],
        "tick": TICK,
        "width": lines.WIDTH,
        "height": lines.HEIGHT,
        "first": first_at.date().isoformat() if points else None,
        "last": last_at.date().isoformat() if points else None,
    }


def around(row: dict[str, Any]) -> dict[str, Any]:
    """A quote with the words before and after it in its entry."""
    text, quote = row.pop("text") or "", row["quote"] or ""
    place = text.find(quote) if quote else -1
    if place < 0:
        return row | {"before": "", "after": ""}
    end = place + len(quote)
    before, after = text[max(0, place - AROUND_CHARACTERS) : place], text[end : end + AROUND_CHARACTERS]
    return row | {
        "before": ("…" if place > AROUND_CHARACTERS else "") + before,
        "after": after + ("…" if end + AROUND_CHARACTERS < len(text) else ""),
    }
