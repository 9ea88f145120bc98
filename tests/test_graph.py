"""The graph signal, with edges drawn by hand."""

from __future__ import annotations

import sqlite3
from datetime import datetime, timedelta

import pytest

from memory_db.brief import ask
from memory_db.connection import transaction
from memory_db.dates import utc_text
from memory_db.graph import nearness
from memory_db.memories import add_memory
from memory_db.projects import make_project
from memory_db.recall import Question, recall
from memory_db.scoring import SIGNALS

TEXTS = {
    "release": "Releases are tagged from the main branch.",
    "changelog": "Write the changelog before the tag.",
    "port": "The server listens on port 8040.",
}


@pytest.fixture
def ids(db: sqlite3.Connection, now: datetime) -> dict[str, int]:
    for name, text in TEXTS.items():
        paths = ["compose.yml"] if name == "port" else []
        add_memory(db, text=text, kind="convention", scope="user", paths=paths, now=now)
    rows = dict(db.execute("select text, id from memories").fetchall())
    return {name: rows[text] for name, text in TEXTS.items()}


@pytest.fixture
def session(db: sqlite3.Connection, now: datetime) -> int:
    project = make_project(db, "/home/d/quay", None, now)
    cursor = db.execute("insert into sessions (uid, format, project_id) values ('s1', 'test', ?)", [project])
    return int(cursor.lastrowid or 0)


def draw(
    db: sqlite3.Connection, one: int, other: int, now: datetime, kind: str = "supports", score: float = 0.8
) -> None:
    with transaction(db):
        db.execute(
            "insert into edges (from_memory_id, to_memory_id, kind, score, reason, created_by, created_at)"
            " values (?, ?, ?, ?, 'by hand', 'test', ?)",
            [one, other, kind, score, utc_text(now)],
        )


def strength(db: sqlite3.Connection, question: Question, now: datetime, memory_id: int) -> float:
    for hit in recall(db, question, now=now).hits:
        found = db.execute("select memory_id from memory_versions where id = ?", [hit.memory_version_id]).fetchone()
        if found and found[0] == memory_id:
            return SIGNALS["graph"](recall(db, question, now=now).query_features, hit.features)
    raise AssertionError("not considered")


@pytest.mark.parametrize("turned", [False, True])
def test_an_edge_to_what_was_shown_in_this_session_counts(
    db: sqlite3.Connection, now: datetime, ids: dict[str, int], session: int, *, turned: bool
) -> None:
    one, other = ("changelog", "release") if turned else ("release", "changelog")
    draw(db, ids[one], ids[other], now)
    ask(db, Question("main branch", session_id=session), surface="test", now=now)
    later = now + timedelta(minutes=5)
    assert strength(db, Question("changelog", session_id=session), later, ids["changelog"]) == 0.8
    assert strength(db, Question("changelog"), later, ids["changelog"]) == 0.0
    assert strength(db, Question("changelog", session_id=session), now, ids["changelog"]) == 0.0  # not shown yet


def test_an_edge_to_a_memory_of_the_files_in_play_counts(
    db: sqlite3.Connection, now: datetime, ids: dict[str, int]
) -> None:
    draw(db, ids["changelog"], ids["port"], now, "same_topic", 0.5)
    assert strength(db, Question("changelog", paths=("quay/compose.yml",)), now, ids["changelog"]) == 0.5
    assert strength(db, Question("changelog in compose.yml"), now, ids["changelog"]) == 0.5
    assert strength(db, Question("changelog", paths=("README.md",)), now, ids["changelog"]) == 0.0


@pytest.mark.parametrize("kind", ["supersedes", "contradicts"])
def test_other_edges_do_not(db: sqlite3.Connection, now: datetime, ids: dict[str, int], kind: str) -> None:
    draw(db, ids["changelog"], ids["port"], now, kind)
    assert nearness(db, ids.values(), None, ("compose.yml",), now) == {}


def test_the_strongest_edge_counts_and_only_those_that_were_there(
    db: sqlite3.Connection, now: datetime, ids: dict[str, int]
) -> None:
    draw(db, ids["changelog"], ids["port"], now, "mentions", 0.3)
    draw(db, ids["port"], ids["changelog"], now + timedelta(days=1), "depends_on", 0.9)
    assert nearness(db, ids.values(), None, ("compose.yml",), now) == {ids["changelog"]: 0.3}
    assert nearness(db, ids.values(), None, ("compose.yml",), now + timedelta(days=2)) == {ids["changelog"]: 0.9}


def test_without_edges_nothing_is_logged(db: sqlite3.Connection, now: datetime, ids: dict[str, int]) -> None:
    hits = recall(db, Question("changelog in compose.yml"), now=now).hits
    assert hits and all("edge_strength" not in hit.features.as_dict() for hit in hits)
