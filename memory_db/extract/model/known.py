"""What is known already, shown to a model that reads a session, so that it can name what a new statement replaces.

In: a portion of a session. Out: lines of JSON, one a memory with its uid, the nearest first. Invariants: reads only;
nothing but memories that hold in the session's project, or wherever the user works, and that were said before; a memory
takes one line, which no text can leave; all of them take at most a share of what a portion may hold.
"""

from __future__ import annotations

import sqlite3
from collections import Counter

from memory_db.extract.model.chunks import PORTION_TOKENS, Chunk, json_line, shortened
from memory_db.index.neighbours import by_words
from memory_db.models.tokens import count_tokens
from memory_db.store.connection import id_list

MOST_KNOWN = 20
"""Memories that are shown at most. Source: ours; a project of the sample has about as many that share a word with a
session, and a list of twenty is read to its end."""

KNOWN_SHARE = 0.15
"""Share of a portion's tokens that they take at most."""

TEXT_TOKENS = 60
"""Of a longer memory its beginning and its end are shown."""

LATEST = """
select id from memories where status = 'active' and kind <> 'episode' and (scope = 'user' or project_id = ?)
    and valid_from <= ? order by valid_from desc, id desc limit ?
"""

ROWS = "select id, uid, text from memories where status = 'active' and kind <> 'episode' and valid_from <= ? and id"

PROJECT = "select project_id from sessions where id = ?"


def known_lines(db: sqlite3.Connection, portion: Chunk, most_tokens: int = PORTION_TOKENS) -> str:
    """The lines of JSON on what is known, each with its line break; '' where nothing is, or there is no room."""
    if not portion.said:
        return ""
    project = db.execute(PROJECT, [portion.session_id]).fetchone()["project_id"]
    until = portion.said[-1].created_at
    shared = Counter[int]()
    for said in portion.said:
        if said.is_prose:
            shared.update(dict.fromkeys(by_words(db, said.text, project), 1))
    latest = [row[0] for row in db.execute(LATEST, [project, until, MOST_KNOWN])]
    wanted = dict.fromkeys([*(each for each, _ in shared.most_common()), *latest])
    found = db.execute(f"{ROWS} in ({id_list(wanted)})", [until]) if wanted else ()
    rows = {row["id"]: row for row in found}
    room = int(most_tokens * KNOWN_SHARE)
    lines: list[str] = []
    for row in [rows[each] for each in wanted if each in rows][:MOST_KNOWN]:
        text = " ".join(shortened(row["text"], TEXT_TOKENS).split())
        line = json_line({"known": row["uid"], "text": text}) + "\n"
        room -= count_tokens(line)
        if room < 0:
            break
        lines.append(line)
    return "".join(lines)
