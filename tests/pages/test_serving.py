"""Serving: on this machine only, at a free port, with a link that signs in, whatever the file is called."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from memory_db.cli.file.serve import entries_waiting
from memory_db.errors import InputError, MissingFileError
from memory_db.pages.web import serve as serving
from memory_db.upkeep.pipeline import Stage
from tests.support.patience import WAIT_S

pytestmark = pytest.mark.slow

SERVE = "import pathlib, sys; from memory_db.pages.web.serve import serve; serve(pathlib.Path(sys.argv[1]), port=0)"


@pytest.fixture
def path(db: sqlite3.Connection, tmp_path: Path) -> Path:
    """A fresh file whose name metadata.yml does not know."""
    copy = tmp_path / "notes of 2026.db"
    db.execute("vacuum into ?", [str(copy)])
    return copy


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"memory-db run"):
        serving.serve(tmp_path / "none.db")


def test_a_package_that_is_not_whole_is_said(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "METADATA", tmp_path / "metadata.yml")
    with pytest.raises(InputError, match=r"No metadata.yml in .*install memory-db again"):
        serving.metadata_for(path)


def test_a_taken_port_gives_way_to_a_free_one() -> None:
    first, port = serving.listen(0)
    with closing(first):
        first.listen()
        second, other = serving.listen(port)
        with closing(second):
            assert other not in (0, port)
            assert second.getsockname() == ("127.0.0.1", other)


def test_an_answer_does_not_wait_for_the_one_before_it_to_be_acknowledged() -> None:
    listener, _ = serving.listen(0)
    with closing(listener):
        assert listener.proto == socket.IPPROTO_TCP  # else asyncio leaves TCP_NODELAY off


@pytest.mark.parametrize("port", [-1, 65_536, 10**9])
def test_an_absurd_port_is_said(port: int) -> None:
    with pytest.raises(InputError, match=f"Port {port} cannot be used"):
        serving.listen(port)


def test_metadata_takes_the_name_of_the_file(path: Path) -> None:
    metadata = serving.metadata_for(path)
    assert list(metadata["databases"]) == ["notes of 2026"]
    assert metadata["databases"]["notes of 2026"]["queries"]


def test_the_server_answers_and_its_link_signs_in(path: Path) -> None:
    with serving.running(path) as served, httpx2.Client(base_url=served.url, timeout=WAIT_S) as visitor:
        assert served.url.startswith("http://127.0.0.1:")
        assert visitor.get("/-/actor.json").json()["actor"] is None
        assert visitor.get("/").status_code == 401
        assert visitor.get(served.link).status_code in (200, 302)
        assert visitor.get("/-/actor.json").json()["actor"]["id"] == "root"
        assert visitor.get("/").status_code == 200
        assert visitor.get("/", headers={"host": "evil.example"}).status_code == 400
        assert visitor.get(f"/{path.stem}.db").status_code in (403, 404)
        home = visitor.get("/-/memory.json")
        assert "access-control-allow-origin" not in home.headers
        assert home.json()["totals"]["memories"] == 0
        with httpx2.Client(base_url=served.url, timeout=WAIT_S) as another:
            another.get(served.link)
            assert another.get("/-/actor.json").json()["actor"] is None


def test_nothing_listens_beyond_this_machine(path: Path) -> None:
    with serving.running(path) as served:
        assert served.listener.getsockname()[0] == "127.0.0.1"
        with pytest.raises(OSError), socket.create_connection(("127.0.0.2", served.port), timeout=2):
            pass


def test_ctrl_c_ends_it_quietly(path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", SERVE, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("Open http://127.0.0.1:")
        assert httpx2.get(line.split()[1], timeout=WAIT_S).status_code in (200, 302)
        os.kill(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=WAIT_S)
    finally:
        if process.poll() is None:
            process.kill()
    assert process.returncode == 0
    assert "Traceback" not in errors
    assert errors.strip() == ""


def test_entries_that_wait_are_found_whichever_stage_left_them() -> None:
    stages = [
        Stage("import", {"sessions": 2}, 1.0),
        Stage("index", {"entries_waiting": 5}, 1.0),
        Stage("feedback", {}, 1.0),
    ]
    assert (entries_waiting(stages), entries_waiting([])) == (5, 0)
