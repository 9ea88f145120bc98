"""Commands that a person types in Claude Code: what was typed is data, and the answer reaches whom it is for."""

from __future__ import annotations

import io
import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_db import slash
from memory_db.agents.claude_code.plugin import COMMAND_EVENT, FOR_THE_PERSON, SLASH_COMMANDS, command_text
from memory_db.knowledge.memories import add_memory
from memory_db.redact.clean import clean
from memory_db.store.connection import connect


@pytest.fixture
def uid(db: sqlite3.Connection, now: datetime) -> str:
    """A memory in the file."""
    add_memory(db, text="The test database listens on port 5433.", kind="environment", scope="user", now=now)
    return str(db.execute("select uid from memories").fetchone()["uid"])


def payload(name: str, typed: str, **more: object) -> dict[str, object]:
    """What Claude Code gives the hook."""
    return {
        "session_id": "s1", "cwd": "/tmp", "hook_event_name": COMMAND_EVENT, "expansion_type": "slash_command",
        "command_name": f"mem:{name}", "command_args": typed, "command_source": "plugin",
        "prompt": f"/mem:{name} {typed}", **more,
    }  # fmt: skip


def context(path: Path, name: str, typed: str) -> str:
    """What the model reads."""
    output = slash.answer(payload(name, typed), str(path))
    assert output is not None
    shown = output["hookSpecificOutput"]
    assert shown["hookEventName"] == COMMAND_EVENT
    return str(shown["additionalContext"])


def reason(path: Path, name: str, typed: str = "") -> str:
    """What the person alone reads."""
    output = slash.answer(payload(name, typed), str(path))
    assert output is not None and set(output) == {"decision", "reason"} and output["decision"] == "block"
    return str(output["reason"])


def test_recall_gives_the_model_what_was_asked_for(db_path: Path, uid: str) -> None:
    assert uid in context(db_path, "recall", "which port has the test database?")


def test_lock_and_correct_act_in_the_persons_name(db_path: Path, uid: str) -> None:
    assert uid in context(db_path, "lock", uid)
    text = "The test database listens on port 5434; `$(touch x)` is text."
    found = context(db_path, "correct", f"{uid}  {text}")
    with closing(connect(db_path)) as db:
        old, new = db.execute("select * from memories order by id").fetchall()
    assert (old["status"], old["lock_level"], old["changed_by"]) == ("superseded", "user", "user")
    assert (new["text"], new["origin"]) == (text, "user")
    assert new["uid"] in found


@pytest.mark.parametrize(
    "typed", ["--help", "-h", "--database=/x", "; touch x", "$(touch x)", "`touch x`", "a\nb", "x'"]
)
@pytest.mark.parametrize("name", ["lock", "recall", "why"])
def test_what_was_typed_is_never_an_option_or_a_command(
    db_path: Path, uid: str, name: str, typed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    output = slash.answer(payload(name, typed), str(db_path))
    assert "Usage:" not in json.dumps(output)
    assert sorted(tmp_path.iterdir()) == before


@settings(max_examples=40)
@given(typed=st.text(st.characters(codec="utf-8"), max_size=40))
@pytest.mark.slow
def test_no_words_make_it_fail(db_path: Path, uid: str, typed: str) -> None:
    assert context(db_path, "lock", typed)
    assert context(db_path, "correct", typed)


def test_what_waits_never_reaches_the_model(sample_path: Path) -> None:
    found = reason(sample_path, "review")
    assert "quarantined" in found
    assert "quarantined" not in clean(f"UserPromptExpansion operation blocked by hook:\n{found}\n\nOriginal")[0]
    assert {"review", "why", "pause"} == FOR_THE_PERSON


def test_why_is_about_the_last_recall_of_the_session(db_path: Path, db: sqlite3.Connection, uid: str) -> None:
    assert "type /mem:why" in reason(db_path, "why")
    context(db_path, "recall", "port of the test database")
    assert uid in reason(db_path, "why")


def test_pause_is_for_the_session_until_it_is_ended(db_path: Path, uid: str) -> None:
    reason(db_path, "pause")
    reason(db_path, "pause", "2h")
    with closing(connect(db_path)) as db:
        assert {row["session_uid"] for row in db.execute("select session_uid from pauses")} == {"s1"}
    reason(db_path, "pause", "end")
    with closing(connect(db_path)) as db:
        assert db.execute("select count(*) from pauses where ended_at is null").fetchone()[0] == 0
    assert "Error: " in reason(db_path, "pause", "--list")


@pytest.mark.parametrize("name", ["lock", "correct", "recall"])
def test_too_little_was_typed(db_path: Path, uid: str, name: str) -> None:
    assert f"Nothing was done: type /mem:{name}" in context(db_path, name, "  ")


def test_trouble_is_one_line(tmp_path: Path) -> None:
    found = context(tmp_path / "none.db", "lock", "m1234")
    assert "Error: " in found and "Traceback" not in found
    assert len(found.splitlines()) == 3
    assert clean(found)[0].strip() == "", "an importer leaves the answer out"
    assert not (tmp_path / "none.db").exists()


@pytest.mark.parametrize(
    "given_payload",
    [None, 5, [], {}, {"hook_event_name": "Stop"}, payload("recall", "x", command_name="other:recall"),
     payload("unknown", "x"), payload("recall", "x", command_name=None)],
)  # fmt: skip
def test_other_payloads_are_not_answered(db_path: Path, given_payload: Any) -> None:
    assert slash.answer(given_payload, str(db_path)) is None


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b"[" * 100_000])
def test_bad_input_prints_nothing(data: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    slash.main([])
    assert capsys.readouterr().out == ""


@pytest.mark.slow
def test_as_the_process_that_is_installed(db_path: Path, uid: str, tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('the folder of a project is no place to import from')")
    done = subprocess.run(
        [sys.executable, "-I", "-m", "memory_db.slash", "-d", str(db_path)], cwd=tmp_path, capture_output=True,
        input=json.dumps(payload("lock", uid)).encode(), check=True,
    )  # fmt: skip
    assert uid in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]


def test_every_command_has_its_file_and_its_code() -> None:
    assert [command.name for command in SLASH_COMMANDS] == list(slash.COMMANDS)
    for command in SLASH_COMMANDS:
        assert "$ARGUMENTS" not in command_text(command), "what was typed must not become part of a text"
        assert "!`" not in command_text(command)
