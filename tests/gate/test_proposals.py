"""Changes that wait for a person: proposed once, accepted, declined, taken back."""

from __future__ import annotations

import sqlite3
from datetime import datetime

import pytest

from memory_db.errors import ConflictError, InputError, NotFoundError
from memory_db.knowledge import proposals
from memory_db.knowledge.memories import add_memory


@pytest.fixture
def memory_id(db: sqlite3.Connection, now: datetime) -> int:
    uid = add_memory(db, text="Deploys go out on Tuesdays.", kind="convention", scope="user", now=now)
    return int(db.execute("select id from memories where uid = ?", [uid]).fetchone()[0])


def retire_it(db: sqlite3.Connection, proposal: proposals.Proposal, now: datetime, by: str) -> None:
    db.execute(
        "update memories set status = 'retired', changed_by = ?, change_reason = ?, updated_at = ? where id = ?",
        [by, proposal.reason, now.isoformat(), proposal.memory_id],
    )


def test_the_same_is_proposed_once_whatever_became_of_it(db: sqlite3.Connection, memory_id: int, now: datetime) -> None:
    def ask(text: str = "") -> int | None:
        return proposals.propose(db, "retire", memory_id, reason="never shown", by="junk", now=now, text=text)

    first = ask()
    assert first is not None and ask() is None and ask("other words") is not None
    proposals.decline(db, first, now=now)
    assert ask() is None
    assert db.execute("select state from proposals where id = ?", [first]).fetchone()[0] == "declined"


def test_accepting_does_it_and_reverting_takes_it_back(db: sqlite3.Connection, memory_id: int, now: datetime) -> None:
    number = proposals.propose(db, "retire", memory_id, reason="never shown", by="junk", now=now)
    assert number is not None
    assert list(proposals.accept(db, number, {"retire": retire_it}, now=now)) == ["changed"]
    assert db.execute("select status from memories").fetchone()[0] == "retired"
    with pytest.raises(ConflictError, match="accepted already"):
        proposals.accept(db, number, {"retire": retire_it}, now=now)
    assert proposals.revert(db, number, now=now)[0].endswith("as before: status")
    assert db.execute("select status from memories").fetchone()[0] == "active"
    with pytest.raises(ConflictError, match="is reverted"):
        proposals.revert(db, number, now=now)


def test_a_change_in_between_is_left_alone(db: sqlite3.Connection, memory_id: int, now: datetime) -> None:
    number = proposals.propose(db, "retire", memory_id, reason="never shown", by="junk", now=now)
    assert number is not None
    proposals.accept(db, number, {"retire": retire_it}, now=now)
    db.execute("update memories set status = 'superseded', changed_by = 'user', change_reason = 'x'")
    with pytest.raises(ConflictError, match=r"status of memory .* changed since, by user"):
        proposals.revert(db, number, now=now)
    assert db.execute("select state from proposals").fetchone()[0] == "accepted"


def test_what_fails_changes_nothing(db: sqlite3.Connection, memory_id: int, now: datetime) -> None:
    def fail(db: sqlite3.Connection, proposal: proposals.Proposal, now: datetime, by: str) -> None:
        retire_it(db, proposal, now, by)
        raise InputError("no")

    number = proposals.propose(db, "lock", memory_id, reason="often used", by="beliefs", now=now)
    assert number is not None
    with pytest.raises(InputError, match="no"):
        proposals.accept(db, number, {"lock": fail}, now=now)
    assert db.execute("select status from memories").fetchone()[0] == "active"
    assert db.execute("select state from proposals").fetchone()[0] == "open"
    with pytest.raises(InputError, match="Nothing here carries out"):
        proposals.accept(db, number, {}, now=now)
    with pytest.raises(NotFoundError, match="no proposal p99"):
        proposals.decline(db, 99, now=now)
