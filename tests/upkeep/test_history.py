"""A long history is read in portions, the newest sessions first, and comes out as if it were read at once."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.errors import NotFoundError
from memory_db.sample.build import write_history
from memory_db.store import jobs, settings
from memory_db.store.schema import open_database
from memory_db.transcripts.waiting import WaitingFile, portions, waiting_files
from memory_db.upkeep import history, pipeline
from memory_db.upkeep.worker import Worker, work
from tests.support.command import run

NOW = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)

WHOLE = {
    "entries": "select uid, role, kind, text from entries",
    "sessions": "select s.uid, count(*) from sessions s join session_entries e on e.session_id = s.id group by s.id",
    "owners": "select e.uid, s.uid from entries e join sessions s on s.id = e.session_id",
    "calls": "select message_uid, request_uid, input_tokens, output_tokens from api_calls",
    "actions": "select uid, tool, target, is_error from actions",
    "candidates": "select uid, text, rule from candidates",
    "decided": "select count(*) from candidates where not exists"
    " (select 1 from decisions d where d.candidate_id = candidates.id)",
    "sources": "select path, read_bytes, state from sources",
}
"""What does not depend on what was read first."""

HOLDS = "select text, kind from memories where status = 'active' order by text"


@pytest.fixture(scope="module")
def transcripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample's transcripts, each last written when its session ended, as a client leaves them."""
    folder = tmp_path_factory.mktemp("history")
    write_history(folder)
    for number, path in enumerate(sorted(folder.rglob("*.jsonl"))):
        os.utime(path, (1_760_000_000 + number * 1000,) * 2)
    return folder


