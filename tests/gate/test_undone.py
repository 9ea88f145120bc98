"""What is said of an item that was undone but does not wait, and of batches of which something was undone by itself."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from memory_db.cli.group import cli
from memory_db.pages.review import actions


def run(path: Path, *words: str) -> str:
    return CliRunner().invoke(cli, ["-d", str(path), *words]).output


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file in which one memory contradicts two others."""
    path = tmp_path / "memory.db"
    for text in ("Never deploy on Fridays.", "Deploy on Fridays is fine.", "We always deploy on Fridays."):
        run(path, "add", text)
    run(path, "run", "--only", "contradictions")
    return path


def first_uid(path: Path) -> str:
    db = sqlite3.connect(path)
    uid = str(db.execute("select uid from memories where id = 1").fetchone()[0])
    db.close()
    return uid


def undone(path: Path) -> list[bool]:
    return [bool(each["undone_at"]) for each in json.loads(run(path, "review", "lately", "--json"))]


def test_what_is_undone_and_does_not_wait_says_what_holds_it_back(path: Path) -> None:
    run(path, "review", "resolve", "x1", "first")
    run(path, "review", "resolve", "x2", "second")
    held_back = f"it waits only when memory {first_uid(path)}, which is superseded, holds again: `memory-db review undo"
    assert f"x1: taken back; {held_back} 2`" in run(path, "review", "undo", "1")
    assert "x2: waits again" in run(path, "review", "undo", "2")
    assert "2 contradictions" in run(path, "review")


def test_what_was_retired_by_hand_is_restored_by_hand(path: Path) -> None:
    run(path, "review", "resolve", "x1", "both")
    run(path, "memory", "retire", first_uid(path))
    assert f"`memory-db memory restore {first_uid(path)}`" in run(path, "review", "undo", "1")


def test_what_was_corrected_leads_to_what_replaced_it(path: Path) -> None:
    run(path, "review", "resolve", "x1", "both")
    run(path, "memory", "correct", "Deploy on Mondays alone.", "--replaces", first_uid(path))
    assert f"`memory-db memory get {first_uid(path)}` shows what replaced it" in run(path, "review", "undo", "1")


def test_the_page_says_what_holds_it_back(path: Path, now: datetime) -> None:
    run(path, "review", "resolve", "x1", "first")
    run(path, "review", "resolve", "x2", "second")
    done = actions.undo(path, {"batch": ["1"]}, now=now)
    assert "x1 waits only when memory" in done["said"] and "review undo 2" in done["said"]


def test_what_is_reverted_by_itself_is_undone_in_its_batch(path: Path) -> None:
    assert "To take it back: memory-db review undo 1" in run(path, "review", "resolve", "x1", "second")
    assert undone(path) == [False]
    run(path, "review", "revert", "X1")
    assert undone(path) == [True]
    assert "Batch 1 is undone already" in run(path, "review", "undo", "1")
    run(path, "review", "resolve", "x1", "second")
    assert undone(path) == [False, True]


def test_a_dry_run_has_nothing_to_take_back(path: Path) -> None:
    assert "To take it back" not in run(path, "review", "resolve", "x1", "both", "--dry-run")


def test_what_was_opened_again_by_something_else_has_nothing_to_undo(path: Path) -> None:
    run(path, "review", "resolve", "x1", "both")
    db = sqlite3.connect(path)
    db.execute("update contradictions set state = 'open', resolution = null, resolved_by = null, resolved_at = null")
    db.commit()
    db.close()
    assert "x1 is open again already. There is nothing to undo" in run(path, "review", "undo", "1")
