"""The index: what gets vectors, that nothing is done twice or lost, and that similar texts are found by meaning."""

import hashlib
import os
import signal
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import llm
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from llm.models import EmbeddingModel
from llm.plugins import load_plugins, pm
from sqlite_utils import Database

from memory_db.errors import ModelError
from memory_db.index import build as index
from memory_db.index import semantic
from memory_db.index import texts as indexable
from memory_db.index.vector_store import Matrix, coded
from memory_db.models import embedders
from memory_db.store import jobs, settings
from memory_db.store.connection import connect
from memory_db.store.schema import open_database
from memory_db.text import static_vectors

MODEL = "word-lengths"
WHEN = "2026-10-01T10:00:00.000Z"

MEMORIES = {
    "The database is PostgreSQL 16 on port 5433": "environment",
    "Never commit straight to main; open a pull request": "convention",
    "The user prefers tabs over spaces": "preference",
}
ENTRIES = [
    ("prompt", 0, "Why does the login page answer with 500 after the upgrade?"),
    ("reply", 0, "The session cookie was signed with the old secret, so decoding failed."),
    ("prompt", 0, "yes"),
    ("thinking", 0, "The user wants the cause of the error, not a workaround."),
    ("summary", 0, "Fixed the login error by rotating the cookie secret."),
    ("document", 0, "Deployment guide: build the image, push it, restart the service."),
    ("tool_call", 0, '{"command": "ls"}'),
    ("tool_result", 0, "README.md src tests"),
    ("tool_result", 0, "ModuleNotFoundError: No module named 'jinja2'"),
    ("prompt", 1, "Search the repository for every use of the cookie secret."),
    ("reply", 1, "The cookie secret is read in settings.py and in auth.py only."),
    ("notice", 0, "The conversation was compacted to save room for more."),
    ("document", 0, "§§§ ☃☃☃ ¤¤¤ ☃☃☃ §§§ ¤¤¤ ☃☃☃"),
]
FAILED_RESULT = 9
ROUNDED = 0.01
"""How far the cosine of vectors of a few numbers, each kept as a byte, may be off."""
STATIC_ENTRIES = {1, 2, 3, 4, 5, 6, 9, 10, 11, 13}
FULL_ENTRIES = {1, 2, 5, 6, 11, 13}


class WordLengths(EmbeddingModel):
    """A toy model: the lengths of the first eight words."""

    model_id = MODEL
    batch_size = 4
    embedded: list[str] = []

    def embed_batch(self, items, key=None):
        for item in items:
            if "unspeakable" in item:
                raise ZeroDivisionError("cannot\nbe said")
            self.embedded.append(item)
            lengths = [float(len(word)) for word in item.split()[:8]]
            yield lengths + [0.0] * (8 - len(lengths))


class Plugin:
    @llm.hookimpl
    def register_embedding_models(self, register):
        register(WordLengths(), aliases=("wl",))


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[str]]:
    """Registers the toy model with llm; gives the texts that it embedded."""
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path / "llm"))
    load_plugins()
    plugin = Plugin()
    pm.register(plugin)
    forget_models()
    WordLengths.embedded.clear()
    yield WordLengths.embedded
    pm.unregister(plugin)
    forget_models()


def forget_models() -> None:
    embedders.loaded.cache_clear()
    semantic.asked_of.cache_clear()


def add_memory(db: sqlite3.Connection, text: str, kind: str = "fix", title: str | None = None) -> int:
    """Adds a memory and gives the id of its current version."""
    db.execute(
        "insert into memories (uid, kind, scope, title, text, tokens, origin, content_hash, valid_from, changed_by,"
        " change_reason, created_at, updated_at) values (?, ?, 'user', ?, ?, 5, 'user', ?, ?, 'test', 'new', ?, ?)",
        [hashlib.md5(text.encode()).hexdigest(), kind, title or text[:30], text, text, WHEN, WHEN, WHEN],
    )
    return current_version(db, text)


