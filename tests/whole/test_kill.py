"""Killed or stopped anywhere, then run again: the same rows as one clean run.

Ids and the logs of runs may differ, since work that was done is not done
again; everything else is compared by natural keys.
"""

from __future__ import annotations

import os
import random
import shutil
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
from memory_db.sample.build import write_history
from memory_db.store import settings
from memory_db.store.connection import connect
from memory_db.store.schema import open_database
from memory_db.upkeep.check import check
from tests.conftest import NOW
from tests.support.forked import Forked
from tests.support.patience import WAIT_S

SEED = 20_261_101


def differences(path: Path, clean: dict[str, list[tuple[object, ...]]]) -> dict[str, list[tuple[object, ...]]]:
    """By table, what one of two files has and the other has not."""
    found = rows_of(path)
    return {
        name: sorted(set(found[name]) ^ set(clean[name]), key=repr)[:4] or [(len(found[name]), len(clean[name]))]
        for name in ROWS
        if found[name] != clean[name]
    }


def run_words(database: Path, history: Path) -> list[str]:
    """The command that is disturbed."""
    return ["-d", str(database), "run", "--dir", str(history)]


def start(database: Path, history: Path) -> Forked:
    """The run, under way at once."""
    return Forked(run_words(database, history), database.parent)


def start_cold(database: Path, history: Path) -> subprocess.Popen[str]:
    """The run as somebody types it: an interpreter that starts, and loads everything."""
    return subprocess.Popen(
        [sys.executable, "-m", "memory_db", *run_words(database, history)],
        env={**os.environ, "HOME": str(database.parent), "OMP_NUM_THREADS": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=obey_ctrl_c,
    )


def obey_ctrl_c() -> None:
    """Undoes that a shell starts what runs in the background with SIGINT ignored, which children inherit."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def finish(database: Path, history: Path) -> None:
    """The same command again, to its end."""
    code, errors = start(database, history).ended(WAIT_S)
    assert code == 0, errors


def wait_for(process: Forked | subprocess.Popen[str], database: Path, table: str, count: int) -> None:
    """Waits until a table has so many rows, or the run ends."""
    while process.poll() is None and rows_in(database, table) < count:
        time.sleep(0.002)


def rows_in(database: Path, table: str) -> int:
    """How many rows of a table are committed; 0 while there is no file or table yet."""
    try:
        with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True, timeout=5)) as db:
            return int(db.execute(f"select count(*) from {table}").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def without_model(database: Path, empty_file: Path) -> Path:
    """A new file that embeds by static vectors alone: the run takes seconds."""
    shutil.copy(empty_file, database)
    with closing(open_database(database, now=NOW)) as db:
        settings.put(db, "embedding_model", "none", now=NOW)
    return database


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample's transcripts."""
    folder = tmp_path_factory.mktemp("history")
    write_history(folder)
    return folder


@pytest.fixture(scope="module")
def once(history: Path, empty_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that one run filled, which nobody disturbed; static vectors only."""
    database = without_model(tmp_path_factory.mktemp("clean") / "memory.db", empty_file)
    finish(database, history)
    return database


@pytest.fixture(scope="module")
def clean(once: Path) -> dict[str, list[tuple[object, ...]]]:
    """Its rows."""
    rows = rows_of(once)
    assert all(rows[name] for name in ROWS if name not in ("embeddings", "token_signs", "jobs", "tags"))
    return rows


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "count"), [("sources", 1), ("entries", 300), ("candidates", 1), ("decisions", 1), ("static_vectors", 1)]
)
def test_killed_in_each_stage(
    table: str, count: int, tmp_path: Path, history: Path, empty_file: Path, clean: dict[str, list[tuple[object, ...]]]
) -> None:
    database = without_model(tmp_path / "memory.db", empty_file)
    process = start(database, history)
    wait_for(process, database, table, count)
    process.send_signal(signal.SIGKILL)
    assert process.ended(WAIT_S)[0] == -signal.SIGKILL
    finish(database, history)
    assert differences(database, clean) == {}


@pytest.mark.slow
def test_stopped_by_the_user(
    tmp_path: Path, history: Path, empty_file: Path, clean: dict[str, list[tuple[object, ...]]]
) -> None:
    database = without_model(tmp_path / "memory.db", empty_file)
    process = start_cold(database, history)
    wait_for(process, database, "entries", 100)
    process.send_signal(signal.SIGINT)
    _, output = process.communicate(timeout=WAIT_S)
    assert process.returncode == 1
    assert [line for line in output.splitlines() if line][-1].startswith("Stopped.")
    assert "Traceback" not in output
    finish(database, history)
    assert differences(database, clean) == {}


@pytest.mark.slow
def test_a_second_run_changes_nothing_but_the_log(tmp_path: Path, history: Path, once: Path) -> None:
    database = Path(shutil.copy(once, tmp_path / "memory.db"))
    before = dump_without_logs(database)
    finish(database, history)
    assert dump_without_logs(database) == before


def dump_without_logs(database: Path) -> list[str]:
    """Every row with every column, ids too, except the logs of runs."""
    logs = tuple(f'INSERT INTO "{name}"' for name in ("runs", "extraction_runs", "sqlite_sequence"))
    with closing(connect(database)) as db:
        db.row_factory = None
        return [line for line in db.iterdump() if not line.startswith(logs)]


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_stopped_at_many_moments(
    how: signal.Signals,
    tmp_path: Path,
    history: Path,
    empty_file: Path,
    clean: dict[str, list[tuple[object, ...]]],
) -> None:
    """Again and again at moments by chance, on one file; first while the interpreter starts, then in the work."""
    chance = random.Random(SEED + how)
    stopped = 0
    for number in range(2):
        database = without_model(tmp_path / f"memory{number}.db", empty_file)
        cold = start_cold(database, history)
        time.sleep(chance.uniform(0.2, 2.0))
        cold.send_signal(how)
        answers = [(cold.communicate(timeout=WAIT_S)[1], cold.returncode)]
        for _ in range(8):
            process = start(database, history)
            time.sleep(chance.uniform(0, 2))
            process.send_signal(how)
            code, errors = process.ended(WAIT_S)
            answers.append((errors, code))
            stopped += code != 0
        for errors, code in answers:
            assert "Traceback" not in errors
            # A signal that comes while the interpreter still starts, or already ends, is the system's to answer.
            assert code in (0, -how, *([1] if how == signal.SIGINT else []))
        finish(database, history)
        assert differences(database, clean) == {}
    assert stopped >= 6, "most moments are within the work"


@pytest.mark.slow
def test_killed_while_embedding(tmp_path: Path, history: Path) -> None:
    undisturbed = tmp_path / "clean.db"
    finish(undisturbed, history)
    clean = rows_of(undisturbed)
    assert clean["embeddings"] and clean["token_signs"]
    chance = random.Random(SEED)
    database = tmp_path / "memory.db"
    for _ in range(5):
        process = start(database, history)
        time.sleep(chance.uniform(0, 4))
        process.send_signal(signal.SIGKILL)
        process.ended(WAIT_S)
    process = start(database, history)
    wait_for(process, database, "embeddings", 1)
    process.send_signal(signal.SIGKILL)
    process.ended(WAIT_S)
    finish(database, history)
    assert differences(database, clean) == {}
    with closing(open_database(database, now=datetime.now(UTC))) as db:
        assert check(db, thorough=True) == []
