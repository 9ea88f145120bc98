"""What is known already, shown to a model that reads a session, so that it can name what a new statement replaces and
doubt what rules kept of the session unread.

In: a portion of a session. Out: lines of JSON, one a memory with its uid: what is known from before, the nearest first,
and what rules kept of the portion, in the order of its entries. Invariants: reads only; nothing but memories that hold
in the session's project, or wherever the user works, and that were said before, or in it; a memory takes one line,
which no text can leave; all of them take at most a share of what a portion may hold.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from memory_db.extract.model.chunks import PORTION_TOKENS, Chunk, json_line, shortened
from memory_db.extract.model.sisters import sisters_line
from memory_db.index.neighbours import by_words
from memory_db.knowledge.succession import PERSON
from memory_db.models.tokens import count_tokens
from memory_db.store.connection import id_list

MOST_KNOWN = 20
"""Memories that are shown at most. Source: ours; a project of the sample has about as many that share a word with a
session, and a list of twenty is read to its end."""

MOST_KEPT = 24
"""Memories of the portion that are shown at most: as many as an answer may doubt."""

KNOWN_SHARE, KEPT_SHARE = 0.15, 0.15
"""Share of a portion's tokens that those from before and those of the portion take at most."""

TEXT_TOKENS = 60
"""Of a longer memory its beginning and its end are shown."""

LATEST = """
select id from memories where status = 'active' and kind <> 'episode' and (scope = 'user' or project_id = ?)
    and valid_from <= ? order by valid_from desc, id desc limit ?
"""

ROWS = "select id, uid, text from memories where status = 'active' and kind <> 'episode' and valid_from <= ? and id"

PROJECT = "select project_id from sessions where id = ?"


KEPT = """
select m.uid, m.text, s.entry_id from memory_sources s join memories m on m.id = s.memory_id
where s.entry_id in (select value from json_each(:entries)) and m.status = 'active' and m.origin = 'rules'
    and m.kind <> 'episode' and m.lock_level = 'none'
    and not exists (select 1 from memory_versions v where v.memory_id = m.id and v.changed_by = :person)
    and not exists (select 1 from evidence e
        where e.memory_id = m.id and e.kind = 'confirmed' and e.withdrawn_at is null)
    and not exists (select 1 from memory_sources o where o.memory_id = m.id
        and o.entry_id not in (select entry_id from session_entries where session_id = :session))
order by s.id
"""
"""What rules made of some entries and nothing else bears out: no other session, and no person."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What stands before a portion: lines of JSON, each with its line break, and the uids of what rules kept of it.

    The first line names the user's other projects."""

    text: str = ""
    kept: tuple[str, ...] = ()


def shown_before(db: sqlite3.Connection, portion: Chunk, most_tokens: int = PORTION_TOKENS) -> Shown:
    """What a model is shown before a portion, as far as there is any, and room."""
    if not portion.said:
        return Shown()
    kept = kept_of(db, portion)
    known = within(known_before(db, portion, kept), int(most_tokens * KNOWN_SHARE))
    own = within(list(kept.items())[:MOST_KEPT], int(most_tokens * KEPT_SHARE))
    lines = "".join(line for _, line in (*known, *own))
    return Shown(sisters_line(db, portion) + lines, tuple(uid for uid, _ in own))


def within(lines: Iterable[tuple[str, str]], room: int) -> list[tuple[str, str]]:
    """The first of some lines, as many as so many tokens hold; each with the uid of its memory."""
    found = []
    for uid, line in lines:
        room -= count_tokens(line)
        if room < 0:
            break
        found.append((uid, line))
    return found


def in_short(text: str) -> str:
    """A memory's text on one line, cut where it is long."""
    return " ".join(shortened(text, TEXT_TOKENS).split())


def kept_of(db: sqlite3.Connection, portion: Chunk) -> dict[str, str]:
    """The lines of what rules kept of a portion, by uid, with the number of the entry that each is from."""
    numbers = {entry_id: said.number for said in portion.said for entry_id, _ in said.sources}
    given = {"entries": json.dumps(list(numbers)), "session": portion.session_id, "person": PERSON}
    rows = sorted(db.execute(KEPT, given).fetchall(), key=lambda row: numbers[row["entry_id"]])
    return {
        row["uid"]: json_line({"kept": row["uid"], "entry": numbers[row["entry_id"]], "text": in_short(row["text"])})
        + "\n"
        for row in rows
    }


def known_before(db: sqlite3.Connection, portion: Chunk, kept: Collection[str]) -> list[tuple[str, str]]:
    """Uids and lines of what is known beside that, the nearest first."""
    project = db.execute(PROJECT, [portion.session_id]).fetchone()["project_id"]
    until = portion.said[-1].created_at
    shared = Counter[int]()
    for said in portion.said:
        if said.is_prose:
            shared.update(dict.fromkeys(by_words(db, said.text, project), 1))
    latest = [row[0] for row in db.execute(LATEST, [project, until, MOST_KNOWN])]
    wanted = dict.fromkeys([*(each for each, _ in shared.most_common()), *latest])
    found = db.execute(f"{ROWS} in ({id_list(wanted)})", [until]) if wanted else ()
    rows = {row["id"]: row for row in found if row["uid"] not in kept}
    chosen = [rows[each] for each in wanted if each in rows][:MOST_KNOWN]
    return [(row["uid"], json_line({"known": row["uid"], "text": in_short(row["text"])}) + "\n") for row in chosen]
