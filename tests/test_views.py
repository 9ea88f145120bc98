"""Views: readable by the plain shell, equal to what Python derives, unchanged by a second opening."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from memory_db.brief import ask
from memory_db.db import open_database, wanted_objects
from memory_db.memories import KINDS
from memory_db.recall import Question, recall

VIEWS = [name for name, (kind, _) in wanted_objects().items() if kind == "view"]


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_answers_in_the_plain_shell(sample_file: Path, view: str) -> None:
    with closing(sqlite3.connect(f"file:{sample_file}?mode=ro", uri=True)) as plain:
        cursor = plain.execute(f"select * from [{view}]")
        cursor.fetchall()
        assert len({column[0] for column in cursor.description}) == len(cursor.description)


def test_opening_again_writes_nothing(sample_path: Path, now: datetime) -> None:
    before = hashlib.sha256(sample_path.read_bytes()).hexdigest()
    open_database(sample_path, now=now).close()
    assert hashlib.sha256(sample_path.read_bytes()).hexdigest() == before


def test_beliefs_are_priors_plus_evidence(sample_db: sqlite3.Connection, now: datetime) -> None:
    priors = {kind.name: (kind.prior_alpha, kind.prior_beta) for kind in KINDS}
    rows = sample_db.execute("select * from beliefs").fetchall()
    assert len(rows) > 50
    for row in rows:
        alpha, beta = priors[row["kind"]]
        for direction, weight in sample_db.execute(
            "select direction, weight from evidence where memory_id = ?", [row["memory_id"]]
        ):
            alpha, beta = (alpha + weight, beta) if direction == "for" else (alpha, beta + weight)
        assert (row["alpha"], row["beta"]) == pytest.approx((alpha, beta))
        assert row["confidence"] == pytest.approx(alpha / (alpha + beta))
        assert 0 < row["confidence"] < 1 and 0 < row["variance"] < 0.25


def test_recall_believes_what_the_view_believes(sample_db: sqlite3.Connection, now: datetime) -> None:
    recalled = recall(sample_db, Question("tests database commit port", scope="memories"), now=now)
    believed = {
        row["id"]: (row["alpha"], row["beta"])
        for row in sample_db.execute(
            "select v.id, b.alpha, b.beta from beliefs b join memory_versions v using (memory_id)"
        )
    }
    assert recalled.hits
    for hit in recalled.hits:
        assert (hit.features.alpha, hit.features.beta) == pytest.approx(believed[hit.memory_version_id])


def test_never_recalled_and_shown_share_all_memories(sample_db: sqlite3.Connection, now: datetime) -> None:
    ask(sample_db, Question("tests database commit"), surface="test", now=now)
    counts = sample_db.execute(
        "select (select count(*) from never_recalled), (select count(*) from shown_never_cited),"
        " (select count(*) from current_memories), (select count(*) from memories where status = 'active')"
    ).fetchone()
    assert counts[0] + counts[1] == counts[2] == counts[3]
    assert counts[1] > 0


def test_the_ledger_adds_up_to_the_calls(sample_db: sqlite3.Connection) -> None:
    ledger = sample_db.execute(
        "select sum(calls), sum(input_tokens), sum(output_tokens), sum(cache_read_tokens) from token_ledger"
    ).fetchone()
    calls = sample_db.execute(
        "select count(*), sum(input_tokens), sum(output_tokens), sum(cache_read_tokens) from api_calls"
    ).fetchone()
    assert tuple(ledger) == tuple(calls) and calls[0] > 100


def test_a_changed_memory_keeps_its_old_version(sample_db: sqlite3.Connection) -> None:
    memory = sample_db.execute("select * from memories limit 1").fetchone()
    sample_db.execute("update memories set text = 'Quite different words now' where id = ?", [memory["id"]])
    versions = sample_db.execute(
        "select * from memory_versions where memory_id = ? order by version", [memory["id"]]
    ).fetchall()
    assert [row["version"] for row in versions] == [1, 2]
    assert versions[0]["text"] == memory["text"] and versions[1]["text"] == "Quite different words now"
    assert versions[0]["recorded_to"] == versions[1]["recorded_from"] and versions[1]["recorded_to"] is None
    found = sample_db.execute("select rowid from memory_fts where memory_fts match 'quite AND different'").fetchall()
    assert [row[0] for row in found] == [versions[1]["id"]]
    sample_db.execute("update memories set text = 'Quite different words now' where id = ?", [memory["id"]])
    assert sample_db.execute(
        "select count(*) from memory_versions where memory_id = ?", [memory["id"]]
    ).fetchone()[0] == 2  # fmt: skip


def test_a_users_own_view_is_never_dropped(db_path: Path, db: sqlite3.Connection, now: datetime) -> None:
    db.execute("create view mine as select 1 as one")
    db.execute("update schema_objects set sql = 'out of step' where name = 'beliefs'")
    again = open_database(db_path, now=now)
    assert again.execute("select one from mine").fetchone()[0] == 1
    assert again.execute("select sql from schema_objects where name = 'beliefs'").fetchone()[0] != "out of step"
    again.close()
