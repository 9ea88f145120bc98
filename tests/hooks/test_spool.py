"""What hooks could not write into the file: each line becomes a row once, whoever is killed and whoever takes it in."""

from __future__ import annotations

import json
import multiprocessing
import sqlite3
import stat
import subprocess
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from memory_db.cli import cli
from memory_db.recall.brief import spool
from memory_db.recall.brief.spool import MALFORMED, spool_path, take_in, waiting
from memory_db.store.dates import utc_text
from memory_db.store.schema import open_database
from memory_db.store.spool_line import spool as add_line
from memory_db.upkeep.doctor import doctor
from tests.support.hook_process import COMMAND, PATIENT


def rows(db: sqlite3.Connection) -> list[tuple[str, str, str]]:
    return [tuple(row) for row in db.execute("select hook, error, reason from hook_runs order by id")]


def fail(path: Path, now: datetime, reason: str = "it is locked") -> None:
    add_line(str(path), "user-prompt", "BusyError", reason, now=now)


def test_lines_become_rows_and_the_spool_goes(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    fail(db_path, now)
    fail(db_path, now)
    add_line(str(db_path), "stop", "DeadlineError", "deadline", now=now, duration_ms=300.126, session_uid="s1")
    assert take_in(db, db_path, now=now) == {"lines": 3, "malformed": 0}
    assert rows(db) == [("user-prompt", "BusyError", "it is locked")] * 2 + [("stop", "DeadlineError", "deadline")]
    timed = db.execute("select duration_ms, session_uid from hook_runs order by id").fetchall()
    assert [tuple(row) for row in timed] == [(None, None)] * 2 + [(300.13, "s1")]
    assert waiting(db_path) == []
    assert take_in(db, db_path, now=now) == {"lines": 0, "malformed": 0}
    fail(db_path, now)
    assert take_in(db, db_path, now=now) == {"lines": 1, "malformed": 0}


@pytest.mark.parametrize(
    "line",
    [
        b"no json",
        b"{",
        b"[]",
        b"null",
        b'{"at": "yesterday", "hook": "h", "error": "E", "reason": "r"}',
        b'{"at": 5, "hook": "h", "error": "E", "reason": "r"}',
        b'{"hook": "h", "error": "E", "reason": "r"}',
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"at": "2026-11-01T12:00:00Z", "hook": "h", "error": "E", "reason": ["r"]}',
        b'{"at": "2026-11-01T12:00:00Z", "hook": "h", "error": "E", "reason": "r", "duration_ms": 1'
        + b"0" * 400
        + b"}",
    ],
)
def test_malformed_lines_are_counted_and_kept(
    db: sqlite3.Connection, db_path: Path, now: datetime, line: bytes
) -> None:
    fail(db_path, now)
    with spool_path(db_path).open("ab") as file:
        file.write(line + b"\n\n")
    fail(db_path, now)
    assert take_in(db, db_path, now=now) == {"lines": 3, "malformed": 1}
    kept = rows(db)[1]
    assert kept[:2] == ("unknown", MALFORMED)
    assert kept[2].startswith(line[:20].decode(errors="backslashreplace").replace("\0", "\\x00"))
    assert len(kept[2]) <= spool.LINE_CHARACTERS


@given(content=st.binary(max_size=400))
@hypothesis_settings(max_examples=30)
def test_any_bytes_are_taken_in(db: sqlite3.Connection, db_path: Path, now: datetime, content: bytes) -> None:
    before = len(rows(db))
    spool_path(db_path).write_bytes(content)
    expected = sum(bool(line.strip()) for line in content.splitlines())
    assert take_in(db, db_path, now=now)["lines"] == expected
    assert len(rows(db)) == before + expected
    assert waiting(db_path) == []


