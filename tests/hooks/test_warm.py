"""A prompt's hook where a process with the model runs, where none does, and where one only seems to."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory_db.agents import warm as warm_side
from memory_db.hooks import warm
from memory_db.recall.brief import spool
from memory_db.store import settings
from memory_db.store.schema import open_database
from tests.support.hook_process import fire, without_runs
from tests.support.patience import wait_for

PROMPT = "add an index on readings for sensor_id"


@pytest.fixture
def sample_path(sample_file: Path, tmp_path: Path) -> Path:
    """A copy of the sample's file in which no hook has run yet."""
    return without_runs(sample_file, tmp_path)


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where a warm process listens, in a home of the test's own whose name is short enough for a socket."""
    with tempfile.TemporaryDirectory() as home:
        monkeypatch.setenv("HOME", home)
        path = Path(warm.socket_path())
        path.parent.mkdir(mode=0o700, parents=True)
        yield path


@pytest.fixture
def readers(sample_path: Path, address: Path) -> Iterator[Callable[[], subprocess.Popen[bytes]]]:
    """Starts MCP readers of the sample's file, which end with the test."""
    begun: list[subprocess.Popen[bytes]] = []

    def start() -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "memory_db", "mcp", "-d", str(sample_path)]
        begun.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
        return begun[-1]

    yield start
    for each in begun:
        each.kill()
        each.communicate()


def ask(path: Path, session_uid: str, prompt: str = PROMPT, *, deadline_ms: int = 120_000) -> str:
    """What the hook shows for a prompt, as a process of its own."""
    payload = {"prompt": prompt, "cwd": "/home/sam/code/tidepool", "session_id": session_uid}
    ended = fire("user-prompt", path, json.dumps(payload).encode(), "--deadline-ms", str(deadline_ms))
    assert (ended.returncode, ended.stderr) == (0, b"")
    return json.loads(ended.stdout)["hookSpecificOutput"]["additionalContext"] if ended.stdout else ""


def runs_of(path: Path) -> list[tuple[str, str, str, int]]:
    """Who answered, what came of it, and the profile of each recall."""
    with closing(open_database(path, now=datetime.now(UTC))) as db:
        spool.take_in(db, path, now=datetime.now(UTC))
        found = db.execute(
            "select h.answered_by, h.outcome, coalesce(p.name, ''),"
            " exists (select 1 from hits where recall_id = r.id)"
            " from hook_runs h left join recalls r on r.id = h.recall_id left join profiles p on p.id = r.profile_id"
            " where h.hook = 'user-prompt' order by h.id"
        )
        return [tuple(row) for row in found]


def is_open(address: Path) -> bool:
    """Whether somebody listens there."""
    with socket.socket(socket.AF_UNIX) as one:
        try:
            one.connect(str(address))
        except OSError:
            return False
        return True


def listening(address: Path, answer: Callable[[socket.socket], None]) -> socket.socket:
    """Somebody else who listens at that place, and does this to whoever comes."""
    listener = warm_side.listening(address)

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            answer(connection)

    threading.Thread(target=serve, daemon=True).start()
    return listener


COLD = ("cold", "shown", "hook", 1)


@pytest.mark.slow
def test_without_a_reader_the_hook_answers_by_itself(sample_path: Path, address: Path) -> None:
    assert "postgresql_concurrently" in ask(sample_path, "one")
    assert runs_of(sample_path) == [COLD]


@pytest.mark.slow
def test_a_reader_that_hangs_is_not_waited_for(sample_path: Path, address: Path) -> None:
    kept: list[socket.socket] = []
    with closing(listening(address, kept.append)):
        assert "postgresql_concurrently" in ask(sample_path, "one", deadline_ms=10_000)
    assert len(kept) == 1
    kept[0].close()
    assert runs_of(sample_path) == [COLD]


@pytest.mark.parametrize("said", [b"", b"N", b"\0\0\0\1N", b"\xff\xff\xff\xffA", b"\0\0\0\1A\0\0\0\5half"])
def test_nonsense_is_no_answer(sample_path: Path, address: Path, said: bytes) -> None:
    def answer(connection: socket.socket) -> None:
        with closing(connection):
            connection.sendall(said)

    with closing(listening(address, answer)):
        assert "postgresql_concurrently" in ask(sample_path, "one")
    assert runs_of(sample_path) == [COLD]


@pytest.mark.parametrize("who", ["socket", "folder"])
def test_what_others_may_write_to_is_not_asked(sample_path: Path, address: Path, who: str) -> None:
    kept: list[socket.socket] = []
    with closing(listening(address, kept.append)):
        (address if who == "socket" else address.parent).chmod(0o777)
        assert "postgresql_concurrently" in ask(sample_path, "one")
    assert not kept
    assert runs_of(sample_path) == [COLD]


