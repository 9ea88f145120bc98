"""Several items decided at once: previewed, done, undone."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from memory_db.cli.group import cli
from memory_db.errors import ConflictError, InputError, NotFoundError
from memory_db.gate.contradictions.pairs import RESOLUTIONS
from memory_db.gate.review import batches as review_batches
from memory_db.gate.review import junk
from memory_db.gate.review import junk_actions as junk_retiring
from memory_db.gate.review import queue as review
from memory_db.gate.review.batches import MOST_ITEMS, decide, undo, undo_named
from memory_db.knowledge import locks
from memory_db.store.connection import connect
from tests.support.review_rows import full_queue, state


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def waiting(path: Path, now: datetime) -> Iterator[sqlite3.Connection]:
    with closing(full_queue(path, now)) as db:
        yield db


def items(db: sqlite3.Connection) -> list[str]:
    return [row["item"] for row in review.queue(db)]


def actions_on(item: str) -> tuple[str, ...]:
    return RESOLUTIONS if item.startswith("x") else ("accept", "decline")


@pytest.mark.slow
def test_every_decision_is_previewed_done_and_undone_exactly(waiting: sqlite3.Connection, now: datetime) -> None:
    refused = []
    for item in items(waiting):
        for action in actions_on(item):
            for hour in (1, 2):  # what was undone can be decided and undone again
                later = now + timedelta(hours=hour)
                before = state(waiting)
                previewed = decide(waiting, [item], action, now=later, is_dry_run=True)
                assert state(waiting) == before and previewed.number is None
                done = decide(waiting, [item], action, now=later)
                assert done.outcomes == previewed.outcomes
                if done.number is None:
                    refused.append(item)
                    assert state(waiting) == before and "cannot be kept" in done.outcomes[0].left
                    continue
                after = state(waiting)
                assert item not in items(waiting)
                quiet = done.outcomes[0].told == ("nothing that is known changes",)
                assert quiet == all(after[name] == before[name] for name in ("memories", "edges", "evidence")) or (
                    "contradict" in done.outcomes[0].told[0] or "held back" in done.outcomes[0].told[0]
                )
                (undone,) = undo(waiting, done.number, now=later + timedelta(minutes=1))
                assert not undone.left and state(waiting) == before
    assert len(refused) == 2, "only the attack cannot be accepted"


def test_a_dry_run_writes_nothing(waiting: sqlite3.Connection, now: datetime, path: Path) -> None:
    with closing(connect(path)) as other:
        version = other.execute("pragma data_version").fetchone()[0]
        batch = decide(waiting, items(waiting), "accept", now=now, is_dry_run=True)
        assert len(batch.done) > 8
        assert other.execute("pragma data_version").fetchone()[0] == version


def test_many_at_once_and_what_cannot_be_is_left(waiting: sqlite3.Connection, now: datetime) -> None:
    before = state(waiting)
    names = [*items(waiting), "c999", "zebra"]
    previewed = decide(waiting, names, "accept", now=now, is_dry_run=True)
    batch = decide(waiting, names, "accept", by="root", now=now)
    assert batch.outcomes == previewed.outcomes
    left = {each.item: each.left for each in batch.outcomes if each.left}
    assert "no candidate c999" in left["c999"] and "is no item" in left["zebra"]
    assert "is a contradiction" in next(why for item, why in left.items() if item.startswith("x"))
    assert "cannot be kept" in next(why for item, why in left.items() if item.startswith("c") and item != "c999")
    row = waiting.execute("select * from review_batches").fetchone()
    assert row["decided_by"] == "root" and len(json.loads(row["items"])) == len(batch.done)
    outcomes = undo(waiting, batch.number or 0, now=now + timedelta(hours=1))
    assert [each.item for each in outcomes] == [each.item for each in reversed(batch.done)]
    assert not [each.left for each in outcomes if each.left] and state(waiting) == before
    with pytest.raises(ConflictError, match="undone already"):
        undo(waiting, batch.number or 0, now=now)


def test_what_changed_since_is_left(waiting: sqlite3.Connection, now: datetime) -> None:
    candidate = next(row["item"] for row in review.queue(waiting) if row["would"] == "add")
    retire = next(row["item"] for row in review.queue(waiting) if row["kind"] == "retire")
    batch = decide(waiting, [candidate, retire], "accept", now=now)
    made = batch.outcomes[0].memory
    locks.lock(waiting, made or "", by="user", reason="x", now=now)
    found = {each.item: each.left for each in undo(waiting, batch.number or 0, now=now)}
    assert "is locked" in found[candidate] and not found[retire]
    assert retire in items(waiting) and candidate not in items(waiting)
    entry = review_batches.lately(waiting)[0]
    assert entry["undone_at"] is None and [each["undone"] for each in entry["items"]] == [False, True]


def test_what_was_decided_again_since_is_not_touched(waiting: sqlite3.Connection, now: datetime) -> None:
    first = {action: decide(waiting, [item], action, now=now) for item, action in (("p1", "decline"), ("x1", "both"))}
    undo(waiting, first["decline"].number or 0, now=now)
    decide(waiting, ["p1"], "accept", now=now + timedelta(hours=1))
    review.take_back_item(waiting, "x1", now=now)
    review.resolve(waiting, "x1", "first", now=now + timedelta(hours=1))
    before = state(waiting)
    (left,) = undo(waiting, first["both"].number or 0, now=now)
    assert "decided again since" in left.left and state(waiting) == before
    declined = decide(waiting, ["c5"], "decline", now=now)
    review.accept(waiting, "c5", now=now)
    before = state(waiting)
    (left,) = undo(waiting, declined.number or 0, now=now)
    assert "decided again since" in left.left and state(waiting) == before


@pytest.mark.parametrize(
    ("names", "action", "note", "words"),
    [
        (["c5"], "eat", "", "No action 'eat'"),
        ([], "accept", "", "0 items are named"),
        ([f"c{number}" for number in range(MOST_ITEMS + 1)], "accept", "", "Name 1 to 200"),
        (["c5"], "accept", "because", "kept with a contradiction alone"),
    ],
)
def test_bad_orders_are_refused(
    waiting: sqlite3.Connection, now: datetime, names: list[str], action: str, note: str, words: str
) -> None:
    before = state(waiting)
    with pytest.raises(InputError, match=words):
        decide(waiting, names, action, note=note, now=now)
    assert state(waiting) == before
    with pytest.raises(NotFoundError, match="no batch 99"):
        undo(waiting, 99, now=now)


def test_batches_of_junk_are_listed_and_undone_too(waiting: sqlite3.Connection, now: datetime) -> None:
    before = state(waiting)
    row = waiting.execute("select id, uid, kind, title from memories where id = 4").fetchone()
    found = junk.JunkFinding(
        "never_shown", row["id"], row["uid"], row["kind"], row["title"], None, "never shown", 9, "rules", "1", "", "",
        False,
    )  # fmt: skip
    batch = junk_retiring.retire_all(waiting, [found], now=now)
    assert batch.retired == (row["uid"],)
    entry = review_batches.lately(waiting)[0]
    assert entry["batch"] == batch.name and entry["memories"] == 1
    (outcome,) = undo_named(waiting, batch.name, now=now)
    assert outcome.item == row["uid"] and state(waiting)["memories"] == before["memories"]


def run(path: Path, *words: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli, ["-d", str(path), *words])
    return result.exit_code, result.output


@pytest.mark.slow
def test_the_commands(waiting: sqlite3.Connection, path: Path) -> None:
    assert run(path, "run", "--only", "index")[0] == 0
    before = state(waiting)
    assert "Nothing was decided yet" in run(path, "review", "lately")[1]
    code, output = run(path, "review", "accept", "c5", "p1", "c999")
    assert code == 1 and "c5: merge" in output and "no candidate c999" in output and "review undo 1" in output
    assert "accept" in run(path, "review", "lately")[1]
    (entry,) = json.loads(run(path, "review", "lately", "--json")[1])
    assert [each["item"] for each in entry["items"]] == ["c5", "p1"]
    code, output = run(path, "review", "undo", "1", "--dry-run")
    assert code == 0 and "c5: waits again (not kept: dry run)" in output
    assert run(path, "review", "undo", "1")[0] == 0 and state(waiting) == before
    code, output = run(path, "review", "undo", "1")
    assert code == 1 and "undone already" in output and "Traceback" not in output
    assert json.loads(run(path, "review", "resolve", "x1", "first", "--json")[1])["batch"] == 2
