"""Commands that ask, and one that adds: recall, why, add, memory get."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from memory_db.cli.recall.lines import NOTHING_NEAR
from memory_db.index import build as index
from memory_db.knowledge.memories import add_memory
from tests.support.command import run, scalar
from tests.support.reading_model import registered
from tests.support.talking_model import TalkingModel


def test_recall_shows_hits_and_says_how_to_ask_why(sample: Path) -> None:
    answer = run("-d", str(sample), "recall", "which port does postgres listen on")
    assert "5433" in answer.stdout
    assert answer.stdout.startswith(" 1. 0.")
    uid = answer.stderr.split()[-1]
    assert scalar(sample, "select surface from recalls where uid = ?", uid) == "cli"
    assert "5433" in run("-d", str(sample), "why", uid).stdout
    assert uid in run("-d", str(sample), "memory", "get", uid).stdout


def test_recall_explained(sample: Path) -> None:
    text = run("-d", str(sample), "recall", "postgres port", "--explain").stdout
    assert " keyword\n" in text
    assert "Considered " in text
    assert "Profile default@1" in text


def test_recall_without_a_trace(sample: Path) -> None:
    before = sample.read_bytes()
    answer = run("-d", str(sample), "recall", "postgres port", "--no-log")
    assert answer.stderr == ""
    assert sample.read_bytes() == before


def test_recall_of_something_never_heard_of(sample: Path) -> None:
    run("-d", str(sample), "settings", "embedding_model", "none")
    run("-d", str(sample), "run", "--only", "index")
    answer = run("-d", str(sample), "recall", "zeppelin", "--profile", "keyword_only").stdout
    assert answer.startswith("Nothing shown: ")


def test_recall_says_when_nothing_is_near(db_path: Path, db: sqlite3.Connection, now: datetime) -> None:
    for text in ("Invoices are kept for 10 years.", "The API listens on port 8000."):
        add_memory(db, text=text, kind="domain", scope="user", now=now)
    index.run(db, now=now)
    for question, is_near in (("what is my salary", False), ("which port does the api listen on", True)):
        told = run("-d", str(db_path), "recall", "--no-log", question).stdout
        assert "1. 0." in told and told.startswith(NOTHING_NEAR) is not is_near


@pytest.mark.slow
def test_filters_narrow(sample: Path) -> None:
    for options in (["--kind", "fix"], ["--project", "tidepool"], ["--scope", "memories"], ["--since", "2026-10-01"]):
        asked = json.loads(run("-d", str(sample), "recall", "tests port error", *options, "--json").stdout)
        assert asked["hits"]
        for hit in asked["hits"]:
            assert hit["kind"] == "fix" or options[0] != "--kind"
            assert hit["project"] in ("tidepool", None) or options[0] != "--project"
            assert hit["type"] == "memory" or options[0] != "--scope"
            assert hit["created_at"] >= "2026-10-01" or options[0] != "--since"


@pytest.mark.slow
def test_the_limit_and_the_budget_hold(sample: Path) -> None:
    asked = json.loads(run("-d", str(sample), "recall", "tests", "--limit", "3", "--json").stdout)
    assert [hit["rank"] for hit in asked["hits"]] == [1, 2, 3]
    asked = json.loads(run("-d", str(sample), "recall", "tests", "--budget", "1", "--json").stdout)
    assert asked["hits"] == []
    assert asked["abstained"]


def test_why_names_every_signal_of_one_hit(sample: Path) -> None:
    asked = json.loads(run("-d", str(sample), "recall", "postgres port", "--json").stdout)
    first, other = asked["hits"][0]["uid"], asked["others"][0]["uid"]
    reason = json.loads(run("-d", str(sample), "why", asked["recall_uid"], first, "--json").stdout)
    assert sum(part["part"] for part in reason["parts"]) == pytest.approx(reason["score"], abs=1e-12)
    assert "shown at rank 1" in run("-d", str(sample), "why", asked["recall_uid"], first).stdout
    assert "not shown" in run("-d", str(sample), "why", asked["recall_uid"], other).stdout


def test_why_without_a_recall_is_about_the_last_one(sample: Path) -> None:
    asked = json.loads(run("-d", str(sample), "recall", "postgres port", "--json").stdout)
    uid, first = asked["recall_uid"], asked["hits"][0]["uid"]
    assert run("-d", str(sample), "why").stdout.startswith(f"{uid}: postgres port")
    assert json.loads(run("-d", str(sample), "why", "--not", first, "--json").stdout)["recall"] == uid


def test_why_where_nothing_was_asked_yet_says_how_to_ask(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.db")
    run("-d", path, "add", "The zeppelin lands at gate nine", "--user")
    assert "No recall is logged yet" in run("-d", path, "why", code=1).stderr


@pytest.mark.slow
def test_added_is_found(sample: Path) -> None:
    uid = run("-d", str(sample), "add", "The zeppelin lands at gate nine", "--user", "--tag", "air").stdout.strip()
    assert uid in run("-d", str(sample), "recall", "where does the zeppelin land").stdout
    assert "gate nine" in run("-d", str(sample), "memory", "get", uid).stdout
    again = run("-d", str(sample), "add", "The zeppelin lands at gate nine", "--user").stdout.strip()
    assert again == uid
    asked = json.loads(run("-d", str(sample), "recall", "zeppelin", "--tag", "air", "--json").stdout)
    assert [hit["uid"] for hit in asked["hits"]] == [uid]


@pytest.mark.slow
def test_get_of_every_sort(sample: Path) -> None:
    run("-d", str(sample), "recall", "port")
    for table, sort in (("memories", "memory"), ("entries", "entry"), ("sessions", "session"), ("recalls", "recall")):
        uid = str(scalar(sample, f"select uid from {table} order by id desc"))
        found = json.loads(run("-d", str(sample), "memory", "get", uid, "--json").stdout)
        assert found["type"] == sort
        assert f"type: {sort}\n" in run("-d", str(sample), "memory", "get", uid).stdout


@pytest.mark.slow
def test_a_terminal_obeys_nothing_that_was_said(sample: Path) -> None:
    with closing(sqlite3.connect(sample)) as db, db:
        db.execute("update entries set text = 'zeppelin \x1b[2J\x07 port' where id = 1")
        db.execute("update memories set text = 'zeppelins \x1b[2J\x07 land' where id = 1")
    uid = str(scalar(sample, "select uid from entries where id = 1"))
    for command in (["recall", "zeppelin"], ["memory", "get", uid], ["recall", "zeppelin", "--explain"],
                    ["export", "--format", "markdown"],
                    ["ask", "-m", "talker", "--dry-run", "\x1b[2J zeppelins"]):  # fmt: skip
        with registered(TalkingModel()):
            said = run("-d", str(sample), *command).stdout
        assert "zeppelin" in said
        assert "\x1b" not in said
        assert "\x07" not in said
