"""A few words that only tell how something is wait for a person; orders, answers and what says when are kept."""

from __future__ import annotations

import sqlite3
from datetime import datetime

import pytest

from memory_db.extract.rules.bare import SAYS_FEW_WORDS, bare, only_tells
from memory_db.extract.rules.run import extract
from memory_db.gate import run as gate
from tests.support.session_rows import add_entry, add_project, add_session


def after(db: sqlite3.Connection, now: datetime, said: str) -> list[tuple[str, str, int]]:
    """What becomes of a message in the midst of work: action, reason and importance of each candidate."""
    talk = add_session(db, add_project(db))
    add_entry(db, talk, "user", "prompt", "Add the kiln's temperature to the log, please.")
    add_entry(db, talk, "assistant", "reply", "Done, each line of the log has the temperature now.")
    add_entry(db, talk, "user", "prompt", said)
    add_entry(db, talk, "assistant", "reply", "Noted.")
    extract(db, now=now)
    gate.run(db, now=now)
    return [
        tuple(row)
        for row in db.execute(
            "select d.action, d.reason, c.importance from candidates c join decisions d on d.candidate_id = c.id"
            " order by c.id"
        )
    ]


@pytest.mark.parametrize("said", ["his glaze mixer has only the one speed", "nobody here reads those"])
def test_a_few_words_that_only_tell_wait_for_a_person(db: sqlite3.Connection, now: datetime, said: str) -> None:
    assert after(db, now, said) == [("propose", f"{SAYS_FEW_WORDS}: is it so?", 2)]
    assert db.execute("select count(*) from memories").fetchone()[0] == 0


@pytest.mark.parametrize(
    ("said", "importance"),
    [
        ("never fire the kiln without the fan", 3),
        ("Firing is on wednesdays at 19:00 in the old barn.", 2),
        ("The kiln in the old barn has a meter of its own, so the firings of the potters are not in our bill.", 3),
    ],
)
def test_an_order_a_time_and_longer_words_are_kept(
    db: sqlite3.Connection, now: datetime, said: str, importance: int
) -> None:
    assert [(action, kept) for action, _, kept in after(db, now, said)] == [("add", importance)]


def test_what_answers_the_agent_is_never_bare() -> None:
    text = 'Asked "Who fires the kiln?", the user said: the potter.'
    assert not only_tells("states a fact", text)
    assert bare("states a fact", text) == ""
    assert bare("states a fact", "The kiln is old.") == SAYS_FEW_WORDS
    assert bare("forbids", "No kiln at night.") == ""
