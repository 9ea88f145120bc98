"""Memories of two files, and the histories that lead to their present.

In: the versions of a memory in two files. Out: one chain of versions, rows of `memories` and `memory_versions`, which
numbers versions had and have, and where both files changed the same. Invariants: a memory began as the file tells it
that knows its earlier statement; every change of either file stays a version, in the order in which they were made; a
change is what it changed, so that a lock outlives another machine's later word on something else; of two changes of one
thing the later holds; a change that a machine made twice, for it read the same on both, is one.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from memory_db.knowledge.succession import PERSON
from memory_db.store.connection import tuples
from memory_db.store.versions import VERSIONED
from memory_db.text.normalise import content_hash
from memory_db.upkeep.merge.rows import OTHER, Counts, Shape, add_rows, make_map, number_new
from memory_db.upkeep.merge.tables import TABLES

SAYS = (*VERSIONED, "tokens")
"""What a version says, beside when, by whom and why."""

TOGETHER = (("text", "title", "tokens"), ("status", "valid_to"), ("scope", "project_id"))
"""Columns that one change sets together: one of them alone would say what nobody said."""

LOADED = f"""
select m.uid, v.id, v.recorded_from, v.changed_by, v.change_reason, {", ".join("v." + name for name in SAYS)}
from {{schema}}.memory_versions v join {{schema}}.memories m on m.id = v.memory_id
where m.uid in (select uid from {{without}}.memories) order by m.uid, v.version
"""


@dataclass(slots=True)
class Change:
    """What one version changed: `sets` are columns with their values, all of them where it is the first.

    `own_id` and `other_ids` are the rows that it has in the two files.
    """

    at: str
    by: str
    why: str
    sets: dict[str, Any]
    own_id: int | None = None
    other_ids: tuple[int, ...] = ()

    @property
    def order(self) -> tuple[str, str]:
        """Its place among changes; two of one moment go by what they say."""
        return self.at, json.dumps([self.by, self.why, sorted(self.sets.items())], default=str)


@dataclass(slots=True, frozen=True)
class Conflict:
    """One thing that both files changed: `lost` no longer holds, `holds` does, which was said later."""

    uid: str
    column: str
    lost: Any
    holds: Any
    lost_at: str
    held_at: str
    lost_by: str


@dataclass(slots=True)
class History:
    """The changes of a memory in their order, the first of which made it; and where two files changed the same."""

    changes: list[Change]
    conflicts: list[Conflict] = field(default_factory=list)


@dataclass(slots=True)
class Histories:
    """What came of all: conflicts, and by side (ours, theirs) and uid which number of a version became which."""

    conflicts: list[Conflict] = field(default_factory=list)
    renumbered: tuple[dict[str, dict[int, int]], dict[str, dict[int, int]]] = field(default_factory=lambda: ({}, {}))
    changed: list[int] = field(default_factory=list)


# ------------------------------------------------------------------- two chains


def changes_of(versions: Sequence[Mapping[str, Any]], *, is_own: bool) -> list[Change]:
    """A chain of versions as what each of them changed."""
    changes: list[Change] = []
    before: Mapping[str, Any] = {}
    for version in versions:
        sets = {name: version[name] for name in SAYS if name not in before or version[name] != before[name]}
        for group in TOGETHER:
            if sets.keys() & set(group):
                sets |= {name: version[name] for name in group}
        ids = (version["id"], ()) if is_own else (None, (version["id"],))
        changes.append(Change(version["recorded_from"], version["changed_by"], version["change_reason"], sets, *ids))
        before = version
    return changes


def merged(uid: str, own: Sequence[Change], other: Sequence[Change]) -> History:
    """One chain of two."""
    first = began(own[0], other[0])
    pairs, own_only, other_only = paired(own[1:], other[1:])
    twins = {id(mine): theirs for mine, theirs in pairs}
    changes = [one_of(mine, twins[id(mine)]) if id(mine) in twins else mine for mine in own[1:]] + other_only
    changes.sort(key=lambda change: change.at)
    places = {moment_of(change): place for place, change in enumerate(other)}
    return History([first, *settled(changes, places)], conflicts_of(uid, own_only, other_only))


def settled(changes: list[Change], places: Mapping[object, int]) -> Iterator[Change]:
    """Changes in order of time; those of one moment in the order of the file that has them all, which are `places` of
    the other one; where neither has, by what they say."""
    for _, group in groupby(changes, key=lambda change: change.at):
        same = list(group)
        is_theirs, is_ours = any(each.own_id is None for each in same), any(not each.other_ids for each in same)
        if is_theirs and is_ours:
            same.sort(key=lambda change: change.order)
        elif is_theirs:
            same.sort(key=lambda change: places.get(moment_of(change), 0))
        yield from same


def began(own: Change, other: Change) -> Change:
    """How a memory began: as the earlier statement, recorded when the first of both machines did."""
    best = min((own, other), key=lambda change: (change.sets["valid_from"], change.order[1]))
    return replace(best, at=min(own.at, other.at), sets=dict(best.sets), own_id=own.own_id, other_ids=other.other_ids)


def paired(
    own: Sequence[Change], other: Sequence[Change]
) -> tuple[list[tuple[Change, Change]], list[Change], list[Change]]:
    """Changes that are one, in pairs, and those that only one file has.

    One is known by when, by whom and why it was made; one of a machine also by what it changes, for what both read both
    made, each at its time.
    """
    pairs: list[tuple[Change, Change]] = []
    ours, theirs = list(own), list(other)
    for key_of in (moment_of, made_of):
        waiting: dict[object, list[Change]] = {}
        for change in theirs:
            waiting.setdefault(key_of(change), []).append(change)
        left = []
        for change in ours:
            key = key_of(change)
            if key is not None and waiting.get(key):
                pairs.append((change, waiting[key].pop(0)))
            else:
                left.append(change)
        taken = {id(theirs_) for _, theirs_ in pairs}
        ours, theirs = left, [change for change in theirs if id(change) not in taken]
    return pairs, ours, theirs


def moment_of(change: Change) -> object:
    """What tells a change that came from one machine."""
    return change.at, change.by, change.why


def made_of(change: Change) -> object:
    """What tells a change that machines made each by itself; None for a person's, and for one that changed nothing."""
    if change.by == PERSON or not change.sets:
        return None
    return change.by, change.why, json.dumps(sorted(change.sets.items()), default=str)


