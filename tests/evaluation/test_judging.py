"""Labelled queries come in once, with what cannot be labelled counted."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from typing import Any

import pytest

from memory_db.errors import InputError, NotFoundError
from memory_db.evaluation import query_sets as judging
from memory_db.store.connection import transaction

LINE: dict[str, Any] = {
    "id": "q1",
    "query": "which port",
    "project": "harbour",
    "asked_at": "2026-10-01T10:00:00Z",
    "relevant": ["e-1"],
    "must_not": ["e-2"],
    "style": "question",
}


@pytest.fixture
def history(db: sqlite3.Connection) -> sqlite3.Connection:
    """Two entries of one project that has moved."""
    with transaction(db):
        db.execute("insert into projects (id, name, canonical_path, created_at) values (1, 'quay', '/old/quay', 'x')")
        db.execute(
            "insert into project_aliases (project_id, path, reason, created_at)"
            " values (1, '/new/harbour', 'moved', 'x')"
        )
        db.execute("insert into sessions (id, uid, format, project_id) values (1, 's', 'claude-code', 1)")
        for number in (1, 2):
            db.execute(
                "insert into entries (id, uid, session_id, role, kind, text, created_at)"
                " values (?, ?, 1, 'user', 'prompt', 'the port is 8040', '2026-09-01T00:00:00.000Z')",
                [number, f"e-{number}"],
            )
    return db


def load(db: sqlite3.Connection, now: datetime, *lines: dict[str, Any]) -> dict[str, int]:
    return judging.load_queries(db, "mine", lines, description="of mine", judged_by="me", now=now)


def test_a_line_becomes_a_query_and_its_judgements(history: sqlite3.Connection, now: datetime) -> None:
    counts = load(history, now, LINE)
    assert counts == {
        "queries": 1, "judgements": 2, "unknown_uids": 0, "unknown_projects": 0, "waiting_for_their_entries": 0,
    }  # fmt: skip
    query = history.execute("select * from labelled_queries").fetchone()
    assert (query["uid"], query["query"], query["project_id"], query["style"]) == ("q1", "which port", 1, "question")
    assert query["asked_at"] == "2026-10-01T10:00:00.000Z"
    judged = history.execute("select entry_id, relevance, judged_by from judgements order by entry_id").fetchall()
    assert list(map(tuple, judged)) == [(1, 1, "me"), (2, 0, "me")]


def test_labelling_again_changes_no_row(history: sqlite3.Connection, now: datetime) -> None:
    first = load(history, now, LINE)
    before = history.total_changes
    assert load(history, now, LINE) == first
    assert history.total_changes == before


def test_a_changed_line_changes_its_row_and_keeps_its_id(history: sqlite3.Connection, now: datetime) -> None:
    load(history, now, LINE)
    load(history, now, {**LINE, "query": "which port now", "relevant": ["e-2"], "must_not": []})
    rows = history.execute("select id, query from labelled_queries").fetchall()
    assert list(map(tuple, rows)) == [(1, "which port now")]
    assert dict(history.execute("select entry_id, relevance from judgements").fetchall()) == {1: 1, 2: 1}


def test_what_the_file_does_not_know_is_counted(history: sqlite3.Connection, now: datetime) -> None:
    counts = load(history, now, {**LINE, "relevant": ["e-1", "gone"], "project": "elsewhere"})
    assert (counts["judgements"], counts["unknown_uids"], counts["unknown_projects"]) == (2, 1, 1)
    assert history.execute("select project_id from labelled_queries").fetchone()[0] is None


def test_a_query_without_its_answers_waits_and_is_no_negative_one(history: sqlite3.Connection, now: datetime) -> None:
    counts = load(history, now, {**LINE, "relevant": ["gone"]}, {**LINE, "id": "q2", "relevant": [], "must_not": []})
    assert (counts["queries"], counts["waiting_for_their_entries"]) == (1, 1)
    assert [row[0] for row in history.execute("select uid from labelled_queries")] == ["q2"]


def test_a_memory_can_be_an_answer(history: sqlite3.Connection, now: datetime) -> None:
    with transaction(history):
        history.execute(
            "insert into memories (id, uid, kind, scope, project_id, title, text, tokens, origin, content_hash,"
            " valid_from, changed_by, change_reason, created_at, updated_at)"
            " values (7, 'm-7', 'environment', 'project', 1, 'port', 'the port is 8040', 4, 'user', 'h', 'x', 'me',"
            " 'said', 'x', 'x')"
        )
    assert load(history, now, {**LINE, "relevant": ["m-7"]})["judgements"] == 2
    assert history.execute("select memory_id from judgements where relevance = 1").fetchone()[0] == 7


def test_a_secret_in_a_query_never_reaches_the_file(history: sqlite3.Connection, now: datetime) -> None:
    token = "ghp_" + "a1B2" * 9
    load(history, now, {**LINE, "query": f"why is {token} refused"})
    assert token not in history.execute("select query from labelled_queries").fetchone()[0]


def test_a_line_that_lacks_a_field_is_named(history: sqlite3.Connection, now: datetime) -> None:
    with pytest.raises(InputError, match="'q1' has no style"):
        load(history, now, {name: value for name, value in LINE.items() if name != "style"})
    assert history.execute("select count(*) from query_sets").fetchone()[0] == 0


def test_an_unknown_query_set_says_which_there_are(history: sqlite3.Connection, now: datetime) -> None:
    load(history, now, LINE)
    with pytest.raises(NotFoundError, match=r"'other'. There are: mine\."):
        judging.query_set(history, "other")


def test_the_shipped_queries_wait_for_the_sample(db: sqlite3.Connection, now: datetime) -> None:
    counts = judging.load_sample_queries(db, now=now)
    assert counts["waiting_for_their_entries"] == 127
    assert counts["queries"] == 19
    assert counts["judgements"] == 0