def current_version(db: sqlite3.Connection, text: str) -> int:
    row = db.execute("select id from memory_versions where text = ? and recorded_to is null", [text]).fetchone()
    return int(row["id"])


def add_entry(db: sqlite3.Connection, text: str, kind: str = "prompt", sidechain: int = 0) -> int:
    db.execute("insert or ignore into sessions (id, uid, format) values (1, 's', 'claude-code')")
    cursor = db.execute(
        "insert into entries (uid, session_id, role, kind, is_sidechain, text, created_at)"
        " values ('e' || (select count(*) from entries), 1, 'user', ?, ?, ?, ?)",
        [kind, sidechain, text, WHEN],
    )
    return int(cursor.lastrowid or 0)


def fill(db: sqlite3.Connection) -> None:
    for text, kind in MEMORIES.items():
        add_memory(db, text, kind)
    for kind, sidechain, text in ENTRIES:
        add_entry(db, text, kind, sidechain)
    db.execute(
        "insert into actions (uid, entry_id, result_entry_id, session_id, tool, input, is_error, created_at)"
        " values ('a', 7, ?, 1, 'Bash', '{}', 1, ?)",
        [FAILED_RESULT, WHEN],
    )


@pytest.fixture
def filled(db: sqlite3.Connection, now: datetime, toy: list[str]) -> sqlite3.Connection:
    fill(db)
    settings.put(db, "embedding_model", MODEL, now=now)
    return db


def embeddings(db: sqlite3.Connection) -> dict[tuple[str, int], tuple[bytes, bytes]]:
    query = "select name, e.id, embedding, content_hash from embeddings e join collections c on c.id = collection_id"
    return {(row[0], int(row[1])): (row[2], row[3]) for row in db.execute(query)}


def everything(db: sqlite3.Connection) -> list[tuple[object, ...]]:
    tables = ("static_vectors", "embeddings", "collections", "jobs", "settings", "_sqlite_migrations")
    return [(table, *row) for table in tables for row in db.execute(f"select * from {table} order by rowid")]


def embedded_ids(db: sqlite3.Connection, sort: str, model: str = MODEL) -> set[int]:
    return {key for name, key in embeddings(db) if name == f"{sort}/{model}"}


# ------------------------------------------------------------ what is indexed


def test_each_text_worth_it_gets_its_vectors(filled: sqlite3.Connection, now: datetime) -> None:
    counts = index.run(filled, now=now)
    assert counts == {
        "static_memories": 3,
        "static_entries": len(STATIC_ENTRIES),
        "grams_of_memories": 0,
        "grams_of_entries": 0,
        "embedded_memories": 3,
        "embedded_entries": len(FULL_ENTRIES),
        "removed_embeddings": 0,
        "entries_waiting": 0,
        "entities_changed": 1,
        "edges_drawn": 0,
        "edges_ended": 0,
        "procedures_changed": 0,
        "mentions_added": 0,
        "ties_changed": 1,
        "spans": 0,
    }
    static = {
        row["entry_id"]: row["vector"]
        for row in filled.execute("select entry_id, vector from static_vectors where entry_id is not null")
    }
    assert set(static) == STATIC_ENTRIES
    assert static[1] == static_vectors.text_vector(ENTRIES[0][2])
    assert {len(vector) for vector in static.values()} <= {0, 256}
    assert embedded_ids(filled, "entries") == FULL_ENTRIES
    assert embedded_ids(filled, "memories") == {current_version(filled, text) for text in MEMORIES}


def test_a_text_without_a_known_word_gets_an_empty_vector_and_is_not_asked_again(
    db: sqlite3.Connection, now: datetime
) -> None:
    settings.put(db, "embedding_model", "none", now=now)
    add_entry(db, "\u2603")
    unknown = static_vectors.text_vector("\u2603") is None
    assert index.run(db, now=now)["static_entries"] == 1
    stored = db.execute("select vector from static_vectors").fetchone()["vector"]
    assert (stored == b"") is unknown
    assert index.run(db, now=now)["static_entries"] == 0


