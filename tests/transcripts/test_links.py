"""Links that lead out of a folder that is read are rows with a reason, and nothing of what they lead to is read."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime
from pathlib import Path

import pytest

from memory_db.errors import SourceError
from memory_db.hooks.background import look_at
from memory_db.store import jobs
from memory_db.transcripts.importer import import_claude_ai, import_claude_code, import_text
from memory_db.transcripts.links import LEADS_OUT, link_out
from memory_db.upkeep.doctor import transcripts
from memory_db.upkeep.doctor_report import DoctorContext
from memory_db.upkeep.transcript_jobs import transcripts_of
from tests.support.transcript_rows import everything, user, write_jsonl

SECRET = "root:x:0:0:keeper of the house:/root:/bin/sh"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of transcripts with one of its own, and links that lead out of it."""
    folder = tmp_path / "projects"
    write_jsonl(folder / "p" / "own.jsonl", [user("a", "The loom is 60 cm wide.")])
    outside = write_jsonl(tmp_path / "outside" / "far.jsonl", [user("b", SECRET, "far")])
    (tmp_path / "outside" / "passwd").write_text(f"{SECRET}\n" * 3)
    (folder / "p" / "words.jsonl").symlink_to(outside.parent / "passwd")
    (folder / "p" / "device.json").symlink_to("/dev/zero")
    (folder / "p" / "gone.jsonl").symlink_to(tmp_path / "nothing.jsonl")
    (folder / "p" / "round.jsonl").symlink_to(folder / "p" / "round.jsonl")
    (folder / "q").symlink_to(outside.parent)
    write_jsonl(tmp_path / "outside" / "agents" / "agent-1.jsonl", [user("c", SECRET, "far")])
    (folder / "p" / "own" / "subagents").parent.mkdir()
    (folder / "p" / "own" / "subagents").symlink_to(tmp_path / "outside" / "agents")
    return folder


def reasons(db: sqlite3.Connection) -> dict[str, str]:
    sql = "select path, state_reason from sources where state = 'unreadable'"
    return {Path(row["path"]).name: row["state_reason"] for row in db.execute(sql)}


def test_links_that_lead_out_are_rows_and_unread(
    db: sqlite3.Connection, db_path: Path, folder: Path, now: datetime
) -> None:
    counts = import_claude_code(db, [folder], now=now)
    assert (counts.files_read, counts.entries_added, counts.problems) == (1, 1, 0)
    found = reasons(db)
    assert found.pop("round.jsonl")
    assert found == dict.fromkeys(("words.jsonl", "device.json", "gone.jsonl", "q", "subagents"), LEADS_OUT)
    assert not db.execute("select 1 from source_problems").fetchall()
    db.execute("pragma wal_checkpoint(truncate)")
    assert b"keeper of the house" not in db_path.read_bytes()
    before = everything(db)
    import_claude_code(db, [folder], now=now)
    assert everything(db) == before


def test_links_within_the_folder_and_to_it_are_followed(db: sqlite3.Connection, tmp_path: Path, now: datetime) -> None:
    own = write_jsonl(tmp_path / "there" / "p" / "own.jsonl", [user("a", "The loom is 60 cm wide.")])
    (tmp_path / "there" / "moved").symlink_to(own.parent)
    (tmp_path / "projects").symlink_to(tmp_path / "there")
    counts = import_claude_code(db, [tmp_path / "projects"], now=now)
    assert (counts.files_read, counts.entries_added, counts.entries_known) == (2, 1, 1)
    assert reasons(db) == {}


def test_what_was_read_through_a_link_before_is_not_read_again(
    db: sqlite3.Connection, tmp_path: Path, now: datetime
) -> None:
    own = write_jsonl(tmp_path / "projects" / "p" / "own.jsonl", [user("a", "The loom is 60 cm wide.")])
    import_claude_code(db, [tmp_path / "projects"], now=now)
    own.unlink()
    own.symlink_to(write_jsonl(tmp_path / "far.jsonl", [user("a", "The loom is 60 cm wide."), user("b", SECRET)]))
    import_claude_code(db, [tmp_path / "projects"], now=now)
    assert reasons(db) == {"own.jsonl": LEADS_OUT}
    assert [row["uid"] for row in db.execute("select uid from entries")] == ["a"]


def test_a_file_that_was_named_may_be_a_link(db: sqlite3.Connection, folder: Path, now: datetime) -> None:
    (folder / "named.jsonl").symlink_to(folder.parent / "outside" / "far.jsonl")
    assert import_claude_code(db, [folder / "named.jsonl"], now=now).entries_added == 1


def test_documents_behind_a_link_out_are_not_read(db: sqlite3.Connection, tmp_path: Path, now: datetime) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "own.md").write_text("The loom is 60 cm wide.")
    (tmp_path / "far.md").write_text(SECRET)
    (notes / "far.md").symlink_to(tmp_path / "far.md")
    (notes / "same.md").symlink_to(notes / "own.md")
    counts = import_text(db, [notes], now=now)
    assert (counts.files_read, counts.files_unreadable, reasons(db)) == (2, 1, {"far.md": LEADS_OUT})
    assert not db.execute("select 1 from entries where text like '%keeper%'").fetchone()
    (notes / "own.md").unlink()
    (notes / "same.md").unlink()
    with pytest.raises(SourceError, match="which is not followed"):
        import_text(db, [notes], now=now)


def test_an_export_that_leads_out_of_the_folder_named(db: sqlite3.Connection, tmp_path: Path, now: datetime) -> None:
    talk = [{"uuid": "c", "chat_messages": [{"sender": "human", "text": SECRET}]}]
    (tmp_path / "far.json").write_text(json.dumps(talk))
    (tmp_path / "export").mkdir()
    (tmp_path / "export" / "conversations.json").symlink_to(tmp_path / "far.json")
    with pytest.raises(SourceError, match="Name the file itself"):
        import_claude_ai(db, tmp_path / "export", now=now)
    assert reasons(db) == {"conversations.json": LEADS_OUT}
    assert import_claude_ai(db, tmp_path / "far.json", now=now).entries_added == 1


def test_what_a_hook_names_behind_a_link_out_is_not_read(
    db: sqlite3.Connection, db_path: Path, folder: Path, now: datetime
) -> None:
    for name in ("q/far.jsonl", "p/words.jsonl"):
        with pytest.raises(SourceError, match="link"):
            look_at(str(folder / name), str(db_path))
    jobs.enqueue(db, "transcript", "k", {"path": str(folder / "p" / "own.jsonl")}, now)
    job = jobs.lease(db, now, kind="transcript")
    assert job is not None
    assert transcripts_of(db, job) == [folder / "p" / "own.jsonl"]


def test_the_doctor_looks_at_no_link_that_leads_out(db: sqlite3.Connection, folder: Path, now: datetime) -> None:
    [line] = transcripts(DoctorContext(folder.parent / "memory.db", db, now, (folder,)))
    assert line.what.startswith("1 transcripts at")


def test_the_link_is_named_that_leads_out(folder: Path) -> None:
    assert link_out(folder / "q" / "far.jsonl", folder) == str(folder / "q")
    assert link_out(folder / "p" / "own.jsonl", folder) is None
    assert link_out(folder / "p" / "own.jsonl", "/") is None
