"""What had just failed when the user said something stands around that memory, so that the same failure brings it."""

from __future__ import annotations

import sqlite3
from datetime import datetime

import pytest

from memory_db.gate import run as gate
from tests.support.candidates import RULES, add_runs, propose
from tests.support.session_rows import add_action, add_entry, add_project, add_session

FAILED = "firing: plan 7\nError: kiln answered 409 glaze mismatch\nmake: *** [fire] Error 1"


@pytest.mark.parametrize(
    ("results", "is_there"),
    [
        ([(FAILED, True)], True),
        ([(FAILED, False)], False),
        ([(FAILED, True), ("all plates are whole", False)], False),
        ([("all plates are whole", False), (FAILED, True)], True),
        ([], False),
    ],
)
def test_the_last_failure_before_a_memory_is_said_stands_around_it(
    db: sqlite3.Connection, now: datetime, results: list[tuple[str, bool]], is_there: bool
) -> None:
    add_runs(db)
    talk = add_session(db, add_project(db))
    add_entry(db, talk, "user", "prompt", "fire the plates")
    for result, is_error in results:
        call = add_entry(db, talk, "assistant", "tool_call", "Bash: make fire")
        add_action(db, talk, call, add_entry(db, talk, "tool", "tool_result", result), "Bash", "make fire",
                   is_error=is_error)  # fmt: skip
    said = add_entry(db, talk, "user", "prompt", "The kiln takes no glaze by itself, run `make glaze` first.")
    propose(db, "said", "The kiln takes no glaze by itself, run `make glaze` first.", said, by=RULES)
    gate.run(db, now=now)
    (context,) = db.execute("select context from memories").fetchone()
    assert ("Error: kiln answered 409 glaze mismatch" in context) == is_there
    assert "fire the plates" in context
