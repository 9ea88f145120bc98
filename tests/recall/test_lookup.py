"""Anything by its uid, by the short name in a brief, or by a beginning that only one thing has."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from memory_db.agents.reader.reader import Reader
from memory_db.cli.group import cli
from memory_db.errors import InputError, NotFoundError
from memory_db.recall.explain.lookup import look_up, whole_uid
from memory_db.store.dates import utc_text

UIDS = ("405a38b2-1303-57aa-884c-b487a345f550", "405a38c0-1303-57aa-884c-b487a345f550")


@pytest.fixture
def entries(db: sqlite3.Connection, now: datetime) -> sqlite3.Connection:
    """A file with two entries whose uids begin alike."""
    db.execute("insert into sessions (uid, format) values ('5b434a38-8965', 'claude-code')")
    for uid in UIDS:
        db.execute(
            "insert into entries (uid, session_id, role, kind, text, created_at) values (?, 1, 'user', 'prompt', ?, ?)",
            [uid, f"text of {uid}", utc_text(now)],
        )
    db.commit()
    return db


@pytest.mark.parametrize("name", ["e405a38b2", "405a38b2", "405a38b", UIDS[0]])
def test_a_short_name_is_the_whole(entries: sqlite3.Connection, name: str) -> None:
    assert look_up(entries, name)["uid"] == UIDS[0]
    assert whole_uid(entries, "5b43") == "5b434a38-8965"


def test_a_beginning_of_several_is_refused_with_them(entries: sqlite3.Connection) -> None:
    with pytest.raises(InputError, match="beginning of several") as caught:
        whole_uid(entries, "405a38")
    assert all(uid in str(caught.value) for uid in UIDS)
    with pytest.raises(InputError):
        look_up(entries, "e405a38")


@pytest.mark.parametrize("name", ["405", "ffff", "e", "", "%", "405a38b3"])
def test_what_begins_nothing_is_not_found(entries: sqlite3.Connection, name: str) -> None:
    assert whole_uid(entries, name) == name
    with pytest.raises(NotFoundError):
        look_up(entries, name)


def test_the_command_and_the_tool_take_short_names(entries: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    run = CliRunner().invoke
    told = run(cli, ["memory", "get", "e405a38b2", "-d", str(db_path), "--json"])
    assert json.loads(told.stdout)["uid"] == UIDS[0]
    refused = run(cli, ["memory", "get", "405a38", "-d", str(db_path)])
    assert refused.exit_code == 1 and "Give more of the one you mean" in refused.stderr
    assert f"text of {UIDS[0]}" in Reader(db_path, None, lambda: now).get(["[e405a38b2]"])
