"""Where sessions of one project name another, kept up to date: projects that belong together are sisters.

In: entries, already redacted, and the projects that the file knows. Out: rows of `project_mentions`: each other
project's path, name or file that a session has, once, with the first entry that has it; a name is also what people call
it, such as "the door" for `doorctl`, or a host that is called so. Invariants: a second run
changes no row; an entry that names more than two others is a list and ties nothing; what a third project has too ties
nobody.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.text.names.projects import (
    ORDINARY,
    SHORTEST_NAME,
    host_called_so,
    is_called,
    name_in_text,
    path_in_text,
    shared_names,
    things_spoken_of,
)

RULES_VERSION = 2
"""Raised when the rules change, so that every entry is read again."""

PLACE = "mentions of projects"
"""The row of `scan_progress` that says up to which entry they were read."""

READ_CHARACTERS = 6_000
"""How much of an entry is read. Source: ours; a file that was read is mostly shorter."""

MOST_NAMED = 2
"""Other projects that one entry names at most: a list of folders names many and is about none."""

MOST_HAVING = 400
"""Entries that have a name which is looked at to tell whose it is. Source: ours; each takes some microseconds."""

FEWEST_HERE, FEWEST_THERE = 2, 3
"""Times that a session of one project speaks of "the door" and those of `doorctl` do, so that it means that project.
Source: ours; once is said by chance, and what a project is called is said there all the time."""

SAID = ("prompt", "reply")
"""Kinds of entries in which somebody speaks of something."""

BATCH = 2_000
"""Entries between two commits."""

ENTRIES = """
select e.id, s.project_id, e.kind, substr(e.text, 1, :most) as text
from entries e join sessions s on s.id = e.session_id
where e.id > :last_id and s.project_id is not null and s.agent is null
    and e.kind in ('prompt', 'reply', 'tool_call', 'tool_result')
order by e.id
"""

PLACES = """
select id, name, canonical_path from projects
union all select a.project_id, '', a.path from project_aliases a
"""

HAVING = """
select distinct s.project_id from (select rowid from entry_fts where entry_fts match ? limit ?) f
join entries e on e.id = f.rowid join sessions s on s.id = e.session_id
where s.project_id is not null and instr(lower(e.text), ?) > 0
"""

SPEAKING = """
select s.project_id, e.text from (select rowid from entry_fts where entry_fts match ? limit ?) f
join entries e on e.id = f.rowid join sessions s on s.id = e.session_id
where s.project_id in (?, ?) and e.kind in ('prompt', 'reply')
"""

ADD = """
insert or ignore into project_mentions (project_id, other_project_id, how, literal, entry_id)
select :project, :other, :how, :literal, :entry where :how <> 'in both' or not exists (select 1 from project_mentions
    where project_id = :other and other_project_id = :project and how = :how and literal = :literal)
"""
"""What both have is one row, of the one in which it was met first."""

PROGRESS = """
insert into scan_progress (place, rules_version, last_id, texts_scanned, texts_changed, started_at, finished_at)
values (?, ?, ?, ?, ?, ?, ?)
on conflict (place) do update set rules_version = excluded.rules_version, last_id = excluded.last_id,
    texts_scanned = excluded.texts_scanned, texts_changed = excluded.texts_changed,
    started_at = excluded.started_at, finished_at = excluded.finished_at
