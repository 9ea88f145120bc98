"""What stands around a memory, an entry and a session in time, and what happened in a span of it."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_db.cli import cli
from memory_db.errors import InputError, NotFoundError
from memory_db.gate.review import relate as relating
from memory_db.knowledge.memories import add_memory
from memory_db.knowledge.retire import retire
from memory_db.knowledge.succession import supersede
from memory_db.recall.explain import timeline
from memory_db.recall.explain.timeline import Moment
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.transcripts import projects

LINES = 14


@pytest.fixture
def history(db: sqlite3.Connection, now: datetime) -> sqlite3.Connection:
    """Two projects; in the first a session of 14 entries, and a memory made of each."""
    with transaction(db):
        for number, name in enumerate(("shop", "blog"), start=1):
            db.execute("insert into projects values (?, ?, ?, null, ?)", [number, name, f"/dev/{name}", utc_text(now)])
            db.execute(
                "insert into sessions (id, uid, format, project_id, title) values (?, ?, 'claude-code', ?, 'Port')",
                [number, f"session-{number}", number],
            )
        for line in range(LINES):
            kind = "tool_result" if line == 6 else "prompt"
            db.execute(
                "insert into entries (id, uid, session_id, role, kind, text, created_at)"
                " values (?, ?, 1, 'user', ?, ?, ?)",
                [line + 1, f"e{line}", kind, f"Said number {line}", day(now, line)],
            )
            db.execute("insert into session_entries values (1, ?, ?)", [line + 1, line + 1])
    return db


def day(now: datetime, number: int) -> str:
    return utc_text(now + timedelta(days=number - 100))


def made(db: sqlite3.Connection, now: datetime, text: str, number: int, project_id: int | None = 1) -> str:
    scope = "project" if project_id else "user"
    return add_memory(
        db, text=text, kind="convention", scope=scope, project_id=project_id, now=now, created_at=day(now, number)
    )


def texts_of(found: list[Moment]) -> list[str]:
    return [moment.uid for moment in found]


def test_a_memory_has_five_neighbours_on_each_side(history: sqlite3.Connection, now: datetime) -> None:
    uids = [made(history, now, f"Rule number {number} of the shop", number) for number in range(LINES)]
    made(history, now, "A rule of the blog", 7, project_id=2)
    found = timeline.around(history, uids[7])
    assert texts_of(found) == uids[2:13]
    assert [moment.uid for moment in found if moment.is_centre] == [uids[7]]
    assert texts_of(timeline.around(history, uids[7], before=1, after=0)) == uids[6:8]


def test_what_was_said_around_its_source_is_reported(history: sqlite3.Connection, now: datetime) -> None:
    uid = made(history, now, "Said number 7", 7)
    history.execute(
        "insert into memory_sources (memory_id, entry_id, quote, created_at)"
        " select id, 8, 'Said number 7', ? from memories where uid = ?",
        [day(now, 7), uid],
    )
    found = timeline.around(history, uid)
    said = [moment for moment in found if moment.sort == "entry"]
    assert texts_of(said) == [f"e{line}" for line in (1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12)], (
        "a tool's result tells no story"
    )
    assert [moment.note for moment in said if moment.note] == ["its source"]
    around_entry = timeline.around(history, "e7")
    assert uid in texts_of(around_entry) and [each.uid for each in around_entry if each.is_centre] == ["e7"]
    session = timeline.around(history, "session-1")
    assert texts_of(session) == [*(f"e{line}" for line in range(8) if line != 6), uid, *(f"e{n}" for n in range(8, 14))]


def test_a_chain_of_successors_is_reported_with_its_ends(history: sqlite3.Connection, now: datetime) -> None:
    first, second, third = (made(history, now, f"The port is {port}", port - 5430) for port in (5432, 5433, 5434))
    supersede(history, first, second, reason="moved", by="user", now=now)
    supersede(history, second, third, reason="moved again", by="user", now=now)
    for uid in (first, second, third):
        by_uid = {each.uid: each for each in timeline.around(history, uid) if each.sort == "memory"}
        assert set(by_uid) == {first, second, third}
        assert f"replaced by [{second}]" in by_uid[first].note
        assert f"replaced by [{third}]" in by_uid[second].note
        assert by_uid[third].note == ""


def test_edges_changes_and_retirement_are_reported(history: sqlite3.Connection, now: datetime) -> None:
    one, other = made(history, now, "Deploy from main", 3), made(history, now, "Tag before deploying", 4, project_id=2)
    relating.relate(history, one, other, "same_topic", reason="both of deploys", by="user", now=now)
    history.execute("update memories set text = 'Deploy from trunk', change_reason = 'renamed' where uid = ?", [one])
    found = timeline.around(history, one)
    assert [moment.note for moment in found if moment.uid == other] == ["edge same_topic"]
    assert [moment.text for moment in found if moment.sort == "change"] == ["version 2: text by user: renamed"]
    retire(history, one, reason="nobody deploys", by="user", now=now)
    [centre] = [moment for moment in timeline.around(history, one) if moment.is_centre]
    assert centre.note == f"retired {utc_text(now)[:10]}: nobody deploys"


def test_a_span_has_sessions_and_what_held_and_ended(history: sqlite3.Connection, now: datetime) -> None:
    old, new = made(history, now, "The port is 5432", 2), made(history, now, "The port is 5433", 9)
    everywhere = made(history, now, "Never push", 5, project_id=None)
    blog = made(history, now, "The blog uses rsync", 5, project_id=2)
    supersede(history, old, new, reason="moved", by="user", now=now)
    found = timeline.of_span(history, day(now, 2), day(now, 10), project_id=1)
    assert [(moment.uid, moment.kind) for moment in found] == [
        (new, "convention"), (old, "ended"), (everywhere, "convention"), ("session-1", "session"), (old, "convention"),
    ]  # fmt: skip
    assert found[3].note == "8 entries"
    assert texts_of(timeline.of_span(history, day(now, 9), day(now, 10), project_id=1)) == ["session-1", new, old]
    assert blog in texts_of(timeline.of_span(history, day(now, 2), day(now, 10), project_id=1, everywhere=True))
    projects.link_projects(history, 1, 2, by="user", now=now)
    assert blog in texts_of(timeline.of_span(history, day(now, 2), day(now, 10), project_id=1))
    assert texts_of(timeline.of_span(history, day(now, 2), day(now, 10), project_id=None)) == [everywhere]


def test_what_cannot_be_told_says_why(history: sqlite3.Connection, now: datetime) -> None:
    with pytest.raises(NotFoundError, match="'m00000000'"):
        timeline.around(history, "m00000000")
    with pytest.raises(InputError, match="empty"):
        timeline.of_span(history, day(now, 3), day(now, 3), project_id=1)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from(["memory", "change", "entry"]))))
def test_moments_stand_once_and_in_order(drawn: list[tuple[int, int, str]]) -> None:
    found = [Moment(f"2026-01-0{at}", sort, f"u{uid}", "kind", f"text {at}", None) for at, uid, sort in drawn]
    kept = timeline.in_order(found)
    assert [moment.at for moment in kept] == sorted(moment.at for moment in kept)
    assert {(each.sort, each.uid) for each in kept} == {(each.sort, each.uid) for each in found}
    plain = [(each.sort, each.uid) for each in kept if each.sort != "change"]
    assert len(plain) == len(set(plain))
    assert timeline.in_order(kept) == kept


def test_the_command_shows_the_same(history: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    uid = made(history, now, "The port is 5433", 9)
    made(history, now, "The port of the blog is 80", 9, project_id=2)

    def run(*arguments: str) -> str:
        result = CliRunner().invoke(cli, ["-d", str(db_path), "memory", "timeline", *arguments], catch_exceptions=False)
        return result.output

    data = json.loads(run(uid, "--json"))
    assert data == [each.as_dict() for each in timeline.around(history, uid)]
    assert f"> {day(now, 9)[:16].replace('T', ' ')}  {uid}  convention, shop: The port is 5433" in run(uid)
    span = run("--since", day(now, 9)[:10], "--before", day(now, 10)[:10], "--project", "shop")
    assert "5433" in span and "blog" not in span
    topic = run("port", "--project", "shop")
    assert "5433" in topic and "blog" not in topic
    assert "--since" in run()
    assert "Nothing." in run("--before", "1999-01-01")
