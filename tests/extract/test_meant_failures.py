"""A command that was run to see that it fails is no trouble that something cured."""

from __future__ import annotations

import pytest

from memory_db.extract.rules import error_fixes as fixes
from memory_db.extract.rules.error_fixes import error_fixes
from memory_db.text.sentences import split
from tests.extract.test_exchange_unit import Turn, rows


@pytest.mark.parametrize(
    ("between", "is_meant"),
    [
        ((), False),
        ((("say", "psycopg is not installed, I add it."),), False),
        ((("say", "The tests fail without psycopg, as expected. Shall I add it?"), ("user", "yes")), False),
        ((("say", "`make test` prints the steps. Without psycopg it still stops."), ("user", "now the ports")), True),
        ((("say", "It refuses an empty list, as it should."),), True),
        ((("say", "It cannot find psycopg."), ("user", "next, both services have one port")), False),
    ],
)
def test_a_command_that_was_to_fail_has_no_cure(between: tuple[Turn, ...], is_meant: bool) -> None:
    entries, actions = rows(
        [
            ("user", "run the tests"),
            ("bash", "make test", "fails\nModuleNotFoundError: No module named 'psycopg'"),
            *between,
            ("edit", "x.env", "port = 1", "port = 2"),
            ("bash", "make test", "ok"),
        ]
    )
    words = [(one["id"], one["role"], one["text"]) for one in entries if one["kind"] in ("prompt", "reply")]
    (fix,) = error_fixes(actions)
    assert fixes.is_meant(fix, actions, words) is is_meant


def test_dots_that_leave_something_out_end_no_sentence() -> None:
    said = "The names are sorted so: r1 r10 r2 ... r9 and the one before r10 is r1. It went on ... and stopped."
    assert [each.text for each in split(said)] == [said[:71], said[72:]]
    said = "And the message, no fix(...) label in front, all lowercase. Again please."
    assert [each.text for each in split(said)] == [
        "And the message, no fix(...) label in front, all lowercase.",
        "Again please.",
    ]
    assert len(split("I wonder... it may be the lock. Wait ... No.")) == 4


@pytest.mark.parametrize(
    ("failure", "written", "is_kept"),
    [
        ("NameError: name 'send_plate' is not defined", "def send_plate(plate):", False),
        ("AttributeError: 'Oven' object has no attribute 'plate'", "heat = oven.plates[0]\nplate = 1", False),
        ("AttributeError: 'Oven' object has no attribute 'fuse'", "import time", True),
        ("      Tests  2 failed | 2 passed (4)", "heat = 3", False),
        ("OSError: the oven at port 9 is busy", "heat = 3", True),
    ],
)
def test_a_slip_in_what_was_just_written_is_no_trouble(failure: str, written: str, is_kept: bool) -> None:
    _, actions = rows(
        [
            ("user", "send the plates"),
            ("bash", "make test", f"fails\n{failure}"),
            ("edit", "ovens.py", "heat = 2", written),
            ("bash", "make test", "ok"),
        ]
    )
    assert bool(list(error_fixes(actions))) is is_kept