"""


@dataclass(slots=True)
class Place:
    """A project by what names it: its name in lower case, nothing where that says little, and its folders."""

    project_id: int
    name: str
    folders: list[str]


def refresh(db: sqlite3.Connection, *, now: datetime) -> int:
    """Reads the entries that came since, all of them where a project came or the rules changed: how many were added."""
    projects = places(db)
    row = db.execute("select * from scan_progress where place = ?", [PLACE]).fetchone()
    newest = db.execute("select coalesce(max(id), 0) from entries").fetchone()[0]
    is_known = row is not None and row["rules_version"] == RULES_VERSION and row["texts_scanned"] == len(projects)
    last_id = row["last_id"] if is_known and row["last_id"] <= newest else 0
    if len(projects) < 2 or (is_known and last_id == newest):
        return 0
    added = 0
    for batch in batches(db.execute(ENTRIES, {"last_id": last_id, "most": READ_CHARACTERS})):
        found = list(mentions(db, projects, batch))
        with transaction(db):
            added += sum(db.execute(ADD, each).rowcount for each in found)
    at = utc_text(now)
    with transaction(db):
        db.execute(PROGRESS, [PLACE, RULES_VERSION, newest, len(projects), added, at, at])
    return added


def places(db: sqlite3.Connection) -> list[Place]:
    """Every project of the file, with what names it."""
    found: dict[int, Place] = {}
    for project_id, name, path in db.execute(PLACES):
        place = found.setdefault(project_id, Place(project_id, "", []))
        if len(name) >= SHORTEST_NAME and name.casefold() not in ORDINARY:
            place.name = name.casefold()
        if path.count("/") > 1:
            place.folders.append(path.casefold())
    return list(found.values())


def batches(rows: Iterable[sqlite3.Row]) -> Iterator[list[sqlite3.Row]]:
    """Rows in portions that are whole before anything is written."""
    whole = list(rows)
    for start in range(0, len(whole), BATCH):
        yield whole[start : start + BATCH]


def mentions(
    db: sqlite3.Connection, projects: Sequence[Place], entries: Iterable[sqlite3.Row]
) -> Iterator[dict[str, object]]:
    """What these entries name of other projects, and what they have that one other project alone has."""
    folders = {each.project_id: each.folders for each in projects}
    shared: dict[tuple[int, str], int] = {}
    spoken: dict[tuple[int, int, str], int] = {}
    for entry_id, project_id, kind, said in entries:
        text = said.casefold()
        for literal in shared_names(text):
            shared.setdefault((project_id, literal), entry_id)
        for own in sorted(folders.get(project_id, ()), key=len, reverse=True):
            text = text.replace(own, " ")
        named = list(named_in(projects, project_id, kind, text))
        if len(named) <= MOST_NAMED:
            for other, how, literal in named:
                yield mention(project_id, other, how, literal, entry_id)
        if kind in SAID:
            for other, word, is_told in called_in(projects, project_id, text):
                if is_told:
                    yield mention(project_id, other, "name", f"the {word}", entry_id)
                else:
                    spoken.setdefault((project_id, other, word), entry_id)
    for (project_id, other, word), entry_id in spoken.items():
        if is_spoken_of(db, project_id, other, word):
            yield mention(project_id, other, "name", f"the {word}", entry_id)
    for (project_id, literal), entry_id in shared.items():
        having = {row[0] for row in db.execute(HAVING, [f'"{phrase_of(literal)}"', MOST_HAVING, literal])}
        others = having - {project_id}
        if len(others) == 1:
            yield mention(project_id, others.pop(), "in both", literal, entry_id)


def called_in(projects: Sequence[Place], home: int, text: str) -> Iterator[tuple[int, str, bool]]:
    """The projects that a text in lower case may call by a part of their names: each with the part, and whether the
    text says that it is a project ("the feed repo"). A part of the own name, or of two names, calls none."""
    own = next((place.name for place in projects if place.project_id == home), "")
    for word, is_told in things_spoken_of(text).items():
        if word in own:
            continue
        found = [place.project_id for place in projects if place.project_id != home and is_called(word, place.name)]
        if len(found) == 1:
            yield found[0], word, is_told


def is_spoken_of(db: sqlite3.Connection, home: int, other: int, word: str) -> bool:
    """Whether sessions of one project speak of a thing as known, and those of the one that is called so do often."""
    counted = {home: 0, other: 0}
    for project_id, text in db.execute(SPEAKING, [f'"{word}"', MOST_HAVING, home, other]):
        counted[project_id] += word in things_spoken_of(text[:READ_CHARACTERS].casefold())
    return counted[home] >= FEWEST_HERE and counted[other] >= FEWEST_THERE


def mention(project: int, other: int, how: str, literal: str, entry: int) -> dict[str, object]:
    """The values of a row."""
    return {"project": project, "other": other, "how": how, "literal": literal, "entry": entry}


def named_in(projects: Sequence[Place], home: int, kind: str, text: str) -> Iterator[tuple[int, str, str]]:
    """The other projects that a text names, each once, with how and by what."""
    for place in projects:
        if place.project_id == home:
            continue
        if path := path_in_text(place.name or "\0", place.folders, text):
            yield place.project_id, "path", path
        elif place.name and kind != "tool_result" and (name := name_in_text(place.name, text)):
            yield place.project_id, "name", name
        elif place.name and (host := host_called_so(place.name, text)):
            yield place.project_id, "name", host


def phrase_of(literal: str) -> str:
    """A literal as full text is asked for it, word by word."""
    return " ".join("".join(each if each.isalnum() else " " for each in literal).split())
