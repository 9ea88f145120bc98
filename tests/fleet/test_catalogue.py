"""The catalogue of a fleet: what it says, and one line for what is wrong with it."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from memory_db.cli import cli, extras
from memory_db.errors import InputError, MissingFileError
from memory_db.extras import how_to_install
from memory_db.fleet import Scope, engine, read_catalogue
from memory_db.fleet.catalogue import chosen

SHARDS = """
shards:
  - {address: anna.db, person: anna}
  - {address: ben/2026-09.db, person: ben, month: 2026-09}
  - {address: ben/2026-10.db, person: ben, month: 2026-10}
  - {address: "s3://team/cleo.db", person: cleo, projects: [tidepool, quay]}
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "fleet.yml"
    path.write_text(text)
    return path


def test_shards_in_order_with_paths_from_where_it_lies(tmp_path: Path) -> None:
    shards = read_catalogue(written(tmp_path, SHARDS))
    assert [shard.name for shard in shards] == ["anna", "ben/2026-09", "ben/2026-10", "cleo/tidepool,quay"]
    assert shards[1].address == str(tmp_path / "ben" / "2026-09.db") and shards[1].is_local
    assert shards[3].address == "s3://team/cleo.db" and not shards[3].is_local


@pytest.mark.parametrize(
    ("scope", "names"),
    [
        (Scope(persons=("ben",)), ["ben/2026-09", "ben/2026-10"]),
        (Scope(projects=("reef",)), ["anna", "ben/2026-09", "ben/2026-10"]),
        (Scope(months=("2026-09",)), ["anna", "ben/2026-09", "cleo/tidepool,quay"]),
        (Scope(persons=("cleo", "anna"), projects=("quay",)), ["anna", "cleo/tidepool,quay"]),
    ],
)
def test_scope(tmp_path: Path, scope: Scope, names: list[str]) -> None:
    assert [shard.name for shard in chosen(read_catalogue(written(tmp_path, SHARDS)), scope)] == names


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("shards: [", "is not YAML"),
        ("people: []", "lists no shards"),
        ("shards: [anna.db]", "Shard 1 of"),
        ("shards: [{address: a.db}]", "has no person"),
        ("shards: [{address: a.db, person: a, owner: b}]", "'owner', which says nothing"),
        ("shards: [{address: a.db, person: a, month: may}]", "the month 'may'"),
        ("shards: [{address: a.db, person: a}, {address: b.db, person: a}]", "both of a"),
        ("shards: [{address: a.db, person: a, project: x}, {address: b.db, person: a, projects: [x, y]}]", "both of a"),
        ("shards: [{address: a.db, person: a}, {address: ./a.db, person: b}]", "listed twice"),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        read_catalogue(written(tmp_path, text))
    assert "\n" not in str(caught.value)


def test_no_catalogue_and_no_shard_of_a_scope(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="No catalogue"):
        read_catalogue(tmp_path / "none.yml")
    with pytest.raises(InputError, match="No shard is of zoe"):
        chosen(read_catalogue(written(tmp_path, SHARDS)), Scope(persons=("zoe",)))


def test_without_its_packages_one_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(extras.EXTRAS, "fleet", ("no_such_module",))
    result = CliRunner().invoke(cli, ["file", "fleet", "recall", str(tmp_path / "fleet.yml"), "a question"])
    assert result.exit_code == 1 and how_to_install("fleet") in result.output
    assert len(result.output.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("loaded", "names"),
    [
        ("cli, memory_db.hook, memory_db.hooks.prompt, memory_db.cli.recall.recall, memory_db.datasette_plugin",
         ("dask", "distributed", "duckdb", "pyarrow", "fsspec", "memory_db.fleet")),
        # Where pyarrow is installed pandas loads it by itself.
        ("cli.fleet.commands", ("dask", "distributed", "duckdb", "fsspec", "memory_db.fleet")),
    ],
)  # fmt: skip
@pytest.mark.slow
def test_nothing_of_it_loads_otherwise(loaded: str, names: tuple[str, ...]) -> None:
    code = f"import sys, memory_db.{loaded}; print([name for name in {names} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("address", ["nowhere", "http://localhost:1", "tcp://127.0.0.1:{port}"])
def test_a_scheduler_that_does_not_answer(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither where no such address can be, nor where something listens that never says a word."""
    monkeypatch.setattr(engine, "CONNECT_S", 0.3)
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        over = threading.Timer(5, silent.close)
        over.start()
        address = address.format(port=silent.getsockname()[1])
        args = ["file", "fleet", "recall", str(written(tmp_path, SHARDS)), "a question", "--scheduler", address]
        started = time.monotonic()
        result = CliRunner().invoke(cli, args)
        assert time.monotonic() - started < 4
        over.cancel()
    assert result.exit_code == 1 and f"No Dask scheduler answers at {address}" in result.output


@pytest.mark.parametrize(
    "said", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"SSH-2.0-OpenSSH_9.2\r\n", b"\0" * 64], ids=["http", "ssh", "zeros"]
)
def test_at_the_address_of_a_scheduler_another_program_answers(said: bytes, tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as other:

        def answer() -> None:
            with closing(other.accept()[0]) as caller:
                caller.sendall(said)
                caller.recv(1000)

        speaking = threading.Thread(target=answer, daemon=True)
        speaking.start()
        address = f"tcp://127.0.0.1:{other.getsockname()[1]}"
        args = ["file", "fleet", "recall", str(written(tmp_path, SHARDS)), "a question", "--scheduler", address]
        result = CliRunner().invoke(cli, args)
        speaking.join()
    assert result.exit_code == 1 and f"No Dask scheduler answers at {address}" in result.output, result.exception