def test_static_vectors_of_another_model_are_made_again(db: sqlite3.Connection, now: datetime) -> None:
    settings.put(db, "embedding_model", "none", now=now)
    fill(db)
    index.run(db, now=now)
    wanted = everything_static(db)
    db.execute("update static_vectors set model = 'older', vector = x'00' where entry_id = 1")
    assert index.run(db, now=now)["static_entries"] == 1
    assert everything_static(db) == wanted


def everything_static(db: sqlite3.Connection) -> list[tuple[object, ...]]:
    return [tuple(row) for row in db.execute("select * from static_vectors order by id")]


def test_a_memory_is_embedded_with_its_title_unless_its_text_begins_with_it(
    filled: sqlite3.Connection, now: datetime, toy: list[str]
) -> None:
    add_memory(filled, "Set DEBUG to 0 first", title="Running the tests")
    index.run(filled, now=now)
    assert "Running the tests\nSet DEBUG to 0 first" in toy
    assert set(MEMORIES) <= set(toy)


# -------------------------------------------------------- again, later, killed


def test_the_second_run_changes_nothing(filled: sqlite3.Connection, now: datetime, toy: list[str]) -> None:
    index.run(filled, now=now)
    before, changes = everything(filled), filled.total_changes
    toy.clear()
    assert set(index.run(filled, now=now + timedelta(days=1)).values()) == {0}
    assert everything(filled) == before
    assert filled.total_changes == changes
    assert toy == []


