"""What reasons and notes quote of a memory goes with it, and what rests on it does not wait any more."""

from __future__ import annotations

import re
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from memory_db.cli import cli
from memory_db.gate.contradictions import pairs as contradictions
from memory_db.gate.review.queue import PERSON
from memory_db.knowledge import proposals
from memory_db.knowledge.memories import add_memory, correct
from memory_db.upkeep.forget import target as forgetting
from memory_db.upkeep.forget.preview import preview
from memory_db.upkeep.forget.run import Forgotten, forget

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
OLD, NEW = "The staging server listens on port 48080.", "The staging server listens on port 49090."
"""Their ports have five digits: one of four stands by chance in one uid of a thousand, and is not gone then."""


def remember(db: sqlite3.Connection, *texts: str) -> list[str]:
    """The uids of texts that are kept; what contradicts another is found."""
    uids = [str(add_memory(db, text=text, kind="environment", scope="user", now=NOW)) for text in texts]
    contradictions.find(db, now=NOW)
    return uids


def forget_words(db: sqlite3.Connection, path: Path, words: str) -> Forgotten:
    told = preview(db, path, forgetting.by_words(db, words))
    done = forget(db, path, forgetting.by_words(db, words), now=NOW)
    assert done.is_gone and told.places == done.repetitions and done.rows.items() <= told.rows.items()
    return done


def values(db: sqlite3.Connection, sql: str) -> list[str]:
    return [row[0] for row in db.execute(sql)]


def said_in(db: sqlite3.Connection) -> str:
    """All that the rows of the file say, without numbers that are vectors, full text or the moments of migrations."""
    return re.sub(r"X'[0-9A-F]*'|\d{4}-\d\d-\d\d[T ][\d:.]+", "", "".join(db.iterdump()))


@pytest.mark.parametrize(
    ("old", "new", "words", "value"),
    [
        (OLD, NEW, "port 49090", "49090"),
        (OLD, NEW, "port 48080", "48080"),
        ("Backups are kept for thirty days.", "Backups are kept for ninety days.", "for ninety days", "90 "),
        ("The build uses npm.", "The build uses yarn.", "uses yarn", "yarn"),
    ],
)
def test_a_contradiction_that_rests_on_what_is_gone_closes(
    db: sqlite3.Connection, db_path: Path, old: str, new: str, words: str, value: str
) -> None:
    remember(db, old, new)
    (reason,) = values(db, "select reason from contradictions where state = 'open'")
    assert value.strip() in reason.split()
    assert forget_words(db, db_path, words).rows["contradictions"] == 1
    assert values(db, "select reason from contradictions") == []
    contradictions.find(db, now=NOW)
    assert values(db, "select reason from contradictions") == [], "it does not come back"


def test_a_contradiction_that_rests_on_something_else_stays(db: sqlite3.Connection, db_path: Path) -> None:
    remember(db, OLD, "The staging server listens on port 49090, says Maren Okonkwo.")
    assert values(db, "select reason from contradictions") == ["49090 or 48080"]
    forget_words(db, db_path, ", says Maren Okonkwo")
    assert values(db, "select reason from contradictions where state = 'open'") == ["49090 or 48080"]


def test_reasons_of_what_was_decided_lose_the_value(db: sqlite3.Connection, db_path: Path) -> None:
    remember(db, OLD, NEW)
    (number,) = values(db, "select id from contradictions")
    contradictions.resolve(db, int(number), "second", by=PERSON, note="48080 was the old box", now=NOW)
    done = forget_words(db, db_path, "port 48080")
    assert values(db, "select reason || '; ' || note from contradictions") == [
        "49090 or [forgotten]; [forgotten] was the old box"
    ]
    assert done.repetitions["contradictions.reason"] == done.repetitions["contradictions.note"] == 1
    assert "48080" not in said_in(db)


def test_a_reason_that_holds_the_words_themselves_counts_once(db: sqlite3.Connection, db_path: Path) -> None:
    remember(db, OLD, NEW)
    (number,) = values(db, "select id from contradictions")
    contradictions.resolve(db, int(number), "both", by=PERSON, now=NOW)
    assert forget_words(db, db_path, "49090").repetitions["contradictions.reason"] == 1
    assert values(db, "select reason from contradictions") == ["[forgotten] or 48080"]


def test_what_replaced_a_memory_does_not_quote_it_on(db: sqlite3.Connection, db_path: Path) -> None:
    (old,) = remember(db, OLD)
    new = correct(db, old, NEW, reason="48080 is taken, so 49090", by="user", now=NOW)
    assert "48080 is taken, so 49090" in values(db, "select change_reason from memory_versions")
    assert forget(db, db_path, forgetting.by_uid(db, old), now=NOW).is_gone
    assert "48080" not in said_in(db)
    (reason,) = values(db, f"select change_reason from memories where uid = '{new}'")
    assert reason == "[forgotten] is taken, so 49090", "what it says itself stays"


def test_a_proposal_that_rests_on_what_is_gone_goes(db: sqlite3.Connection, db_path: Path) -> None:
    _, new = remember(db, "Deploys go through the harbor pipeline.", NEW)
    ids = {row["uid"]: row["id"] for row in db.execute("select id, uid from memories")}
    for reason in ("says 49090", "nobody needs it"):
        kind = "retire" if reason == "says 49090" else "lock"
        proposals.propose(db, kind, ids[new], reason=reason, by="a program", now=NOW)
    forget_words(db, db_path, "port 49090")
    assert values(db, "select reason from proposals") == ["nobody needs it"]


@pytest.mark.parametrize("words", ["Billing is owned by Sam", "Billing is owned by Sam."])
def test_a_memory_that_has_nothing_left_to_say_goes(db: sqlite3.Connection, db_path: Path, words: str) -> None:
    remember(db, "(Billing is owned by Sam.)")
    assert forget_words(db, db_path, words).rows["memories"] == 1
    assert values(db, "select text from memories") == []


def test_a_memory_with_a_word_left_keeps_it(db: sqlite3.Connection, db_path: Path) -> None:
    remember(db, "Billing is owned by Sam.")
    forget_words(db, db_path, "Billing is owned by")
    assert values(db, "select text from memories") == ["[forgotten] Sam."]


def test_the_advice_about_copies_can_be_typed(db: sqlite3.Connection, db_path: Path) -> None:
    def run(*arguments: str) -> str:
        return CliRunner().invoke(cli, ["-d", str(db_path), *arguments]).output

    (uid,) = remember(db, OLD)
    run("file", "backup")
    told = run("memory", "forget", uid, "--yes")
    assert "`memory-db memory forget --words TEXT --backups`" in told
    assert "none is left" in run("memory", "forget", "--words", OLD, "--backups", "--yes")
