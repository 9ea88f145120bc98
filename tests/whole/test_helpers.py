"""Helpers compute what this process would: the same rows, nothing lost where one dies, none left behind."""

from __future__ import annotations

import dataclasses
import multiprocessing
import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bench.same_rows import ROWS, rows_of
from memory_db import helpers
from memory_db.extract.rules import run as rules
from memory_db.helpers import Helpers, helping
from memory_db.redact.clean import Finding
from memory_db.sample.build import write_history
from memory_db.store import settings
from memory_db.store.schema import open_database
from memory_db.transcripts import reading
from memory_db.transcripts.claude_code import FORMAT
from memory_db.transcripts.importer import ReadLimits, import_claude_code
from memory_db.transcripts.lines import LIMITS
from memory_db.transcripts.sources import SourceReading, open_source
from memory_db.transcripts.writer import ImportCounts
from memory_db.upkeep import history, pipeline
from tests.support.patience import WAIT_S, wait_for

NOW = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)
VECTORS = ("embeddings", "static_vectors", "token_signs")
"""What `index` makes, which has no helpers."""

SMALL = ReadLimits(line_bytes=20_000, batch_bytes=4_000, batch_lines=7)


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """However little there is, helpers are asked, and hand over little at a time."""
    monkeypatch.setattr(reading, "WORTH_BYTES", 0)
    monkeypatch.setattr(reading, "STRETCH_BYTES", 9_000)
    monkeypatch.setattr(rules, "WORTH_ENTRIES", 0)
    monkeypatch.setattr(rules, "GROUP_ENTRIES", 60)


def filled(
    path: Path, folder: Path, helping_me: Helpers, limits: ReadLimits = LIMITS
) -> dict[str, list[tuple[object]]]:
    """Every row that import and extraction make of a folder, with the ids that they have."""
    with closing(open_database(path, now=NOW)) as db:
        import_claude_code(db, [folder], now=NOW, limits=limits, helpers=helping_me)
        pipeline.extract(db, now=NOW, ahead=rules.look_ahead(db, helping_me))
        ids = ("entries", "sessions", "actions", "api_calls", "candidates", "sources", "scan_findings")
        found = {name: list(map(tuple, db.execute(f"select * from {name} order by id"))) for name in ids}
        return found | by_name(db)


def by_name(db: sqlite3.Connection) -> dict[str, list[tuple[object, ...]]]:
    """Rows by names that do not depend on ids."""
    tables = {name: sql for name, sql in ROWS.items() if name not in VECTORS}
    return {name: sorted(map(tuple, db.execute(sql)), key=repr) for name, sql in tables.items()}


@pytest.mark.slow
@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("limits", [LIMITS, SMALL])
def test_two_helpers_give_the_rows_of_one_process(tmp_path: Path, limits: ReadLimits) -> None:
    folder = tmp_path / "projects"
    paths = write_history(folder)
    whole = b"\n".join(path.read_bytes() for path in paths[:6])
    (folder / "long").mkdir()
    (folder / "long" / "joined.jsonl").write_bytes(whole + b'\n{"type": "user", "mess\n' + b'{"type": "unfinished')
    wanted = filled(tmp_path / "alone.db", folder, helpers.ALONE, limits)
    with helping(2) as two:
        assert filled(tmp_path / "helped.db", folder, two, limits) == wanted
        assert two.pool is not None and two.count == 2
    assert wanted["candidates"] and wanted["scan_findings"] and wanted["source_problems"]


@pytest.mark.slow
@pytest.mark.usefixtures("always")
def test_portions_end_in_the_same_rows_with_helpers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FIRST_BYTES", "LATER_BYTES", "LONG_BYTES"):
        monkeypatch.setattr(history, name, 120_000)
    folder = tmp_path / "projects"
    write_history(folder)
    for count in (0, 2):
        with closing(open_database(tmp_path / f"{count}.db", now=NOW)) as db:
            settings.put(db, "embedding_model", "none", now=NOW)
            waiting = history.plan(db, [folder], now=NOW)
            reached = [so for _, so in history.run_portions(db, waiting, clock=lambda: NOW, helper_count=count)]
            assert len(reached) == len(waiting) > 2 and reached[-1].left_bytes == 0
    assert rows_of(tmp_path / "2.db") == rows_of(tmp_path / "0.db")


class KilledError(Exception):
    """The process ends here."""


@pytest.mark.slow
@pytest.mark.usefixtures("always")
def test_an_import_that_is_killed_goes_on_with_helpers(tmp_path: Path) -> None:
    folder = tmp_path / "projects"
    write_history(folder)
    steps = iter(range(10_000))

    def progress(what: str, done: int, total: int | None) -> None:
        if next(steps) in (3, 17, 40):
            raise KilledError

    with closing(open_database(tmp_path / "killed.db", now=NOW)) as db, helping(2) as two:
        for _ in range(3):
            with pytest.raises(KilledError):
                import_claude_code(db, [folder], now=NOW, limits=SMALL, helpers=two, progress=progress)
        with pytest.raises(KilledError):
            steps = iter(range(40, 10_000))
            pipeline.extract(db, now=NOW, ahead=rules.look_ahead(db, two), progress=progress)
        import_claude_code(db, [folder], now=NOW, limits=SMALL, helpers=two)
        pipeline.extract(db, now=NOW, ahead=rules.look_ahead(db, two))
        found = by_name(db)
    wanted = filled(tmp_path / "alone.db", folder, helpers.ALONE, SMALL)
    assert found == {name: wanted[name] for name in found}


