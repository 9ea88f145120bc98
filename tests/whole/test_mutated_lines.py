"""Whole files of damaged lines through a real `run`: no shape of a line ends it, and each line is accounted for."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from llm.migrations import migrate
from sqlite_utils import Database

from bench.mutations import deep, mutated, mutated_line
from memory_db.cli import cli
from memory_db.store.connection import connect
from memory_db.store.schema import open_database
from memory_db.transcripts.importer import import_claude_ai, import_claude_code, import_llm_logs, import_text
from tests.conftest import NOW
from tests.support.transcript_rows import user, write_jsonl

DATA = Path(__file__).parents[1] / "data" / "transcripts"
LINES = 10_000
PROPERTY = settings(max_examples=10)


def fixture_lines() -> list[bytes]:
    return [line for path in sorted(DATA.glob("*.jsonl")) for line in path.read_bytes().splitlines() if line.strip()]


def ran(path: Path, folder: Path) -> None:
    """A real `run`, which must end well."""
    done = CliRunner().invoke(cli, ["run", "-d", str(path), "--dir", str(folder)], catch_exceptions=False)
    assert done.exit_code == 0, done.output


@pytest.fixture
def no_model(db: sqlite3.Connection, db_path: Path) -> Path:
    """A file that loads no model."""
    done = CliRunner().invoke(cli, ["settings", "-d", str(db_path), "embedding_model", "none"])
    assert done.exit_code == 0, done.output
    return db_path


def test_a_type_that_is_a_list_is_a_problem_and_the_next_line_is_read(no_model: Path, tmp_path: Path) -> None:
    records = [user("a", [{"type": ["text"], "text": "x"}]), user("b", "The loom is 60 cm wide.")]
    write_jsonl(tmp_path / "projects" / "p" / "s1.jsonl", records)
    ran(no_model, tmp_path / "projects")
    with closing(connect(no_model)) as db:
        assert [row["line"] for row in db.execute("select line from source_problems")] == [1]
        assert db.execute("select text from entries where uid = 'b'").fetchone()["text"] == "The loom is 60 cm wide."


@pytest.mark.slow
def test_ten_thousand_damaged_lines_end_no_run(no_model: Path, tmp_path: Path) -> None:
    chance = random.Random(11)
    lines = fixture_lines()
    whole = [mutated_line(chance.choice(lines), chance) for _ in range(LINES)]
    folder = tmp_path / "projects" / "p"
    folder.mkdir(parents=True)
    for number in range(5):
        (folder / f"s{number}.jsonl").write_bytes(b"\n".join(whole[number::5]) + b"\n")
    (folder / "last.jsonl").write_text(json.dumps(user("last", "Still read.", "last")) + "\n")
    ran(no_model, tmp_path / "projects")
    with closing(connect(no_model)) as db:
        assert db.execute("select count(*) from sources where state <> 'read'").fetchone()[0] == 0
        assert db.execute("select sum(read_lines) from sources").fetchone()[0] == LINES + 1
        assert db.execute("select 1 from entries where uid = 'last'").fetchone()
        assert db.execute("select count(*) from source_problems").fetchone()[0] > 100
    counts = counts_of_imports(no_model)
    parts = ("entries_added", "entries_known", "lines_skipped", "lines_unreadable")
    assert sum(counts[part] for part in parts) == counts["lines"] == LINES + 1


def counts_of_imports(path: Path) -> Counter[str]:
    """The counts of all portions together."""
    total: Counter[str] = Counter()
    with closing(connect(path)) as db:
        for (counts,) in db.execute("select counts from runs where stage = 'import'"):
            total.update(json.loads(counts))
    return total


@given(st.integers(0, 2**32))
@PROPERTY
@pytest.mark.slow
def test_any_damaged_file_is_accounted_for(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    chance = random.Random(seed)
    lines = fixture_lines()
    in_fresh(tmp_path_factory, lambda db, folder, now: assert_every_line_is_counted(
        db, folder, [mutated_line(chance.choice(lines), chance) for _ in range(60)], now))  # fmt: skip


def assert_every_line_is_counted(db: sqlite3.Connection, folder: Path, lines: list[bytes], now: datetime) -> None:
    (folder / "p").mkdir()
    (folder / "p" / "s1.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    counts = import_claude_code(db, [folder], now=now)
    parts = (counts.entries_added, counts.entries_known, counts.lines_skipped, counts.lines_unreadable)
    assert sum(parts) == counts.lines == len(lines)
    assert counts.files_unreadable == 0


def in_fresh(factory: pytest.TempPathFactory, work: Callable[[sqlite3.Connection, Path, datetime], None]) -> None:
    """Does something with a new file and an empty folder."""
    folder = factory.mktemp("fresh")
    with closing(open_database(folder / "memory.db", now=NOW)) as db:
        (folder / "in").mkdir()
        work(db, folder / "in", NOW)


CONVERSATION = {
    "uuid": "11111111-0000-4000-8000-000000000001", "name": "Weaving", "created_at": "2026-02-01T10:00:00Z",
    "chat_messages": [
        {"uuid": "a1", "sender": "human", "text": "How wide?", "created_at": "2026-02-01T10:00:01Z",
         "attachments": [{"file_name": "loom.txt", "extracted_content": "60 cm"}], "files": [{"x": 1}]},
        {"uuid": "a2", "sender": "assistant", "text": "old", "content": [
            {"type": "thinking", "thinking": "60"}, {"type": "text", "text": "60 cm."},
            {"type": "tool_use", "id": "t1", "name": "search", "input": {"query": "width"}},
            {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "60"}]}]},
    ],
}  # fmt: skip


@given(st.integers(0, 2**32))
@PROPERTY
@pytest.mark.slow
def test_any_damaged_export_is_accounted_for(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    chance = random.Random(seed)

    def work(db: sqlite3.Connection, folder: Path, now: datetime) -> None:
        path = folder / "conversations.json"
        whole = {"chat_messages": [{"sender": "human", "text": "Still read."}], "uuid": "last"}
        path.write_text(json.dumps([*(mutated(CONVERSATION, chance, 0.15) for _ in range(40)), whole]))
        counts = import_claude_ai(db, path, now=now)
        assert counts.entries_added + counts.entries_known + counts.lines_unreadable == counts.lines
        assert db.execute("select 1 from entries where text = 'Still read.'").fetchone()

    in_fresh(tmp_path_factory, work)


@pytest.fixture(scope="module")
def empty_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of llm in which nothing stands yet."""
    path = tmp_path_factory.mktemp("llm") / "logs.db"
    log = Database(path)
    migrate(log)
    log.close()
    return path


