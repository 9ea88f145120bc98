"""Small files of a fleet."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

from memory_db.index import build as index
from memory_db.knowledge.memories import add_memory
from memory_db.store import settings
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.store.schema import open_database
from memory_db.transcripts.projects import make_project

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
