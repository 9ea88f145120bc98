"""Which columns of a memory make a version: the list, the table and the triggers agree."""

from __future__ import annotations

import sqlite3
from datetime import datetime

import pytest

from memory_db.knowledge.memories import add_memory
from memory_db.store.dates import utc_text
from memory_db.store.versions import VERSIONED
from memory_db.upkeep.check import check

OF_THE_VERSION = {"id", "memory_id", "version", "tokens", "recorded_from", "recorded_to", "changed_by", "change_reason"}

NOT_VERSIONED = {
    "id",
    "uid",
    "tokens",
    "origin",
    "content_hash",
    "changed_by",
    "change_reason",
    "created_at",
    "updated_at",
}
"""What a memory is called, what follows from its text, and what says who changed it when."""

TEXT = "The tests run against port 5433."

OTHER_VALUES = {
    "kind": "decision", "scope": "user", "project_id": 2, "status": "retired", "lock_level": "promoted",
    "importance": 5, "layer_override": 2, "title": "Another title", "text": "Another text", "keys": '["another"]',
    "context": "another", "condition": "when it rains", "valid_from": "2020-01-01T00:00:00.000Z",
    "valid_to": "2031-01-01T00:00:00.000Z",
}  # fmt: skip


@pytest.fixture
def project(db: sqlite3.Connection, now: datetime) -> int:
    """One of two projects."""
    for number in (1, 2):
        values = [number, f"shop {number}", f"/home/sam/shop{number}", utc_text(now)]
        db.execute("insert into projects (id, name, canonical_path, created_at) values (?, ?, ?, ?)", values)
    return 1


def columns(db: sqlite3.Connection, table: str) -> set[str]:
    return {row["name"] for row in db.execute(f"pragma table_info({table})")}


def versions(db: sqlite3.Connection) -> list[sqlite3.Row]:
    return db.execute("select * from memory_versions order by version").fetchall()


def test_the_list_is_what_both_tables_have(db: sqlite3.Connection) -> None:
    assert columns(db, "memory_versions") - OF_THE_VERSION == set(VERSIONED)
    assert columns(db, "memories") - NOT_VERSIONED == set(VERSIONED)


@pytest.mark.parametrize("says_when", [True, False], ids=["says when", "by hand"])
@pytest.mark.parametrize("column", VERSIONED)
def test_a_change_of_each_opens_one_version(
    db: sqlite3.Connection, project: int, column: str, says_when: bool, now: datetime
) -> None:
    add_memory(db, text=TEXT, kind="environment", scope="project", project_id=project, now=now)
    before = dict(db.execute("select * from memories").fetchone())
    changes = {column: OTHER_VALUES[column], **({"updated_at": utc_text(now)} if says_when else {})}
    assert before[column] != changes[column]
    db.execute(f"update memories set {', '.join(f'{name} = :{name}' for name in changes)}", changes)
    old, new = versions(db)
    assert old["recorded_to"] == new["recorded_from"] and new["recorded_to"] is None
    assert (old[column], new[column], new["version"]) == (before[column], changes[column], 2)
    assert {name for name in VERSIONED if old[name] != new[name]} == {column}
    assert not [
        found for found in check(db) if found.what in ("a memory is its current version", "versions follow each other")
    ]


@pytest.mark.parametrize("column", VERSIONED)
def test_a_version_that_differs_in_any_of_them_is_found(
    db: sqlite3.Connection, project: int, column: str, now: datetime
) -> None:
    add_memory(db, text=TEXT, kind="environment", scope="project", project_id=project, now=now)
    db.execute(f"update memory_versions set {column} = ?", [OTHER_VALUES[column]])
    found = [finding.detail for finding in check(db) if finding.what == "a memory is its current version"]
    assert found == [f"differs from version 1 in {column}"]
