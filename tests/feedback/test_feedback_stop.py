"""The hook at the end of a reply and the importer find the same citation, and it counts once."""

from __future__ import annotations

import sqlite3
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_db.feedback import run as feedback
from memory_db.feedback.citations import citations_in
from memory_db.store.schema import open_database
from memory_db.text.names.citations import uids_in
from tests.support.feedback_sessions import Session, add_memories

TOLD = {
    "a": {"kind": "domain", "text": "Ferries sail at nine."},
    "b": {"kind": "domain", "text": "Pilots board at Harwich."},
}


def play(db: sqlite3.Connection, now: datetime) -> tuple[Session, dict[str, str]]:
    uids = add_memories(db, TOLD, now)
    session = Session(db, "s", now, uids)
    session.play([{"prompt": "when do ferries sail?"}, {"brief": ["a", "b"]}])
    return session, uids


def cited(db: sqlite3.Connection) -> list[tuple[object, ...]]:
    sql = "select m.uid, e.source, e.recall_id is not null, e.entry_id is not null from evidence e"
    return [tuple(row) for row in db.execute(f"{sql} join memories m on m.id = e.memory_id where e.kind = 'cited'")]


def test_the_hook_counts_at_once_and_the_importer_takes_over(db: sqlite3.Connection, now: datetime) -> None:
    session, uids = play(db, now)
    text = f"At nine ({uids['a']})."
    at = session.at + timedelta(minutes=2)
    assert citations_in(db, text, "s", now=at) == 1
    assert citations_in(db, text, "s", now=at + timedelta(seconds=5)) == 0
    [(uid, source, has_recall, has_entry)] = cited(db)
    assert (uid, has_recall, has_entry) == (uids["a"], 1, 0) and str(source).startswith("stop s ")
    session.play([{"reply": text}])
    assert feedback.run(db, now=at)["cited"] == 1
    assert cited(db) == [(uids["a"], "entry s-2", 1, 1)]
    assert feedback.run(db, now=at)["cited"] == 0


def test_the_hook_is_silent_where_the_importer_was_first(db: sqlite3.Connection, now: datetime) -> None:
    session, uids = play(db, now)
    text = f"At nine ({uids['a']})."
    session.play([{"reply": text}])
    feedback.run(db, now=session.at)
    assert citations_in(db, text, "s", now=session.at + timedelta(minutes=1)) == 0
    assert cited(db) == [(uids["a"], "entry s-2", 1, 1)]
    session.play([{"prompt": "sure?"}, {"reply": text}])
    feedback.run(db, now=session.at)
    assert citations_in(db, text, "s", now=session.at) == 0
    assert [row[1] for row in cited(db)] == ["entry s-2", "entry s-4"]


def test_what_was_withdrawn_stays_withdrawn(db: sqlite3.Connection, now: datetime) -> None:
    session, uids = play(db, now)
    text = f"At nine ({uids['a']})."
    citations_in(db, text, "s", now=session.at + timedelta(minutes=2))
    db.execute("update evidence set withdrawn_at = '2026-11-01T13:00:00.000Z' where kind = 'cited'")
    session.play([{"reply": text}])
    feedback.run(db, now=session.at)
    [row] = db.execute("select source, withdrawn_at from evidence where kind = 'cited'").fetchall()
    assert row["source"] == "entry s-2" and row["withdrawn_at"]


@pytest.mark.parametrize("session_uid", ["", "another"])
def test_what_the_session_was_not_shown_is_left_to_the_importer(
    db: sqlite3.Connection, now: datetime, session_uid: str
) -> None:
    session, uids = play(db, now)
    assert citations_in(db, f"see {uids['a']}", session_uid, now=session.at) == 0
    assert citations_in(db, f"see {uids['a']}", "s", now=session.at + timedelta(hours=13)) == 0
    assert citations_in(db, f"see m00000000 and {uids['a']}0", "s", now=session.at) == 0
    assert cited(db) == []


def test_uids_stand_alone() -> None:
    assert uids_in("m12345678, [m12345678]; xm12345678 m1234567 M12345678 (mabcdef012)") == ["m12345678", "mabcdef012"]


@pytest.mark.slow
@settings(max_examples=25)
@given(
    replies=st.lists(st.sampled_from(["{a}", "{b}", "{a} {b}", "nothing"]), min_size=1, max_size=5),
    hooks=st.lists(st.booleans(), min_size=5, max_size=5),
    runs=st.lists(st.integers(0, 2), min_size=5, max_size=5),
)
def test_any_order_of_hook_and_importer_gives_what_the_importer_alone_would(
    tmp_path_factory: pytest.TempPathFactory, now: datetime, replies: list[str], hooks: list[bool], runs: list[int]
) -> None:
    found = []
    for with_hook in (True, False):
        db = open_database(tmp_path_factory.mktemp("stop") / "a.db", now=now)
        session, _ = play(db, now)
        for number, reply in enumerate(replies):
            session.play([{"prompt": f"question {number}"}])
            at = session.at + timedelta(minutes=1, seconds=1)
            text = session.with_uids(reply)
            if with_hook and hooks[number] and runs[number] != 1:
                citations_in(db, text, "s", now=at)
            session.play([{"reply": reply}])
            if with_hook and runs[number]:
                feedback.run(db, now=at)
            if with_hook and hooks[number] and runs[number] == 1:
                citations_in(db, text, "s", now=at)
        feedback.run(db, now=session.at)
        found.append(sorted(cited(db)))
        db.close()
    assert found[0] == found[1]


@pytest.mark.slow
def test_growing_in_any_portions_gives_the_same(
    db: sqlite3.Connection, now: datetime, tmp_path_factory: pytest.TempPathFactory
) -> None:
    found = {"a": {"kind": "convention", "text": "Run `make release-all` before a tag is pushed."}}
    events: list[dict[str, object]] = [
        {"prompt": "tag 2.4"}, {"brief": ["a"]}, {"run": "make release-all"}, {"reply": "Ran it ({a})."},
        {"prompt": "that's outdated"}, {"reply": "Noted."}, {"prompt": "and 2.5"}, {"brief": ["a"]},
        {"run": "make release-all NEW=1"}, {"reply": "Done, tag pushed."}, {"prompt": "thanks"},
    ]  # fmt: skip
    kept = []
    for cuts in ([0, 11], [0, 3, 11], [*range(12)], [0, 5, 6, 10, 11]):
        other = open_database(tmp_path_factory.mktemp("grow") / "a.db", now=now)
        session = Session(other, "s", now, add_memories(other, found, now))
        for start, end in pairwise(cuts):
            session.play(events[start:end])
            feedback.run(other, now=session.at)
        changes = other.total_changes
        feedback.run(other, now=session.at)
        assert other.total_changes == changes
        kept.append(
            [
                [tuple(row) for row in other.execute(sql)]
                for sql in (
                    "select kind, weight, source, recall_id, created_at from evidence order by kind, source",
                    "select kind, strength, recall_id, entry_id from weak_labels order by 1, 3",
                    "select session_id, outcome, score, reason from session_outcomes",
                )
            ]
        )
        other.close()
    assert kept[0][0] and all(each == kept[0] for each in kept[1:])