@given(st.integers(0, 2**32))
@PROPERTY
@pytest.mark.slow
def test_any_damaged_log_of_llm_is_accounted_for(
    tmp_path_factory: pytest.TempPathFactory, empty_log: Path, seed: int
) -> None:
    chance = random.Random(seed)

    def odd(value: object) -> object:
        """What a column of SQLite may hold in place of a text."""
        return chance.choice(
            (value, value, value, None, 7, 2.5, b"\xff\x00", "{", "[1]", '{"a": [', json.dumps(deep(600)))
        )

    def work(db: sqlite3.Connection, folder: Path, now: datetime) -> None:
        log = Database(shutil.copy(empty_log, folder / "logs.db"))
        log.execute("pragma synchronous = off")
        for number in range(30):
            key, role = f"h{number:02}", chance.choice(("user", "assistant", "tool", "odd"))
            log.table("messages").insert(
                {"hash": key, "parent_hash": f"h{number - 1:02}" if number % 3 else None, "role": role}
            )
            kind = chance.choice(("text", "reasoning", "tool_call", "tool_result", "attachment", "odd"))
            log.table("parts").insert({"message_hash": key, "position": 0, "type": kind, "text": odd("words"),
                                 "payload": odd('{"name": ["x"], "arguments": 5, "output": {"a": 1}}')})  # fmt: skip
            log.table("turns").insert({"id": f"t{number:02}", "thread_id": f"th{number // 3}", "tip_message_hash": key,
                                 "model": odd("scripted"), "datetime_utc": odd("2026-05-01T00:00:00"),
                                 "input_tokens": odd(3), "output_tokens": odd(4)})  # fmt: skip
        log.table("responses").insert({"id": "zz", "model": "scripted", "prompt": "Still read.", "response": "Yes."})
        log.close()
        counts = import_llm_logs(db, folder / "logs.db", now=now)
        assert counts.entries_added + counts.entries_known + counts.lines_unreadable == counts.lines
        assert db.execute("select 1 from entries where text = 'Still read.'").fetchone()

    in_fresh(tmp_path_factory, work)


@given(st.binary(max_size=400).map(lambda data: data.replace(b"\x00", b"")))
@PROPERTY
@pytest.mark.slow
def test_any_bytes_are_a_document(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    def work(db: sqlite3.Connection, folder: Path, now: datetime) -> None:
        (folder / "notes.md").write_bytes(b"# Loom\n" + data + b"\n# Width\n60 cm")
        assert import_text(db, [folder], now=now).files_unreadable == 0
        assert db.execute("select count(*) from entries where text like '%60 cm'").fetchone()[0]

    in_fresh(tmp_path_factory, work)