def test_a_file_where_the_socket_would_be_is_not_asked(sample_path: Path, address: Path) -> None:
    address.write_text("a file")
    address.chmod(0o600)
    assert not warm.is_mine(str(address))
    assert "postgresql_concurrently" in ask(sample_path, "one")


def test_an_answer_that_nobody_logs_is_noted(sample_path: Path, address: Path) -> None:
    def answer(connection: socket.socket) -> None:
        with closing(connection):
            warm.receive(connection)
            warm.receive(connection)
            warm.send(connection, warm.ANSWER)
            warm.send(connection, b"an answer\n")
            connection.recv(1)

    with closing(listening(address, answer)):
        ended = fire("user-prompt", sample_path, b'{"prompt": "add an index on readings", "session_id": "one"}')
    assert (ended.returncode, ended.stdout) == (0, b"an answer\n")
    assert runs_of(sample_path) == [("cold", "failed", "", 0)]


@pytest.mark.slow
def test_a_reader_answers_with_the_full_formula(
    sample_path: Path, address: Path, readers: Callable[[], subprocess.Popen[bytes]]
) -> None:
    readers()
    wait_for("nobody answers", lambda: is_open(address))
    assert address.stat().st_mode & 0o777 == 0o600
    assert address.parent.stat().st_mode & 0o777 == 0o700
    assert "postgresql_concurrently" in ask(sample_path, "one")
    assert ask(sample_path, "two", "thanks") == ask(sample_path, "three", "what is the capital of France") == ""
    assert runs_of(sample_path) == [
        ("warm", "shown", "default", 1), ("warm", "skipped", "", 0), ("warm", "silent", "default", 1),
    ]  # fmt: skip
    other = Path(shutil.copy(sample_path, sample_path.with_name("other.db")))
    with closing(sqlite3.connect(other)) as db:
        db.execute("delete from hook_runs")
        db.commit()
    assert "postgresql_concurrently" in ask(other, "four"), "a reader answers for its own file alone"
    assert runs_of(other) == [COLD]
    with closing(open_database(sample_path, now=datetime.now(UTC))) as db:
        settings.put(db, "warm_hook", "off", now=datetime.now(UTC))
    assert "postgresql_concurrently" in ask(sample_path, "five")
    assert runs_of(sample_path)[-1] == COLD


LOCKS_ARE_TOLD = pytest.mark.skipif(
    not Path("/proc/locks").exists(), reason="the system does not tell who waits for a lock"
)


@pytest.mark.slow
@LOCKS_ARE_TOLD
def test_a_reader_that_found_another_one_takes_over_though_nobody_asks_it(
    sample_path: Path, address: Path, readers: Callable[[], subprocess.Popen[bytes]]
) -> None:
    lock_path = address.with_name(warm.LOCK)
    lock_path.touch(mode=0o600)
    with lock_path.open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        second = readers()
        wait_for("the reader does not wait for the lock", lambda: f" {second.pid} " in waiting_for_locks())
    wait_for("nobody answers", lambda: is_open(address))
    assert "postgresql_concurrently" in ask(sample_path, "one")
    assert [row[0] for row in runs_of(sample_path)] == ["warm"]


@pytest.mark.slow
@LOCKS_ARE_TOLD
def test_of_readers_that_start_at_once_one_has_the_model(
    sample_path: Path, address: Path, readers: Callable[[], subprocess.Popen[bytes]]
) -> None:
    both = [readers(), readers()]
    wait_for("nobody answers", lambda: is_open(address))
    wait_for("no reader waits", lambda: any(f" {each.pid} " in waiting_for_locks() for each in both))
    with_model = ["onnxruntime" in Path(f"/proc/{each.pid}/maps").read_text() for each in both]
    assert sorted(with_model) == [False, True]


def waiting_for_locks() -> str:
    """The lines of the system's list that tell of processes which wait for a lock."""
    return "".join(line for line in Path("/proc/locks").read_text().splitlines(keepends=True) if "->" in line)


@pytest.mark.slow
def test_one_reader_answers_and_the_next_takes_over_when_it_ends(
    sample_path: Path, address: Path, readers: Callable[[], subprocess.Popen[bytes]]
) -> None:
    first = readers()
    wait_for("nobody answers", lambda: is_open(address))
    second = readers()
    assert "postgresql_concurrently" in ask(sample_path, "one")
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    assert "postgresql_concurrently" in ask(sample_path, "two"), "one way or the other"
    wait_for("nobody answers", lambda: is_open(address))
    assert second.poll() is None
    assert "postgresql_concurrently" in ask(sample_path, "three")
    who = [row[0] for row in runs_of(sample_path)]
    assert (who[0], who[-1], len(who)) == ("warm", "warm", 3)
