"""Every check finds the fault it is for, and is silent where there is none."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory_db.index import texts as indexable
from memory_db.index.build import make_collection
from memory_db.recall.brief import select as brief
from memory_db.recall.search import Question
from memory_db.sample import file as samples
from memory_db.store import settings
from memory_db.store.connection import connect
from memory_db.store.schema import open_database
from memory_db.upkeep import pipeline
from memory_db.upkeep.check import CHECKS, SHOWN, check

pytestmark = pytest.mark.slow

MOMENT = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)

A_TOKEN = "ghp_" + "a1B2c3" * 6

FAULTS: list[tuple[str, str, str]] = [
    ("SQLite finds the file sound", "CHECK constraint",
     "update memories set importance = 9; pragma ignore_check_constraints = off"),
    ("every reference leads to a row", "actions", "update actions set entry_id = 999999 where id = 1"),
    ("full text covers every text", "rebuild", "delete from entry_fts_docsize where id = 3"),
    ("full text covers every text", "rebuild", "drop trigger entries_before_update; drop trigger entries_after_update;"
     " update entries set text = 'other words' where id = 3"),
    ("full text covers every text", "memory_fts", "drop trigger memory_versions_before_update;"
     " drop trigger memory_versions_after_update; update memory_versions set title = 'other words' where id = 3"),
    ("views, triggers, kinds and profiles are ours", "view never_recalled", "drop view never_recalled"),
    ("views, triggers, kinds and profiles are ours", "trigger memories_after_insert",
     "drop trigger memories_after_insert;"
     " create trigger memories_after_insert after insert on memories begin select 1; end"),
    ("views, triggers, kinds and profiles are ours", "any command that writes", "delete from schema_objects"),
    ("JSON is JSON", "signals", "update hits set signals = '{oops' where id = 2"),
    ("a logged score is its signals times their weights", "logged as",
     "update hits set logged_score = logged_score + 0.001 where id = 2"),
    ("a logged signal follows from its features", "recency",
     "update hits set features = json_set(features, '$.age_days', 12345.0) where id = 1"),
    ("a logged signal follows from its features", "cannot be read",
     "update hits set features = json_remove(features, '$.kind') where id = 1"),
    ("a signal is between 0 and 1", "keyword is 1.5", "update hits set signals = json_set(signals, '$.keyword', 1.5)"),
    ("a signal is between 0 and 1", "keyword is high",
     "update hits set signals = json_set(signals, '$.keyword', 'high')"),
    ("positions follow scores", "the one before", "update hits set position = 1000 - position"),
    ("a recall counts what it considered", "0 considered", "update recalls set considered_count = 0"),
    ("weights are shares of one", "sum to", "update profiles set weights = json_set(weights, '$.keyword', 0.9)"),
    ("weights are shares of one", "below 0", "update profiles set weights = json_set(weights, '$.keyword', -0.1)"),
    ("weights are shares of one", "no signal", "update profiles set weights = json_set(weights, '$.luck', 0.0)"),
    ("every candidate has a decision", "no decision", "delete from decisions where id = 1"),
    ("a decision to keep names its memory", "add without", "update decisions set memory_id = null where id = 1"),
    ("a memory is its current version", "title", "drop trigger memories_after_update;"
     " update memories set title = 'another' where id = 1"),
    ("a memory is its current version", "no current version",
     "update memory_versions set recorded_to = '2099' where id = 1"),
    ("versions follow each other", "is version 7", "update memory_versions set version = 7 where id = 1"),
    ("versions follow each other", "from", "update memories set title = 'second', updated_at = '2099' where id = 1;"
     " update memory_versions set recorded_from = '2098' where memory_id = 1 and version = 2"),
    ("versions follow each other", "to 1999", "update memory_versions set recorded_to = '1999' where id = 1"),
    ("what is superseded has a successor", "no edge says by what",
     "update memories set status = 'superseded' where id = 1"),
    ("a quote is in its entry", "memory", "update memory_sources set quote = 'never said' where id = 1"),
    ("a quote is in its entry", "candidate", "update candidates set quote = 'never said' where id = 1"),
    ("a belief is its prior and its evidence", "between 0 and 1", "update kinds set prior_beta = 0"),
    ("a belief is its prior and its evidence", "evidence give", "drop view beliefs; create view beliefs as"
     " select id as memory_id, uid, kind, 1.0 as alpha, 1.0 as beta, 0.5 as confidence from memories"),
    ("evidence is of a kind that is known", "kind hunch", "update evidence set kind = 'hunch' where id = 1"),
    ("every API call belongs to a session", "999999", "update api_calls set session_id = 999999 where id = 1"),
    ("an action's result is a result", "of kind prompt", "update actions set result_entry_id ="
     " (select id from entries where kind = 'prompt' limit 1) where id = 1"),
    ("an action's result is a result", "not known", "update actions set is_error = null where id = 1"),
    ("every entry has one place in its session", "no place", "delete from session_entries where entry_id = 5"),
    ("every entry has one place in its session", "stand there", "update session_entries set position = 1"),
    ("static vectors fit and belong to a text", "2 numbers", "update static_vectors set vector = x'0102' where id = 1"),
    ("static vectors fit and belong to a text", "not there", "update static_vectors set entry_id = 999999 where id ="
     " (select max(id) from static_vectors where entry_id is not null)"),
    ("every reference leads to a row", "token_signs", "insert into token_signs (entry_id, model, signs)"
     " values (999999, 'minilm-int8', x'')"),
    ("a memory names what its rows say", "names other entities",
     "delete from memory_entities where memory_id = (select min(memory_id) from memory_entities)"),
    ("a project's name is its own", "projects have that name", "update projects set name = 'TIDEPOOL' where id = 2"),
    ("a procedure counts its actions", "run --only index", "update procedures set successes = 99 where id = 1"),
    ("embeddings belong to a text", "999999", "insert into embeddings (collection_id, id, embedding, content_hash,"
     " updated) values (1, '999999', x'00', x'00', 0)"),
    ("no text holds what redaction removes", "entries 7, text",
     f"update entries set text = 'uses {A_TOKEN}' where id = 7"),
    ("no text holds what redaction removes", "memory_versions",
     f"update memories set text = '{A_TOKEN}' where id = 1"),
]  # fmt: skip
"""What must hold, words of the finding, and how to break it."""


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample history, with static vectors, an empty collection of embeddings and two recalls."""
    path = tmp_path_factory.mktemp("check") / "sample.db"
    folder = samples.write_sample(path, now=MOMENT)
    with closing(open_database(path, now=MOMENT)) as db:
        settings.put(db, "embedding_model", "none", now=MOMENT)
        pipeline.run(db, [folder], now=MOMENT)
        make_collection(db, indexable.MEMORIES, "toy")
        make_collection(db, indexable.ENTRIES, "toy")
        brief.ask(db, Question("which port has the test database"), surface="test", now=MOMENT)
        brief.ask(db, Question("type hints in tests", scope="memories"), surface="test", now=MOMENT)
    return path


