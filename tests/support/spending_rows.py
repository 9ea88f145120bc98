"""Sessions, calls and recalls of known tokens and prices, written row by row."""

from __future__ import annotations

import sqlite3
from decimal import Decimal

from memory_db.models.prices import Quote, set_price
from tests.support.session_rows import add_project

MODEL = "model-of-the-test"
INPUT, OUTPUT, WRITE_5M, WRITE_1H, READ = 300_000, 1_500_000, 375_000, 600_000, 30_000
"""Its price, in nanocents a token."""

DAY = "2026-10-05"


def at(clock: str, day: str = DAY) -> str:
    """A moment of a day, such as 10:00:05."""
    return f"{day}T{clock}.000Z"


def add_price(db: sqlite3.Connection, model: str = MODEL) -> None:
    """The price above."""
    usd = [Decimal(each) for each in ("3", "15", "3.75", "6", "0.3")]
    set_price(db, model, Quote(*usd))


def add_ferry(db: sqlite3.Connection) -> int:
    """A project; its id."""
    return add_project(db, "/home/sam/code/ferry")


def add_session(
    db: sqlite3.Connection, uid: str, project_id: int, size_bytes: int = 0, *, parent_id: int | None = None
) -> int:
    """A session with one entry of so many bytes; its id."""
    session_id = db.execute(
        "insert into sessions (uid, format, project_id, parent_session_id) values (?, 'claude-code', ?, ?)",
        [uid, project_id, parent_id],
    ).lastrowid
    assert session_id is not None
    if size_bytes:
        add_entry(db, session_id, "prompt", "x" * size_bytes, at("09:00:00", "2026-09-01"))
    return session_id


def add_entry(db: sqlite3.Connection, session_id: int, kind: str, text: str, when: str) -> int:
    """An entry; its id."""
    number = db.execute("select count(*) from entries").fetchone()[0] + 1
    row = db.execute(
        "insert into entries (uid, session_id, role, kind, text, created_at) values (?, ?, 'user', ?, ?, ?)",
        [f"e{number}", session_id, kind, text, when],
    )
    db.execute("insert into session_entries values (?, ?, ?)", [session_id, row.lastrowid, number])
    return int(row.lastrowid or 0)


def add_call(
    db: sqlite3.Connection, session_id: int, when: str, *tokens: int, model: str = MODEL
) -> int:  # fmt: skip
    """A call of input, output, 5-minute, 1-hour and cached tokens; its id."""
    number = db.execute("select count(*) from api_calls").fetchone()[0] + 1
    counts = [*tokens, 0, 0, 0, 0, 0][:5]
    row = db.execute(
        "insert into api_calls (message_uid, session_id, model, created_at, input_tokens, output_tokens,"
        " cache_write_5m_tokens, cache_write_1h_tokens, cache_read_tokens) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [f"m{number}", session_id, model, when, *counts],
    )
    return int(row.lastrowid or 0)


def add_model_call(
    db: sqlite3.Connection, purpose: str, when: str, tokens: tuple[int, int], *, session_id: int | None = None,
    model: str = MODEL, cost_nanocents: int | None = None,
) -> None:  # fmt: skip
    """A call that memory made, of input and output tokens."""
    db.execute(
        "insert into model_calls (purpose, session_id, model, input_tokens, output_tokens, cost_nanocents, duration_ms,"
        " created_at) values (?, ?, ?, ?, ?, ?, 1.0, ?)",
        [purpose, session_id, model, *tokens, cost_nanocents, when],
    )


def add_memory(db: sqlite3.Connection, uid: str, project_id: int, entry_ids: list[int]) -> int:
    """A memory made from entries; the id of its version."""
    memory_id = db.execute(
        "insert into memories (uid, kind, scope, project_id, title, text, tokens, origin, content_hash, valid_from,"
        " changed_by, change_reason, created_at, updated_at)"
        " values (:uid, 'decision', 'project', :project, :uid, :uid, 5, 'rules', :uid, :at, 'test', 'test', :at, :at)",
        {"uid": uid, "project": project_id, "at": at("08:00:00")},
    ).lastrowid
    for entry_id in entry_ids:
        db.execute(
            "insert into memory_sources (memory_id, entry_id, quote, created_at) values (?, ?, 'x', ?)",
            [memory_id, entry_id, at("08:00:00")],
        )
    row = db.execute("select id from memory_versions where memory_id = ?", [memory_id]).fetchone()
    return int(row["id"])


def add_recall(
    db: sqlite3.Connection, surface: str, when: str, shown_tokens: int, *, project_id: int | None = None,
    session_uid: str | None = None, session_id: int | None = None, shown: tuple[int, ...] = (),
    left_out: tuple[int, ...] = (), context: str = "{}",
) -> int:  # fmt: skip
    """A recall with the versions of memories that it showed and left out; its id."""
    number = db.execute("select count(*) from recalls").fetchone()[0] + 1
    row = db.execute(
        "insert into recalls (uid, query, scope, surface, project_id, session_uid, session_id, profile_id, context,"
        " features, considered_count, left_out, shown_tokens, asked_at, duration_ms)"
        " values (?, 'a question', 'memories', ?, ?, ?, ?, 1, ?, '{}', 1, '{}', ?, ?, 1.0)",
        [f"r{number:08x}", surface, project_id, session_uid, session_id, context, shown_tokens, when],
    )
    for position, version_id in enumerate((*shown, *left_out), start=1):
        is_shown = position <= len(shown)
        db.execute(
            "insert into hits (recall_id, memory_version_id, position, rank, left_out_reason, logged_score, features,"
            " signals) values (?, ?, ?, ?, ?, 0.5, '{}', '{}')",
            [row.lastrowid, version_id, position, position if is_shown else None, None if is_shown else "a reason"],
        )
    return int(row.lastrowid or 0)