def test_what_is_warm_reads_no_vector_at_the_first_question(
    filled: sqlite3.Connection, now: datetime, toy: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    semantic.warm(filled)  # nothing is embedded yet: nothing to load
    index.run(filled, now=now)
    semantic.warm(filled)
    monkeypatch.setattr(semantic, "read_rows", None)
    opened = semantic.open_semantic(filled)
    assert opened is not None
    memories, entries = opened.search("run the tests", [], [], 3)
    assert len(memories) == 3 and len(entries) == 3


def test_only_what_is_new_is_embedded(filled: sqlite3.Connection, now: datetime, toy: list[str]) -> None:
    index.run(filled, now=now)
    toy.clear()
    text = "Where is the deployment guide kept?"
    entry_id = add_entry(filled, text)
    assert index.run(filled, now=now)["embedded_entries"] == 1
    assert toy == [text]
    assert entry_id in embedded_ids(filled, "entries")


def test_the_same_text_is_given_to_the_model_once(filled: sqlite3.Connection, now: datetime, toy: list[str]) -> None:
    text = "Please run the whole test suite again."
    first, second = add_entry(filled, text), add_entry(filled, text)
    index.run(filled, now=now)
    third = add_entry(filled, text)
    index.run(filled, now=now)
    assert toy.count(text) == 1
    stored = embeddings(filled)
    assert stored["entries/word-lengths", first] == stored["entries/word-lengths", second]
    assert stored["entries/word-lengths", first] == stored["entries/word-lengths", third]


def test_a_new_version_replaces_the_old_ones_embedding_and_keeps_its_static_vector(
    filled: sqlite3.Connection, now: datetime
) -> None:
    index.run(filled, now=now)
    old_text = "The user prefers tabs over spaces"
    old = current_version(filled, old_text)
    new_text = "The user prefers four spaces"
    filled.execute("update memories set text = ?, title = ?, updated_at = ? where text = ?",
                   [new_text, new_text, "2026-10-02T00:00:00.000Z", old_text])  # fmt: skip
    counts = index.run(filled, now=now)
    assert (counts["embedded_memories"], counts["removed_embeddings"], counts["static_memories"]) == (1, 1, 1)
    assert old not in embedded_ids(filled, "memories")
    assert current_version(filled, new_text) in embedded_ids(filled, "memories")
    assert filled.execute("select 1 from static_vectors where memory_version_id = ?", [old]).fetchone()


def test_retired_memories_and_deleted_entries_lose_their_embeddings(filled: sqlite3.Connection, now: datetime) -> None:
    index.run(filled, now=now)
    filled.execute("update memories set status = 'retired', updated_at = ? where kind = 'preference'", [WHEN])
    filled.execute("delete from entries where id = 6")
    assert index.run(filled, now=now)["removed_embeddings"] == 2
    assert len(embedded_ids(filled, "memories")) == 2
    assert embedded_ids(filled, "entries") == FULL_ENTRIES - {6}
    assert set(index.run(filled, now=now).values()) == {0}


def test_an_entry_whose_text_changed_is_embedded_again(
    filled: sqlite3.Connection, now: datetime, toy: list[str]
) -> None:
    index.run(filled, now=now)
    toy.clear()
    filled.execute("update entries set text = 'The key was [removed] all the time.' where id = 2")
    assert index.run(filled, now=now)["embedded_entries"] == 1
    assert toy == ["The key was [removed] all the time."]


CHILD = """
import os, signal, sys
sys.path[:0] = {path!r}
from datetime import UTC, datetime
from pathlib import Path
from llm.plugins import pm
import test_index
from memory_db.index import build as index
from memory_db.store.connection import connect
pm.register(test_index.Plugin())
index.FULL_BATCH = index.STATIC_BATCH = 2
calls = 0
def progress(what, done, total):
    global calls
    calls += 1
    if calls == {after}:
        os.kill(os.getpid(), signal.SIGKILL)
index.run(connect(Path({db!r}), write=True), now=datetime(2026, 11, 1, 12, tzinfo=UTC), progress=progress)
"""


@pytest.mark.slow
@pytest.mark.parametrize("after", [1, 4, 8, 10])
def test_after_a_kill_the_same_command_gives_what_one_clean_run_gives(
    tmp_path: Path, now: datetime, toy: list[str], after: int
) -> None:
    stored = []
    for name in ("killed.db", "clean.db"):
        path = tmp_path / name
        db = open_database(path, now=now)
        fill(db)
        settings.put(db, "embedding_model", MODEL, now=now)
        if name == "killed.db":
            script = CHILD.format(path=[str(Path(__file__).parent)], after=after, db=str(path))
            environment = {**os.environ, "LLM_LOAD_PLUGINS": "", "LLM_USER_PATH": str(tmp_path)}
            ended = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, check=False)
            assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()
        index.run(db, now=now)
        static = {tuple(row)[1:] for row in db.execute("select * from static_vectors")}
        jobs_left = [tuple(row) for row in db.execute("select * from jobs")]
        stored.append((embeddings(db), static, jobs_left))
        db.close()
    assert stored[0] == stored[1]
    assert len(stored[0][0]) == len(MEMORIES) + len(FULL_ENTRIES)


# ------------------------------------------------------------ entries as a job


def test_entries_can_wait_for_a_worker(
    filled: sqlite3.Connection, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "PORTION", 4)
    counts = index.run(filled, now=now, entries=False)
    assert (counts["embedded_memories"], counts["embedded_entries"]) == (3, 0)
    assert counts["entries_waiting"] == len(FULL_ENTRIES)
    assert jobs.work_once(filled, now=now)["released"] == 1
    assert len(embedded_ids(filled, "entries")) == 4
    assert jobs.work_once(filled, now=now)["done"] == 1
    assert embedded_ids(filled, "entries") == FULL_ENTRIES
    assert jobs.work_once(filled, now=now)["leased"] == 0
    assert index.run(filled, now=now, entries=False)["entries_waiting"] == 0


def test_a_job_for_a_model_nobody_wants_any_more_ends(filled: sqlite3.Connection, now: datetime) -> None:
    index.run(filled, now=now, entries=False)
    settings.put(filled, "embedding_model", "none", now=now)
    assert jobs.work_once(filled, now=now)["done"] == 1
    assert embedded_ids(filled, "entries") == set()


