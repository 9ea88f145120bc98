"""Moments by date, by words and by name, and the commands that look back."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from click.testing import CliRunner

from memory_db.cli.group import cli
from memory_db.errors import InputError
from memory_db.knowledge import memories
from memory_db.knowledge.effects import change
from memory_db.recall.checkpoints import checkpoints, read_first_moment, read_moment, read_start, set_checkpoint
from tests.support.command import printed

NOW = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)

VIENNA = ZoneInfo("Europe/Vienna")


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-03-01", "2026-03-01T22:59:59.999Z"),
        ("2026-03-01T09:30", "2026-03-01T09:30:00.000Z"),
        ("2026-03-01 09:30+02:00", "2026-03-01T07:30:00.000Z"),
        ("in March", "2026-03-31T21:59:59.999Z"),
        ("the end of March", "2026-03-31T21:59:59.999Z"),
        ("before March", "2026-02-28T22:59:59.999Z"),
        ("last week", "2026-11-15T22:59:59.999Z"),
        ("yesterday", "2026-11-17T22:59:59.999Z"),
        ("today", "2026-11-18T12:00:00.000Z"),
        ("now", "2026-11-18T12:00:00.000Z"),
        ("2026-11-19", "2026-11-18T12:00:00.000Z"),
    ],
)
def test_a_span_means_its_end(db: sqlite3.Connection, text: str, moment: str) -> None:
    assert read_moment(db, text, now=NOW, zone=VIENNA) == moment


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-03-01", "2026-02-28T23:00:00.000Z"),
        ("2026-03-01T09:30", "2026-03-01T09:30:00.000Z"),
        ("in March", "2026-02-28T23:00:00.000Z"),
        ("since March", "2026-02-28T23:00:00.000Z"),
        ("before March", "2026-02-28T22:59:59.999Z"),
        ("this week", "2026-11-15T23:00:00.000Z"),
        ("today", "2026-11-17T23:00:00.000Z"),
        ("now", "2026-11-18T12:00:00.000Z"),
        ("moved", "2026-11-01T12:00:00.000Z"),
    ],
)
def test_what_changed_since_a_span_is_from_its_beginning(
    db: sqlite3.Connection, text: str, moment: str, now: datetime
) -> None:
    set_checkpoint(db, "moved", by="user", now=now)
    assert read_first_moment(db, text, now=NOW, zone=VIENNA) == moment


def test_nothing_changed_yet_from_a_day_to_come_on(db: sqlite3.Connection) -> None:
    with pytest.raises(InputError, match="2026-11-19 is still to come"):
        read_first_moment(db, "2026-11-19", now=NOW, zone=VIENNA)
    with pytest.raises(InputError, match="is not a date"):
        read_first_moment(db, "2026-13-01", now=NOW, zone=VIENNA)


def test_a_time_can_begin_today(db: sqlite3.Connection) -> None:
    assert read_start("today", now=NOW, zone=VIENNA) == "2026-11-17T23:00:00.000Z"
    assert read_start("now", now=NOW, zone=VIENNA) == "2026-11-18T12:00:00.000Z"
    assert read_start("2027-01-01", now=NOW, zone=VIENNA) == "2026-12-31T23:00:00.000Z"


def test_what_was_made_today_changed_since_today(db: sqlite3.Connection, db_path: Path) -> None:
    uid = memories.add_memory(db, text="Deploys happen on Tuesday.", kind="decision", scope="user",
                              now=datetime.now(UTC))  # fmt: skip
    for start in ("today", "this week", datetime.now(UTC).date().isoformat()):
        assert uid in printed(db_path, "memory", "diff", start), start
        assert uid in printed(db_path, "recall", "deploys", "--no-log", "--since", start), start
        assert uid in printed(db_path, "export", "--since", start), start
    assert "No data yet" in printed(db_path, "cost", "--since", "last week")


@pytest.mark.parametrize("text", ["", "since March", "release one", "in March of green cheese", "m12345678"])
def test_what_names_no_moment_is_refused(db: sqlite3.Connection, text: str) -> None:
    with pytest.raises(InputError, match="names no moment"):
        read_moment(db, text, now=NOW, zone=VIENNA)


def test_a_checkpoint_is_a_moment(db: sqlite3.Connection, now: datetime) -> None:
    assert set_checkpoint(db, "before the move", note="to pnpm", by="user", now=now) == "before the move"
    assert read_moment(db, "before the move", now=NOW, zone=VIENNA) == "2026-11-01T12:00:00.000Z"
    assert set_checkpoint(db, by="user", now=now) == "checkpoint 2"
    assert [each["name"] for each in checkpoints(db)] == ["checkpoint 2", "before the move"]


@pytest.mark.parametrize("name", ["one", "2026-03-01", "last week", "now", "x" * 81, "a\nb"])
def test_a_name_is_new_and_no_time(db: sqlite3.Connection, now: datetime, name: str) -> None:
    set_checkpoint(db, "one", by="user", now=now)
    with pytest.raises(InputError):
        set_checkpoint(db, name, by="user", now=now)


def test_the_commands_look_back(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    uid = memories.add_memory(db, text="Deploys happen on Tuesday.", kind="decision", scope="user", now=now)
    set_checkpoint(db, "tuesdays", by="user", now=now)
    change(db, uid, {"text": "Deploys happen on Wednesday."}, "moved", "user", NOW)
    assert (
        json.loads(printed(db_path, "memory", "get", uid, "--as-of", "tuesdays", "--json"))["text"]
        == "Deploys happen on Tuesday."
    )
    assert json.loads(printed(db_path, "memory", "get", uid, "--json"))["text"] == "Deploys happen on Wednesday."
    data = json.loads(printed(db_path, "memory", "history", uid, "--json"))
    assert [event["what"] for event in data] == ["made", "evidence for", "changed"]
    assert "[-Tuesday.-]{+Wednesday.+}" in printed(db_path, "memory", "history", uid)
    between = json.loads(printed(db_path, "memory", "diff", "tuesdays", "--json"))
    assert [row["uid"] for row in between["changed"]] == [uid] and between["added"] == []
    assert "[-Tuesday.-]{+Wednesday.+}" in printed(db_path, "memory", "diff", "tuesdays", "now")
    assert ", whenever it was said:" in printed(db_path, "memory", "diff", "tuesdays").splitlines()[0]
    assert "Nothing changed." in printed(db_path, "memory", "diff", "tuesdays", "tuesdays")
    asked = ("recall", "deploys happen", "--scope", "memories", "--no-log", "--json", "--as-of")
    assert [hit["text"] for hit in json.loads(printed(db_path, *asked, "tuesdays"))["hits"]] == [
        "Deploys happen on Tuesday."
    ]
    assert "not kept" in printed(db_path, "memory", "checkpoint", "mondays", "--dry-run")
    assert (
        json.loads(printed(db_path, "memory", "checkpoint", "wednesdays", "--note", "moved", "--json"))["name"]
        == "wednesdays"
    )
    assert [row["name"] for row in json.loads(printed(db_path, "memory", "checkpoint", "--list", "--json"))] == [
        "wednesdays", "tuesdays",
    ]  # fmt: skip


def test_what_was_said_has_no_as_of(sample_path: Path, sample_db: sqlite3.Connection) -> None:
    uid = sample_db.execute("select uid from entries limit 1").fetchone()[0]
    done = CliRunner().invoke(cli, ["-d", str(sample_path), "memory", "get", uid, "--as-of", "2026-03-01"])
    assert done.exit_code == 1 and "is no memory" in done.output