@pytest.fixture
def broken(healthy: Path, tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A copy to break, with nothing in the way."""
    copy = tmp_path / "copy.db"
    shutil.copyfile(healthy, copy)
    with closing(connect(copy, write=True)) as db:
        db.execute("pragma foreign_keys = off")
        db.execute("pragma ignore_check_constraints = on")
        yield db


def test_a_healthy_file_has_no_findings(healthy: Path) -> None:
    with closing(connect(healthy, write=True)) as db:
        assert db.execute("select count(*) from hits").fetchone()[0] > 50
        assert check(db) == []
        assert check(db, thorough=True) == []
        assert not db.in_transaction


def test_nothing_is_written(healthy: Path) -> None:
    with closing(connect(healthy)) as other, closing(connect(healthy, write=True)) as db:
        before = other.execute("pragma data_version").fetchone()[0]
        check(db)
        assert other.execute("pragma data_version").fetchone()[0] == before


def test_a_reader_may_check(healthy: Path) -> None:
    with closing(connect(healthy)) as db:
        assert check(db) == []


def test_an_empty_file_has_no_findings(db: sqlite3.Connection) -> None:
    assert check(db, thorough=True) == []


@pytest.mark.parametrize(("what", "words", "fault"), FAULTS)
def test_a_planted_fault_is_found(broken: sqlite3.Connection, what: str, words: str, fault: str) -> None:
    broken.executescript(fault)
    found = [f"{finding.where}: {finding.detail}" for finding in check(broken) if finding.what == what]
    assert any(words in each for each in found), found


def test_every_check_has_a_planted_fault() -> None:
    assert {what for what, _, _ in FAULTS} == set(CHECKS)


def test_many_places_are_counted(broken: sqlite3.Connection) -> None:
    broken.execute("delete from decisions")
    found = [finding for finding in check(broken) if finding.what == "every candidate has a decision"]
    candidates = broken.execute("select count(*) from candidates").fetchone()[0]
    assert len(found) == SHOWN + 1
    assert found[-1].where == f"{candidates - SHOWN:,} more places"


def test_what_cannot_be_checked_is_a_finding(broken: sqlite3.Connection) -> None:
    broken.execute("drop view beliefs")
    found = {finding.what: finding.detail for finding in check(broken)}
    assert "cannot be checked: no such table: beliefs" in found["a belief is its prior and its evidence"]


def test_old_texts_are_scanned_when_thorough(broken: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memory_db.upkeep.check.NEWEST", 10)
    broken.execute("update entries set text = ? where id = 7", [f"uses {A_TOKEN}"])
    what = "no text holds what redaction removes"
    assert [finding for finding in check(broken) if finding.what == what] == []
    assert [finding.where for finding in check(broken, thorough=True) if finding.what == what] == ["entries 7, text"]
