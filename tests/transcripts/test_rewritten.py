"""A file that was changed where it had been read is noticed, however small the change; a grown one is read on."""

from __future__ import annotations

import json
import os
import sqlite3
from datetime import datetime
from pathlib import Path

import pytest

from memory_db.transcripts import lines
from memory_db.transcripts.importer import import_claude_code
from memory_db.transcripts.lines import ReadHash
from tests.support.transcript_rows import user, write_jsonl


def test_a_change_in_the_middle_is_noticed(db: sqlite3.Connection, tmp_path: Path, now: datetime) -> None:
    records = [user(f"u{number}", "words " * 40) for number in range(200)]
    path = write_jsonl(tmp_path / "p" / "s1.jsonl", records)
    size = path.stat().st_size
    import_claude_code(db, [tmp_path], now=now)
    records[100] = user("u100", "sword " * 40)
    os.utime(write_jsonl(path, records), (1, 1))
    assert path.stat().st_size == size
    counts = import_claude_code(db, [tmp_path], now=now)
    assert (counts.files_rewritten, counts.entries_added, counts.entries_known) == (1, 1, 199)


def test_a_change_is_noticed_in_a_grown_file(db: sqlite3.Connection, tmp_path: Path, now: datetime) -> None:
    path = write_jsonl(tmp_path / "p" / "s1.jsonl", [user(f"u{number}", "words " * 40) for number in range(200)])
    import_claude_code(db, [tmp_path], now=now)
    for more in ("u200", "u201"):
        with path.open("a") as handle:
            handle.write(json.dumps(user(more, "more")) + "\n")
        counts = import_claude_code(db, [tmp_path], now=now)
        assert (counts.files_rewritten, counts.lines, counts.entries_added) == (0, 1, 1)
    path.write_bytes(path.read_bytes().replace(b'"u100"', b'"v100"'))
    os.utime(path, (1, 1))
    counts = import_claude_code(db, [tmp_path], now=now)
    assert (counts.files_rewritten, counts.entries_added, counts.entries_known) == (1, 1, 201)


@pytest.mark.parametrize("at", [0, 20, 95])
def test_the_hash_of_a_long_file_covers_its_beginning_and_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    monkeypatch.setattr(lines, "HASHED_BYTES", 40)
    monkeypatch.setattr(lines, "SAMPLE_BYTES", 10)
    path = tmp_path / "long"
    path.write_bytes(bytes(100))
    in_parts = ReadHash()
    whole = ReadHash().up_to(path, 100)
    assert [in_parts.up_to(path, size) for size in (7, 39, 40, 41, 100)][-1] == whole
    path.write_bytes(bytes(at) + b"x" + bytes(99 - at))
    assert ReadHash().up_to(path, 100) != whole


@pytest.mark.parametrize("cwd", [True, "", 5])
def test_a_fact_that_is_none_gives_way_to_one(
    db: sqlite3.Connection, tmp_path: Path, now: datetime, cwd: object
) -> None:
    write_jsonl(tmp_path / "p" / "s1.jsonl", [user("a", "one", cwd=cwd), user("b", "two", cwd="/w/x")])
    import_claude_code(db, [tmp_path], now=now)
    assert db.execute("select cwd from sessions").fetchone()[0] == "/w/x"
