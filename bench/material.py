"""Files of any size for measuring, made from the sentences of the sample history, the same each time."""

from __future__ import annotations

import hashlib
import itertools
import random
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memory_db.sample.build import write_history
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.store.schema import open_database
from memory_db.text import static_vectors
from memory_db.transcripts import importer as importing

NOW = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)


def sample_texts() -> list[str]:
    """What was said in the sample history, one text an entry."""
    with tempfile.TemporaryDirectory() as folder:
        write_history(Path(folder) / "projects")
        with closing(open_database(Path(folder) / "sample.db", now=NOW)) as db:
            importing.import_claude_code(db, [Path(folder) / "projects"], now=NOW)
            rows = db.execute("select text from entries where kind in ('prompt', 'reply') and text <> '' order by id")
            return [row[0] for row in rows]


def varied_texts(count: int, seed: int = 7) -> Iterator[str]:
    """Texts of one to four sentences of the sample, each with a word of its own: no two are alike."""
    chance = random.Random(seed)
    sentences = [part.strip() for text in sample_texts() for part in text.split(". ") if 20 < len(part) < 400]
    for number in range(count):
        chosen = chance.sample(sentences, chance.randint(1, 4))
        yield f"{'. '.join(chosen)}. ref{number:x}"


def fill_entries(db: sqlite3.Connection, count: int, *, per_session: int = 60, vectors: bool = True) -> None:
    """Adds entries in sessions of one project, with their static vectors."""
    texts = varied_texts(count)
    with transaction(db):
        db.execute(
            "insert or ignore into projects (id, name, canonical_path, created_at) values (1, 'bench', '/bench', ?)",
            [utc_text(NOW)],
        )
    for session in itertools.count(1):
        block = list(itertools.islice(texts, per_session))
        if not block:
            return
        started = NOW - timedelta(hours=session)
        with transaction(db):
            db.execute(
                "insert into sessions (id, uid, format, project_id) values (?, ?, 'claude-code', 1)",
                [session, f"bench-{session}"],
            )
            for position, text in enumerate(block):
                cursor = db.execute(
                    "insert into entries (uid, session_id, role, kind, text, created_at) values (?, ?, ?, ?, ?, ?)",
                    [f"e{session}-{position}", session, "user" if position % 2 else "assistant",
                     "prompt" if position % 2 else "reply", text, utc_text(started + timedelta(minutes=position))],
                )  # fmt: skip
                db.execute("insert into session_entries values (?, ?, ?)", [session, cursor.lastrowid, position])
                if vectors:
                    db.execute(
                        "insert into static_vectors (entry_id, model, vector) values (?, ?, ?)",
                        [cursor.lastrowid, static_vectors.MODEL_ID, fake_vector(text)],
                    )


def fake_vector(text: str) -> bytes:
    """256 numbers that follow from a text: comparing costs the same as with real ones."""
    return hashlib.shake_256(text.encode()).digest(256)


def fill_memories(db: sqlite3.Connection, count: int) -> None:
    """Adds memories of one project, with their static vectors."""
    with transaction(db):
        db.execute(
            "insert or ignore into projects (id, name, canonical_path, created_at) values (1, 'bench', '/bench', ?)",
            [utc_text(NOW)],
        )
        for number, text in enumerate(varied_texts(count, seed=11)):
            at = utc_text(NOW - timedelta(hours=number % 5000))
            cursor = db.execute(
                "insert into memories (uid, kind, scope, project_id, title, text, tokens, origin, content_hash,"
                " valid_from, changed_by, change_reason, created_at, updated_at)"
                " values (?, 'fix', 'project', 1, ?, ?, 50, 'rules', ?, ?, 'bench', 'bench', ?, ?)",
                [f"m{number:08x}", text[:60], text, text, at, at, at],
            )
            db.execute(
                "insert into evidence (memory_id, kind, direction, weight, source, created_at)"
                " values (?, 'stated', 'for', 1, 'bench', ?)",
                [cursor.lastrowid, at],
            )
            version = db.execute("select id from memory_versions where memory_id = ?", [cursor.lastrowid]).fetchone()[0]
            db.execute(
                "insert into static_vectors (memory_version_id, model, vector) values (?, ?, ?)",
                [version, static_vectors.MODEL_ID, fake_vector(text)],
            )
