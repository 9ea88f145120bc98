"""Sessions that are lived through, for the tests of what the gate decides."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from memory_db.sample.build import write_history
from memory_db.store.connection import connect
from memory_db.store.schema import open_database
from memory_db.upkeep import pipeline
from tests.conftest import NOW

Lived = Callable[..., sqlite3.Connection]

BEGUN: list[dict[str, Any]] = [
    {"user": "please tidy the oven module"},
    {"edit": "ovens.py", "old": "a = 1", "new": "b = 1"},
    {"say": "Tidied."},
]


@pytest.fixture
def lived(tmp_path: Path) -> Lived:
    """A function that takes in sessions, a day each, and gives the file."""

    def live(*sessions: list[dict[str, Any]]) -> sqlite3.Connection:
        dialogues = []
        for number, turns in enumerate(sessions, 1):
            dialogue = tmp_path / f"{number:02}.yaml"
            start = NOW.replace(tzinfo=None) - timedelta(days=20 - number)
            head = {"cwd": "/home/ada/kiln", "branch": "main", "version": "2.1.330", "model": "opus", "start": start}
            dialogue.write_text(yaml.safe_dump({**head, "turns": [*BEGUN, *turns]}, sort_keys=False), "utf-8")
            dialogues.append(dialogue)
        write_history(tmp_path / "history", dialogues)
        with closing(open_database(tmp_path / "m.db", now=NOW)) as db:
            pipeline.run(db, [tmp_path / "history"], now=NOW)
        return connect(tmp_path / "m.db")

    return live
