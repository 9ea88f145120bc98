"""Edges drawn by rules: what they are drawn for, and that they stay, end and come again as they should."""

from __future__ import annotations

import random
import sqlite3
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_db.gate.review.relate import relate, unrelate
from memory_db.index import build as index
from memory_db.knowledge.graph import edges
from memory_db.knowledge.graph.rules import MOST, GraphStatement, draw, topic
from memory_db.knowledge.memories import add_memory
from memory_db.knowledge.succession import supersede
from memory_db.store import settings as file_settings
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.store.schema import open_database

EDGES = """
select f.uid, t.uid, e.kind, e.score, e.reason, e.created_by from edges e
join memories f on f.id = e.from_memory_id join memories t on t.id = e.to_memory_id where e.ended_at is null
"""


def add(db: sqlite3.Connection, text: str, now: datetime, **more: object) -> str:
    given = {"kind": "fix", "scope": "user", **more}
    return add_memory(db, text=text, now=now, **given)  # type: ignore[arg-type]


def indexed(db: sqlite3.Connection, now: datetime) -> dict[str, int]:
    file_settings.put(db, "embedding_model", "none", now=now)
    return index.run(db, now=now)


def drawn(db: sqlite3.Connection) -> set[tuple[str, str, str]]:
    return {tuple(row)[:3] for row in db.execute(EDGES)}


def all_rows(db: sqlite3.Connection) -> list[tuple[object, ...]]:
    return [tuple(row) for row in db.execute("select * from edges order by id")]


# ------------------------------------------------------------------------- the rules


def test_the_same_topic(db: sqlite3.Connection, now: datetime) -> None:
    old = add(db, "Never run terraform apply before I have seen the plan.", now)
    new = add(db, "Never run terraform apply, not even a saved plan.", now)
    add(db, "Heights are shown in metres.", now)
    indexed(db, now)
    assert drawn(db) == {(new, old, "same_topic")}
    reason = db.execute("select reason from edges").fetchone()[0]
    assert "similarity" in reason and "both name terraform" in reason


def test_what_a_clause_names(db: sqlite3.Connection, now: datetime) -> None:
    queue = add(db, "It drains by itself at night, with backoff.", now, title="OutboxQueue drains")
    needing = add(db, "Sending mail requires OutboxQueue to run.", now)
    reason = add(db, "We write to disk first because of OutboxQueue.", now)
    indexed(db, now)
    assert (needing, queue, "depends_on") in drawn(db)
    assert (queue, reason, "supports") in drawn(db)
    assert (queue, needing, "depends_on") not in drawn(db)


def test_what_a_text_names(db: sqlite3.Connection, now: datetime) -> None:
    bound = add(db, "Cents are rounded half up.", now, paths=["billing/tax/rounding.py"], title="Rounding of cents")
    naming_path = add(db, "Look into billing/tax/rounding.py before a release.", now)
    naming_title = add(db, "See rounding of cents for what the adviser said.", now)
    naming_uid = add(db, f"This came after {bound}, in spring.", now)
    indexed(db, now)
    assert {(one, bound, "mentions") for one in (naming_path, naming_title, naming_uid)} <= drawn(db)


def test_projects_that_never_meet_have_no_edges() -> None:
    one = GraphStatement(2, "m2", "fix", "a", "a", 1, entities=frozenset({("file", "x.py")}))
    other = GraphStatement(1, "m1", "fix", "a", "a", 2, entities=frozenset({("file", "x.py")}))
    assert list(draw(one, other, 0.99)) == []
    other.project_id = None
    assert [edge.kind for edge in draw(one, other, 0.99)] == ["same_topic"]


@given(st.floats(-1, 1), st.sets(st.sampled_from("abc")), st.sets(st.sampled_from("abc")), st.booleans())
def test_a_score_is_a_score(similarity: float, tags: set[str], others: set[str], together: bool) -> None:
    sessions = frozenset({1} if together else set())
    names = [frozenset(("symbol", tag) for tag in each) for each in (tags, others)]
    one = GraphStatement(2, "m2", "fix", "a", "a", 1, frozenset(tags), sessions=sessions, entities=names[0])
    other = GraphStatement(1, "m1", "fix", "a", "a", 1, frozenset(others), sessions=sessions, entities=names[1])
    for edge in topic(one, other, similarity, names[0] & names[1]):
        assert 0 <= edge.score <= 1.0001


