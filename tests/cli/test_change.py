"""The commands by which a person says what to believe."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memory_db.cli import cli
from memory_db.knowledge.memories import add_memory
from memory_db.recall.brief import select as brief
from memory_db.recall.search import Question
from memory_db.store.connection import connect


@pytest.fixture
def uid(db: sqlite3.Connection, now: datetime) -> str:
    return add_memory(
        db, text="Ferries sail at nine from the east quay", kind="domain", scope="user", origin="model", now=now
    )


def run(path: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["-d", str(path), *arguments], prog_name="memory-db")


def printed_json(path: Path, *arguments: str) -> dict[str, object]:
    done = run(path, *arguments, "--json")
    assert done.exit_code == 0, done.output
    return dict(json.loads(done.output))


def test_confirming_counts_once_a_day_and_lifts_the_prior(db_path: Path, uid: str) -> None:
    first, again = (
        printed_json(db_path, "memory", "confirm", uid, "--note", "asked the harbour"),
        printed_json(db_path, "memory", "confirm", uid),
    )
    assert (first["is_new"], again["is_new"]) == (True, False)
    assert first["tier"] == "explicit" and first["alpha"] == again["alpha"] == pytest.approx(3 + 0.3 + 1)
    with closing(connect(db_path)) as db:
        assert db.execute("select note from evidence where kind = 'confirmed'").fetchone()[0] == "asked the harbour"
    assert "counted already today" in run(db_path, "memory", "confirm", uid).output


def test_feedback_by_kind_and_for_one_recall(db_path: Path, db: sqlite3.Connection, uid: str, now: datetime) -> None:
    answer = brief.ask(db, Question("when do ferries sail"), surface="cli", now=now)
    assert printed_json(db_path, "memory", "feedback", uid, "wrong", "--recall", str(answer.recall_uid))[
        "beta"
    ] == pytest.approx(3)
    assert printed_json(db_path, "memory", "feedback", uid, "wrong")["beta"] == pytest.approx(5)
    assert printed_json(db_path, "memory", "feedback", uid, "used")["evidence_for"] == 2
    row = db.execute("select recall_id, source from evidence where recall_id is not null").fetchone()
    assert tuple(row) == (answer.recall_id, f"recall {answer.recall_uid}")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("memory", "feedback", "UID", "hunch"), "No kind of evidence 'hunch'"),
        (("memory", "feedback", "UID", "stated"), "not by hand"),
        (("memory", "feedback", "UID", "used", "--recall", "r0"), "No recall 'r0'"),
        (("memory", "confirm", "m00"), "No memory 'm00'"),
        (("memory", "restore", "UID"), "is active, not retired"),
    ],
)
def test_what_cannot_be_is_reported_in_a_line(db_path: Path, uid: str, arguments: tuple[str, ...], words: str) -> None:
    with closing(connect(db_path)) as db:
        before = list(db.iterdump())
    done = run(db_path, *(uid if word == "UID" else word for word in arguments))
    assert done.exit_code == 1 and done.output.count("\n") == 1
    assert words in done.output
    with closing(connect(db_path)) as db:
        assert list(db.iterdump()) == before


def test_feedback_names_a_recall_by_its_number_too(
    db_path: Path, db: sqlite3.Connection, uid: str, now: datetime
) -> None:
    answer = brief.ask(db, Question("ferries"), surface="cli", now=now)
    assert [hit.uid for hit in answer.shown] == [uid]
    assert run(db_path, "memory", "feedback", uid, "used", "--recall", str(answer.recall_id)).exit_code == 0
    assert "already" in run(db_path, "memory", "feedback", uid, "used", "--recall", str(answer.recall_uid)).output
    sources = [row["source"] for row in db.execute("select source from evidence where kind = 'used'")]
    assert sources == [f"recall {answer.recall_uid}"]
    taken = run(db_path, "memory", "feedback", uid, "used", "--recall", str(answer.recall_id), "--take-back")
    assert taken.exit_code == 0 and "taken back" in taken.output


def test_feedback_can_be_taken_back_and_given_again(db_path: Path, uid: str) -> None:
    before = printed_json(db_path, "memory", "feedback", uid, "confirmed", "--take-back")
    assert before["is_new"] is False
    printed_json(db_path, "memory", "confirm", uid)
    taken_back = printed_json(db_path, "memory", "feedback", uid, "confirmed", "--take-back")
    assert (taken_back["is_new"], taken_back["tier"], taken_back["alpha"]) == (True, "inferred", before["alpha"])
    assert printed_json(db_path, "memory", "confirm", uid)["tier"] == "explicit"
    with closing(connect(db_path)) as db:
        rows = db.execute("select withdrawn_at is null from evidence where kind = 'confirmed' order by id").fetchall()
    assert [row[0] for row in rows] == [0, 1]


def test_a_lock_is_set_and_taken_away(db_path: Path, uid: str) -> None:
    assert printed_json(db_path, "memory", "lock", uid, "--note", "always")["lock_level"] == "user"
    assert "locked already" in run(db_path, "memory", "lock", uid).output
    assert printed_json(db_path, "memory", "unlock", uid)["lock_level"] == "none"
    assert "not locked" in run(db_path, "memory", "unlock", uid).output


def add(path: Path, text: str) -> str:
    return str(printed_json(path, "add", text)["uid"])


def statuses(path: Path) -> list[str]:
    with closing(connect(path)) as db:
        return [row["status"] for row in db.execute("select status from memories order by id")]


def test_a_correction_is_taken_back(db_path: Path) -> None:
    old = add(db_path, "The ferry leaves from the east quay.")
    done = run(db_path, "memory", "correct", "The ferry leaves from the west quay.", "--replaces", old)
    assert f"To take it back: memory-db memory restore {old}" in done.output
    new = done.output.split()[0]
    assert f"{new} retired" in run(db_path, "memory", "restore", old).output
    assert statuses(db_path) == ["active", "retired"]
    dry = run(db_path, "memory", "correct", "It leaves from the north quay.", "--replaces", old, "--dry-run")
    assert "To take it back" not in dry.output


def test_restoring_twice_lets_the_replaced_one_hold_and_not_neither(db_path: Path) -> None:
    old = add(db_path, "The ferry leaves from the east quay.")
    new = run(db_path, "memory", "correct", "It leaves from the west quay.", "--replaces", old).output.split()[0]
    run(db_path, "memory", "retire", old)
    first = run(db_path, "memory", "restore", old)
    assert f"{new} replaces it, as before. To let {old} hold again: memory-db memory restore {old}" in first.output
    assert statuses(db_path) == ["superseded", "active"]
    again = run(db_path, "memory", "restore", old)
    assert f"{old} restored: active" in again.output and f"{new} retired" in again.output
    assert statuses(db_path) == ["active", "retired"]
    with closing(connect(db_path)) as db:
        assert [row[0] for row in db.execute("select valid_to from memories where uid = ?", [old])] == [None]


@pytest.mark.parametrize("way", ["--replaces", "--wording-of"])
def test_what_is_redacted_of_a_correction_is_said(db_path: Path, way: str) -> None:
    old = add(db_path, "The database listens on port 5433.")
    done = run(db_path, "memory", "correct", "The vault PIN is 4711.", way, old)
    assert "Redacted: one-time-code. What is kept: The vault PIN is [redacted:one-time-code]." in done.stderr
    done = run(db_path, "memory", "correct", "The door PIN is 5822.", way, done.stdout.split()[0], "--json")
    assert json.loads(done.stdout)["redacted"] == ["one-time-code"] and "Redacted" not in done.stderr


def test_adding_says_why_the_gate_would_reject_it(db_path: Path) -> None:
    added = run(db_path, "add", "How do we deploy?")
    uid = added.stdout.strip()
    assert "From a session this would be rejected: a question. You say it, so it is kept." in added.stderr
    assert f"memory-db memory retire {uid}" in added.stderr
    assert "retire" not in run(db_path, "add", "Who waters the plants?", "--dry-run").stderr
    assert "rejected" not in run(db_path, "add", "Ferries sail at nine.").stderr


def test_what_is_said_again_since_does_not_come_back(db_path: Path) -> None:
    text = "The queue is Redis Streams."
    first = add(db_path, text)
    run(db_path, "memory", "retire", first)
    second = add(db_path, text)
    done = run(db_path, "memory", "restore", first)
    assert done.exit_code == 1 and done.output.count("\n") == 1 and f"Memory {second} says the same" in done.output
    run(db_path, "memory", "retire", second)
    assert run(db_path, "memory", "restore", first).exit_code == 0
    assert run(db_path, "memory", "restore", second).exit_code == 1
    assert statuses(db_path) == ["active", "retired"]


def test_adding_says_what_becomes_of_a_contradiction(db_path: Path) -> None:
    add(db_path, "The API listens on port 8080.")
    arguments = ("add", "The API listens on port 9090.")
    assert "kept beside" not in run(db_path, *arguments, "--dry-run").output
    told = run(db_path, *arguments).output
    assert "It is kept beside what it contradicts; `memory-db review` asks you which holds." in told
    assert statuses(db_path) == ["active", "active"]
    assert "For you: 1 contradiction" in run(db_path, "review").output
    run(db_path, "run", "--only", "contradictions")
    assert "For you: 1 contradiction" in run(db_path, "review").output


def test_what_a_decision_replaced_is_reverted_with_it(db_path: Path) -> None:
    first = add(db_path, "Never deploy on Fridays.")
    run(db_path, "add", "We always deploy on Fridays.")
    run(db_path, "run", "--only", "contradictions")
    run(db_path, "review", "resolve", "x1", "second")
    done = run(db_path, "memory", "restore", first)
    assert done.exit_code == 1 and "`memory-db review revert x1`" in done.output
    assert statuses(db_path) == ["superseded", "active"]


@pytest.mark.slow
def test_deleting_hides_a_memory_until_it_is_restored(db_path: Path, uid: str) -> None:
    assert printed_json(db_path, "memory", "retire", uid, "--note", "the quay is closed")["status"] == "retired"
    assert uid not in run(db_path, "recall", "when do ferries sail").output
    assert "retired already" in run(db_path, "memory", "retire", uid).output
    with closing(connect(db_path)) as db:
        assert db.execute("select change_reason from memories").fetchone()[0] == "the quay is closed"
    assert "No" not in run(db_path, "memory", "lock", uid).output.partition(uid)[0]
    assert printed_json(db_path, "memory", "restore", uid)["status"] == "active"
    assert uid in run(db_path, "recall", "when do ferries sail").output


@pytest.mark.slow
def test_a_dry_run_keeps_nothing(db_path: Path, uid: str) -> None:
    for command in (
        ("memory", "confirm", uid),
        ("memory", "feedback", uid, "wrong"),
        ("memory", "lock", uid),
        ("memory", "retire", uid),
    ):
        done = run(db_path, *command, "--dry-run")
        assert done.exit_code == 0 and "not kept: dry run" in done.output
    with closing(connect(db_path)) as db:
        row = db.execute("select status, lock_level, (select count(*) from evidence) from memories").fetchone()
    assert tuple(row) == ("active", "none", 1)


def test_a_text_that_is_refused_leaves_no_project(
    db_path: Path, db: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    before = list(db.iterdump())
    assert run(db_path, "add", '"', "--path", "2026-10-01").exit_code == 1
    assert list(db.iterdump()) == before
    assert run(db_path, "add", "Ferries sail at nine").exit_code == 0
    assert db.execute("select count(*) from projects where canonical_path = ?", [str(tmp_path)]).fetchone()[0] == 1


@pytest.mark.slow
def test_reverting_several_is_all_or_nothing(sample_path: Path) -> None:
    with closing(connect(sample_path)) as db:
        number = db.execute("select max(id) from decisions where action = 'add'").fetchone()[0]
        before = list(db.iterdump())
    ended = run(sample_path, "review", "revert", str(number), "nothing", "--json")
    assert ended.exit_code == 1 and "nothing" in ended.output
    with closing(connect(sample_path)) as db:
        assert list(db.iterdump()) == before
    assert run(sample_path, "review", "revert", str(number)).exit_code == 0


def test_another_value_can_be_added_by_hand(db_path: Path) -> None:
    """Nobody said it in a session, so there are no words before it that could call the first one outdated."""
    assert run(db_path, "add", "The public limit is 60 requests.", "--user").exit_code == 0
    second = run(db_path, "add", "The public limit is 120 requests.", "--user")
    assert second.exit_code == 0, second.output
    assert "60 requests" in second.output


def test_what_is_redacted_of_an_added_text_is_said(db_path: Path) -> None:
    added = run(db_path, "add", "The vault PIN is 4711.", "--user")
    assert "Redacted: one-time-code. What is kept: The vault PIN is [redacted:one-time-code]." in added.stderr
    with closing(connect(db_path)) as db:
        assert re.search(r"\b4711\b", "".join(db.iterdump())) is None, "as a word: moments and vectors have digits too"
    printed = run(db_path, "add", "The door PIN is 5822.", "--user", "--json").stdout
    assert json.loads(printed)["redacted"] == ["one-time-code"]
    assert "Redacted" not in run(db_path, "add", "Ferries sail at nine.", "--user").output


def test_what_was_done_is_said_once_and_in_words(db_path: Path, db: sqlite3.Connection, uid: str) -> None:
    said = run(db_path, "memory", "retire", uid).output
    assert f"{uid} retired: confidence 0." in said and " (inferred; evidence: " in said
    assert f"{uid} restored: active, confidence" in run(db_path, "memory", "restore", uid).output
    run(db_path, "memory", "correct", "Ferries sail at nine from the eastern quay", "--wording-of", uid)
    row = db.execute("select change_reason from memories where uid = ?", [uid]).fetchone()
    assert row["change_reason"] == "reworded on the command line"


def test_opposed_memories_are_told_in_their_own_words(db_path: Path, db: sqlite3.Connection, now: datetime) -> None:
    for text in ("Indent the serving files with tabs.", "Never indent the serving files with tabs."):
        add_memory(db, text=text, kind="convention", scope="user", now=now)
    assert run(db_path, "memory", "contradictions", "--find").exit_code == 0
    for command in (("review",), ("memory", "contradictions")):
        told = run(db_path, *command).output
        assert "one says to do what the other says not to do, on: indent, serving, files" in told, told
