"""What stands around a memory, an entry or a session in time, and what happened in a span of it.

In: a uid, or two ends of a span and a project. Out: `Moment`s, one for each memory, change, entry or session, with what
reading it whole would cost in tokens. Invariants: nothing is written; a moment stands once; what no longer holds says
so, and by what it was replaced.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

from memory_db.errors import InputError, NotFoundError
from memory_db.knowledge.belonging import holds_in
from memory_db.recall.brief.placement import Placement
from memory_db.recall.explain.history import versions
from memory_db.store.connection import id_list

AROUND = 5
"""Neighbours on each side. Source: memem's timeline shows five before and five after."""

MOST_RELATED = 5
MOST_CHAIN = 20
"""Steps along which one memory replaced another. Source: ours; a longer chain is read by `history`."""

MOST_MOMENTS = 200
"""Moments of one span; what is older is reached by an earlier end."""

TOPIC_HITS = 20
"""Hits of a recall that a timeline of a topic puts in order. Source: ours; as many lines as a page has."""

BEGINNING, END = "0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"
"""Moments before and after everything."""

TOLD_KINDS = ("prompt", "reply", "summary", "document")
"""Entries that tell a story; tool events are read with their session."""

TOLD_BY_NOTE = ("superseded", "retired")
"""Changes of a memory that stand with it wherever it stands."""

BYTES_PER_TOKEN = 4
"""Source: what `brief.estimated_tokens` reckons with; a session's texts are only summed here."""


@dataclass(slots=True, frozen=True)
class Moment:
    """One line of a timeline.

    `sort` is memory, change, entry or session; `uid` names what `get` gives. `note` says why it stands here or what
    became of it, `tokens` what its text costs. `is_centre` marks what was asked for.
    """

    at: str
    sort: str
    uid: str
    kind: str
    text: str
    project: str | None
    note: str = ""
    tokens: int = 0
    is_centre: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The moment as JSON has it."""
        return asdict(self)


MEMORIES = """
select m.id, m.uid, m.kind, m.status, m.text, m.valid_from, m.valid_to, m.tokens, m.change_reason, m.updated_at,
    iif(m.scope = 'user', null, p.name) as project,
    (select o.uid from edges e join memories o on o.id = e.from_memory_id
        where e.to_memory_id = m.id and e.kind = 'supersedes' and e.ended_at is null order by e.id desc limit 1) as heir
from memories m left join projects p on p.id = m.project_id
"""

ENTRIES = """
select e.id, e.uid, e.role, e.kind, e.text, e.created_at, p.name as project
from entries e join sessions s on s.id = e.session_id left join projects p on p.id = s.project_id
"""

UIDS = """
select 1 from memories where uid = :uid union all select 1 from entries where uid = :uid
union all select 1 from sessions where uid = :uid
"""

CHAIN = """
with recursive old(id, step) as (
    select :id, 0 union
    select e.to_memory_id, step + 1 from old join edges e on e.from_memory_id = old.id
        and e.kind = 'supersedes' and e.ended_at is null where step < :most),
new(id, step) as (
    select :id, 0 union
    select e.from_memory_id, step + 1 from new join edges e on e.to_memory_id = new.id
        and e.kind = 'supersedes' and e.ended_at is null where step < :most)
select id from (select id, step from old union select id, step from new) where id <> :id group by id
order by min(step), id limit :most
"""

SAME_PLACE = """
where m.status = 'active' and m.id <> :id and m.project_id is (select project_id from memories where id = :id)
    and (m.valid_from, m.id) {side} (select valid_from, id from memories where id = :id)
order by m.valid_from {order}, m.id {order} limit :most
"""

NEAR_ENTRIES = """
select se.entry_id from session_entries se join entries e on e.id = se.entry_id
where se.session_id = :session and se.position {side} :position and e.kind in {kinds}
order by se.position {order} limit :most
"""

MADE_FROM = "where m.id in (select memory_id from memory_sources where entry_id in ({ids})) and m.status <> 'retired'"

SPAN_SESSIONS = """
select s.uid, coalesce(s.title, 'no title') as title, p.name as project, min(e.created_at) as started_at,
    max(e.created_at) as ended_at, count(*) as entries, sum(length(e.text)) as characters
from entries e join sessions s on s.id = e.session_id left join projects p on p.id = s.project_id
where e.created_at >= :since and e.created_at < :before and (:everywhere or s.project_id = :project)
group by s.id order by ended_at desc limit :most
"""

SPAN_MEMORIES = """
where {column} >= :since and {column} < :before and ({ended} or m.status <> 'retired')
    and (:everywhere or {holds})
