"""The file in the hands of sqlite-utils and llm: their search finds our rows, and shows ids that we read back."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from llm.cli import cli as llm_cli
from sqlite_utils import Database
from sqlite_utils.cli import cli as sqlite_utils_cli

from memory_db.cli import cli
from memory_db.index import build as index
from memory_db.knowledge import memories
from memory_db.sample.fakes import FAKE_SECRETS
from memory_db.store.schema import open_database
from memory_db.upkeep.check import check
from memory_db.upkeep.scan import scan

MODEL = "minilm-int8"


def said(command: object, *words: str) -> list[dict[str, object]]:
    """The rows that a command of another program prints as JSON."""
    done = CliRunner().invoke(command, words)  # type: ignore[arg-type]
    assert done.exit_code == 0, done.output
    text = done.output.strip()
    return json.loads(text) if text.startswith("[") else [json.loads(line) for line in text.splitlines()]


def test_sqlite_utils_searches_entries_and_memories(sample_path: Path) -> None:
    for table in ("entries", "memories"):
        found = said(sqlite_utils_cli, "search", str(sample_path), table, "alembic")
        assert found and all("alembic" in json.dumps(row).lower() for row in found)


NAMES = ("heron", "gannet", "plover", "dunlin")
COLUMNS = ("text", "title", "keys", "status", "delete")
CHANGES = st.lists(st.tuples(st.sampled_from(COLUMNS), st.integers(1, 3), st.sampled_from(NAMES)))


@pytest.fixture(scope="module")
def three_memories(empty_file: Path) -> str:
    """The table of memories and its full text, with three rows, as a script."""
    with closing(sqlite3.connect(f"file:{empty_file}?mode=ro", uri=True)) as db:
        made = [row[0] for row in db.execute("select sql from sqlite_master where tbl_name like 'memor%'")]
    starts = ("CREATE TABLE memories", "CREATE VIRTUAL TABLE memory_now_fts", "CREATE TRIGGER memory_now")
    ours = [sql for sql in made if sql and sql.startswith(starts)]
    values = "'m' || value, 'fix', 'user', 'start', 'start', 1, 'user', '', '', '', '', '', ''"
    columns = "uid, kind, scope, title, text, tokens, origin, content_hash, valid_from, changed_by, change_reason"
    rows = f"insert into memories ({columns}, created_at, updated_at) select {values} from json_each('[1, 2, 3]')"
    return ";\n".join([*ours, rows])


@given(changes=CHANGES)
@pytest.mark.slow
def test_what_sqlite_utils_finds_is_what_memories_say_now(
    three_memories: str, changes: list[tuple[str, int, str]]
) -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(three_memories)
        for what, number, word in changes:
            if what == "delete":
                db.execute("delete from memories where id = ?", [number])
            else:
                value = {"keys": f'["{word}"]', "status": "retired"}.get(what, word)
                db.execute(f"update memories set {what} = ? where id = ?", [value, number])
        for word in (*NAMES, "start"):
            found = {row["id"] for row in Database(db, execute_plugins=False)["memories"].search(word)}
            there = db.execute("select id from memories where instr(title || ' ' || text || ' ' || keys, ?)", [word])
            assert found == {row[0] for row in there}


def test_llm_shows_words_and_an_id_that_is_read_back(sample_path: Path, home: Path) -> None:
    for sort in ("memories", "entries"):
        collection = f"{sort}/{MODEL}"
        first = said(llm_cli, "similar", collection, "-d", str(sample_path), "-c", "run the migrations", "-n", "1")[0]
        assert isinstance(first["metadata"], dict)
        read = CliRunner().invoke(cli, ["memory", "get", str(first["metadata"]["uid"]), "-d", str(sample_path)])
        assert read.exit_code == 0 and str(first["content"]).splitlines()[0] in read.output


def test_what_a_scan_takes_out_is_not_left_where_llm_shows_it(db_path: Path, now: datetime) -> None:
    key = FAKE_SECRETS["github"]
    with closing(open_database(db_path, now=now)) as db:
        memories.add_memory(db, text="Deploys are green at night.", kind="decision", scope="user", now=now)
        index.run(db, now=now)
        shown = "select content from embeddings"
        assert db.execute(shown).fetchone()[0] == "Deploys are green at night."
        for table in ("memories", "memory_versions"):
            db.execute(f"update {table} set text = ?, title = 'Deploys'", [f"Deploys use {key}"])
        db.execute("update embeddings set content = ?", [f"Deploys use {key}"])
        db.execute("delete from scan_progress")
        db.commit()
        scan(db, now=now)
        assert all(row[0] is None for row in db.execute(shown))
        index.run(db, now=now)
        assert all(key not in row[0] for row in db.execute(shown))
        before = db.execute("select rowid, * from embeddings").fetchall()
        index.run(db, now=now)
        assert list(map(tuple, db.execute("select rowid, * from embeddings"))) == list(map(tuple, before))
        assert check(db) == []
