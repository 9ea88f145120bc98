"""Files of every earlier schema, made by the code of their time, become files of today."""

from __future__ import annotations

import gzip
import hashlib
import multiprocessing
import os
import re
import signal
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database

from memory_db.store import schema as keeping
from memory_db.store.connection import SCHEMA_VERSION, identity, open_raw
from memory_db.store.migrations import migrations, statements_in
from memory_db.store.schema import in_step, open_database
from tests.conftest import NOW

FILES = sorted(Path(__file__).parents[1].joinpath("data", "schemas").glob("*.db.gz"))
"""Named after their schema and the commit whose code made them; "carried" ones were migrated by that of several."""

Shape = dict[str, frozenset[str]]

DERIVED = {"signature_blocks", "schema_objects", "_sqlite_migrations"}
"""Tables whose rows are made again, or are about the schema itself."""


@pytest.fixture
def old_path(request: pytest.FixtureRequest, db_path: Path) -> Path:
    """A file of an earlier time, unpacked."""
    db_path.write_bytes(gzip.decompress(request.param.read_bytes()))
    return db_path


every_file = pytest.mark.parametrize("old_path", FILES, indirect=True, ids=[file.name for file in FILES])


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> Shape:
    """The shape of a file that is made today."""
    with closing(open_database(tmp_path_factory.mktemp("new") / "new.db", now=NOW)) as new:
        return shape(new)


def shape(db: sqlite3.Connection) -> Shape:
    """Our tables and indexes, each with what its definition says, in no order: an added column stands last."""
    found: Shape = {}
    for name, sql in db.execute(
        "select name, sql from sqlite_master where type in ('table', 'index') and sql is not null and name not like"
        " '%@_fts@_%' escape '@' and name not like '@_sqlite%' escape '@' and name not like 'sqlite@_%' escape '@'"
    ):
        head, _, body = re.sub(r"\s+", " ", sql).replace('"', "").partition("(")
        body, _, tail = body.rpartition(")")
        found[name] = frozenset({head.strip().lower() + tail, *(part.strip() for part in parts(body))})
    return found


def parts(body: str) -> list[str]:
    """A definition cut at the commas that stand in no brackets."""
    depth, cut = 0, [""]
    for sign in body:
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0:
            cut.append("")
        else:
            cut[-1] += sign
    return cut


def rows(path: Path) -> dict[str, list[dict[str, object]]]:
    """Every row of every table but those that are derived or belong to the full text."""
    with closing(open_raw(path, write=False)) as db:
        tables = [name for (name,) in db.execute("select name from sqlite_master where type = 'table'")]
        return {
            table: [dict(row) for row in db.execute(f"select * from {table}")]
            for table in tables
            if table not in DERIVED and not re.search("_fts|_words$|^sqlite_", table)
        }


def lost(before: dict[str, list[dict[str, object]]], after: dict[str, list[dict[str, object]]]) -> list[str]:
    """Cells that a file no longer has."""
    cells = {table: [set(map(str, row.items())) for row in there] for table, there in after.items()}
    return [
        f"{table}: {row}"
        for table, there in before.items()
        for row in there
        if not any({str(item) for item in row.items() if item[1] is not None} <= now for now in cells.get(table, []))
    ]


@every_file
@pytest.mark.slow
def test_a_file_of_an_earlier_time_becomes_one_of_today(old_path: Path, wanted: Shape, now: datetime) -> None:
    before = rows(old_path)
    with closing(open_database(old_path, now=now)) as db:
        assert identity(db)[1] == SCHEMA_VERSION and in_step(db)
        assert shape(db) == wanted
        assert [row[0] for row in db.execute("pragma integrity_check")] == ["ok"]
        assert db.execute("pragma foreign_key_check").fetchall() == []
        for (view,) in db.execute("select name from sqlite_master where type = 'view'").fetchall():
            db.execute(f"select * from {view} limit 1").fetchall()
        words = "select count(*) from memory_fts where memory_fts match 'pytest OR 5433'"
        assert db.execute(words).fetchone()[0] == len(before.get("memory_versions", ()))
        words = "select count(*) from entry_fts where entry_fts match 'database'"
        assert db.execute(words).fetchone()[0] == len(before["entries"])
    assert lost(before, rows(old_path)) == []
    written = old_path.read_bytes()
    open_database(old_path, now=now).close()
    assert old_path.read_bytes() == written


# ---------------------------------------------------------------- killed


KILL_AT = (1, 40, 90, 160, 250, 400, 700)
"""Before which statement a process is killed, one after the other on the same file; the last ones finish."""


def open_until(path: Path, now: datetime, statement: int) -> None:
    """Opens a file, and is killed before the statement of that number."""
    begun = 0

    def count(sql: str) -> None:
        nonlocal begun
        begun += 1
        if begun == statement:
            os.kill(os.getpid(), signal.SIGKILL)

    def traced(*args: Any, **options: Any) -> sqlite3.Connection:
        connection = open_raw(*args, **options)
        connection.set_trace_callback(count)
        return connection

    keeping.open_raw = traced  # only in the process that is killed
    open_database(path, now=now).close()


ONE_OF_EACH = [
    next(file for file in FILES if file.name.startswith(f"{number:02}-")) for number in range(1, SCHEMA_VERSION)
]