order by {column} desc, m.id desc limit :most
"""


def is_uid(db: sqlite3.Connection, text: str) -> bool:
    """Whether a text names a memory, an entry or a session."""
    return db.execute(UIDS, {"uid": text}).fetchone() is not None


def around(db: sqlite3.Connection, uid: str, *, before: int = AROUND, after: int = AROUND) -> list[Moment]:
    """What stands around what a uid names, oldest first.

    Of a memory: its changes, what it replaced and was replaced by, what is related to it, its neighbours in its
    project, and what was said around the words it comes from. Of an entry: its neighbours in its session and what was
    made of them. Of a session: all that was said in it and made of it. Raises: NotFoundError.
    """
    if row := db.execute("select id from memories where uid = ?", [uid]).fetchone():
        return in_order(around_memory(db, row["id"], before, after))
    if row := db.execute("select id, session_id from entries where uid = ?", [uid]).fetchone():
        return in_order(around_entry(db, row["id"], row["session_id"], before, after))
    if row := db.execute("select id from sessions where uid = ?", [uid]).fetchone():
        return in_order(of_session(db, row["id"]))
    raise NotFoundError(f"No memory, entry or session has the uid {uid!r}. Take one that recall brackets.")


def around_memory(db: sqlite3.Connection, memory_id: int, before: int, after: int) -> list[Moment]:
    """A memory with all that stands around it; nearer reasons to be there come first."""
    values = {"id": memory_id, "most": MOST_CHAIN}
    centre = replace(memories(db, [memory_id])[0], is_centre=True)
    found = [centre]
    for event in versions(db, memory_id)[1:]:
        if event.what not in TOLD_BY_NOTE:
            text = f"{event.detail} by {event.by}" + (f": {event.why}" if event.why else "")
            found.append(Moment(event.recorded_at, "change", centre.uid, event.what, text, centre.project))
    found += memories(db, [row["id"] for row in db.execute(CHAIN, values)])
    related = db.execute(
        "select other_id, kind from memory_neighbours where memory_id = ? and kind <> 'supersedes'"
        " order by score desc, other_id limit ?",
        [memory_id, MOST_RELATED],
    ).fetchall()
    for row in related:
        found += [noted(each, f"edge {row['kind']}") for each in memories(db, [row["other_id"]])]
    for side, order, most in (("<", "desc", before), (">", "asc", after)):
        rows = db.execute(MEMORIES + SAME_PLACE.format(side=side, order=order), {"id": memory_id, "most": most})
        found += [memory_moment(row) for row in rows]
    source = db.execute(
        "select q.entry_id, e.session_id from memory_sources q join entries e on e.id = q.entry_id"
        " where q.memory_id = ? order by q.id limit 1",
        [memory_id],
    ).fetchone()
    if source:
        said = entries(db, [source["entry_id"]])
        found += [noted(each, "its source") for each in said]
        found += entries(db, near_entries(db, source["entry_id"], source["session_id"], before, after))
    return found


def around_entry(db: sqlite3.Connection, entry_id: int, session_id: int, before: int, after: int) -> list[Moment]:
    """An entry with its neighbours in its session, and the memories that were made of them."""
    near = near_entries(db, entry_id, session_id, before, after)
    centre = replace(entries(db, [entry_id])[0], is_centre=True)
    return [centre, *entries(db, near), *made_from(db, [entry_id, *near])]


def of_session(db: sqlite3.Connection, session_id: int) -> list[Moment]:
    """What was said in a session, and the memories that were made of it."""
    rows = db.execute("select entry_id from session_entries where session_id = ?", [session_id])
    ids = [row["entry_id"] for row in rows]
    return [each for each in entries(db, ids) if each.kind.split()[-1] in TOLD_KINDS] + made_from(db, ids)


def of_span(
    db: sqlite3.Connection, since: str, before: str, *, project_id: int | None, everywhere: bool = False
) -> list[Moment]:
    """What happened from one moment up to another, newest first: sessions, memories that came to hold or ceased to.

    Of one project, of those linked to it and of the user; `everywhere`: of all projects.
    Raises: InputError for a span that is none.
    """
    if since >= before:
        raise InputError(f"The span from {since} to {before} is empty. Give a later end, or an earlier start.")
    values = {
        "since": since, "before": before, "project": project_id, "everywhere": everywhere, "most": MOST_MOMENTS,
    }  # fmt: skip
    found = [
        Moment(
            row["started_at"], "session", row["uid"], "session", row["title"], row["project"],
            f"{row['entries']} entries", row["characters"] // BYTES_PER_TOKEN,
        )
        for row in db.execute(SPAN_SESSIONS, values)
    ]  # fmt: skip
    for column, ended in (("m.valid_from", 0), ("m.valid_to", 1)):
        sql = MEMORIES + SPAN_MEMORIES.format(column=column, ended=ended, holds=holds_in("m", project=":project"))
        for row in db.execute(sql, values):
            moment = memory_moment(row)
            found.append(replace(moment, at=row["valid_to"], sort="change", kind="ended") if ended else moment)
    return in_order(found)[::-1][:MOST_MOMENTS]


def of_hits(db: sqlite3.Connection, hits: Iterable[Placement]) -> list[Moment]:
    """The shown hits of a recall in time, newest first, with what its memories replaced."""
    shown = list(hits)
    ids = id_list(hit.memory_version_id for hit in shown if hit.memory_version_id is not None)
    own = [row[0] for row in db.execute(f"select memory_id from memory_versions where id in ({ids})")]
    found = memories(db, own) + entries(db, [hit.entry_id for hit in shown if hit.entry_id is not None])
    older = [
        row[0]
        for memory_id in own
        for row in db.execute(
            "select to_memory_id from edges where from_memory_id = ? and kind = 'supersedes' and ended_at is null",
            [memory_id],
        )
    ]
    return in_order([*found, *memories(db, older)])[::-1]


# --------------------------------------------------------------------------- parts


def memories(db: sqlite3.Connection, ids: Iterable[int]) -> list[Moment]:
    """Memories as moments."""
    return [memory_moment(row) for row in db.execute(f"{MEMORIES} where m.id in ({id_list(ids)})")]


def entries(db: sqlite3.Connection, ids: Iterable[int]) -> list[Moment]:
    """Entries as moments."""
    return [
        Moment(
            row["created_at"], "entry", row["uid"], f"{row['role']} {row['kind']}", row["text"], row["project"],
            tokens=(len(row["text"].encode()) + BYTES_PER_TOKEN - 1) // BYTES_PER_TOKEN,
        )
        for row in db.execute(f"{ENTRIES} where e.id in ({id_list(ids)})")
    ]  # fmt: skip


def made_from(db: sqlite3.Connection, entry_ids: Iterable[int]) -> list[Moment]:
    """Memories that were made of entries."""
    return [memory_moment(row) for row in db.execute(MEMORIES + MADE_FROM.format(ids=id_list(entry_ids)))]


def near_entries(db: sqlite3.Connection, entry_id: int, session_id: int, before: int, after: int) -> list[int]:
    """Ids of what was said before and after an entry in its session."""
    row = db.execute(
        "select position from session_entries where session_id = ? and entry_id = ?", [session_id, entry_id]
    ).fetchone()
    if row is None:
        return []
    values = {"session": session_id, "position": row["position"]}
    near = []
    for side, order, most in (("<", "desc", before), (">", "asc", after)):
        sql = NEAR_ENTRIES.format(side=side, order=order, kinds=TOLD_KINDS)
        near += [found["entry_id"] for found in db.execute(sql, values | {"most": most})]
    return near


def memory_moment(row: sqlite3.Row) -> Moment:
    """A memory where it came to hold, with what became of it."""
    note = ""
    if row["status"] == "superseded":
        note = f"until {(row['valid_to'] or row['updated_at'])[:10]}" + (
            f", replaced by [{row['heir']}]" * bool(row["heir"])
        )
    elif row["status"] == "retired":
        note = f"retired {row['updated_at'][:10]}: {row['change_reason']}"
    return Moment(
        row["valid_from"], "memory", row["uid"], row["kind"], row["text"], row["project"], note, row["tokens"]
    )


def noted(moment: Moment, note: str) -> Moment:
    """A moment that says more of why it stands here."""
    return replace(moment, note="; ".join(part for part in (note, moment.note) if part))


def in_order(found: Iterable[Moment]) -> list[Moment]:
    """Moments by time, each once: the first that was found of a thing is kept."""
    kept: dict[tuple[str, ...], Moment] = {}
    for moment in found:
        key = (moment.sort, moment.uid, *((moment.at, moment.text) if moment.sort == "change" else ()))
        kept.setdefault(key, moment)
    return sorted(kept.values(), key=lambda moment: (moment.at, moment.sort, moment.uid))