@pytest.mark.slow
def test_little_starts_no_process(tmp_path: Path) -> None:
    folder = tmp_path / "projects"
    write_history(folder)
    with closing(open_database(tmp_path / "memory.db", now=NOW)) as db, helping(2) as two:
        one = sorted(folder.rglob("*.jsonl"))[:2]
        assert import_claude_code(db, one, now=NOW, helpers=two).files_read == 2
        assert rules.look_ahead(db, two) == {}
        assert two.pool is None


@pytest.mark.slow
def test_where_helpers_run_already_they_read_little_too(db: sqlite3.Connection, tmp_path: Path) -> None:
    source = reading_of(db, min(write_history(tmp_path / "projects")))
    with helping(1) as one:
        one.start(rules.get_ready)
        ahead = reading.read_ahead([source], one, LIMITS)
        assert len(ahead.begun) == 1 and not ahead.waiting
        assert [batch.is_last for _, batches in ahead for batch in batches] == [True]


def fall(number: int) -> int:
    """Ends the process in place of an answer, if it is a helper."""
    if number == 3 and multiprocessing.parent_process() is not None:
        os._exit(9)
    return number * number


@pytest.mark.slow
def test_what_a_helper_leaves_when_it_dies_is_done_here() -> None:
    said: list[str] = []
    dying = Helpers(2, said.append)
    promises = [dying.begin(fall, number) for number in range(8)]
    assert [promise.get() for promise in promises] == [number * number for number in range(8)]
    assert len(said) == 1 and "the work goes on in one process" in said[0]
    assert dying.count == 0 and dying.pool is None
    assert dying.begin(fall, 3).get() == promises[3].get() == 9 and len(said) == 1


@pytest.mark.usefixtures("always")
@pytest.mark.slow
def test_an_import_goes_on_where_its_helpers_die(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, db: sqlite3.Connection
) -> None:
    folder = tmp_path / "projects"
    paths = sorted(write_history(folder))[:3]
    said: list[str] = []
    dying = Helpers(1, said.append)
    ask = dying.begin(fall, 3)  # the first thing that it is asked for
    counts = import_claude_code(db, paths, now=NOW, helpers=dying)
    assert counts.files_read == 3 and counts.lines_unreadable == 0 and ask.get() == 9
    assert len(said) == 1


@pytest.mark.slow
def test_the_error_of_a_helper_is_told_here(tmp_path: Path) -> None:
    with closing(open_database(tmp_path / "memory.db", now=NOW)) as db, helping(1) as one:
        path = tmp_path / "gone.jsonl"
        path.write_text("{}\n")
        source = reading_of(db, path)
        path.unlink()
        promise = one.begin(reading.read_stretch, reading.stretch_of(source, LIMITS))
        with pytest.raises(FileNotFoundError):
            promise.get()
        assert one.count == 1


@pytest.mark.slow
def test_a_file_that_cannot_be_read_keeps_none_that_is_read_with_it_from_being_read(
    db: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "WORTH_BYTES", 0)
    sources = [reading_of(db, path) for path in sorted(write_history(tmp_path / "projects"))[:3]]
    sources[1].path.unlink()
    lines = []
    with helping(1) as one:
        for source, batches in reading.read_ahead(sources, one, LIMITS):
            if source is sources[1]:
                with pytest.raises(FileNotFoundError):
                    next(batches)
            else:
                lines.append(sum(len(batch.items) for batch in batches))
    assert len(lines) == 2 and all(lines)


def reading_of(db: sqlite3.Connection, path: Path) -> SourceReading:
    """A source that is to be read from its start."""
    source = open_source(db, path, FORMAT, ImportCounts(), NOW)
    assert source is not None
    return source


@pytest.mark.slow
def test_what_is_forgotten_meanwhile_is_not_kept(db: sqlite3.Connection, tmp_path: Path) -> None:
    import_claude_code(db, sorted(write_history(tmp_path / "projects"))[:12], now=NOW)
    sessions = db.execute(rules.TO_READ, {"method": rules.METHOD, "version": rules.RULES_VERSION}).fetchall()
    session, found = next((row, made) for row in sessions if (made := rules.columns_in(db, row["id"])))
    quoted = found[0]["entry_id"]
    db.execute("update entries set text = '[forgotten]' where id = ?", [quoted])
    again = rules.columns_in(db, session["id"])
    assert len(again) < len(found)
    assert rules.keep(db, session, found, rules.start_run(db, NOW)) == len(again)
    assert not db.execute("select 1 from candidates where entry_id = ?", [quoted]).fetchone()


def test_records_pass_between_processes() -> None:
    finding = Finding("github", "secret", 3, 40, "40 characters")
    assert pickle.loads(pickle.dumps(finding)) == finding
    assert dataclasses.astuple(finding) == dataclasses.astuple(pickle.loads(pickle.dumps(finding)))


def dwell(seconds: float) -> int:
    """Says which process it is, and stays there."""
    print(os.getpid(), flush=True)
    time.sleep(seconds)
    return os.getpid()


SCRIPT = """
import signal
from memory_db.helpers import helping
from tests.whole.test_helpers import dwell
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job is begun without
with helping(1) as one:
    one.begin(dwell, {seconds}).get()
"""
"""A script without the usual guard: helpers must not run it again."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(("seconds", "how"), [(60, signal.SIGKILL), (2, signal.SIGINT)])
def test_no_helper_outlives_the_process_that_it_helps(tmp_path: Path, seconds: int, how: signal.Signals) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(seconds=seconds))
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(
        [sys.executable, script], env=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        helper = int(process.stdout.readline())
        if how == signal.SIGKILL:
            process.kill()
        else:
            os.killpg(process.pid, how)  # as a terminal does
        said = process.stderr.read().decode()
        process.wait(WAIT_S)
    assert said.count("Traceback") == (how == signal.SIGINT), said
    wait_for("the helper runs", lambda: not is_running(helper))


def is_running(pid: int) -> bool:
    """Whether a process is there and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
