"""Two files become one: everything that the other machine knows comes here, and nothing twice.

In: a file open for writing, and the path of another one. Out: `Merged`: what came, what both had changed, what was
forgotten. Invariants: all of it is one transaction of this file, so that a merge that is killed leaves nothing, and the
next one begins again; the other file is only read; what comes does not depend on which file came first, nor on how
often it comes, but for what belongs to a machine (see `tables`).
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from memory_db.errors import BusyError
from memory_db.index import procedures
from memory_db.knowledge.graph import entities
from memory_db.store.connection import file_uri, id_list, transaction
from memory_db.store.dates import utc_text
from memory_db.store.schema import open_database, wanted_objects
from memory_db.transcripts.projects import settle_paths
from memory_db.upkeep.forget.run import finish
from memory_db.upkeep.merge import conflicts
from memory_db.upkeep.merge.alike import Apart, apart, ask_about_alike
from memory_db.upkeep.merge.collisions import join_names, make_room, part_names
from memory_db.upkeep.merge.conflicts import Asked
from memory_db.upkeep.merge.contradictions import bring_contradictions
from memory_db.upkeep.merge.decisions import bring_batches, order_decisions, renumber_effects
from memory_db.upkeep.merge.forgotten import Graves, forget_too, graves_of
from memory_db.upkeep.merge.histories import Conflict, Histories, bring_memories
from memory_db.upkeep.merge.opening import copy_of
from memory_db.upkeep.merge.others import bring_others
from memory_db.upkeep.merge.profiles import bring_profiles
from memory_db.upkeep.merge.projects import bring_projects, groups_of, unify
from memory_db.upkeep.merge.removed import bring_removed
from memory_db.upkeep.merge.rows import OTHER, Counts, bring
from memory_db.upkeep.merge.sessions import bring_places
from memory_db.upkeep.merge.tables import MISSING, OWN, ROWS, TABLES
from memory_db.upkeep.merge.vectors import bring_vectors

STAGE = "merge"

TRIES = 5
"""How often the other file is made ready again, because somebody wrote into ours meanwhile."""

VERSION_TRIGGERS = (
    "memories_after_insert", "memories_before_update", "memories_after_update", "tags_after_delete",
    "memory_paths_after_delete", "memory_sources_after_delete",
)  # fmt: skip
"""What makes versions and keeps what was taken off: of two files each has its own, which come as they are."""

Progress = Callable[[str, int, int | None], None]


@dataclass(slots=True)
class Merged:
    """What a merge did.

    `new` and `changed`: rows by table. `forgotten_here`: rows that went because the other file had forgotten them,
    `forgotten_there`: what did not come because this one had. `conflicts`: what both had changed; `asked`: what waits
    for a person.
    """

    other: str
    new: dict[str, int] = field(default_factory=dict)
    changed: dict[str, int] = field(default_factory=dict)
    forgotten_here: dict[str, int] = field(default_factory=dict)
    forgotten_there: dict[str, int] = field(default_factory=dict)
    conflicts: list[Conflict] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    projects_joined: int = 0
    duration_ms: float = 0.0

    @property
    def is_nothing(self) -> bool:
        """Whether the file knew all of it."""
        return not (self.new or self.changed or self.forgotten_here or self.projects_joined)


def merge(
    db: sqlite3.Connection, path: Path, other: Path, *, now: datetime, progress: Progress | None = None
) -> Merged:
    """Brings everything of another file into this one. What is derived from it then, `index` makes.

    `path` is the file's own name, also where `db` is a copy of it.
    Raises: InputError where both are one file; DatabaseFileError where the other cannot be read, or others write into
    this one all the time; sqlite3.Error.
    """
    started = time.perf_counter()
    done = Merged(str(other))
    with copy_of(other, path, now=now) as copy:
        for _ in range(TRIES):
            told = make_ready(db, copy, done, now=now)
            with attached(db, copy), transaction(db):
                if data_version(db) != told.data_version:
                    continue
                bring_all(db, done, told, progress, now=now)
                done.duration_ms = (time.perf_counter() - started) * 1000
                log(db, done, now)
                break
        else:
            raise BusyError(f"{path} is written by others all the time. Run the command again when they are done.")
    if done.forgotten_here:
        finish(db)
    return done


@dataclass(frozen=True, slots=True)
class Told:
    """What the other file tells before it is attached: what belongs together, what it forgot; and as of which state of
    this file that was asked."""

    groups: Mapping[str, int]
    graves: Graves
    data_version: int


def data_version(db: sqlite3.Connection) -> int:
    """A number that changes when another connection writes into the file."""
    return int(db.execute("pragma main.data_version").fetchone()[0])


def make_ready(db: sqlite3.Connection, copy: Path, done: Merged, *, now: datetime) -> Told:
    """Makes the copy of the other file agree with this one on what is one project and what is forgotten."""
    version = data_version(db)
    with closing(open_database(copy, now=now)) as theirs, transaction(theirs):
        told = Told(groups_of(db, theirs), graves_of(theirs), version)
        unify(theirs, told.groups)
        done.forgotten_there = forget_too(theirs, graves_of(db), now=now)
    return told


@contextmanager
def attached(db: sqlite3.Connection, copy: Path) -> Iterator[None]:
    """The other file as a second one of the connection."""
    db.execute(f"attach database ? as {OTHER}", [file_uri(copy)])
    try:
        yield
    finally:
        db.execute(f"detach database {OTHER}")


def bring_all(
    db: sqlite3.Connection, done: Merged, told: Told, progress: Progress | None, *, now: datetime
) -> None:  # fmt: skip
    """Brings every table. Within a transaction of the caller."""
    db.execute("pragma defer_foreign_keys = on")
    db.execute("pragma main.secure_delete = on")
    done.projects_joined = unify(db, told.groups)
    done.forgotten_here = forget_too(db, told.graves, now=now)
    edges = [conflicts.replacing(db, schema) for schema in ("main", OTHER)]
    part_names(db)
    counts, histories, sides = Counts(), Histories(), Apart(frozenset(), frozenset())
    with without_triggers(db):
        for number, (table, rule) in enumerate(TABLES.items(), start=1):
            if table == "memories":
                join_names(db)
                sides = apart(db)
                histories = bring_memories(db, counts)
                for schema, renumbered in zip(("main", OTHER), histories.renumbered, strict=True):
                    renumber_effects(db, schema, renumbered)
            elif rule.how in (ROWS, MISSING):
                if table == "edges":
                    make_room(db)
                bring(db, table, rule, counts)
            elif rule.how == OWN and table in BROUGHT_BY:
                BROUGHT_BY[table](db, counts)
            if table == "decisions":
                order_decisions(db)
            if progress is not None:
                progress(STAGE, number, len(TABLES))
        bring_others(db, counts)
    done.new, done.changed, done.conflicts = counts.new, counts.changed, histories.conflicts
    follow_up(db, done, histories, edges, sides, now)


BROUGHT_BY: Mapping[str, Callable[[sqlite3.Connection, Counts], object]] = {
    "projects": bring_projects,
    "session_entries": bring_places,
    "removed_parts": bring_removed,
    "contradictions": bring_contradictions,
    "review_batches": bring_batches,
    "profiles": bring_profiles,
    "static_vectors": bring_vectors,
}
"""What brings a table that goes by rules of its own; one that is not named comes with another."""

TOLD_PROCEDURES = """
update main.recall_procedures set procedure_id = (select id from main.procedures p where p.uid = recall_procedures.uid)
where procedure_id is null
"""


def follow_up(
    db: sqlite3.Connection, done: Merged, histories: Histories, edges: Sequence[Mapping[conflicts.Edge, str]],
    sides: Apart, now: datetime,
) -> None:  # fmt: skip
    """Does what follows at once from what came, and asks what only a person can decide."""
    ids = id_list(histories.changed)
    done.asked += conflicts.settle_edges(db, ids)
    done.asked += conflicts.ask_about_changes(db, histories.conflicts)
    done.asked += conflicts.ask_about_successors(db, *edges)
    done.asked += conflicts.ask_about_same_words(db, ids)
    done.asked += ask_about_alike(db, sides)
    settle_paths(db)
    procedures.refresh(db)
    db.execute(TOLD_PROCEDURES)
    entities.refresh(db, histories.changed, now=now)


@contextmanager
def without_triggers(db: sqlite3.Connection) -> Iterator[None]:
    """A file whose versions nothing writes by itself, for as long as they come from elsewhere."""
    for name in VERSION_TRIGGERS:
        db.execute(f"drop trigger main.{name}")
    yield
    wanted = wanted_objects()
    for name in VERSION_TRIGGERS:
        db.execute(wanted[name][1])


def log(db: sqlite3.Connection, done: Merged, now: datetime) -> None:
    """Leaves a row in `runs`: how many rows came, by table."""
    db.execute(
        "insert into runs (stage, started_at, duration_ms, counts) values (?, ?, ?, ?)",
        [STAGE, utc_text(now), done.duration_ms, json.dumps(done.new)],
    )
