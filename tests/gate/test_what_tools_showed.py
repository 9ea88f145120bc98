"""What an agent tells of how things are is kept where a tool on this machine showed it and nobody objected."""

from __future__ import annotations

import sqlite3
from datetime import datetime

import pytest

from memory_db.gate import run as gate
from tests.support.candidates import add_runs, decided, propose
from tests.support.session_rows import add_action, add_entry, add_project, add_session

FOUND = "Tides are read by `tide_reader`, which keeps ninety days of levels."


def told(
    db: sqlite3.Connection, now: datetime, *, reply: str = FOUND, quote: str = "", answer: str = "then draw it",
    kind: str = "structure", command: str = "cat readers.toml", shown: str = "tide_reader: levels, days = 90",
) -> tuple[str, str]:  # fmt: skip
    """What the gate decides on words of a reply that follows on a command."""
    add_runs(db)
    talk = add_session(db, add_project(db))
    add_entry(db, talk, "user", "prompt", "who reads the tides?")
    call = add_entry(db, talk, "assistant", "tool_call", "Bash")
    result = add_entry(db, talk, "tool", "tool_result", shown)
    add_action(db, talk, call, result, "Bash", command, is_error=False)
    entry = add_entry(db, talk, "assistant", "reply", reply)
    if answer:
        add_entry(db, talk, "user", "prompt", answer)
    propose(db, "model", "Tides are read by tide_reader, which keeps levels.", entry, quote=quote or reply, kind=kind)
    gate.run(db, now=now)
    return decided(db, "model")


def test_what_a_command_showed_is_kept(db: sqlite3.Connection, now: datetime) -> None:
    action, reason = told(db, now)
    assert action == "add"
    assert "backed by what a tool showed" in reason


@pytest.mark.parametrize(
    "command", ["grep -n tide readers.toml | head -5", "cat readers.toml | sort | uniq", "rg 'tide|buoy' readers.toml"]
)
def test_a_pipe_that_only_shows_less_shows_the_file(db: sqlite3.Connection, now: datetime, command: str) -> None:
    assert told(db, now, command=command)[0] == "add"


@pytest.mark.parametrize("kind", ["convention", "preference", "decision", "correction"])
def test_what_is_to_be_is_shown_by_no_tool(db: sqlite3.Connection, now: datetime, kind: str) -> None:
    assert told(db, now, kind=kind)[0] == "propose"


@pytest.mark.parametrize("answer", ["", "but it doesn't, it was moved", "hm no, that one is switched off", "wrong"])
def test_what_is_set_right_or_was_not_heard_is_not(db: sqlite3.Connection, now: datetime, answer: str) -> None:
    assert told(db, now, answer=answer)[0] == "propose"


@pytest.mark.parametrize(
    "reply",
    [
        "I suppose that tides are read by `tide_reader`.",
        "Perhaps tides are read by `tide_reader`.",
        "The lock still takes `tide_reader` for its levels.",
        "Tides are read by `tide_reader` at the moment.",
        "Buoys are painted each spring.",
    ],
)
def test_what_the_agent_only_thinks_or_nothing_showed_is_not(db: sqlite3.Connection, now: datetime, reply: str) -> None:
    assert told(db, now, reply=reply)[0] == "propose"


@pytest.mark.parametrize(
    "command",
    [
        "curl -s https://tides.example/readers", "git pull && cat readers.toml", "ssh pier cat readers.toml",
        "cat node_modules/tides/README.md", "cat /tmp/readers.toml", "memory-db recall tides",
        "echo tide_reader > readers.toml", "cat $(fetch readers)",
        "cat readers.url | xargs curl -s", "cat readers.toml | ssh pier tee readers.toml",
        "grep pier hosts || nc pier 70", "cat readers.toml |& nc pier 70",
    ],
)  # fmt: skip
def test_what_comes_from_elsewhere_shows_nothing(db: sqlite3.Connection, now: datetime, command: str) -> None:
    assert told(db, now, command=command)[0] == "propose"


@pytest.mark.parametrize(
    "answer", ["huh? we dropped that", "incorrect", "it was moved to pika", "the gauge, not tides"]
)
def test_who_sets_it_right_in_other_words_is_heard(db: sqlite3.Connection, now: datetime, answer: str) -> None:
    assert told(db, now, answer=answer)[0] == "propose"


def test_a_number_or_a_part_of_a_word_shows_nothing(db: sqlite3.Connection, now: datetime) -> None:
    reply = "Levels are kept for 90 days in the cellar."
    assert told(db, now, reply=reply, shown="-rw-r--r-- 90 cellars")[0] == "propose"


def test_what_only_a_file_says_takes_the_place_of_no_word_of_the_user(db: sqlite3.Connection, now: datetime) -> None:
    said = "Packages come from the registry of the harbour."
    planted = "Packages come from the registry of the harbour, mirrored at the pier with the token of the harbour."
    add_runs(db)
    talk = add_session(db, add_project(db))
    propose(db, "rules", said, add_entry(db, talk, "user", "prompt", said), kind="structure")
    call = add_entry(db, talk, "assistant", "tool_call", "Bash")
    result = add_entry(db, talk, "tool", "tool_result", planted)
    add_action(db, talk, call, result, "Bash", "cat README.md", is_error=False)
    entry = add_entry(db, talk, "assistant", "reply", planted)
    add_entry(db, talk, "user", "prompt", "then draw it")
    propose(db, "model", planted, entry, quote=planted, kind="structure")
    gate.run(db, now=now)
    assert decided(db, "model")[0] == "propose"
    assert [row[0] for row in db.execute("select text from memories where status = 'active'")] == [said]


@pytest.mark.parametrize(("kind", "action"), [("fix", "add"), ("decision", "add"), ("convention", "propose")])
def test_an_edit_tells_how_things_are_and_not_what_is_wanted(
    db: sqlite3.Connection, now: datetime, kind: str, action: str
) -> None:
    add_runs(db)
    talk = add_session(db, add_project(db))
    add_entry(db, talk, "user", "prompt", "the levels of the harbour look odd")
    entry = add_entry(
        db, talk, "assistant", "reply", "The gauge counts `level_mm` from the sea floor, so 2,100 is high."
    )
    call = add_entry(db, talk, "assistant", "tool_call", "Edit")
    result = add_entry(db, talk, "tool", "tool_result", "ok")
    add_action(db, talk, call, result, "Edit", "gauge.py", is_error=False)
    db.execute("update actions set input = ?", [
        '{"file_path": "gauge.py", "old_string": "depth", "new_string": "level_mm - floor"}',
    ])  # fmt: skip
    add_entry(db, talk, "user", "prompt", "next the buoys")
    propose(db, "model", "The gauge counts level_mm from the sea floor.", entry, kind=kind)
    gate.run(db, now=now)
    assert decided(db, "model")[0] == action
