"""Histories cut into shards of a fleet, the one file that has the same rows, and hits by names that are those of both.

In: the sample history, or a data set's part. Out: files, and their catalogue. Invariant: what belongs together (a
session, resumed sessions, a memory and what it replaced) lies in one shard.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from datetime import datetime
from pathlib import Path

from memory_db.evaluation.datasets import loading
from memory_db.evaluation.datasets.records import Note, Part
from memory_db.fleet import FleetRecall
from memory_db.fleet.numbers import own_id, shard_of
from memory_db.index import build as index
from memory_db.recall.hits import Hit
from memory_db.recall.search import Recalled
from memory_db.records import replace
from memory_db.sample.build import write_history
from memory_db.store.connection import connect
from memory_db.store.schema import open_database
from memory_db.upkeep import pipeline
from memory_db.upkeep.merge.run import merge

# ---------------------------------------------------------------- a data set


def cut_part(part: Part, count: int) -> list[Part]:
    """A part as so many, each of whole sessions and of notes with what they supersede; without its questions."""
    sessions = list(dict.fromkeys(turn.session for turn in part.turns))
    place_of = {session: place % count for place, session in enumerate(sessions)}
    chains = list(chained(part.notes))
    return [
        replace(
            part, questions=(), turns=tuple(turn for turn in part.turns if place_of[turn.session] == number),
            notes=tuple(note for chain in chains[number::count] for note in chain),
        )
        for number in range(count)
    ]  # fmt: skip


def chained(notes: Sequence[Note]) -> Iterator[list[Note]]:
    """Notes with those that they supersede, in the order of the first of each."""
    chains: list[list[Note]] = []
    for note in notes:
        near = [
            chain for chain in chains
            if any(other.supersedes == note.uid or note.supersedes == other.uid for other in chain)
        ]  # fmt: skip
        chains = [chain for chain in chains if chain not in near]
        chains.append([*(each for chain in near for each in chain), note])
    yield from chains


def shards_of(part: Part, folder: Path, count: int, now: datetime) -> list[Path]:
    """The files of a part that is cut, with word vectors and without the full model."""
    paths = []
    for number, each in enumerate(cut_part(part, count)):
        paths.append(folder / f"shard-{number}.db")
        with closing(loading.load(each, paths[-1], model="none", now=now).db) as db:
            db.execute("pragma wal_checkpoint(truncate)")
    return paths


# ---------------------------------------------------------------- the sample


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
    for line in path.read_text("utf-8").splitlines():
        try:
            found.add(json.loads(line).get("uuid"))
        except ValueError:
            continue  # a line that was cut short
    return found - {None}


# ----------------------------------------------------- the one file, and names


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
    path.write_text(f"shards:\n{rows}", "utf-8")
    return path


def by_name(db: sqlite3.Connection, recalled: Recalled) -> dict[str, Hit]:
    """The hits of one file, in order, by names that do not depend on it."""
    return {name_of(db, hit.memory_version_id, hit.entry_id): hit for hit in recalled.hits}


def by_name_in_fleet(found: FleetRecall, shards: Sequence[Path]) -> dict[str, Hit]:
    """The hits of many files by the same names."""
    named = {}
    with ExitStack() as stack:
        files = [stack.enter_context(closing(connect(path))) for path in shards]
        for hit in found.recalled.hits:
            place = hit.memory_version_id if hit.entry_id is None else hit.entry_id
            own, db = own_id(place or 0), files[shard_of(place or 0)]
            named[name_of(db, own if hit.entry_id is None else None, own if hit.entry_id is not None else None)] = hit
    return named


def name_of(db: sqlite3.Connection, version: int | None, entry: int | None) -> str:
    """A hit by its uid."""
    if entry is not None:
        return str(db.execute("select 'e ' || uid from entries where id = ?", [entry]).fetchone()[0])
    sql = "select 'm ' || m.uid from memory_versions v join memories m on m.id = v.memory_id where v.id = ?"
    return str(db.execute(sql, [version]).fetchone()[0])