def test_at_most_three_of_a_kind_from_one_memory(sample_db: sqlite3.Connection, now: datetime) -> None:
    edges.rebuild(sample_db, now=now)
    counts = sample_db.execute(
        "select kind, count(*) from edges where ended_at is null and created_by = 'rules' group by from_memory_id, kind"
    ).fetchall()
    assert len(counts) > 30
    assert all(count <= MOST.get(kind, count) for kind, count in counts), "an open contradiction has no bound"
    assert all(0 <= row[0] <= 1 for row in sample_db.execute("select score from edges"))


def test_open_contradictions_are_edges(db: sqlite3.Connection, now: datetime) -> None:
    old, new = add(db, "Port 8040.", now), add(db, "Port 8050 it is.", now)
    with transaction(db):
        db.execute(
            "insert into contradictions (memory_id, other_memory_id, found_by, reason, score, quote, other_quote,"
            " found_at) values (1, 2, 'test', 'another value', 0.8, 'a', 'b', ?)",
            [utc_text(now)],
        )
    indexed(db, now)
    assert (new, old, "contradicts") in drawn(db)
    later = now + timedelta(days=1)
    with transaction(db):
        db.execute(
            "update contradictions set state = 'resolved', resolution = 'both', resolved_at = ?", [utc_text(later)]
        )
    indexed(db, later)
    assert (new, old, "contradicts") not in drawn(db)
    assert [row[0] for row in db.execute("select ended_at from edges where kind = 'contradicts'")] == [utc_text(later)]


# ---------------------------------------------------------------- what stays, what goes


@pytest.mark.slow
def test_a_second_run_changes_nothing(sample_db: sqlite3.Connection, now: datetime) -> None:
    indexed(sample_db, now)
    before = list(sample_db.iterdump())
    later = now + timedelta(days=1)
    for again in (edges.refresh, edges.rebuild):
        counts = again(sample_db, now=later)
        assert counts["edges_drawn"] == counts["edges_ended"] == 0 < counts["edges_kept"]
    assert list(sample_db.iterdump()) == before


def test_edges_of_what_is_replaced_end(db: sqlite3.Connection, now: datetime) -> None:
    old = add(db, "Never run terraform apply before I have seen the plan.", now)
    new = add(db, "Never run terraform apply, not even a saved plan.", now)
    indexed(db, now)
    later = now + timedelta(days=1)
    supersede(db, old, new, reason="stricter", by="user", now=later)
    indexed(db, later)
    assert drawn(db) == {(new, old, "supersedes")}
    assert {row[0] for row in db.execute("select ended_at from edges where kind = 'same_topic'")} == {utc_text(later)}


def test_a_person_has_the_last_word(db: sqlite3.Connection, now: datetime) -> None:
    old = add(db, "Never run terraform apply before I have seen the plan.", now)
    new = add(db, "Never run terraform apply, not even a saved plan.", now)
    other = add(db, "Heights are shown in metres.", now)
    indexed(db, now)
    later = now + timedelta(days=1)
    assert unrelate(db, new, old, by="user", now=later) == ["same_topic"]
    assert relate(db, old, other, "supports", reason="I know why", by="user", now=later)
    assert not relate(db, old, other, "supports", reason="I know why", by="user", now=later)
    before = all_rows(db)
    edges.rebuild(db, now=later + timedelta(days=1))
    assert all_rows(db) == before
    assert drawn(db) == {(old, other, "supports")}


WORDS = (
    "terraform apply",
    "the plan",
    "OutboxQueue",
    "pnpm",
    "because of",
    "requires",
    "src/app.py",
    "staging",
    "never",
)


@settings(max_examples=12)
@given(st.integers(0, 10_000))
@pytest.mark.slow
def test_reading_what_changed_gives_the_same_as_reading_all(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    chance = random.Random(seed)
    now = datetime.fromisoformat("2026-11-01T12:00:00+00:00")
    db = open_database(Path(tmp_path_factory.mktemp("edges")) / "memory.db", now=now)
    uids: list[str] = []
    for step in range(14):
        now += timedelta(hours=1)
        words = " ".join(chance.choice(WORDS) for _ in range(4))
        move = chance.random()
        if move < 0.6 or len(uids) < 3:
            uids.append(add(db, f"{words} {step}.", now, tags=chance.sample(["a", "b"], 1)))
        elif move < 0.8:
            with transaction(db):
                values = [f"{words} {step}.", utc_text(now), chance.choice(uids)]
                db.execute("update memories set text = ?, updated_at = ? where uid = ?", values)
        else:
            with transaction(db):
                values = [utc_text(now), chance.choice(uids)]
                db.execute("update memories set status = 'retired', updated_at = ? where uid = ?", values)
        indexed(db, now)
    counts = edges.rebuild(db, now=now)
    db.close()
    assert counts["edges_drawn"] == counts["edges_ended"] == 0
