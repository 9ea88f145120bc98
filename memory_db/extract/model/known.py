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
from memory_db.extract.model.doubts import UNTOUCHED
from memory_db.extract.model.sisters import home_of, sisters_line
from memory_db.index.neighbours import by_words
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


KEPT = f"""
select m.uid, m.text, o.entry_id from memory_sources o join memories m on m.id = o.memory_id
where o.entry_id in (select value from json_each(?)) and {UNTOUCHED} order by o.id
"""
"""What rules made of some entries."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What stands before a portion: lines of JSON, each with its line break, and the uids of what rules kept of it.

    The first line names the user's other projects."""

    text: str = ""
    kept: tuple[str, ...] = ()


def shown_before(
    db: sqlite3.Connection, portion: Chunk, most_tokens: int = PORTION_TOKENS, *, looks_over: bool = True
) -> Shown:
    """What a model is shown before a portion, as far as there is any, and room; what rules kept of it and the names of
    other projects only where its prompt `looks_over` them."""
    if not portion.said:
        return Shown()
    kept = kept_of(db, portion) if looks_over else {}
    room, sisters = int(most_tokens * KNOWN_SHARE), sisters_line(db, portion) if looks_over else ""
    if count_tokens(sisters) > room // 2:
        sisters = ""
    known = within(known_before(db, portion, kept), room - count_tokens(sisters))
    own = within(list(kept.items())[:MOST_KEPT], int(most_tokens * KEPT_SHARE))
    return Shown(sisters + "".join(line for _, line in (*known, *own)), tuple(uid for uid, _ in own))


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
    found = db.execute(KEPT, [json.dumps(list(numbers))]).fetchall()
    rows = sorted(found, key=lambda row: numbers[row["entry_id"]])
    return {
        row["uid"]: json_line({"kept": row["uid"], "entry": numbers[row["entry_id"]], "text": in_short(row["text"])})
        + "\n"
        for row in rows
    }


def known_before(db: sqlite3.Connection, portion: Chunk, kept: Collection[str]) -> list[tuple[str, str]]:
    """Uids and lines of what is known beside that, the nearest first."""
    project = home_of(db, portion)
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
