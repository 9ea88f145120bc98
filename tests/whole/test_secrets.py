"""No secret reaches the file: its bytes are searched, not its tables."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from memory_db.sample.fakes import FAKE_SECRETS


@pytest.mark.parametrize("name", sorted(FAKE_SECRETS))
def test_no_byte_of_the_file_holds_a_secret(sample_file: Path, name: str) -> None:
    secret = FAKE_SECRETS[name].encode()
    assert len(secret) > 5
    for part in sample_file.parent.glob(sample_file.name + "*"):
        assert secret not in part.read_bytes(), f"{name} is in {part.name}"


def test_each_secret_of_the_history_stands_in_the_transcripts(sample_file: Path) -> None:
    folder = sample_file.with_name("sample-history")
    raw = b"".join(path.read_bytes() for path in folder.rglob("*.jsonl"))
    for name in ("aws", "github", "postgres"):
        assert FAKE_SECRETS[name].encode() in raw, name


def test_each_finding_is_a_row_that_does_not_tell_the_secret(sample_db: sqlite3.Connection) -> None:
    rows = sample_db.execute("select * from scan_findings").fetchall()
    assert {row["category"] for row in rows} >= {"secret", "private"}
    assert {row["rule"] for row in rows} >= {"aws-key-id", "github", "private-key", "url-password", "private"}
    for row in rows:
        assert row["entry_id"] is not None or row["source_id"] is not None or row["place"]
        assert not any(secret in str(tuple(row)) for secret in FAKE_SECRETS.values())
