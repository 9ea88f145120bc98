"""Files of a fleet, and the one file that has the same rows."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

from memory_db.fleet import FleetRecall
from memory_db.fleet.numbers import own_id, shard_of
from memory_db.index import build as index
from memory_db.knowledge.memories import add_memory
from memory_db.recall.hits import Hit
from memory_db.recall.search import Recalled
from memory_db.sample.build import write_history
from memory_db.store import settings
from memory_db.store.connection import connect, transaction
from memory_db.store.dates import utc_text
from memory_db.store.schema import open_database
from memory_db.transcripts.projects import make_project
from memory_db.upkeep import pipeline
from memory_db.upkeep.merge.run import merge

WORDS = "ferry crane beacon tide harbour rope anchor quay lantern sail chart wind pilot keel mast".split()


def small_shard(path: Path, number: int, now: datetime, project: str = "/home/d/harbour") -> Path:
    """A file of a few sessions and memories, other ones by number, without the full model."""
    with closing(open_database(path, now=now)) as db:
        settings.put(db, "embedding_model", "none", now=now)
        home = make_project(db, project, None, now)
        for session in range(3):
            say(db, f"s{number}-{session}", home, now, number * 7 + session)
        for place in range(5):
            said = " ".join(WORDS[(number * 3 + place * step) % len(WORDS)] for step in (1, 2, 4))
            add_memory(db, text=f"The {said} of shard {number}.", kind="convention", scope="user", now=now)
        db.execute("update memories set condition = 'before the ' || ? where id = 1", [WORDS[number]])
        index.run(db, now=now)
        db.execute("pragma wal_checkpoint(truncate)")
    return path


def say(db: sqlite3.Connection, uid: str, project: int, now: datetime, start: int) -> None:
    """A session of nine entries of words that other sessions have too."""
    with transaction(db):
        values = [uid, "claude-code", project]
        session = db.execute("insert into sessions (uid, format, project_id) values (?, ?, ?)", values).lastrowid
        for place in range(9):
            words = [WORDS[(start + place * step) % len(WORDS)] for step in range(1, 3 + (start + place) % 9)]
            entry = db.execute(
                "insert into entries (uid, session_id, role, kind, text, created_at) values (?, ?, ?, ?, ?, ?)",
                [f"{uid}-{place}", session, "user" if place % 2 else "assistant", "prompt" if place % 2 else "reply",
                 " ".join(words), utc_text(now - timedelta(days=start, minutes=9 - place))],
            ).lastrowid  # fmt: skip
            db.execute("insert into session_entries values (?, ?, ?)", [session, entry, place])


def cut_sample(folder: Path, count: int, now: datetime) -> list[Path]:
    """The sample history cut into files, each of whole conversations."""
    history = folder / "history"
    # By folder: so no file has one project under two paths that only another file knows to be one.
    files = sorted(path for path in write_history(history) if "subagents" not in path.parts)
    groups: list[tuple[set[str], list[Path]]] = []
    for path in files:
        uids = uids_in(path)
        near = [group for group in groups if group[0] & uids]
        groups = [group for group in groups if group not in near]
        groups.append(
            (uids.union(*(group[0] for group in near)), [each for group in near for each in group[1]] + [path])
        )
    shards = []
    for number in range(count):
        own = folder / f"history-{number}"
        for _, paths in groups[number::count]:
            for path in paths:
                copy(path, own / path.relative_to(history))
        shards.append(folder / f"shard-{number}.db")
        with closing(open_database(shards[-1], now=now)) as db:
            pipeline.run(db, [own], now=now)
            db.execute("pragma wal_checkpoint(truncate)")
    return shards


def copy(path: Path, target: Path) -> None:
    """A transcript with those of its subagents."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(path, target)
    if path.with_suffix("").is_dir():
        shutil.copytree(path.with_suffix(""), target.with_suffix(""))


def uids_in(path: Path) -> set[str]:
    """The records of a transcript, by which resumed and forked ones are known to belong together."""
    found = set()
    for line in path.read_text().splitlines():
        try:
            found.add(json.loads(line).get("uuid"))
        except ValueError:
            continue  # a line that was cut short
    return found - {None}


def merged_file(shards: Sequence[Path], path: Path, now: datetime) -> Path:
    """One file with the rows of all."""
    shutil.copy(shards[0], path)
    with closing(open_database(path, now=now)) as db:
        for other in shards[1:]:
            merge(db, path, other, now=now)
        index.run(db, now=now)
        db.execute("pragma wal_checkpoint(truncate)")
    return path


def catalogue_of(shards: Iterable[Path], path: Path) -> Path:
    """A catalogue in which each file is another person's."""
    rows = "".join(f"  - {{address: {shard}, person: p{number}}}\n" for number, shard in enumerate(shards))
    path.write_text(f"shards:\n{rows}")
    return path


def by_name(db: sqlite3.Connection, recalled: Recalled) -> dict[str, Hit]:
    """The hits of one file, in order, by names that do not depend on it."""
    return {name_of(db, hit.memory_version_id, hit.entry_id): hit for hit in recalled.hits}


def by_name_in_fleet(found: FleetRecall, shards: Sequence[Path]) -> dict[str, Hit]:
    """The hits of many files by the same names."""
    files = [connect(path) for path in shards]
    named = {}
    for hit in found.recalled.hits:
        place = hit.memory_version_id if hit.entry_id is None else hit.entry_id
        own = own_id(place or 0)
        db = files[shard_of(place or 0)]
        named[name_of(db, own if hit.entry_id is None else None, own if hit.entry_id is not None else None)] = hit
    for db in files:
        db.close()
    return named


def name_of(db: sqlite3.Connection, version: int | None, entry: int | None) -> str:
    if entry is not None:
        return str(db.execute("select 'e ' || uid from entries where id = ?", [entry]).fetchone()[0])
    sql = "select 'm ' || m.uid from memory_versions v join memories m on m.id = v.memory_id where v.id = ?"
    return str(db.execute(sql, [version]).fetchone()[0])