def test_entries_are_left_out_if_so_set(filled: sqlite3.Connection, now: datetime) -> None:
    settings.put(filled, "embed_entries", "false", now=now)
    counts = index.run(filled, now=now)
    assert (counts["embedded_memories"], counts["embedded_entries"], counts["entries_waiting"]) == (3, 0, 0)
    assert filled.execute("select count(*) from jobs").fetchone()[0] == 0


def test_the_model_none_makes_static_vectors_only(db: sqlite3.Connection, now: datetime) -> None:
    fill(db)
    settings.put(db, "embedding_model", "none", now=now)
    assert index.run(db, now=now)["static_entries"] == len(STATIC_ENTRIES)
    assert not semantic.has_llm_tables(db)
    assert index.open_semantic(db) is None
    assert "turned off" in semantic.find_semantic(db).reason


def test_a_failing_model_is_one_line_and_the_job_keeps_it(filled: sqlite3.Connection, now: datetime) -> None:
    add_entry(filled, "An unspeakable thing happened in production.")
    with pytest.raises(ModelError) as error:
        index.run(filled, now=now)
    assert str(error.value).startswith("Embedding model word-lengths failed: cannot be said.")
    job = filled.execute("select * from jobs").fetchone()
    assert (job["state"], job["attempts"], job["last_error"]) == ("due", 1, str(error.value))
    assert embedded_ids(filled, "memories")


def test_an_unknown_model_is_named_with_what_to_do(filled: sqlite3.Connection, now: datetime) -> None:
    settings.put(filled, "embedding_model", "no-such-model", now=now)
    with pytest.raises(ModelError, match="llm knows no embedding model 'no-such-model'"):
        index.run(filled, now=now)
    assert filled.execute("select count(*) from static_vectors").fetchone()[0] == 3 + len(STATIC_ENTRIES)


def test_progress_is_reported(filled: sqlite3.Connection, now: datetime) -> None:
    found: list[tuple[str, int, int | None]] = []
    index.run(filled, now=now, progress=lambda what, done, total: found.append((what, done, total)))
    assert found == [
        ("static vectors of memories", 3, 3),
        ("static vectors of entries", 10, 10),
        ("embeddings of memories (word-lengths)", 3, 3),
        ("embeddings of entries (word-lengths)", 6, 6),
    ]


# ------------------------------------------------------------- change of model


@pytest.mark.slow
def test_old_vectors_answer_until_the_new_model_is_complete(filled: sqlite3.Connection, now: datetime) -> None:
    index.run(filled, now=now)
    settings.put(filled, "embedding_model", "minilm-int8", now=now)
    opened = semantic.find_semantic(filled)
    assert opened.index is not None and opened.index.model == MODEL
    assert opened.reason == "minilm-int8 is not complete yet"

    index.run(filled, now=now, entries=False)
    assert len(embedded_ids(filled, "memories", "minilm-int8")) == 3
    assert embedded_ids(filled, "entries", MODEL) == FULL_ENTRIES
    assert semantic.embedded_models(filled) == {MODEL: 9, "minilm-int8": 3}
    half_way = index.open_semantic(filled)
    assert half_way is not None and half_way.model == MODEL

    assert jobs.work_once(filled, now=now)["done"] == 1
    assert semantic.embedded_models(filled) == {"minilm-int8": 9}
    assert [row["name"] for row in filled.execute("select name from collections order by name")] == [
        "entries/minilm-int8",
        "memories/minilm-int8",
    ]
    complete = semantic.find_semantic(filled)
    assert complete.index is not None and (complete.index.model, complete.reason) == ("minilm-int8", "")


