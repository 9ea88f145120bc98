"""The doctor on files in every state: it names what is wrong and never fails itself."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import memory_db
from memory_db.agents.claude_code.install import InstallTarget, install, plan_install
from memory_db.agents.claude_code.plugin import Places
from memory_db.extras import EXTRAS
from memory_db.hooks.command_rules import add_rule
from memory_db.hooks.pauses import pause
from memory_db.index import build as index
from memory_db.knowledge.locks import lock
from memory_db.knowledge.memories import add_memory
from memory_db.knowledge.retire import retire
from memory_db.recall.brief import select as brief
from memory_db.recall.search import Question
from memory_db.sample import file as samples
from memory_db.store import settings
from memory_db.store.connection import SCHEMA_VERSION, connect, explain
from memory_db.store.dates import utc_text
from memory_db.store.schema import open_database
from memory_db.text.sizes import size
from memory_db.transcripts.projects import resolve_project
from memory_db.transcripts.sources import UNFINISHED
from memory_db.upkeep import pipeline
from memory_db.upkeep.doctor import EXAMINATIONS, Report, doctor
from memory_db.upkeep.doctor_report import failure_of


def lines(report: Report, level: str) -> list[str]:
    return [f"{line.what} -> {line.fix}" for line in report.lines if line.level == level]


def has(report: Report, level: str, *words: str) -> bool:
    return any(all(word in line for word in words) for line in lines(report, level))


def examine(path: Path, now: datetime, transcripts: Sequence[Path] = ()) -> Report:
    report = doctor(path, now=now, transcripts=transcripts)
    for line in report.lines:
        assert line.what and "\n" not in line.what and "Traceback" not in line.what
        assert line.fix or line.level == "fine" or line.what.startswith("The file was migrated")
    return report


@pytest.fixture
def used(db: sqlite3.Connection, db_path: Path, now: datetime) -> sqlite3.Connection:
    """A file with a memory, a run of each stage and a recall; no model is wanted."""
    settings.put(db, "embedding_model", "none", now=now)
    add_memory(db, text="Tests use port 5433.", kind="environment", scope="user", now=now)
    for stage in ("import", "extract", "gate"):
        pipeline.run_stage(db, stage, lambda: {"rows": 1}, now=now)
    pipeline.run_stage(db, "index", lambda: index.run(db, now=now), now=now)
    brief.ask(db, Question("port of tests"), surface="test", now=now)
    return db


def test_a_file_in_use_is_healthy(used: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    report = examine(db_path, now + timedelta(days=3))
    assert report.verdict == "healthy", report.lines
    assert has(report, "fine", f"Schema {SCHEMA_VERSION}")
    assert has(report, "fine", "Last gate 3 days ago, without errors")
    assert has(report, "fine", "1 recalls with")


def test_pauses_are_named_while_they_are_on(used: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    project = resolve_project(used, "/home/sam/code/kiln", now=now)
    pause(used, by="user", now=now, project_id=project, length=timedelta(hours=2))
    pause(used, by="user", now=now, session_uid="s1")
    assert has(examine(db_path, now), "note", "Hooks are paused in session s1, project kiln", "hook pause --list")
    later = examine(db_path, now + timedelta(hours=3))
    assert has(later, "note", "paused in session s1: ") and later.verdict == "healthy"
    pause(used, by="user", now=now)
    assert has(examine(db_path, now), "note", "Hooks are paused everywhere")


def test_a_rule_that_lost_its_memory_is_named(used: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    uid = add_memory(used, text="Never pipe curl into a shell.", kind="convention", scope="user", now=now)
    lock(used, uid, by="user", reason="x", now=now)
    add_rule(used, uid, "curl*", decision="deny", by="user", now=now)
    assert not has(examine(db_path, now), "note", "Rules on commands")
    retire(used, uid, by="user", reason="x", now=now)
    assert has(examine(db_path, now), "note", "no longer hold", "1 (deny 'curl*')", "hook rule end")


def test_a_new_file_wants_a_first_run(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    report = examine(db_path, now)
    assert report.verdict == "degraded"
    assert has(report, "warning", "Nothing imported yet", "memory-db run")
    assert has(report, "note", "No recall logged")


def test_right_after_an_install_it_is_no_fault_that_nothing_was_said(
    db: sqlite3.Connection, db_path: Path, tmp_path: Path, now: datetime
) -> None:
    settings.put(db, "embedding_model", "none", now=now)
    claude = tmp_path / ".claude"
    report = doctor(db_path, now=now, transcripts=[claude / "projects"], plugin=claude / "skills" / "mem")
    assert has(report, "note", "Nothing was said yet", str(claude / "projects"))
    assert has(report, "note", "Nothing imported yet")
    assert report.verdict == "healthy", report.lines
    elsewhere = doctor(db_path, now=now, transcripts=[tmp_path / "typo"], plugin=claude / "skills" / "mem")
    assert has(elsewhere, "warning", "No transcripts at", "--dir")
    (claude / "projects" / "-a").mkdir(parents=True)
    (claude / "projects" / "-a" / "s.jsonl").write_text('{"type": "summary"}\n')
    said = doctor(db_path, now=now, transcripts=[claude / "projects"], plugin=claude / "skills" / "mem")
    assert has(said, "warning", "Nothing imported yet")


def test_the_sample_that_is_beside_a_missing_file_is_named(tmp_path: Path, now: datetime) -> None:
    assert "The sample history" not in lines(examine(tmp_path / "none.db", now), "failure")[-1]
    open_database(tmp_path / "sample.db", now=now).close()
    assert (
        f"The sample history is in {tmp_path / 'sample.db'}."
        in lines(examine(tmp_path / "none.db", now), "failure")[-1]
    )


def test_room_is_told_in_gigabytes_where_it_is_that_much() -> None:
    assert (size(60_287 * 2**20), size(1_500_000)) == ("63.2 GB", "1.5 MB")


def test_looking_changes_nothing(used: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    before = used.execute("pragma data_version").fetchone()[0]
    examine(db_path, now, [db_path.parent])
    assert used.execute("pragma data_version").fetchone()[0] == before


def test_no_file(tmp_path: Path, now: datetime) -> None:
    report = examine(tmp_path / "none.db", now)
    assert report.verdict == "failing"
    assert has(report, "failure", "No database at", "memory-db run")
    assert not (tmp_path / "none.db").exists()


def test_without_a_file_all_else_that_is_missing_is_named(
    tmp_path: Path, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(EXTRAS, "local", ("no_such_module",))
    monkeypatch.setenv("PATH", str(tmp_path))
    report = doctor(tmp_path / "none.db", now=now, transcripts=[tmp_path / "projects"], plugin=tmp_path / "mem")
    assert has(report, "fine", "Python ", "SQLite")
    assert has(report, "note", "no_such_module (extra local", "install")
    assert has(report, "note", "`claude` of Claude Code is not on the path")
    assert has(report, "warning", "No transcripts at", "--dir")
    assert has(report, "fine", "The embedding model")
    assert has(report, "note", "Not installed in Claude Code", "memory-db install claude-code")
    assert report.lines[-1].what.startswith("No database at") and "memory-db run" in report.lines[-1].fix
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_without_a_file_the_plugin_that_points_to_it_is_named(tmp_path: Path, now: datetime) -> None:
    place = Places(Path(sys.executable), Path(memory_db.__file__).parent, tmp_path / "none.db")
    target = InstallTarget("user", tmp_path)
    with closing(open_database(tmp_path / "other.db", now=now)) as db:
        install(db, plan_install(target, place, pre_tool_use=False, now=now), now=now)
    report = doctor(tmp_path / "none.db", now=now, transcripts=(), plugin=target.folder)
    assert has(report, "warning", "points to what is not there", "none.db", "memory-db install claude-code")


def test_a_name_that_no_file_can_have(tmp_path: Path, now: datetime) -> None:
    assert has(examine(tmp_path / ("x" * 300), now), "failure", "cannot be reached")


def test_a_folder(tmp_path: Path, now: datetime) -> None:
    assert has(examine(tmp_path, now), "failure", "is a folder")


def test_no_database(tmp_path: Path, now: datetime) -> None:
    path = tmp_path / "notes. old.db"
    path.write_text("just some notes " * 100)
    assert has(examine(path, now), "failure", f"{path} is not an SQLite database -> Nothing was changed")
    path.write_bytes(b"")
    assert has(examine(path, now), "failure", "an empty database")
    assert path.read_bytes() == b""


def test_the_file_of_another_program(tmp_path: Path, now: datetime) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("create table things (id)")
    assert has(examine(path, now), "failure", "another program")
    with closing(sqlite3.connect(path)) as other:
        assert [row[0] for row in other.execute("select name from sqlite_master")] == ["things"]


def test_a_newer_file(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    db.execute(f"pragma user_version = {SCHEMA_VERSION + 1}")
    assert has(examine(db_path, now), "failure", "newer than this memory-db", "Upgrade")


def test_an_older_file_is_migrated(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    db.execute(f"pragma user_version = {SCHEMA_VERSION - 1}")
    report = examine(db_path, now)
    assert has(report, "note", "migrated")
    connect(db_path).close()


def test_a_file_that_cannot_be_migrated(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    db.executescript("drop table _sqlite_migrations; pragma user_version = 4")  # nothing says what it has
    before = db.execute("select count(*) from sqlite_master").fetchone()[0]
    report = examine(db_path, now)
    copy = f"{db_path}.before-schema-{SCHEMA_VERSION}-from-4"
    assert has(report, "failure", f"from schema 4 to {SCHEMA_VERSION}: migration m001_sources failed", "already exists")
    assert has(report, "failure", "left as it was", f"{copy} is a copy of it", "report this line")
    assert "memory-db doctor" not in str(report)
    assert db.execute("select count(*) from sqlite_master").fetchone()[0] == before
    assert Path(copy).exists()


def test_it_never_advises_itself(db_path: Path) -> None:
    line = failure_of(explain(sqlite3.OperationalError("no such index: anything"), db_path), db_path)
    assert "no such index: anything" in line.what
    assert "memory-db doctor" not in line.fix and "report" in line.fix


@hypothesis_settings(max_examples=15)
@given(damage=st.lists(st.tuples(st.integers(0, 200_000), st.binary(min_size=1, max_size=300)), min_size=1))
@pytest.mark.slow
def test_a_damaged_file_never_makes_it_fail(tmp_path: Path, now: datetime, damage: list[tuple[int, bytes]]) -> None:
    path = tmp_path / "damaged.db"
    if not path.exists():
        open_database(path, now=now).close()
        (tmp_path / "good").write_bytes(path.read_bytes())
    content = bytearray((tmp_path / "good").read_bytes())
    for place, noise in damage:
        start = place % len(content)
        content[start : start + len(noise)] = noise
    path.write_bytes(content)
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    assert examine(path, now).verdict in ("healthy", "degraded", "failing")


def test_a_truncated_file(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    db.close()
    content = db_path.read_bytes()
    db_path.write_bytes(content[: len(content) // 2 // 4096 * 4096])
    report = examine(db_path, now)
    assert report.verdict == "failing"
    assert any("damaged" in line for line in lines(report, "failure"))


def test_others_may_read_it(used: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    db_path.chmod(0o644)
    assert has(examine(db_path, now), "warning", "Others may read", f"chmod 600 {db_path}")


def test_views_of_another_version(used: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    used.execute("delete from schema_objects where name = 'beliefs'")
    assert has(examine(db_path, now), "warning", "out of date", "memory-db run")


def test_a_failed_run(used: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    def fail() -> None:
        raise KeyError("lost")

    with pytest.raises(KeyError):
        pipeline.run_stage(used, "gate", fail, now=now)
    assert has(examine(db_path, now), "warning", "Last gate today failed: KeyError", "memory-db run")


INSERT_SOURCE = """
insert into sources (path, format, size_bytes, mtime_ns, read_bytes, state, state_reason, found_at)
values (?, 'claude-code', 100, ?, ?, ?, ?, ?)
"""


def test_sources_in_trouble(used: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    at = utc_text(now)
    used.execute(INSERT_SOURCE, ["/gone/a.jsonl", 10**18, 0, "unreadable", "Permission denied", at])
    used.execute(INSERT_SOURCE, ["/gone/b.jsonl", 10**18, 50, "partial", None, at])
    used.execute("insert into source_problems (source_id, line, reason, found_at) values (1, 7, 'not JSON', ?)", [at])
    report = examine(db_path, now)
    assert has(report, "warning", "1 of 2 sources cannot be read, such as /gone/a.jsonl: Permission denied")
    assert has(report, "warning", "2 transcripts", "older than 25 days", "at_risk_transcripts")
    assert has(report, "note", "Sources not read to their end: 1 of 2")
    used.execute("update sources set state_reason = ? where state = 'partial'", [UNFINISHED])
    report = examine(db_path, now)
    assert has(report, "note", "Sources whose last line is not finished: 1 of 2", "Nothing to do")
    assert not has(report, "note", "memory-db run", "Sources")
    assert has(report, "note", "Lines of sources that were not understood: 1", "source_problems")


def test_transcripts(used: sqlite3.Connection, db_path: Path, tmp_path: Path, now: datetime) -> None:
    folder = tmp_path / "projects"
    assert has(examine(db_path, now, [folder]), "warning", f"No transcripts at {folder}", "--dir")
    (folder / "shop").mkdir(parents=True)
    transcript = folder / "shop" / "s.jsonl"
    transcript.write_text("{}\n")
    os.utime(transcript, (now.timestamp(), now.timestamp()))
    assert has(examine(db_path, now, [folder]), "note", "1 transcripts", "1 of them new or grown", "memory-db run")
    assert has(examine(db_path, now + timedelta(days=28), [folder]), "warning", "the oldest 28 days old")
    pipeline.importing.import_claude_code(used, [folder], now=now)
    assert has(examine(db_path, now, [folder]), "fine", "all read")


def test_jobs_that_were_given_up(used: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    at = utc_text(now)
    used.execute(
        "insert into jobs (kind, key, state, attempts, last_error, created_at, changed_at)"
        " values ('embed-entries', 'toy', 'dead', 3, 'no such model', ?, ?)",
        [at, at],
    )
    assert has(examine(db_path, now), "warning", "1 jobs failed for good", "embed-entries, no such model")


def test_vectors_that_are_missing(used: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    used.execute("delete from static_vectors")
    settings.put(used, "embedding_model", "minilm-int8", now=now)
    report = examine(db_path, now)
    assert has(report, "warning", "1 of 1 memories lack a static vector", "memory-db run --only index")
    assert has(report, "warning", "1 of 1 memories lack a vector of minilm-int8", "memory-db run --only index")
    assert has(report, "warning", "1 of 1 memories lack a row of token bits", "memory-db work")
    assert has(report, "fine", "The embedding model minilm-int8 can be used")


def test_a_model_that_cannot_be_used(used: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    settings.put(used, "embedding_model", "no-such-model", now=now)
    report = examine(db_path, now)
    assert report.verdict == "failing"
    assert has(report, "failure", "no-such-model", "settings")


@pytest.mark.slow
def test_the_sample_after_a_run(tmp_path: Path, now: datetime) -> None:
    path = tmp_path / "sample.db"
    folder = samples.write_sample(path, now=now)
    with closing(open_database(path, now=now)) as db:
        settings.put(db, "embedding_model", "none", now=now)
        pipeline.run(db, [folder], now=now)
    report = examine(path, now, [folder])
    assert lines(report, "failure") == []
    assert has(report, "fine", "Last index ")


def test_every_examination_says_what_it_is_for() -> None:
    assert all(function.__doc__ for function in EXAMINATIONS)
