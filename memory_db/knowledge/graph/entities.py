"""Which memory names which entity, and how much of what a question names each memory has.

In: current memories with their titles, texts, keys and paths; a question. Out: rows of `entities` and
`memory_entities`; for memories the share of the question's entities that each names. Invariants: rows belong to active
memories and to what they say now, so that a second run changes nothing; an entity that no memory names is no row.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import pairwise

from memory_db.store.connection import id_list, transaction
from memory_db.store.dates import utc_text
from memory_db.text.names.entities import Entity, entities_in
from memory_db.text.terms import WORD, idf

PLACE = "entities"
"""The row of `scan_progress` that says up to which version of a memory they were read."""

PATHS_PLACE = "entities of paths"
"""The row that says how many paths were known by then: a long run commits late what it began to say before."""

RULES_VERSION = 1
"""Raise it with every change of the rules: all memories are read again."""

BATCH = 500
"""Memories between two commits: a fifth of a second's work."""

MOST_ASKED = 32
"""Names asked for at once; of a pasted log the first ones are taken."""

CHANGED = """
select memory_id from memory_versions where id > :last_id
union select memory_id from memory_paths where recorded_at > :since
"""
"""Paths open no version."""

PATHS_SINCE = "select count(*) from memory_paths where recorded_at <= ?"

WITH_PATHS = """
select memory_id from memory_paths
union select m.memory_id from memory_entities m join entities e on e.id = m.entity_id where e.kind = 'file'
"""
"""Those that have a path, and those that may have had one."""

TEXTS = """
select m.id, m.title, m.text, m.keys,
    (select json_group_array(p.path) from memory_paths p where p.memory_id = m.id) as paths
from memories m where m.status = 'active'
"""

STORED = """
select m.memory_id, e.kind, e.name, m.mentions from memory_entities m join entities e on e.id = m.entity_id
where m.memory_id in ({ids})
"""

LINK = """
insert into memory_entities (memory_id, entity_id, mentions)
select ?, id, ? from entities where kind = ? and name = ?
on conflict (memory_id, entity_id) do update set mentions = excluded.mentions
"""

PROGRESS = """
insert into scan_progress (place, rules_version, last_id, texts_scanned, texts_changed, started_at, finished_at)
values (?, ?, ?, ?, ?, ?, ?) on conflict (place) do update set
    rules_version = excluded.rules_version, last_id = excluded.last_id, texts_scanned = excluded.texts_scanned,
    texts_changed = excluded.texts_changed, started_at = excluded.started_at, finished_at = excluded.finished_at
"""

ORPHANS = "delete from entities where not exists (select 1 from memory_entities m where m.entity_id = entities.id)"

ASKED = """
select e.id, (select count(*) from memory_entities m where m.entity_id = e.id) as memories
from entities e where e.name in (select value from json_each(?))
"""

NAMING = """
select v.id, m.entity_id from memory_versions v join memory_entities m on m.memory_id = v.memory_id
where v.id in ({ids}) and v.recorded_to is null and m.entity_id in ({entities})
"""


def refresh(db: sqlite3.Connection, memory_ids: Iterable[int] | None = None, *, now: datetime) -> int:
    """Reads memories again: those given, or all that changed since the last time. How many then named other entities.

    Every memory is read where the rules have changed since.
    """
    if memory_ids is not None:
        return read(db, list(memory_ids))
    # Both before it is asked which memories to read: what another process records meanwhile is then read next time.
    newest = db.execute("select coalesce(max(id), 0) from memory_versions").fetchone()[0]
    paths = db.execute(PATHS_SINCE, [utc_text(now)]).fetchone()[0]
    row = db.execute("select * from scan_progress where place = ?", [PLACE]).fetchone()
    if row is None or row["rules_version"] != RULES_VERSION or row["last_id"] > newest:
        ids = [found[0] for found in db.execute("select id from memories order by id")]
    else:
        since = {"last_id": row["last_id"], "since": row["finished_at"]}
        ids = [found[0] for found in db.execute(CHANGED, since)]
        ids += paths_changed_late(db, row["finished_at"])
        if not ids:
            return 0
    changed = read(db, ids)
    with transaction(db):
        for place, last_id in ((PLACE, newest), (PATHS_PLACE, paths)):
            db.execute(PROGRESS, [place, RULES_VERSION, last_id, len(ids), changed, utc_text(now), utc_text(now)])
    return changed


def paths_changed_late(db: sqlite3.Connection, since: str) -> list[int]:
    """Memories with paths, where not as many paths of the time before are there now as were when it ended.

    Another process recorded them under the moment at which it had begun, or what brought one was taken back.
    """
    row = db.execute("select last_id from scan_progress where place = ?", [PATHS_PLACE]).fetchone()
    if row is None or row[0] == db.execute(PATHS_SINCE, [since]).fetchone()[0]:
        return []
    return [found[0] for found in db.execute(WITH_PATHS)]


