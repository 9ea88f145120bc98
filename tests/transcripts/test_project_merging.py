"""A project's name means one project: told apart when made, asked for where it says too little, joined by a person."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from memory_db.cli import cli
from memory_db.errors import InputError, NotFoundError
from memory_db.knowledge.memories import add_memory
from memory_db.store.connection import connect
from memory_db.store.schema import open_database
from memory_db.transcripts.importer import import_text
from memory_db.transcripts.project_merge import SAME_TWICE, columns_of_projects, merge_projects
from memory_db.transcripts.projects import find_project, make_project, project_named, resolve_project, settle_paths
from memory_db.upkeep.check import check
from tests.support.command import printed

RULE = "Ports are listed in the file ports.txt of this project."


def refused(db_path: Path, *words: str) -> str:
    """What a command says that ends with 1."""
    done = CliRunner().invoke(cli, [*words, "-d", str(db_path)])
    assert done.exit_code == 1, done.output
    return done.output


def names(db: sqlite3.Connection) -> list[str]:
    """The names of all projects."""
    return [row["name"] for row in db.execute("select name from projects order by id")]


@pytest.fixture
def twins(db: sqlite3.Connection, now: datetime) -> tuple[int, int]:
    """Two projects of one name, as files made before have them, each with a memory."""
    one, two = (make_project(db, f"/home/sam/{folder}/tern", None, now) for folder in ("old", "new"))
    db.execute("update projects set name = 'tern'")
    for project_id, text in ((one, RULE), (two, "Releases are made on Tuesdays.")):
        add_memory(db, text=text, kind="convention", scope="project", project_id=project_id, now=now)
    return one, two


# ---------------------------------------------------------------- one name, one project


def test_a_text_goes_into_the_project_of_that_name(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    tern = resolve_project(db, "/home/sam/tern", now=now)
    add_memory(db, text=RULE, kind="convention", scope="project", project_id=tern, now=now)
    note = db_path.parent / "note.md"
    note.write_text("# Ports\n\nThe database listens on port 5433.\n")
    for expected in ("tern", "TERN", "/home/sam/tern"):
        printed(db_path, "import", "text", str(note), "--project", expected)
    assert names(db) == ["tern"]
    assert [row["project_id"] for row in db.execute("select project_id from sessions")] == [tern]
    assert "tern has 1 memory" in printed(db_path, "memory", "portrait", "tern", "--dry-run")
    assert "ports.txt" in printed(db_path, "recall", "ports", "--project", "tern")


def test_a_name_that_is_no_project_makes_none(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    resolve_project(db, "/home/sam/tern", now=now)
    note = db_path.parent / "note.md"
    note.write_text("# Ports\n\nThe database listens on port 5433.\n")
    assert "There are: tern" in refused(db_path, "import", "text", str(note), "--project", "term")
    with pytest.raises(NotFoundError, match="its folder"):
        import_text(db, [note], now=now, project="term")
    assert names(db) == ["tern"]
    import_text(db, [note], now=now, project="/home/sam/gull")  # a folder, though not of this disk
    assert names(db) == ["tern", "gull"]


def test_two_folders_of_one_name_are_told_apart(db: sqlite3.Connection, now: datetime) -> None:
    paths = ["/home/sam/work/api", "/home/sam/play/api", "/home/eva/play/API", "C:\\work\\api", "/api"]
    ids = [resolve_project(db, path, now=now) for path in paths]
    found = names(db)
    assert found[:3] == ["api", "play/api", "eva/play/API"]
    assert len({name.lower() for name in found}) == len(paths) == len(set(ids))
    assert [find_project(db, name) for name in found] == ids
    assert check(db) == []


def test_a_project_that_moves_takes_no_name_of_another(db: sqlite3.Connection, now: datetime) -> None:
    resolve_project(db, "/home/sam/new/tern", now=now)
    moving = resolve_project(db, "/home/sam/gull", "https://host/sam/gull", now=now)
    run_in = "/home/sam/old/tern"
    assert resolve_project(db, run_in, "https://host/sam/gull", now=now) == moving
    db.execute("insert into sessions (id, uid, format, project_id, cwd) values (1, 's', 'x', ?, ?)", [moving, run_in])
    db.execute("insert into entries (id, uid, session_id, role, kind, text, created_at) values (1, 'e', 1, 'user',"
               " 'prompt', 'x', '2026-10-01T10:00:00.000Z')")  # fmt: skip
    db.execute("insert into session_entries values (1, 1, 1)")
    assert settle_paths(db) == 1
    assert names(db) == ["tern", "old/tern"]


def test_a_name_that_two_projects_share_is_asked_for(
    db: sqlite3.Connection, db_path: Path, twins: tuple[int, int]
) -> None:
    with pytest.raises(InputError, match="2 projects are meant by 'tern': tern at /home/sam/old/tern, tern at"):
        project_named(db, "tern")
    assert project_named(db, "/home/sam/new/tern") == twins[1]
    for words in (
        ("recall", "ports", "--project", "tern"), ("brief", "ports", "--project", "tern"),
        ("memory", "portrait", "tern"), ("add", "x is y", "--project", "tern"), ("cost", "--project", "tern"),
        ("memory", "forget", "--project", "tern", "--yes"), ("export", "--project", "tern"),
        ("project", "link", "tern", "/home/sam/new/tern"),
    ):  # fmt: skip
        said = refused(db_path, *words)
        assert "/home/sam/old/tern" in said and "project merge" in said, words
    assert "share the name tern" in refused(db_path, "cost", "--project", "/home/sam/old/tern")


def test_check_finds_projects_of_one_name(db: sqlite3.Connection, twins: tuple[int, int]) -> None:
    (finding,) = check(db)
    assert finding.what == "a project's name is its own" and finding.where == "project tern"
    assert "/home/sam/new/tern" in finding.detail and "memory-db project merge" in finding.detail


# ---------------------------------------------------------------- joining


@pytest.mark.slow
def test_merging_by_the_command(db: sqlite3.Connection, db_path: Path, twins: tuple[int, int]) -> None:
    words = ("project", "merge", "/home/sam/old/tern", "/home/sam/new/tern")
    said = printed(db_path, *words, "--dry-run")
    assert "memories: 1" in said and "not kept: dry run" in said
    assert len(names(db)) == 2
    data = json.loads(printed(db_path, *words, "--json"))
    assert data["rows"]["memories"] == 1 and data["dry_run"] is False
    assert names(db) == ["tern"] and check(db) == []
    assert project_named(db, "/home/sam/new/tern") == project_named(db, "tern") == twins[0]
    shown = printed(db_path, "recall", "ports releases", "--project", "tern")
    assert "ports.txt" in shown and "Tuesdays" in shown
    audit = db.execute("select * from audit_log").fetchall()
    assert [(row["actor"], row["action"], row["outcome"]) for row in audit] == [("user", "projects merge", "done")]
    assert "/home/sam/new/tern" in audit[0]["target"] and "memories 1" in audit[0]["said"]
    assert "merged into itself" in refused(db_path, "project", "merge", "tern", "/home/sam/new/tern")
    assert "No project" in refused(db_path, "project", "merge", "tern", "gull")


def test_the_word_in_the_singular_will_do(db: sqlite3.Connection, db_path: Path, twins: tuple[int, int]) -> None:
    printed(db_path, "project", "merge", "/home/sam/old/tern", "/home/sam/new/tern")
    assert names(db) == ["tern"]


def test_a_project_that_moved_without_a_remote(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    old = resolve_project(db, "/gone/tern", now=now)
    here = db_path.parent / "tern"
    here.mkdir()
    new = resolve_project(db, str(here), now=now)
    assert new != old
    printed(db_path, "project", "merge", "/gone/tern", str(here))
    assert resolve_project(db, str(here), now=now) == resolve_project(db, str(here / "sub"), now=now) == old
    reasons = dict(db.execute("select path, reason from project_aliases").fetchall())
    assert reasons[str(here)] == "moved"


def test_merging_adds_no_version_and_keeps_history(
    db: sqlite3.Connection, twins: tuple[int, int], now: datetime
) -> None:
    before = [tuple(row) for row in db.execute("select memory_id, version, text from memory_versions order by id")]
    merge_projects(db, *twins)
    after = [tuple(row) for row in db.execute("select memory_id, version, text from memory_versions order by id")]
    assert before == after


def test_a_portrait_is_no_obstacle(db: sqlite3.Connection, twins: tuple[int, int], now: datetime) -> None:
    db.execute(
        "insert into portraits (kind, project_id, text, tokens, created_by, created_at)"
        " values ('playbook', ?, 'tern: ports.txt', 5, 'user', 'then')",
        [twins[1]],
    )
    merge_projects(db, *twins)
    assert [row["project_id"] for row in db.execute("select project_id from portraits")] == [twins[0]]


# ---------------------------------------------------------------- no table is forgotten


def naming_projects(db: sqlite3.Connection) -> set[tuple[str, str]]:
    """Columns that name a project, as the definitions of all tables say it."""
    tables = [row["name"] for row in db.execute("select name from sqlite_master where type = 'table'")]
    by_key = {(t, r["from"]) for t in tables for r in db.execute(f"pragma foreign_key_list([{t}])")
              if r["table"] == "projects"}  # fmt: skip
    by_name = {(t, r["name"]) for t in tables for r in db.execute(f"pragma table_info([{t}])")
               if "project" in r["name"]}  # fmt: skip
    return by_key | by_name


def fill(db: sqlite3.Connection, table: str, column: str, project_id: int, other: int) -> None:
    """Adds a row of a table that names a project; what else must be there is made up."""
    values: dict[str, object] = {}
    for number, row in enumerate(db.execute(f"pragma table_info([{table}])").fetchall()):
        if row["pk"] == 1 and row["type"] == "INTEGER" and row["name"] == "id":
            continue
        if row["notnull"] or row["pk"]:
            made_up = f"{table} {project_id} {number}"
            values[row["name"]] = {"INTEGER": 7_000 + project_id, "REAL": 0.5, "BLOB": b""}.get(row["type"], made_up)
    if table == "project_links":
        values |= {"project_id": other, "linked_project_id": other}
    values[column] = project_id
    marks = ", ".join("?" * len(values))
    db.execute(f"insert into {table} ({', '.join(values)}) values ({marks})", list(values.values()))


def test_every_row_of_every_table_goes_along(sample_path: Path, tmp_path: Path, now: datetime) -> None:
    copy = Path(shutil.copy(sample_path, tmp_path / "copy.db"))
    with closing(connect(copy, write=True)) as db:
        into, gone, other = (make_project(db, f"/x/{name}", None, now) for name in ("into", "gone", "other"))
        db.executescript("pragma foreign_keys = off; pragma ignore_check_constraints = on")
        for (trigger,) in db.execute("select name from sqlite_master where type = 'trigger'").fetchall():
            db.execute(f"drop trigger {trigger}")  # they ask for what is made up here
        wanted = naming_projects(db) - {("projects", "id")}
        assert set(columns_of_projects(db)) == wanted
        for table, column in sorted(wanted):
            fill(db, table, column, gone, other)
        before = {table: db.execute(f"select count(*) from {table}").fetchone()[0] for table, _ in wanted}
        counts = merge_projects(db, into, gone)
        for table, column in wanted:
            named = f"select count(*) from {table} where {column} = ?"
            assert db.execute(named, [gone]).fetchone()[0] == 0, f"{table}.{column} was forgotten"
            assert db.execute(named, [into]).fetchone()[0] > 0, f"{table}.{column} did not go along"
            assert counts[table] > 0
        after = {table: db.execute(f"select count(*) from {table}").fetchone()[0] for table, _ in wanted}
        assert {table for table in after if after[table] != before[table]} == {"project_aliases"}  # one for its folder


def test_only_rows_that_would_say_the_same_twice_may_go(db: sqlite3.Connection) -> None:
    can_clash = {
        table
        for table, column in columns_of_projects(db)
        for index in db.execute(f"pragma index_list([{table}])").fetchall()
        if index["unique"] and column in {row["name"] for row in db.execute(f"pragma index_info([{index['name']}])")}
    }
    # A key of its own, an integer, has no index that is listed.
    can_clash |= {
        table
        for table, column in columns_of_projects(db)
        if any(row["name"] == column and row["pk"] for row in db.execute(f"pragma table_info([{table}])"))
    }
    assert can_clash == SAME_TWICE, "Say in merge_projects what becomes of two rows of such a table."


def test_what_both_have_is_kept_once(db: sqlite3.Connection, twins: tuple[int, int], now: datetime) -> None:
    one, two = twins
    third = make_project(db, "/home/sam/gull", None, now)
    db.executemany("insert into project_links values (?, ?, 'user', 'then')", [(one, third), (two, third), (one, two)])
    db.executemany(
        "insert into instruction_files (project_id, path, tokens, content_hash, seen_at)"
        " values (?, 'p', 1, 'h', 'then')",
        [[one], [two]],
    )
    merge_projects(db, one, two)
    assert [tuple(row)[:2] for row in db.execute("select * from project_links")] == [(one, third)]
    assert [row["project_id"] for row in db.execute("select project_id from instruction_files")] == [one]


@pytest.mark.slow
def test_an_old_file_with_such_a_pair_is_mended(tmp_path: Path, now: datetime) -> None:
    path = tmp_path / "memory.db"
    with closing(open_database(path, now=now)) as db:
        tern = make_project(db, "/home/sam/tern", None, now)
        add_memory(db, text=RULE, kind="convention", scope="project", project_id=tern, now=now)
        db.execute("insert into projects (name, canonical_path, created_at) values ('tern', 'tern', 'then')")
    assert "2 projects are meant by 'tern'" in refused(path, "recall", "ports", "--project", "tern")
    # The path of the second is a name of both; beside the first it can only mean the second.
    printed(path, "project", "merge", "/home/sam/tern", "tern")
    with closing(connect(path)) as db:
        assert names(db) == ["tern"] and check(db) == []
        assert project_named(db, "tern") == tern
