"""A change of the embedding model, carried out by workers that are killed: the old one answers until it is done."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import llm
import pytest
import test_index
from llm.plugins import pm
from test_index import FULL_ENTRIES, MODEL, WordLengths, embedded_ids, embeddings, fill
from test_index import toy as toy  # a fixture

from memory_db.index import build as index
from memory_db.index import semantic
from memory_db.models import embedders
from memory_db.store import jobs, settings
from memory_db.store.connection import connect
from memory_db.store.schema import open_database

pytestmark = pytest.mark.slow

BEFORE = "first-letters"


class FirstLetters(WordLengths):
    """The model that is given up."""

    model_id = BEFORE


class Both(test_index.Plugin):
    @llm.hookimpl
    def register_embedding_models(self, register):
        register(FirstLetters())


WORKER = """
import os, signal, sys
sys.path[:0] = {path!r}
from datetime import datetime, UTC
from pathlib import Path
from llm.plugins import pm
import test_index, test_model_change
from memory_db.index import build as index; from memory_db.store import jobs
from memory_db.store.connection import connect
pm.register(test_index.Plugin())
pm.register(test_model_change.Both())
index.FULL_BATCH, index.PORTION = 2, 4
calls = 0
def progress(what, done, total):
    global calls
    calls += 1
    if calls == {after}:
        os.kill(os.getpid(), signal.SIGKILL)
db = connect(Path({db!r}), write=True)
while jobs.work_once(db, now=datetime(2026, 11, 1, 12, tzinfo=UTC), progress=progress)["leased"]:
    pass
"""


@pytest.fixture
def changing(tmp_path: Path, now: datetime, toy: list[str]) -> Iterator[sqlite3.Connection]:
    """A file embedded with one model, of which another is wanted now; its entries wait for a worker."""
    plugin = Both()
    pm.register(plugin)
    with closing(open_database(tmp_path / "memory.db", now=now)) as db:
        fill(db)
        settings.put(db, "embedding_model", BEFORE, now=now)
        index.run(db, now=now)
        settings.put(db, "embedding_model", MODEL, now=now)
        assert index.run(db, now=now, entries=False)["entries_waiting"] == len(FULL_ENTRIES)
        yield db
    pm.unregister(plugin)


def killed_worker(path: Path, after: int) -> None:
    """A worker that dies after so many batches."""
    script = WORKER.format(path=[str(Path(__file__).parent)], after=after, db=str(path))
    environment = {**os.environ, "LLM_LOAD_PLUGINS": "", "LLM_USER_PATH": str(path.parent)}
    ended = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()


def model_that_answers(path: Path) -> str:
    with closing(connect(path)) as reader:
        opened = semantic.open_semantic(reader)
        assert opened is not None
        assert opened.search("Why does the login page fail?", [], [], nearest=3)[1]
        return opened.model


@pytest.mark.parametrize("after", [1, 2, 3])
def test_a_killed_worker_loses_nothing_and_the_old_model_answers_meanwhile(
    changing: sqlite3.Connection, tmp_path: Path, now: datetime, toy: list[str], after: int
) -> None:
    path = tmp_path / "memory.db"
    killed_worker(path, after)
    done = embedded_ids(changing, "entries")
    assert len(done) == 2 * after
    assert model_that_answers(path) == BEFORE
    kept = {key: value for key, value in rowids(changing).items() if key[0] == f"entries/{MODEL}"}

    toy.clear()
    assert jobs.work_once(changing, now=now + timedelta(minutes=1))["leased"] == 0, "the dead worker's lease runs"
    later = now + jobs.LEASE + timedelta(minutes=1)
    while jobs.work_once(changing, now=later)["leased"]:
        pass
    texts = {row[0]: row[1] for row in changing.execute("select id, text from entries")}
    assert sorted(toy) == sorted(texts[key] for key in FULL_ENTRIES - done), "what was done is not done again"
    assert kept.items() <= rowids(changing).items()
    assert semantic.embedded_models(changing) == {MODEL: len(FULL_ENTRIES) + 3}
    assert model_that_answers(path) == MODEL
    assert [row["state"] for row in changing.execute("select state from jobs where key = ?", [MODEL])] == ["done"]


def rowids(db: sqlite3.Connection) -> dict[tuple[str, int], int]:
    query = "select name, e.id, e.rowid from embeddings e join collections c on c.id = collection_id"
    return {(row[0], int(row[1])): row[2] for row in db.execute(query)}


def test_what_a_killed_change_left_is_what_a_clean_one_leaves(
    changing: sqlite3.Connection, tmp_path: Path, now: datetime
) -> None:
    killed_worker(tmp_path / "memory.db", 2)
    index.run(changing, now=now)
    with closing(open_database(tmp_path / "clean.db", now=now)) as clean:
        fill(clean)
        settings.put(clean, "embedding_model", MODEL, now=now)
        index.run(clean, now=now)
        assert embeddings(changing) == embeddings(clean)


def test_going_back_before_it_is_done_leaves_the_old_vectors_and_nothing_else(
    changing: sqlite3.Connection, tmp_path: Path, now: datetime, toy: list[str]
) -> None:
    killed_worker(tmp_path / "memory.db", 1)
    toy.clear()
    settings.put(changing, "embedding_model", BEFORE, now=now)
    index.run(changing, now=now)
    assert toy == [], "everything was still there"
    assert set(semantic.embedded_models(changing)) == {BEFORE}
    later = now + jobs.LEASE + timedelta(minutes=1)
    while jobs.work_once(changing, now=later)["leased"]:
        pass
    assert set(semantic.embedded_models(changing)) == {BEFORE}
    assert embedders.load_embedder(BEFORE).model_id == BEFORE
