"""Each known oddity of a transcript gives the rows of its golden file."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from datetime import datetime
from pathlib import Path

import pytest

from memory_db.transcripts.claude_code import ClaudeCodeReader, ReaderState, names_of
from memory_db.transcripts.importer import import_claude_code
from memory_db.transcripts.lines import Line
from memory_db.transcripts.records import INPUT_CHARACTERS, json_text
from tests.support.transcript_rows import rows, user, write_jsonl

DATA = Path(__file__).parents[1] / "data" / "transcripts"
NAMES = sorted(path.stem for path in DATA.glob("*.jsonl"))
MTIME = 1_777_777_777
DEEP, DEEPER = b'{"a":' * 3_000, b'{"a":' * 200_000
"""What is nested too deeply for Python 3.11, and for any: how deep a newer one goes differs."""
SECRETS = ("AKIAQ3EGRVZ7KPLW2MXT", "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "w3ft-and-warp", "sister is ill",
           "s3cr3t-t0ken-9", "an old brief")  # fmt: skip


def import_fixture(db: sqlite3.Connection, tmp_path: Path, name: str, now: datetime) -> dict[str, int]:
    path = tmp_path / "projects" / "loom" / f"{name}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes((DATA / path.name).read_bytes().replace(DEEP, DEEPER))
    os.utime(path, (MTIME, MTIME))
    return import_claude_code(db, [tmp_path / "projects"], now=now).as_dict()


@pytest.mark.parametrize("name", NAMES)
def test_golden(name: str, db: sqlite3.Connection, tmp_path: Path, now: datetime) -> None:
    counts = import_fixture(db, tmp_path, name, now)
    found = {"counts": {key: value for key, value in counts.items() if value}, **rows(db)}
    golden = DATA / f"{name}.json"
    assert found == json.loads(golden.read_text("utf-8")), f"{golden.name} says otherwise"


@pytest.mark.parametrize("name", NAMES)
def test_each_line_is_accounted_for(name: str, db: sqlite3.Connection, tmp_path: Path, now: datetime) -> None:
    counts = import_fixture(db, tmp_path, name, now)
    parts = ("entries_added", "entries_known", "lines_skipped", "lines_unreadable")
    assert counts["lines"] == sum(counts[part] for part in parts)
    data = (DATA / f"{name}.jsonl").read_bytes()
    assert counts["lines"] == data.count(b"\n")


def test_no_secret_and_no_picture_is_in_the_file(tmp_path: Path, db_path: Path, db: sqlite3.Connection,
                                                 now: datetime) -> None:  # fmt: skip
    shutil.copytree(DATA, tmp_path / "projects" / "loom")
    import_claude_code(db, [tmp_path / "projects"], now=now)
    written = b"".join(path.read_bytes() for path in tmp_path.glob("memory.db*"))
    for secret in SECRETS:
        assert secret.encode() not in written
    assert b"iVBORw0KGgo" not in written
    assert b"deploy" in written


def test_records_of_no_known_type_are_counted_and_not_kept(
    db: sqlite3.Connection, db_path: Path, tmp_path: Path, now: datetime
) -> None:
    import_fixture(db, tmp_path, "unknown_records", now)
    assert [row["text"] for row in db.execute("select text from entries")] == ["words"]
    assert [row["type"] for row in db.execute("select type from skipped_records")] == ["loom-event"]
    db.execute("pragma wal_checkpoint(truncate)")
    assert b"lifted" not in db_path.read_bytes()


def test_what_the_client_lists_is_counted_and_not_kept(db: sqlite3.Connection, tmp_path: Path, now: datetime) -> None:
    listings = [
        {"type": "skill_listing", "content": "- loom: Weaves a plan."},
        {"type": "agent_listing_delta", "addedTypes": ["loom"], "addedLines": ["- loom: Weaves a plan."]},
        {"type": "file", "content": "The loom is 60 cm wide."},
        {"type": ["skill_listing"], "content": "The loom was made in Turku."},
        "The loom was made in Espoo.",
    ]
    records = [{"type": "attachment", "uuid": f"a{at}", "attachment": each} for at, each in enumerate(listings)]
    write_jsonl(tmp_path / "p" / "s1.jsonl", [user("u", "hello"), *records])
    counts = import_claude_code(db, [tmp_path], now=now)
    assert (counts.lines_skipped, counts.lines_unreadable, counts.problems) == (2, 2, 2)
    assert {row["reason"] for row in db.execute("select reason from source_problems")} == {"attachment without a type"}
    assert [row["kind"] for row in db.execute("select kind from entries order by id")] == ["prompt", "attachment"]
    assert db.execute("select count(*) from entry_fts where entry_fts match 'loom'").fetchone()[0] == 1


def test_what_a_new_client_writes_of_itself_is_known(db: sqlite3.Connection, tmp_path: Path, now: datetime) -> None:
    """Kinds that Claude Code 2.1.330 writes and 2.1.197 does not: counted, known, and no word of them kept."""
    words = {"content": "A heddle is listed.", "rendered": [{"content": "<system-reminder>heddle</system-reminder>"}]}
    silent = (
        "agent_ask_notice", "coordinator_context", "dynamic_skill", "first_week", "instruction_files_not_loaded",
        "linked_plugin_tools_note", "project_doc_reads", "relevant_memories", "sandbox_instructions",
        "tool_hosts_notice", "total_tokens_reminder",
    )  # fmt: skip
    system, types = ("away_summary", "memory_saved"), ("continued-in", "session-owner", "api-request-resumed")
    write_jsonl(tmp_path / "p" / "s1.jsonl", [
        user("u", "hello"),
        *({"type": "attachment", "uuid": f"a{kind}", "attachment": {"type": kind, **words}} for kind in silent),
        *({"type": "system", "uuid": f"s{kind}", "subtype": kind, **words} for kind in system),
        *({"type": kind, "sessionId": "s1", **words} for kind in types),
        {"type": "attachment", "uuid": "d", "attachment": {"type": "selected_lines_in_diff", "content": "warp = 60"}},
    ])  # fmt: skip
    counts = import_claude_code(db, [tmp_path], now=now)
    assert (counts.lines_skipped, counts.lines_unreadable, counts.problems) == (16, 0, 0)
    assert not db.execute("select type from skipped_records where not is_known").fetchall()
    assert [row["text"] for row in db.execute("select text from entries order by id")] == ["hello", "warp = 60"]


def test_long_input_stays_json(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "t", "name": "Write", "input": {"file_path": "/a", "content": "x" * 90_000}}
    record = {"type": "assistant", "message": {"role": "assistant", "content": [call]}}
    reader = ClaudeCodeReader(tmp_path / "s.jsonl", ReaderState(), "2026-01-01T00:00:00.000Z")
    entry = reader.item(Line(1, json.dumps(record).encode(), 0)).entry
    assert entry is not None
    kept = entry.actions[0].input
    assert len(kept) <= INPUT_CHARACTERS
    assert json.loads(kept)["content"].endswith("[88000 more characters]")
    assert (entry.kind, entry.text) == ("tool_call", "Write: /a")


def test_many_long_texts_are_cut_as_a_whole(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "t", "name": "X", "input": {str(number): "y" * 2000 for number in range(50)}}
    record = {"type": "assistant", "message": {"role": "assistant", "content": [call]}}
    reader = ClaudeCodeReader(tmp_path / "s.jsonl", ReaderState(), "2026-01-01T00:00:00.000Z")
    entry = reader.item(Line(1, json.dumps(record).encode(), 0)).entry
    assert entry is not None
    kept = json.loads(entry.actions[0].input)
    assert kept["characters"] > INPUT_CHARACTERS == len(kept["truncated"])


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/p/x/abc.jsonl", (None, "abc")),
        ("/p/x/abc/subagents/agent-12ab.jsonl", ("12ab", "abc")),
        ("/p/x/abc/subagents/workflows/w1/agent-12ab.jsonl", ("12ab", "abc")),
        ("/p/x/agent-12ab.jsonl", ("12ab", "x")),
    ],
)
def test_names_of_files(path: str, names: tuple[str | None, str]) -> None:
    assert names_of(Path(path)) == names


def test_numbers_without_a_word_in_json_become_null() -> None:
    assert json_text({"a": float("nan"), "b": [float("inf"), 1]}) == '{"a":null,"b":[null,1]}'


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ({"a": 1}, "content is neither text nor a list"),
        (5, "content is neither text nor a list"),
        ([{"a": 1}], "content block without a type"),
        ([{"type": "text", "text": 5}], "content block text without a text"),
        ([{"type": "hologram"}], "unknown content block hologram"),
        ([5], "unknown content block int"),
    ],
)
def test_why_a_content_is_not_understood(
    db: sqlite3.Connection, tmp_path: Path, now: datetime, content: object, reason: str
) -> None:
    write_jsonl(tmp_path / "p" / "s1.jsonl", [user("a", content)])
    assert import_claude_code(db, [tmp_path], now=now).entries_added == 1
    assert [row["reason"] for row in db.execute("select reason from source_problems")] == [reason]
