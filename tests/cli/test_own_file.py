"""The database is never opened as any other file: that would cost this process its locks."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner

from memory_db.cli import cli

WAYS = (
    ("import", "text", "@"), ("export", "--output", "@"), ("file", "backup", "@"),
    ("memory", "portrait", "--write", "@"), ("evaluate", "@"),
    ("import", "exchange", "--prompt", "@", "--response", "@"),
    ("file", "decrypt", "@", "other.db"), ("file", "restore", "@"),
)  # fmt: skip


@pytest.mark.parametrize("way", WAYS, ids=[" ".join(way) for way in WAYS])
@pytest.mark.parametrize("name", ["memory.db", "link.db", "memory.db-wal"])
def test_the_database_is_refused_where_another_file_is_due(
    db: sqlite3.Connection, db_path: Path, way: tuple[str, ...], name: str
) -> None:
    given = db_path.with_name(name if name == "link.db" else db_path.name + name.removeprefix("memory.db"))
    if name == "link.db":
        given.symlink_to(db_path)
    given.touch()
    before = db_path.read_bytes()
    answer = CliRunner().invoke(cli, ["-d", str(db_path), *(str(given) if each == "@" else each for each in way)])
    assert answer.exit_code == 1 and f"{given} is the database itself." in answer.output, answer.output
    assert db_path.read_bytes() == before