def one_of(own: Change, other: Change) -> Change:
    """The change that two are: at the earlier moment; where one had nothing left to change it sets what it had set."""
    sets = other.sets | own.sets
    for name in own.sets.keys() & other.sets.keys():
        if own.sets[name] != other.sets[name]:
            sets[name] = max(own.sets[name], other.sets[name], key=lambda value: json.dumps(value, default=str))
    return Change(min(own.at, other.at), own.by, own.why, sets, own.own_id, other.other_ids)


def conflicts_of(uid: str, own: Sequence[Change], other: Sequence[Change]) -> list[Conflict]:
    """What both files changed, each in its own way: the last word of each on a column."""
    found = []
    for column in VERSIONED:
        mine = next((change for change in reversed(own) if column in change.sets), None)
        theirs = next((change for change in reversed(other) if column in change.sets), None)
        if mine is None or theirs is None or mine.sets[column] == theirs.sets[column]:
            continue
        lost, holds = sorted((mine, theirs), key=lambda change: change.order)
        found.append(Conflict(uid, column, lost.sets[column], holds.sets[column], lost.at, holds.at, lost.by))
    return found


# ------------------------------------------------------------------ to the rows


def bring_memories(db: sqlite3.Connection, counts: Counts) -> Histories:
    """Brings memories and their versions. The triggers that make versions must be gone by then."""
    make_map(db, "memories")
    make_map(db, "memory_versions")
    db.execute(
        f"insert into temp.map_memories select o.id, m.id, 0 from {OTHER}.memories o"
        " join main.memories m on m.uid = o.uid"
    )
    done = Histories()
    both = zip(chains(db, "main", OTHER), chains(db, OTHER, "main"), strict=True)
    for (uid, own), (_, other) in both:
        settle_history(db, uid, own, other, done, counts)
    number_new(db, "memories")
    number_new(db, "memory_versions")
    for table in ("memories", "memory_versions"):
        shape = Shape(db, table, TABLES[table])
        counts.add(table, new=add_rows(db, shape))
    found = tuples(db, "select own_id from temp.map_memories where is_new = 1", ())
    done.changed += [number for (number,) in found]
    return done


