"""Profiles of two files: by what they say, numbered in the order in which they were made.

In: rows of `profiles`, of one name. Out: the same with those of the other file. Invariants: a row says what it said; of
two files that numbered differently each number is told anew, also where a measurement names it.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from typing import Any

from memory_db.store.connection import tuples
from memory_db.store.presets import PRESETS
from memory_db.store.schema import SHIPPED, weights_json
from memory_db.upkeep.merge.rows import OTHER, Counts, make_map

SAYS = "weights, threshold, description, leaves_out, fitted_on"

ROWS = f"select id, name, version, created_at, {SAYS} from {{schema}}.profiles order by name, version"


class Profile:
    """One profile, with its rows in the two files."""

    def __init__(self, row: tuple[Any, ...]) -> None:
        self.name, self.version, self.created_at, self.says = row[1], row[2], row[3], row[4:]
        self.own_id: int | None = None
        self.other_id: int | None = None

    @property
    def order(self) -> tuple[Any, ...]:
        """Its place among those of its name."""
        return self.is_shipped_today(), self.created_at, self.version, repr(self.says)

    def is_shipped_today(self) -> bool:
        """Whether it is what this version ships under its name: that stays the newest of the shipped ones."""
        preset = PRESETS.get(self.name)
        is_shipped = str(self.says[-1] or "").startswith(SHIPPED)
        return preset is not None and is_shipped and self.says[:2] == (weights_json(preset.weights), preset.threshold)


def bring_profiles(db: sqlite3.Connection, counts: Counts) -> None:
    """Brings profiles, and tells measurements of either file the numbers that theirs have now."""
    make_map(db, "profiles")
    found: dict[str, dict[tuple[Any, ...], Profile]] = defaultdict(dict)
    numbers: tuple[dict[tuple[str, int], Profile], ...] = ({}, {})
    for side, schema in enumerate(("main", OTHER)):
        seen: Counter[tuple[Any, ...]] = Counter()
        for row in tuples(db, ROWS.format(schema=schema), ()):
            seen[row[1], row[4:]] += 1
            profile = found[row[1]].setdefault((row[4:], seen[row[1], row[4:]]), Profile(row))
            profile.created_at = min(profile.created_at, row[3])
            profile.version = min(profile.version, row[2])
            numbers[side][row[1], row[2]] = profile
            if side == 0:
                profile.own_id = row[0]
            else:
                profile.other_id = row[0]
    for name, profiles in found.items():
        number(db, name, sorted(profiles.values(), key=lambda each: each.order), counts)
    for schema, known in zip(("main", OTHER), numbers, strict=True):
        renumber_measurements(db, schema, known)


def number(db: sqlite3.Connection, name: str, profiles: list[Profile], counts: Counts) -> None:
    """Writes the profiles of one name in their order."""
    db.execute("update main.profiles set version = -version where name = ?", [name])
    for version, profile in enumerate(profiles, start=1):
        profile.version = version
        if profile.own_id is None:
            values = [name, version, *profile.says, profile.created_at]
            sql = f"insert into main.profiles (name, version, {SAYS}, created_at) values (?, ?, ?, ?, ?, ?, ?, ?)"
            profile.own_id = int(db.execute(sql, values).lastrowid or 0)
            counts.add("profiles", new=1)
        else:
            db.execute(
                "update main.profiles set version = ?, created_at = ? where id = ?",
                [version, profile.created_at, profile.own_id],
            )
        if profile.other_id is not None:
            db.execute("insert into temp.map_profiles values (?, ?, 0)", [profile.other_id, profile.own_id])


def renumber_measurements(db: sqlite3.Connection, schema: str, known: dict[tuple[str, int], Profile]) -> None:
    """Tells the measurements of a file which numbers its profiles have now."""
    rows = tuples(db, f"select id, profile, profile_version from {schema}.eval_runs", ())
    moved = [(known[row[1], row[2]].version, row[0]) for row in rows if (row[1], row[2]) in known]
    db.executemany(f"update {schema}.eval_runs set profile_version = ? where id = ?", moved)
