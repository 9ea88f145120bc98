"""What a model proposes is judged by its exchange: what was agreed and done stands, what was by the way waits."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime

import pytest

from memory_db.gate import run as gate
from memory_db.text.quoting import unmeant
from memory_db.text.telling_orders import is_put_off, tells_failure
from tests.support.candidates import RULES, add_runs, decided, propose
from tests.support.session_rows import add_action, add_entry, add_project, add_session


def talked(db: sqlite3.Connection, turns: Sequence[tuple[str, str]]) -> list[int]:
    """The entries of a session whose turns are told as (user or assistant, words)."""
    add_runs(db)
    talk = add_session(db, add_project(db))
    kinds = {"user": "prompt", "assistant": "reply"}
    return [add_entry(db, talk, role, kinds[role], words) for role, words in turns]


@pytest.mark.parametrize(
    ("lower", "is_failure"),
    [
        ("take the second cache out again, that was a dead end", True),
        ("remove the new driver, it never helped", True),
        ("revert the bigger buffer: it made things worse", True),
        ("take the second cache out again", False),
        ("fix the buffer, it made things worse", False),
    ],
)
def test_what_is_undone_because_it_was_in_vain_tells_more_than_a_task(lower: str, is_failure: bool) -> None:
    assert tells_failure(lower) == is_failure
    assert bool(unmeant(lower, lower)) != is_failure


@pytest.mark.parametrize(
    ("lower", "is_later"),
    [
        ("ok, let's do that, but next week", True),
        ("fine, we'll do it, just not today", True),
        ("agreed, but in another session please", True),
        ("let's do that", False),
        ("rename the column, but not now", False),
    ],
)
def test_what_is_agreed_and_put_off_stays_to_be_known(lower: str, is_later: bool) -> None:
    assert is_put_off(lower) == is_later


@pytest.mark.parametrize("turn", [("user", "ok, let's do that, but in another session; the ferry leaves"),
                                  ("user", "take the second cache out again, that was a dead end")])  # fmt: skip
def test_a_models_words_for_it_are_kept(db: sqlite3.Connection, now: datetime, turn: tuple[str, str]) -> None:
    told = "The lamps of the pier are to be dimmed after midnight; a second cache was a dead end."
    entries = talked(db, [
        ("user", "can we save on power?"),
        ("assistant", "Dimming the lamps of the pier after midnight saves a third. The second cache costs more."),
        turn,
        ("assistant", "Noted."),
    ])  # fmt: skip
    quote = turn[1].split(";")[0]
    propose(db, "model", told, entries[2], quote=quote)
    gate.run(db, now=now)
    assert decided(db, "model")[0] == "add"


@pytest.mark.parametrize(
    ("agent", "quote", "answer", "action"),
    [
        ("sqlite3 /data/tide.db 'vacuum'", "sqlite3 /data/tide.db", "done, it is half as large", "add"),
        ('Then: export TIDE_KEY="$(pass tide)"', 'export TIDE_KEY="$(pass tide)"', "works, thanks", "add"),
        ("sqlite3 /data/tide.db 'vacuum'", "sqlite3 /data/tide.db", "doesn't work", "propose"),
        ("Tides are asked of two harbours each hour.", "Tides are asked of two harbours", "done", "propose"),
    ],
)
def test_a_command_that_the_user_carried_out_is_borne_out(
    db: sqlite3.Connection, now: datetime, agent: str, quote: str, answer: str, action: str
) -> None:
    entries = talked(db, [("user", "what do I run there?"), ("assistant", agent), ("user", answer)])
    propose(db, "model", f"The tides are looked after with {quote} on the machine.", entries[1], quote=quote)
    gate.run(db, now=now)
    assert decided(db, "model")[0] == action


OFFER = "The letter goes to the harbour office by 7, and a copy to the pilots. Is that right?"


@pytest.mark.parametrize(
    ("answer", "action"),
    [("the first yes. the copy no, they don't want it", "propose"), ("please do, the pilots asked for it", "add")],
)
def test_a_part_that_is_turned_down_is_not_borne_out_by_the_edit_of_the_rest(
    db: sqlite3.Connection, now: datetime, answer: str, action: str
) -> None:
    _, reply, _ = talked(db, [("user", "write the letter"), ("assistant", OFFER), ("user", answer)])
    session = db.execute("select session_id from entries where id = ?", [reply]).fetchone()[0]
    edit = add_entry(db, session, "assistant", "tool_call", "Edit")
    result = add_entry(db, session, "tool", "tool_result", "ok")
    change = '{"file_path": "mail.py", "old_string": "a", "new_string": "letter(harbour, office)"}'
    add_action(db, session, edit, result, "Edit", "mail.py", is_error=False)
    db.execute("update actions set input = ?", [change])
    propose(db, "model", "A copy of the letter goes to the pilots.", reply, quote="and a copy to the pilots")
    gate.run(db, now=now)
    assert decided(db, "model")[0] == action


@pytest.mark.parametrize(
    ("message", "quote", "is_for_now"),
    [
        ("i'm off for today, and the pump listens on 4711", "the pump listens on 4711", False),
        ("the crane is repaired tonight; its limit is 12 tons", "its limit is 12 tons", False),
        ("for now, use port 8081", "use port 8081", True),
        ("use port 8081, just for the demo", "use port 8081", True),
        ("use port 8081 tonight", "use port 8081", True),
    ],
)
def test_what_is_for_now_is_asked_of_the_clause(message: str, quote: str, is_for_now: bool) -> None:
    assert (unmeant(message, quote) == "holds for now alone") == is_for_now


@pytest.mark.parametrize(
    ("agent", "said", "quote"),
    [
        (
            "What does the plate say?",
            "Seven knots. A gull stole the sandwich from the cook.",
            "A gull stole the sandwich from the cook.",
        ),
        (
            "Ready.",
            "the mate (a cousin of Olga, and a fine cook) must never steer alone from now on",
            "a cousin of Olga, and a fine cook",
        ),
        (
            "Ready.",
            "nothing arrives from the buoy since monday. rebuild the reader",
            "nothing arrives from the buoy since monday",
        ),
    ],
)
def test_what_is_said_by_the_way_or_of_the_moment_waits(
    db: sqlite3.Connection, now: datetime, agent: str, said: str, quote: str
) -> None:
    turns = [("user", "how fast may she go?"), ("assistant", agent), ("user", said), ("assistant", "Noted.")]
    entries = talked(db, turns)
    propose(db, "model", f"It is so: {quote}.", entries[2], quote=quote)
    gate.run(db, now=now)
    assert decided(db, "model")[0] in ("propose", "reject")


def test_thin_words_that_a_memory_holds_already_are_told_in_a_models_words(
    db: sqlite3.Connection, now: datetime
) -> None:
    said = "The harbour office confirms it: their scanner drops the last digit. Never fill it up."
    entry = talked(db, [("user", "why twice?"), ("assistant", "Looking."), ("user", said)])[-1]
    propose(db, "rule", said, entry, by=RULES)
    gate.run(db, now=now)
    told = "Berths were booked twice because the scanner of the harbour office drops the last digit of a ship's number."
    propose(db, "model", told, entry, quote="their scanner drops the last digit")
    gate.run(db, now=now)
    assert decided(db, "model")[0] in ("add", "merge")


def test_what_others_say_in_a_case_that_may_come_makes_nothing_theirs(db: sqlite3.Connection, now: datetime) -> None:
    said = "Inga signs the papers, on Mondays and Fridays. If the office hurries us, they always write in red."
    (entry,) = talked(db, [("user", said)])
    propose(db, "model", "Inga signs the papers on Mondays and Fridays.", entry, quote=said.split(". ")[0])
    gate.run(db, now=now)
    assert "somebody else" not in decided(db, "model")[1]


def test_a_line_of_code_alone_stops_no_run(db: sqlite3.Connection, now: datetime) -> None:
    entries = talked(db, [("user", "look"), ("assistant", "At what?"), ("user", "let's see the buoys; then lunch")])
    propose(db, "model", "The buoys are to be seen.", entries[2], quote="let's see the buoys")
    propose(db, "code", "The table of buoys is dropped at once.", entries[2], quote="let's see the buoys;")
    gate.run(db, now=now)
    assert decided(db, "model")[0] == "reject"
