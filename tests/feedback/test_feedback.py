"""A reply that names a shown memory counts for it, once."""

from __future__ import annotations

import sqlite3
from datetime import datetime, timedelta

import pytest

from memory_db.evaluation import judgements as labelling
from memory_db.feedback import run as feedback
from memory_db.knowledge.memories import add_memory
from memory_db.recall.brief import select as brief
from memory_db.recall.search import Question
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text


@pytest.fixture
def uid(db: sqlite3.Connection, now: datetime) -> str:
    """A memory in a file with one session."""
    with transaction(db):
        db.execute("insert into sessions (id, uid, format) values (1, 's', 'claude-code')")
    return add_memory(db, text="Ferries sail at nine", kind="domain", scope="user", now=now)


def say(
    db: sqlite3.Connection, uid: str, text: str, at: datetime, *, kind: str = "reply", role: str = "assistant"
) -> None:
    with transaction(db):
        db.execute(
            "insert into entries (uid, session_id, role, kind, text, created_at) values (?, 1, ?, ?, ?, ?)",
            [uid, role, kind, text, utc_text(at)],
        )


def ask(db: sqlite3.Connection, now: datetime, **more: object) -> brief.Answer:
    return brief.ask(db, Question("when do ferries sail", **more), surface="cli", now=now)  # type: ignore[arg-type]


def cited(db: sqlite3.Connection) -> list[tuple[object, ...]]:
    rows = db.execute("select source, recall_id, direction from evidence where kind = 'cited' order by id")
    return list(map(tuple, rows))


def counted(db: sqlite3.Connection, now: datetime) -> dict[str, int]:
    counts = feedback.run(db, now=now)
    return {name: counts[name] for name in ("cited", "cited_unshown")}


def test_a_citation_is_evidence_once_and_a_label(db: sqlite3.Connection, uid: str, now: datetime) -> None:
    before = db.execute("select confidence from beliefs").fetchone()[0]
    answer = ask(db, now)
    assert [hit.uid for hit in answer.shown] == [uid]
    say(db, "e1", f"They sail at nine ({uid}).", now + timedelta(minutes=1))
    assert counted(db, now) == {"cited": 1, "cited_unshown": 0}
    assert cited(db) == [("entry e1", answer.recall_id, "for")]
    assert db.execute("select confidence from beliefs").fetchone()[0] > before
    assert counted(db, now) == {"cited": 0, "cited_unshown": 0}
    assert len(cited(db)) == 1
    counts = labelling.gather(db, "mine", [str(answer.recall_uid)], now=now)
    assert (counts["queries"], counts["judgements"], counts["negatives"]) == (1, 1, 0)
    judged = db.execute("select relevance, judged_by from judgements").fetchone()
    assert tuple(judged) == (1, labelling.CITATION)


@pytest.mark.parametrize(
    ("kind", "role"), [("tool_result", "tool"), ("prompt", "user"), ("thinking", "assistant"), ("summary", "assistant")]
)
def test_only_replies_cite(db: sqlite3.Connection, uid: str, now: datetime, kind: str, role: str) -> None:
    ask(db, now)
    say(db, "e1", f"see {uid}", now + timedelta(minutes=1), kind=kind, role=role)
    assert counted(db, now) == {"cited": 0, "cited_unshown": 0}
    assert cited(db) == []


@pytest.mark.parametrize("after", [timedelta(minutes=-1), feedback.CITED_WITHIN + timedelta(minutes=1)])
def test_a_recall_must_explain_the_citation(db: sqlite3.Connection, uid: str, now: datetime, after: timedelta) -> None:
    ask(db, now)
    say(db, "e1", f"see {uid}", now + after)
    assert counted(db, now) == {"cited": 0, "cited_unshown": 1}
    assert cited(db) == []


def test_a_longer_uid_is_another_one(db: sqlite3.Connection, uid: str, now: datetime) -> None:
    ask(db, now)
    say(db, "e1", f"see {uid}0 and x{uid}", now + timedelta(minutes=1))
    assert counted(db, now) == {"cited": 0, "cited_unshown": 0}


def test_the_recall_of_the_same_session_goes_before_a_later_one(
    db: sqlite3.Connection, uid: str, now: datetime
) -> None:
    own = ask(db, now, session_id=1)
    ask(db, now + timedelta(minutes=2))
    say(db, "e1", f"see {uid}", now + timedelta(minutes=3))
    feedback.run(db, now=now)
    assert cited(db) == [("entry e1", own.recall_id, "for")]
