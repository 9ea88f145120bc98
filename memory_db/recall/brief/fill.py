"""What a reader sees of a hit: text, uid, project, date, what it replaced, what stands against it, its part of a brief.

In: placements. Out: the same, filled in from the file. Invariant: reads only; nothing is decided here.
"""

from __future__ import annotations

import sqlite3

from memory_db.knowledge.attributes import sources_sql
from memory_db.recall.brief.placement import Placement
from memory_db.recall.brief.render import (
    estimated_tokens,
    inert,
)
from memory_db.recall.brief.roles import role_of
from memory_db.records import later
from memory_db.redact.clean import find_injection
from memory_db.store.connection import id_list, select_in
from memory_db.store.json_text import loads
from memory_db.text.limits import sets_limit
from memory_db.text.pair_tests import IN_PART, is_vague

SHORT_DIGITS, HEXADECIMAL = 8, frozenset("0123456789abcdef")
"""How much of an entry's uid names it in a line, after the letter e."""

REPLACED_CHARACTERS = REASON_CHARACTERS = 60
"""How much of the title of what it replaced stands in a line, and of why it may be over."""


def fill_in(db: sqlite3.Connection, hits: list[Placement], as_of: str | None = None) -> None:
    """Adds what a reader sees of a hit: its text, uid, project and date; its sources as of a moment, if given."""
    memories = {hit.memory_version_id: hit for hit in hits if hit.memory_version_id is not None}
    entries = {hit.entry_id: hit for hit in hits if hit.entry_id is not None}
    for row in select_in(db, MEMORY_ROWS.format(sources=sources_sql(as_of)), memories):
        hit = memories[row["id"]]
        hit.uid, hit.title, hit.text, hit.kind = row["uid"], row["title"], row["text"], row["kind"]
        hit.project, hit.created_at, hit.tokens = row["project"], row["valid_from"], row["tokens"]
        hit.valid_to = row["valid_to"]
        hit.session_uid, hit.is_by_user = row["session_uid"], row["origin"] == "user"
        hit.is_trusted = hit.is_by_user or bool(row["is_said"])
        hit.source_entry_ids = frozenset(loads(row["source_entry_ids"]))
    tell_replaced(db, [hit for hit in memories.values() if hit.replaces])
    tell_contradicted(db, memories, as_of)
    tell_perhaps_over(db, memories, as_of)
    for row in select_in(db, ENTRY_ROWS, entries):
        hit = entries[row["id"]]
        hit.uid, hit.title, hit.text, hit.kind = row["uid"], row["role"], row["text"], row["kind"]
        hit.project, hit.created_at, hit.session_uid = row["project"], row["created_at"], row["session_uid"]
        hit.tokens = estimated_tokens(row["text"])
        hit.short_uid = short_entry(row["uid"], row["is_alone"])
    for hit in hits:
        hit.role = role_of(
            hit.kind, lock_level=hit.features.lock_level, user_scope=hit.features.user_scope,
            contradicted=bool(hit.contradicted) and not hit.is_contradicted_in_part, is_trusted=hit.is_trusted,
            sets_limit=hit.type == "memory" and sets_limit(hit.text),
        )  # fmt: skip


def short_entry(uid: str, is_alone: bool) -> str:
    """The short name of an entry; nothing where its uid is no hexadecimal name, or others begin alike."""
    head = uid[:SHORT_DIGITS]
    return f"e{head}" if is_alone and len(head) == SHORT_DIGITS < len(uid) and HEXADECIMAL.issuperset(head) else ""


def tell_replaced(db: sqlite3.Connection, hits: list[Placement]) -> None:
    """Says of hits that were found by what they replaced what that was and until when it held.

    A hit that shares a word with the question, or is nearer by itself, says nothing of it: characters are dear.
    """
    found = {row["id"]: row for row in select_in(db, REPLACED_ROWS, {old for hit in hits for old in hit.replaces})}
    for hit in hits:
        numbers = hit.features
        by_words = (numbers.outdated_bm25 or 0.0) > numbers.context_bm25
        if not numbers.bm25 and (by_words or (numbers.outdated_cosine or 0.0) > (numbers.cosine or 0.0)):
            newest = max((found[old] for old in hit.replaces), key=lambda row: (row["valid_to"] or "", row["id"]))
            title = inert(" ".join(newest["title"].split()))
            if not find_injection(title):
                hit.replaced = f"replaces: {title[:REPLACED_CHARACTERS]}, until {(newest['valid_to'] or '')[:10]}"