def chains(db: sqlite3.Connection, schema: str, without: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The versions of each memory that both files have, by uid; projects as their paths, which both know."""
    paths = dict(tuples(db, "select id, canonical_path from main.projects", ()))
    if schema == OTHER:
        paths = {row[0]: paths[row[1]] for row in tuples(db, "select other_id, own_id from temp.map_projects", ())}
    names = ("uid", "id", "recorded_from", "changed_by", "change_reason", *SAYS)
    rows = (dict(zip(names, row, strict=True)) for row in tuples(db, LOADED.format(schema=schema, without=without), ()))
    for uid, group in groupby(rows, key=lambda row: str(row["uid"])):
        yield uid, [row | {"project_id": paths.get(row["project_id"])} for row in group]


def settle_history(
    db: sqlite3.Connection, uid: str, own: list[dict[str, Any]], other: list[dict[str, Any]], done: Histories,
    counts: Counts,
) -> None:  # fmt: skip
    """Makes the chain of a memory of ours one with the other file's, where they differ."""
    said = ("recorded_from", "changed_by", "change_reason", *SAYS)
    if [[row[name] for name in said] for row in own] == [[row[name] for name in said] for row in other]:
        map_versions(db, ((mine["id"], theirs["id"]) for mine, theirs in zip(own, other, strict=True)))
        settle_row(db, uid, None)
        return
    history = merged(uid, changes_of(own, is_own=True), changes_of(other, is_own=False))
    done.conflicts += history.conflicts
    memory_id = db.execute("select id from main.memories where uid = ?", [uid]).fetchone()[0]
    places = write_chain(db, memory_id, history)
    for side, versions in enumerate((own, other)):
        numbers = {number: places[side][row["id"]] for number, row in enumerate(versions, start=1)}
        if any(old != new for old, new in numbers.items()):
            done.renumbered[side][uid] = numbers
    is_changed = settle_row(db, uid, history) or len(history.changes) > len(own)
    counts.add("memories", changed=is_changed)
    counts.add("memory_versions", new=len(history.changes) - len(own))
    if is_changed:
        done.changed.append(memory_id)


def map_versions(db: sqlite3.Connection, pairs: Iterable[tuple[int, int]]) -> None:
    """Notes which versions of ours, given first, the other file's are."""
    db.executemany("insert into temp.map_memory_versions (own_id, other_id, is_new) values (?, ?, 0)", pairs)


def write_chain(db: sqlite3.Connection, memory_id: int, history: History) -> tuple[dict[int, int], dict[int, int]]:
    """Writes the chain of a memory; by side, the number that each row's version has now."""
    db.execute(
        "update main.memory_versions set version = -version, recorded_to = recorded_from where memory_id = ?",
        [memory_id],
    )
    states = list(states_of(history))
    places: tuple[dict[int, int], dict[int, int]] = ({}, {})
    for number, (change, state) in enumerate(zip(history.changes, states, strict=True), start=1):
        after = history.changes[number].at if number < len(states) else None
        own_id = write_version(db, memory_id, number, change, state, after)
        places[0][own_id] = number
        places[1].update(dict.fromkeys(change.other_ids, number))
        map_versions(db, ((own_id, other_id) for other_id in change.other_ids))
    return places


def states_of(history: History) -> Iterator[dict[str, Any]]:
    """What a memory said after each change."""
    state: dict[str, Any] = {}
    for change in history.changes:
        state = state | change.sets
        yield state


def write_version(
    db: sqlite3.Connection, memory_id: int, number: int, change: Change, state: Mapping[str, Any], after: str | None
) -> int:
    """Writes one version over its row, or as a new one; the row's number."""
    project = db.execute("select id from main.projects where canonical_path is ?", [state["project_id"]]).fetchone()
    values = dict(state) | {
        "project_id": project[0] if project else None, "memory_id": memory_id, "version": number,
        "recorded_from": change.at, "recorded_to": after, "changed_by": change.by, "change_reason": change.why,
    }  # fmt: skip
    if change.own_id is None:
        columns = ", ".join(values)
        marks = ", ".join(f":{name}" for name in values)
        cursor = db.execute(f"insert into main.memory_versions ({columns}) values ({marks})", values)
        return int(cursor.lastrowid or 0)
    row = dict(db.execute("select * from main.memory_versions where id = ?", [change.own_id]).fetchone())
    new = {name: value for name, value in values.items() if row[name] != value}
    if {"title", "text", "keys", "context"} & new.keys():
        db.execute("delete from main.static_vectors where memory_version_id = ?", [change.own_id])
    sets = ", ".join(f"{name} = :{name}" for name in new)
    db.execute(f"update main.memory_versions set {sets} where id = :id", new | {"id": change.own_id})
    return change.own_id


def settle_row(db: sqlite3.Connection, uid: str, history: History | None) -> bool:
    """Lets a memory's row say what its history ends with, and what only the row says; whether that changed it."""
    ours = dict(db.execute("select * from main.memories where uid = ?", [uid]).fetchone())
    theirs = db.execute(f"select * from {OTHER}.memories where uid = ?", [uid]).fetchone()
    new: dict[str, Any] = {
        "created_at": min(ours["created_at"], theirs["created_at"]),
        "updated_at": max(ours["updated_at"], theirs["updated_at"]),
        "origin": max(ours["origin"], theirs["origin"]),
    }
    if history is not None:
        last = db.execute(
            "select * from main.memory_versions where memory_id = ? and recorded_to is null", [ours["id"]]
        ).fetchone()
        new |= {name: last[name] for name in (*SAYS, "changed_by", "change_reason")}
        new["content_hash"] = content_hash(last["text"])
    new = {name: value for name, value in new.items() if ours[name] != value}
    if new:
        sets = ", ".join(f"{name} = :{name}" for name in new)
        db.execute(f"update main.memories set {sets} where id = :id", new | {"id": ours["id"]})
    return bool(new)
