"""Instruction files are counted and hashed where projects are on this disk, and their words are not kept."""

from __future__ import annotations

import os
import sqlite3
from datetime import datetime, timedelta
from pathlib import Path

from memory_db.models.tokens import count_tokens
from memory_db.transcripts.instruction_files import MOST_BYTES, see
from tests.support.session_rows import add_project


def rows(db: sqlite3.Connection) -> list[tuple[str, int]]:
    return [tuple(row) for row in db.execute("select path, tokens from instruction_files order by id")]


def test_files_are_seen_once_and_again_when_they_change(db: sqlite3.Connection, tmp_path: Path, now: datetime) -> None:
    add_project(db, str(tmp_path))
    add_project(db, "/nowhere/at/all")
    assert see(db, now=now) == 0
    text = "Use uv, never pip. The secret word is marmalade."
    (tmp_path / "CLAUDE.md").write_text(text, "utf-8")
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "CLAUDE.md").write_text("More.", "utf-8")
    assert (see(db, now=now), see(db, now=now + timedelta(days=1))) == (2, 0)
    (tmp_path / "CLAUDE.md").write_text(text + " And tea.", "utf-8")
    assert see(db, now=now + timedelta(days=2)) == 1
    assert rows(db) == [("CLAUDE.md", count_tokens(text)), (".claude/CLAUDE.md", count_tokens("More.")),
                        ("CLAUDE.md", count_tokens(text + " And tea."))]  # fmt: skip
    assert "marmalade" not in "".join(db.iterdump())


def test_agents_md_counts_where_it_is_read(db: sqlite3.Connection, tmp_path: Path, now: datetime) -> None:
    add_project(db, str(tmp_path))
    (tmp_path / "AGENTS.md").write_text("For others.", "utf-8")
    (tmp_path / "CLAUDE.md").write_text("Mine.", "utf-8")
    see(db, now=now)
    assert [path for path, _ in rows(db)] == ["CLAUDE.md"]
    (tmp_path / "CLAUDE.md").write_text("@AGENTS.md and mine.", "utf-8")
    see(db, now=now)
    assert [path for path, _ in rows(db)] == ["CLAUDE.md", "CLAUDE.md", "AGENTS.md"]


def test_what_cannot_be_read_is_passed_over(db: sqlite3.Connection, tmp_path: Path, now: datetime) -> None:
    add_project(db, str(tmp_path))
    (tmp_path / "CLAUDE.md").mkdir()
    (tmp_path / "CLAUDE.local.md").write_bytes(b"x" * (MOST_BYTES + 1))
    os.mkfifo(tmp_path / "AGENTS.md")
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "CLAUDE.md").write_bytes(b"caf\xe9 <|endoftext|>")
    assert see(db, now=now) == 1
