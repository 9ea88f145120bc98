"""Exports of claude.ai, documents, and the log of llm."""

from __future__ import annotations

import json
import os
import sqlite3
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import llm
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from llm.migrations import migrate
from sqlite_utils import Database

from memory_db.cli import cli
from memory_db.errors import InputError, SourceError
from memory_db.transcripts.importer import import_claude_ai, import_llm_logs, import_text
from memory_db.transcripts.projects import resolve_project
from memory_db.transcripts.text import OVERLAP_CHARACTERS, PIECE_CHARACTERS, pieces, windows
from memory_db.upkeep.check import check
from tests.support.transcript_rows import everything, rows

CONVERSATIONS = [
    {
        "uuid": "11111111-0000-4000-8000-000000000001",
        "name": "Weaving with AKIAQ3EGRVZ7KPLW2MXT",
        "created_at": "2026-02-01T10:00:00.000000Z",
        "chat_messages": [
            {"uuid": "a1", "sender": "human", "text": "How wide is a loom?", "created_at": "2026-02-01T10:00:01Z",
             "attachments": [{"file_name": "loom.txt", "extracted_content": "Width: 60 cm"}], "files": [{"x": 1}]},
            {"uuid": "a2", "sender": "assistant", "text": "old text", "created_at": "2026-02-01T10:00:05Z",
             "content": [{"type": "thinking", "thinking": "60"}, {"type": "text", "text": "60 cm."},
                         {"type": "tool_use", "id": "t1", "name": "search", "input": {"query": "loom width"}},
                         {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "60"}]},
                         {"type": "token_budget"}]},
            {"uuid": "a3", "sender": "narrator", "text": "?"},
            "no message",
        ],
    },
    {"uuid": "11111111-0000-4000-8000-000000000002", "name": "", "chat_messages": [{"sender": "human", "text": "hi"}]},
    {"uuid": "11111111-0000-4000-8000-000000000003", "chat_messages": None},
    7,
]  # fmt: skip


def export(path: Path, value: Any = CONVERSATIONS) -> Path:
    path.write_text(json.dumps(value), "utf-8")
    return path


def test_an_export(db: sqlite3.Connection, tmp_path: Path, now: datetime) -> None:
    path = export(tmp_path / "conversations.json")
    counts = import_claude_ai(db, path, now=now)
    found = rows(db)
    assert [(row["uid"], row["role"], row["kind"]) for row in found["entries"]][:2] == [
        ("a1", "user", "prompt"), ("a2", "assistant", "reply"),
    ]  # fmt: skip
    assert found["entries"][0]["text"] == "How wide is a loom?\n[loom.txt]\nWidth: 60 cm"
    assert found["entries"][0]["image_count"] == 1
    assert found["entries"][1]["text"] == "60\n60 cm.\nsearch: loom width\n60"
    assert found["actions"][0]["result"] == "a2"
    assert [row["title"] for row in found["sessions"]] == ["Weaving with [redacted:aws-key-id]", "hi", None]
    assert [row["reason"] for row in found["problems"]] == [
        "not a message", "not a message", "conversation without messages", "not a conversation",
    ]  # fmt: skip
    assert counts.lines == counts.entries_added + counts.lines_unreadable == 7
    before = everything(db)
    assert import_claude_ai(db, path, now=now).files_unchanged == 1
    assert everything(db) == before


def test_a_newer_export_adds_what_is_new(db: sqlite3.Connection, tmp_path: Path, now: datetime) -> None:
    path = export(tmp_path / "conversations.json", CONVERSATIONS[:1])
    import_claude_ai(db, path, now=now)
    export(path)
    counts = import_claude_ai(db, tmp_path, now=now)
    assert (counts.entries_added, counts.entries_known) == (1, 2)


def test_an_export_in_its_zip(db: sqlite3.Connection, tmp_path: Path, now: datetime) -> None:
    path = tmp_path / "data.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data/conversations.json", json.dumps(CONVERSATIONS))
        archive.writestr("users.json", "[]")
    assert import_claude_ai(db, path, now=now).entries_added == 3
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("users.json", "[]")
    with pytest.raises(SourceError, match=r"holds no conversations\.json"):
        import_claude_ai(db, tmp_path / "other.zip", now=now)


def damaged_words(data: bytes) -> bytes:
    at = data.index(b"Weaving") if b"Weaving" in data else len(data) // 2
    return data[:at] + b"weavinG" + data[at + 7 :]


