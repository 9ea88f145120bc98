"""Encrypted copies and exports, from making them to reading them again."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import threading
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memory_db.extras import how_to_install
from memory_db.knowledge.memories import add_memory
from memory_db.store import backup, encryption_key, settings
from memory_db.store.connection import connect
from memory_db.store.encryption import Key
from memory_db.store.keeping import keep_in
from memory_db.upkeep import backups
from memory_db.upkeep.worker import Worker, work
from tests.support.command import run, scalar

pytest.importorskip("cryptography", reason="the extra `encrypted` is not installed")

SAID = "The harbour master is called Brunhild."


@pytest.fixture
def filled(db: sqlite3.Connection, now: datetime) -> sqlite3.Connection:
    settings.put(db, "embedding_model", "none", now=now)
    add_memory(db, text=SAID, kind="domain", scope="user", now=now)
    return db


@pytest.fixture
def key_file(filled: sqlite3.Connection, db_path: Path, tmp_path: Path, now: datetime) -> Path:
    """A key, in the place that the settings name."""
    place = tmp_path / "away" / "my.key"
    place.parent.mkdir()
    encryption_key.make(db_path, place)
    settings.put(filled, "encryption_key_file", str(place), now=now)
    return place


@pytest.fixture
def key(key_file: Path) -> Key:
    found = encryption_key.in_file(key_file)
    assert found
    return found


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


@pytest.mark.slow
def test_a_copy_is_encrypted_verified_and_restored(db_path: Path, key: Key, tmp_path: Path) -> None:
    made = json.loads(run(db_path, "file", "backup", "--encrypt", "--json").stdout)
    copy = Path(made["path"])
    assert copy.name.endswith(".db.enc") and copy.stat().st_mode & 0o777 == 0o600 and made["rows"] > 0
    assert b"Brunhild" not in copy.read_bytes() and b"SQLite" not in copy.read_bytes()
    assert names(copy.parent) == [copy.name] and not list(tmp_path.glob(".*"))
    assert "verified" in run(db_path, "file", "backup", "--verify").stdout
    elsewhere = tmp_path / "new" / "memory.db"
    said = run(elsewhere, "file", "restore", copy, "--key-file", tmp_path / "away" / "my.key").stdout
    assert "verified" in said and scalar(elsewhere, "select text from memories") == SAID
    assert elsewhere.stat().st_mode & 0o777 == 0o600 and not list(elsewhere.parent.glob(".*"))


@pytest.mark.slow
def test_a_changed_or_cut_copy_is_one_line_and_nothing_else(db_path: Path, key: Key, tmp_path: Path) -> None:
    copy = Path(json.loads(run(db_path, "file", "backup", "--encrypt", "--json").stdout)["path"])
    whole = copy.read_bytes()
    for content in (whole[:-1], whole[: len(whole) // 2], whole[:-300] + b"\0" + whole[-299:], whole + b"\0"):
        copy.write_bytes(content)
        for words in (("file", "restore", copy, "--replace"), ("file", "backup", "--verify", copy),
                      ("file", "decrypt", copy, tmp_path / "out.db")):  # fmt: skip
            refused = run(db_path, *words, code=1).output
            assert "changed or cut short" in refused and refused.count("\n") == 1
        assert scalar(db_path, "select text from memories") == SAID
        assert not (tmp_path / "out.db").exists() and not list(tmp_path.glob("*before-restore*"))
        assert not list(tmp_path.glob(".*")) and not list(tmp_path.glob("*.partial"))


def test_without_its_key_a_copy_says_which_one_it_wants(db_path: Path, key: Key, tmp_path: Path) -> None:
    copy = Path(json.loads(run(db_path, "file", "backup", "--encrypt", "--json").stdout)["path"])
    other = encryption_key.make(db_path, tmp_path / "other.key")
    refused = run(db_path, "file", "backup", "--verify", copy, "--key-file", tmp_path / "other.key", code=1).output
    assert key.id in refused and other.id in refused and refused.count("\n") == 1
    refused = run(db_path, "file", "decrypt", copy, tmp_path / "out", "--key-file", tmp_path / "no.key", code=1).output
    assert key.id in refused and "no.key" in refused and refused.count("\n") == 1


@pytest.mark.slow
def test_a_key_is_made_once_and_that_is_said(filled: sqlite3.Connection, db_path: Path, tmp_path: Path) -> None:
    place = tmp_path / "my.key"
    assert "no key" in run(db_path, "file", "key", "--key-file", place, code=1).output
    first = run(db_path, "file", "backup", "--encrypt", "--key-file", place, tmp_path / "1.enc")
    assert "Keep a copy of it elsewhere" in first.stderr
    second = run(db_path, "file", "backup", "--encrypt", "--key-file", place, tmp_path / "2.enc")
    assert "Made the key" not in second.output
    shown = run(db_path, "file", "key", "--show", "--key-file", place).stdout
    assert shown == place.read_text()
    assert str(place) in run(db_path, "file", "key", "--key-file", place).stdout
    assert "already" in run(db_path, "file", "key", "--make", "--key-file", place, code=1).output
    place.chmod(0o644)
    refused = run(db_path, "file", "backup", "--encrypt", "--key-file", place, tmp_path / "3.enc", code=1).output
    assert "chmod 600" in refused and refused.count("\n") == 1 and not (tmp_path / "3.enc").exists()


def test_an_export_is_encrypted_and_read_again(db_path: Path, key: Key, tmp_path: Path) -> None:
    target, back = tmp_path / "memories.json.enc", tmp_path / "memories.json"
    run(db_path, "export", "--encrypt", "--output", target)
    assert b"Brunhild" not in target.read_bytes() and target.stat().st_mode & 0o777 == 0o600
    run(db_path, "file", "decrypt", target, back)
    assert json.loads(back.read_text())[0]["text"] == SAID and back.stat().st_mode & 0o777 == 0o600
    assert "already" in run(db_path, "file", "decrypt", target, back, code=1).output
    assert "already" in run(db_path, "export", "--encrypt", "--output", target, code=1).output
    assert "--output" in run(db_path, "export", "--encrypt", code=1).output
    assert "not encrypted" in run(db_path, "file", "decrypt", back, tmp_path / "x", code=1).output


@pytest.mark.slow
def test_the_worker_encrypts_and_rotates_where_the_settings_say_so(
    filled: sqlite3.Connection, db_path: Path, key_file: Path, now: datetime
) -> None:
    settings.put(filled, "backup_encrypt", "true", now=now)
    for number in range(40):
        moment = now + number * timedelta(hours=25)
        done = work(Worker(db_path, filled, lambda moment=moment: moment, threading.Event()), once=True)  # type: ignore[misc]
        assert not done.troubles
    copies = backup.made_here(db_path)
    assert 4 <= len(copies) <= 7 and all(each.name.endswith(".db.enc") and backup.is_whole(each) for each in copies)
    key_file.unlink()
    done = work(Worker(db_path, filled, lambda: now + timedelta(days=60), threading.Event()), once=True)
    assert "no key" in done.troubles[0] and backup.made_here(db_path) == copies, "no readable copy for want of a key"


@pytest.mark.slow
def test_forgetting_looks_into_encrypted_copies(
    filled: sqlite3.Connection, db_path: Path, key: Key, key_file: Path, now: datetime
) -> None:
    backups.rotate(filled, db_path, keep_in("7d"), now=now, key=key)
    (copy,) = backup.made_here(db_path)
    uid = filled.execute("select uid from memories").fetchone()[0]
    filled.close()
    held = run(db_path, "memory", "forget", uid, "--yes", code=1).output
    assert "STILL HELD" in held and copy.name in held
    hidden = key_file.rename(key_file.with_name("hidden"))
    with closing(connect(db_path, write=True)) as db:
        add_memory(db, text="The cook is called Torvald.", kind="domain", scope="user", now=now)
    unknown = run(db_path, "memory", "forget", "--words", "Torvald", "--yes", code=1).output
    assert copy.name in unknown and "cannot be looked into" in unknown and key.id in unknown
    hidden.rename(key_file)
    with closing(connect(db_path, write=True)) as db:
        settings.put(db, "backup_encrypt", "true", now=now)
        add_memory(db, text="The pilot is called Hjalmar.", kind="domain", scope="user", now=now)
    gone = run(db_path, "memory", "forget", "--words", "Hjalmar", "--yes", "--backups", code=None).output
    assert "STILL HELD" not in gone
    assert not any(b"Hjalmar" in each.read_bytes() for each in backup.folder_of(db_path).iterdir())


@pytest.mark.slow
def test_what_a_killed_command_left_readable_goes(
    filled: sqlite3.Connection, db_path: Path, key: Key, now: datetime
) -> None:
    left = db_path.with_name(f".{db_path.name}.plain-abc")
    left.write_bytes(b"half")
    os.utime(left, ((now - timedelta(days=2)).timestamp(),) * 2)
    assert left in backups.rotate(filled, db_path, keep_in("7d"), now=now, key=key).deleted and not left.exists()


def test_without_the_package_one_line_says_what_is_missing(
    filled: sqlite3.Connection, db_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
    words = ("file", "backup", "--encrypt", "--key-file", tmp_path / "my.key", tmp_path / "copy.enc")
    refused = run(db_path, *words, code=1).output
    assert "cryptography" in refused and how_to_install("encrypted") in refused and refused.count("\n") == 1
    assert not (tmp_path / "my.key").exists() and not (tmp_path / "copy.enc").exists()
