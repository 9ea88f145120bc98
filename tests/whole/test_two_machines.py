"""Two homes whose histories overlap, merged in both orders, beside one that has seen everything."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bench.same_rows import rows_of
from memory_db.sample.build import SESSIONS, write_history
from tests.support.command import run
from tests.support.natural_rows import differences

pytestmark = pytest.mark.slow

FERRY, GONE, CRANE = (
    "The ferry leaves from quay four.",
    "The cellar door opens by blue lagoon.",
    "The crane lifts nine tonnes.",
)

READ = (
    "projects", "sources", "source_problems", "sessions", "entries", "session_entries", "actions", "api_calls",
    "candidates", "scan_findings", "full text of entries",
)  # fmt: skip
"""What a file has of its transcripts, whoever read them. A memory is named after the path that its project had when it
was made, which one machine may have known by another path; reasons of decisions say what was near at the time."""


def home(folder: Path, name: str, first: int, last: int) -> Path:
    """The file of a machine that has read some sessions of the sample; the paths of all machines are the same."""
    history = folder / "history"
    shutil.rmtree(history, ignore_errors=True)
    write_history(history, sorted(SESSIONS.glob("*.yaml"))[first:last])
    path = folder / f"{name}.db"
    run("-d", path, "settings", "embedding_model", "none")
    run("-d", path, "run", "--dir", history)
    return path


def uid_of(path: Path, text: str) -> str:
    with closing(sqlite3.connect(path)) as db:
        return str(db.execute("select uid from memories where text = ?", [text]).fetchone()[0])


def joined(own: Path, other: Path, name: str) -> Path:
    """A copy of a file into which another one was merged by the command."""
    path = own.with_name(f"{name}.db")
    with closing(sqlite3.connect(own)) as db:
        db.execute("vacuum into ?", [str(path)])
    run("-d", path, "file", "merge", other)
    run("-d", path, "file", "check")
    return path


def test_two_homes_become_one_in_both_orders(tmp_path: Path) -> None:
    a, b = home(tmp_path, "a", 0, 5), home(tmp_path, "b", 3, 7)
    everything = home(tmp_path, "everything", 0, 7)
    ab = joined(a, b, "ab-before")
    merged, at_once = rows_of(ab), rows_of(everything)
    assert {name: merged[name] for name in READ} == {name: at_once[name] for name in READ}
    said = [sorted(row[1:6] for row in rows["memories"]) for rows in (merged, at_once)]
    assert said[0] == said[1]
    for path, quay in ((a, "six"), (b, "nine")):
        for text in (FERRY, GONE, CRANE):
            run("-d", path, "add", text, "--user")
        correction = f"The ferry leaves from quay {quay}."
        run("-d", path, "memory", "correct", correction, "--replaces", uid_of(path, FERRY), "--reason", "moved")
    run("-d", a, "memory", "forget", uid_of(a, GONE), "--yes")
    run("-d", a, "recall", "where does the ferry leave")
    run("-d", b, "memory", "retire", uid_of(b, CRANE), "--note", "sold")
    ab, ba = joined(a, b, "ab"), joined(b, a, "ba")
    assert differences(ab, ba) == {}
    assert b"blue lagoon" not in ab.read_bytes() + ba.read_bytes()
    assert "two files replaced" in run("-d", ab, "review").output