@pytest.fixture
def long(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sample counts as a long history."""
    monkeypatch.setattr(history, "FIRST_BYTES", 40_000)
    monkeypatch.setattr(history, "LATER_BYTES", 60_000)
    monkeypatch.setattr(history, "LONG_BYTES", 80_000)
    monkeypatch.setattr(history, "AT_ONCE_S", 0.0)


def opened(path: Path) -> sqlite3.Connection:
    """A file that embeds by static vectors alone."""
    db = open_database(path, now=NOW)
    settings.put(db, "embedding_model", "none", now=NOW)
    return db


def rows_of(db: sqlite3.Connection) -> dict[str, list[tuple[object, ...]]]:
    """What is compared."""
    return {name: sorted(map(tuple, db.execute(sql)), key=repr) for name, sql in WHOLE.items()}


@pytest.mark.usefixtures("long")
@pytest.mark.slow
def test_in_portions_the_same_comes_out_as_at_once(transcripts: Path, tmp_path: Path) -> None:
    with closing(opened(tmp_path / "once.db")) as once, closing(opened(tmp_path / "portions.db")) as parts:
        pipeline.run(once, [transcripts], now=NOW)
        waiting = history.plan(parts, [transcripts], now=NOW)
        assert len(waiting) >= 3
        reached = [so_far for _, so_far in history.run_portions(parts, waiting, clock=lambda: NOW)]
        assert [each.done_bytes for each in reached] == sorted(each.done_bytes for each in reached)
        assert reached[-1].left_bytes == 0 and reached[0].left_s
        pipeline.run(parts, [transcripts], now=NOW)
        assert rows_of(parts) == rows_of(once)
        kept, wanted = ({tuple(row) for row in db.execute(HOLDS)} for db in (parts, once))
        assert len(kept & wanted) / len(kept | wanted) > 0.95
        assert history.plan(parts, [transcripts], now=NOW) == []


@pytest.mark.parametrize(("files", "wanted"), [(9, [3, 3, 3]), (22, [3, 7, 7, 5]), (60, [3, 12, 12, 12, 12, 9])])
def test_portions_are_few_and_none_is_much_longer_than_the_others(
    files: int, wanted: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("FIRST_BYTES", "LATER_BYTES", "LONG_BYTES"):
        monkeypatch.setattr(history, name, getattr(history, name) // 1000)
    for number in range(files):
        (tmp_path / f"{number}.jsonl").write_bytes(b" " * 1000)
    with closing(opened(tmp_path / "memory.db")) as db:
        waiting = history.plan(db, [tmp_path], now=NOW)
    assert [portion.left_bytes // 1000 for portion in waiting] == wanted


@pytest.mark.usefixtures("long")
@pytest.mark.slow
def test_the_newest_sessions_are_there_first(transcripts: Path, tmp_path: Path) -> None:
    with closing(opened(tmp_path / "memory.db")) as db:
        waiting = history.plan(db, [transcripts], now=NOW)
        newest = max(transcripts.rglob("*.jsonl"), key=lambda path: path.stat().st_mtime_ns)
        assert newest in waiting[0].paths
        history.run_portion(db, waiting[0], now=NOW)
        read = {row[0] for row in db.execute("select path from sources where state = 'read'")}
        assert read == {str(path) for path in waiting[0].paths}
        assert db.execute("select count(*) from static_vectors").fetchone()[0] > 0


@pytest.mark.usefixtures("long")
@pytest.mark.slow
def test_a_file_that_goes_while_a_history_is_read_stops_nothing(transcripts: Path, tmp_path: Path) -> None:
    folder = tmp_path / "projects"
    shutil.copytree(transcripts, folder)
    with closing(opened(tmp_path / "memory.db")) as db:
        waiting = history.plan(db, [folder], now=NOW)
        gone = waiting[-1].paths
        reading = history.run_portions(db, waiting, clock=lambda: NOW, helper_count=1)
        next(reading)
        for path in gone:
            path.unlink()
        for _ in reading:
            pass
        states = dict(db.execute("select path, state from sources").fetchall())
        assert len(waiting) > 3 and {states[str(path)] for path in gone} == {"found"}
        assert {states[str(path)] for portion in waiting[:-1] for path in portion.paths} == {"read", "partial"}
        pipeline.run(db, [folder], now=NOW)
        states = dict(db.execute("select path, state from sources").fetchall())
        assert {states[str(path)] for path in gone} == {"missing"}


@pytest.mark.usefixtures("long")
@pytest.mark.slow
def test_a_worker_reads_the_rest_and_goes_on_where_one_stopped(transcripts: Path, tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with closing(opened(path)) as db:
        history.run_portion(db, history.plan(db, [transcripts], now=NOW)[0], now=NOW)
        history.leave_to_worker(db, [transcripts], history.plan(db, [transcripts], now=NOW), now=NOW)
        begun = history.progress_of(db)
        assert begun and begun.left_bytes == begun.total_bytes > 0 and begun.left_s is None
        job = jobs.lease(db, NOW, kind=history.HISTORY)  # whose worker is killed
        assert job is not None
        assert not history.read_on(db, job, NOW, None)
        so_far = history.progress_of(db)
        assert so_far and 0 < so_far.left_bytes < begun.left_bytes and so_far.left_s
        done = work(Worker(path, db, lambda: NOW, threading.Event()), once=False)
        stages = [stage for stage in done.stages if stage.name == history.HISTORY]
        assert stages[0].counts["megabytes_read"] >= 0 and done.failures == 0
        assert history.progress_of(db) is None
        assert not db.execute("select 1 from sources where state = 'found'").fetchone()
        assert db.execute("select state from jobs where kind = ?", [history.HISTORY]).fetchone()[0] == "done"


@pytest.mark.usefixtures("long")
def test_a_pause_holds_until_it_is_ended(transcripts: Path, tmp_path: Path) -> None:
    with closing(opened(tmp_path / "memory.db")) as db:
        with pytest.raises(NotFoundError, match="No job history"):
            jobs.pause(db, history.HISTORY, history.KEY, NOW, is_paused=True)
        history.leave_to_worker(db, [transcripts], history.plan(db, [transcripts], now=NOW), now=NOW)
        jobs.pause(db, history.HISTORY, history.KEY, NOW, is_paused=True)
        history.leave_to_worker(db, [transcripts], history.plan(db, [transcripts], now=NOW), now=NOW)
        so_far = history.progress_of(db)
        assert so_far and so_far.is_paused and not jobs.is_due(db, NOW)
        assert jobs.lease(db, NOW, kind=history.HISTORY) is None
        jobs.pause(db, history.HISTORY, history.KEY, NOW, is_paused=False)
        assert jobs.lease(db, NOW, kind=history.HISTORY) is not None


@pytest.mark.usefixtures("long")
@pytest.mark.slow
def test_a_pause_that_comes_while_a_portion_is_read_is_kept(transcripts: Path, tmp_path: Path) -> None:
    with closing(opened(tmp_path / "memory.db")) as db:
        history.leave_to_worker(db, [transcripts], history.plan(db, [transcripts], now=NOW), now=NOW)

        def pausing(what: str, done: int, total: int | None) -> None:
            jobs.pause(db, history.HISTORY, history.KEY, NOW, is_paused=True)

        assert jobs.work_once(db, now=NOW, progress=pausing, kind=history.HISTORY)["released"] == 1
        assert not jobs.work_once(db, now=NOW, kind=history.HISTORY)["leased"]


def test_a_short_history_is_read_at_once(transcripts: Path, tmp_path: Path) -> None:
    with closing(opened(tmp_path / "memory.db")) as db:
        assert history.plan(db, [transcripts], now=NOW) == []
        assert not db.execute("select 1 from sources").fetchone()


@pytest.mark.usefixtures("long")
@pytest.mark.slow
def test_the_command_says_how_far_it_is(transcripts: Path, home: Path) -> None:
    run("settings", "embedding_model", "none")
    said = run("run", "--dir", str(transcripts)).stderr.splitlines()
    lines = [line for line in said if line.startswith("history")]
    assert len(lines) >= 3 and lines[0].endswith(" left") and "MB/s" in lines[0]
    assert any(line.startswith("import") and "nothing new" not in line for line in said)


@pytest.mark.usefixtures("long")
@pytest.mark.slow
def test_what_another_run_read_ends_the_job(transcripts: Path, home: Path) -> None:
    run("settings", "embedding_model", "none")
    path = home / ".memory-db" / "memory.db"
    with closing(open_database(path, now=NOW)) as db:
        history.leave_to_worker(db, [transcripts], history.plan(db, [transcripts], now=NOW), now=NOW)
    run("run", "--dir", str(transcripts))
    with closing(open_database(path, now=NOW)) as db:
        assert history.progress_of(db) is None


@pytest.mark.slow
def test_what_grew_waits_with_what_is_new_of_it(transcripts: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(transcripts, tmp_path / "history")
    with closing(opened(tmp_path / "memory.db")) as db:
        pipeline.run(db, [folder], now=NOW)
        assert waiting_files(db, [folder]) == []
        grown = sorted(folder.rglob("*.jsonl"))[0]
        with grown.open("a") as handle:
            handle.write('{"type": "summary"}\n')
        assert [(each.path, each.left_bytes) for each in waiting_files(db, [folder])] == [(grown, 20)]


@given(
    st.lists(st.tuples(st.integers(0, 500), st.integers(0, 5)), max_size=40), st.integers(1, 300), st.integers(1, 600)
)
def test_every_file_is_in_one_portion(sizes: list[tuple[int, int]], first: int, later: int) -> None:
    files = [WaitingFile(Path(f"/nowhere/{n}.jsonl"), size, size, age) for n, (size, age) in enumerate(sizes)]
    made = portions(files, first, later)
    assert sorted(path for portion in made for path in portion.paths) == sorted(each.path for each in files)
    assert sum(portion.left_bytes for portion in made) == sum(size for size, _ in sizes)
    written = {each.path: each.mtime_ns for each in files}
    ages = [written[path] for portion in made for path in portion.paths]
    assert ages == sorted(ages, reverse=True)