def tell_contradicted(db: sqlite3.Connection, hits: dict[int, Placement], as_of: str | None) -> None:
    """Says of memories, by version, which other one contradicts them until a person has decided."""
    ids = id_list(hits)
    if ids:
        waits, then = (WAITS, "o.recorded_to is null") if as_of is None else (WAITED, THEN)
        parts = (CONTRADICTED.format(own=own, other=other, waits=waits, then=then, ids=ids) for own, other in SIDES)
        for version_id, uid, text, said_at, found_by in db.execute(
            " union all ".join(parts), {"as_of": as_of} if as_of else {}
        ):
            hit = hits[version_id]
            hit.contradicted = uid
            hit.is_contradicted_in_part = found_by == IN_PART
            hit.is_later = said_at < hit.created_at
            hit.value_before = value_before(text, hit.text) if hit.is_later else ""


def tell_perhaps_over(db: sqlite3.Connection, hits: dict[int, Placement], as_of: str | None) -> None:
    """Says of memories, by version, which later one may have replaced them, where a person is asked that and the
    reason names what is over; not of what holds everywhere by what holds in one project."""
    ids = id_list(hits)
    if ids:
        asked = ASKED if as_of is None else ASKED_THEN
        values = {"as_of": as_of} if as_of else {}
        for version_id, uid, reason in db.execute(PERHAPS_OVER.format(asked=asked, ids=ids), values):
            if is_vague(reason):
                continue
            why = "" if find_injection(reason) else inert(" ".join(reason.split()))[:REASON_CHARACTERS]
            hits[version_id].perhaps_over, hits[version_id].why_over = uid, why


VALUE = later(r"(?<![\w.])\d[\w.:%-]{0,18}\w|(?<![\w.])\d(?![\w.])")
"""A value in a sentence: a number with its unit, a version, a date, a time."""


def value_before(older: str, newer: str) -> str:
    """The one value that an older text has and a newer one has another for; nothing where it is not so simple."""
    old, new = set(VALUE.findall(older)), set(VALUE.findall(newer))
    gone, come = old - new, new - old
    return gone.pop() if len(gone) == len(come) == 1 else ""


SIDES = (("memory_id", "other_memory_id"), ("other_memory_id", "memory_id"))


CONTRADICTED = """
select v.id, m.uid, o.text, o.valid_from, c.found_by
from memory_versions v join contradictions c on c.{own} = v.memory_id join memories m on m.id = c.{other}
join memory_versions o on o.memory_id = m.id and {then} where {waits} and v.id in ({ids})
"""


THEN = "o.recorded_from <= :as_of and coalesce(o.recorded_to > :as_of, 1)"
"""The version of the other memory as it was recorded at that moment."""


WAITS = "c.state = 'open' and m.status = 'active'"


PERHAPS_OVER = """
select v.id, m.uid, p.reason from memory_versions v join proposals p on p.memory_id = v.memory_id
join memories o on o.id = p.memory_id join memories m on m.id = p.other_memory_id
where p.kind = 'supersede' and {asked} and (m.scope = 'user' or o.scope <> 'user')
    and m.kind not in ('fix', 'episode') and v.id in ({ids})
order by m.valid_from, m.id
"""


ASKED = "p.state = 'open' and m.status = 'active'"


HELD_THEN = """m.id in (select memory_id
    from memory_versions where status = 'active' and recorded_from <= :as_of and coalesce(recorded_to > :as_of, 1))"""
"""That a memory held as the file knew it at that moment."""


ASKED_THEN = f"p.created_at <= :as_of and coalesce(p.decided_at > :as_of, 1) and {HELD_THEN}"


WAITED = f"c.found_at <= :as_of and coalesce(c.resolved_at > :as_of, 1) and {HELD_THEN}"


REPLACED_ROWS = "select id, title, valid_to from memory_versions where id"


MEMORY_ROWS = """
select v.id, m.uid, m.origin, v.title, v.text, v.kind, p.name as project, v.valid_from, v.valid_to, v.tokens,
    (select s.uid from ({sources}) q join entries e on e.id = q.entry_id join sessions s on s.id = e.session_id
        where q.memory_id = m.id and s.format <> 'repository' order by q.id limit 1) as session_uid,
    (select json_group_array(q.entry_id) from ({sources}) q where q.memory_id = m.id and q.entry_id is not null)
        as source_entry_ids,
    exists (select 1 from evidence e where e.memory_id = m.id and e.withdrawn_at is null
        and (e.kind = 'confirmed' or (e.kind in ('stated', 'repeated') and e.weight >= 1))) as is_said
from memory_versions v join memories m on m.id = v.memory_id left join projects p on p.id = v.project_id
where v.id"""


ENTRY_ROWS = """
select e.id, e.uid, e.role, e.kind, e.text, e.created_at, p.name as project, s.uid as session_uid,
    not exists (select 1 from entries o where o.id <> e.id and o.uid >= substr(e.uid, 1, 8)
        and o.uid < substr(e.uid, 1, 8) || 'g') as is_alone
from entries e join sessions s on s.id = e.session_id left join projects p on p.id = s.project_id
where e.id"""