@pytest.mark.parametrize(
    "damage",
    [
        damaged_words,
        lambda data: (
            data[:6] + b"\x01" + data[7:].replace(b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01")
        ),
        lambda data: data.replace(b"conversations.json", b"conversations.jsoN", 1),
        lambda data: data[:-6] + b"\xff\xff\xff\x00" + data[-2:],
    ],
    ids=["other bytes", "encrypted", "two names", "an offset before the file"],
)
def test_a_damaged_zip_is_one_line(
    db: sqlite3.Connection, tmp_path: Path, now: datetime, damage: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "data.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conversations.json", json.dumps(CONVERSATIONS))
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(SourceError, match="cannot be read out of its ZIP"):
        import_claude_ai(db, path, now=now)


@pytest.mark.parametrize("text", ["", "{}", "words", '[{"uuid": "x"', "[" * 100_000, "[1 2"])
def test_what_is_no_export(db: sqlite3.Connection, tmp_path: Path, now: datetime, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(SourceError):
        import_claude_ai(db, tmp_path / "x.json", now=now)
    with pytest.raises(SourceError, match="No file"):
        import_claude_ai(db, tmp_path / "none.json", now=now)


@pytest.mark.slow
def test_a_large_export_does_not_fill_the_memory(db: sqlite3.Connection, tmp_path: Path, now: datetime) -> None:
    message = {"sender": "human", "text": "word " * 4000}
    talk = [{"uuid": f"c{number}", "chat_messages": [{**message, "uuid": f"m{number}"}]} for number in range(1500)]
    path = export(tmp_path / "conversations.json", talk)
    size = path.stat().st_size
    del talk
    tracemalloc.start()
    counts = import_claude_ai(db, path, now=now)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert counts.entries_added == 1500
    assert peak < size * 0.75


def test_markdown_by_heading(db: sqlite3.Connection, tmp_path: Path, now: datetime) -> None:
    text = "Intro\n\n# One\nfirst\n```\n# no heading\n```\n## Two\nsecond\n"
    (tmp_path / "notes.md").write_text(text)
    (tmp_path / "long.txt").write_text("line of words\n" * 300)
    (tmp_path / "image.md").write_bytes(b"\x89PNG\x00\x00")
    (tmp_path / "skip.py").write_text("print()")
    counts = import_text(db, [tmp_path], now=now, project="/w/loom")
    found = rows(db)
    notes = [row["text"] for row in found["entries"] if row["session"].endswith("notes.md")]
    assert notes == ["Intro", "# One\nfirst\n```\n# no heading\n```", "## Two\nsecond"]
    assert {row["kind"] for row in found["entries"]} == {"document"}
    assert {row["project"] for row in found["sessions"]} == {"/w/loom"}
    assert (counts.files_found, counts.files_read, counts.files_unreadable) == (3, 2, 1)
    before = everything(db)
    assert import_text(db, [tmp_path], now=now, project="/w/loom").files_unchanged == 2
    assert everything(db) == before


def test_a_changed_document_keeps_what_it_was(db: sqlite3.Connection, tmp_path: Path, now: datetime) -> None:
    path = tmp_path / "notes.md"
    path.write_text("# One\nsame\n# Two\nold\n")
    import_text(db, [path], now=now)
    path.write_text("# One\nsame\n# Two\nnew words\n")
    counts = import_text(db, [path], now=now)
    assert (counts.entries_added, counts.entries_known) == (1, 1)
    with pytest.raises(SourceError, match="No file or folder"):
        import_text(db, [tmp_path / "none"], now=now)


@pytest.mark.parametrize(
    ("edited", "placed"),
    [
        ("# One\nold\n# Two\nnew", ["# One\nold", "# Two\nnew", "# Two\nold"]),
        ("# Two\nold\n# One\nold", ["# Two\nold", "# One\nold"]),
        ("# Zero\nnew\n# Two\nold", ["# Zero\nnew", "# Two\nold", "# One\nold"]),
        ("", ["# One\nold", "# Two\nold"]),
    ],
)
def test_an_edited_document_has_one_place_for_each_piece(
    db: sqlite3.Connection, tmp_path: Path, now: datetime, edited: str, placed: list[str]
) -> None:
    path = tmp_path / "notes.md"
    for text in ("# One\nold\n# Two\nold", edited):
        path.write_text(text)
        import_text(db, [path], now=now)
    order = "select text from session_entries join entries on id = entry_id order by position"
    assert [row["text"] for row in db.execute(order)] == placed
    assert check(db) == []


def test_a_document_belongs_to_its_repository(db: sqlite3.Connection, tmp_path: Path, now: datetime) -> None:
    (tmp_path / "loom" / ".git").mkdir(parents=True)
    (tmp_path / "loom" / "docs").mkdir()
    (tmp_path / "loom" / "docs" / "a.md").write_text("# A\nb")
    import_text(db, [tmp_path / "loom" / "docs"], now=now)
    assert rows(db, "projects")["projects"][0]["canonical_path"] == str(tmp_path / "loom")


def test_a_document_without_git_belongs_to_the_known_project_around_it(
    db: sqlite3.Connection, tmp_path: Path, now: datetime
) -> None:
    folder = tmp_path / "work" / "loom"
    folder.mkdir(parents=True)
    project = resolve_project(db, str(folder), now=now)
    for name in ("work/loom/a.md", "b.md"):
        (tmp_path / name).write_text("# A\nb")
    import_text(db, [tmp_path], now=now)
    found = {row["uid"][-4:]: row["project_id"] for row in db.execute("select uid, project_id from sessions")}
    assert found == {"a.md": project, "b.md": None}


def test_a_document_that_was_read_before_moves_to_the_project_that_is_named(
    db: sqlite3.Connection, tmp_path: Path, now: datetime
) -> None:
    path = tmp_path / "notes.md"
    path.write_text("# A\nb")
    import_text(db, [path], now=now)
    counts = import_text(db, [path], now=now, project="/w/loom")
    assert (counts.files_unchanged, counts.sessions_moved) == (1, 1)
    assert {row["project"] for row in rows(db)["sessions"]} == {"/w/loom"}
    before = everything(db)
    assert import_text(db, [path], now=now, project="/w/loom").sessions_moved == 0
    assert everything(db) == before
    path.write_text("# A\nother words")
    assert import_text(db, [path], now=now, project="/w/mill").sessions_moved == 1
    assert {row["project"] for row in rows(db)["sessions"]} == {"/w/mill"}


def test_what_was_read_as_something_else_is_read_again(db: sqlite3.Connection, tmp_path: Path, now: datetime) -> None:
    path = tmp_path / "run.md"
    path.write_text("# A\nb")
    import_text(db, [path], now=now)
    with pytest.raises(SourceError):
        import_claude_ai(db, path, now=now)
    path = export(tmp_path / "conversations.json")
    assert import_text(db, [path], now=now).files_read == 1
    assert import_claude_ai(db, path, now=now).entries_added > 0
    assert import_claude_ai(db, path, now=now).files_unchanged == 1


def test_a_secret_on_a_cut_is_found(db: sqlite3.Connection, db_path: Path, tmp_path: Path, now: datetime) -> None:
    (tmp_path / "x.txt").write_text("word " * 297 + "AKIAQ3EGRVZ7KPLW2MXT" + " word" * 300)
    import_text(db, [tmp_path / "x.txt"], now=now)
    written = b"".join(path.read_bytes() for path in tmp_path.glob("memory.db*"))
    assert b"AKIAQ3E" not in written
    assert b"PLW2MXT" not in written
    assert db.execute("select count(*) from scan_findings").fetchone()[0] == 1


@given(st.text(max_size=9000))
def test_windows_cover_the_text(text: str) -> None:
    found = windows(text)
    assert all(0 < len(piece) <= PIECE_CHARACTERS for piece in found)
    rebuilt = found[0] if found else ""
    for piece in found[1:]:
        assert rebuilt.endswith(piece[:OVERLAP_CHARACTERS])
        rebuilt += piece[OVERLAP_CHARACTERS:]
    assert rebuilt == text


@given(st.lists(st.sampled_from(["# A", "## B", "```", "~~~", "text", "", "#no"]), max_size=30).map("\n".join))
def test_sections_lose_no_line(text: str) -> None:
    found = "\n".join(pieces(text, is_markdown=True))
    assert [line for line in found.split("\n") if line] == [line for line in text.split("\n") if line]


class ScriptedModel(llm.Model):
    """Calls a tool where it has one, else answers."""

    model_id = "scripted"
    can_stream = False
    supports_tools = True

    def execute(self, prompt: Any, stream: Any, response: Any, conversation: Any) -> Iterator[str]:
        response.set_usage(input=10, output=5)
        if prompt.tools and not prompt.tool_results:
            response.add_tool_call(llm.ToolCall(name="shout", arguments={"text": "loom"}, tool_call_id="t1"))
            yield ""
        else:
            yield f"answer to {prompt.prompt}"


def shout(text: str) -> str:
    """Says it loud."""
    return text.upper()


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "logs.db")
    migrate(database)
    yield database
    database.conn.close()


def ask(log: Database, text: str, conversation: Any = None, **more: Any) -> Any:
    conversation = conversation or ScriptedModel().conversation()
    response = conversation.prompt(text, **more)
    response.text()
    response.log_to_db(log)
    return conversation


def test_the_log_of_llm(db: sqlite3.Connection, log: Database, tmp_path: Path, now: datetime) -> None:
    talk = ask(log, "one", system="be brief", fragments=["a fragment of cloth"])
    ask(log, "two", talk)
    chain = ScriptedModel().chain("use it", tools=[shout])
    chain.text()
    chain.log_to_db(log)
    counts = import_llm_logs(db, tmp_path / "logs.db", now=now)
    found = rows(db)
    said = [(row["role"], row["kind"], row["text"]) for row in found["entries"] if row["session"] == talk.id]
    assert said[:3] == [
        ("system", "notice", "be brief"),
        ("user", "prompt", "a fragment of cloth\none"),
        ("assistant", "reply", said[2][2]),
    ]
    assert len(said) == 5
    assert [row["position"] for row in found["entries"]][:5] == [1, 2, 3, 4, 5]
    action = found["actions"][0]
    assert (action["tool"], action["excerpt"], action["is_error"]) == ("shout", "LOOM", 0)
    assert {(row["model"], row["input_tokens"], row["output_tokens"]) for row in found["api_calls"]} == {
        ("scripted", 10, 5)
    }
    assert (counts.sessions, counts.api_calls) == (2, 4)
    before = everything(db)
    assert import_llm_logs(db, tmp_path / "logs.db", now=now).files_unchanged == 1
    assert everything(db) == before
    ask(log, "three", talk)
    counts = import_llm_logs(db, tmp_path / "logs.db", now=now)
    assert (counts.entries_added, counts.sessions, counts.api_calls) == (2, 0, 1)


def test_a_log_of_llm_whose_schema_is_no_text_is_refused_in_one_line(
    db: sqlite3.Connection, tmp_path: Path, now: datetime
) -> None:
    path = tmp_path / "torn.db"
    with closing(sqlite3.connect(path)) as log:
        log.execute("create table responses (id text)")
        log.execute("pragma writable_schema = on")
        log.execute("update sqlite_master set name = cast(x'72ff73' as text), sql = 'create torn'")
        log.commit()
    with pytest.raises(SourceError, match=r"torn\.db is not a database of llm"):
        import_llm_logs(db, path, now=now)


def test_a_forked_thread_shares_entries(db: sqlite3.Connection, log: Database, tmp_path: Path, now: datetime) -> None:
    talk = ask(log, "one")
    tip = log.conn.execute("select tip_message_hash from threads").fetchone()[0]
    log["threads"].insert({"id": "zfork", "name": "fork", "tip_message_hash": "h", "forked_from": talk.id})
    log["messages"].insert({"hash": "h", "parent_hash": tip, "role": "user"})
    log["parts"].insert({"message_hash": "h", "position": 0, "type": "text", "text": "another way"})
    log["turns"].insert({"id": "zturn", "thread_id": "zfork", "tip_message_hash": "h", "model": "scripted",
                         "datetime_utc": "2026-05-01T00:00:00"})  # fmt: skip
    counts = import_llm_logs(db, tmp_path / "logs.db", now=now)
    assert (counts.entries_added, counts.entries_known) == (3, 2)
    assert rows(db, "sessions")["sessions"][1]["continued_from"] == talk.id


def test_older_responses(db: sqlite3.Connection, log: Database, tmp_path: Path, now: datetime) -> None:
    log["conversations"].insert({"id": "c1", "name": "Old talk", "model": "scripted"})
    for number in (1, 2):
        log["responses"].insert(
            {"id": f"r{number}", "model": "scripted", "prompt": f"question {number}", "response": f"answer {number}",
             "system": "short" if number == 1 else None, "conversation_id": "c1", "input_tokens": 3,
             "output_tokens": 4, "datetime_utc": f"2025-05-0{number}T10:00:00"}
        )  # fmt: skip
    log["tool_calls"].insert(
        {"id": 1, "response_id": "r1", "name": "shout", "arguments": '{"text": "a"}', "tool_call_id": "t1"}
    )
    log["tool_results"].insert(
        {"id": 1, "response_id": "r2", "name": "shout", "output": "A", "tool_call_id": "t1", "exception": "Bad"}
    )
    import_llm_logs(db, tmp_path / "logs.db", now=now)
    found = rows(db)
    assert [row["text"] for row in found["entries"]] == [
        "short", "question 1", "answer 1\nshout: {\"text\":\"a\"}", "question 2\nA", "answer 2",
    ]  # fmt: skip
    assert found["sessions"][0]["title"] == "Old talk"
    assert (found["actions"][0]["is_error"], found["actions"][0]["excerpt"]) == (1, "A")
    assert len(found["api_calls"]) == 2


def test_ids_with_nul_are_the_same_at_the_next_import(
    db: sqlite3.Connection, log: Database, tmp_path: Path, now: datetime
) -> None:
    for number in ("1", "2"):
        log.table("responses").insert(
            {"id": f"r\0{number}", "model": "shout", "prompt": f"Say {number}.", "response": "So.",
             "conversation_id": "c\0d"}
        )  # fmt: skip
        log.conn.commit()
        import_llm_logs(db, tmp_path / "logs.db", now=now)
    texts = [row["text"] for row in db.execute("select text from entries where role = 'user' order by text")]
    assert texts == ["Say 1.", "Say 2."]
    assert db.execute("select count(distinct session_id) from entries").fetchone()[0] == 1


@pytest.mark.parametrize("part", ["responses", "sqlite_autoindex_responses_1"])
def test_a_damaged_log_is_named_and_not_our_file(
    db: sqlite3.Connection, log: Database, tmp_path: Path, now: datetime, part: str
) -> None:
    log.table("responses").insert({"id": "r1", "model": "shout", "prompt": "Say it.", "response": "So."})
    log.conn.commit()
    page = log.execute("select rootpage from sqlite_master where name = ?", [part]).fetchone()[0]
    size = log.execute("pragma page_size").fetchone()[0]
    log.close()
    path = tmp_path / "logs.db"
    data = bytearray(path.read_bytes())
    data[(page - 1) * size : page * size] = b"\xff" * size
    path.write_bytes(data)
    with pytest.raises(SourceError, match="The log of llm cannot be read"):
        import_llm_logs(db, path, now=now)


def test_our_own_file_and_other_files(db: sqlite3.Connection, db_path: Path, tmp_path: Path, now: datetime) -> None:
    with pytest.raises(InputError, match="memory database itself"):
        import_llm_logs(db, db_path, now=now)
    link = tmp_path / "link.db"
    link.symlink_to(db_path)
    with pytest.raises(InputError, match="memory database itself"):
        import_llm_logs(db, link, now=now)
    (tmp_path / "words.db").write_text("words, many words" * 100)
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("create table x (y)")
    other.close()
    for name in ("words.db", "other.db", "none.db"):
        with pytest.raises(SourceError):
            import_llm_logs(db, tmp_path / name, now=now)


def test_named_documents_that_cannot_be_read_are_reported(
    db: sqlite3.Connection, db_path: Path, tmp_path: Path, now: datetime
) -> None:
    binary, pipe, notes = tmp_path / "x.bin", tmp_path / "pipe", tmp_path / "notes.md"
    binary.write_bytes(b"\0\1")
    os.mkfifo(pipe)
    notes.write_text("# Airships")
    for _ in range(2):
        with pytest.raises(SourceError, match="not a text file"):
            import_text(db, [binary], now=now)
        with pytest.raises(SourceError, match=r"cannot be read: not a file\."):
            import_text(db, [pipe], now=now)
        with pytest.raises(SourceError, match="cannot be read: 1;"):
            import_text(db, [binary, pipe], now=now)
    assert db.execute("select count(*) from sources where state = 'unreadable'").fetchone()[0] == 2
    result = CliRunner().invoke(cli, ["-d", str(db_path), "import", "text", "/dev/null"])
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "Error: /dev/null cannot be read: not a file. Name another.\n"
    result = CliRunner().invoke(cli, ["-d", str(db_path), "import", "text", str(binary), str(notes)])
    assert result.exit_code == 0
    assert result.stderr.startswith(f"{binary} is not a text file.")
    assert "1 entries added" in result.stdout


def test_the_folder_of_an_export_can_be_named(db_path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "export"
    folder.mkdir()
    command = ["-d", str(db_path), "import", "claude-ai", str(folder)]
    result = CliRunner().invoke(cli, command)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: No file {folder}/conversations.json. ")
    export(folder / "conversations.json")
    result = CliRunner().invoke(cli, command)
    assert result.exit_code == 0
    assert "3 entries added" in result.stdout
