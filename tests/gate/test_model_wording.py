"""What a model says in fuller words, or in the place of something, is not lost where its words were known already."""

from __future__ import annotations

import sqlite3
from datetime import datetime

import pytest

from memory_db.gate import run as gate
from tests.support.candidates import RULES, add_runs, decided, propose
from tests.support.session_rows import add_entry, add_project, add_session


@pytest.fixture
def talk(db: sqlite3.Connection) -> int:
    """A session of a project, and a run of the rules and one of a model."""
    add_runs(db)
    return add_session(db, add_project(db))


FULLER = (
    ("no no packages please, only what comes with python. the box in the cellar has no internet",
     "No no packages please, only what comes with python.",
     "The greenhouse tool uses the standard library only, no packages, because its box has no internet."),
    ("the suppliers table, by the way, belongs to them entirely; we read it and nothing more",
     "The suppliers table, by the way, belongs to them entirely; we read it and nothing more.",
     "The suppliers table in the orders database belongs to Agnes's accounting team; the service only reads it."),
)  # fmt: skip


@pytest.mark.parametrize(("said", "kept", "told"), FULLER)
def test_fuller_words_from_the_same_quote_are_kept(
    db: sqlite3.Connection, talk: int, now: datetime, said: str, kept: str, told: str
) -> None:
    entry = add_entry(db, talk, "user", "prompt", said)
    propose(db, "rule", kept, entry, by=RULES)
    gate.run(db, now=now)
    propose(db, "model", told, entry)
    gate.run(db, now=now)
    assert decided(db, "model")[0] in ("add", "merge")
    assert db.execute("select 1 from memories where text = ? and status = 'active'", [told]).fetchone()
    assert db.execute("select count(*) from contradictions").fetchone()[0] == 0


OLD = "Reports show the totals as a table with amount and month, because Wilma prints them."
NEW = "you needn't make that table of totals any longer, as the portal draws a chart these days"


@pytest.fixture
def known(db: sqlite3.Connection, talk: int, now: datetime) -> int:
    """What the user said first, and what they said later, as the rules keep it; the later entry."""
    propose(db, "old", OLD, add_entry(db, talk, "user", "prompt", OLD), by=RULES)
    entry = add_entry(db, talk, "user", "prompt", f"for the reports, {NEW}.")
    propose(db, "new", f"For the reports, {NEW}.", entry, by=RULES)
    gate.run(db, now=now)
    return entry


def test_what_known_words_were_said_in_place_of_is_put_before_a_person(
    db: sqlite3.Connection, talk: int, known: int, now: datetime
) -> None:
    before = db.execute("select count(*) from proposals").fetchone()[0]
    propose(db, "model", f"{NEW[0].upper()}{NEW[1:]}.", known, quote=NEW, hint=OLD)
    gate.run(db, now=now)
    assert decided(db, "model")[0] == "duplicate"
    asked = db.execute(
        "select m.text as old, o.text as new from proposals p join memories m on m.id = p.memory_id"
        " join memories o on o.id = p.other_memory_id where p.kind = 'supersede' and p.state = 'open'"
    ).fetchall()
    assert len(asked) == max(1, before)
    assert asked[0]["old"] == OLD
    assert asked[0]["new"].startswith("For the reports")


def test_pasted_words_wait_with_the_memory_that_they_replace(db: sqlite3.Connection, talk: int, now: datetime) -> None:
    old = "The loader reads the readings from the vendor's FTP server."
    propose(db, "old", old, add_entry(db, talk, "user", "prompt", old), by=RULES)
    gate.run(db, now=now)
    said = "the mail of the vendor says:\n\n> Readings are served at feed.pegel.example from May, FTP is switched off."
    entry = add_entry(db, talk, "user", "prompt", said)
    quote = "Readings are served at feed.pegel.example from May"
    propose(db, "new", f"{quote}.", entry, quote=quote, hint=old)
    gate.run(db, now=now)
    action, reason = decided(db, "new")
    assert action == "propose" and "pasted" in reason
    row = db.execute(
        "select m.text, json_extract(d.effects, '$.would') as would from decisions d"
        " join memories m on m.id = d.memory_id join candidates c on c.id = d.candidate_id where c.uid = 'new'"
    ).fetchone()
    assert (row["text"], row["would"] in ("supersede", "contradicts")) == (old, True)


@pytest.mark.parametrize(
    ("answer", "action"), [("yes, do that", "add"), ("no, leave it", "reject"), ("later", "reject")]
)
def test_what_an_agent_offers_is_a_decision_once_the_user_agrees(
    db: sqlite3.Connection, talk: int, now: datetime, answer: str, action: str
) -> None:
    add_entry(db, talk, "user", "prompt", "the clocks of the buses are up to 5 minutes late, what do we do?")
    offer = "I'd set the allowed delay to 7 minutes, the 5 of the clocks plus the way to us."
    reply = add_entry(db, talk, "assistant", "reply", offer)
    add_entry(db, talk, "user", "prompt", answer)
    quote = "I'd set the allowed delay to 7 minutes"
    propose(db, "model", "The allowed delay is 7 minutes: 5 of the clocks plus transit.", reply, quote=quote)
    gate.run(db, now=now)
    assert decided(db, "model")[0] == action
