"""Fixtures: one moment, and real files."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory_db.db import open_database

NOW = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def now() -> datetime:
    return NOW


@pytest.fixture
def db_path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def db(db_path: Path) -> Iterator[sqlite3.Connection]:
    connection = open_database(db_path, now=NOW)
    yield connection
    connection.close()
