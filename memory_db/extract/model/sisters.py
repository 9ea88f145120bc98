"""The other projects that a user works on, named to a model that reads a session: what is of one may be said in
another.

In: a portion of a session. Out: a line of JSON with names. Invariants: reads only; nothing but names, of projects that
were worked on shortly before, and none of an ignored project.
"""

from __future__ import annotations

import sqlite3
from datetime import timedelta

from memory_db.extract.model.answers import PROJECT_CHARACTERS
from memory_db.extract.model.chunks import Chunk, json_line
from memory_db.store.dates import parse_utc, utc_text
from memory_db.store.ignored import is_ignored

SHORTLY = timedelta(days=30)
"""How long ago a project was worked on at most. Source: ours; who speaks of another project by hints has it in mind."""

MOST_SISTERS = 12
"""Names that are shown at most. Source: ours; a list that is read to its end."""

SISTERS = """
select p.name, p.canonical_path, max(e.created_at) as last_at from projects p
join sessions s on s.project_id = p.id
join entries e on e.session_id = s.id and e.created_at between :since and :until
where p.id is not :home and s.format <> 'repository'
    and p.name not in (select h.name from projects h where h.id is :home)
group by p.id order by last_at desc, p.id
"""


def home_of(db: sqlite3.Connection, portion: Chunk) -> int | None:
    """The project of a portion's session."""
    row = db.execute("select project_id from sessions where id = ?", [portion.session_id]).fetchone()
    home: int | None = row["project_id"]
    return home


def sisters_of(db: sqlite3.Connection, portion: Chunk) -> list[str]:
    """The names of the other projects that were worked on until a portion was said, the last one first."""
    if not portion.said:
        return []
    until = portion.said[-1].created_at
    home = home_of(db, portion)
    try:
        since = utc_text(parse_utc(until) - SHORTLY)
    except OverflowError:  # a transcript may say any year
        since = ""
    rows = db.execute(SISTERS, {"since": since, "until": until, "home": home})
    names = dict.fromkeys(row["name"] for row in rows if not is_ignored(db, row["canonical_path"]))
    return [name for name in names if len(name) <= PROJECT_CHARACTERS][:MOST_SISTERS]


def sisters_line(db: sqlite3.Connection, portion: Chunk) -> str:
    """Their names as a line of JSON; '' where there is none."""
    names = sisters_of(db, portion)
    return json_line({"projects": names}) + "\n" if names else ""