def test_a_secret_in_a_line_is_not_stored(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    spool_path(db_path).write_text(f"token {secret}\n")
    take_in(db, db_path, now=now)
    assert secret not in rows(db)[0][2]


def test_a_process_that_died_before_it_wrote_loses_nothing(
    db: sqlite3.Connection, db_path: Path, now: datetime
) -> None:
    fail(db_path, now, "first")
    spool.renamed(spool_path(db_path), db_path)
    fail(db_path, now, "second")
    assert take_in(db, db_path, now=now)["lines"] == 2
    assert {reason for _, _, reason in rows(db)} == {"first", "second"}


def test_a_process_that_died_after_it_wrote_counts_nothing_twice(
    db: sqlite3.Connection, db_path: Path, now: datetime
) -> None:
    fail(db_path, now)
    taken = spool.renamed(spool_path(db_path), db_path)
    content = taken.read_bytes()
    assert take_in(db, db_path, now=now)["lines"] == 1
    taken.write_bytes(content)
    assert take_in(db, db_path, now=now) == {"lines": 0, "malformed": 0}
    assert len(rows(db)) == 1
    assert waiting(db_path) == []


def test_a_trouble_while_writing_leaves_the_lines(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    fail(db_path, now)
    db.execute("create temp trigger refuse before insert on hook_runs begin select raise(abort, 'no'); end")
    with pytest.raises(sqlite3.IntegrityError):
        take_in(db, db_path, now=now)
    db.execute("drop trigger refuse")
    assert len(waiting(db_path)) == 1
    assert take_in(db, db_path, now=now)["lines"] == 1


def append_many(path: str, now: datetime, number: int) -> None:
    for count in range(60):
        add_line(path, "user-prompt", "BusyError", f"{number}-{count}", now=now)


def take_many(path: str, now: datetime) -> None:
    with closing(open_database(Path(path), now=now)) as db:
        for _ in range(25):
            take_in(db, Path(path), now=now)


@pytest.mark.slow
@pytest.mark.usefixtures("db")
def test_hooks_that_write_and_processes_that_take_in_at_once(db_path: Path, now: datetime) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=append_many, args=(str(db_path), now, number)) for number in range(3)]
    workers += [context.Process(target=take_many, args=(str(db_path), now)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    with closing(open_database(db_path, now=now)) as db:
        take_in(db, db_path, now=now)
        reasons = [reason for _, _, reason in rows(db)]
    assert sorted(reasons) == sorted(f"{number}-{count}" for number in range(3) for count in range(60))


def test_the_next_command_that_writes_takes_in(db_path: Path, db: sqlite3.Connection, now: datetime) -> None:
    fail(db_path, now)
    assert stat.S_IMODE(spool_path(db_path).stat().st_mode) == 0o600
    runner = CliRunner()
    dry = runner.invoke(cli, ["add", "Ports are even.", "--dry-run", "-d", str(db_path)])
    assert dry.exit_code == 0 and len(waiting(db_path)) == 1
    done = runner.invoke(cli, ["add", "Ports are even.", "-d", str(db_path)])
    assert done.exit_code == 0, done.output
    assert waiting(db_path) == [] and len(rows(db)) == 1


def test_the_hook_itself_takes_nothing_in(db_path: Path, db: sqlite3.Connection, now: datetime) -> None:
    fail(db_path, now)
    before = spool_path(db_path).read_bytes()
    command = [*COMMAND, "user-prompt", "-d", str(db_path), *PATIENT]
    ended = subprocess.run(command, input=b'{"prompt": "which port?"}', capture_output=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")
    assert spool_path(db_path).read_bytes() == before
    assert [row["outcome"] for row in db.execute("select outcome from hook_runs")] == ["silent"]


def test_the_doctor_names_failed_hooks(db_path: Path, db: sqlite3.Connection, now: datetime) -> None:
    def doctor_lines() -> list[str]:
        lines = [line.what for line in doctor(db_path, now=now, transcripts=[]).lines]
        return [line for line in lines if any(part in line for part in ("hooks wait", "that failed", "No hook failed"))]

    assert doctor_lines() == ["No hook failed in the last 7 days"]
    fail(db_path, now)
    assert doctor_lines() == [f"1 lines of hooks waiting in {spool_path(db_path)}"]
    take_in(db, db_path, now=now)
    assert doctor_lines() == ["Hooks that failed in the last 7 days: 1 user-prompt; the last: it is locked"]
    db.execute(
        "insert into hook_runs (hook, started_at, outcome, reason, error)"
        " values ('session-start', ?, 'failed', 'no JSON', 'InputError')",
        [utc_text(now + timedelta(seconds=1))],
    )
    assert doctor_lines() == ["Hooks that failed in the last 7 days: 1 session-start, 1 user-prompt; the last: no JSON"]
    db.execute("update hook_runs set started_at = ?", [(now - timedelta(days=30)).isoformat()])
    assert doctor_lines() == ["No hook failed in the last 7 days"]


def test_a_spool_that_others_may_read_is_reported(db_path: Path, db: sqlite3.Connection, now: datetime) -> None:
    assert db.in_transaction is False
    fail(db_path, now)
    spool_path(db_path).chmod(0o644)
    lines = [line for line in doctor(db_path, now=now, transcripts=[]).lines if line.what.startswith("Others may read")]
    assert str(spool_path(db_path)) in lines[0].what


def test_a_line_is_the_one_that_a_hook_writes(db_path: Path, now: datetime) -> None:
    fail(db_path, now)
    assert set(json.loads(spool_path(db_path).read_text())) == set(spool.FIELDS)