def test_an_alias_means_its_model(filled: sqlite3.Connection, now: datetime) -> None:
    settings.put(filled, "embedding_model", "wl", now=now)
    index.run(filled, now=now)
    assert semantic.embedded_models(filled) == {MODEL: 9}
    assert set(index.run(filled, now=now).values()) == {0}
    opened = semantic.find_semantic(filled)
    assert opened.index is not None and (opened.index.model, opened.reason) == (MODEL, "")


def test_with_an_unusable_model_wanted_the_old_one_answers(filled: sqlite3.Connection, now: datetime) -> None:
    index.run(filled, now=now)
    settings.put(filled, "embedding_model", "no-such-model", now=now)
    opened = semantic.find_semantic(filled)
    assert opened.index is not None and opened.index.model == MODEL
    assert opened.reason == "no-such-model is not complete yet"


def test_vectors_whose_model_is_gone_do_not_answer(filled: sqlite3.Connection, now: datetime) -> None:
    index.run(filled, now=now)
    filled.execute("update collections set name = replace(name, 'word-lengths', 'gone'), model = 'gone'")
    opened = semantic.find_semantic(filled)
    assert opened.index is None
    assert "llm knows no embedding model 'gone'" in opened.reason


@pytest.mark.slow
def test_collections_of_others_are_left_alone(filled: sqlite3.Connection, now: datetime) -> None:
    index.run(filled, now=now)
    mine = llm.Collection("notes", Database(filled, execute_plugins=False), model_id=MODEL)
    mine.embed("1", "a note of my own", store=True)
    settings.put(filled, "embedding_model", "minilm-int8", now=now)
    index.run(filled, now=now)
    assert {name for name, _ in embeddings(filled)} == {"notes", "memories/minilm-int8", "entries/minilm-int8"}


# --------------------------------------------------------------- llm reads it


def test_llm_finds_the_collections_and_the_most_similar(filled: sqlite3.Connection, now: datetime) -> None:
    index.run(filled, now=now)
    collection = llm.Collection("memories/word-lengths", Database(filled, execute_plugins=False), create=False)
    assert (collection.model_id, collection.count()) == (MODEL, 3)
    best = collection.similar("The user prefers tabs over spaces", number=1)[0]
    assert int(best.id) == current_version(filled, "The user prefers tabs over spaces")
    assert best.score == pytest.approx(1.0)


def test_the_hash_is_llms_own() -> None:
    for text in ("", "plain", "Grüße \U0001f600"):
        assert indexable.hash_of(text) == llm.Collection.content_hash(text)


# ------------------------------------------------------------------- searching


def test_search_gives_the_ids_asked_for_and_the_nearest(filled: sqlite3.Connection, now: datetime) -> None:
    index.run(filled, now=now)
    opened = index.open_semantic(filled)
    assert opened is not None
    text = "The user prefers tabs over spaces"
    version = current_version(filled, text)
    memories, entries = opened.search(text, [], [3, 2, 99, 6], nearest=1)
    assert list(memories) == [version]
    assert memories[version] == pytest.approx(1.0, abs=ROUNDED)
    assert {2, 6} < set(entries) and len(entries) <= 3
    memories, entries = opened.search(text, [version, -1], [], nearest=0)
    assert (set(memories), entries) == ({version}, {})
    memories, entries = opened.search(text, [], [], nearest=10_000)
    assert (len(memories), set(entries)) == (3, FULL_ENTRIES)


@pytest.mark.slow
def test_meaning_is_found_without_a_word_in_common(db: sqlite3.Connection, now: datetime) -> None:
    for text in MEMORIES:
        add_memory(db, text)
    index.run(db, now=now)
    opened = index.open_semantic(db)
    assert opened is not None and opened.model == "minilm-int8"
    memories, entries = opened.search("which sql server do we run", [], [], nearest=3)
    best = max(memories, key=memories.__getitem__)
    assert best == current_version(db, "The database is PostgreSQL 16 on port 5433")
    assert entries == {}