def read(db: sqlite3.Connection, memory_ids: list[int]) -> int:
    """Writes what these memories name: how many named something else than their rows say."""
    changed = 0
    for at in range(0, len(memory_ids), BATCH):
        different = changes(db, memory_ids[at : at + BATCH])
        if not different:
            continue
        with transaction(db) as lock:
            for memory_id in different:
                lock.let_others()
                named = changes(db, [memory_id]).get(memory_id)  # by what it says now that nobody else writes
                if named is None:
                    continue
                db.execute("delete from memory_entities where memory_id = ?", [memory_id])
                db.executemany("insert or ignore into entities (kind, name) values (?, ?)", list(named))
                db.executemany(LINK, [(memory_id, mentions, kind, name) for (kind, name), mentions in named.items()])
            db.execute(ORPHANS)
        changed += len(different)
    return changed


def changes(db: sqlite3.Connection, memory_ids: Iterable[int]) -> dict[int, dict[Entity, int]]:
    """What memories name whose rows say something else; nothing for those that are not active."""
    ids = id_list(memory_ids)
    if not ids:
        return {}
    stored: dict[int, dict[Entity, int]] = {}
    for memory_id, kind, name, mentions in db.execute(STORED.format(ids=ids)):
        stored.setdefault(memory_id, {})[kind, name] = mentions
    named = {row["id"]: entities_of(row) for row in db.execute(f"{TEXTS} and m.id in ({ids})")}
    different = {memory_id: found for memory_id, found in named.items() if found != stored.get(memory_id, {})}
    return different | {memory_id: {} for memory_id in stored.keys() - named.keys()}


def entities_of(memory: sqlite3.Row) -> dict[Entity, int]:
    """What a memory names: in its text, and once each in its title, keys and paths."""
    found = entities_in(memory["text"])
    paths = [f"`{path}`" for path in json.loads(memory["paths"])]
    for entity in entities_in("\n".join((memory["title"], *json.loads(memory["keys"]), *paths))):
        found.setdefault(entity, 1)
    return found


def unlike(db: sqlite3.Connection) -> Iterable[tuple[str, str]]:
    """Where rows and texts disagree, as (where, detail), for `check`; memories that changed since are left out."""
    row = db.execute("select last_id from scan_progress where place = ?", [PLACE]).fetchone()
    ids = [
        found[0]
        for found in db.execute(
            "select memory_id from memory_versions where recorded_to is null and id <= ?",
            [row["last_id"] if row else 0],
        )
    ]
    for memory_id in changes(db, ids):
        uid = db.execute("select uid from memories where id = ?", [memory_id]).fetchone()[0]
        yield f"memory {uid}", "names other entities than its rows say; `memory-db memory graph rebuild` mends it"


# ------------------------------------------------------------------------- a question


def names_in(question: str) -> list[str]:
    """The names that a question may mean: what the rules find, and each word and pair of words as it stands."""
    words = WORD.findall(question.casefold())
    pairs = [f"{one} {other}" for one, other in pairwise(words)]
    found = [name for _, name in entities_in(question)]
    return list(dict.fromkeys((*found, *pairs, *words)))[: 3 * MOST_ASKED]


def memory_counts(db: sqlite3.Connection, names: Sequence[str]) -> tuple[int, dict[int, int]]:
    """How many memories hold; and of the entities of these names, by id, how many memories name each."""
    counted = {row[0]: row[1] for row in db.execute(ASKED, [json.dumps(names)])}
    return db.execute("select count(*) from memories where status = 'active'").fetchone()[0], counted


def entity_shares(
    db: sqlite3.Connection, counted: tuple[int, Mapping[int, int]], version_ids: Iterable[int]
) -> dict[int, float]:
    """For each current version of a memory that names any, the share of the question's entities in it, 0 to 1.

    Rare ones count more, by the idf of the memories that name them; what no memory names is left out of account. So
    the share depends on the question and on this memory, whatever else is considered. `counted` is what
    `memory_counts` gives for the question's names.
    """
    memories, asked = counted
    ids = id_list(version_ids)
    if not asked or not ids:
        return {}
    worth = {entity: idf(memories, count) for entity, count in asked.items()}
    held: dict[int, float] = {}
    for version_id, entity in db.execute(NAMING.format(ids=ids, entities=id_list(asked))):
        held[version_id] = held.get(version_id, 0.0) + worth[entity]
    best = sum(worth.values())
    return {version_id: value / best for version_id, value in held.items()}