@pytest.mark.slow
@pytest.mark.parametrize("old_path", ONE_OF_EACH, indirect=True, ids=[file.name for file in ONE_OF_EACH])
def test_a_migration_that_is_killed_is_made_whole_by_the_next(old_path: Path, wanted: Shape, now: datetime) -> None:
    with closing(open_raw(old_path, write=False)) as db:
        version, earlier = identity(db)[1], shape(db)
    before = rows(old_path)
    ends = []
    for statement in KILL_AT:
        process = multiprocessing.get_context("fork").Process(target=open_until, args=(old_path, now, statement))
        process.start()
        process.join()
        ends.append(process.exitcode)
        with closing(open_raw(old_path, write=False)) as db:
            state = identity(db)[1], shape(db)
        # A file of the newest schema is brought into shape together with its views.
        assert state in [(version, earlier), (SCHEMA_VERSION, wanted)]
        assert lost(before, rows(old_path)) == []
    assert ends[0] == -signal.SIGKILL
    with closing(open_database(old_path, now=now)) as db:
        assert in_step(db) and shape(db) == wanted
        assert [row[0] for row in db.execute("pragma integrity_check")] == ["ok"]
    assert lost(before, rows(old_path)) == []
    if version < SCHEMA_VERSION:
        copy = old_path.with_name(f"{old_path.name}.before-schema-{SCHEMA_VERSION}-from-{version}")
        assert rows(copy) == before
    assert not list(old_path.parent.glob("*.partial"))


# ---------------------------------------------------------------- frozen


class Listening(sqlite3.Connection):
    """A connection that keeps what it is told."""

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        self.__dict__.setdefault("statements", []).append(sql)
        return super().execute(sql, *values)


FROZEN = {
    "m001_sources": "ebc4551ae03c47e1dbd4f72a707aa1e24ffcb6a9ab396ffdead28f5b1db377a6",
    "m002_knowledge": "ae6ea8d55081bdc92cbbaa263a1710574bfa70cab591ab86f175df6924349a35",
    "m003_recall": "9e8a39ea2ecd89c65775c5f966f1ea0fce0038972a5d3892e531d17560a13a12",
    "m004_running": "ec18b993ce90d663bbf17592e9eac81e4bbd7eb8cdf37ea4721881f70730f424",
    "m005_full_text": "793af3594c771f02ee27cf56682f3e5c36bb4782a31575b5c809a46c000219a5",
    "m006_signatures": "a701c836ba9a5aa6453a80fc556ac789c90d90259bb35d1c11b85b5f8ba4624c",
    "m007_conditions_edges_words": "5b58d89b8e0d36ec6a2f4db50cbf108a2deeac66b1fa58ccece19fea77d4c583",
    "m008_gate_beliefs_graph": "1dda5e445e65e16450bb846171c4a3030be439744664241dbaf3409f92805e2e",
    "m009_agents_life": "cd9baf1bda99fd8371b35c9975fbff6aa62982bbcd56184aa3916ebc8ef40f38",
    "m010_workbench": "c6f1b3011f67a99e81df9eab6365c6a6d86b3c633e11d6c2942b88852cb789fb",
    "m011_skipped_records": "738ca761776f80a60239151a7bb6e889864bd99f0f99819d9c96873b1a2258c0",
    "m012_procedures_pairs_bits": "e1d5ffa535659e43290d8c7b2cada778d7a8ee69e2c36fd06f895414d43f6323",
}
"""What each migration executes, as a hash. A new migration adds a line once it is released; no line ever changes."""


def executed() -> dict[str, str]:
    """A hash of the SQL that each migration executes, by the migration's name."""
    hashes = {}
    with closing(sqlite3.connect(":memory:", factory=Listening)) as db:
        for migration in migrations.pending(Database(db, execute_plugins=False)):
            db.__dict__["statements"] = []
            migration.fn(Database(db, execute_plugins=False))
            hashes[migration.name] = hashlib.sha256("\n\n".join(db.__dict__["statements"]).encode()).hexdigest()
    return hashes


def test_released_migrations_never_change() -> None:
    now = executed()
    changed = [name for name, expected in FROZEN.items() if now.get(name) != expected]
    assert not changed, (
        f"The text of {', '.join(changed)} was changed, and files that have it applied would never get the change."
        " Put the text back and write a new file in memory_db/store/migrations/."
    )
    assert list(now)[: len(FROZEN)] == list(FROZEN), "A new migration goes behind all others: they apply in order."


def test_a_file_of_sql_is_recorded_under_its_own_name_and_runs_as_it_is_written() -> None:
    folder = Path(keeping.__file__).parent / "migrations"
    scripts = sorted(folder.glob("*.sql"))
    assert list(executed()) == [f"m{script.stem}" for script in scripts]
    assert [int(script.stem[:3]) for script in scripts] == list(range(1, SCHEMA_VERSION + 1))
    for script in scripts:
        text = script.read_text("utf-8")
        assert re.match(r"-- \S.*\.\n\n\S", text) and text.endswith(";\n"), script.name
        statements = statements_in(text)
        assert all(sqlite3.complete_statement(sql + ";") for sql in statements), script.name


def test_every_schema_before_this_one_has_a_file() -> None:
    there = {int(file.name[:2]) for file in FILES}
    missing = set(range(1, SCHEMA_VERSION)) - there
    assert not missing, (
        f"No file of schema {missing}. Make one with the code of the last commit that had it as its newest"
        " (tests/data/schemas/make.py says how), and add the hash of its migration to FROZEN."
    )