def test_search_sees_new_rows_and_rows_changed_by_another_process(
    filled: sqlite3.Connection, db_path: Path, now: datetime
) -> None:
    index.run(filled, now=now)
    reader = connect(db_path)
    opened = index.open_semantic(reader)
    assert opened is not None
    text = "A wholly new question about indexing"
    assert len(opened.search(text, [], [], nearest=100)[1]) == len(FULL_ENTRIES)
    entry_id = add_entry(filled, text)
    index.run(filled, now=now)
    assert opened.search(text, [], [], nearest=1)[1] == {entry_id: pytest.approx(1.0, abs=ROUNDED)}
    filled.execute("update entries set text = 'x xx xxx xxxx xxxxx xxxxxx xxxxxxx' where id = ?", [entry_id])
    index.run(filled, now=now)
    assert opened.search(text, [], [entry_id], nearest=0)[1][entry_id] < 0.999
    filled.execute("delete from entries where id = ?", [entry_id])
    index.run(filled, now=now)
    assert entry_id not in opened.search(text, [], [entry_id], nearest=100)[1]
    reader.close()


def test_unchanged_rows_are_not_read_again(filled: sqlite3.Connection, now: datetime) -> None:
    index.run(filled, now=now)
    opened = index.open_semantic(filled)
    assert opened is not None
    opened.search("anything", [], [], nearest=1)
    statements: list[str] = []
    filled.set_trace_callback(statements.append)
    opened.search("anything", [], [], nearest=1)
    filled.set_trace_callback(None)
    assert statements == ["pragma data_version"]


def test_vectors_of_another_length_are_left_out(filled: sqlite3.Connection, now: datetime) -> None:
    index.run(filled, now=now)
    filled.execute("update embeddings set embedding = x'0000803f' where id = '6'")
    opened = index.open_semantic(filled)
    assert opened is not None
    assert set(opened.search("anything at all", [], [], nearest=100)[1]) == FULL_ENTRIES - {6}


def test_there_is_no_index_before_anything_is_embedded(db: sqlite3.Connection) -> None:
    opened = semantic.find_semantic(db)
    assert opened.index is None
    assert opened.reason == "nothing is embedded with minilm-int8 yet; run `memory-db run --only index`"


@hypothesis_settings(max_examples=60)
@given(
    ids=st.lists(st.integers(1, 10**9), min_size=1, max_size=40, unique=True),
    asked=st.lists(st.integers(1, 60), max_size=10),
    nearest=st.integers(0, 50),
    seed=st.integers(0, 1000),
)
def test_cosines_are_those_asked_for_and_the_best(ids: list[int], asked: list[int], nearest: int, seed: int) -> None:
    rows = np.random.default_rng(seed).normal(size=(len(ids), 5)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    matrix = Matrix().add([(np.array(ids, dtype=np.int64), *coded(rows))])
    asked += ids[::3]
    vector = rows[0]
    exact = {key: float(np.dot(row, vector)) for key, row in zip(ids, rows, strict=True)}
    found = matrix.cosines(vector, asked, nearest)
    assert found == {key: pytest.approx(exact[key], abs=ROUNDED) for key in found}
    assert set(asked) & set(ids) <= set(found)
    best = sorted(exact.values(), reverse=True)[:nearest]
    assert sorted(found.values(), reverse=True)[: len(best)] == pytest.approx(best, abs=ROUNDED)
    assert set(found) <= set(ids)


# ------------------------------------------------------------------- start-up


def test_importing_the_index_loads_no_model_runtime() -> None:
    script = "import sys, memory_db.index; print([m for m in ('llm', 'onnxruntime', 'tokenizers') if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_a_stored_vector_is_little_endian_float32(filled: sqlite3.Connection, now: datetime) -> None:
    index.run(filled, now=now)
    blob = embeddings(filled)["entries/word-lengths", 1][0]
    words: Callable[[str], list[float]] = lambda text: [float(len(word)) for word in text.split()[:8]]  # noqa: E731
    assert list(struct.unpack("<8f", blob)) == words(ENTRIES[0][2])
